//! Pages of provenance: their maps against what torch's artifacts name, read from the log by code of its own.

use crate::support::{Log, Page, Record, Report, Run, input, inputs, report, source, text_of};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the log has of one Inductor run.
#[derive(Default, Clone)]
struct LoggedRun {
    pre: String,
    post: String,
    code: String,
    cpp: bool,
    map: Option<Value>,
}

/// `-_0_1_0` of a record.
fn folder(envelope: &Value) -> String {
    let part = |key: &str| envelope[key].as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
    let attempt = if envelope["frame_id"].is_null() {
        "-".to_owned()
    } else {
        envelope["attempt"].as_u64().unwrap_or(0).to_string()
    };
    format!("-_{}_{}_{attempt}", part("frame_id"), part("frame_compile_id"))
}

/// The runs of each folder: one begins with each `fx_graph_runnable`.
fn runs_of(log: &Log) -> BTreeMap<String, Vec<LoggedRun>> {
    let mut found: BTreeMap<String, Vec<LoggedRun>> = BTreeMap::new();
    let mut pre: BTreeMap<String, String> = BTreeMap::new();
    for record in &log.records {
        let Some(envelope) = envelope(record) else { continue };
        let (folder, text) = (folder(&envelope), String::from_utf8(record.text()).unwrap_or_default());
        let name = envelope["artifact"]["name"].as_str().or(envelope["graph_dump"]["name"].as_str());
        let runs = found.entry(folder.clone()).or_default();
        match name.unwrap_or_default() {
            "before_pre_grad_graph" => drop(pre.insert(folder, text)),
            "fx_graph_runnable" => {
                runs.push(LoggedRun {
                    pre: pre.get(&folder).cloned().unwrap_or_default(),
                    ..LoggedRun::default()
                });
            }
            "inductor_post_grad_graph" | "after_post_grad_graph" => runs.last_mut().unwrap().post = text,
            "inductor_aot_wrapper_code" => {
                let run = runs.last_mut().unwrap();
                (run.code, run.cpp) = (text, true);
            }
            "inductor_provenance_tracking_node_mappings" if !text.is_empty() => {
                runs.last_mut().unwrap().map = Some(serde_json::from_str(&text).unwrap());
            }
            _ if !envelope["inductor_output_code"].is_null() => runs.last_mut().unwrap().code = text,
            _ => {}
        }
    }
    found.retain(|_, runs| runs.iter().any(|run| !run.code.is_empty()));
    found
}

fn envelope(record: &Record) -> Option<Value> {
    if !record.header.windows(3).any(|bytes| bytes == b"] {") {
        return None;
    }
    serde_json::from_slice(record.envelope()).ok()
}

/// Lines that define a node: a statement, or the signature.
fn lines_of(graph: &str, name: &str) -> BTreeSet<u64> {
    let name = regex::escape(name);
    let statement =
        Regex::new(&format!(r"^\s*{name}(: | = )|^\s*(\w+, )*{name}, (\w+, )*= fx_pytree")).unwrap();
    let parameter = Regex::new(&format!(r"def forward\(.*[ (]{name}(: |,|\))")).unwrap();
    let lines = (1..).zip(graph.split('\n'));
    lines.filter(|(_, line)| statement.is_match(line) || parameter.is_match(line)).map(|(n, _)| n).collect()
}

/// Calls with a handle above them: the handle, and the line that calls the kernel.
fn calls_of(code: &str) -> Vec<(String, u64)> {
    let comment = Regex::new(r"\[Provenance debug handles\] (.+):(\d+)$").unwrap();
    let lines: Vec<&str> = code.split('\n').collect();
    let mut calls = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(found) = comment.captures(line) else { continue };
        let name = Regex::new(&format!(r"(^|[^\w]|\bcall_){}(\.run)?\(", regex::escape(&found[1]))).unwrap();
        let call =
            lines[at + 1..].iter().position(|line| name.is_match(line)).expect("a handle without call");
        calls.push((format!("{}:{}", &found[1], &found[2]), (at + call + 2) as u64));
    }
    calls
}

