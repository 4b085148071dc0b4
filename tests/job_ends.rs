//! Where the logs of ranks end: which rank stopped, when, and inside of what is shown before which ranks diverge.

use crate::jobs::{change, differing, verdict};
use crate::support::job::copy_rank;
use crate::support::log::contains;
use crate::support::{Job, Log, Run, combine, job_logs, rank_reports, text_of};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The log of rank 1 of the healthy job up to its first kernel build in 1/0, and the number of records left out.
fn cut_log() -> Vec<u8> {
    let log = Log::parse(&fs::read(&job_logs("13_div_healthy")[1]).unwrap());
    let is_build = |index: &usize| {
        let lines = log.records[*index].payload.join(&b'\n');
        let holds = |text: &str| contains(&lines, text.as_bytes());
        holds("\"compile_file\"") && holds("\"ph\": \"B\"") && holds("\"compile_id\": \"1/0\"")
    };
    let build = log.all("chromium_event").into_iter().find(is_build).unwrap();
    log.bytes_before(build + 1)
}

/// Two healthy ranks and one whose log ends in a kernel build.
fn job_with_a_cut_rank(folder: &Path) -> Job {
    for rank in 0..2 {
        copy_rank("13_div_healthy", rank, &folder.join(format!("rank_{rank}")));
    }
    write_cut_rank(folder, 2);
    combine(folder, &[]).ok(folder)
}

/// The report of a rank whose log ends in a kernel build.
pub fn write_cut_rank(folder: &Path, rank: usize) {
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join(format!("dedicated_log_torch_trace_rank_{rank}_cut.log"));
    fs::write(&log, cut_log()).unwrap();
    let to = folder.join(format!("rank_{rank}"));
    Run::of(&log).out(to.clone()).ok();
    change(&to, |report| report["log"]["rank"] = json!(rank));
}

#[test]
fn a_log_that_ends_inside_a_phase_is_mentioned_first() {
    let folder = tempfile::tempdir().unwrap();
    let job = job_with_a_cut_rank(folder.path());
    let verdict = verdict(&job);
    assert!(verdict.starts_with("Rank 2's log ends at 2026-11-20 05:08:56, "), "{verdict}");
    assert!(
        verdict.contains(" s before the others, inside 1/0 (gather_fn), compile_file. 3 ranks "),
        "{verdict}"
    );
    let finding = &job.json["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&json!("rank_stopped"), &json!("error")));
    assert_eq!(finding["compile_ids"], json!(["1/0"]));
    let detail = finding["detail"].as_str().unwrap();
    assert!(detail.contains("Open: dynamo > ") && detail.contains(" > compile_file."), "{detail}");
    let page = job.page("index.html");
    let first_row = text_of(page.one("#ends-table tbody tr:first-child"));
    assert!(first_row.contains("rank 2") && first_row.contains("inside 1/0 gather_fn"), "{first_row}");
    assert!(first_row.contains(" > compile_file; "), "{first_row}");
    assert!(first_row.replace('\u{a0}', " ").contains(" for at least "), "{first_row}");
}

#[test]
fn facts_missing_from_a_log_that_ends_early_are_neither_different_nor_consistent() {
    let folder = tempfile::tempdir().unwrap();
    let job = job_with_a_cut_rank(folder.path());
    assert_eq!(differing(&job), std::collections::BTreeSet::new());
    let page = job.page("index.html");
    let row = |name: &str| -> String {
        let rows = page.all("#facts-table tbody tr").into_iter().map(text_of);
        rows.into_iter().find(|row| row.starts_with(name)).unwrap()
    };
    assert!(row("Execution order").contains("not reached by rank 2"), "{}", row("Execution order"));
    let agreed = "3 ranks agree in all 15 facts that were compared, as far as their logs go.";
    assert!(verdict(&job).ends_with(agreed), "{}", verdict(&job));
    assert!(row("Graph breaks").contains("consistent"));
    assert!(!page.text().contains("fastest rank 2") && !page.text().contains("fastest: rank 2"));
}

#[test]
fn a_rank_that_was_killed_is_not_the_fastest() {
    let folder = tempfile::tempdir().unwrap();
    let job = job_with_a_cut_rank(folder.path());
    let seconds = |rank: usize| job.list("ranks")[rank]["compile_time_s"].as_f64().unwrap();
    assert!(seconds(2) < seconds(0) && seconds(2) < seconds(1));
    let note = text_of(job.page("index.html").one("#time"));
    assert!(note.contains("fastest") && !note.contains("on rank 2, fastest"), "{note}");
    let (_, fastest) = note.split_once("fastest ").unwrap();
    assert!(!fastest.split_once("Rank").unwrap().0.contains("on rank 2"), "{note}");
}

#[test]
fn logs_that_end_in_one_place_are_one_finding() {
    let folder = tempfile::tempdir().unwrap();
    job_with_a_cut_rank(folder.path());
    for rank in 3..9 {
        let to = folder.path().join(format!("rank_{rank}"));
        fs::create_dir(&to).unwrap();
        fs::copy(folder.path().join("rank_2/report.json"), to.join("report.json")).unwrap();
        change(&to, |report| report["log"]["rank"] = json!(rank));
    }
    let job = combine(folder.path(), &["--overwrite"]).ok(folder.path());
    let stopped: Vec<&Value> =
        job.list("findings").iter().filter(|one| one["kind"] == "rank_stopped").collect();
    assert_eq!(stopped.len(), 1);
    let title = stopped[0]["title"].as_str().unwrap();
    assert!(title.starts_with("The logs of ranks 2 to 8 end at "), "{title}");
    let filter = job.page("index.html").all("#ranks option").into_iter().map(text_of).collect::<Vec<_>>();
    assert!(filter.contains(&"that end early (7)".to_owned()), "{filter:?}");
}

#[test]
fn a_log_that_ends_much_earlier_with_less_compiled_is_mentioned_first() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        let last = report["log"]["last_time"].as_str().unwrap().to_owned();
        // A minute earlier than it was.
        let (before, after) = (last.get(..14).unwrap(), last.get(16..).unwrap());
        let minute: u8 = last.get(14..16).unwrap().parse().unwrap();
        report["log"]["last_time"] = json!(format!("{before}{:02}{after}", minute - 1));
        report["cross_rank"]["compiles"].as_array_mut().unwrap().pop();
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let verdict = verdict(&job);
    assert!(
        verdict.starts_with("Rank 1's log ends at ") && verdict.contains(", 60 s before the other. "),
        "{verdict}"
    );
    let finding = &job.json["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&json!("rank_stopped"), &json!("warning")));
}

#[test]
fn ranks_that_end_together_have_not_stopped() {
    for name in ["13_div_healthy", "13_div_break", "13_div_cache", "12_ddp_crash"] {
        let job = crate::support::job(name);
        assert!(job.list("findings").iter().all(|one| one["kind"] != "rank_stopped"), "{name}");
        assert!(job.page("index.html").all("#ends").is_empty(), "{name}: a table of ranks that did not stop");
    }
}

#[test]
fn report_json_of_a_log_says_what_was_open_when_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("cut.log");
    fs::write(&log, cut_log()).unwrap();
    let report = Run::of(&log).ok();
    let end = &report.json["cross_rank"]["end"];
    assert_eq!((&end["inside"], &end["compile_id"]), (&json!(true), &json!("1/0")));
    assert_eq!(end["event"], "chromium_event");
    let phases = end["phases"].as_array().unwrap();
    assert_eq!((&phases[0], phases.last().unwrap()), (&json!("dynamo"), &json!("compile_file")));
    let whole = Run::of(&job_logs("13_div_healthy")[1]).ok();
    let end = &whole.json["cross_rank"]["end"];
    assert_eq!(
        *end,
        json!({ "event": "graph_execution", "compile_id": null, "inside": false, "phases": [], "open_s": [] })
    );
}

