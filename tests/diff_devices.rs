//! `tlparse diff` on logs of a GPU: what is said first, the setting, layout or kernel behind it, and that page, terminal,
//! Markdown and JSON agree on what is new and gone.

use crate::diff::{compared, diff, rows, subject};
use crate::performance_devices::{decoder, user_triton};
use crate::support::{Done, Page, Report, changed_report, report, text_of};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The facts of a report after a change.
fn changed(report: &Report, change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut json = report.json.clone();
    change(&mut json);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    folder
}

fn shown(a: &Path, b: &Path) -> Done {
    let done = diff(&[a, b]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done
}

/// The verdict on two reports.
fn verdict(a: &Path, b: &Path) -> String {
    shown(a, b).stdout.lines().next().unwrap().to_owned()
}

fn times(value: &mut Value, factor: f64) {
    *value = json!(value.as_f64().unwrap() * factor);
}

/// Every kernel takes `factor` times as long.
fn run_in(json: &mut Value, factor: f64) {
    let measured = &mut json["performance"];
    times(&mut measured["time"]["busy_us"], factor);
    for kernel in measured["kernels"].as_array_mut().unwrap() {
        for key in ["sum_us", "min_us", "max_us"] {
            times(&mut kernel[key], factor);
        }
    }
}

/// The whole compile takes `factor` times as long.
fn compile_in(json: &mut Value, factor: f64) {
    times(&mut json["compile_time"]["total_s"], factor);
    for part in json["compile_time"]["parts"].as_array_mut().unwrap() {
        times(&mut part["seconds"], factor);
    }
}

fn set(json: &mut Value, name: &str, value: &Value) {
    for compile in json["compiles"].as_array_mut().unwrap() {
        if compile["device"].is_object() {
            compile["device"][name] = value.clone();
        }
    }
}

/// Whether these texts follow one another.
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is not in {rest}: {text}")).1;
    }
}

#[test]
fn device_time_that_changed_by_a_larger_factor_comes_first_with_the_setting_behind_it() {
    let fast = changed(decoder(), |json| {
        run_in(json, 0.2);
        compile_in(json, 1.3);
        set(json, "tf32", &json!(true));
    });
    let done = shown(&decoder().folder, fast.path());
    let verdict = done.stdout.lines().next().unwrap();
    assert!(verdict.starts_with("B takes 80 % less device time per call"), "{verdict}");
    let setting = "Set differently: compile.allow_tf32 (false → true).";
    in_order(
        verdict,
        &[setting, "The largest part, ", " is aten::mm at cg_decoder.py:24", "B compiles ", "slower"],
    );
    // The row is the first of the changes, with both times, and the setting comes before the kernels.
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(
        lines[2].starts_with("Better: Device time of the traced steps per call of compiled code: "),
        "{lines:#?}"
    );
    let at = |start: &str| lines.iter().position(|line| line.starts_with(start)).unwrap();
    assert!(at("Changed: Setting compile.allow_tf32: false → true") < at("Better: Kernel"), "{lines:#?}");
    let json = compared(&decoder().folder, fast.path());
    let (first, setting) = (&json["rows"][0], rows(&json, "setting")[0]);
    assert_eq!((&first["topic"], subject(first)), (&json!("measured"), "Device time of the traced steps"));
    let [a, b] = ["a", "b"].map(|side| first[side]["seconds"].as_f64().unwrap());
    assert!(
        (b / a - 0.2).abs() < 1e-3 && (first["difference_s"].as_f64().unwrap() - (b - a)).abs() < 1e-8,
        "{first}"
    );
    assert_eq!(setting["detail"], "by `torch.set_float32_matmul_precision`");
}

#[test]
fn compile_time_that_changed_by_a_larger_factor_comes_first_unless_a_cache_answered_on_one_side_only() {
    let slow = |json: &mut Value| {
        run_in(json, 1.5);
        compile_in(json, 4.0);
    };
    let slower = changed(decoder(), slow);
    let told = verdict(&decoder().folder, slower.path());
    assert!(told.starts_with("B compiles "), "{told}");
    in_order(&told, &[" slower: ", ". B takes 50 % more device time per call"]);
    // The same times, but A found its code in the cache.
    let warm = changed(decoder(), |json| {
        let lookups = json["caches"].as_array_mut().unwrap();
        assert!(!lookups.is_empty());
        lookups.iter_mut().for_each(|lookup| lookup["outcome"] = json!("hit"));
    });
    let told = verdict(warm.path(), slower.path());
    assert!(told.starts_with("B takes 50 % more device time per call"), "{told}");
    in_order(
        &told,
        &["B compiles ", " slower: ", "cache lookups: hit → miss, under", " of the difference is "],
    );
}