fn names(map: &Value, key: &str, name: &str) -> Vec<String> {
    let list = map[key][name].as_array();
    list.into_iter().flatten().map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn lines(map: &Value, key: &str, line: u64) -> BTreeSet<u64> {
    let list = map[key][line.to_string()].as_array();
    list.into_iter().flatten().map(|line| line.as_u64().unwrap()).collect()
}

/// The file of maps of the nth run (from 0) of a folder.
fn maps(report: &Report, folder: &str, n: usize) -> Value {
    let number = if n == 0 { String::new() } else { format!("_{}", n + 1) };
    assert!(report.has(&format!("provenance_tracking_{folder}{number}.html")), "{folder}{number}");
    report.json_file(&format!("provenance_tracking_{folder}{number}.json"))
}

/// Compares the maps of a run with what the log says; gives how many calls were compared.
fn check(at: &str, run: &LoggedRun, ours: &Value) -> usize {
    let Some(map) = &run.map else { return 0 };
    let (forth, back) =
        if run.cpp { ("cppCodeToPost", "postToCppCode") } else { ("pyCodeToPost", "postToPyCode") };
    let calls = calls_of(&run.code);
    let mut seen = BTreeSet::new();
    for (handle, line) in &calls {
        let nodes = names(map, "cppCodeToPost", handle);
        let post: BTreeSet<u64> = nodes.iter().flat_map(|name| lines_of(&run.post, name)).collect();
        assert_eq!(lines(ours, forth, *line), post, "{at}: {handle} in line {line}");
        let pre: BTreeSet<u64> = nodes
            .iter()
            .flat_map(|name| names(map, "postToPre", name))
            .flat_map(|name| lines_of(&run.pre, &name))
            .collect();
        let through: BTreeSet<u64> = post.iter().flat_map(|line| lines(ours, "postToPre", *line)).collect();
        assert_eq!(through, pre, "{at}: {handle} in line {line}, before AOTAutograd");
        for node in post {
            assert!(
                lines(ours, back, node).contains(line),
                "{at}: {handle} is not found from node line {node}"
            );
        }
        seen.extend((!nodes.is_empty()).then_some(*line));
    }
    let mapped: BTreeSet<u64> = ours[forth].as_object().unwrap().keys().map(|k| k.parse().unwrap()).collect();
    assert_eq!(mapped, seen, "{at}: lines that call nothing lead somewhere");
    for (ours_key, theirs) in
        [("preToPost", "preToPost"), ("postToPre", "postToPre"), (forth, "cppCodeToPost")]
    {
        let named = map[theirs].as_object().is_some_and(|map| !map.is_empty());
        assert_eq!(ours[ours_key].as_object().unwrap().is_empty(), !named, "{at}: {ours_key}");
    }
    for (name, others) in map["preToPost"].as_object().into_iter().flatten() {
        let post: BTreeSet<u64> = others
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|o| lines_of(&run.post, o.as_str().unwrap()))
            .collect();
        for line in lines_of(&run.pre, name) {
            assert!(lines(ours, "preToPost", line).is_superset(&post), "{at}: {name} in line {line}");
        }
    }
    calls.len()
}

/// Checks all runs of a log; gives how many calls were compared.
fn check_log(name: &str, log: &Log, report: &Report) -> usize {
    let mut compared = 0;
    for (folder, runs) in runs_of(log) {
        // The map of a late backward names no kernel; what these compute is worked out.
        let named = |run: &LoggedRun| run.map.as_ref().is_some_and(|map| !map["cppCodeToPost"].is_null());
        for (n, run) in runs.iter().enumerate().filter(|(_, run)| named(run)) {
            compared += check(&format!("{name}: {folder} run {n}"), run, &maps(report, &folder, n));
        }
    }
    compared
}

#[test]
fn each_call_with_a_handle_leads_to_the_nodes_that_the_mapping_names_and_they_lead_back() {
    for (name, calls) in [("09_provenance", 19), ("09_provenance_reset", 19), ("10_aoti", 4)] {
        assert_eq!(check_log(name, &Log::of(input(name)), report(name)), calls, "{name}");
    }
}

