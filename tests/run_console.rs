//! `tlparse run` keeps what the command prints on standard error, which still reaches its own at once. A shell replaces a
//! program that compiles: it copies a real log to `$TORCH_TRACE` and prints the console of the same run.

use crate::support::{Report, input, source};
use serde_json::json;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;
use tlparse::system::terminals::PseudoTerminal;

const LOG: &str = "34_cg_many_sizes";

/// What the program prints when it is called by this name.
const PROGRAM: &str = r#"program() { cp log "$TORCH_TRACE/$LOG"; cat console >&2; }; "#;

/// A traceback as Python writes it.
const RAISED: &str = "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in <module>\n    step()\nValueError: no batch is left\n";

struct Stage(TempDir);

impl Stage {
    fn new() -> Stage {
        let stage = Stage(TempDir::new().unwrap());
        fs::write(stage.path("log"), input(LOG).bytes()).unwrap();
        let packed = fs::File::open(source(&format!("tests/consoles/{LOG}/console.txt.gz"))).unwrap();
        let mut console = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut console).unwrap();
        fs::write(stage.path("console"), console).unwrap();
        fs::write(stage.path("raised"), RAISED).unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `tlparse run` with a script in place of a program.
    fn run(&self, flags: &[&str], script: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LOG", input(LOG).file_name())
            .current_dir(self.0.path());
        command.args(["run", "-o", "report", "--no-browser"]).args(flags);
        command.args(["--", "sh", "-c", &format!("{PROGRAM}{script}")]);
        command.stdin(Stdio::null());
        command
    }

    fn report(&self) -> Report {
        Report::new(self.path("report"), None)
    }
}

fn texts(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_a_command_prints_joins_its_log_and_the_exception_is_the_first_sentence() {
    let stage = Stage::new();
    let (stdout, stderr) = texts(&mut stage.run(&[], "echo out; program; cat raised >&2; exit 1"));
    assert_eq!(stdout, "out\n");
    assert!(stderr.contains(RAISED), "{stderr}");
    let sentence =
        "The command ended with exit code 1: ValueError at train.py:7: no batch is left. 1 compilation";
    assert!(stderr.contains(sentence), "{stderr}");
    let report = stage.report();
    assert_eq!(report.list("findings")[0]["kind"], "run_time_error");
    assert_eq!(report.json["console"]["cuda_graphs"][0]["recordings"], 60);
    assert_eq!(report.json["console"]["exceptions"][0]["line"], 7);
}

#[test]
fn torch_is_asked_for_cuda_graphs_and_hints_and_the_terminal_shows_what_it_would_without() {
    let stage = Stage::new();
    let (_, stderr) = texts(&mut stage.run(&[], "echo \"asked for $TORCH_LOGS\" >&2; program"));
    assert!(stderr.contains("asked for cudagraphs,perf_hints\n"), "{stderr}");
    assert!(stderr.contains("UserWarning: TensorFloat32"), "{stderr}");
    assert!(
        stderr.contains("CUDAGraph supports dynamic shapes by recording"),
        "a warning is shown: {stderr}"
    );
    assert!(!stderr.contains("Recording function="), "{stderr}");

    let stage = Stage::new();
    let mut command = stage.run(&[], "echo \"asked for $TORCH_LOGS\" >&2; program");
    let (_, stderr) = texts(command.env("TORCH_LOGS", "cudagraphs"));
    assert!(stderr.contains("asked for cudagraphs\n"), "{stderr}");
    assert_eq!(stderr.matches("Recording function=").count(), 60, "the user asked for it");
}

#[test]
fn without_a_console_standard_error_is_the_commands_own() {
    let stage = Stage::new();
    let (_, stderr) =
        texts(&mut stage.run(&["--no-console"], "echo \"asked for <$TORCH_LOGS>\" >&2; program"));
    assert!(stderr.contains("asked for <>\n"), "{stderr}");
    assert_eq!(stderr.matches("Recording function=").count(), 60, "{stderr}");
    assert!(stage.report().json.get("console").is_none());
}

#[test]
fn the_console_is_kept_beside_the_logs_and_read_with_them_again() {
    let stage = Stage::new();
    let _ = texts(&mut stage.run(&["--trace-dir", "trace"], "program; cat raised >&2; exit 1"));
    let kept = fs::read_to_string(stage.path("trace/console.txt")).unwrap();
    assert_eq!(kept, fs::read_to_string(stage.path("console")).unwrap() + RAISED);
    let again = crate::support::Run::of(stage.path("trace"))
        .args(["--console".into(), stage.path("trace/console.txt")])
        .ok();
    assert_eq!(again.json["console"], stage.report().json["console"]);
}

#[test]
fn a_command_that_would_write_to_a_terminal_gets_one_with_each_byte_as_it_is() {
    let stage = Stage::new();
    let PseudoTerminal { program, mut output } = PseudoTerminal::open().unwrap();
    let mut command = stage.run(&[], r#"test -t 2 && printf '\rgets a terminal\n\r1/2\r2/2\n' >&2; program"#);
    let mut child = command.stdout(Stdio::null()).stderr(program).spawn().unwrap();
    drop(command);
    let mut shown = Vec::new();
    output.read_to_end(&mut shown).unwrap();
    assert!(child.wait().unwrap().success());
    let shown = String::from_utf8_lossy(&shown);
    assert!(shown.starts_with("\rgets a terminal\n\r1/2\r2/2\n"), "{shown:?}");
    assert_eq!(stage.report().json["console"]["cuda_graphs"][0]["sizes"], json!(60));
}

#[test]
fn a_process_that_outlives_the_command_does_not_hold_up_the_report() {
    let stage = Stage::new();
    let begun = std::time::Instant::now();
    let mut command = stage.run(&[], "program; (sleep 20 >/dev/null) & exit 0");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(begun.elapsed().as_secs() < 15, "it waited for {:?}", begun.elapsed());
}
