//! `tlparse run` and `--watch`. A shell replaces a program that compiles: it appends the pieces of a real log to a file
//! in `$TORCH_TRACE`, at its own pace.

use crate::support::{Input, Report, files_below, input, input_of, job_logs, report};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A folder with pieces of logs, in which the shell runs.
struct Stage(TempDir);

/// How many pieces a log has.
const PIECES: usize = 8;

/// Appends the pieces of the log of that name.
const REPLAY: &str =
    r#"replay() { for piece in pieces/"$1"/*; do cat "$piece" >> "$TORCH_TRACE/$1"; sleep 0.01; done; }; "#;

impl Stage {
    fn of(logs: &[&Input]) -> Stage {
        let stage = Stage(TempDir::new().unwrap());
        for log in logs {
            let folder = stage.path("pieces").join(log.file_name());
            fs::create_dir_all(&folder).unwrap();
            let bytes = log.bytes();
            for (at, piece) in bytes.chunks(bytes.len().div_ceil(PIECES)).enumerate() {
                fs::write(folder.join(at.to_string()), piece).unwrap();
            }
        }
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.0.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `tlparse run` with a script in place of a program.
    fn run(&self, flags: &[&str], script: &str) -> Command {
        let mut command = self.program();
        command.args(["run", "-o", "report", "--no-browser"]).args(flags);
        command.args(["--", "sh", "-c", &format!("{REPLAY}{script}")]);
        command
    }

    fn done(&self, flags: &[&str], script: &str) -> Done {
        Done::of(self.run(flags, script).output().unwrap())
    }

    fn report(&self) -> Report {
        Report::new(self.path("report"), None)
    }

    /// All files in the folder except the pieces.
    fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "pieces");
        names.sort();
        names
    }
}

