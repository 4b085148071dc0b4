//! How the program ends on signals and write errors, and what it prints.

use crate::support::{Log, Run, input};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Starts a run on a long log and waits until it writes its report in `out`.
fn working(folder: &Path, out: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlparse"));
    command.current_dir(folder).arg(&input("16_many").path).args(["--no-browser", "-o", out]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let began = Instant::now();
    while names(folder).is_empty() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// The signal that ended a run.
#[cfg(unix)]
fn signal_of(mut child: Child) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap())
}

#[cfg(unix)]
#[test]
fn a_stopped_run_leaves_nothing_behind() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let child = working(folder.path(), "parents/of/report");
        assert!(!names(folder.path()).is_empty(), "the report is begun");
        let kill = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(signal_of(child), Some(number), "its end is that of the signal");
        assert_eq!(names(folder.path()), Vec::<String>::new(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args([
        "-c",
        "ulimit -f 8; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_tlparse"),
    ]);
    let output =
        command.arg(&input("01_inference").path).args(["--no-browser", "-o", "report"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn failing_to_print_is_an_error() {
    let log = &input("01_inference").path;
    for args in [&["--json"][..], &[], &["-v"], &["--format", "sarif"]] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlparse"));
        command.current_dir(folder.path()).arg(log).args(["--no-browser", "-o", "report"]).args(args);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("standard output cannot be written"), "{said}");
        assert!(folder.path().join("report/index.html").is_file(), "the report stands all the same");
    }
}

#[test]
fn a_log_cannot_control_the_terminal() {
    let mut log = Log::of(input("03_graph_breaks"));
    let steering = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let like = log.first("dynamo_start").clone();
    log.records.push(like.like(&json!({ steering: {} }).to_string(), None));
    for at in log.all("compilation_metrics") {
        log.records[at].edit(|envelope| {
            envelope["compilation_metrics"]["co_name"] = steering.into();
            envelope["compilation_metrics"]["co_filename"] = format!("/app/{steering}.py").into();
            envelope["compilation_metrics"]["fail_type"] = steering.into();
        });
    }
    let done = Run::of_bytes("steering.log", &log.bytes()).args(["-v"]).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for text in [&done.stdout, &done.stderr] {
        let odd = text.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
        assert_eq!(odd, None, "{text:?}");
    }
    assert!(done.stdout.contains("\\u{1b}[2J"), "it is spelled out: {}", done.stdout);
}
