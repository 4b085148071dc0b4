//! The text of every page, of `report.md`, of what `tlparse show` prints and of redacted forms, as it was when somebody last
//! looked at it: a hash for each kind of page. A change that is meant takes new hashes, `INSTA_UPDATE=always cargo test
//! frozen`; `.ci/compare_builds.py` shows what changed in the pages.

use crate::cells::forms::shown;
use crate::support::job::job;
use crate::support::{Report, Run, input, report, source};
use insta::assert_snapshot;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Logs of each kind: clean and failing, breaks and recompiles, caches, exports, several versions of torch, vLLM, a device.
const LOGS: [&str; 22] = [
    "01_inference",
    "02_train_mlp",
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "06_errors",
    "07_compiled_autograd",
    "08_cache_bypass",
    "08_cache_hit",
    "09_provenance",
    "09_provenance_reset",
    "10_aoti",
    "11_export_draft",
    "17_fork",
    "21_torch26_05_dynamic_shapes",
    "21_torch28_25_guards",
    "22_vllm_new",
    "23_dump_file",
    "25_guards",
    "34_cg_many_sizes",
    "34_killed",
    "34_max_autotune",
];

/// Jobs with differing breaks, shapes, order and ends.
const JOBS: [&str; 6] =
    ["13_div_break", "13_div_shapes", "31_slow_backend", "32_other_order", "32_preempted", "34_ddp"];

/// Runs with a trace of a device.
const PROFILES: [&str; 4] = ["24_profile", "26_kernels", "34_cg_decoder", "34_user_triton"];

/// What may differ between machines and versions, and what a style sheet is about.
static NOT_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    let folder = regex::escape(env!("CARGO_MANIFEST_DIR"));
    let temporary = regex::escape(&std::env::temp_dir().to_string_lossy());
    let version = regex::escape(env!("CARGO_PKG_VERSION"));
    Regex::new(&format!(r#" class="[^"]*"|{folder}[^\s"<>]*|{temporary}/\.tmp\w+|{version}"#)).unwrap()
});

/// A hash of a text for each name, a line each.
#[derive(Default)]
struct Hashes(BTreeMap<String, md5::Context>);

impl Hashes {
    fn add(&mut self, name: String, text: &str) {
        self.0
            .entry(name)
            .or_insert_with(md5::Context::new)
            .consume(NOT_TEXT.replace_all(text, "").as_bytes());
    }

    /// The pages and Markdown files of a report. Those of one name, but for numbers, in any folder count as one.
    fn add_report(&mut self, report: &Report) {
        let number = Regex::new(r"\d+").unwrap();
        let mut paths: Vec<String> = report.manifest();
        paths.retain(|path| path.ends_with(".html") || path.ends_with(".md"));
        for path in paths {
            let text = report.read(&path);
            let main = text.find("<main").and_then(|start| text.get(start..text.find("</main>")?));
            let name = path.rsplit('/').next().unwrap();
            self.add(number.replace_all(name, "N").into_owned(), main.unwrap_or(&text));
        }
    }

    fn lines(self) -> String {
        let line = |(name, context): (String, md5::Context)| {
            let hash = format!("{:x}", context.finalize());
            format!("{} {name}", &hash[..8])
        };
        self.0.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// All forms of a report, and what the run that wrote it printed.
fn frozen(report: &Report) -> String {
    let mut hashes = Hashes::default();
    hashes.add_report(report);
    hashes.add("the terminal".to_owned(), &report.stdout);
    hashes.add("what show prints".to_owned(), &shown(report));
    hashes.lines()
}

#[test]
fn the_text_of_a_report_is_what_was_last_looked_at() {
    for name in LOGS {
        assert_snapshot!(format!("text_of_{name}"), frozen(report(name)));
    }
}

#[test]
fn the_text_of_a_job_is_what_was_last_looked_at() {
    for name in JOBS {
        assert_snapshot!(format!("text_of_job_{name}"), frozen(job(name)));
    }
}

#[test]
fn the_text_of_a_measured_run_is_what_was_last_looked_at() {
    for name in PROFILES {
        let measured = Run::of(source(&format!("tests/profiles/{name}"))).ok();
        assert_snapshot!(format!("text_of_measured_{name}"), frozen(&measured));
    }
}

#[test]
fn the_text_of_a_redacted_report_is_what_was_last_looked_at() {
    for name in ["03_graph_breaks", "04_recompiles", "06_errors", "22_vllm_new"] {
        assert_snapshot!(
            format!("text_of_redacted_{name}"),
            frozen(&Run::from(input(name)).args(["--redact"]).ok())
        );
    }
    let job = Run::of(source("tests/jobs/32_other_order")).args(["--redact"]).ok();
    assert_snapshot!("text_of_redacted_job", frozen(&job));
}

#[test]
fn the_text_of_a_comparison_is_what_was_last_looked_at() {
    for [before, after] in [
        ["03_graph_breaks", "04_recompiles"],
        ["08_cache_miss", "08_cache_hit"],
        ["02_train_mlp", "06_errors"],
        ["05_dynamic_shapes", "21_torch26_05_dynamic_shapes"],
    ] {
        let [a, b] = [before, after].map(|name| input(name).path.to_str().unwrap());
        let out = TempDir::new().unwrap();
        let folder = out.path().join("comparison");
        let done = Run::bare().go_with(&["diff", a, b, "--no-browser", "-o", folder.to_str().unwrap()]);
        let mut hashes = Hashes::default();
        for file in ["diff.html", "diff.md"] {
            hashes.add(file.to_owned(), &std::fs::read_to_string(folder.join(file)).unwrap());
        }
        hashes.add("the terminal".to_owned(), &done.stdout);
        assert_snapshot!(format!("text_of_diff_{before}_{after}"), hashes.lines());
    }
}
