//! `tlparse check`: budgets, baselines and exit codes, on real logs.

use crate::support::archive::zip;
use crate::support::{Check, Log, Run, input, job, report, source};
use regex::Regex;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn without_a_budget_a_check_fails_on_failures_only_and_says_so() {
    let failed = Check::of([&report("06_errors").folder]).go().ends_with(3);
    assert!(failed.stdout.starts_with("The budget is exceeded.\n"), "{}", failed.stdout);
    assert!(failed.stdout.contains("failures: 8 failures, 0 allowed"), "{}", failed.stdout);
    assert!(failed.stderr.contains("only failures are checked"), "{}", failed.stderr);
    let held = Check::of([&report("02_train_mlp").folder]).go().ends_with(0);
    assert!(held.stdout.starts_with("The budget holds.\n"), "{}", held.stdout);
}

#[test]
fn a_log_and_its_finished_report_have_the_same_verdict_and_no_folder_is_left() {
    let of_log = Check::of_input(input("03_graph_breaks")).budget("graph_breaks = 0").go().ends_with(3);
    let of_report =
        Check::of([&report("03_graph_breaks").folder]).budget("graph_breaks = 0").go().ends_with(3);
    let folder = report("03_graph_breaks").folder.display().to_string();
    let without_pages: Vec<&str> =
        of_report.stdout.lines().filter(|line| !line.trim_start().starts_with(&folder)).collect();
    assert_eq!(of_log.stdout.lines().collect::<Vec<_>>(), without_pages);
    assert_eq!(of_report.stdout.lines().count(), without_pages.len() + 7, "each break names its page");
    let left: Vec<_> =
        fs::read_dir(of_log.folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["budget.toml"]);
}

#[test]
fn a_report_is_written_where_it_is_asked_for_and_each_excess_names_a_page_of_it() {
    let check = Check::of_input(input("03_graph_breaks"))
        .budget("graph_breaks = 0\nfailures = 0\ncompile_seconds = 1\ncache_misses = 0")
        .args(["-o", "out/report"]);
    let root = check.write("x", b"").parent().unwrap().to_owned();
    let verdict = check.args(["--format", "json"]).go().ends_with(3);
    let json: Value = serde_json::from_str(&verdict.stdout).unwrap();
    let mut pages = 0;
    for excess in excesses(&json) {
        let page = excess["page"].as_str().unwrap();
        let (file, anchor) = page.split_once('#').unwrap_or((page, ""));
        let text = fs::read_to_string(root.join(file)).unwrap();
        assert!(anchor.is_empty() || text.contains(&format!("id=\"{anchor}\"")), "{page}");
        pages += 1;
    }
    assert!(pages > 9, "{pages}");
}

