//! `tlparse diff`: what it says about two runs, checked on recorded logs and on changed copies of them.

use crate::performance::trace_path;
use crate::support::{Check, Done, Input, Log, Page, Run, input, job, report, reports, source_text, text_of};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes that the page and the Markdown may have.
const LARGEST_PAGE: usize = 2 << 20;
const LARGEST_MARKDOWN: usize = 60_000;

/// Runs `tlparse diff` with these arguments.
pub fn diff<S: AsRef<OsStr>>(args: &[S]) -> Done {
    let args = args.iter().map(|arg| arg.as_ref().to_owned());
    Run::of("diff").without_out().args(args).go()
}

/// The JSON of a comparison of two paths.
pub fn compared(a: &Path, b: &Path) -> Value {
    let done = diff(&[a.as_os_str(), b.as_os_str(), OsStr::new("--json")]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    keeps_to_schema(&json);
    json
}

fn keeps_to_schema(json: &Value) {
    let schema: Value = serde_json::from_str(&source_text("diff.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(json)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The finished report of a stored log.
fn of(scenario: &str) -> &'static Path {
    &report(scenario).folder
}

/// `kind topic` of each row.
fn kinds(json: &Value) -> Vec<String> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    json["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {}", word(row, "kind"), word(row, "topic")))
        .collect()
}

/// The rows of a topic.
pub fn rows<'j>(json: &'j Value, topic: &str) -> Vec<&'j Value> {
    json["rows"].as_array().unwrap().iter().filter(|row| row["topic"] == topic).collect()
}

pub fn subject(row: &Value) -> &str {
    row["subject"].as_str().unwrap()
}

/// A changed copy of a stored log, in a folder of its own.
fn changed(from: &Input, change: impl FnOnce(&mut Log)) -> (TempDir, PathBuf) {
    let mut log = Log::of(from);
    change(&mut log);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(from.file_name());
    fs::write(&path, log.bytes()).unwrap();
    (folder, path)
}

/// The indices of the artifacts of that name.
fn artifacts(log: &Log, name: &str) -> Vec<usize> {
    let is = |at: &usize| {
        let envelope: Value = serde_json::from_slice(log.records[*at].envelope()).unwrap();
        envelope["artifact"]["name"] == name
    };
    log.all("artifact").into_iter().filter(is).collect()
}

#[test]
fn a_log_does_not_differ_from_itself() {
    for scenario in ["03_graph_breaks", "08_cache_miss", "25_guards", "12_ddp_crash"] {
        let json = compared(of(scenario), of(scenario));
        assert_eq!(json["rows"], json!([]), "{scenario}");
    }
    let log = &input("01_inference").path;
    let done = diff(&[log, log]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("A and B do not differ.\n"), "{}", done.stdout);
}

#[test]
fn removing_a_break_a_recompile_and_a_setting_gives_exactly_three_rows() {
    let from = input("03_graph_breaks");
    let (_folder, path) = changed(from, |log| {
        let first = artifacts(log, "recompile_reasons")[0];
        log.records.remove(first);
        let one_break = artifacts(log, "dynamo_graph_break_reason")
            .into_iter()
            .find(|at| String::from_utf8_lossy(&log.records[*at].text()).contains("s03_graph_breaks.py:65"));
        log.records.remove(one_break.unwrap());
        for n in 0..log.all("compilation_metrics").len() {
            log.edit("compilation_metrics", n, |envelope| {
                let config = &mut envelope["compilation_metrics"]["inductor_config"];
                let mut settings: Value = serde_json::from_str(config.as_str().unwrap_or("{}")).unwrap();
                if settings.as_object_mut().unwrap().remove("epilogue_fusion").is_some() {
                    *config = settings.to_string().into();
                }
            });
        }
    });
    let json = compared(&from.path, &path);
    assert_eq!(kinds(&json), ["gone graph_break", "gone recompile", "gone setting"], "{json:#}");
    assert_eq!(rows(&json, "graph_break")[0]["line"], 65);
    assert_eq!(subject(rows(&json, "recompile")[0]), "Recompile of `forward`, resumed at line 81");
    assert_eq!(subject(rows(&json, "setting")[0]), "Setting `inductor.epilogue_fusion`");
    // The other way around they are new.
    let json = compared(&path, &from.path);
    assert_eq!(kinds(&json), ["new graph_break", "new recompile", "new setting"], "{json:#}");
}