#[test]
fn every_run_has_its_own_page_named_by_its_index() {
    let all = |name: &str| -> Vec<String> {
        let pages = report(name).pages().into_iter();
        pages.filter_map(|page| page.strip_prefix("provenance_tracking_").map(str::to_owned)).collect()
    };
    assert_eq!(all("09_provenance"), ["-_0_0_0.html", "-_0_1_0.html", "-_0_1_0_2.html", "-_1_0_0.html"]);
    assert_eq!(
        all("09_provenance_reset"),
        ["-_0_0_0.html", "-_0_0_0_2.html", "-_0_0_0_3.html", "-_0_0_0_4.html"]
    );
    assert_eq!(all("10_aoti"), ["-_-_-_-.html"]);
    assert!(all("21_torch28_09_provenance").is_empty());
    let headings: Vec<String> = ["", "_2", "_3", "_4"]
        .iter()
        .map(|n| {
            shown(&report("09_provenance_reset").page(&format!("provenance_tracking_-_0_0_0{n}.html")), "h1")
        })
        .collect();
    for (heading, direction) in headings.iter().zip(["inference", "forward", "backward", "inference"]) {
        assert!(heading.contains(&format!("the {direction} graph of")), "{heading}");
    }
}

#[test]
fn a_late_backward_shows_its_kernels_and_source_lines() {
    let report = report("09_provenance");
    let page = report.page("provenance_tracking_-_0_1_0_2.html");
    assert!(
        shown(&page, "h1").contains("9 of 9 kernels and 53 of 63 nodes of the backward graph"),
        "{}",
        shown(&page, "h1")
    );
    assert!(shown(&page, ".hero").contains("compiled at its first call"));
    let maps = report.json_file("provenance_tracking_-_0_1_0_2.json");
    assert_eq!(maps["coverage"], serde_json::json!({"kernels": [9, 9], "nodes": [53, 63]}));
    assert!(shown(&page, ".hero").contains("the nodes of each kernel are derived"));
    let lines: Vec<u64> =
        maps["source"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [19, 20, 21, 22, 23]);
    let last = &maps["source"][4];
    assert_eq!(last["code"], "return (s * y.sigmoid()).cumsum(-1) + x.std(dim=-1, keepdim=True)");
    assert!(last["kernels"].as_array().unwrap().contains(&"cpp_fused_flip_0:1".into()), "{last}");
}

#[test]
fn the_lines_of_an_eager_backward_are_its_own_though_its_map_names_the_forward_too() {
    // As torch writes it when the backward is compiled with the forward: one count of handles, one growing map.
    let mut log = Log::of(input("09_provenance"));
    let maps = artifacts(&log, "inductor_provenance_tracking_node_mappings");
    let forward: Value = serde_json::from_slice(&log.records[maps[1]].text()).unwrap();
    let mut both = forward.clone();
    both["cppCodeToPost"]["extern_kernels.mm:15"] = serde_json::json!(["mm_1"]);
    both["postToCppCode"]["mm_1"] = serde_json::json!(["extern_kernels.mm:15"]);
    both["cppCodeToPost"]["cpp_fused_flip_0:8"] = serde_json::json!(["rev"]);
    both["postToCppCode"]["rev"] = serde_json::json!(["cpp_fused_flip_0:8"]);
    log.records[maps[2]].set_payload(both.to_string().as_bytes());
    let code = log.all("inductor_output_code")[2];
    let text = String::from_utf8(log.records[code].text()).unwrap();
    let handle = Regex::new(r"(debug handles\] .+:)(\d+)").unwrap();
    let renumbered = handle.replace_all(&text, |found: &regex::Captures<'_>| {
        format!("{}{}", &found[1], found[2].parse::<u32>().unwrap() + 7)
    });
    log.records[code].set_payload(renumbered.as_bytes());
    let report = Run::of_bytes("eager.log", &log.bytes()).ok();
    let ours = report.json_file("provenance_tracking_-_0_1_0_2.json");
    let run = &runs_of(&log)["-_0_1_0"][1];
    let calls = calls_of(&run.code);
    let line = |handle: &str| calls.iter().find(|call| call.0 == handle).unwrap().1;
    let expected: BTreeSet<u64> = [line("cpp_fused_flip_0:8"), line("extern_kernels.mm:15")].into();
    let mapped: BTreeSet<u64> =
        ours["pyCodeToPost"].as_object().unwrap().keys().map(|line| line.parse().unwrap()).collect();
    assert_eq!(mapped, expected);
    assert_eq!(lines(&ours, "pyCodeToPost", line("extern_kernels.mm:15")), lines_of(&run.post, "mm_1"));
}

