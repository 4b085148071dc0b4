//! `--console`: what a program printed beside its log, which is known of nothing but the running program.

use crate::support::{Done, Report, Run, inputs, source};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

fn console(name: &str) -> PathBuf {
    source(&format!("tests/consoles/{name}/console.txt.gz"))
}

fn log(name: &str) -> PathBuf {
    let stored = inputs().iter().find(|input| input.name == name);
    stored.map_or_else(|| source(&format!("tests/consoles/{name}")), |input| input.path.clone())
}

/// A log, read with the console of the same run.
fn done(name: &str) -> Done {
    Run::of(log(name)).args([String::from("--console"), console(name).display().to_string()]).go()
}

fn read(name: &str) -> (String, Report) {
    let done = done(name);
    (done.stdout.clone(), done.report(0))
}

/// The console's facts about the only compile with CUDA graphs.
fn graphs(report: &Report) -> &Value {
    let all = report.json["console"]["cuda_graphs"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{all:#?}");
    &all[0]
}

fn finding<'r>(report: &'r Report, kind: &str) -> &'r Value {
    let all = report.list("findings");
    let found: Vec<&Value> = all.iter().filter(|finding| finding["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "one {kind} among {all:#?}");
    found[0]
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value:#}"))
}

#[test]
fn the_operator_that_splits_a_cuda_graph_has_torchs_reason_and_its_line() {
    let (stdout, report) = read("34_cg_cpu_input");
    let seen = graphs(&report);
    assert_eq!(
        (&seen["parts"], &seen["other_parts"], &seen["recordings"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let expected = json!([{
        "operator": "aten.sum.default", "reason": "cpu ops", "count": 1, "file": "/app/g04_cg_cpu_input.py", "line": 10,
    }]);
    assert_eq!(seen["outside"], expected);
    let told = "2 parts, of which 1 can be recorded; `aten.sum.default` is not part of it (cpu ops), at g04_cg_cpu_input.py:10";
    let detail = text(finding(&report, "cuda_graph_split"), "detail");
    assert!(detail.contains(told), "{detail}");
    assert!(stdout.contains("On the console: CUDA graphs of 0/0: 2 parts"), "{stdout}");
    assert!(report.page("index.html").text().contains("On the console: CUDA graphs of 0/0"));
}

#[test]
fn a_skip_while_the_model_ran_joins_the_finding_of_the_log_with_reason_and_line() {
    let (_, report) = read("34_cg_mutated_input");
    let skipped = &graphs(&report)["skipped"];
    let expected = json!([{
        "operator": null, "reason": "mutated inputs (1 instances)", "count": 1,
        "file": "/app/g05_cg_mutated_input.py", "line": 7,
    }]);
    assert_eq!(skipped, &expected);
    assert_eq!(graphs(&report)["compile_id"], "0/0", "the line says of which compile");
    let one = finding(&report, "cuda_graph_skipped");
    assert_eq!(one["title"], "No CUDA graph of `attend`: input `k_cache` is written in place");
    let told = "On the console: skipped due to mutated inputs (1 instances), at g05_cg_mutated_input.py:7";
    assert!(text(one, "detail").contains(told), "{one:#}");
}

#[test]
fn recordings_are_counted_with_the_sizes_that_they_are_for() {
    let (stdout, report) = read("34_cg_many_sizes");
    assert_eq!((&graphs(&report)["recordings"], &graphs(&report)["sizes"]), (&json!(60), &json!(60)));
    let detail = text(finding(&report, "cuda_graph_sizes"), "detail");
    assert!(detail.contains("On the console: recorded 60 times, for 60 sizes"), "{detail}");
    assert!(stdout.contains("recorded 60 times, for 60 sizes"), "{stdout}");
}

#[test]
fn a_graph_that_the_program_captures_by_itself_is_none_that_torch_was_asked_for() {
    let (stdout, report) = read("34_capture");
    let seen = graphs(&report);
    assert_eq!(
        (&seen["parts"], &seen["other_parts"], &seen["recordings"]),
        (&json!(0), &json!(1), &json!(0))
    );
    assert_eq!((&seen["outside"], &seen["skipped"]), (&json!([]), &json!([])));
    assert!(stdout.contains("On the console: no CUDA graphs: torch was not asked for any."), "{stdout}");
    let kinds = report.list("findings").iter().filter(|one| text(one, "kind").starts_with("cuda_graph"));
    assert_eq!(kinds.count(), 0, "nothing is wrong with it");
}

#[test]
fn hints_on_performance_are_in_about_this_log_in_show_and_in_report_md() {
    let (stdout, report) = read("34_cg_cpu_input");
    assert!(stdout.contains("1 hint on performance"), "{stdout}");
    let hint = "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled.";
    // The finding about these products quotes it as well.
    let landing = report.page("index.html").text();
    let listed = landing.split("Hints on performance").nth(1).unwrap_or_default();
    assert!(listed.contains(hint), "{listed}");
    let document = report.read("report.md");
    assert!(
        document.split("## Hints on performance").nth(1).is_some_and(|part| part.contains(hint)),
        "{document}"
    );
    let shown = Run::bare().go_with(&["show", "performance", report.folder.to_str().unwrap()]);
    assert!(shown.stdout.contains(hint), "{}", shown.stdout);
    let (_, without) = read("34_capture");
    assert!(!without.page("index.html").text().contains("Hints on performance"), "none were printed");
}

/// The first sentence, and the first finding, of a program that ended with an exception.
fn ended(name: &str, sentence: &str, line: u64) -> (Report, Value) {
    let (stdout, report) = read(name);
    assert!(stdout.starts_with(sentence), "{stdout}");
    assert!(report.page("index.html").text().contains(sentence.trim_end()), "{sentence}");
    let first = report.list("findings")[0].clone();
    assert_eq!((text(&first, "kind"), &first["line"]), ("run_time_error", &json!(line)), "{first:#}");
    (report, first)
}

#[test]
fn a_program_without_memory_begins_with_the_exception_and_the_users_line() {
    let sentence = "The program raised OutOfMemoryError at g12_oom.py:9: CUDA out of memory. Tried to allocate 512.00 MiB. ";
    let (report, first) = ended("34_oom", sentence, 9);
    assert_eq!(first["file"], "/app/g12_oom.py");
    // The generated code that asked for the memory is that of the compile for dynamic sizes.
    assert_eq!(first["compile_ids"], json!(["0/1"]));
    assert!(
        text(&first, "detail").contains("buf3 = empty_strided_cuda((s33, 8192), (8192, 1), torch.float32)")
    );
    let exception = &report.json["console"]["exceptions"][0];
    assert_eq!(
        (&exception["error"], &exception["compile_id"]),
        (&json!("torch.OutOfMemoryError"), &json!("0/1"))
    );
    assert!(text(exception, "message").contains("2.80 GiB allowed"));
}

const OVERWRITTEN: &str =
    "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run. ";

#[test]
fn an_output_that_was_overwritten_is_to_be_cloned() {
    let sentence = format!("The program raised RuntimeError at g07_cg_overwritten.py:11: {OVERWRITTEN}");
    let (_, first) = ended("34_cg_overwritten", &sentence, 11);
    assert_eq!(first["compile_ids"], json!(["0/0"]), "the only compile with CUDA graphs");
    let codes: Vec<&str> = first["advice"].as_array().unwrap().iter().map(|one| text(one, "code")).collect();
    assert_eq!(codes, ["kept.append(output.clone())", "torch.compiler.cudagraph_mark_step_begin()"]);
}

#[test]
fn gradients_that_are_kept_are_told_from_other_outputs() {
    let sentence = format!("The program raised RuntimeError at g34_cg_train.py:15: {OVERWRITTEN}");
    let (_, first) = ended("34_cg_grads_kept", &sentence, 15);
    assert!(text(&first, "hint").starts_with("Let each step drop the gradients"), "{first:#}");
}

/// The log of a program, read with another console.
fn with_console(name: &str, console: &str) -> Done {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("console.txt");
    fs::write(&path, console).unwrap();
    Run::of(log(name)).args([String::from("--console"), path.display().to_string()]).go()
}

/// The console of a program, unpacked.
fn printed(name: &str) -> String {
    let mut text = String::new();
    let file = fs::File::open(console(name)).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).unwrap();
    text
}

#[test]
fn a_console_of_another_run_is_left_out_and_said_to_be() {
    let done = with_console("34_cg_overwritten", &printed("34_oom"));
    assert!(
        done.stderr.contains("the console is of other processes than the one that wrote"),
        "{}",
        done.stderr
    );
    assert!(done.stdout.starts_with("1 compilation of 1 function"), "{}", done.stdout);
    let report = done.report(0);
    assert_eq!(report.json["console"]["exceptions"], json!([]));
    assert_eq!(report.json["console"]["cuda_graphs"], json!([]));
}

#[test]
fn labels_colors_and_progress_bars_of_a_console_change_nothing() {
    let plain = read("34_oom").1.json["console"].clone();
    let labelled: String = printed("34_oom")
        .lines()
        .map(|line| format!("2026-11-20T04:42:01.5Z (worker pid=7) {line}\r\n"))
        .collect();
    let colored: String =
        printed("34_oom").lines().map(|line| format!("\u{1b}[1;31m{line}\u{1b}[0m\n")).collect();
    let bar = "\r 10%|#   | 1/10\r 20%|##  | 2/10\n";
    let with_bars: String = printed("34_oom").lines().map(|line| format!("{bar}{line}\n")).collect();
    for changed in [labelled, colored] {
        assert_eq!(with_console("34_oom", &changed).report(0).json["console"], plain);
    }
    // Within a traceback, other lines end it; the messages of torch are read all the same.
    let graphs = &with_console("34_oom", &with_bars).report(0).json["console"]["cuda_graphs"];
    assert_eq!(graphs, &plain["cuda_graphs"]);
}

#[test]
fn an_exception_behind_which_the_program_compiled_on_did_not_end_it() {
    let console = printed("34_cg_overwritten");
    let recording = console.lines().find(|line| line.contains("Running warmup")).unwrap();
    let done = with_console("34_cg_overwritten", &format!("{console}{recording}\n"));
    assert!(done.stdout.starts_with("1 compilation of 1 function"), "{}", done.stdout);
    let report = done.report(0);
    assert_eq!(report.json["console"]["exceptions"][0]["went_on"], true);
    assert!(report.list("findings").iter().all(|one| one["kind"] != "run_time_error"));
}

#[test]
fn the_last_of_chained_exceptions_counts_and_an_interrupt_is_no_failure() {
    let raised = |class: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in <module>\n    step()\n{class}\n"
        )
    };
    let chained = format!(
        "{}\nThe above exception was the direct cause of the following exception:\n\n{}",
        raised("KeyError: 'x'"),
        raised("mine.StepFailed: no batch")
    );
    let done = with_console("34_capture", &chained);
    assert!(
        done.stdout.starts_with("The program raised StepFailed at train.py:7: no batch. "),
        "{}",
        done.stdout
    );
    assert_eq!(done.report(0).json["console"]["exceptions"].as_array().unwrap().len(), 1);
    for other in ["KeyboardInterrupt", "SystemExit: 0"] {
        let done = with_console("34_capture", &raised(other));
        assert!(done.stdout.starts_with("1 compilation"), "{}", done.stdout);
    }
    let ignored = format!("Exception ignored in: <function f>\n{}", raised("ValueError: late"));
    assert!(with_console("34_capture", &ignored).stdout.starts_with("1 compilation"));
}

#[test]
fn an_exception_with_which_a_compile_failed_is_the_finding_of_the_log() {
    let failure = crate::support::report("06_errors").json["failures"][0].clone();
    let reason = text(&failure, "reason");
    let console = format!(
        "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in <module>\n    f(x)\n{}: {reason}\n",
        text(&failure, "type")
    );
    let report = with_console("06_errors", &console).report(0);
    assert_eq!(report.json["console"]["exceptions"][0]["in_log"], true);
    assert!(report.list("findings").iter().all(|one| one["kind"] != "run_time_error"));
}

#[test]
fn no_text_of_a_console_is_in_a_redacted_report() {
    for name in ["34_oom", "34_cg_mutated_input"] {
        let args = ["--redact", "--console"]
            .map(str::to_owned)
            .into_iter()
            .chain([console(name).display().to_string()]);
        let done = Run::of(log(name)).args(args).go();
        if name == "34_oom" {
            assert!(done.stdout.starts_with("The program raised OutOfMemoryError."), "{}", done.stdout);
        }
        let report = done.report(0);
        for file in ["index.html", "report.json"] {
            let text = report.read(file);
            for secret in
                ["g12_oom", "GiB", "Tried to allocate", "empty_strided", "mutated inputs", "k_cache", "/app"]
            {
                assert!(!text.contains(secret), "{secret} is in {file}");
            }
        }
    }
}

#[test]
fn a_file_that_is_no_console_is_an_error_or_a_note() {
    let missing = Run::of(log("34_capture")).args(["--console", "nothing.txt"]).go();
    assert!(missing.stderr.contains("cannot read the console nothing.txt"), "{}", missing.stderr);
    let empty = with_console("34_capture", "step 1 loss 0.5\n");
    assert!(empty.stderr.contains("holds no traceback and no message of torch"), "{}", empty.stderr);
    assert!(empty.report(0).json.get("console").is_none());
}

#[test]
fn a_console_alone_says_the_same_of_the_running_program() {
    let alone = |name: &str| {
        let done = Run::of(console(name)).go();
        (done.stdout.clone(), done.report(0))
    };
    let (stdout, report) = alone("34_oom");
    let sentence = "The program raised OutOfMemoryError at g12_oom.py:9: CUDA out of memory. Tried to allocate 512.00 MiB. ";
    assert!(stdout.starts_with(sentence), "{stdout}");
    assert_eq!(report.list("findings")[0]["kind"], "run_time_error");
    let (_, report) = alone("34_cg_mutated_input");
    let skipped = finding(&report, "cuda_graph_skipped");
    assert_eq!(skipped["title"], "CUDA graphs were skipped: mutated inputs (1 instances)");
    assert_eq!(skipped["line"], 7);
    let (stdout, report) = alone("34_cg_many_sizes");
    let sizes = finding(&report, "cuda_graph_sizes");
    assert_eq!(sizes["title"], "60 CUDA graphs were recorded, one for each size of an input");
    assert!(!stdout.contains("0 compilations"), "{stdout}");
}

#[test]
fn the_report_of_a_job_begins_with_the_exception_of_a_rank() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("job.txt");
    let traceback = [
        "Traceback (most recent call last):",
        "  File \"/app/train.py\", line 7, in <module>",
        "    step()",
        "ValueError: no batch is left",
    ];
    fs::write(&path, traceback.map(|line| format!("[rank1]: {line}\n")).concat()).unwrap();
    let done = Run::of(source("tests/inputs/12_ddp_2")).args(["--console".into(), path]).go();
    let sentence = "The program raised ValueError: no batch is left (on rank 1). 2 ranks ";
    assert!(done.stdout.starts_with(sentence), "{}", done.stdout);
    let report = done.report(0);
    let first = &report.list("findings")[0];
    assert_eq!(
        (text(first, "kind"), &first["ranks"], &first["line"]),
        ("run_time_error", &json!([1]), &json!(7))
    );
}

#[test]
fn a_hostile_console_is_escaped_bounded_and_cut_anywhere() {
    let mark = "<img src=x onerror=alert(1)>";
    let frame = format!("  File \"/app/{mark}.py\", line 7, in {mark}\n    {mark}\n");
    let deep = frame.repeat(5_000);
    let console = format!(
        "V1126 23:30:38.911000 1578 torch/a.py:1] [0/0] [__cudagraphs]     op0: reason={mark}, ir={mark}, fx={mark}(x)\n\
         W1126 23:30:38.911000 1578 torch/a.py:2] [__cudagraphs] skipping cudagraphs due to {mark}. Found from : \n\
         Traceback (most recent call last):\n{frame}{deep}\u{1b}[31mmine.Error: {mark}{}\n",
        "x".repeat(3 << 20)
    );
    let done = with_console("34_capture", &console);
    assert!(done.stdout.starts_with("1 compilation"), "a traceback without end is none: {}", done.stdout);
    let short = console.replace(&deep, "");
    let done = with_console("34_capture", &short);
    assert!(done.stdout.starts_with("The program raised Error at "), "{}", &done.stdout[..200]);
    let report = done.report(0);
    assert!(report.read("report.json").len() < 1 << 20);
    let page = report.read("index.html");
    assert!(!page.contains("<img") && page.contains("&lt;img"), "escaped");
    // However a console is cut, it is read.
    let whole = printed("34_oom");
    for part in 1..8 {
        let end = whole.len() * part / 8;
        assert_eq!(with_console("34_oom", &whole[..end]).code, Some(0), "cut at {end}");
    }
}

#[test]
fn a_compile_that_failed_is_at_the_line_that_torch_names() {
    let console = "Traceback (most recent call last):\n  File \"/app/train.py\", line 26, in <module>\n    f(x)\n\
                   torch._dynamo.exc.Unsupported: Unsupported Tensor.item() call\n  Explanation: the size is data.\n\n\
                   from user code:\n   File \"/app/train.py\", line 22, in f\n    n = x.item()\n\n\
                   Set TORCHDYNAMO_VERBOSE=1\n";
    let done = with_console("34_capture", console);
    let sentence = "The program raised Unsupported at train.py:22: Unsupported Tensor.item() call. ";
    assert!(done.stdout.starts_with(sentence), "{}", done.stdout);
}
