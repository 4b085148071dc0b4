//! Logs of torch 2.3 to 2.5 lack records that later versions write. The report says what the other records show, and what is
//! not recorded.

use crate::support::{Report, report};
use serde_json::Value;

/// The findings of a kind.
fn findings<'r>(report: &'r Report, kind: &str) -> Vec<&'r Value> {
    report.json["findings"].as_array().unwrap().iter().filter(|one| one["kind"] == kind).collect()
}

fn texts(values: &[&Value], key: &str) -> Vec<String> {
    values.iter().map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn torch_2_3_records_no_metrics_and_nothing_is_said_of_times_failures_and_breaks() {
    let report = report("21_torch23_old_torch");
    let verdict = "8 recompilations; failures and graph breaks are not recorded.";
    assert!(report.read("report.md").contains(verdict));
    let missing = findings(report, "missing_metrics");
    assert_eq!(texts(&missing, "severity"), ["info"]);
    assert!(missing[0]["title"].as_str().unwrap().starts_with("This version of torch records no metrics"));
    let landing = report.page("index.html").text();
    for untrue in ["0 failures", "0 distinct", "ended before the compile did", "Nothing went wrong"] {
        assert!(!landing.contains(untrue), "{untrue}");
    }
    // What called the function is no name of it.
    let names = report.json["compiles"].as_array().unwrap().iter().map(|one| &one["function"]["name"]);
    assert!(names.clone().all(|name| name != "_call_impl" && name != "_fn"), "{:?}", Vec::from_iter(names));
}

#[test]
fn torch_2_4_records_no_recompilations_and_breaks_and_ids_and_restarts_tell_of_both() {
    let report = report("21_torch24_old_torch");
    assert!(report.read("report.md").contains("1 failure, 1 distinct graph break, 8 recompilations."));
    let broken = findings(report, "graph_break");
    assert_eq!(texts(&broken, "title"), ["`print` cannot be in a graph"]);
    assert_eq!((broken[0]["line"].as_i64(), broken[0]["compile_ids"][0].as_str()), (Some(39), Some("1/0")));
    assert_eq!(findings(report, "restart").len(), 0, "the restart is that of the break");
    let again = texts(&findings(report, "recompilation"), "title");
    let unknown = again.iter().filter(|title| title.ends_with("this version of torch records no reasons"));
    assert_eq!((again.len(), unknown.count()), (2, 2), "{again:?}");
    assert!(findings(report, "recompilation").iter().all(|one| one["advice"].as_array().unwrap().is_empty()));
    let failed = texts(&findings(report, "failure"), "title");
    assert_eq!(failed.len(), 1);
    assert!(failed[0].contains("not compiled: BackendCompilerFailed: backend='broken' raised"), "{failed:?}");
}

#[test]
fn torch_2_5_records_no_breaks_and_stops_at_the_limit_without_a_word() {
    let report = report("21_torch25_old_torch");
    let broken = findings(report, "graph_break");
    assert_eq!(texts(&broken, "title"), ["`print` cannot be in a graph"]);
    let limit = texts(&findings(report, "recompile_limit"), "title");
    assert_eq!(limit.len(), 1);
    assert!(limit[0].starts_with("`scale` runs in eager mode after 8 versions: string `name`"), "{limit:?}");
}
