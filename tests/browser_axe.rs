//! What axe-core, the accessibility checker, says of each kind of page. It is no crate: `AXE_CORE` names its
//! `axe.min.js`, which `.ci/run` gets from npm; without it the test says that it is skipped.

use crate::browser::{one_of_each_kind, window};
use crate::diff::diff;
use crate::job_browser::large;
use crate::support::{combine, job, report};
use std::collections::BTreeSet;
use std::fs;

/// Reports that have all kinds of page between them.
const REPORTS: [&str; 7] = [
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "09_provenance",
    "22_vllm_new",
    "23_dump_file",
    "14_llama_infer",
];

/// Violations that keep somebody from using the page, or make it hard, with the first place of each.
pub const MODERATE: &str = "axe.run(document, { resultTypes: ['violations'],
        rules: { 'label-content-name-mismatch': { enabled: true }, 'link-in-text-block': { enabled: true } } }).then(found => JSON.stringify(
    found.violations.filter(v => v.impact !== 'minor')
        .map(v => `${v.id}: ${v.nodes.length} times, first ${v.nodes[0].html.slice(0, 200)}`)))";

#[test]
fn no_kind_of_page_has_more_than_a_minor_fault_of_accessibility_in_either_color_scheme() {
    let Some(path) = std::env::var_os("AXE_CORE") else {
        println!("skipped: AXE_CORE does not name axe.min.js (npm install axe-core)");
        return;
    };
    let Some(window) = window() else { return };
    let axe = fs::read_to_string(path).unwrap();
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for name in REPORTS {
        for (kind, page) in one_of_each_kind(report(name)) {
            // Each kind is looked at in the first report that has it, and the landing page in all.
            if !seen.insert(kind.clone()) && kind != "index.html" {
                continue;
            }
            window.open(&report(name).folder.join(&page), "");
            window.value(&format!("(() => {{ {axe}; return 0; }})()"));
            for scheme in ["light", "dark"] {
                window.scheme(scheme);
                let found = window.value(MODERATE);
                let found: Vec<String> = serde_json::from_str(found.as_str().unwrap()).unwrap();
                faults.extend(found.into_iter().map(|fault| format!("{name}/{page} ({scheme}): {fault}")));
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    large(folder.path(), 20);
    combine(folder.path(), &[]).ok(folder.path());
    let (measured, compiled) = (crate::performance::of_gpu(), crate::performance::of_cpu("24_profile"));
    let jobs = [job("13_div_break").folder.as_path(), job("13_div_healthy").folder.as_path(), folder.path()];
    let landing = jobs.into_iter().map(|folder| folder.join("index.html"));
    let panes = compiled.pages().into_iter().find(|page| page.starts_with("provenance_tracking")).unwrap();
    let of_trace = ["performance.html", "kernels.html", &panes].map(|page| compiled.folder.join(page));
    let compared = diff(&[&report("03_graph_breaks").folder, &report("04_recompiles").folder]);
    let diff_page = compared.work.path().join("tl_diff/diff.html");
    let versions = diff(&[&report("21_torch26_03_graph_breaks").folder, &report("03_graph_breaks").folder]);
    let side_by_side = versions.work.path().join("tl_diff/changed/1.html");
    let single = [measured.folder.join("performance.html"), diff_page, side_by_side];
    for name in landing.chain(single).chain(of_trace) {
        window.open(&name, "");
        window.value(&format!("(() => {{ {axe}; return 0; }})()"));
        for scheme in ["light", "dark"] {
            window.scheme(scheme);
            let found = window.value(MODERATE);
            let found: Vec<String> = serde_json::from_str(found.as_str().unwrap()).unwrap();
            faults.extend(found.into_iter().map(|fault| format!("{} ({scheme}): {fault}", name.display())));
        }
    }
    assert!(seen.len() >= 10, "only {seen:?} were looked at");
    assert!(faults.is_empty(), "{faults:#?}");
}
