//! What programs printed with `TORCH_LOGS`, read in place of a trace: what the console says is known, all else is not made up.

use crate::support::{Done, Report, Run, report, source};
use serde_json::{Value, json};

fn console(name: &str) -> Run {
    Run::of(source("tests/consoles").join(name)).args(["--strict"])
}

fn read(done: Done) -> (String, Report) {
    let stdout = done.stdout.clone();
    (stdout, done.report(0))
}

/// Of each entry of a list, the values of these keys.
fn values(report: &Report, list: &str, keys: &[&str]) -> Vec<Value> {
    let row = |entry: &Value| keys.iter().map(|key| entry[*key].clone()).collect::<Value>();
    report.list(list).iter().map(row).collect()
}

#[test]
fn breaks_and_recompiles_of_the_console_are_those_of_the_trace_of_the_same_run() {
    let (stdout, found) = read(console("34_dynamic_len.txt").go());
    let trace = report("34_dynamic_len");
    for (list, keys) in [
        ("recompiles", ["compile_id", "reasons", "function"].as_slice()),
        ("graph_breaks", ["reason", "file", "line", "explanation", "hints"].as_slice()),
    ] {
        let expected = values(trace, list, keys);
        assert!(!expected.is_empty(), "{list}");
        assert_eq!(values(&found, list, keys), expected, "{list}");
    }
    let hints = found.list("findings").iter().filter_map(|one| one["hint"].as_str());
    let of_guards = hints.filter(|hint| hint.contains("in its guards")).count();
    assert_eq!(of_guards, 0, "guards are not printed, so nothing is known of them");
    assert!(stdout.starts_with("The console output names "), "{stdout}");
    assert!(stdout.contains("Read from console output: no times, graphs or code"), "{stdout}");
}

#[test]
fn nothing_is_said_of_what_a_console_does_not_print() {
    let (stdout, found) = read(console("many_flags_warning.txt").go());
    for untrue in ["No metrics", "0 failures", "0 distinct", "No damaged record", "0.00 s", "cut off"] {
        assert!(!stdout.contains(untrue), "{untrue}: {stdout}");
    }
    let landing = found.page("index.html").text();
    let compile = found.page("-_0_0_0/compile.html").text();
    for untrue in ["is in the log", "No metrics", "0 us", "log ends"] {
        assert!(!landing.contains(untrue) && !compile.contains(untrue), "{untrue}: {landing}{compile}");
    }
    assert!(landing.contains("record with TORCH_TRACE=DIR"), "{landing}");
}

#[test]
fn the_warning_about_the_recompile_limit_is_enough_for_function_limit_and_cause() {
    let (stdout, found) = read(console("many_flags_warning.txt").go());
    let first = &found.list("findings")[0];
    assert_eq!(first["kind"], "recompile_limit", "{stdout}");
    assert_eq!(first["file"], "/app/many_flags.py");
    assert!(stdout.contains("scaled") && stdout.contains("name"), "{stdout}");
}

#[test]
fn guards_and_all_reasons_of_a_console_lead_to_the_same_cause() {
    let (_, found) = read(console("many_flags_guards.txt.gz").go());
    let first = &found.list("findings")[0];
    assert_eq!(first["kind"], "recompile_limit");
    assert_eq!(found.list("recompiles").len(), 8);
    let newest = &found.list("recompiles")[7];
    assert_eq!(newest["compile_id"], "0/8");
    assert_eq!(newest["reasons"].as_array().unwrap().len(), 8);
    assert_eq!(found.json["log"]["console"], json!(["guards", "recompiles"]));
}

#[test]
fn labels_of_job_systems_before_console_lines_are_removed() {
    let text = std::fs::read_to_string(source("tests/consoles/34_dynamic_len.txt")).unwrap();
    let labelled: String =
        text.lines().map(|line| format!("2026-11-20T04:42:01.5Z (worker pid=7) {line}\n")).collect();
    let plain = console("34_dynamic_len.txt").ok();
    let found = Run::of_bytes("job.txt", labelled.as_bytes()).ok();
    for list in ["recompiles", "graph_breaks", "findings"] {
        assert_eq!(found.json[list], plain.json[list], "{list}");
    }
}