#[test]
fn a_log_that_ends_long_before_the_others_with_as_much_compiled_has_not_stopped() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        let last = report["log"]["last_time"].as_str().unwrap().to_owned();
        let minute: u8 = last.get(14..16).unwrap().parse().unwrap();
        let earlier = format!("{}{:02}{}", &last[..14], minute - 1, &last[16..]);
        report["log"]["last_time"] = json!(earlier);
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert!(job.list("findings").iter().all(|one| one["kind"] != "rank_stopped"), "{}", verdict(&job));
}

#[test]
fn a_rank_that_stopped_is_mentioned_before_any_difference() {
    let copy = rank_reports("13_div_shapes");
    change(&copy.path().join("rank_1"), |report| {
        let last = report["log"]["last_time"].as_str().unwrap().to_owned();
        let minute: u8 = last.get(14..16).unwrap().parse().unwrap();
        report["log"]["last_time"] = json!(format!("{}{:02}{}", &last[..14], minute - 1, &last[16..]));
        report["compiles"].as_array_mut().unwrap().remove(0);
        report["cross_rank"]["compiles"].as_array_mut().unwrap().remove(0);
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let kinds: Vec<&str> = job.list("findings").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds[0] == "rank_stopped" && kinds.len() > 1, "{kinds:?}");
    assert_eq!(job.list("findings")[0]["severity"], "warning");
    assert!(verdict(&job).starts_with("Rank 1's log ends at "), "{}", verdict(&job));
}

#[test]
fn phases_that_are_open_at_the_end_of_a_log_say_how_long_they_took_at_least() {
    let log = tempfile::tempdir().unwrap();
    let path = log.path().join("dedicated_log_torch_trace_cut.log");
    fs::write(&path, cut_log()).unwrap();
    let report = Run::of(&path).ok();
    let end = &report.json["cross_rank"]["end"];
    let (phases, least) = (end["phases"].as_array().unwrap(), end["open_s"].as_array().unwrap());
    assert_eq!(phases.len(), least.len(), "{end}");
    let seconds: Vec<f64> = least.iter().map(|one| one.as_f64().unwrap()).collect();
    // Each stands within the one before it.
    assert!(seconds[0] > 0.0 && seconds.iter().rev().is_sorted_by(|a, b| a <= b), "{seconds:?}");
    let note = "still open at the end of the log, at least ";
    let page = report.page("time.html");
    let told = page.all("#phases-table tr").into_iter().filter(|row| text_of(*row).contains(note)).count();
    assert!(told > 1, "{told} phases of {phases:?}");
    let compile = report.page("-_1_0_0/compile.html").text();
    assert!(compile.contains(note), "{compile}");
    assert!(compile.contains("the log ends in compile_file"), "{compile}");
    // A phase that an exception left open long before the end is none of them.
    let broken = crate::support::report("06_errors").page("time.html").text();
    assert!(!broken.contains(note));
}
