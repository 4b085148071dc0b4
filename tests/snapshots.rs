//! What reports look like, to be read when it changes: `INSTA_UPDATE=always cargo test snapshots` takes what is new.

use crate::support::{Log, Report, Run, input, report, select, text_of};
use insta::assert_snapshot;
use regex::Regex;

/// A damaged log: one header is no JSON, one payload does not fit its hash.
pub fn damaged() -> Report {
    let mut log = Log::of(input("11_export_clean"));
    let at = log.nth("create_symbol", 0);
    log.records[at].header.pop();
    log.edit("artifact", 0, |envelope| envelope["has_payload"] = "0".repeat(32).into());
    Run::of_bytes("dedicated_log_torch_trace_damaged0.log", &log.bytes()).ok()
}

/// The files of a report; the name of an asset without the hash of its content, which is no promise to users.
fn manifest(report: &Report) -> String {
    let hash = Regex::new("(?m)^(assets/.*)-[0-9a-f]{16}").unwrap();
    hash.replace_all(&report.manifest().join("\n"), "$1-<hash>").into_owned()
}

fn facts(report: &Report) -> String {
    let mut json = report.json.clone();
    json["tool"]["version"] = "the version under test".into();
    serde_json::to_string_pretty(&json).unwrap()
}

/// `<main>` of a page, one line an element, so that a difference is short.
fn main_of(report: &Report, path: &str) -> String {
    let html = report.page(path).one("main").html();
    let breaks =
        Regex::new("(</(?:p|div|li|tr|dd|section|summary|details|h1|h2|h3|option)>)([^\n])").unwrap();
    breaks.replace_all(&html, "$1\n$2").into_owned()
}

/// The path of the first page whose name begins like that.
fn first_page(report: &Report, name: &str) -> String {
    let found = report.pages().into_iter().find(|path| path.rsplit('/').next().unwrap().starts_with(name));
    found.unwrap_or_else(|| panic!("no page {name}"))
}

/// Headings, table heads and labels of a page: what it speaks of, without the values.
fn outline(report: &Report, path: &str) -> String {
    let page = report.page(path);
    let main = page.one("main");
    let wanted = select("h1, h2, h3, th, dt");
    let lines = main.select(&wanted).map(|element| {
        let indent = match element.value().name() {
            "h1" | "h2" => "",
            "h3" => "  ",
            _ => "    ",
        };
        let text = text_of(element);
        format!("{indent}{}", text.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_files_of_a_report() {
    for name in
        ["01_inference", "08_cache_bypass", "09_provenance", "11_export_clean", "22_vllm_new", "23_dump_file"]
    {
        assert_snapshot!(format!("files_of_{name}"), manifest(report(name)));
    }
    assert_snapshot!("files_of_a_damaged_log", manifest(&damaged()));
}

#[test]
fn the_facts_of_a_report() {
    assert_snapshot!("facts_of_11_export_clean", facts(report("11_export_clean")));
    assert_snapshot!("facts_of_a_damaged_log", facts(&damaged()));
}

#[test]
fn the_landing_page() {
    assert_snapshot!("landing_page_of_01_inference", main_of(report("01_inference"), "index.html"));
    assert_snapshot!("landing_page_of_a_damaged_log", main_of(&damaged(), "index.html"));
    assert_snapshot!(
        "landing_page_of_an_empty_log",
        main_of(&Run::of_bytes("empty.log", b"").ok(), "index.html")
    );
}

#[test]
fn the_page_of_a_compile() {
    assert_snapshot!(
        "compile_of_11_export_clean",
        main_of(report("11_export_clean"), "-_0_0_0/compile.html")
    );
    assert_snapshot!("outline_of_a_compile", outline(report("08_cache_bypass"), "-_0_0_0/compile.html"));
}

#[test]
fn the_page_of_a_metrics_record() {
    let report = report("01_inference");
    assert_snapshot!(
        "outline_of_a_metrics_page",
        outline(report, &first_page(report, "compilation_metrics_"))
    );
}

#[test]
fn the_page_of_failures_and_restarts() {
    assert_snapshot!(
        "failures_of_04_recompiles",
        main_of(report("04_recompiles"), "failures_and_restarts.html")
    );
    assert_snapshot!("failures_of_none", main_of(report("11_export_clean"), "failures_and_restarts.html"));
}

#[test]
fn the_pages_of_code() {
    let code = report("01_inference");
    assert_snapshot!(
        "output_code_of_01_inference",
        main_of(code, &first_page(code, "inductor_output_code_"))
    );
    let stacks = report("09_provenance");
    let path = first_page(stacks, "inductor_provenance_tracking_kernel_stack_traces_");
    assert_snapshot!("kernel_stacks_of_09_provenance", main_of(stacks, &path));
    let dump = report("23_dump_file");
    let path = dump.pages().into_iter().find(|path| path.starts_with("dump_file/")).unwrap();
    assert_snapshot!("dump_file_of_23_dump_file", main_of(dump, &path));
}