#[test]
fn a_warm_run_is_said_to_be_faster_by_its_cache() {
    let told = verdict(&report("08_cache_miss").folder, &report("08_cache_hit").folder);
    in_order(&told, &["B compiles ", " faster: ", "cache lookups: miss → hit.", " of the difference is "]);
}

#[test]
fn settings_of_compiles_are_named_without_traces_too_and_a_report_that_lacks_one_is_read() {
    let of = |name: &str| report(name).folder.as_path();
    for (name, setting, now, told) in [
        ("34_max_autotune", "max_autotune", json!(false), "compile.max_autotune (true → false)"),
        ("34_cg_many_sizes", "cudagraphs", json!(false), "compile.cudagraphs (true → false)"),
        ("34_cg_many_sizes", "max_autotune", json!(true), "compile.max_autotune (false → true)"),
        ("34_cg_many_sizes", "tf32", json!(true), "compile.allow_tf32 (false → true)"),
    ] {
        let other = changed_report(name, |json| set(json, setting, &now));
        let verdict = verdict(of(name), other.path());
        in_order(&verdict, &["B compiles as fast as A", ". Set differently: ", told, ". No failure"]);
    }
    let old = changed_report("34_max_autotune", |json| {
        for compile in json["compiles"].as_array_mut().unwrap() {
            compile
                .get_mut("device")
                .and_then(Value::as_object_mut)
                .map(|device| device.remove("max_autotune"));
        }
    });
    let json = compared(old.path(), of("34_max_autotune"));
    assert_eq!(subject(rows(&json, "setting")[0]), "Setting `compile.max_autotune`");
}

#[test]
fn images_whose_channels_lie_next_to_each_other_are_told_as_a_layout() {
    let with = |strides: [&'static str; 2]| {
        changed_report("34_cg_many_sizes", move |json| {
            let tensors = json["cross_rank"]["inputs"][0]["tensors"].as_array_mut().unwrap();
            for (tensor, strides) in tensors.iter_mut().zip(strides) {
                (tensor[2], tensor[3]) = (json!("[8,3,224,160]"), json!(strides));
            }
        })
    };
    let (rows_first, channels_last) = ("[107520,35840,160,1]", "[107520,1,480,3]");
    let a = with([rows_first, rows_first]);
    let inputs = |b: &TempDir| {
        let json = compared(a.path(), b.path());
        let row = rows(&json, "inputs")[0].clone();
        (subject(&row).to_owned(), row["detail"].as_str().unwrap().to_owned())
    };
    let (subject, detail) = inputs(&with([channels_last, rows_first]));
    assert!(subject.contains(": 1 of ") && subject.ends_with(" differ in layout alone"), "{subject}");
    assert!(detail.ends_with("[107520,1,480,3], channels last in B"), "{detail}");
    let told = verdict(a.path(), with([channels_last, channels_last]).path());
    in_order(
        &told,
        &[
            "B compiles as fast as A",
            ". Inputs of ",
            ": 2 of ",
            " differ in layout alone, as ",
            "channels last in B",
        ],
    );
    // Another stride is no such layout, and another size is more than a layout.
    let (_, detail) = inputs(&with(["[107520,35840,1,224]", rows_first]));
    assert!(!detail.contains("channels last"), "{detail}");
    let wider = changed_report("34_cg_many_sizes", |json| {
        json["cross_rank"]["inputs"][0]["tensors"][0][2] = json!("[8,3,224,161]");
    });
    assert!(!inputs(&wider).0.contains("in layout alone"));
}

#[test]
fn a_wrapped_module_is_told_at_the_line_that_calls_it_and_no_more_inputs_differ_than_there_are() {
    let json = compared(&report("34_cg_many_sizes").folder, &report("34_dynamic_len").folder);
    let inputs = rows(&json, "inputs");
    assert!(inputs.iter().all(|row| !row["file"].as_str().unwrap().contains("/torch/")), "{inputs:#?}");
    for row in inputs {
        let words: Vec<&str> = subject(row).split(' ').collect();
        let of = words.iter().position(|word| *word == "of" && words.last() == Some(&"differ"));
        let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        assert!(of.is_some() && numbers[0] <= numbers[1], "{words:?}");
    }
}

/// Of what a surface lists as new and as gone, how many there are.
type NewAndGone = [usize; 2];

fn of_json(json: &Value) -> NewAndGone {
    ["new", "gone"]
        .map(|kind| json["rows"].as_array().unwrap().iter().filter(|row| row["kind"] == kind).count())
}