#[test]
fn a_path_without_a_report_ends_with_1_and_says_what_to_do() {
    let missing = Check::of(["no-such.log"]).go().fails(1);
    assert!(missing.contains("no-such.log"), "{missing}");
    let text = Check::of_bytes(b"hello\nworld\n").go().fails(1);
    assert!(text.contains("trace.log"), "{text}");
    let empty = Check::of_bytes(b"").go().fails(1);
    assert!(empty.contains("nothing was recorded") && empty.contains("TORCH_TRACE"), "{empty}");
    let upstream = Check::of(["up"]);
    for name in ["index.html", "compile_directory.json", "raw.jsonl"] {
        upstream.write(&format!("up/{name}"), b"{}");
    }
    let upstream = upstream.go().fails(1);
    let sentence = upstream.lines().last().unwrap();
    assert!(sentence.contains("without report.json") && sentence.contains("check the log"), "{sentence}");
    let newer = Check::of(["new"]);
    newer.write("new/report.json", br#"{"schema": 9, "kind": "log"}"#);
    assert!(newer.go().fails(1).contains("version 9"));
}

#[test]
fn wrong_usage_ends_with_2_and_names_what_is_known() {
    let log = || Check::of_input(input("01_inference"));
    let unknown = log().budget("graph_break = 0").go().fails(2);
    assert!(
        unknown.contains("budget.toml") && unknown.contains("graph_breaks, recompiles_per_function"),
        "{unknown}"
    );
    assert!(log().budget("failures = -1").go().fails(2).contains("0 or more"));
    assert!(log().budget("failures").go().fails(2).contains("not TOML"));
    assert!(log().args(["--budget", "gone.toml"]).go().fails(2).contains("--explain"));
    assert!(log().args(["--baseline", "gone.toml"]).go().fails(2).contains("--update-baseline"));
    assert!(log().args(["--format", "xml"]).go().fails(2).contains("sarif, junit, github"));
    assert!(log().args(["--root", "gone"]).go().fails(2).contains("'gone' for '--root"));
    assert!(log().args(["--update-baseline"]).go().fails(2).contains("--baseline"));
    assert!(Check::of::<&Path>([]).go().fails(2).contains("TORCH_TRACE"));
}

/// How much a stored log has of what a budget limits.
const AMOUNTS: [(&str, &str, f64); 7] = [
    ("03_graph_breaks", "graph_breaks", 7.0),
    ("04_recompiles", "recompiles_per_function", 8.0),
    ("06_errors", "failures", 8.0),
    ("08_cache_miss", "cache_misses", 9.0),
    ("08_cache_hit", "cache_misses", 0.0),
    ("05_dynamic_shapes", "fallback_ops", 3.0),
    ("11_export_draft_ops", "findings", 3.0),
];

#[test]
fn each_budget_holds_at_the_count_of_a_log_and_is_exceeded_below_it() {
    for (name, budget, amount) in AMOUNTS {
        let of = |most: f64| Check::of([&report(name).folder]).budget(&format!("{budget} = {most}\n"));
        let held = of(amount).json(0);
        assert_eq!(held["checks"][0]["found"], amount, "{name} {budget}");
        assert_eq!(held["checks"][0]["budget"], budget);
        if amount > 0.0 {
            let exceeded = of(amount - 1.0).json(3);
            assert_eq!(exceeded["holds"], false);
            assert!(excesses(&exceeded).next().is_some(), "{name} {budget}");
        }
    }
}

#[test]
fn of_many_excesses_the_terminal_names_ten_and_counts_the_rest() {
    let lines = |most: &str| {
        let check =
            Check::of([&report("05_dynamic_shapes").folder]).budget(&format!("cache_misses = {most}\n"));
        let text = check.go().stdout;
        (text.lines().filter(|line| line.contains("cache missed for")).count(), text)
    };
    let (named, text) = lines("0");
    assert!(named == 10 && text.contains("\n  and 4 more\n"), "{text}");
    let (named, text) = lines("18");
    assert!(named == 0 && !text.contains(" more"), "{text}");
}

#[test]
fn seconds_of_compilation_are_those_of_the_report() {
    let report = report("03_graph_breaks");
    let seconds = report.json["compile_time"]["total_s"].as_f64().unwrap();
    let of = |most: f64| Check::of([&report.folder]).budget(&format!("compile_seconds = {most}"));
    assert_eq!(of(seconds).json(0)["checks"][0]["found"], seconds);
    let exceeded = of(seconds - 0.5).json(3);
    let title = excesses(&exceeded).next().unwrap()["title"].as_str().unwrap().to_owned();
    assert!(title.contains("35.2 s"), "{title}");
}

#[test]
fn a_function_can_have_its_own_budgets_which_include_resumed_parts() {
    let of = |budget: &str| Check::of([&report("03_graph_breaks").folder]).budget(budget);
    let breaks = of("[functions.\"s03_graph_breaks.outer\"]\ngraph_breaks = 0").json(3);
    let titles: Vec<&str> = excesses(&breaks).map(|one| one["function"].as_str().unwrap()).collect();
    assert!(
        titles.contains(&"inner_print") && titles.contains(&"inner_explicit"),
        "what it calls broke it: {titles:?}"
    );
    assert!(!titles.contains(&"loop_with_break"), "{titles:?}");
    of("[functions.loop_with_break]\ngraph_breaks = 1\nfailures = 1").go().ends_with(0);
    of("[functions.loop_with_break]\nfailures = 0").go().ends_with(3);
    // Only what is resumed in `forward` was compiled again.
    of("[functions.forward]\nrecompiles = 0").go().ends_with(3);
    of("[functions.forward]\nrecompiles = 1").go().ends_with(0);
    let unknown = of("[functions.\"other.outer\"]\ngraph_breaks = 0").go().ends_with(0);
    assert!(unknown.stderr.contains("no compiled function is called \"other.outer\""), "{}", unknown.stderr);
    assert!(
        unknown.stdout.starts_with("Nothing is checked; 1 budget is for a function that was not compiled.\n"),
        "{}",
        unknown.stdout
    );
    assert!(!unknown.stdout.contains("Holds"), "{}", unknown.stdout);
}

#[test]
fn each_budget_of_a_function_that_the_log_lacks_is_said_to_match_nothing() {
    let budget = "failures = 2\n[functions.lop_with_break]\ngraph_breaks = 0\nrecompiles = 3\n\
                  [functions.\"other.*\"]\ncompile_seconds = 1\n[functions.outer]\ncompile_seconds = 60";
    let of = |format: &str| {
        let check = Check::of([&report("03_graph_breaks").folder]).budget(budget);
        check.args(["--format", format]).go().ends_with(0)
    };
    let text = of("text");
    let first = "All 2 budgets hold; 3 budgets are for functions that were not compiled.";
    assert_eq!(text.stdout.lines().next(), Some(first), "{}", text.stdout);
    assert_eq!(text.stdout.lines().filter(|line| line.starts_with("Matches nothing: functions.")).count(), 3);
    assert_eq!(text.stdout.lines().filter(|line| line.starts_with("Holds: ")).count(), 2);
    assert!(text.stderr.contains("did you mean \"loop_with_break\"?"), "{}", text.stderr);
    assert_eq!(of("markdown").stdout.matches("**matches nothing**").count(), 3);
    let json: Value = serde_json::from_str(&of("json").stdout).unwrap();
    let unmatched = |check: &&Value| check["matches_nothing"] == true;
    assert_eq!(json["checks"].as_array().unwrap().iter().filter(unmatched).count(), 3);
}

#[test]
fn a_function_is_limited_by_the_name_that_findings_give_it() {
    let job = &job("32_raise_forward").folder;
    let of = |name: &str| Check::of([job]).budget(&format!("[functions.\"{name}\"]\nfailures = 0")).go();
    for name in ["Tagger.forward", "forward", "program.forward", "program.Tagger.forward"] {
        of(name).ends_with(3);
    }
    of("Other.forward").ends_with(0);
}

#[test]
fn a_job_with_a_rank_that_differs_fails_from_its_logs_as_from_its_report() {
    for scenario in ["32_ckpt_one", "32_bf16_reduce", "13_div_shapes", "13_div_healthy"] {
        let logs = tempfile::tempdir().unwrap();
        for log in crate::support::job_logs(scenario) {
            fs::copy(&log, logs.path().join(log.file_name().unwrap())).unwrap();
        }
        let code = if scenario == "13_div_healthy" { 0 } else { 3 };
        let of = |path: &Path| Check::of([path]).budget("findings = 0").json(code);
        let titles = |verdict: &Value| -> Vec<String> {
            excesses(verdict).map(|one| one["title"].as_str().unwrap().to_owned()).collect()
        };
        let of_logs = of(logs.path());
        assert_eq!(titles(&of_logs), titles(&of(&job(scenario).folder)), "{scenario}");
    }
}

#[test]
fn seconds_of_a_function_are_those_of_its_compiles() {
    let of = |most: &str| {
        let budget = format!("[functions.by_shape]\ncompile_seconds = {most}");
        Check::of([&report("04_recompiles").folder]).budget(&budget)
    };
    let found = of("0").json(3)["checks"][0]["found"].as_f64().unwrap();
    let total = report("04_recompiles").json["compile_time"]["total_s"].as_f64().unwrap();
    assert!(found > 1.0 && found < total, "{found} of {total}");
    of("60.5").go().ends_with(0);
}

#[test]
fn functions_with_the_same_name_in_a_file_are_distinguished() {
    // The script makes a lambda for each kind of guard; one of them reaches a limit of two.
    let verdict = Check::of([&report("25_guards").folder]).budget("recompiles_per_function = 0").json(3);
    let lambdas = excesses(&verdict).filter(|one| one["function"] == "<lambda>");
    assert!(lambdas.count() > 3);
    assert!(verdict["checks"][0]["found"].as_f64().unwrap() < 5.0, "{}", verdict["checks"][0]["found"]);
}

/// Writes a baseline of a log and gives its text.
fn baseline_of(bytes: &[u8]) -> String {
    let check = Check::of_bytes(bytes).args(["--baseline", "known.toml", "--update-baseline"]);
    let written = check.go().ends_with(0);
    assert!(written.stdout.contains("Wrote known.toml"), "{}", written.stdout);
    fs::read_to_string(written.folder.path().join("known.toml")).unwrap()
}

fn against(bytes: &[u8], baseline: &str) -> Check {
    let check = Check::of_bytes(bytes);
    check.write("known.toml", baseline.as_bytes());
    check.args(["--baseline", "known.toml"])
}

#[test]
fn known_findings_do_not_fail_and_the_baseline_is_sorted_without_lines_and_ids() {
    for name in ["03_graph_breaks", "04_recompiles", "06_errors", "12_ddp_crash"] {
        let log = input(name).bytes();
        let baseline = baseline_of(&log);
        assert_eq!(baseline, baseline_of(&log), "{name}");
        let held = against(&log, &baseline).json(0);
        assert!(held["known"].as_u64().unwrap() > 0, "{name}");
        let entries: Vec<&str> = baseline.split("[[known]]").skip(1).collect();
        assert!(entries.is_sorted(), "{baseline}");
        for line in baseline.lines() {
            assert!(!line.contains(".py:") && !line.contains("0/0") && !line.contains("_at_"), "{line}");
        }
    }
}

/// The log as if `by` lines had been inserted at the top of the script.
fn moved(log: &Log, by: u64) -> Log {
    let places = [
        Regex::new(r"(s\d\d_\w+\.py:)(\d+)").unwrap(),
        Regex::new(r#"(s\d\d_\w+\.py", line )(\d+)"#).unwrap(),
        Regex::new(r"(s\d\d_\w+\.py line )(\d+)").unwrap(),
        Regex::new(r"(torch_dynamo_resume_in_\w+?_at_)(\d+)").unwrap(),
        Regex::new(r#"("line": |"co_firstlineno": )(\d+)"#).unwrap(),
    ];
    let change = |text: &str| {
        let mut text = text.to_owned();
        for place in &places {
            let moved = |found: &regex::Captures<'_>| {
                format!("{}{}", &found[1], found[2].parse::<u64>().unwrap() + by)
            };
            text = place.replace_all(&text, moved).into_owned();
        }
        text
    };
    let mut log = log.clone();
    for record in &mut log.records {
        let envelope = change(std::str::from_utf8(record.envelope()).unwrap());
        record.set_envelope(envelope.as_bytes());
        if !record.payload.is_empty() {
            let payload = record.text();
            let payload = String::from_utf8_lossy(&payload);
            let changed = change(&payload);
            if changed != payload {
                record.set_payload(changed.as_bytes());
            }
        }
    }
    log
}

#[test]
fn a_baseline_survives_moved_lines() {
    for name in ["03_graph_breaks", "04_recompiles"] {
        let log = Log::of(input(name));
        let later = moved(&log, 100).bytes();
        let budget = "graph_breaks = 0\nrecompiles_per_function = 0";
        let places = Check::of_bytes(&later).budget(budget).json(3);
        let lines: Vec<u64> = excesses(&places).map(|one| one["line"].as_u64().unwrap()).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| *line > 100), "the lines did move: {lines:?}");
        against(&later, &baseline_of(&log.bytes())).json(0);
    }
}

