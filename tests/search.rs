//! The index of `search.html`: what is in it, where its links lead, how large it is, and that a hostile log does no harm.

use crate::support::site::{Facts, read};
use crate::support::{Log, Report, Run, input, report, reports};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The index in the page.
fn index(report: &Report) -> Value {
    let page = report.read("search.html");
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"index\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    assert!(!json.contains('<'), "the index holds markup");
    serde_json::from_str(json).unwrap()
}

/// The facts of one kind: name, what is known, link.
fn group<'i>(index: &'i Value, list: &str, title: &str) -> Vec<[&'i str; 3]> {
    let groups = index[list].as_array().unwrap();
    let rows = groups.iter().find(|group| group[0] == title).map(|group| group[1].as_array().unwrap());
    let text = |value: &'i Value| value.as_str().unwrap();
    rows.into_iter().flatten().map(|row| [text(&row[0]), text(&row[1]), text(&row[2])]).collect()
}

/// The paths of the files, and whether their lines have anchors.
fn files(index: &Value) -> Vec<(String, bool)> {
    let mut folder = "";
    let rows = index["files"].as_array().unwrap().iter().map(|row| {
        folder = row[2].as_str().unwrap_or(folder);
        (format!("{folder}/{}", row[0].as_str().unwrap()), row[1] == 1)
    });
    rows.collect()
}

/// The lines of each text, by the number of its file.
fn texts(index: &Value) -> BTreeMap<usize, Vec<String>> {
    let mut known = vec![String::new()];
    let mut texts: Vec<(usize, Vec<String>)> = Vec::new();
    for entry in index["texts"].as_array().unwrap() {
        let file = entry[0].as_u64().unwrap() as usize;
        let Some(items) = entry[1].as_array() else {
            let same = entry[1].as_u64().unwrap() as usize;
            texts.push((file, texts[same].1.clone()));
            continue;
        };
        let (mut lines, mut last) = (Vec::new(), 0);
        for item in items {
            if let Some(line) = item.as_str() {
                known.push(line.to_owned());
                lines.push(line.to_owned());
                continue;
            }
            let number = item.as_i64().unwrap();
            let run = if number < 0 {
                last + 1..=last + number.unsigned_abs() as usize
            } else {
                number as usize..=number as usize
            };
            last = *run.end();
            lines.extend(run.map(|n| known[n].clone()));
        }
        texts.push((file, lines));
    }
    texts.into_iter().collect()
}

fn plain_findings() -> &'static [Value] {
    report("01_inference").list("findings")
}

#[test]
fn the_index_names_compiles_functions_breaks_recompiles_failures_settings_and_kernels() {
    let breaks = index(report("03_graph_breaks"));
    let compiles = group(&breaks, "groups", "Compilations");
    let ids: Vec<&str> = compiles.iter().map(|fact| fact[0]).collect();
    assert_eq!(ids, report("03_graph_breaks").ids());
    let functions = group(&breaks, "groups", "Functions");
    assert!(functions.iter().any(|fact| fact[0] == "inner_branch"), "{functions:?}");
    assert_eq!(
        group(&breaks, "groups", "Graph breaks").len(),
        report("03_graph_breaks").list("graph_breaks").len()
    );
    let failed = index(report("06_errors"));
    assert!(group(&failed, "groups", "Failures and restarts").len() > 3);
    let recompiled = index(report("04_recompiles"));
    assert!(
        group(&recompiled, "groups", "Recompilations")
            .iter()
            .any(|fact| fact[0].starts_with("x.dtype: ") && fact[0].contains("dtype mismatch"))
    );
    let input = "L['x'] · [3, 4] · [4, 1] · float32 · cpu · no · input · 48";
    let input = [input, "Input tensors · 0/0", "-_0_0_0/compile.html#input-tensors"];
    assert!(group(&recompiled, "groups", "Tables of compilations").contains(&input));
    let symbols = index(report("05_dynamic_shapes"));
    assert!(group(&symbols, "groups", "Tables of compilations").iter().any(|fact| fact[0].contains("s77")));
    let plain = index(report("01_inference"));
    let settings = plain["settings"].as_array().unwrap();
    let names = |value: &Value, of: &str| -> Vec<String> {
        let rows = settings.iter().filter(|row| row[2] == *value && row[0] == of);
        rows.flat_map(|row| row[3].as_array().unwrap())
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    assert!(names(&"false".into(), "Inductor").iter().any(|name| name == "fallback_random"));
    assert!(names(&Value::Null, "Dynamo").iter().any(|name| name == "recompile_limit = 8"));
    assert!(settings.iter().all(|row| row[1].as_str().unwrap().starts_with("configuration.html#")));
    let phases = group(&plain, "groups", "Phases");
    assert!(phases.iter().any(|fact| fact[0] == "compile_file" && fact[2].starts_with("time.html#phase-")));
    let findings = group(&plain, "groups", "Findings");
    assert!(findings.len() >= plain_findings().len(), "{findings:?}");
    assert!(group(&plain, "groups", "Kernels").iter().any(|fact| fact[0].starts_with("cpp_fused")));
}

#[test]
fn kernels_of_libraries_and_operators_of_a_trace_are_found_with_their_time_and_lead_to_their_row() {
    let measured = index(&crate::performance::of_cpu("24_profile"));
    let product = group(&measured, "groups", "Kernels").into_iter().find(|fact| fact[0].ends_with(".addmm"));
    let [_, about, row] = product.unwrap();
    assert!(about.contains("ms") && about.contains("0/0 forward"), "{about}");
    assert!(row.starts_with("kernels.html#kernel-"), "{row}");
    let alone = index(&crate::performance::of_gpu());
    let facts = group(&alone, "groups", "Measured kernels and operators");
    let attention = facts.iter().find(|fact| fact[0].contains("flash_attention")).unwrap();
    assert!(attention[1].contains("2.7\u{a0}ms") || attention[1].contains("2.7 ms"), "{attention:?}");
    assert!(attention[2].starts_with("kernels.html#kernel-"), "{attention:?}");
}

#[test]
fn a_line_of_the_users_file_leads_to_what_happened_there() {
    let index = index(report("03_graph_breaks"));
    let places = group(&index, "groups", "Places in the program");
    let line = places.iter().find(|[name, ..]| *name == "s03_graph_breaks.py:28").unwrap();
    assert!(line[1].contains("torch._dynamo.graph_break()"), "{line:?}");
    assert_eq!(line[2], "source.html#L28");
}

#[test]
fn every_link_of_the_index_leads_to_a_file_and_every_anchor_to_an_element() {
    for (name, report) in reports() {
        let index = index(report);
        let mut facts = Facts::default();
        let groups = index["groups"].as_array().unwrap().iter();
        let rows = groups.flat_map(|group| group[1].as_array().unwrap());
        facts.links.extend(rows.map(|row| row[2].as_str().unwrap().to_owned()));
        let settings = index["settings"].as_array().unwrap().iter();
        facts.links.extend(settings.map(|row| row[1].as_str().unwrap().to_owned()));
        let links: BTreeSet<_> = facts.relative_links("search.html").collect();
        let mut pages: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, anchor) in links {
            assert!(report.has(&path), "{name}: {path}");
            let Some(anchor) = anchor else { continue };
            // Reports of real models have thousands of pages that are made alike.
            if pages.len() > 40 && !pages.contains_key(&path) {
                continue;
            }
            let ids = pages.entry(path.clone()).or_insert_with(|| Facts::of(&report.page(&path)).ids);
            assert!(ids.contains(&anchor), "{name}: {path}#{anchor}");
        }
        for (path, _) in files(&index) {
            assert!(report.has(&path), "{name}: {path}");
        }
    }
}

