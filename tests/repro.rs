//! `tlparse repro`: the script of a compile. With torch, scripts run; without it, what they hold is checked.

use crate::support::log::contains;
use crate::support::{Log, Run, input, report, source};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Writes the script of a compile into a folder.
fn script(folder: &Path, id: &str, path: &Path, options: &[&str]) -> PathBuf {
    let file = folder.join(format!("{}.py", id.replace('/', "_")));
    let (out, path) = (file.display().to_string(), path.display().to_string());
    let done = Run::bare().go_with(&[&["repro", id, &path, "-o", &out], options].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("it runs code out of the log"), "{}", done.stderr);
    assert!(done.stderr.contains(&format!("run it with: python {out}")), "{}", done.stderr);
    file
}

fn printed(args: &[&str]) -> String {
    let done = Run::bare().go_with(&[&["repro"], args].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("note: it runs code out of the log"), "{}", done.stderr);
    done.stdout
}

/// What `tlparse repro` says about a compile that it has no script of.
fn refused(id: &str, log: &str) -> String {
    let path = input(log).path.display().to_string();
    Run::bare().go_with(&["repro", id, &path]).fails(1)
}

/// The log of a compile whose C++ compiler does not exist: a setting that differs from torch's default.
fn failing() -> PathBuf {
    source("tests/repro/no_such_compiler.log")
}

#[test]
fn a_script_says_what_it_runs_and_names_nothing_of_the_machine_that_recorded() {
    let log = input("03_graph_breaks").path.display().to_string();
    let text = printed(&["1/0", &log]);
    assert!(text.starts_with("# -*- coding: utf-8 -*-\n# Made by tlparse "), "{text:.200}");
    assert!(text.contains("# Function: inner_print, at /app/s03_graph_breaks.py:9\n"), "{text:.600}");
    assert!(text.contains("reader.tensor(buf0, (4, 8)") && text.contains("command='run'"));
    assert!(text.contains("torch._inductor.config.deterministic = False"));
    assert!(!text.contains("os.environ['TORCH_TRACE']") && !text.contains("TORCHINDUCTOR_CACHE_DIR"));
    assert!(printed(&["[1/0]", &log, "--minify"]).contains("command='minify'"));
    // The same from the report, whose code is in pages.
    let finished = report("03_graph_breaks").folder.display().to_string();
    assert_eq!(printed(&["1/0", &finished]).replace(&finished, &log), text);
}

#[test]
fn no_name_in_a_log_chooses_the_encoding_of_the_script_or_becomes_code() {
    // Read as UTF-7, `+AAo-` is the end of a line.
    let name = "f+AAo-print('CODE OUT OF A COMMENT')+AAo-#\u{202e}\\u001b[2J\\r\\nimport os\u{e0041}\u{e9}";
    let text = String::from_utf8(input("03_graph_breaks").bytes()).unwrap();
    let log = text.replace("\"inner_print\"", &format!("\"{name}\""));
    assert_ne!(text, log);
    let run = Run::of_bytes("trace coding: utf-7 .log", log.as_bytes());
    let path = run.path();
    let done = run.go_with(&["repro", "1/0", &path]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines[0], "# -*- coding: utf-8 -*-");
    assert!(lines[1].contains("trace coding: utf-7 .log"), "{}", lines[1]);
    let comments = lines.iter().take_while(|line| line.starts_with('#'));
    assert!(comments.clone().all(|line| line.bytes().all(|byte| (b' '..=b'~').contains(&byte))), "{lines:?}");
    let told = "print('CODE OUT OF A COMMENT')+AAo-#\\u202e\\x1b[2J\\x0d import os\\U000e0041\\xe9";
    assert!(comments.clone().any(|line| line.contains(told)), "{lines:?}");
    // What Python takes for the encoding.
    let asked = "import sys, tokenize; print(tokenize.detect_encoding(sys.stdin.buffer.readline)[0])";
    let mut python = Command::new("python3");
    let child = python.args(["-c", asked]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no python3");
        return;
    };
    child.stdin.take().unwrap().write_all(done.stdout.as_bytes()).unwrap();
    let said = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "utf-8");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_shown_what_it_would_obey_and_a_pipe_gets_the_script_as_it_is() {
    let mut log = Log::of(input("03_graph_breaks"));
    for record in &mut log.records {
        let text = record.text();
        if contains(&record.header, b"fx_graph_runnable") {
            record.set_payload(&[&text[..], "\n# \u{1b}]0;title\u{7}\u{9b}2J\u{202e}\n".as_bytes()].concat());
        }
    }
    let run = Run::of_bytes("steering.log", &log.bytes());
    let path = run.path();
    let piped = run.go_with(&["repro", "1/0", &path]);
    assert!(piped.stdout.contains("# \u{1b}]0;title\u{7}\u{9b}2J\u{202e}\n"), "{}", piped.stdout);
    // `script` gives the program a terminal.
    let program = assert_cmd::cargo::cargo_bin!("tlparse").display().to_string();
    let call = format!("'{program}' repro 1/0 '{path}'");
    let shown = Command::new("script").args(["-qec", &call, "/dev/null"]).stdin(Stdio::null()).output();
    let Ok(shown) = shown else {
        eprintln!("skipped: there is no script(1)");
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("# \\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}"), "{shown}");
}

