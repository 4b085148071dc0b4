//! Pages of logs that are large in one thing: each page ends at what a browser opens at once, and says how much it leaves out
//! and where that stands.

use crate::support::address::resolve;
use crate::support::log::contains;
use crate::support::{Log, Record, Report, Run, input};
use serde_json::{Value, json};

/// Bytes that a page has at least when it is cut, as `src/limits.rs` states them.
const LARGEST_PAGE: usize = 2_000_000;

/// The same of a page that shows code or graphs.
const LARGEST_VIEWER: usize = 8_000_000;

/// What a page may have behind its last row: sections of other things, its foot and its scripts.
const FOOT: usize = 200_000;

/// What pages say where they end too early.
const TOO_LARGE: &str = "would make the page too large";

/// Pages of a report that say that they leave something out.
fn cut(report: &Report) -> Vec<String> {
    let pages = report.pages().into_iter();
    pages.filter(|page| report.read(page).contains(TOO_LARGE)).collect()
}

/// Pages are not larger than they may be. The search holds an index, whose size it states itself.
fn are_bounded(report: &Report) {
    for page in report.pages().iter().filter(|page| *page != "search.html") {
        let is_viewer =
            ["graphs.html", "source.html", "output_code", "kernel_stack", "dump_file", "provenance_tracking"]
                .iter()
                .any(|part| page.contains(part));
        let most = if is_viewer { LARGEST_VIEWER } else { LARGEST_PAGE } + FOOT;
        let bytes = report.bytes(page).len();
        assert!(bytes <= most, "{page} has {bytes} bytes");
    }
}

/// The first record of an event `count` times more, each changed by its number.
fn more(log: &mut Log, event: &str, count: usize, change: impl Fn(usize, &mut Value)) {
    let at = log.nth(event, 0);
    let copies: Vec<Record> = (0..count)
        .map(|number| {
            let mut copy = log.records[at].clone();
            copy.edit(|envelope| change(number, envelope));
            copy
        })
        .collect();
    log.records.splice(at + 1..at + 1, copies);
}

#[test]
fn the_landing_page_and_lists_of_functions_end_at_their_limit() {
    let mut log = Log::of(input("01_inference"));
    let long = "x".repeat(950);
    more(&mut log, "dynamo_start", 1_500, |number, envelope| {
        envelope["frame_id"] = json!(100 + number);
        let frame = envelope["dynamo_start"]["stack"].as_array_mut().unwrap().last_mut().unwrap();
        frame["name"] = json!(format!("f{number}{long}"));
        frame["line"] = json!(number);
    });
    let report = Run::of_bytes("functions.log", &log.bytes()).ok();
    are_bounded(&report);
    let cut = cut(&report);
    for page in ["index.html", "functions.html"] {
        assert!(cut.iter().any(|name| name == page), "{page} is not cut: {cut:?}");
        assert!(report.bytes(page).len() > LARGEST_PAGE, "{page} ends before its limit");
        assert!(report.read(page).contains("report.json"), "{page} does not say where the rest stands");
    }
    let landing = report.read("index.html");
    assert!(landing.contains("Links for the last"), "the list of files does not say what it left out");
    assert!(landing.contains("href=\"directory_8.html\""), "no way to the last page of files");
    assert!(report.list("compiles").len() > 1_500, "report.json has all");
}

#[test]
fn the_pages_of_compiles_and_of_shapes_end_at_their_limit() {
    let mut log = Log::of(input("05_dynamic_shapes"));
    let long = "x".repeat(700);
    more(&mut log, "guard_added_fast", 2_500, |number, envelope| {
        envelope["guard_added_fast"]["stack"] = Value::Null;
        envelope["guard_added_fast"]["expr"] = json!(format!("Eq(s{number}, {long})"));
    });
    more(&mut log, "create_symbol", 2_500, |number, envelope| {
        let symbol = &mut envelope["create_symbol"];
        symbol["stack"] = Value::Null;
        symbol["symbol"] = json!(format!("s{number}"));
        symbol["source"] = json!(format!("L['{long}{number}']"));
    });
    let report = Run::of_bytes("shapes.log", &log.bytes()).ok();
    are_bounded(&report);
    let cut = cut(&report);
    for name in ["compile.html", "shapes.html"] {
        let page = cut.iter().find(|page| page.ends_with(name));
        let page = page.unwrap_or_else(|| panic!("{name} is not cut: {cut:?}"));
        assert!(report.bytes(page).len() > LARGEST_PAGE, "{page} ends before its limit");
        assert!(report.read(page).contains("raw.jsonl"), "{page} does not say where the rest stands");
    }
}

