//! Every page, `report.md`, what `tlparse show` prints and redacted forms, as they were when somebody last looked at them: a
//! hash for each kind of page. A change that is meant takes new hashes, `INSTA_UPDATE=always cargo test --test report
//! frozen`; `.ci/compare_builds.py` shows what changed in the pages.

use crate::cells::forms::shown;
use crate::snapshots::damaged;
use crate::support::job::job;
use crate::support::{Report, Run, input, reports, source};
use insta::assert_snapshot;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Logs whose reports are large and are like those of others.
const LEFT_OUT: [&str; 2] = ["14_llama_infer", "16_many"];

/// Jobs with differing breaks, shapes, order and ends.
const JOBS: [&str; 6] =
    ["13_div_break", "13_div_shapes", "31_slow_backend", "32_other_order", "32_preempted", "34_ddp"];

/// Runs with a trace of a device.
const PROFILES: [&str; 4] = ["24_profile", "26_kernels", "34_cg_decoder", "34_user_triton"];

/// Runs that are compared.
const PAIRS: [[&str; 2]; 8] = [
    ["01_inference", "21_torch26_01_inference"],
    ["02_train_mlp", "06_errors"],
    ["03_graph_breaks", "04_recompiles"],
    ["05_dynamic_shapes", "21_torch26_05_dynamic_shapes"],
    ["08_cache_miss", "08_cache_hit"],
    ["25_guards", "21_torch28_25_guards"],
    ["34_cg_cpu_input", "34_cg_mutated_input"],
    ["34_triton_memory", "34_triton_shapes"],
];

/// What may differ between machines and versions.
static NOT_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    let folder = regex::escape(env!("CARGO_MANIFEST_DIR"));
    let temporary = regex::escape(&std::env::temp_dir().to_string_lossy());
    let version = regex::escape(env!("CARGO_PKG_VERSION"));
    Regex::new(&format!(r#"{folder}[^\s"<>]*|{temporary}/\.tmp\w+|{version}"#)).unwrap()
});

/// A hash of a text for each name, a line each.
#[derive(Default)]
struct Hashes(BTreeMap<String, md5::Context>);

impl Hashes {
    fn add(&mut self, name: String, text: &str) {
        self.0.entry(name).or_default().consume(NOT_TEXT.replace_all(text, "").as_bytes());
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
    for (name, report) in reports().filter(|(name, _)| !LEFT_OUT.contains(name)) {
        assert_snapshot!(format!("text_of_{name}"), frozen(report));
    }
    assert_snapshot!("text_of_a_damaged_log", frozen(&damaged()));
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
    for [before, after] in PAIRS {
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