/// A program that ended.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Done {
    fn of(output: std::process::Output) -> Done {
        Done {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn ends_with(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[track_caller]
fn is_report_of(stage: &Stage, name: &str) {
    let (one, other) = (stage.report(), report(name));
    assert_eq!(one.manifest(), other.manifest());
    // How the command ended is said in the first sentence, if it was an error.
    let ended =
        regex::bytes::Regex::new(r"The command (ended with exit code|was ended by signal) \d+\. ").unwrap();
    for path in one.manifest() {
        let bytes = one.bytes(&path);
        assert!(*ended.replace_all(&bytes, b"") == *other.bytes(&path), "{path} differs");
    }
}

const LOG: &str = "03_graph_breaks";

fn name() -> String {
    input(LOG).file_name()
}

#[test]
fn a_command_keeps_its_streams_and_exit_code_and_its_report_equals_that_of_the_log() {
    let stage = Stage::of(&[input(LOG)]);
    let done = stage.done(&[], &format!("echo out; echo err >&2; replay {}; exit 7", name()));
    done.ends_with(7);
    assert_eq!(done.stdout, "out\n", "standard output is the command's");
    assert!(
        done.stderr.starts_with("err\n") && done.stderr.contains("ended with exit code 7"),
        "{}",
        done.stderr
    );
    is_report_of(&stage, LOG);
    assert_eq!(stage.entries(), ["report"], "no log is left");
}

#[test]
fn the_verdict_on_a_command_that_failed_begins_with_how_it_ended() {
    let ranks = [0, 1].map(|rank| input_of("12_ddp_2", rank));
    let [one, other] = ranks.map(Input::file_name);
    for (logs, script, said) in [
        (
            vec![input(LOG)],
            format!("replay {}; exit 7", name()),
            "The command ended with exit code 7. 25 compilations",
        ),
        (
            ranks.to_vec(),
            format!("replay {one}; replay {other}; exit 1"),
            "The command ended with exit code 1. 2 ranks",
        ),
        (
            vec![input(LOG)],
            format!("replay {}; kill -9 $$", name()),
            "The command was ended by signal 9. 25 compilations",
        ),
    ] {
        let stage = Stage::of(&logs);
        let done = stage.done(&[], &script);
        assert!(done.stderr.lines().any(|line| line.starts_with(said)), "{said}: {}", done.stderr);
        let (sentence, _) = said.split_once(". ").unwrap();
        assert!(stage.report().page("index.html").text().contains(sentence), "{sentence}");
        assert!(stage.report().read("report.md").contains(sentence), "{sentence}");
    }
    let stage = Stage::of(&[input(LOG)]);
    stage.done(&[], &format!("replay {}", name())).ends_with(0);
    assert!(!stage.report().read("index.html").contains("The command ended"));
}

#[test]
fn a_rank_that_still_runs_is_not_said_to_have_stopped() {
    let stage = Stage::of(&[]);
    fs::create_dir(stage.path("trace")).unwrap();
    for (rank, log) in job_logs("32_killed_together").iter().enumerate() {
        let name = format!("dedicated_log_torch_trace_rank_{rank}_abcdefgh.log");
        fs::copy(log, stage.path("trace").join(name)).unwrap();
    }
    let mut watch = stage.program();
    watch.args(["trace", "--watch", "-o", "report", "--no-browser"]);
    let mut watch = watch.spawn().unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut reported = lines.skip_while(|line| !line.starts_with("Report: "));
    let verdict = reported.next().unwrap();
    signal(&watch, "INT");
    let _ = reported.count();
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    let job = stage.report();
    let kinds = |report: &Report| -> Vec<String> {
        report.list("findings").iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!kinds(&job).contains(&"rank_stopped".to_owned()), "{:?}", kinds(&job));
    assert!(!verdict.contains(" end") && !verdict.contains("stopped"), "{verdict}");
    let rank = Report::new(stage.path("report").join("rank_0"), None);
    assert!(!kinds(&rank).contains(&"cut_off".to_owned()), "{:?}", kinds(&rank));
}

#[test]
fn the_report_of_a_command_shows_the_files_of_its_program_whole() {
    let stage = Stage::of(&[input(LOG)]);
    let program = "s03_graph_breaks.py";
    let stored = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs/scripts").join(program);
    fs::copy(stored, stage.path(program)).unwrap();
    stage.done(&[], &format!("replay {}", name())).ends_with(0);
    let page = stage.report().read("source.html");
    assert!(page.contains("Scenario 03: graph breaks"), "a line that no record quotes");
    assert!(!report(LOG).read("source.html").contains("Scenario 03"));
}

#[test]
fn a_command_that_a_signal_ends_is_reported_with_128_and_its_number() {
    let stage = Stage::of(&[input(LOG)]);
    let done = stage.done(&[], &format!("replay {}; kill -9 $$", name()));
    done.ends_with(137);
    assert!(done.stderr.contains("was ended by signal 9"), "{}", done.stderr);
    is_report_of(&stage, LOG);
}

#[test]
fn a_signal_reaches_the_command_and_the_report_is_written_all_the_same() {
    for name_of_signal in ["INT", "TERM", "HUP"] {
        let stage = Stage::of(&[input(LOG)]);
        let script = format!(
            "trap 'echo stopped; exit 5' {name_of_signal}; replay {}; echo ready; while :; do sleep 0.05; done",
            name()
        );
        let mut child = stage.run(&[], &script).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        signal(&child, name_of_signal);
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        assert_eq!(rest, ["stopped"], "{name_of_signal} came once");
        let done = Done::of(child.wait_with_output().unwrap());
        done.ends_with(5);
        is_report_of(&stage, LOG);
    }
}

#[test]
fn a_signal_ends_a_command_that_does_not_catch_it_and_its_records_so_far_are_reported() {
    for (name_of_signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let stage = Stage::of(&[input(LOG)]);
        let script = format!("replay {}; echo ready; exec sleep 60", name());
        let mut child = stage.run(&[], &script).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        signal(&child, name_of_signal);
        let done = Done::of(child.wait_with_output().unwrap());
        done.ends_with(128 + number);
        is_report_of(&stage, LOG);
    }
}

/// Ends the processes with these numbers when it is dropped, whatever a test has found.
#[cfg(target_os = "linux")]
struct Swept(Vec<String>);

#[cfg(target_os = "linux")]
impl Drop for Swept {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg("-9").args(&self.0).stderr(Stdio::null()).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_run_leaves_neither_its_command_nor_what_that_started() {
    let stage = Stage::of(&[]);
    // As a script does that starts torchrun, which starts ranks; nobody here heeds a gentle signal.
    let script = "trap '' HUP INT TERM; echo $$; sh -c 'echo $$; sh -c \"echo \\$\\$; sleep 60; :\"; :' & setsid sh -c 'echo $$; sleep 60; :' & wait";
    let mut run = stage.run(&[], script).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines().map(Result::unwrap);
    let swept = Swept(lines.by_ref().take(4).collect());
    assert_eq!(swept.0.len(), 4);
    signal(&run, "KILL");
    run.wait().unwrap();
    // Each of them holds standard output, which therefore ends with the last of them.
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(lines.count()));
    let ended = ended.recv_timeout(std::time::Duration::from_secs(20));
    assert_eq!(ended, Ok(0), "some of {:?} run on", swept.0);
}

/// Runs a program in a terminal of its own, writes a line, and presses Ctrl-C when it has been read.
const TERMINAL: &str = r#"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
told = b""
def wait(text):
    global told
    while text not in told:
        told += os.read(terminal, 1000)
wait(b"ready")
os.write(terminal, b"a line\n")
wait(b"read a line")
os.write(terminal, b"\x03")
wait(b"the command ended")
print(told.count(b"interrupted"), os.waitpid(pid, 0)[1])
"#;

#[test]
fn a_command_reads_from_the_terminal_and_gets_its_ctrl_c_once() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let stage = Stage::of(&[]);
    let script = "trap 'echo interrupted; exit 0' INT; echo ready; read -r line; echo read $line; \
                  while :; do sleep 0.05; done";
    let mut terminal = Command::new("python3");
    terminal.args(["-c", TERMINAL]).arg(assert_cmd::cargo::cargo_bin!("tlparse")).current_dir(stage.0.path());
    terminal.args(["run", "-o", "report", "--no-browser", "--", "sh", "-c", script]);
    let done = Done::of(terminal.stdin(Stdio::null()).output().unwrap());
    assert_eq!(done.stdout, "1 0\n", "{}", done.stderr);
}

#[test]
fn a_signal_while_the_report_is_written_keeps_the_logs_and_says_where() {
    let log = input("16_many");
    let stage = Stage::of(&[log]);
    let child = stage.run(&[], &format!("replay {}", log.file_name())).spawn().unwrap();
    let is_writing = |entry: &String| entry.starts_with(".report.tlparse-") && !entry.ends_with("lock");
    while !stage.entries().iter().any(is_writing) {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    signal(&child, "INT");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.status), Some(2));
    let said = String::from_utf8(ended.stderr).unwrap();
    let kept = said.lines().last().unwrap().split_once("the logs are kept in ").unwrap().1;
    assert_eq!(fs::read(PathBuf::from(kept).join(log.file_name())).unwrap(), log.bytes(), "{said}");
    let left: Vec<String> = stage.entries().into_iter().filter(|entry| !kept.ends_with(entry)).collect();
    assert_eq!(left, Vec::<String>::new(), "nothing of the report is left");
}

#[test]
fn a_command_that_forks_or_starts_ranks_gets_the_report_of_all_its_logs() {
    let forked = ["17_fork", "17_fork#1"].map(input);
    let ranks = [0, 1].map(|rank| input_of("12_ddp_2", rank));
    for (logs, below, kind) in [(forked, "process_", "log"), (ranks, "rank_", "job")] {
        let stage = Stage::of(&logs);
        let [one, other] = logs.map(Input::file_name);
        stage.done(&[], &format!("replay {one} & replay {other}; wait")).ends_with(0);
        assert_eq!(stage.report().json["kind"], kind);
        assert!(files_below(&stage.path("report")).iter().any(|path| path.starts_with(below)), "{below}");
    }
}

#[test]
fn a_command_that_records_nothing_ends_with_its_own_code_and_one_sentence() {
    let stage = Stage::of(&[]);
    let done = stage.done(&[], "exit 3");
    done.ends_with(3);
    assert!(
        done.stderr.contains("nothing was recorded") && done.stderr.contains("torch.compile"),
        "{}",
        done.stderr
    );
    assert!(stage.entries().is_empty(), "{:?}", stage.entries());
}

#[test]
fn a_command_is_not_started_if_its_report_could_not_be_written() {
    let stage = Stage::of(&[]);
    fs::create_dir(stage.path("report")).unwrap();
    let done = stage.done(&[], "echo started");
    done.ends_with(1);
    assert!(done.stdout.is_empty() && done.stderr.contains("--overwrite"), "{}", done.stderr);
    let missing = stage.program().args(["run", "-o", "other", "--", "no-such-program"]).output().unwrap();
    let missing = Done::of(missing);
    missing.ends_with(127);
    assert!(missing.stderr.contains("no such program"), "{}", missing.stderr);
    assert_eq!(stage.entries(), ["report"]);
}

#[test]
fn logs_are_kept_in_the_given_folder_which_must_be_empty() {
    let stage = Stage::of(&[input(LOG)]);
    stage.done(&["--trace-dir", "kept"], &format!("replay {}", name())).ends_with(0);
    assert_eq!(fs::read(stage.path("kept").join(name())).unwrap(), input(LOG).bytes());
    let again = stage.done(&["--trace-dir", "kept", "--overwrite"], "echo started");
    again.ends_with(1);
    assert!(again.stdout.is_empty() && again.stderr.contains("--trace-dir"), "{}", again.stderr);
}

#[test]
fn provenance_and_profile_set_what_the_program_needs() {
    let stage = Stage::of(&[]);
    let script = "echo $INDUCTOR_PROVENANCE $TORCHINDUCTOR_FORCE_DISABLE_CACHES; ls ${PYTHONPATH%%:*}";
    assert_eq!(stage.done(&["--provenance", "--profile"], script).stdout, "1 1\nsitecustomize.py\n");
    assert_eq!(stage.done(&[], "echo $INDUCTOR_PROVENANCE$PYTHONPATH").stdout, "\n", "off by default");
}

#[test]
fn the_profiler_lets_the_sitecustomize_of_the_environment_run() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let stage = Stage::of(&[]);
    fs::write(stage.path("sitecustomize.py"), "print('theirs')").unwrap();
    let mut run = stage.run(&["--profile"], "python3 -c 'print(\"program\")'");
    let done = Done::of(run.env("PYTHONPATH", stage.0.path()).output().unwrap());
    assert_eq!(done.stdout, "theirs\nprogram\n", "{}", done.stderr);
}

