//! Jobs that are real but for one record, or for one log: what is not there is not known, and nobody is compared by it.

use crate::jobs::verdict;
use crate::support::log::{Log, Record, contains};
use crate::support::{Job, Run, input, job, job_logs, text_of};
use serde_json::{Value, json};
use std::fs;

/// A kind of record, and the row of the table of facts that it fills.
struct Kind {
    record: &'static str,
    row: &'static str,
    harms: &'static [Harm],
}

/// What became of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harm {
    Missing,
    /// It ends in the middle of a value.
    Unreadable,
    /// It is whole, with half of what it held.
    Shorter,
}

use Harm::{Missing, Shorter, Unreadable};

const KINDS: [Kind; 10] = [
    Kind {
        record: "inductor_collective_schedule",
        row: "Collectives",
        harms: &[Missing, Unreadable, Shorter],
    },
    Kind {
        record: "inductor_runtime_and_tensor_meta",
        row: "Tensors",
        harms: &[Missing, Unreadable, Shorter],
    },
    Kind { record: "graph_execution", row: "Execution order", harms: &[Missing, Unreadable, Shorter] },
    Kind { record: "dynamo_cpp_guards_str", row: "Guards", harms: &[Missing, Shorter] },
    Kind { record: "dynamo_output_graph", row: "Graphs", harms: &[Missing, Shorter] },
    Kind { record: "inductor_output_code", row: "Process groups", harms: &[Missing, Shorter] },
    Kind { record: "fx_graph_cache_miss", row: "Cache keys", harms: &[Missing, Unreadable] },
    Kind { record: "aotautograd_cache_miss", row: "Caches", harms: &[Missing] },
    Kind { record: "describe_tensor", row: "Inputs", harms: &[Missing] },
    Kind { record: "compilation_metrics", row: "Ops captured", harms: &[Missing] },
];

/// What may only be said of what both ranks have.
const CLAIMS: [&str; 6] = [
    "diverge",
    "does not compile",
    "hold other operations",
    "harmless race",
    "waits there",
    "call the same collectives",
];

/// Half of a list, of the list in an object, or of the lines of a text.
fn half(text: &str) -> String {
    let beginning = |list: &[Value]| list[..list.len() / 2].to_vec();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => json!(beginning(&list)).to_string(),
        Ok(Value::Object(mut fields)) => {
            let list = fields.values_mut().find(|value| value.is_array()).unwrap();
            *list = json!(beginning(list.as_array().unwrap()));
            json!(fields).to_string()
        }
        _ => text.lines().take(text.lines().count() / 2).collect::<Vec<_>>().join("\n"),
    }
}

/// Whether a record is of this kind, and of the second function of the program or of no function.
fn is_of(record: &Record, kind: &str) -> bool {
    let names = [format!("\"name\": \"{kind}\""), format!("] {{\"{kind}\":")];
    let is_named = names.iter().any(|name| contains(&record.header, name.as_bytes()));
    let is_there = contains(&record.header, b"\"frame_id\": 1,") || kind == "graph_execution";
    is_named && is_there
}

/// A job whose rank `rank` has these records otherwise, or not at all.
fn harmed(scenario: &str, rank: usize, kind: &str, harm: Harm) -> Job {
    with_log(scenario, rank, |log| {
        let before = log.records.len();
        match harm {
            Missing => log.records.retain(|record| !is_of(record, kind)),
            _ => {
                for record in log.records.iter_mut().filter(|record| is_of(record, kind)) {
                    let text = String::from_utf8(record.text()).unwrap();
                    let text = if harm == Shorter { half(&text) } else { text[..text.len() / 2].to_owned() };
                    record.set_payload(text.as_bytes());
                }
            }
        }
        assert_eq!(before == log.records.len(), harm != Missing, "no {kind} in the log");
    })
}

/// A job one of whose logs is changed.
fn with_log(scenario: &str, rank: usize, change: impl Fn(&mut Log)) -> Job {
    let folder = tempfile::tempdir().unwrap();
    for (number, log) in job_logs(scenario).iter().enumerate() {
        let mut log = Log::parse(&fs::read(log).unwrap());
        if number == rank {
            change(&mut log);
        }
        fs::write(folder.path().join(torchs_name(number)), log.bytes()).unwrap();
    }
    report(folder.path())
}