/// A number that is changed by up to 4 %, by how much depending on its place.
fn jittered(value: &mut Value, seed: usize) {
    let factor = 0.96 + 0.08 * ((seed * 37 % 101) as f64 / 100.0);
    if let Some(number) = value.as_i64() {
        *value = json!((number as f64 * factor).round() as i64);
    } else if let Some(number) = value.as_f64() {
        *value = json!(number * factor);
    }
}

#[test]
fn two_recordings_of_one_program_do_not_differ() {
    let from = input("08_cache_miss");
    let (_folder, path) = changed(from, |log| {
        for n in 0..log.all("compilation_metrics").len() {
            log.edit("compilation_metrics", n, |envelope| {
                let fields = envelope["compilation_metrics"].as_object_mut().unwrap();
                let is_time = |key: &str| {
                    (key.ends_with("time_s") || key.ends_with("time_us"))
                        && !key.starts_with("start_")
                        && !key.starts_with("end_")
                };
                for (seed, (_, value)) in fields.iter_mut().filter(|(key, _)| is_time(key)).enumerate() {
                    jittered(value, n + seed);
                }
            });
        }
        // Each event of the trace moves away from the first one by 3 %.
        let mut first = None;
        for at in log.all("chromium_event") {
            let record = &mut log.records[at];
            let mut event: Value = serde_json::from_slice(&record.text()).unwrap();
            let ts = event["ts"].as_f64().unwrap();
            let start = *first.get_or_insert(ts);
            event["ts"] = json!(start + (ts - start) * 1.03);
            record.set_payload(event.to_string().as_bytes());
        }
    });
    let json = compared(&from.path, &path);
    assert_eq!(json["rows"], json!([]), "{json:#}");
    // What is noise is a matter of the threshold.
    let done =
        diff(&[from.path.as_os_str(), path.as_os_str(), "--threshold=1%,1ms".as_ref(), "--json".as_ref()]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(kinds(&json).contains(&"worse compile_time".to_owned()), "{json:#}");
}

#[test]
fn a_function_that_moved_in_its_file_is_the_same_function() {
    let from = input("03_graph_breaks");
    let (_folder, path) = changed(from, |log| {
        // Twenty lines more at the top of the file.
        let place = regex::Regex::new(r#"(s03_graph_breaks\.py(?:\\?", line |:))(\d+)"#).unwrap();
        let number = regex::Regex::new(r#"("(?:co_firstlineno|fail_user_frame_lineno)": )(\d+)"#).unwrap();
        let moved = |text: &str| {
            let text = place.replace_all(text, |found: &regex::Captures<'_>| {
                format!("{}{}", &found[1], found[2].parse::<u64>().unwrap() + 20)
            });
            let text = number.replace_all(&text, |found: &regex::Captures<'_>| {
                format!("{}{}", &found[1], found[2].parse::<u64>().unwrap() + 20)
            });
            let resumed = regex::Regex::new(r"(torch_dynamo_resume_in_\w+?_at_)(\d+)").unwrap();
            let text = resumed.replace_all(&text, |found: &regex::Captures<'_>| {
                format!("{}{}", &found[1], found[2].parse::<u64>().unwrap() + 20)
            });
            text.into_owned()
        };
        for record in &mut log.records {
            let envelope = String::from_utf8(record.envelope().to_owned()).unwrap();
            record.set_envelope(moved(&envelope).as_bytes());
            if !record.payload.is_empty() {
                let text = String::from_utf8(record.text()).unwrap();
                let changed = moved(&text);
                if changed != text {
                    record.set_payload(changed.as_bytes());
                }
            }
        }
    });
    let json = compared(&from.path, &path);
    assert_eq!(json["rows"], json!([]), "{json:#}");
}

#[test]
fn another_version_of_torch_is_reported_with_its_changes() {
    let json = compared(of("21_torch26_01_inference"), of("01_inference"));
    let torch = rows(&json, "torch")[0];
    assert_eq!((&torch["a"]["value"], &torch["b"]["value"]), (&json!("2.6.0+cu124"), &json!("2.15.0+cu132")));
    let all: BTreeSet<String> = kinds(&json).into_iter().collect();
    for kind in ["worse compile_time", "worse part", "better part", "changed cache", "changed setting"] {
        assert!(all.contains(kind), "{kind} is not in {all:?}");
    }
    for topic in ["failure", "graph_break", "recompile", "function", "operators", "inputs"] {
        assert!(rows(&json, topic).is_empty(), "{topic}: {json:#}");
    }
    // Hundreds of settings that only one version has are one row a side.
    let one_sided = rows(&json, "setting").into_iter().filter(|row| row["kind"] != "changed");
    let one_sided: Vec<&str> = one_sided.map(subject).collect();
    assert_eq!(
        one_sided,
        ["Settings that only the torch of A has: 15", "Settings that only the torch of B has: 574"]
    );
}