/// The log of an inference whose first record of an event has that payload instead.
fn with_payload(log: &str, event: &str, payload: &str) -> Log {
    let mut log = Log::of(input(log));
    let key = format!("\"{event}\"");
    let holds = |record: &Record| contains(&record.header, key.as_bytes());
    let at = log.records.iter().position(holds).unwrap_or_else(|| panic!("no {event}"));
    log.records[at].set_payload(payload.as_bytes());
    log
}

/// The page of the first artifact whose name begins so.
fn page_of(report: &Report, name: &str) -> String {
    let pages = report.pages().into_iter();
    let mut pages = pages.filter(|page| page.rsplit('/').next().is_some_and(|file| file.starts_with(name)));
    pages.next().unwrap_or_else(|| panic!("no page of {name}"))
}

/// A page that is cut has a link to the file that has the whole text.
fn leads_to_the_whole(report: &Report, page: &str, text: &str) {
    let html = report.read(page);
    assert!(html.contains(TOO_LARGE), "{page} of {} bytes is whole", html.len());
    let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut files = links.map(|link| resolve(page, link).0).filter(|file| report.has(file));
    assert!(files.any(|file| report.bytes(&file) == text.as_bytes()), "no link of {page} leads to the text");
}

#[test]
fn pages_of_code_end_at_their_limit_and_lead_to_the_whole() {
    // Long; of lines that grow by their anchors; of characters that grow when they are escaped.
    let long = "    buf7 = empty_strided_cpu((8, 10), (10, 1), torch.float32)\n".repeat(150_000);
    let lines = "<<\n".repeat(1_000_000);
    for text in [&long, &lines] {
        let report =
            Run::of_bytes("code.log", &with_payload("01_inference", "inductor_output_code", text).bytes())
                .ok();
        are_bounded(&report);
        leads_to_the_whole(&report, &page_of(&report, "inductor_output_code"), text);
    }
    let report = Run::of_bytes("dump.log", &with_payload("23_dump_file", "dump_file", &long).bytes()).ok();
    are_bounded(&report);
    let dumps = report.pages().into_iter().filter(|page| page.starts_with("dump_file/"));
    let cut = dumps.filter(|page| report.read(page).contains(TOO_LARGE)).collect::<Vec<_>>();
    assert_eq!(cut.len(), 1, "{cut:?}");
    leads_to_the_whole(&report, &cut[0], &long);
}

#[test]
fn code_of_many_tokens_keeps_its_lines_and_loses_its_colors_at_the_end() {
    let dense = "a(1,'b',2)if c else[3,'d',4]\n".repeat(100_000);
    let report =
        Run::of_bytes("code.log", &with_payload("01_inference", "inductor_output_code", &dense).bytes()).ok();
    are_bounded(&report);
    let page = report.read(&page_of(&report, "inductor_output_code"));
    assert!(page.contains("<li id=\"L1\">a(<span class=\"n\">1</span>"), "the first line has no colors");
    assert!(page.contains("<li id=\"L100000\">a(1,"), "the last line is not there, or has colors");
}

#[test]
fn the_page_of_the_stacks_of_kernels_ends_at_its_limit_and_leads_to_the_whole() {
    let stack = "  File \"/app/model.py\", line 19, in forward\n    h = self.norm(self.fc1(x))\n".repeat(6);
    let kernels = (0..20_000).map(|number| (format!("cpp_fused_{number}:{number}"), json!([stack])));
    let text = Value::Object(kernels.collect()).to_string();
    let event = "inductor_provenance_tracking_kernel_stack_traces";
    let report = Run::of_bytes("stacks.log", &with_payload("09_provenance", event, &text).bytes()).ok();
    are_bounded(&report);
    let pages = report.pages().into_iter().filter(|page| page.ends_with("_readable.html"));
    let cut: Vec<String> = pages.filter(|page| report.read(page).contains(TOO_LARGE)).collect();
    assert_eq!(cut.len(), 1, "{cut:?}");
    // The file has the JSON indented.
    let json = report.manifest().into_iter().find(|file| {
        file.ends_with(".json")
            && file.contains("kernel_stack")
            && report.read(&cut[0]).contains(file.rsplit('/').next().unwrap())
    });
    let whole = report.json_file(&json.expect("a link to the JSON"));
    assert_eq!(whole.as_object().unwrap().len(), 20_000);
}