fn torchs_name(rank: usize) -> String {
    format!("dedicated_log_torch_trace_rank_{rank}_aaaaaaaa.log")
}

fn report(logs: &std::path::Path) -> Job {
    Run::of(logs).args(["--all-ranks-html"]).ok()
}

/// A row of the table of facts, but that on torch.
struct Row {
    name: String,
    state: String,
}

fn rows(job: &Job) -> Vec<Row> {
    let page = job.page("index.html");
    let cell = |column: usize| -> Vec<String> {
        page.all(&format!("#facts-table tbody td:nth-child({column})")).into_iter().map(text_of).collect()
    };
    let rows = cell(1).into_iter().zip(cell(2)).map(|(name, state)| Row { name, state });
    rows.filter(|row| row.name != "torch").collect()
}

/// Makes each job of `rank`, and holds that nothing is claimed about what is not there.
fn nothing_is_claimed(rank: usize) {
    for kind in &KINDS {
        for harm in kind.harms {
            let job = harmed("13_div_healthy", rank, kind.record, *harm);
            let (said, rows) = (verdict(&job), rows(&job));
            let what = format!("{} {harm:?} on rank {rank}: {said}", kind.record);
            assert!(CLAIMS.iter().all(|claim| !said.contains(claim)), "{what}");
            let known = rows.iter().filter(|row| row.state == "consistent").count();
            assert!(
                said.contains(&format!("in all {known} facts that were compared")),
                "{known} rows, {what}"
            );
            assert!(said.contains("Not compared in full: "), "{what}");
            assert!(said.contains(&kind.row.to_lowercase()), "{what}");
            assert!(rows.iter().all(|row| row.state != "differs"), "{what}");
            let own = rows.iter().find(|row| row.name == kind.row);
            let lacks = |state: &str| state.ends_with(&format!(" on rank {rank}"));
            assert!(own.is_none_or(|row| lacks(&row.state)), "{what}");
        }
    }
}

#[test]
fn what_the_first_rank_lacks_is_neither_equal_nor_different() {
    nothing_is_claimed(0);
}

#[test]
fn what_the_second_rank_lacks_is_neither_equal_nor_different() {
    nothing_is_claimed(1);
}

#[test]
fn what_a_record_holds_otherwise_is_a_difference() {
    let job = with_log("13_div_healthy", 1, |log| {
        for record in log.records.iter_mut().filter(|record| is_of(record, "inductor_collective_schedule")) {
            let list: Vec<Value> = serde_json::from_slice(&record.text()).unwrap();
            record.set_payload(json!(list.into_iter().rev().collect::<Vec<_>>()).to_string().as_bytes());
        }
    });
    assert!(
        verdict(&job).contains("diverge: in gather_fn, collective 2 is reduce_scatter_tensor"),
        "{}",
        verdict(&job)
    );
}

#[test]
fn a_hit_before_the_other_rank_had_compiled_the_entry_is_no_race_and_other_graphs_have_runtimes() {
    let job = with_log("13_div_runtime_patched", 1, |log| {
        let is_one = |record: &Record, kinds: &[&str]| kinds.iter().any(|kind| is_of(record, kind));
        log.records.retain(|record| {
            !is_one(record, &["inductor_collective_schedule", "inductor_runtime_and_tensor_meta"])
        });
        for record in &mut log.records {
            if is_one(record, &["fx_graph_cache_miss", "aotautograd_cache_miss"]) {
                let header = String::from_utf8(record.header.clone()).unwrap();
                record.header = header.replace("cache_miss", "cache_hit").into_bytes();
            }
        }
    });
    let said = verdict(&job);
    assert!(
        said.starts_with("2 ranks compile the same, but rank 1 hits the AOTAutograd cache for 1/0"),
        "{said}"
    );
    assert!(said.contains("collectives and tensors, as a cache had graphs for rank 1"), "{said}");
    let graphs = job.json["runtime"]["graphs"].as_array().unwrap();
    let names: Vec<&str> = graphs.iter().filter_map(|graph| graph["graph"].as_str()).collect();
    assert_eq!((&job.json["runtime"]["comparable"], names.len()), (&json!(true), 2), "{names:?}");
    assert!(!names.contains(&"-_1_0_0"), "{names:?}");
}