#[test]
fn against_a_baseline_only_a_new_break_fails_and_is_reported() {
    let log = Log::of(input("03_graph_breaks"));
    let mut before = log.clone();
    before.records.retain(|record| {
        let text = String::from_utf8(record.text()).unwrap_or_default();
        let is_break = text.starts_with("Graph break in user code at");
        !(is_break && text.lines().next().unwrap().ends_with(":28"))
    });
    assert_eq!(log.records.len() - before.records.len(), 3, "the break was hit three times");
    let verdict = against(&log.bytes(), &baseline_of(&before.bytes())).json(3);
    let new: Vec<&Value> = excesses(&verdict).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    assert_eq!(new[0]["line"], 28);
    assert_eq!(new[0]["function"], "inner_explicit");
}

#[test]
fn a_baseline_counts_equal_recompilations_and_fails_on_one_more() {
    let log = input("04_recompiles").bytes();
    let baseline = baseline_of(&log);
    let counts = Regex::new(r"(?m)^count = (\d+)$").unwrap();
    assert!(counts.is_match(&baseline), "{baseline}");
    let fewer = counts.replace_all(&baseline, |found: &regex::Captures<'_>| {
        format!("count = {}", found[1].parse::<u64>().unwrap() - 1)
    });
    let verdict = against(&log, &fewer).json(3);
    let exceeded = verdict["checks"].as_array().unwrap().iter().filter(|check| check["holds"] == false);
    let names: Vec<&str> = exceeded.map(|check| check["budget"].as_str().unwrap()).collect();
    assert_eq!(names, ["recompiles_per_function"]);
}

