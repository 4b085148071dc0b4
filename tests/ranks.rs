//! Which logs of a folder belong together: ranks, runs, forked processes, and a file that two ranks share.

use crate::support::{Done, Log, Report, Run, files_below, input, input_of, log::contains, log::replaced};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

/// A folder with copies of stored logs under other names.
fn folder(logs: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in logs {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn torchs_name(rank: usize, run: &str) -> String {
    format!("dedicated_log_torch_trace_rank_{rank}_{run}.log")
}

/// Both ranks of scenarios, one run each.
fn runs(scenarios: &[&str]) -> TempDir {
    let mut logs = Vec::new();
    for scenario in scenarios {
        for rank in 0..2 {
            logs.push((torchs_name(rank, scenario), input_of(scenario, rank).bytes()));
        }
    }
    let logs: Vec<(&str, Vec<u8>)> =
        logs.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    folder(&logs)
}

fn below(done: &Done, path: &str) -> Report {
    Report::new(done.folder.join(path), None)
}

/// A page without the way to its job and to the other ranks, which only a run over all ranks knows.
fn without_breadcrumb(file: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !file.ends_with(".html") {
        return bytes;
    }
    let page = String::from_utf8(bytes).unwrap();
    let begin = page.find("<nav aria-label=\"Breadcrumb\">").unwrap();
    let end = begin + page[begin..].find("<form").or(page[begin..].find("</header>")).unwrap();
    let head = &page[begin..end];
    // The version of torch and the times stay.
    let aside = head.rfind("<div class=\"soft\">").map_or("", |at| &head[at..]);
    let aside = if aside.contains("<a ") { "" } else { aside };
    [&page[..begin], aside, &page[end..]].concat().into_bytes()
}

/// Both folders hold the same files with the same bytes, but for the breadcrumb of pages.
fn same(a: &Path, b: &Path) {
    let files = files_below(a);
    assert_eq!(files, files_below(b));
    for file in files {
        let [one, other] =
            [a, b].map(|folder| without_breadcrumb(&file, fs::read(folder.join(&file)).unwrap()));
        assert!(one == other, "{file} differs");
    }
}

#[test]
fn a_folder_of_several_ranks_gets_the_report_of_each_that_its_log_alone_gives() {
    let logs = runs(&["12_ddp_crash"]);
    for flags in [&[][..], &["--all-ranks-html"]] {
        let done = Run::of(logs.path()).args(flags.iter().copied()).go();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        for rank in 0..2 {
            let alone = Run::of(logs.path().join(torchs_name(rank, "12_ddp_crash"))).ok();
            same(&done.folder.join(format!("rank_{rank}")), &alone.folder);
        }
    }
}

#[test]
fn ranks_are_read_from_records_if_file_names_lack_them() {
    let logs = folder(&[
        ("dedicated_log_torch_trace_aaaaaaaa.log", input_of("12_ddp_crash", 1).bytes()),
        ("dedicated_log_torch_trace_bbbbbbbb.log", input_of("12_ddp_crash", 0).bytes()),
    ]);
    let done = Run::of(logs.path()).go();
    for (rank, name) in [(0, "bbbbbbbb"), (1, "aaaaaaaa")] {
        let report = below(&done, &format!("rank_{rank}"));
        assert_eq!(report.json["log"]["rank"], rank);
        assert!(report.json["log"]["file"].as_str().unwrap().contains(name));
    }
}

#[test]
fn the_newest_run_of_a_folder_is_reported_and_session_picks_another() {
    let logs = runs(&["12_ddp_2", "12_ddp_crash"]);
    let file = |done: &Done| below(done, "rank_0").json["log"]["file"].as_str().unwrap().to_owned();
    let newest = Run::of(logs.path()).args(["--all-ranks-html"]).go();
    assert_eq!(file(&newest), torchs_name(0, "12_ddp_crash"));
    assert!(newest.stderr.contains("--session") && newest.stderr.contains("12_ddp_2"), "{}", newest.stderr);
    let oldest = Run::of(logs.path()).args(["--session", "1"]).go();
    assert_eq!(file(&oldest), torchs_name(0, "12_ddp_2"));
    let error = Run::of(logs.path()).args(["--session", "3"]).go().fails(1);
    assert!(error.contains("2 runs"), "{error}");
}

#[test]
fn a_forked_child_gets_a_whole_report_below_its_parents() {
    let (parent, child) = (input("17_fork"), input("17_fork#1"));
    let done = Run::of(parent.path.parent().unwrap()).go();
    let (child_report, alone) = (done.folder.join("process_23238"), Run::from(child).ok());
    same(&child_report, &alone.folder);
    assert!(done.stdout.contains("process 23238 (forked)"), "{}", done.stdout);
    let report = done.report(0);
    assert_eq!(report.json["log"]["file"], parent.file_name());
    let index = report.page("index.html");
    assert!(index.attributes("href").contains(&"process_23238/index.html"));
    assert_eq!(report.list("compiles"), Run::from(parent).ok().list("compiles"));
}

#[test]
fn a_forked_child_of_a_rank_gets_a_folder_in_that_ranks() {
    let ranked = |name: &str| replaced(&input(name).bytes(), b"\"frame_id\":", b"\"rank\": 1, \"frame_id\":");
    let logs = folder(&[
        (&torchs_name(0, "a"), input_of("12_ddp_crash", 0).bytes()),
        (&torchs_name(1, "a"), ranked("17_fork")),
        (&torchs_name(1, "b"), ranked("17_fork#1")),
    ]);
    let mut both = fs::read(logs.path().join(torchs_name(0, "a"))).unwrap();
    // All of one hour, so that they are one run.
    both = replaced(&both, b"V1120 04:55:", b"V1120 04:51:");
    fs::write(logs.path().join(torchs_name(0, "a")), both).unwrap();
    let done = Run::of(logs.path()).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(below(&done, "rank_1/process_23238").json["log"]["rank"], 1);
    assert_eq!(below(&done, "rank_1").json["log"]["file"], torchs_name(1, "a"));
    assert!(done.folder.join("rank_0/report.json").exists());
}

#[test]
fn a_file_that_two_ranks_wrote_is_split() {
    // Record by record, as two processes that append to one file do.
    let ranks = [0, 1].map(|rank| Log::of(input_of("12_ddp_crash", rank)));
    let longest = ranks.iter().map(|log| log.records.len()).max().unwrap();
    let mut shared = Log { records: Vec::new() };
    for index in 0..longest {
        shared.records.extend(ranks.iter().filter_map(|log| log.records.get(index).cloned()));
    }
    let logs = folder(&[("dedicated_log_torch_trace_shared00.log", shared.bytes())]);
    let done = Run::of(logs.path()).args(["--all-ranks-html", "--strict"]).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for (rank, log) in ranks.iter().enumerate() {
        let part = below(&done, &format!("rank_{rank}"));
        let alone = Run::from(input_of("12_ddp_crash", rank)).ok();
        assert_eq!(part.json["log"]["records"], log.records.len());
        assert_eq!(part.json["log"]["rank"], rank);
        assert_eq!(part.count("other_rank"), 0);
        for list in ["graph_breaks", "recompiles", "restarts"] {
            assert_eq!(part.list(list), alone.list(list), "{list} of rank {rank}");
        }
        assert_eq!(part.ids(), alone.ids());
        let stacks = |report: &Report| -> Vec<_> {
            report.list("compiles").iter().map(|compile| compile["stack"].clone()).collect()
        };
        assert_eq!(stacks(&part), stacks(&alone));
    }
    // A log of 180 ranks is not copied 180 times.
    let [first, second] = [0, 1].map(|rank| done.folder.join(format!("rank_{rank}/raw.log")));
    let file = |path: &Path| std::fs::metadata(path).unwrap().ino();
    assert_eq!(file(&first), file(&second), "both ranks have the one copy of the log");
}

#[test]
fn a_damaged_or_empty_log_of_a_rank_does_not_affect_other_ranks() {
    let mut cut = input_of("12_ddp_crash", 1).bytes();
    cut.truncate(cut.len() / 2);
    let logs = folder(&[
        (&torchs_name(0, "a"), input_of("12_ddp_crash", 0).bytes()),
        (&torchs_name(1, "a"), cut),
        (&torchs_name(2, "a"), Vec::new()),
        (&torchs_name(3, "a"), b"Traceback (most recent call last):\n  no trace\n".to_vec()),
    ]);
    let done = Run::of(logs.path()).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let state = |rank: usize| {
        let report = below(&done, &format!("rank_{rank}"));
        (report.json["log"]["records"].as_u64().unwrap() > 0, report.integrity()["ok"] == true)
    };
    assert_eq!([0, 1, 2, 3].map(state), [(true, true), (true, false), (false, true), (false, false)]);
    let index = below(&done, "rank_3").page("index.html");
    assert!(index.text().contains("not a line of a trace"), "{}", index.text());
    assert_eq!(Run::of(logs.path()).args(["--strict"]).go().code, Some(3));
}

#[cfg(unix)]
#[test]
fn a_rank_whose_archive_cannot_be_unpacked_is_named_and_the_others_are_reported() {
    let bad = torchs_name(1, "a").replace(".log", ".log.zst");
    let logs = folder(&[
        (&torchs_name(0, "a"), input_of("12_ddp_crash", 0).bytes()),
        (&bad, [&[0x28, 0xb5, 0x2f, 0xfd][..], b"no archive"].concat()),
    ]);
    let done = Run::of(logs.path()).args(["--all-ranks-html"]).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains(&bad) && done.stderr.contains("rank 1"), "{}", done.stderr);
    assert!(done.folder.join("rank_0/index.html").exists());
}

#[test]
fn all_ranks_html_wants_a_folder_with_ranks_and_no_latest() {
    let file = Run::from(input_of("12_ddp_crash", 0)).args(["--all-ranks-html"]).go().fails(1);
    assert!(file.contains("folder"), "{file}");
    let folder = input("17_fork").path.parent().unwrap();
    let rankless = Run::of(folder).args(["--all-ranks-html"]).go().fails(1);
    assert!(rankless.contains("belongs to a rank"), "{rankless}");
    let done = Run::of(folder).args(["--all-ranks-html", "--latest"]).go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--latest cannot be combined with --all-ranks-html"), "{}", done.stderr);
    assert!(done.stderr.contains("needs the logs of all ranks"), "it says why: {}", done.stderr);
}

#[test]
fn strings_of_a_forked_child_come_from_its_parents_log_also_in_a_folder() {
    let done = Run::of(input("17_fork").path.parent().unwrap()).go();
    let child = below(&done, "process_23238");
    assert_eq!(child.count("unresolved_strings"), 0);
    assert!(contains(&child.bytes("report.json"), b"s17_threads_fork.py"));
}

#[test]
fn one_run_over_all_ranks_equals_a_run_a_rank_and_combine() {
    for scenario in ["12_ddp_crash", "13_div_cache"] {
        let logs = runs(&[scenario]);
        let whole = Run::of(logs.path()).args(["--all-ranks-html"]).go();
        assert_eq!(whole.code, Some(0), "{}", whole.stderr);
        let parts = tempfile::tempdir().unwrap();
        let out = parts.path().join("out");
        for rank in 0..2 {
            Run::of(logs.path().join(torchs_name(rank, scenario))).out(out.join(format!("rank_{rank}"))).ok();
        }
        let combined = Run::of("combine").without_out().args([&out]).go();
        assert_eq!(combined.code, Some(0), "{}", combined.stderr);
        same(&whole.folder, &out);
    }
}

#[test]
fn a_job_is_the_same_on_one_thread_and_on_several() {
    let logs = runs(&["12_ddp_crash", "13_div_cache"]);
    let written = |threads| {
        let folder = tempfile::tempdir().unwrap();
        let mut options = tlparse::Options::new(logs.path(), folder.path().join("report"));
        options.threads = std::num::NonZeroUsize::new(threads);
        tlparse::run(&options, &tlparse::Registry::default(), &()).unwrap();
        folder
    };
    let (one, three) = (written(1), written(3));
    same(&one.path().join("report"), &three.path().join("report"));
}

#[test]
fn other_runs_and_files_that_are_no_logs_are_listed() {
    let logs = runs(&["12_ddp_2", "12_ddp_crash"]);
    fs::write(logs.path().join("notes.txt"), "a note").unwrap();
    fs::write(logs.path().join("train.log"), "step 1\n").unwrap();
    let report = Run::of(logs.path()).ok();
    assert_eq!(report.json["skipped_files"], serde_json::json!(["notes.txt", "train.log"]));
    let runs = report.list("runs");
    let first = |run: usize| runs[run]["logs"][0].as_str().unwrap().to_owned();
    assert_eq!(
        (runs.len(), first(0), first(1)),
        (2, torchs_name(0, "12_ddp_crash"), torchs_name(0, "12_ddp_2"))
    );
    let text = report.page("index.html").text();
    assert!(text.contains("train.log (not named as torch names its logs)"), "{text}");
    assert!(text.contains("Another run"), "{text}");
}
