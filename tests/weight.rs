//! How large pages and reports may be, and how much memory a long log takes. Readable sources come before bytes, so the
//! limits are wide; what they hold off is a report that grows without anybody noticing.

use crate::pages::{all_pages, is_first};
use crate::support::{input, report};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// CSS and JavaScript that the first page of a report may carry, which people pass on alone.
const FIRST_PAGE: usize = 40 << 10;
/// CSS and JavaScript that any other page may carry.
const PAGE: usize = 6 << 10;

/// The name of the file at the end of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[test]
fn a_page_carries_at_most_6_kb_of_styles_and_scripts_and_the_first_one_40() {
    for (name, path, facts) in all_pages() {
        let limit = if is_first(path) { FIRST_PAGE } else { PAGE };
        let bytes = facts.code_bytes();
        assert!(bytes <= limit, "{name}: {path} carries {bytes} bytes of CSS and JavaScript");
    }
}

/// Bytes that tlparse 0.4.8 writes for a log, all files of its default mode: the sum over `find OUT -type f`.
const UPSTREAM_BYTES: [(&str, u64); 27] = [
    ("01_inference", 820_832),
    ("02_train_mlp", 1_958_627),
    ("03_graph_breaks", 13_162_661),
    ("04_recompiles", 9_975_663),
    ("05_dynamic_shapes", 7_494_222),
    ("06_errors", 2_269_153),
    ("07_compiled_autograd", 10_677_607),
    ("08_cache_bypass", 621_190),
    ("08_cache_hit", 1_869_640),
    ("08_cache_miss", 3_877_216),
    ("09_provenance", 4_170_263),
    ("09_provenance_reset", 4_177_372),
    ("10_aoti", 464_903),
    ("11_export_clean", 21_313),
    ("11_export_draft", 43_037),
    ("11_export_draft_clean", 17_766),
    ("11_export_draft_ops", 40_902),
    ("11_export_dtrace", 783_276),
    ("14_llama_infer", 4_127_717),
    ("16_many", 166_176_271),
    ("21_torch26_01_inference", 347_522),
    ("21_torch26_03_graph_breaks", 5_507_498),
    ("21_torch26_05_dynamic_shapes", 3_228_386),
    ("21_torch28_09_provenance", 3_248_952),
    ("21_torch28_11_draft", 82_885),
    ("22_vllm_new", 7_366_082),
    ("23_dump_file", 2_962_479),
];

/// From this size of the log on, a report is held against upstream's. In that of a smaller log, what every report has
/// (settings, the chart of times) outweighs what the log holds.
const LARGE_LOG: usize = 1_000_000;

/// How many times as large as upstream's a report may be, in percent.
const MOST_PERCENT: u64 = 115;

/// Whether upstream has nothing like this page.
fn is_beyond_upstream(file: &str) -> bool {
    matches!(file, "search.html" | "graphs.html" | "kernels.html" | "report.md" | "source.html")
        || file.starts_with("provenance_tracking_")
}

#[test]
fn a_report_of_a_large_log_is_hardly_larger_than_upstreams() {
    let large = UPSTREAM_BYTES.iter().filter(|(name, _)| input(name).bytes().len() > LARGE_LOG);
    let mut compared = 0;
    for (name, theirs) in large {
        let report = report(name);
        let counted = report.manifest().into_iter().filter(|path| !is_beyond_upstream(file_name(path)));
        let ours: u64 = counted.map(|path| report.size(&path)).sum();
        assert!(ours * 100 <= theirs * MOST_PERCENT, "{name}: {ours} bytes, upstream {theirs}");
        compared += 1;
    }
    assert!(compared >= 5, "only {compared} stored logs are large");
}

/// A stored log, repeated up to so many bytes.
#[cfg(target_os = "linux")]
fn repeated(name: &str, bytes: u64) -> Vec<u8> {
    let log = input(name).bytes();
    log.repeat((bytes as usize).div_ceil(log.len()))
}

/// Bytes of memory that the program holds at most while it reports a log.
#[cfg(target_os = "linux")]
fn peak_memory(log: &[u8]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dedicated_log_torch_trace_long.log");
    fs::write(&path, log).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
    command.arg(&path).args(["--no-browser", "-o"]).arg(folder.path().join("report"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        // A program that has ended holds nothing any more.
        let now = line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse::<u64>().unwrap());
        peak = peak.max(now << 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a log of 300 MB may take.
#[cfg(target_os = "linux")]
const LONG_LOG_MEMORY: u64 = 80 << 20;

/// Always measured on two short logs, whose difference is what a longer log adds, and every night on 300 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_log_of_300_mb_takes_at_most_80_mb_of_memory() {
    const LONG_LOG: u64 = 300 << 20;
    let (short, long) = (4 << 20, 16 << 20);
    let peak_of = |bytes| peak_memory(&repeated("02_train_mlp", bytes));
    let (of_short, of_long) = (peak_of(short), peak_of(long));
    let added = of_long.saturating_sub(of_short) * (LONG_LOG - short) / (long - short);
    assert!(of_short + added < LONG_LOG_MEMORY, "{of_short} bytes, and {of_long} of the longer log");
    if std::env::var_os("CI_NIGHTLY").is_some() {
        let peak = peak_memory(&repeated("16_many", LONG_LOG));
        assert!(peak < LONG_LOG_MEMORY, "{peak} bytes");
    }
}

/// They cost 16 times their size before: 233 MB for this log.
#[cfg(target_os = "linux")]
#[test]
fn records_that_say_nothing_cost_no_memory() {
    let log = "V0401 12:00:00.000000 1 a.py:1] {}\n".repeat(400_000);
    let peak = peak_memory(log.as_bytes());
    assert!(peak < LONG_LOG_MEMORY, "{peak} bytes for a log of {}", log.len());
}