#[test]
fn a_budget_beside_a_baseline_counts_only_what_is_new() {
    let log = input("03_graph_breaks").bytes();
    let baseline = baseline_of(&log);
    against(&log, &baseline).budget("graph_breaks = 0\nfailures = 0").go().ends_with(0);
    against(&log, &baseline).budget("graph_breaks = 0\ncompile_seconds = 1").go().ends_with(3);
}

#[test]
fn each_rank_of_a_job_is_checked_and_shared_excesses_are_reported_once() {
    let folder = &job("13_div_break").folder;
    let breaks = Check::of([folder]).budget("graph_breaks = 0\nfindings = 0").json(3);
    assert_eq!(breaks["logs"], serde_json::json!(["rank 0", "rank 1", "the job"]));
    let of_kind =
        |kind: &str| excesses(&breaks).filter(|one| one["kind"] == kind).cloned().collect::<Vec<Value>>();
    let own = of_kind("graph_break");
    assert!(!own.is_empty());
    for one in &own {
        assert_eq!(one["logs"], serde_json::json!(["rank 1"]), "{one}");
        assert!(one["page"].as_str().unwrap().contains("rank_1/index.html#finding-"), "{one}");
    }
    let differ = of_kind("graph_breaks_differ");
    assert_eq!(differ[0]["logs"], serde_json::json!(["the job"]));
    let healthy = Check::of([&job("13_div_healthy").folder]).budget("graph_breaks = 0\nfindings = 0");
    healthy.go().ends_with(0);
}