#[test]
fn sizes_that_the_inputs_are_written_with_have_the_values_of_the_recording() {
    let log = input("05_dynamic_shapes").path.display().to_string();
    let text = printed(&["0/0", &log]);
    assert!(text.contains("\ns77 = 7\n"), "{text}");
    assert!(text.contains("reader.tensor(buf0, (s77, 5)"), "{text}");
}

#[test]
fn a_training_step_has_a_forward_and_a_backward_graph() {
    let log = input("02_train_mlp").path.display().to_string();
    let [forward, backward] = ["1", "2"].map(|number| printed(&["0/0", &log, "--graph", number]));
    assert!(forward.contains("# Graph: 1 of 2") && forward.contains("primals_1"));
    assert!(backward.contains("# Graph: 2 of 2") && backward.contains("tangents_1"));
    let third = Run::bare().go_with(&["repro", "0/0", &log, "--graph", "3"]);
    assert!(third.fails(2).contains("--graph 3: compile 0/0 has 2, the first is 1"));
}

#[test]
fn a_compile_that_failed_in_its_backend_has_the_script_of_the_captured_graph() {
    let log = input("06_errors").path.display().to_string();
    let text = printed(&["0/0", &log]);
    assert!(
        text.contains("# It failed with BackendCompilerFailed: backend='raising_backend' raised"),
        "{text:.900}"
    );
    assert!(text.contains("random(reader, (4, 4,), (4, 1,), torch.float32, \"cpu\")  # L_x_"), "{text}");
    assert!(text.contains("run_repro(GraphModule(), load_args"), "{text}");
}

#[test]
fn a_compile_without_a_graph_is_told_why_and_a_file_is_not_replaced_unasked() {
    let traced = refused("2/0", "06_errors");
    assert!(traced.contains("failed before a graph was complete, with Unsupported"), "{traced}");
    assert!(traced.contains("s06_errors.py:31"), "{traced}");
    let cached = refused("0/0", "12_ddp_2");
    assert!(cached.contains("TORCHINDUCTOR_FORCE_DISABLE_CACHES=1"), "{cached}");
    assert!(refused("99/9", "06_errors").contains("has no compile 99/9"));
    let folder = TempDir::new().unwrap();
    let log = &input("03_graph_breaks").path;
    let file = script(folder.path(), "1/0", log, &[]);
    let (out, log) = (file.display().to_string(), log.display().to_string());
    let again = Run::bare().go_with(&["repro", "1/0", &log, "-o", &out]);
    assert!(again.fails(2).contains("exists; give --overwrite to replace it"));
}

#[test]
fn the_script_of_each_rank_is_its_own() {
    let folder = source("tests/inputs/12_ddp_2").display().to_string();
    let [first, second] = ["0", "1"].map(|rank| printed(&["4/0", &folder, "--rank", rank]));
    assert!(first.contains("# Graph: 1 of 6") && second.contains("reader.tensor("), "{first:.600}");
    let none = Run::bare().go_with(&["repro", "4/0", &folder, "--rank", "9"]);
    assert!(none.fails(1).contains("has no part \"rank_9\""));
}

/// A Python that has torch: that of `TORCH_PYTHON`, or of the system.
fn python_with_torch() -> Option<PathBuf> {
    let named = std::env::var_os("TORCH_PYTHON").map(PathBuf::from);
    let can = |python: &PathBuf| {
        let quiet = Command::new(python)
            .args(["-c", "import torch"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        quiet.is_ok_and(|status| status.success())
    };
    let found = named.into_iter().chain([PathBuf::from("python3")]).find(can);
    if found.is_none() {
        eprintln!("skipped: there is no Python with torch; TORCH_PYTHON names one");
    }
    found
}

/// Runs a script; its exit code and what it said.
fn ran(python: &Path, script: &Path) -> (Option<i32>, String) {
    let done = Command::new(python).arg(script).current_dir(script.parent().unwrap()).output().unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn under_torch_four_compiles_run_and_a_failure_fails_again() {
    let Some(python) = python_with_torch() else { return };
    let folder = TempDir::new().unwrap();
    for (id, log, options) in [
        ("1/0", "03_graph_breaks", &[][..]),
        ("0/0", "05_dynamic_shapes", &[]),
        ("0/0", "02_train_mlp", &["--graph", "2", "--overwrite"]),
        ("8/0", "06_errors", &[]),
    ] {
        let script = script(folder.path(), id, &input(log).path, options);
        let (code, said) = ran(&python, &script);
        assert_eq!(code, Some(0), "{log} {id}\n{said}");
    }
    let failing = script(folder.path(), "0/0", &failing(), &["--overwrite"]);
    let (code, said) = ran(&python, &failing);
    assert!(code != Some(0) && said.contains("no-such-compiler"), "{said}");
}