#[test]
fn graphs_and_panes_of_provenance_end_at_their_limit() {
    let graph = "    %relu_7 : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
        .repeat(100_000);
    let mut log = with_payload("09_provenance", "before_post_grad_graph", &graph);
    let nodes = |number: usize| (format!("node_{number}"), json!([format!("relu_{number}"), "addmm"]));
    let to_post: Value = Value::Object((0..30_000).map(nodes).collect());
    let mapping = log.records.iter().position(|record| contains(&record.header, b"tracking_node_mappings"));
    let mapping = mapping.expect("the log has a mapping");
    let mut maps: Value = serde_json::from_slice(&log.records[mapping].text()).unwrap();
    maps["preToPost"] = to_post;
    log.records[mapping].set_payload(maps.to_string().as_bytes());
    let report = Run::of_bytes("graphs.log", &log.bytes()).ok();
    are_bounded(&report);
    let graphs = report.pages().into_iter().filter(|page| page.ends_with("graphs.html"));
    let cut =
        graphs.filter(|page| report.read(page).contains("only as a file: this page is limited")).count();
    assert!(cut > 0, "no page of graphs says that it leaves one out");
}

#[test]
fn panes_of_provenance_are_left_out_when_their_lines_make_the_page_too_large() {
    let graph = Log::of(input("09_provenance"));
    let of = |event: &str| {
        let key = format!("\"{event}\"");
        let record = graph.records.iter().find(|record| contains(&record.header, key.as_bytes())).unwrap();
        String::from_utf8(record.text()).unwrap()
    };
    let mut log = graph.clone();
    for event in ["before_pre_grad_graph", "inductor_post_grad_graph", "inductor_output_code"] {
        let key = format!("\"{event}\"");
        let record = log.records.iter_mut().find(|record| contains(&record.header, key.as_bytes())).unwrap();
        record.set_payload(format!("{}{}", of(event), "\n#".repeat(100_000)).as_bytes());
    }
    let report = Run::of_bytes("panes.log", &log.bytes()).ok();
    are_bounded(&report);
    let pages = report.pages().into_iter().filter(|page| page.starts_with("provenance_tracking"));
    let mut pages = pages.map(|page| report.read(&page)).filter(|page| page.len() > 2_000_000);
    assert!(pages.any(|page| page.contains("too large for this page")), "no pane is left out, or all are");

    let calls = "        extern_kernels.addmm(buf1, out=buf0)\n".repeat(20_000);
    let code =
        of("inductor_output_code").replacen("        return (", &format!("{calls}        return ("), 1);
    let report =
        Run::of_bytes("calls.log", &with_payload("09_provenance", "inductor_output_code", &code).bytes())
            .ok();
    are_bounded(&report);
    let pages = report.pages().into_iter().filter(|page| page.starts_with("provenance_tracking"));
    let cut: Vec<String> = pages.filter(|page| report.read(page).contains(TOO_LARGE)).collect();
    assert_eq!(cut.len(), 1, "{cut:?}");
}

#[test]
fn the_files_of_one_compile_end_at_the_limit_of_the_landing_page() {
    let mut log = Log::of(input("23_dump_file"));
    more(&mut log, "link", 16_000, |number, envelope| {
        envelope["link"]["name"] = json!(format!("link {number}"))
    });
    let report = Run::of_bytes("links.log", &log.bytes()).ok();
    are_bounded(&report);
    let landing = report.read("index.html");
    assert!(landing.contains("more files would make the page too large"), "it does not say what it left out");
    assert!(landing.contains("link 9000"), "it ends before its limit");
    assert!(report.read("compile_directory.json").contains("link 15999"), "the list for programs has all");
}

#[test]
fn a_reason_with_many_special_characters_is_cut() {
    let mut log = Log::of(input("03_graph_breaks"));
    let is_break = |record: &Record| contains(&record.header, b"\"dynamo_graph_break_reason\"");
    let at = log.records.iter().position(is_break).unwrap();
    let long = "<a href=\"x\">'".repeat(25_000);
    let text = String::from_utf8(log.records[at].text()).unwrap().replacen("builtin operator", &long, 1);
    log.records[at].set_payload(text.as_bytes());
    let report = Run::of_bytes("reason.log", &log.bytes()).ok();
    are_bounded(&report);
    let page = report.read("graph_breaks.html");
    assert!(
        page.contains("would make the page too large; raw.log has all"),
        "it does not say what it left out"
    );
    assert!(report.read("report.json").len() > long.len(), "report.json has the whole reason");
}

#[test]
fn a_traceback_of_forty_thousand_frames_is_cut_to_those_that_a_program_can_have() {
    let frames: String =
        (0..40_000).map(|n| format!("  File \"/app/s.py\", line {n}, in f{n}\n    f()\n")).collect();
    let text = format!("Traceback (most recent call last):\n{frames}ValueError: no");
    let log = with_payload("06_errors", "dynamo_error", &text);
    let report = Run::of_bytes("traceback.log", &log.bytes()).ok();
    are_bounded(&report);
    let landing = report.read("index.html");
    assert!(landing.contains("Call stack: the innermost 400 of "), "not cut");
    assert!(landing.contains("f39999") && !landing.contains("f100 "), "the innermost frames are shown");
}
