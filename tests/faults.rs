//! Disks that are full, files that are none, logs that change while they are read: one sentence, nothing lost, nothing left.

use crate::support::job::job_logs;
use crate::support::{Done, Run, files_below, input, report};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;
use tlparse::{Options, Progress, Registry};

const SMALL: &str = "11_export_clean";

fn small() -> Run {
    Run::of(&input(SMALL).path)
}

/// What stands in a folder, hidden entries too.
fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The run ends with 1 and one sentence, and nothing stands in the folder but what stood there.
fn refused(done: &Done, folder: &Path, there: &[&str]) -> String {
    let sentence = done.fails(1);
    assert!(sentence.starts_with("error: ") && sentence.len() < 1_000, "{sentence}");
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    assert_eq!(entries(folder), there, "{sentence}");
    sentence
}

/// A file system of its own, as small as a disk that is full. None, with a sentence, where that needs more rights.
struct Disk(TempDir);

impl Disk {
    fn of(options: &str) -> Option<Disk> {
        let folder = TempDir::new().unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(folder.path()).output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            eprintln!("skipped: only root may make a file system");
            return None;
        }
        Some(Disk(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, options: &str) {
        let mut command = Command::new("mount");
        assert!(
            command.args(["-o", &format!("remount,{options}")]).arg(self.path()).status().unwrap().success()
        );
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_left_on_it() {
    let Some(disk) = Disk::of("size=200k") else { return };
    let done = small().out(disk.path().join("report")).go();
    let sentence = refused(&done, disk.path(), &[]);
    assert!(sentence.contains("disk is full") || sentence.contains("No space"), "{sentence}");
}

#[test]
fn a_disk_that_is_full_when_a_report_is_replaced_keeps_the_old_one() {
    let Some(disk) = Disk::of("size=8m") else { return };
    let out = disk.path().join("report");
    let old = small().out(&out).ok().manifest();
    disk.remount(&format!("size={}k", used_kb(disk.path()) + 100));
    let done = Run::of(&input("03_graph_breaks").path).out(&out).args(["--overwrite"]).go();
    refused(&done, disk.path(), &["report"]);
    assert_eq!(files_below(&out), old);
    assert_eq!(fs::read(out.join("index.html")).unwrap(), report(SMALL).bytes("index.html"));
}

fn used_kb(folder: &Path) -> u64 {
    let out = Command::new("du").args(["-sk"]).arg(folder).output().unwrap().stdout;
    String::from_utf8(out).unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_read_only_disk_is_reported() {
    let Some(disk) = Disk::of("size=8m") else { return };
    let out = disk.path().join("report");
    small().out(&out).ok();
    disk.remount("ro");
    for out in [out.clone(), disk.path().join("new")] {
        let done = small().out(&out).args(["--overwrite"]).go();
        refused(&done, disk.path(), &["report"]);
    }
}

#[test]
fn a_report_goes_through_a_link_to_another_disk_and_into_a_mounted_folder() {
    let Some(disk) = Disk::of("size=8m") else { return };
    let expected = report(SMALL).manifest();
    let beside = TempDir::new().unwrap();
    let link = beside.path().join("link");
    std::os::unix::fs::symlink(disk.path().join("report"), &link).unwrap();
    for _ in 0..2 {
        let done = small().out(&link).args(["--overwrite"]).ok();
        assert_eq!(done.manifest(), expected);
    }
    assert_eq!(entries(beside.path()), ["link"]);
    assert_eq!(entries(disk.path()), ["report"]);
    fs::remove_dir_all(disk.path().join("report")).unwrap();
    for _ in 0..2 {
        small().out(disk.path()).args(["--overwrite"]).ok();
        assert_eq!(files_below(disk.path()), expected);
    }
}

#[test]
fn a_file_size_limit_is_reported_and_nothing_is_left() {
    let work = TempDir::new().unwrap();
    // The signal of the limit is ignored, as under many batch systems: then writing fails.
    let script = r#"trap '' XFSZ; ulimit -f 8; exec "$0" "$1" -o report --no-browser"#;
    let mut command = Command::new("sh");
    command.args(["-c", script, assert_cmd::cargo::cargo_bin!("tlparse").to_str().unwrap()]);
    let output = command.arg(&input(SMALL).path).current_dir(work.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.starts_with("error: could not write ")
            && told.contains("ulimit -f")
            && told.lines().count() == 1,
        "{told}"
    );
    assert_eq!(entries(work.path()), [""; 0]);
}

#[test]
fn a_report_is_not_written_to_a_path_that_is_not_a_folder() {
    let work = TempDir::new().unwrap();
    let path = |name: &str| work.path().join(name);
    fs::write(path("file"), "mine").unwrap();
    assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("loop", path("loop")).unwrap();
    std::os::unix::fs::symlink("/dev/full", path("device")).unwrap();
    fs::create_dir(path("foreign")).unwrap();
    fs::write(path("foreign/thesis.tex"), "years").unwrap();
    std::os::unix::fs::symlink("foreign", path("link")).unwrap();
    let there = ["device", "fifo", "file", "foreign", "link", "loop"];
    for name in
        ["file", "fifo", "loop", "device", "foreign", "link", "file/below", "fifo/below", "loop/below"]
    {
        for args in [&[][..], &["--overwrite"]] {
            refused(&small().out(path(name)).args(args.iter().copied()).go(), work.path(), &there);
        }
    }
    assert_eq!(fs::read(path("file")).unwrap(), b"mine");
    assert_eq!(entries(&path("foreign")), ["thesis.tex"]);
}

#[test]
fn files_that_are_not_logs_are_refused_with_a_sentence() {
    let work = TempDir::new().unwrap();
    let path = |name: &str| work.path().join(name);
    std::os::unix::fs::symlink("loop", path("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", path("dangling")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    std::os::unix::fs::symlink(".", path("folder/itself")).unwrap();
    std::os::unix::fs::symlink("/dev/mem/nothing", path("device")).unwrap();
    for name in ["loop", "dangling", "device", "folder", "missing"] {
        let done = Run::of(path(name)).out(path("report")).go();
        refused(&done, work.path(), &["dangling", "device", "folder", "loop"]);
    }
}

#[test]
fn a_log_comes_through_a_pipe_and_an_empty_device_is_an_empty_log() {
    let work = TempDir::new().unwrap();
    let fifo = work.path().join("trace.log");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let bytes = input(SMALL).bytes();
    let writer = std::thread::spawn({
        let (fifo, bytes) = (fifo.clone(), bytes.clone());
        move || fs::write(fifo, bytes).unwrap()
    });
    let piped = Run::of(&fifo).ok();
    writer.join().unwrap();
    assert!(piped.bytes("raw.log") == bytes);
    let nothing = Run::of("/dev/null").ok();
    assert_eq!(nothing.json["log"]["records"], 0);
}

/// Changes a log as soon as it has been read, before its pages are written.
struct Meanwhile<F: Fn() + Sync> {
    change: F,
    done: AtomicBool,
}

impl<F: Fn() + Sync> Progress for Meanwhile<F> {
    fn writing(&self, _files: usize) {
        if !self.done.swap(true, Ordering::SeqCst) {
            (self.change)();
        }
    }
}

/// The outcome of a run during which the log changes.
fn meanwhile(input: &Path, out: &Path, change: impl Fn() + Sync) -> anyhow::Result<tlparse::Written> {
    let progress = Meanwhile { change, done: AtomicBool::new(false) };
    let options = Options { threads: std::num::NonZeroUsize::new(1), ..Options::new(input, out) };
    tlparse::run(&options, &Registry::default(), &progress)
}

/// A folder with a copy of the small log.
fn copy() -> (TempDir, PathBuf) {
    let work = TempDir::new().unwrap();
    let log = work.path().join("trace.log");
    fs::copy(&input(SMALL).path, &log).unwrap();
    (work, log)
}

#[test]
fn a_log_that_grows_is_read_as_it_was_when_it_was_opened() {
    let (work, log) = copy();
    let bytes = fs::read(&log).unwrap();
    let grow = || {
        use std::io::Write;
        fs::OpenOptions::new().append(true).open(&log).unwrap().write_all(&bytes).unwrap();
    };
    let written = meanwhile(&log, &work.path().join("report"), grow).unwrap();
    assert!(fs::read(written.folder.join("raw.log")).unwrap() == bytes);
    assert!(written.summary.intact);
}

#[test]
fn a_log_that_shrinks_is_an_error_that_leaves_nothing() {
    let (work, log) = copy();
    let cut = || fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(100).unwrap();
    let error = meanwhile(&log, &work.path().join("report"), cut).unwrap_err();
    let sentence = format!("{error:#}");
    assert!(sentence.contains("trace.log") || sentence.contains("log"), "{sentence}");
    assert_eq!(entries(work.path()), ["trace.log"]);
}

#[test]
fn a_log_that_vanishes_is_read_to_its_end() {
    let (work, log) = copy();
    let bytes = fs::read(&log).unwrap();
    let written = meanwhile(&log, &work.path().join("report"), || fs::remove_file(&log).unwrap()).unwrap();
    assert!(fs::read(written.folder.join("raw.log")).unwrap() == bytes);
}

/// Changes the logs of a job as soon as one of its logs is being read.
struct WhileReading<F: Fn() + Sync>(F, AtomicBool);

impl<F: Fn() + Sync> Progress for WhileReading<F> {
    fn reading(&self, _done: u64, _total: u64) {
        if !self.1.swap(true, Ordering::SeqCst) {
            (self.0)();
        }
    }
}

#[test]
fn a_rank_whose_log_vanishes_does_not_cost_the_others() {
    let work = TempDir::new().unwrap();
    let logs = work.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mut copies = Vec::new();
    for log in job_logs("12_ddp_2") {
        copies.push(logs.join(log.file_name().unwrap()));
        fs::copy(&log, copies.last().unwrap()).unwrap();
    }
    let out = work.path().join("report");
    let progress = WhileReading(|| fs::remove_file(&copies[1]).unwrap(), AtomicBool::new(false));
    let options = Options { threads: std::num::NonZeroUsize::new(1), ..Options::new(&logs, &out) };
    tlparse::run(&options, &Registry::default(), &progress).unwrap();
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let states: Vec<&str> =
        json["ranks"].as_array().unwrap().iter().map(|rank| rank["state"].as_str().unwrap()).collect();
    assert_eq!(states.len(), 2);
    assert!(states[1] != states[0], "{states:?}");
    assert_eq!(entries(work.path()), ["logs", "report"]);
}

#[test]
fn of_two_runs_at_once_one_writes_and_the_other_waits_or_is_turned_away() {
    let work = TempDir::new().unwrap();
    let out = work.path().join("report");
    let runs: Vec<Done> = std::thread::scope(|scope| {
        let run = || Run::of(&input(SMALL).path).out(&out).args(["--overwrite"]).go();
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(runs.iter().any(|done| done.code == Some(0)));
    for done in runs.iter().filter(|done| done.code != Some(0)) {
        assert!(done.fails(1).contains("another tlparse is writing"), "{}", done.stderr);
    }
    assert_eq!(files_below(&out), report(SMALL).manifest());
    assert_eq!(entries(work.path()), ["report"]);
}

#[test]
fn names_that_are_not_utf_8_are_names() {
    let work = TempDir::new().unwrap();
    let log = work.path().join(OsStr::from_bytes(b"tr\xffce \xc3.log"));
    fs::copy(&input(SMALL).path, &log).unwrap();
    let out = work.path().join(OsStr::from_bytes(b"rep\xfeort"));
    for path in [log.as_path(), work.path()] {
        let done = Run::of(path).out(&out).args(["--overwrite"]).go();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let named = |file: &str| fs::read(out.join(file)).unwrap();
        assert!(named("raw.log") == input(SMALL).bytes());
        let json: serde_json::Value = serde_json::from_slice(&named("report.json")).unwrap();
        assert!(json["log"]["file"].as_str().unwrap().starts_with("tr\u{fffd}ce"), "{}", json["log"]["file"]);
    }
    let folders = entries(work.path());
    assert_eq!(folders.len(), 2, "{folders:?}");
}

#[test]
fn an_invalid_path_is_refused_with_a_sentence() {
    let work = TempDir::new().unwrap();
    let long_path = "folder/".repeat(700);
    let long_name = "x".repeat(300);
    for long in [&long_path, &long_name] {
        let done = small().out(work.path().join(long)).go();
        assert_eq!(done.code, Some(1));
        assert!(done.stderr.starts_with("error: ") && done.stderr.lines().count() == 1, "{}", done.stderr);
        assert_eq!(entries(work.path()), [""; 0], "{}", done.stderr);
        let done = Run::of(work.path().join(long)).out(work.path().join("report")).go();
        assert_eq!(done.code, Some(1));
        assert!(done.stderr.starts_with("error: ") && done.stderr.lines().count() == 1, "{}", done.stderr);
        assert_eq!(entries(work.path()), [""; 0], "{}", done.stderr);
    }
}
