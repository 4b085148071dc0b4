//! Provenance of logs whose artifacts stand in another order, or name no kernels: torch 2.7 and what came around it.

use crate::support::{Log, Record, Report, Run, input, report, text_of};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn envelope(record: &Record) -> Option<Value> {
    if !record.header.windows(3).any(|bytes| bytes == b"] {") {
        return None;
    }
    serde_json::from_slice(record.envelope()).ok()
}

/// The name of a graph, code, or another artifact of an Inductor run.
fn name_of(envelope: &Value) -> Option<&str> {
    let named = envelope["artifact"]["name"].as_str().or(envelope["graph_dump"]["name"].as_str());
    let keys = ["inductor_post_grad_graph", "inductor_output_code"];
    named.or(keys.into_iter().find(|key| !envelope[*key].is_null()))
}

fn is_graph(name: &str) -> bool {
    name.ends_with("post_grad_graph")
}

fn is_code(name: &str) -> bool {
    name == "inductor_output_code" || name.starts_with("inductor_aot_")
}

fn of_a_run(name: &str) -> bool {
    let also =
        ["fx_graph_runnable", "inductor_post_to_pre_grad_nodes", "inductor_triton_kernel_to_post_grad_nodes"];
    is_graph(name)
        || is_code(name)
        || also.contains(&name)
        || name.starts_with("inductor_provenance_tracking_")
        || name.starts_with("fx_graph_cache_")
}

/// The places of what each Inductor run wrote. As torch writes it, a run begins with `fx_graph_runnable`.
fn runs_of(log: &Log) -> Vec<Vec<(usize, String)>> {
    let mut runs: BTreeMap<String, Vec<Vec<(usize, String)>>> = BTreeMap::new();
    for (at, record) in log.records.iter().enumerate() {
        let Some(envelope) = envelope(record) else { continue };
        let Some(name) = name_of(&envelope).filter(|name| of_a_run(name)) else { continue };
        let compile = format!("{} {}", envelope["frame_id"], envelope["frame_compile_id"]);
        let runs = runs.entry(compile).or_default();
        if name == "fx_graph_runnable" {
            runs.push(Vec::new());
        }
        runs.last_mut().unwrap().push((at, name.to_owned()));
    }
    runs.into_values().flatten().collect()
}

/// Where a record comes, given its place in the log and its name.
type Order<'o> = &'o dyn Fn(usize, &str) -> usize;

/// The log with the records of each run in another order.
fn reordered(log: &Log, place: Order<'_>) -> Log {
    let mut changed = log.clone();
    for run in runs_of(log) {
        let mut order: Vec<&(usize, String)> = run.iter().collect();
        order.sort_by_key(|(at, name)| place(*at, name));
        for ((slot, _), (from, _)) in run.iter().zip(order) {
            changed.records[*slot] = log.records[*from].clone();
        }
    }
    changed
}

fn all_maps(report: &Report) -> BTreeMap<String, Value> {
    let names = report.manifest();
    let maps =
        names.iter().filter(|name| name.starts_with("provenance_tracking_") && name.ends_with(".json"));
    maps.map(|name| (name.clone(), report.json_file(name))).collect()
}