#[test]
fn a_break_that_is_printed_again_without_its_stack_or_warned_of_first_is_one_break() {
    for (name, line, count) in [("89_resume.txt", 14, 2), ("89_resume_26.txt", 14, 2), ("64_item.txt", 16, 1)]
    {
        let (stdout, found) = read(console(name).go());
        let breaks = found.list("graph_breaks");
        assert_eq!(breaks.len(), 1, "{stdout}");
        assert_eq!((&breaks[0]["line"], &breaks[0]["count"]), (&json!(line), &json!(count)), "{stdout}");
    }
}

/// The versions of torch under which `fixed_sizes.py` was run.
const VERSIONS: [&str; 6] = ["26", "27", "28", "29", "210", "215"];

/// The console of a run of `fixed_sizes.py`, and its trace.
fn fixed_sizes(version: &str) -> [Report; 2] {
    let folder = source(&format!("tests/consoles/fixed_sizes_{version}"));
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let log = names.into_iter().find(|path| path.extension().is_some_and(|end| end == "zst")).unwrap();
    [Run::of(folder.join("console.txt.gz")).args(["--strict"]).ok(), Run::of(log).ok()]
}

/// What the findings of a kind say, and what they advise first: further advice may depend on the version of torch, which is
/// not printed.
fn said(report: &Report, kind: &str) -> Vec<Value> {
    let of_kind = report.list("findings").iter().filter(|one| one["kind"] == kind);
    let first = |one: &Value| {
        json!([one["advice"][0]["text"], one["advice"][0]["code"], one["advice"][0]["promise"]])
    };
    of_kind.map(|one| json!([one["title"], one["file"], one["line"], first(one)])).collect()
}

#[test]
fn sizes_that_torch_made_symbols_or_constants_are_those_of_the_trace() {
    for version in VERSIONS {
        let [console, trace] = fixed_sizes(version);
        for kind in ["specialization", "recompilation"] {
            let mut expected = said(&trace, kind);
            assert!(!expected.is_empty(), "{version} {kind}");
            // Records of torch 2.6 have no source lines, of which the advice is.
            if version == "26" && kind == "specialization" {
                assert!(expected[0][3][0].is_null(), "{expected:?}");
                expected[0][3] = said(&console, kind)[0][3].clone();
            }
            assert_eq!(said(&console, kind), expected, "{version} {kind}");
        }
        let symbols = |report: &Report| {
            let page = report.page("shapes.html").text();
            ["L['x'].size()[0]", "u0", "s27", "s0"].map(|name| page.contains(name))
        };
        assert_eq!(symbols(&console), symbols(&trace), "{version}");
        assert!(console.json["log"]["console"].as_array().unwrap().contains(&json!("dynamic")), "{version}");
    }
}

#[test]
fn a_compile_that_ended_the_program_is_a_failure_with_the_advice_of_the_trace() {
    for version in VERSIONS {
        let [console, trace] = fixed_sizes(version);
        let advised = |report: &Report| {
            let all = said(report, "failure");
            assert_eq!(all.len(), 1, "{version} {all:#?}");
            assert_eq!(said(report, "run_time_error").len(), 0, "{version}");
            all[0].clone()
        };
        assert_eq!(advised(&console), advised(&trace), "{version}");
    }
}

#[test]
fn a_file_whose_first_folders_torch_leaves_out_has_its_whole_name() {
    let [console, _] = fixed_sizes("215");
    let places = values(&console, "findings", &["file"]);
    assert!(places.iter().all(|place| place[0] == "/app/fixed_sizes.py"), "{places:?}");
}