#[test]
fn without_handles_a_name_means_each_call_of_the_kernel_and_not_its_definition() {
    let mut log = Log::of(input("09_provenance"));
    let strip = Regex::new(r#":\d+""#).unwrap();
    for at in artifacts(&log, "inductor_provenance_tracking_node_mappings") {
        let mut map: Value = serde_json::from_slice(&log.records[at].text()).unwrap();
        map.as_object_mut().unwrap().remove("version");
        // What is merged under one name: the nodes of all its calls.
        let mut merged: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (handle, nodes) in map["cppCodeToPost"].as_object().into_iter().flatten() {
            let (name, _) = handle.rsplit_once(':').unwrap();
            merged.entry(name.to_owned()).or_default().extend(nodes.as_array().unwrap().iter().cloned());
        }
        let inverse = strip.replace_all(&map["postToCppCode"].to_string(), "\"").into_owned();
        map["postToCppCode"] = serde_json::from_str(&inverse).unwrap();
        map["cppCodeToPost"] = serde_json::to_value(merged).unwrap();
        log.records[at].set_payload(map.to_string().as_bytes());
    }
    for at in log.all("inductor_output_code") {
        let text = String::from_utf8(log.records[at].text()).unwrap();
        let kept: Vec<&str> =
            text.split('\n').filter(|line| !line.contains("[Provenance debug handles]")).collect();
        log.records[at].set_payload(kept.join("\n").as_bytes());
    }
    let report = Run::of_bytes("old.log", &log.bytes()).ok();
    let ours = report.json_file("provenance_tracking_-_0_0_0.json");
    let run = &runs_of(&log)["-_0_0_0"][0];
    let call = Regex::new(r"^        (\w+ = )?(extern_kernels|torch\.ops|cpp_fused)[\w.]*\(").unwrap();
    let calls: Vec<u64> =
        (1..).zip(run.code.split('\n')).filter(|(_, line)| call.is_match(line)).map(|(n, _)| n).collect();
    let mapped: Vec<u64> =
        (1..2_000).filter(|line| !lines(&ours, "pyCodeToPost", *line).is_empty()).collect();
    assert_eq!(mapped, calls);
    assert_eq!(calls.len(), 7);
    let both: BTreeSet<u64> =
        ["addmm", "addmm_1"].iter().flat_map(|name| lines_of(&run.post, name)).collect();
    assert_eq!(lines(&ours, "pyCodeToPost", calls[0]), both, "both calls share a name");
}

/// The text of the first element that fits.
fn shown(page: &Page, css: &str) -> String {
    page.all(css).first().map(|element| text_of(*element)).unwrap_or_default()
}

/// The texts of all elements that fit.
fn rows_of(page: &Page, css: &str) -> Vec<String> {
    page.all(css).into_iter().map(text_of).collect()
}

/// Records of an artifact, in log order.
fn artifacts(log: &Log, name: &str) -> Vec<usize> {
    let of = |at: &usize| envelope(&log.records[*at]).is_some_and(|e| e["artifact"]["name"] == name);
    log.all("artifact").into_iter().filter(of).collect()
}

#[test]
fn the_flag_adds_pages_for_compiles_without_data_that_say_so() {
    for name in ["08_cache_hit", "21_torch28_09_provenance", "11_export_clean"] {
        let report = Run::of(&input(name).path).args(["-i"]).ok();
        let folders: Vec<String> = report
            .list("compiles")
            .iter()
            .flat_map(|compile| compile["attempts"].as_array().unwrap().iter().map(|a| folder_of(compile, a)))
            .collect();
        for folder in &folders {
            let path = format!("provenance_tracking_{folder}.html");
            let text = shown(&report.page(&path), "main");
            let says =
                ["node map of this run is empty", "node map of this run is missing", "No Inductor run"];
            assert!(says.iter().any(|words| text.contains(words)), "{name}: {path}: {text:.300}");
        }
    }
    assert!(!report("08_cache_hit").pages().iter().any(|page| page.starts_with("provenance_")));
}

/// `-_0_1_0` of an attempt in report.json.
fn folder_of(compile: &Value, attempt: &Value) -> String {
    let number = attempt["number"].as_u64().or(attempt.as_u64()).unwrap_or(0);
    match compile["id"].as_str().map(|id| id.split('/').collect::<Vec<_>>()).as_deref() {
        Some([frame, count]) => format!("-_{frame}_{count}_{number}"),
        _ => "-_-_-_-".to_owned(),
    }
}

#[test]
fn pages_of_provenance_are_linked_from_the_landing_page_the_directory_and_the_compile() {
    let report = report("09_provenance");
    let index = report.page("index.html");
    let links = |page: &Page| -> Vec<String> {
        page.all("a[href]").iter().filter_map(|a| a.value().attr("href")).map(str::to_owned).collect()
    };
    let found = links(&index);
    for page in ["provenance_tracking_-_0_0_0.html", "provenance_tracking_-_0_1_0_2.html", "kernels.html"] {
        assert!(found.iter().any(|link| link == page), "{page}");
    }
    let found = links(&report.page("-_0_1_0/compile.html"));
    for page in ["../provenance_tracking_-_0_1_0.html", "../provenance_tracking_-_0_1_0_2.html"] {
        assert!(found.iter().any(|link| link == page), "{page}");
    }
    let found = links(&report.page("provenance_tracking_-_0_1_0.html"));
    assert!(found.iter().any(|link| link == "provenance_tracking_-_0_1_0_2.html"));
    assert!(found.iter().any(|link| link == "-_0_1_0/compile.html"));
}

#[test]
fn a_mapping_that_makes_no_sense_costs_its_links_and_nothing_else() {
    let log = Log::of(input("09_provenance"));
    let at = artifacts(&log, "inductor_provenance_tracking_node_mappings")[0];
    for text in [
        "[not json",
        "[1, 2]",
        r#"{"preToPost": {"a": "b", "linear": ["addmm", 7]}, "cppCodeToPost": [["x"]], "version": "2"}"#,
        r#"{"preToPost": {"": ["", "</script>"]}, "postToPre": {"addmm": ["no such node"]}, "cppCodeToPost": {":": ["addmm"]}, "version": 2.0}"#,
    ] {
        let mut log = log.clone();
        log.records[at].set_payload(text.as_bytes());
        let report = Run::of_bytes("odd.log", &log.bytes()).ok();
        let maps = report.json_file("provenance_tracking_-_0_0_0.json");
        // Kernels that the mapping names are nowhere; where it names none, their nodes are worked out.
        let links = maps["pyCodeToPost"].as_object().unwrap().len();
        assert_eq!(links, if text.contains(r#"{":":"#) { 0 } else { 7 }, "{text}");
        assert_eq!(maps["coverage"]["kernels"], serde_json::json!([7, 7]), "stacks are known: {text}");
        assert_eq!(
            report.json_file("provenance_tracking_-_1_0_0.json")["coverage"]["nodes"],
            serde_json::json!([17, 19])
        );
    }
}

/// Handles and nodes of a mapping in which each handle means each node.
const MANY: usize = 3_000;

#[test]
fn a_mapping_that_would_explode_is_cut_and_the_page_says_so() {
    let mut log = Log::of(input("09_provenance"));
    let names: Vec<String> = (0..MANY).map(|n| format!("n{n}")).collect();
    let map =
        serde_json::json!({"cppCodeToPost": {"k:1": names}, "preToPost": {"linear": names}, "version": 2.0});
    let at = artifacts(&log, "inductor_provenance_tracking_node_mappings")[0];
    log.records[at].set_payload(map.to_string().as_bytes());
    let at = artifacts(&log, "inductor_post_grad_graph")[0];
    let nodes: String = names.iter().map(|name| format!("        {name} = torch.x()\n")).collect();
    log.records[at]
        .set_payload(format!("class G(torch.nn.Module):\n    def forward(self):\n{nodes}").as_bytes());
    let at = log.nth("inductor_output_code", 0);
    let calls = "    # [Provenance debug handles] k:1\n    k(x)\n".repeat(MANY);
    log.records[at].set_payload(format!("# AOT ID: ['0_inference']\ndef call(args):\n{calls}").as_bytes());
    let report = Run::of_bytes("many.log", &log.bytes()).ok();
    let maps = report.json_file("provenance_tracking_-_0_0_0.json");
    let links: usize =
        maps["pyCodeToPost"].as_object().unwrap().values().map(|lines| lines.as_array().unwrap().len()).sum();
    assert!(links > MANY && links <= 500_000, "{links} of {}", MANY * MANY);
    assert_eq!(lines(&maps, "preToPost", 14).len(), MANY);
    let text = shown(&report.page("provenance_tracking_-_0_0_0.html"), ".hero");
    assert!(text.contains("more links than a page can hold"), "{text}");
}

#[test]
fn the_page_of_kernels_shows_what_each_line_became() {
    let page = report("09_provenance").page("kernels.html");
    assert!(
        shown(&page, "h1").contains("called at 28\u{a0}places: 11 from libraries, 13 generated in C++"),
        "{}",
        shown(&page, "h1")
    );
    assert_eq!(page.all("#kernels-table tbody tr").len(), 24);
    assert_eq!(page.all("#lines-table tbody tr").len(), 9);
    let row = rows_of(&page, "#kernels-table tbody tr")
        .into_iter()
        .find(|row| row.contains("gelu_native_layer_norm_0"));
    let row = row.unwrap();
    assert!(row.contains("inference") && row.contains("s09_provenance.py:19") && row.contains("12"), "{row}");
}

#[test]
fn without_provenance_the_page_of_kernels_uses_comments_and_says_so() {
    let page = report("14_llama_infer").page("kernels.html");
    let about = shown(&page, ".hero");
    assert!(
        about.contains("18\u{a0}kernels in 1\u{a0}graph") && about.contains("INDUCTOR_PROVENANCE=1"),
        "{about}"
    );
    let row = rows_of(&page, "#kernels-table tbody tr")
        .into_iter()
        .find(|row| row.contains("cumsum.default"))
        .unwrap();
    assert!(row.contains("masking_utils.py:772"), "{row}");
}

#[test]
fn each_call_of_a_kernel_has_its_own_nodes_also_without_provenance() {
    let report = Run::of(source("tests/profiles/34_cg_decoder")).args(["-i", "-p"]).ok();
    let map = maps(&report, "-_0_0_0", 0);
    let linked = |line: &u64| lines(&map, "pyCodeToPost", *line);
    let is_code = |path: &&String| path.contains("inductor_output_code");
    let manifest = report.manifest();
    let code = report.read(manifest.iter().find(is_code).unwrap());
    let calls = (1..).zip(code.lines()).filter(|(_, line)| line.contains("silu_2.run("));
    let calls: Vec<BTreeSet<u64>> = calls.map(|(line, _)| linked(&line)).collect();
    let [first, second] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((first.len(), second.len()), (7, 7));
    // The second layer follows the first.
    assert!(first.last() < second.first(), "{calls:?}");
}

#[test]
fn the_only_kernel_of_a_graph_has_all_its_lines_also_without_provenance() {
    let page = report("01_inference").page("kernels.html");
    let rows = rows_of(&page, "#kernels-table tbody tr");
    assert_eq!(rows.len(), 1);
    let lines = rows_of(&page, "#lines-table tbody tr");
    assert!(
        !lines.is_empty() && lines.iter().all(|line| line.contains("abs_add_cos_div_mul_relu_sin_sub_sum_0"))
    );
    assert!(rows[0].contains("s01_inference.py:"), "{}", rows[0]);
}

#[test]
fn kernels_of_triton_show_how_they_were_tuned() {
    let mut log = Log::of(input("09_provenance"));
    let at = artifacts(&log, "inductor_provenance_tracking_node_mappings")[0];
    let info = r#"{"cpp_fused_add_std_2": {"autotune_cache_state": "miss", "num_configs": 2, "best_config": {"XBLOCK": 128}, "compile_time_us": 281016}}"#;
    let frame = r#""frame_id": 0, "frame_compile_id": 0, "attempt": 0"#;
    let envelope = |name: &str| {
        format!(r#"{{"artifact": {{"name": "{name}", "encoding": "json"}}, {frame}, "has_payload": ""}}"#)
    };
    let record = log.records[at].like(&envelope("triton_kernel_info"), Some(info.as_bytes()));
    let meta = r#"{"ops": [{"name": "extern_kernels.addmm", "type": "compute", "estimated_runtime_ns": 1500.0, "outputs": []}, {"name": "extern_kernels.addmm", "estimated_runtime_ns": 500}]}"#;
    let estimates =
        log.records[at].like(&envelope("inductor_runtime_and_tensor_meta"), Some(meta.as_bytes()));
    log.records.insert(at + 1, estimates);
    log.records.insert(at + 1, record);
    let page = Run::of_bytes("gpu.log", &log.bytes()).ok().page("kernels.html");
    let rows = rows_of(&page, "#kernels-table tbody tr");
    let row = |name: &str| rows.iter().find(|row| row.contains(name)).unwrap();
    let tuned = row("cpp_fused_add_std_2");
    for words in ["tuned at the first call, not in the cache", "128", "281\u{a0}ms"] {
        assert!(tuned.contains(words), "{tuned}");
    }
    assert!(row("extern_kernels.addmm").contains("2\u{a0}us"), "{}", row("extern_kernels.addmm"));
}

#[test]
fn no_log_has_a_mapping_with_data_and_no_page() {
    for input in inputs() {
        let log = Log::of(input);
        let data = artifacts(&log, "inductor_provenance_tracking_node_mappings")
            .iter()
            .any(|at| String::from_utf8_lossy(&log.records[*at].text()).contains('['));
        let page = report(&input.name).pages().iter().any(|page| page.starts_with("provenance_tracking_"));
        assert_eq!(data, page, "{}", input.name);
    }
}

#[test]
fn a_line_of_the_program_is_one_click_from_its_kernels_and_two_from_their_code_also_without_provenance() {
    // C++ kernels, and nothing was recorded about where they come from.
    let report = report("14_llama_infer");
    let landing = report.page("index.html");
    assert!(!landing.all("a[href='kernels.html']").is_empty(), "the landing page leads to the kernels");
    let kernels = report.page("kernels.html");
    let silu = kernels
        .all("#lines-table tbody tr")
        .into_iter()
        .find(|row| row.text().collect::<String>().contains("transformers/activations.py:103"));
    let link = scraper::Selector::parse("td:last-child a").unwrap();
    let silu: Vec<(String, String)> = silu
        .unwrap()
        .select(&link)
        .map(|link| (link.text().collect(), link.attr("href").unwrap().to_owned()))
        .collect();
    let names: Vec<&str> = silu.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["_unsafe_view_mul_silu_6", "mm"]);
    for (name, href) in &silu {
        let (path, line) = href.split_once("#L").unwrap();
        let code = report.page(path);
        let called: String = code.all(&format!("#L{line}"))[0].text().collect();
        assert!(called.contains(&format!("{name}(")), "{href}: {called}");
    }
    let code = report.page(silu[0].1.split_once('#').unwrap().0);
    let listed: Vec<String> = code.all(".side a").into_iter().map(text_of).collect();
    let calls = listed.iter().find(|entry| entry.starts_with("activations.py:103")).unwrap();
    assert!(calls.replace('\u{a0}', " ").ends_with("8 calls"), "{listed:?}");
    let first = code
        .all(".side a")
        .into_iter()
        .find(|link| link.text().collect::<String>().starts_with("activations.py:103"));
    let first = first.unwrap().attr("href").unwrap().to_owned();
    let called: String = code.all(&first)[0].text().collect();
    assert!(called.contains("mm(") || called.contains("silu"), "{first}: {called}");
}