#[test]
fn the_order_of_artifacts_changes_no_map_as_long_as_graphs_come_before_code() {
    for name in ["21_torch27_09_provenance", "21_torch27_10_aoti", "09_provenance", "10_aoti"] {
        let log = Log::of(input(name));
        let expected = all_maps(report(name));
        assert!(!expected.is_empty(), "{name}");
        let orders: [(&str, Order<'_>); 4] = [
            ("provenance first", &|_, name| match name {
                _ if is_graph(name) => 1,
                _ if is_code(name) => 2,
                _ => 0,
            }),
            ("provenance last", &|_, name| match name {
                _ if is_graph(name) => 0,
                _ if is_code(name) => 1,
                _ => 2,
            }),
            ("provenance between graphs and code, backwards", &|at, name| match name {
                _ if is_graph(name) => 0,
                _ if is_code(name) => 1_000_000,
                _ => 1_000_000 - at,
            }),
            ("caches first, the program last", &|_, name| match name {
                "fx_graph_runnable" => 4,
                _ if name.starts_with("fx_graph_cache_") => 0,
                _ if is_graph(name) => 1,
                _ if is_code(name) => 3,
                _ => 2,
            }),
        ];
        for (words, order) in orders {
            let changed = reordered(&log, order);
            let report = Run::of_bytes("as_written.log", &changed.bytes()).ok();
            assert_eq!(all_maps(&report), expected, "{name}: {words}");
        }
    }
}

#[test]
fn a_log_of_torch_2_7_has_one_run_for_each_graph_and_no_empty_map() {
    let pages = |name: &str| -> Vec<String> {
        let pages = report(name).pages().into_iter();
        pages.filter_map(|page| page.strip_prefix("provenance_tracking_").map(str::to_owned)).collect()
    };
    let jit = pages("21_torch27_09_provenance");
    assert_eq!(jit, ["-_0_0_0.html", "-_0_1_0.html", "-_0_1_0_2.html", "-_1_0_0.html"]);
    assert_eq!(pages("21_torch27_10_aoti"), ["-_0_0_0.html"]);
    for (name, forth, back) in [
        ("21_torch27_09_provenance", "pyCodeToPost", "postToPyCode"),
        ("21_torch27_10_aoti", "cppCodeToPost", "postToCppCode"),
    ] {
        for (file, maps) in all_maps(report(name)) {
            for key in ["preToPost", "postToPre", forth, back] {
                assert!(!maps[key].as_object().unwrap().is_empty(), "{name}: {file}: {key}");
            }
            let kernels = &maps["coverage"]["kernels"];
            assert_eq!(kernels[0], kernels[1], "{name}: {file}");
            let page = report(name).page(&file.replace(".json", ".html"));
            let about = text_of(page.one(".hero"));
            assert!(about.contains("names no kernel") && about.contains("derived from"), "{about}");
            assert!(!about.contains("missing") && !about.contains("is empty"), "{about}");
        }
    }
    let index = report("21_torch27_09_provenance").page("index.html");
    let first = index.all("a[href^=provenance_tracking_]");
    assert_eq!(first[0].value().attr("href"), Some("provenance_tracking_-_0_0_0.html"));
}

/// Lines of code to lines of the post-grad graph.
fn links(maps: &Value, key: &str) -> BTreeMap<u64, Vec<u64>> {
    let lines = |value: &Value| value.as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
    maps[key].as_object().unwrap().iter().map(|(line, to)| (line.parse().unwrap(), lines(to))).collect()
}

#[test]
fn calls_of_a_log_of_torch_2_7_lead_to_the_nodes_that_a_reader_finds() {
    // Read by hand from graph and code of 0/0.
    let maps = report("21_torch27_09_provenance").json_file("provenance_tracking_-_0_0_0.json");
    let expected: BTreeMap<u64, Vec<u64>> = [
        (315, vec![5]),                                            // addmm of fc1
        (321, vec![6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]), // layer norm and gelu
        (327, vec![23]),                                           // addmm of fc2
        (332, vec![27]),                                           // the convolution
        (339, vec![28, 31, 32, 33, 34, 35, 38, 39]),               // amax, softmax, sigmoid and their product
        (343, vec![40]),                                           // cumsum
        (350, vec![41, 42, 43]),                                   // std and the sum
    ]
    .into();
    assert_eq!(links(&maps, "pyCodeToPost"), expected);
    // The same for the C++ wrapper of AOTInductor.
    let maps = report("21_torch27_10_aoti").json_file("provenance_tracking_-_0_0_0.json");
    let expected: BTreeMap<u64, Vec<u64>> =
        [(577, vec![14]), (590, vec![15, 18, 19]), (599, vec![23]), (607, vec![24, 25, 26, 27, 28, 29])]
            .into();
    assert_eq!(links(&maps, "cppCodeToPost"), expected);
}

/// All links of a map as pairs.
fn pairs(maps: &Value, key: &str) -> BTreeSet<(u64, u64)> {
    links(maps, key).into_iter().flat_map(|(from, to)| to.into_iter().map(move |to| (from, to))).collect()
}

#[test]
fn the_derived_map_of_kernels_agrees_with_torchs_map() {
    let (mut told, mut found, mut wrong) = (0, 0, 0);
    for (name, key) in [("09_provenance", "pyCodeToPost"), ("10_aoti", "cppCodeToPost")] {
        let mut log = Log::of(input(name));
        for record in &mut log.records {
            let Some(envelope) = envelope(record) else { continue };
            if envelope["artifact"]["name"] == "inductor_provenance_tracking_node_mappings" {
                let mut map: Value = serde_json::from_slice(&record.text()).unwrap();
                map["cppCodeToPost"] = json!({});
                map["postToCppCode"] = json!({});
                record.set_payload(map.to_string().as_bytes());
            }
        }
        let without = all_maps(&Run::of_bytes("as_written.log", &log.bytes()).ok());
        for (file, maps) in all_maps(report(name)) {
            if maps["preToPost"].as_object().unwrap().is_empty() {
                // A late backward has no map in either.
                continue;
            }
            let (theirs, ours) = (pairs(&maps, key), pairs(&without[&file], key));
            told += theirs.len();
            found += theirs.intersection(&ours).count();
            wrong += ours.difference(&theirs).count();
        }
    }
    assert_eq!((told, found, wrong), (89, 86, 1), "links of torch, those found again, and others");
}

#[test]
fn a_line_leads_to_each_kernel_that_its_nodes_became() {
    let page = report("14_llama_infer").page("kernels.html");
    let lines: Vec<String> = page.all("#lines-table tbody tr").into_iter().map(text_of).collect();
    let silu = lines.iter().find(|line| line.contains("nn.functional.silu(input)")).unwrap();
    assert!(silu.contains("_unsafe_view_mul_silu_6") && silu.contains("mm"), "{silu}");
    let norm = lines.iter().find(|line| line.contains("hidden_states.pow(2).mean(-1")).unwrap();
    assert!(norm.contains("add_embedding_mean_mul_pow_rsqrt_0"), "{norm}");
}

#[test]
fn the_cpp_wrapper_has_a_highlighted_page_also_where_provenance_is_recorded() {
    for name in ["10_aoti", "21_torch27_10_aoti"] {
        let pages = report(name).pages();
        for part in ["inductor_aot_wrapper_code_", "inductor_aot_kernel_code_"] {
            let page = pages.iter().find(|page| page.contains(part) && page.ends_with("_readable.html"));
            let page = report(name).page(page.unwrap_or_else(|| panic!("{name} has no page of {part}")));
            assert!(page.all("ol li, .code span").len() > 50, "{name}: {part} is highlighted");
        }
    }
}