#[test]
fn a_folder_of_logs_of_ranks_is_checked_as_their_job() {
    let folder = source("tests/inputs/12_ddp_2");
    assert!(folder.is_dir());
    let logs = tempfile::tempdir().unwrap();
    for log in crate::support::job_logs("12_ddp_2") {
        fs::copy(&log, logs.path().join(log.file_name().unwrap())).unwrap();
    }
    let verdict = Check::of([logs.path()]).budget("compile_seconds = 0").json(3);
    assert_eq!(verdict["logs"], serde_json::json!(["rank 0", "rank 1", "the job"]));
    assert_eq!(excesses(&verdict).count(), 2, "each rank compiled");
}

#[test]
fn several_logs_are_each_held_to_the_budget() {
    let paths = [&report("01_inference").folder, &report("03_graph_breaks").folder];
    let verdict = Check::of(paths).budget("graph_breaks = 6\nfailures = 2").go().ends_with(3);
    assert!(verdict.stdout.contains("1 of 2 budgets is exceeded"), "{}", verdict.stdout);
    assert!(verdict.stdout.contains("in dedicated_log_torch_trace_"), "{}", verdict.stdout);
}

#[test]
fn explain_says_what_counts_towards_each_budget_without_reading_anything() {
    let told = Check::of(["no-such.log"]).args(["--explain"]).go().ends_with(0).stdout;
    for budget in AMOUNTS.map(|(_, budget, _)| budget).iter().chain(&["compile_seconds", "[functions."]) {
        assert!(told.contains(budget), "{budget}: {told}");
    }
    assert!(told.contains("failures = 0"), "the default is told: {told}");
}

/// The excesses of all budgets.
pub fn excesses(verdict: &Value) -> impl Iterator<Item = &Value> {
    verdict["checks"].as_array().unwrap().iter().flat_map(|check| check["excesses"].as_array().unwrap())
}

#[test]
fn unrelated_logs_are_checked_separately_from_a_report_and_from_an_archive() {
    let (one, other) = (&input("01_inference").path, &input("03_graph_breaks").path);
    let written = Run::of(one).args([other]).go();
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let budget = "graph_breaks = 6\nfailures = 2";
    let of_report = Check::of([&written.folder]).budget(budget).json(3);
    let names: Vec<&Value> = excesses(&of_report).flat_map(|one| one["logs"].as_array().unwrap()).collect();
    let name = json!(input("03_graph_breaks").file_name().trim_end_matches(".zst"));
    assert!(!names.is_empty() && names.iter().all(|one| **one == name), "{name}: {names:?}");
    let page = excesses(&of_report).find_map(|one| one["page"].as_str()).unwrap();
    let page = page.split('#').next().unwrap();
    assert!(page.contains("log_2") && Path::new(page).is_file(), "{page}");
    // The same logs in an archive have no pages, but the same verdict.
    let (one, other) = (input("01_inference").bytes(), input("03_graph_breaks").bytes());
    let archive = TempDir::new().unwrap();
    let path = archive.path().join("bug.zip");
    fs::write(&path, zip(&[("a/01.log", &one), ("b/03.log", &other)])).unwrap();
    let of_archive = Check::of([path]).budget(budget).json(3);
    assert_eq!(excesses(&of_archive).count(), excesses(&of_report).count());
    // A comparison wants one of them, and says which there are.
    let several = written.folder.as_os_str();
    let done = crate::diff::diff(&[several, several]);
    let said = done.fails(1);
    assert!(said.contains("2 logs that do not belong together; give one of them: "), "{said}");
    assert!(said.contains(&format!("{} (log_2)", name.as_str().unwrap())), "{said}");
}
