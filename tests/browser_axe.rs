//! Every kind of page at three widths and in both color schemes: it fits, it says nothing to console or network, and
//! axe-core, the accessibility checker, finds nothing. axe-core is no crate: `AXE_CORE` names its `axe.min.js`, which
//! `.ci/run` gets from npm; without it that test says that it is skipped.

use crate::browser::{Window, one_of_each_kind, window};
use crate::browser_navigation::overflow;
use crate::diff::diff;
use crate::job_browser::large;
use crate::support::{Done, Report, combine, job, report};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Reports that have all kinds of page of one log between them. Each kind is looked at in the first that has it, and the
/// landing page in all.
const REPORTS: [&str; 8] = [
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "09_provenance",
    "11_export_draft",
    "14_llama_infer",
    "22_vllm_new",
    "23_dump_file",
];

/// Pixels: a large screen, half of one, and a telephone.
const WIDTHS: [u32; 3] = [1400, 500, 360];

/// Pixels that the content of a page has at least; an empty one is lower.
const LOWEST: f64 = 40.0;

/// The sum of red, green and blue behind the page, which is [`WHITE`] for white.
const BRIGHTNESS: &str = "getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3)
    .reduce((sum, part) => sum + +part, 0)";
const WHITE: f64 = 765.0;

/// Violations that keep somebody from using the page, or make it hard, with the first place of each. axe must not fetch the
/// style sheets itself: pages let nothing connect, and only a rule that is off by default would read them.
pub const MODERATE: &str = "axe.run(document, { preload: false, resultTypes: ['violations'], rules: {
        'label-content-name-mismatch': { enabled: true }, 'link-in-text-block': { enabled: true } } })
    .then(found => JSON.stringify(found.violations.filter(v => v.impact !== 'minor')
        .map(v => `${v.id}: ${v.nodes.length} times, first ${v.nodes[0].html.slice(0, 200)}`)))";

/// The same, of the only two rules that ask for colors.
const COLORS: &str = "axe.run(document, { preload: false, resultTypes: ['violations'],
        runOnly: ['color-contrast', 'link-in-text-block'] })
    .then(found => JSON.stringify(found.violations
        .map(v => `${v.id}: ${v.nodes.length} times, first ${v.nodes[0].html.slice(0, 200)}`)))";

/// One page of every kind, and the reports of this file that they belong to.
struct Kinds {
    pages: Vec<PathBuf>,
    _of_ranks: TempDir,
    _of_gpu: Report,
    _of_cpu: Report,
    _compared: [Done; 2],
}

fn kinds() -> Kinds {
    let mut seen = BTreeSet::new();
    let mut pages = Vec::new();
    for name in REPORTS {
        for (kind, page) in one_of_each_kind(report(name)) {
            if seen.insert(kind.clone()) || kind == "index.html" {
                pages.push(report(name).folder.join(page));
            }
        }
    }
    assert!(seen.len() >= 10, "only {seen:?} are looked at");
    let of_ranks = tempfile::tempdir().unwrap();
    large(of_ranks.path(), 20);
    combine(of_ranks.path(), &[]).ok(of_ranks.path());
    let jobs =
        [job("13_div_break").folder.as_path(), job("13_div_healthy").folder.as_path(), of_ranks.path()];
    pages.extend(jobs.map(|folder: &Path| folder.join("index.html")));
    let of_gpu = crate::performance::of_gpu();
    pages.extend(["index.html", "performance.html"].map(|page| of_gpu.folder.join(page)));
    let of_cpu = crate::performance::of_cpu("24_profile");
    let panes = of_cpu.pages().into_iter().find(|page| page.starts_with("provenance_tracking")).unwrap();
    pages.extend(["performance.html", "kernels.html", &panes].map(|page| of_cpu.folder.join(page)));
    let compared = [
        diff(&[&report("03_graph_breaks").folder, &report("04_recompiles").folder]),
        diff(&[&report("21_torch26_03_graph_breaks").folder, &report("03_graph_breaks").folder]),
    ];
    pages.push(compared[0].work.path().join("tl_diff/diff.html"));
    pages.push(compared[1].work.path().join("tl_diff/changed/1.html"));
    Kinds { pages, _of_ranks: of_ranks, _of_gpu: of_gpu, _of_cpu: of_cpu, _compared: compared }
}

/// What is wrong with the page that is open, as it is shown.
fn faults_of(window: &Window, scheme: &str, has_axe: bool) -> Vec<String> {
    let mut faults = window.take_wrong();
    let over = overflow(window);
    if over > 0.0 {
        faults.push(format!("{over} pixels too wide"));
    }
    let height = window.number("document.querySelector('main').offsetHeight");
    if height <= LOWEST {
        faults.push(format!("empty: {height} pixels high"));
    }
    let is_light = window.number(BRIGHTNESS) > WHITE / 2.0;
    if is_light != (scheme == "light") {
        faults.push("in the other color scheme".to_owned());
    }
    if has_axe {
        // All other rules say the same in both schemes.
        let found = window.value(if is_light { MODERATE } else { COLORS });
        faults.extend(serde_json::from_str::<Vec<String>>(found.as_str().unwrap()).unwrap());
    }
    faults
}

#[test]
fn every_kind_of_page_fits_is_silent_and_has_no_more_than_minor_faults_of_accessibility_at_each_width_and_in_each_scheme()
 {
    let Some(window) = window() else { return };
    let axe = std::env::var_os("AXE_CORE").map(|path| fs::read_to_string(path).unwrap());
    if axe.is_none() {
        println!("accessibility is skipped: AXE_CORE does not name axe.min.js (npm install axe-core)");
    }
    let kinds = kinds();
    let mut faults = Vec::new();
    for page in &kinds.pages {
        window.width(WIDTHS[0]);
        window.open(page, "");
        if let Some(axe) = &axe {
            window.value(&format!("(() => {{ {axe}; return 0; }})()"));
        }
        for width in WIDTHS {
            window.width(width);
            for scheme in ["light", "dark"] {
                window.scheme(scheme);
                let found = faults_of(&window, scheme, axe.is_some());
                faults.extend(
                    found.iter().map(|fault| format!("{} ({width}, {scheme}): {fault}", page.display())),
                );
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