#[test]
fn indexed_lines_are_those_of_the_file_with_their_numbers() {
    for name in ["01_inference", "09_provenance"] {
        let (report, index) = (report(name), index(report(name)));
        let (files, texts) = (files(&index), texts(&index));
        let mut seen = 0;
        for (file, lines) in texts {
            let (path, anchored) = &files[file];
            if path.ends_with(".txt") {
                let text = report.read(path);
                let trimmed = |line: &str| line.trim().to_owned();
                let wanted: Vec<String> = text.lines().map(trimmed).collect();
                let fits = lines.iter().zip(&wanted).all(|(got, line)| line.starts_with(got.as_str()));
                assert!(fits && lines.len() <= wanted.len(), "{name}: {path}");
                seen += 1;
            } else if *anchored {
                let page = report.page(path);
                let ids = Facts::of(&page).ids;
                assert!(
                    ids.contains(&format!("L{}", lines.len())),
                    "{name}: {path} has no line {}",
                    lines.len()
                );
                seen += 1;
            }
        }
        assert!(seen > 5, "{name}: {seen}");
    }
}

#[test]
fn the_index_takes_at_most_15_percent_of_a_report_and_says_what_it_leaves_out() {
    for (name, report) in reports() {
        let size = |path: &String| std::fs::metadata(report.folder.join(path)).unwrap().len();
        let all: u64 = report.manifest().iter().map(size).sum();
        let page = report.read("search.html");
        let (_, rest) = page.split_once("id=\"index\">").unwrap();
        let index = rest.split_once("</script>").unwrap().0.len() as u64;
        // The frame of an empty index has 100 bytes.
        assert!(index <= all * 15 / 100 + 100, "{name}: {index} of {all}");
    }
    // A text that repeats nothing, larger than its share.
    let mut log = Log::of(input("11_export_clean"));
    let like = log.first("artifact").clone();
    let text: String =
        (0..40_000u32).map(|n| format!("line {:x}\n", n.wrapping_mul(2_654_435_761))).collect();
    let envelope = serde_json::json!({"artifact": {"name": "fx_graph_runnable", "encoding": "string"},
        "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": format!("{:x}", md5::compute(&text))});
    log.records.push(like.like(&envelope.to_string(), Some(text.as_bytes())));
    let report = Run::of_bytes("large.log", &log.bytes()).ok();
    let text = report.page("search.html").text();
    assert!(text.contains("fx_graph_runnable") && text.contains("is left out"), "{text}");
}

#[test]
fn names_and_texts_of_a_hostile_log_stay_data() {
    let mut log = Log::of(input("03_graph_breaks"));
    let script = "</script><script>alert(1)</script><!--";
    for index in log.all("dynamo_start") {
        log.records[index].edit(|envelope| {
            for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
                frame["name"] = script.into();
                frame["loc"] = script.into();
            }
        });
    }
    log.edit("artifact", 2, |envelope| envelope["artifact"]["name"] = script.into());
    let like = log.first("artifact").clone();
    let envelope = serde_json::json!({"artifact": {"name": "x", "encoding": "string"}, "frame_id": 0,
        "frame_compile_id": 0, "attempt": 0, "has_payload": format!("{:x}", md5::compute(script))});
    log.records.push(like.like(&envelope.to_string(), Some(script.as_bytes())));
    let report = Run::of_bytes("hostile.log", &log.bytes()).ok();
    let index = index(&report);
    assert!(texts(&index).values().flatten().any(|line| line == script), "the text is found as it is");
    let page = &read(&report)["search.html"];
    assert!(page.scripts.iter().all(|text| !text.contains("alert(1)")));
}

#[test]
fn a_log_without_records_has_an_empty_index() {
    let report = Run::of_bytes("empty.log", b"").ok();
    assert!(texts(&index(&report)).is_empty());
}