#[test]
fn a_watched_folder_gives_a_line_a_compile_and_a_report_when_it_rests() {
    let ranks = [0, 1].map(|rank| input_of("12_ddp_2", rank));
    let stage = Stage::of(&ranks);
    fs::create_dir(stage.path("trace")).unwrap();
    let mut watch = stage.program();
    watch.args(["trace", "--watch", "-o", "report", "--no-browser"]);
    let mut watch = watch.spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("Watching trace"));
    // The second rank appears once the report of the first is written.
    for (rank, log) in ranks.iter().enumerate() {
        let script = format!("{REPLAY}replay {}", log.file_name());
        let mut stand_in = Command::new("sh");
        stand_in.args(["-c", &script]).current_dir(stage.0.path()).env("TORCH_TRACE", "trace");
        assert!(stand_in.status().unwrap().success());
        let told: Vec<String> = lines.by_ref().take_while(|line| !line.starts_with("Report: ")).collect();
        let whole = Report::new(stage.path("report"), None);
        let whole = match rank {
            0 => whole,
            _ => Report::new(stage.path("report").join(format!("rank_{rank}")), None),
        };
        let ended = whole.list("compiles").iter().filter(|one| {
            one["metrics"].as_array().unwrap().iter().any(|metrics| metrics["kind"] == "forward")
        });
        let expected: Vec<String> = ended
            .map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["status"].as_str().unwrap()))
            .collect();
        let said: Vec<String> = told
            .iter()
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                assert_eq!(words[..2], ["rank", &rank.to_string()], "{line}");
                format!("{} {}", words[2], words[3])
            })
            .collect();
        assert_eq!(said, expected);
    }
    assert_eq!(stage.report().json["kind"], "job");
    signal(&watch, "INT");
    let _ = lines.count();
    let mut said = String::new();
    watch.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(watch.wait().unwrap().code(), Some(0), "{said}");
    assert_eq!(stage.entries(), ["report", "trace"]);
}

#[test]
fn ctrl_c_writes_the_last_report_of_a_watched_log() {
    let stage = Stage::of(&[input(LOG)]);
    fs::write(stage.path("x.log"), input(LOG).bytes()).unwrap();
    let mut watch = stage.program();
    watch.args(["x.log", "--watch", "-o", "report", "--no-browser"]);
    let mut watch = watch.spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    let recompiled = lines.find(|line| line.contains("recompiled: "));
    assert!(recompiled.unwrap().starts_with("23/1     ok "));
    // Long before the log has rested.
    signal(&watch, "INT");
    assert!(lines.any(|line| line.starts_with("Report: ")));
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    assert_eq!(stage.report().json["compiles"], report(LOG).json["compiles"]);
}