#[test]
fn breaks_that_another_torch_words_differently_are_the_same_breaks() {
    let json = compared(of("21_torch26_03_graph_breaks"), of("03_graph_breaks"));
    let breaks = rows(&json, "graph_break");
    assert_eq!(breaks.len(), 1, "{breaks:#?}");
    assert_eq!(
        subject(breaks[0]),
        "8 graph breaks at the same lines are worded differently by another torch"
    );
    let failures = rows(&json, "failure");
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert_eq!(subject(failures[0]), "Failure: `loop_with_break` was not compiled");
    assert!(rows(&json, "recompile").is_empty(), "{json:#}");
    assert!(
        rows(&json, "function").is_empty(),
        "resume functions are matched although lines differ: {json:#}"
    );
}

#[test]
fn a_warm_cache_is_better_and_not_another_machine() {
    let json = compared(of("08_cache_miss"), of("08_cache_hit"));
    let caches = rows(&json, "cache");
    assert_eq!(caches.len(), 1, "{caches:#?}");
    assert_eq!(caches[0]["kind"], "better");
    assert_eq!(subject(caches[0]), "9 cache lookups: miss → hit");
    let time = rows(&json, "compile_time")[0];
    assert_eq!(time["kind"], "better");
    assert!((time["difference_s"].as_f64().unwrap() + 20.67).abs() < 0.05, "{time}");
    assert_eq!(rows(&json, "function_time").len(), 4);
    let done = diff(&[of("08_cache_miss"), of("08_cache_hit")]);
    assert!(!done.stdout.contains("machine or compiler"), "{}", done.stdout);
}

#[test]
fn where_every_function_is_slower_by_one_factor_the_verdict_names_the_machine() {
    let from = input("03_graph_breaks");
    let (_folder, path) = changed(from, |log| {
        for n in 0..log.all("compilation_metrics").len() {
            log.edit("compilation_metrics", n, |envelope| {
                let fields = envelope["compilation_metrics"].as_object_mut().unwrap();
                for key in ["dynamo_cumulative_compile_time_us", "duration_us"] {
                    if let Some(us) = fields.get(key).and_then(Value::as_f64) {
                        fields[key] = json!((us * 1.5) as i64);
                    }
                }
            });
        }
    });
    let done = diff(&[&from.path, &path]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let expected = "24 of 24 functions are slower, by 1.5 times in the median: a slower machine or compiler would look \
                    like this too.";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
}

#[test]
fn jobs_are_compared_rank_by_rank() {
    let (a, b) = (&job("13_div_healthy").folder, &job("13_div_break").folder);
    let json = compared(a, b);
    let ranks = rows(&json, "ranks");
    // What its job finds, cause first.
    let told: Vec<&str> = ranks.iter().map(|row| subject(row)).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("Rank 1 compiles `reduce_fn` (0/0) for `rank == 1`"), "{told:?}");
    assert!(told[1].starts_with("Rank 1 breaks its graph at `s13_divergence.py:28`"), "{told:?}");
    let breaks = rows(&json, "graph_break");
    assert_eq!(breaks.len(), 1, "{breaks:#?}");
    assert_eq!(
        (&breaks[0]["kind"], &breaks[0]["line"], &breaks[0]["ranks"]),
        (&json!("new"), &json!(28), &json!([1]))
    );
    let functions = rows(&json, "function");
    assert_eq!(subject(functions[0]), "`reduce_fn`, resumed at line 28 is compiled by B only");
    assert_eq!(functions[0]["ranks"], json!([1]));
    assert_eq!(compared(a, a)["rows"], json!([]));
}