#[test]
fn a_rank_whose_log_says_nothing_is_not_counted_among_those_that_agree() {
    let first = fs::read(&job_logs("13_div_healthy")[0]).unwrap();
    let cut = String::from_utf8_lossy(&first[..2048]).replace("\"rank\": 0", "\"rank\": 2");
    for (text, told) in
        [("", "Without any record: rank 2"), ("hello\n", "Damaged: rank 2"), (&cut, "Damaged: rank 2")]
    {
        let folder = tempfile::tempdir().unwrap();
        for (number, log) in job_logs("13_div_healthy").iter().enumerate() {
            fs::copy(log, folder.path().join(torchs_name(number))).unwrap();
        }
        fs::write(folder.path().join(torchs_name(2)), text).unwrap();
        let said = verdict(&report(folder.path()));
        assert!(said.contains("2 of 3 ranks agree in all ") && said.contains(told), "{said}");
        assert!(!said.contains("unknown function"), "{said}");
    }
}

#[test]
fn ranks_that_no_log_has_are_known_from_the_size_of_their_process_group() {
    // A collective of this program gathers from two ranks; here it gathers from four.
    let folder = tempfile::tempdir().unwrap();
    for (number, log) in job_logs("13_div_healthy").iter().enumerate() {
        let mut log = Log::parse(&fs::read(log).unwrap());
        for record in log.records.iter_mut().filter(|record| is_of(record, "inductor_output_code")) {
            let text = String::from_utf8(record.text()).unwrap();
            record.set_payload(text.replace(", 2, '0')", ", 4, '0')").as_bytes());
        }
        fs::write(folder.path().join(torchs_name(number)), log.bytes()).unwrap();
    }
    let said = verdict(&report(folder.path()));
    assert!(said.starts_with("2 of 4 ranks agree in all "), "{said}");
    assert!(said.contains("No log of ranks 2 and 3."), "{said}");
}

#[test]
fn each_row_that_differs_has_a_finding_or_is_counted_by_the_first_sentence() {
    let own = ["32_bf16_reduce", "32_ckpt_one", "32_raise_forward", "32_killed_together", "32_reset_one"];
    for name in crate::jobs::JOBS.iter().chain(&own) {
        let job = job(name);
        let (said, rows) = (verdict(job), rows(job));
        let differing = rows.iter().filter(|row| row.state == "differs").count();
        let is_called_equal = said.contains("consistent in all") || said.contains("agree in all");
        assert!(differing == 0 || !is_called_equal, "{name}: {said}");
        let page = job.page("index.html");
        let told = page.all("#facts-table tbody td:first-child a").len();
        let is_counted = said.contains(&format!("in {differing} of "));
        assert!(told == differing || is_counted, "{name}: {told} of {differing} rows have a finding: {said}");
    }
}

#[test]
fn a_job_without_collectives_says_that_and_blames_no_cache() {
    let text = job("32_ckpt_one").page("index.html").text();
    assert!(text.contains("no generated code in the logs calls a collective"), "{text}");
    assert!(!text.contains("came from a cache") && !text.contains("only one rank's log has it"), "{text}");
}

#[test]
fn a_rank_that_reaches_the_limit_of_recompilations_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = input("04_recompiles").bytes();
    let mut first_versions = Log::parse(&log);
    first_versions.records.retain(|record| {
        !contains(&record.header, b"\"frame_compile_id\": ")
            || contains(&record.header, b"\"frame_compile_id\": 0,")
    });
    fs::write(folder.path().join(torchs_name(0)), log).unwrap();
    fs::write(folder.path().join(torchs_name(1)), first_versions.bytes()).unwrap();
    let job = report(folder.path());
    let told = "rank 0 reaches the limit of recompilations, rank 1 does not: hits_limit runs in eager mode";
    assert!(verdict(&job).starts_with(&format!("2 ranks diverge: {told}")), "{}", verdict(&job));
    assert!(!verdict(&job).contains("fails to compile"), "{}", verdict(&job));
    assert!(verdict(&job).contains("(s04_recompiles.py:21)"), "{}", verdict(&job));
}
