//! Runs that are killed at any moment: the report is the old one or the new one, whole, and the next run leaves nothing of
//! the killed one.
//!
//! Each way of putting a report in place is killed a few times with each signal; afterwards the whole folder around the
//! report, with its temporary files, is as if nothing had been killed. `KILLS=200 cargo test --test report kills`
//! does so 200 times each.

use crate::support::job::rank_reports;
use crate::support::{files_below, input, report};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The files of a folder, hidden work left out.
type Files = BTreeMap<String, Vec<u8>>;

/// What users and batch systems send.
const SIGNALS: [Signal; 3] = [Signal::KILL, Signal::INT, Signal::TERM];

/// The log of the report that is there, and that of the report that is to replace it.
const OLD: &str = "11_export_clean";
const NEW: &str = "11_export_draft_clean";

/// How many times each way is killed.
fn kills() -> u32 {
    std::env::var("KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

/// All files and folders below a folder, folders with a `/` at their end.
fn all_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            found.extend(all_below(&entry.path()).into_iter().map(|path| format!("{name}/{path}")));
            found.push(format!("{name}/"));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Logs that a run kept and named when a signal ended it.
fn is_kept_log(path: &str) -> bool {
    path.starts_with("out.trace-")
}

fn is_hidden_work(path: &str) -> bool {
    path.contains(".tlparse-")
}

fn files(folder: &Path) -> Files {
    let paths = files_below(folder).into_iter().filter(|path| !is_hidden_work(path));
    paths.map(|path| (path.clone(), fs::read(folder.join(path)).unwrap())).collect()
}

/// A way of putting a report in place.
struct Way {
    /// Holds everything.
    folder: TempDir,
    /// Where it is run, below that.
    current: &'static str,
    /// The program's arguments.
    args: Vec<String>,
    /// The arguments of the next run.
    next: Vec<String>,
    /// How long it takes until the report is there, unless the next run shows it.
    takes: Option<Duration>,
    /// How many times it is killed.
    kills: u32,
    /// Where the report stands.
    target: PathBuf,
    /// Where the folder appears that the report is built in.
    staging: PathBuf,
}

impl Way {
    /// One that is run beside its target and stages its report there.
    fn new(args: &[&str], target: &str) -> Way {
        let folder = TempDir::new().unwrap();
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Way {
            next: args.clone(),
            takes: None,
            kills: kills(),
            target: folder.path().join(target),
            staging: folder.path().to_owned(),
            current: "",
            args,
            folder,
        }
    }

    fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command
            .args(args)
            .env_clear()
            .env("TMPDIR", self.folder.path().join("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.current_dir(self.folder.path().join(self.current));
        command
    }

    /// Lets the program end.
    fn finish(&self) {
        assert!(self.command(&self.next).status().unwrap().success(), "{:?}", self.next);
    }

    /// Starts the program and kills it: at a part of the time that it takes, or as soon as the last file is staged and a
    /// moment later.
    fn kill(&self, number: u32, whole: Duration) {
        let mut child = self.command(&self.args).spawn().unwrap();
        let start = Instant::now();
        if number.is_multiple_of(2) {
            std::thread::sleep(whole.mul_f64(f64::from(number * 37 % 100) / 90.0));
        } else {
            while !self.is_staged() && start.elapsed() < 2 * whole {
                std::thread::sleep(Duration::from_micros(50));
            }
            std::thread::sleep(Duration::from_micros(u64::from(number * 173 % 4_000)));
        }
        let signal = SIGNALS[number as usize % SIGNALS.len()];
        let pid = Pid::from_child(&child);
        let _ = kill_process(pid, signal);
        child.wait().unwrap();
    }

    /// Whether a staging folder holds the last file of a report.
    fn is_staged(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.staging) else { return false };
        entries.flatten().any(|entry| {
            is_hidden_work(&entry.file_name().to_string_lossy()) && entry.path().join("report.json").exists()
        })
    }

    /// Kills it again and again. `prepare` makes the target as it is before; `whole` says whether what stands there
    /// afterwards may stand there.
    fn hold(&self, prepare: impl Fn(&Path), whole: impl Fn(&Files) -> bool, expected: &Files) {
        let clean = || {
            if self.target.exists() && self.current.is_empty() {
                fs::remove_dir_all(&self.target).unwrap();
            }
            prepare(&self.target);
        };
        clean();
        let start = Instant::now();
        self.finish();
        let took = self.takes.unwrap_or(start.elapsed());
        let around = all_below(self.folder.path());
        for number in 0..self.kills {
            clean();
            self.kill(number, took);
            let left = if self.target.exists() { files(&self.target) } else { Files::new() };
            assert!(whole(&left), "kill {number} left {:?}", left.keys().collect::<Vec<_>>());
            self.finish();
            let done = if self.target.exists() { files(&self.target) } else { Files::new() };
            assert!(done == *expected, "the run after kill {number} does not give the report");
            let left: Vec<String> =
                all_below(self.folder.path()).into_iter().filter(|path| !is_kept_log(path)).collect();
            assert!(left == around, "kill {number} left {left:?} behind the next run, not {around:?}");
        }
    }
}

fn log(name: &str) -> String {
    input(name).path.to_str().unwrap().to_owned()
}

fn expected(name: &str) -> Files {
    files(&report(name).folder)
}

/// Makes the target a copy of these files.
fn copied(files: &Files) -> impl Fn(&Path) {
    move |target| {
        fs::create_dir_all(target).unwrap();
        for entry in fs::read_dir(target).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        for (path, bytes) in files {
            let path = target.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

#[test]
fn a_new_report_that_is_killed_is_whole_or_not_there() {
    let new = expected(NEW);
    let way = Way::new(&[&log(NEW), "-o", "out", "--overwrite", "--no-browser"], "out");
    way.hold(|_| {}, |left| left.is_empty() || *left == new, &new);
}

#[test]
fn a_report_that_is_replaced_when_the_run_is_killed_is_the_old_or_the_new_one() {
    let (old, new) = (expected(OLD), expected(NEW));
    let way = Way::new(&[&log(NEW), "-o", "out", "--overwrite", "--no-browser"], "out");
    way.hold(copied(&old), |left| *left == old || *left == new, &new);
}

#[test]
fn a_report_in_the_current_folder_is_whole_or_replaced_by_the_next_run() {
    let (old, new) = (expected(OLD), expected(NEW));
    let way = Way::new(&[&log(NEW), "-o", ".", "--overwrite", "--no-browser"], "out");
    let way = Way { staging: way.target.clone(), current: "out", ..way };
    fs::create_dir(&way.target).unwrap();
    // Its entries move one by one, so that it may be in parts; then a page of one report never stands beside those of another
    // under a landing page.
    let of_one = |left: &Files| {
        left.iter().all(|(path, bytes)| [&old, &new].iter().any(|of| of.get(path) == Some(bytes)))
    };
    way.hold(copied(&old), of_one, &new);
}

#[test]
fn a_job_that_is_combined_when_the_run_is_killed_keeps_the_reports_of_its_ranks() {
    let ranks = rank_reports("12_ddp_2");
    let before = files(ranks.path());
    let way = Way::new(&["combine", "job", "--overwrite"], "job");
    let way = Way { staging: way.target.clone(), ..way };
    copied(&before)(&way.target);
    way.finish();
    let combined = files(&way.target);
    let kept = |left: &Files| before.iter().all(|(path, bytes)| left.get(path) == Some(bytes));
    way.hold(copied(&before), kept, &combined);
}

#[test]
fn a_comparison_that_is_killed_is_whole_or_not_there() {
    let (old, new) = (log(OLD), log(NEW));
    let way = Way::new(&["diff", &old, &new, "-o", "out", "--overwrite", "--no-browser"], "out");
    way.finish();
    let compared = files(&way.target);
    way.hold(|_| {}, |left| left.is_empty() || *left == compared, &compared);
}

#[test]
fn a_zip_that_is_killed_leaves_nothing_behind_the_next_run() {
    let new = expected(NEW);
    let way = Way::new(&[&log(NEW), "-o", "out", "--zip", "--overwrite", "--no-browser"], "out");
    way.hold(|_| {}, |left| left.is_empty() || *left == new, &new);
}

#[test]
fn a_redacted_report_that_is_killed_leaves_no_fact_behind() {
    let way = Way::new(&[&log(NEW), "-o", "out", "--redact", "--overwrite", "--no-browser"], "out");
    way.finish();
    let redacted = files(&way.target);
    way.hold(|_| {}, |left| left.is_empty() || *left == redacted, &redacted);
}

#[test]
fn a_recorded_run_that_is_killed_leaves_no_hidden_logs_behind_the_next_run() {
    // The command ignores the signals that it is passed; a report would say that one of them ended it.
    let copy = format!("trap '' INT TERM; /bin/cp {} $TORCH_TRACE/", log(NEW));
    let args = ["run", "-o", "out", "--overwrite", "--no-browser", "--profile", "/bin/sh", "-c", &copy];
    let way = Way::new(&args, "out");
    way.finish();
    let recorded = files(&way.target);
    way.hold(|_| {}, |left| left.is_empty() || *left == recorded, &recorded);
}

#[test]
fn a_log_that_is_watched_when_the_run_is_killed_leaves_nothing_behind_the_next_run() {
    let new = expected(NEW);
    let way = Way::new(&[&log(NEW), "-o", "out", "--overwrite", "--no-browser"], "out");
    let mut args = way.args.clone();
    args.push("--watch".to_owned());
    let way = Way { args, takes: Some(Duration::from_millis(2_500)), kills: 3, ..way };
    way.hold(|_| {}, |left| left.is_empty() || *left == new, &new);
}

#[test]
fn the_tables_of_a_log_that_is_killed_leave_nothing_behind_the_next_run() {
    let way = Way::new(&["show", &log(NEW)], "out");
    way.hold(|_| {}, Files::is_empty, &Files::new());
}