#[test]
fn several_runs_per_side_have_medians_and_a_spread() {
    let (slow, fast) = (of("08_cache_miss"), of("08_cache_hit"));
    let done = diff(&[
        OsStr::new("--a"),
        slow.as_os_str(),
        slow.as_os_str(),
        "--b".as_ref(),
        fast.as_os_str(),
        fast.as_os_str(),
        slow.as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    keeps_to_schema(&json);
    assert_eq!(
        json["rows"],
        json!([]),
        "a run of B is as slow as those of A, so the sides cannot be told apart"
    );
    let done = diff(&[
        OsStr::new("--a"),
        slow.as_os_str(),
        slow.as_os_str(),
        "--b".as_ref(),
        fast.as_os_str(),
        "--json".as_ref(),
    ]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    let time = rows(&json, "compile_time")[0];
    assert_eq!(time["a"]["spread_s"].as_array().unwrap().len(), 2, "{time}");
    assert_eq!(time["b"]["spread_s"], json!(null));
}

#[test]
fn the_page_is_next_to_the_reports_written_for_it() {
    let done = diff(&[&input("03_graph_breaks").path, &input("21_torch26_03_graph_breaks").path]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let folder = done.work.path().join("tl_diff");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a", "assets", "b", "changed", "diff.html", "diff.json", "diff.md"]);
    let html = fs::read_to_string(folder.join("diff.html")).unwrap();
    assert!(html.len() < LARGEST_PAGE);
    let page = Page::parse("diff.html", &html);
    let links: Vec<&str> = page.all("a[href]").into_iter().filter_map(|a| a.attr("href")).collect();
    assert!(links.iter().any(|href| href.starts_with("a/")), "{links:?}");
    for href in links {
        let (path, anchor) = href.split_once('#').unwrap_or((href, ""));
        let target = if path.is_empty() { folder.join("diff.html") } else { folder.join(path) };
        assert!(target.exists(), "{href} leads nowhere");
        assert!(
            !path.is_empty() || anchor.is_empty() || html.contains(&format!("id=\"{anchor}\"")),
            "#{anchor}"
        );
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("diff.json")).unwrap()).unwrap();
    keeps_to_schema(&json);
    // The second time the folder is there, and only --overwrite replaces it.
    let again = |args: &[&str]| {
        let log = &input("03_graph_breaks").path;
        let all = [log.as_os_str(), log.as_os_str(), "-o".as_ref(), folder.as_os_str()];
        let all: Vec<&OsStr> = all.into_iter().chain(args.iter().map(OsStr::new)).collect();
        diff(&all)
    };
    assert!(again(&[]).fails(1).contains("exists already"));
    assert_eq!(again(&["--overwrite"]).code, Some(0));
}

#[test]
fn printing_formats_write_no_folder() {
    for format in [["--json", "--threshold=5%"], ["--format", "json"], ["--format", "markdown"]] {
        let log = input("01_inference").path.to_str().unwrap();
        let other = input("21_torch26_01_inference").path.to_str().unwrap();
        let done = diff(&[&[log, other], &format[..]].concat());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert_eq!(fs::read_dir(done.work.path()).unwrap().count(), 0, "{format:?}");
    }
}

#[test]
fn markdown_is_short_and_agrees_with_the_page() {
    let (a, b) = (of("21_torch26_03_graph_breaks"), of("03_graph_breaks"));
    let done = diff(&[a.as_os_str(), b.as_os_str(), "--format".as_ref(), "markdown".as_ref()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.len() <= LARGEST_MARKDOWN, "{} bytes", done.stdout.len());
    assert!(done.stdout.starts_with(
        "# Two runs of torch.compile\n\n**Verdict:** Only in B, `loop_with_break` was not compiled: "
    ));
    assert!(done.stdout.contains("B compiles 8.42 s slower"), "{}", done.stdout);
    assert!(done.stdout.contains("| New | Failure: `loop_with_break` was not compiled"), "{}", done.stdout);
}

#[test]
fn texts_of_a_foreign_report_are_escaped_and_not_linked() {
    const SCRIPT: &str = "</script><script>alert(4711)</script>";
    let folder = TempDir::new().unwrap();
    let mut json = report("03_graph_breaks").json.clone();
    for one in json["graph_breaks"].as_array_mut().unwrap() {
        one["reason"] = json!(format!("{SCRIPT}{}", one["reason"]));
    }
    for one in json["compiles"].as_array_mut().unwrap() {
        one["status"] = json!(format!("ok\" onclick=\"{SCRIPT}"));
        one["attempts"][0]["dir"] = json!("../../../etc");
        if !one["function"].is_null() {
            one["function"]["name"] = json!(format!("{SCRIPT}{}", one["function"]["name"]));
        }
    }
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    let done = diff(&[of("03_graph_breaks"), folder.path()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let html = fs::read_to_string(done.work.path().join("tl_diff/diff.html")).unwrap();
    assert!(!html.contains("<script>alert(4711)"), "a script of the report is on the page");
    assert!(!html.contains("onclick=\""), "an attribute of the report is on the page");
    let page = Page::parse("diff.html", &html);
    for link in page.all("main a[href]") {
        let href = link.attr("href").unwrap();
        assert!(!href.contains("etc"), "{href}");
    }
    assert!(page.text().contains("alert(4711)"));
}

/// torch writes -1 for code that it made itself.
#[test]
fn invalid_line_numbers_are_compared_and_checked_as_unknown() {
    let folder = TempDir::new().unwrap();
    let mut json = report("03_graph_breaks").json.clone();
    json["compiles"][1]["function"]["line"] = json!(-1);
    json["graph_breaks"][0]["line"] = json!(-1);
    json["failures"][0]["line"] = json!(-1);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    let found = compared(of("03_graph_breaks"), folder.path());
    assert!(!found["rows"].as_array().unwrap().is_empty());
    let checked = Check::of([folder.path()]).go();
    assert_eq!(checked.code, Some(3), "{}", checked.stderr);
    assert!(checked.stdout.contains("failures: 2 failures"), "{}", checked.stdout);
}

#[test]
fn a_report_with_thousands_of_long_names_gives_a_page_of_limited_size() {
    let folder = TempDir::new().unwrap();
    let mut json = report("03_graph_breaks").json.clone();
    let model = json["compiles"].as_array().unwrap()[0].clone();
    let compiles: Vec<Value> = (0..2_000)
        .map(|n| {
            let mut one = model.clone();
            one["id"] = json!(format!("{n}/0"));
            one["attempts"] = json!([{"attempt": 0, "dir": format!("-_{n}_0_0")}]);
            one["function"] =
                json!({"name": format!("{n}{}", "<".repeat(1_000)), "file": "/x".repeat(500), "line": n});
            one["time"]["seconds"] = json!(1.0);
            one["metrics"] = json!([]);
            one
        })
        .collect();
    json["compiles"] = json!(compiles);
    let breaks: Vec<Value> = (0..2_000)
        .map(|n| {
            let mut one = json["graph_breaks"][0].clone();
            (one["reason"], one["line"]) = (json!(format!("{n}{}", "&".repeat(3_000))), json!(n));
            one
        })
        .collect();
    json["graph_breaks"] = json!(breaks);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    let done = diff(&[of("03_graph_breaks"), folder.path()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let size = |file: &str| fs::metadata(done.work.path().join("tl_diff").join(file)).unwrap().len() as usize;
    assert!(size("diff.html") < LARGEST_PAGE, "{} bytes", size("diff.html"));
    assert!(size("diff.md") <= LARGEST_MARKDOWN, "{} bytes", size("diff.md"));
}

#[test]
fn slower_kernels_are_listed_with_their_shapes() {
    let profiled = |scenario: &str| {
        let folder = TempDir::new().unwrap();
        for file in fs::read_dir(crate::support::source("tests/profiles").join(scenario)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        folder
    };
    let json = compared(profiled("24_profile").path(), profiled("24_profile_wide").path());
    let measured = rows(&json, "measured");
    assert_eq!(subject(measured[0]), "Device time of the traced steps");
    assert_eq!(measured[0]["kind"], "worse");
    assert_eq!(subject(measured[1]), "Kernel `aten::addmm`");
    let detail = measured[1]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("on 1024, 512×256, 256×1024, 512×1024 → 2048, 512×256, 256×2048, 512×2048"),
        "{detail}"
    );
    let inputs = rows(&json, "inputs");
    assert_eq!(subject(inputs[0]), "Inputs of `Model.forward`: 9 of 21 differ");
    for topic in ["failure", "graph_break", "recompile", "operators", "setting", "cache"] {
        assert!(rows(&json, topic).is_empty(), "{topic}: {json:#}");
    }
}

#[test]
fn kernels_of_two_devices_are_compared_by_name_with_the_rates_of_each() {
    let mut slower = crate::performance::trace("h100_vit.json.gz");
    slower["deviceProperties"] = json!([{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}]);
    for launch in crate::performance::events(&mut slower, "kernel") {
        launch["dur"] = json!(launch["dur"].as_f64().unwrap() * 2.0);
    }
    let fast = Run::of(crate::performance::trace_path("h100_vit.json.gz")).ok();
    let slow = crate::performance::report_of(&slower);
    let share =
        |report: &crate::support::Report| report.json["performance"]["kernels"][0]["share_of_peak"].clone();
    let [of_fast, of_slow] = [share(&fast), share(&slow)].map(|share| share.as_f64().unwrap());
    // Half the rate, held against the peak of its own device, which is 3.17 times as low.
    assert!((of_slow / of_fast / (989.5 / 312.0 / 2.0) - 1.0).abs() < 0.01, "{of_fast} {of_slow}");
    let json = compared(&fast.folder, &slow.folder);
    let measured = rows(&json, "measured");
    assert_eq!(subject(measured[0]), "Device time of the traced steps");
    assert!(measured.len() > 2 && measured.iter().all(|row| row["kind"] == "worse"), "{measured:#?}");
    let doubled = |row: &&Value| {
        let median = |side: &str| row[side]["seconds"].as_f64();
        median("b").zip(median("a")).is_some_and(|(b, a)| (b / a - 2.0).abs() < 0.01)
    };
    assert!(measured[1..].iter().all(doubled), "{measured:#?}");
}

#[test]
fn a_report_of_another_program_is_refused_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("index.html"), "<html>").unwrap();
    fs::write(folder.path().join("compile_directory.json"), "{}").unwrap();
    let said = diff(&[of("01_inference"), folder.path()]).fails(1);
    assert!(said.contains("has no report.json") && said.contains("give the log"), "{said}");
    for (text, why) in [
        ("{", "not as tlparse writes it"),
        ("{\"schema\": 1, \"kind\": \"log\"}", "of version 1"),
        ("{\"schema\": 2, \"kind\": \"log\"}", "not as tlparse writes it"),
        ("{\"schema\": 2, \"kind\": \"tale\"}", "not about a log or a job"),
    ] {
        fs::write(folder.path().join("report.json"), text).unwrap();
        let said = diff(&[of("01_inference"), folder.path()]).fails(1);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn a_command_line_without_two_sides_is_wrong_usage() {
    let log = input("01_inference").path.to_str().unwrap();
    for args in [
        vec![],
        vec![log],
        vec!["--a", log],
        vec![log, log, "--a", log, "--b", log],
        vec![log, log, "--threshold", "fast"],
    ] {
        let done = diff(&args);
        assert_eq!(done.code, Some(2), "{args:?}: {}", done.stderr);
    }
    assert!(diff::<&str>(&[]).fails(2).contains("./diff"));
}

#[test]
fn a_headline_has_at_most_twenty_words_and_sides_are_called_as_they_were_named_everywhere() {
    let alone = Regex::new(r"(^|[ (|])[AB]([ .,:;)|]|$)").unwrap();
    let of_traces = ["h100_vit.json.gz", "mi300_vit.json.gz", "24_profile/profile.json.gz"];
    let traces = of_traces.map(|name| Run::of(trace_path(name)).ok());
    let logs = reports().map(|(_, report)| report.folder.as_path());
    let folders: Vec<&Path> = logs.chain(traces.iter().map(|report| report.folder.as_path())).collect();
    let names = ["--name-a", "the one before it", "--name-b", "the last of all"];
    for pair in folders.windows(2) {
        let told = format!("{pair:?}");
        let sides = pair.iter().map(|folder| folder.as_os_str());
        let done = diff(&sides.chain(names.map(OsStr::new)).collect::<Vec<_>>());
        assert_eq!(done.code, Some(0), "{told}: {}", done.stderr);
        let read = |file: &str| fs::read_to_string(done.work.path().join("tl_diff").join(file)).unwrap();
        let headline = text_of(Page::parse("diff.html", &read("diff.html")).one("main h1"));
        assert!(headline.split_whitespace().count() <= 20, "{told}: {headline}");
        let markdown = read("diff.md");
        let lines: Vec<&str> = markdown.lines().collect();
        let heads = lines.windows(2).filter(|two| two[1].starts_with("|-") || two[1].starts_with("| -"));
        let verdict = [done.stdout.lines().next().unwrap(), &headline];
        for text in heads.map(|two| two[0]).chain(verdict) {
            assert!(!alone.is_match(text), "{told}: {text}");
        }
    }
}