#[test]
fn empty_standard_input_leads_to_the_output_that_torch_prints_to() {
    let (stdout, found) = read(Run::of("-").stdin(Vec::new()).go());
    for (text, place) in [(stdout.as_str(), "terminal"), (&found.read("report.md"), "report.md")] {
        assert!(text.contains("Nothing was recorded: standard input was empty."), "{place}: {text}");
        assert!(text.contains("program 2>&1 | tlparse -"), "{place}: {text}");
    }
    let other = Run::of("-").stdin(b"epoch 1\n".to_vec()).go();
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("standard input holds no TORCH_TRACE record"), "{}", other.stderr);
    assert!(other.stderr.contains("program 2>&1 | tlparse -"), "{}", other.stderr);
}

#[test]
fn an_exception_of_the_compiler_alone_is_a_failure_with_its_line_and_advice() {
    let path = source("tests/consoles/76_fullgraph.txt");
    let text = std::fs::read(&path).unwrap();
    let labelled: String =
        String::from_utf8_lossy(&text).lines().map(|line| format!("[rank3]: {line}\n")).collect();
    let (stdout, found) = read(console("76_fullgraph.txt").go());
    let first = &found.list("findings")[0];
    assert_eq!(
        (&first["kind"], &first["file"]),
        (&json!("failure"), &json!("/app/76_fullgraph.py")),
        "{stdout}"
    );
    assert_eq!(first["line"], 22);
    assert!(stdout.contains("print cannot be in a graph"), "{stdout}");
    assert!(stdout.contains("The console output names 1 failure."), "{stdout}");
    assert!(first["hint"].as_str().unwrap().contains("reorderable_logging_functions"), "{first}");
    for (name, bytes) in [("standard input", text), ("behind the label of a rank", labelled.into_bytes())] {
        let again = Run::of("-").stdin(bytes).ok();
        assert_eq!(again.list("findings")[0]["title"], first["title"], "{name}");
    }
    for part in ["0000", "00-00", "Jan"] {
        let landing = found.page("index.html").text();
        assert!(!landing.contains(part), "no time is made up: {landing}");
    }
}

#[test]
fn each_rank_of_a_console_has_the_exception_that_is_behind_its_label() {
    let text = std::fs::read_to_string(source("tests/consoles/76_fullgraph.txt")).unwrap();
    let other = text.replace("line 22, in f", "line 31, in f");
    let labelled = |rank: u32, text: &str| -> String {
        text.lines().map(|line| format!("[rank{rank}]: {line}\n")).collect()
    };
    let (first, second) = (labelled(0, &text), labelled(1, &other));
    let mixed: String =
        first.lines().zip(second.lines()).map(|(first, second)| format!("{first}\n{second}\n")).collect();
    for console in [first.clone() + &second, mixed] {
        each_has_its_line(console);
    }
}

fn each_has_its_line(mut console: String) {
    // What the launcher prints.
    console.push_str("Traceback (most recent call last):\n  File \"/venv/bin/torchrun\", line 7, in <module>\nChildFailedError: \n");
    let done = Run::of("-").stdin(console.into_bytes()).go();
    for (rank, line) in [("rank0", 22), ("rank1", 31)] {
        let sentence = format!("{rank}: The program raised Unsupported at 76_fullgraph.py:{line}");
        assert!(done.stdout.contains(&sentence), "{sentence}: {}", done.stdout);
    }
}

#[test]
fn other_text_about_an_exception_of_the_compiler_is_not_a_console() {
    for text in [
        "see torch._dynamo.exc.Unsupported: it is raised\n",
        "Traceback (most recent call last):\nValueError: no\n",
    ] {
        let done = Run::of("-").stdin(text.as_bytes().to_vec()).go();
        assert_eq!(done.code, Some(1), "{text}: {}", done.stdout);
    }
}

#[test]
fn a_number_of_which_no_guards_are_printed_is_not_said_to_be_a_constant() {
    let (_, found) = read(console("45_two_values.txt").go());
    let hint = found.list("findings")[0]["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("has no guards, so it does not show which"), "{hint}");
}