/// The list of the page; what it says where nothing is gone is no entry.
fn of_page(page: &Page) -> NewAndGone {
    let entries: Vec<String> = page.all("#changes li").into_iter().map(text_of).collect();
    let denied = entries.iter().filter(|entry| entry.contains("is missing in B")).count();
    let [new, gone] =
        ["New", "Gone"].map(|kind| entries.iter().filter(|entry| entry.trim().starts_with(kind)).count());
    assert!(denied == 0 || (denied, gone) == (1, 1), "{entries:#?}");
    [new, gone - denied]
}

fn of_markdown(text: &str) -> NewAndGone {
    ["| New |", "| Gone |"].map(|start| text.lines().filter(|line| line.starts_with(start)).count())
}

/// What the verdict says of failures, breaks, recompiles, functions and kernels.
fn of_verdict(verdict: &str) -> NewAndGone {
    let verdict = verdict.replace("above 1 % of the time ", "");
    let words: Vec<&str> = verdict.split([' ', '\u{a0}']).collect();
    let end =
        |states: &[&str]| words.iter().rposition(|word| states.contains(&word.trim_end_matches(['.', ';'])));
    let (new, gone) = (end(&["new"]).unwrap(), end(&["gone"]).unwrap());
    let sum =
        |from: usize, to: usize| words[from..to].iter().filter_map(|word| word.parse::<usize>().ok()).sum();
    let start = words[..new].iter().rposition(|word| word.ends_with('.')).map_or(0, |at| at + 1);
    [sum(start, new), sum(new, gone)]
}

#[test]
fn page_terminal_markdown_and_json_agree_on_what_is_new_and_gone() {
    let without_a_kernel = changed(user_triton(), |json| {
        let kernels = json["performance"]["kernels"].as_array_mut().unwrap();
        kernels.retain(|kernel| !kernel["name"].as_str().unwrap().contains("swiglu_kernel"));
    });
    let of = |name: &str| report(name).folder.as_path();
    let pairs = [
        (user_triton().folder.as_path(), without_a_kernel.path()),
        (&decoder().folder, &user_triton().folder),
        (of("34_cg_many_sizes"), of("34_dynamic_len")),
        (of("03_graph_breaks"), of("04_recompiles")),
        (of("21_torch28_25_guards"), of("25_guards")),
        (of("06_errors"), of("01_inference")),
    ];
    let counted = ["failure", "graph_break", "recompile", "function", "measured"];
    for (a, b) in pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        let json = compared(a, b);
        let done = shown(a, b);
        let read = |name: &str| fs::read_to_string(done.work.path().join("tl_diff").join(name)).unwrap();
        let page = read("diff.html");
        let told = done.stdout.lines().next().unwrap();
        assert_eq!(of_json(&json), of_page(&Page::parse("diff.html", &page)), "page: {told}");
        assert_eq!(of_json(&json), of_markdown(&read("diff.md")), "Markdown: {told}");
        let in_verdict = ["new", "gone"].map(|kind| {
            let rows = json["rows"].as_array().unwrap().iter();
            rows.filter(|row| row["kind"] == kind && counted.contains(&row["topic"].as_str().unwrap()))
                .count()
        });
        assert_eq!(of_verdict(told), in_verdict, "{told}");
        for (kind, label) in [("new", "New: "), ("gone", "Gone: ")] {
            let lines = done.stdout.lines().filter(|line| line.starts_with(label)).count();
            let rows = json["rows"].as_array().unwrap().iter().filter(|row| row["kind"] == kind).count();
            assert!(
                lines <= rows && (lines > 0 || rows == 0 || done.stdout.contains("more differences")),
                "{}",
                done.stdout
            );
        }
    }
}

#[test]
fn a_step_in_most_of_which_the_device_was_idle_is_compared_as_a_whole() {
    let slow = |json: &mut Value| times(&mut json["performance"]["time"]["wall_us"], 8.0);
    let slow_host = changed(decoder(), |json| {
        slow(json);
        set(json, "cudagraphs", &json!(false));
    });
    let done = shown(slow_host.path(), &decoder().folder);
    let lines: Vec<&str> = done.stdout.lines().collect();
    let whole = "B takes 88 % less time per call of compiled code: ";
    assert!(lines[0].starts_with(whole), "{}", lines[0]);
    in_order(
        lines[0],
        &[
            "Idle time of the device is included, and the profiler slows the host.",
            "Set differently: compile.cudagraphs (false → true).",
            "The device is busy for ",
            "B compiles as fast",
        ],
    );
    assert!(
        lines[2].starts_with("Better: Time of the traced steps with the device's idle time"),
        "{lines:#?}"
    );
    // What lies between two steps is in the time of five and not in that of one.
    let other_steps = changed(decoder(), |json| {
        slow(json);
        json["performance"]["trace"]["steps"] = json!(50);
    });
    assert!(!verdict(other_steps.path(), &decoder().folder).contains("idle"));
}
