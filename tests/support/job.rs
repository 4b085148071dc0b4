//! Jobs of several ranks: their logs, the reports of their ranks, and the reports that `tlparse combine` makes of these.

use super::inputs::unpack;
use super::{Done, Report, Run, files_below, inputs, source};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// A job's folder, with the reports of its ranks and of itself.
pub type Job = Report;

/// The logs of a job, one per rank: stored in `tests/jobs`, or in `tests/inputs` by the name of the scenario.
pub fn job_logs(scenario: &str) -> Vec<PathBuf> {
    let folder = source("tests/jobs").join(scenario);
    if !folder.exists() {
        let logs = inputs().iter().filter(|input| input.name.split('#').next() == Some(scenario));
        return logs.map(|input| input.path.clone()).collect();
    }
    let stored = files_below(&folder);
    let plain = |file: &String| format!("jobs/{scenario}/{}", file.strip_suffix(".zst").unwrap());
    stored.iter().map(|file| unpack(&folder.join(file), &plain(file))).collect()
}

/// The finished job of these logs, combined once for all tests. Nobody may write there.
pub fn job(scenario: &str) -> &'static Job {
    static JOBS: OnceLock<Mutex<HashMap<String, &'static OnceLock<Job>>>> = OnceLock::new();
    let jobs = JOBS.get_or_init(Mutex::default);
    let place = *jobs.lock().unwrap().entry(scenario.to_owned()).or_insert_with(|| Box::leak(Box::default()));
    place.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("job-reports").join(scenario);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        for (rank, log) in job_logs(scenario).iter().enumerate() {
            Run::of(log).out(folder.join(format!("rank_{rank}"))).ok();
        }
        combine(&folder, &[]).ok(&folder)
    })
}

/// A copy of what combining reads of a finished job: of each rank its report.json and its chromium events.
pub fn rank_reports(scenario: &str) -> TempDir {
    let copy = TempDir::new().unwrap();
    for rank in 0..job_logs(scenario).len() {
        copy_rank(scenario, rank, &copy.path().join(format!("rank_{rank}")));
    }
    copy
}

/// Copies what combining reads of one rank.
pub fn copy_rank(scenario: &str, rank: usize, to: &Path) {
    let from = job(scenario).folder.join(format!("rank_{rank}"));
    fs::create_dir_all(to).unwrap();
    for file in ["report.json", "chromium_events.json"] {
        fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

/// Runs `tlparse combine`.
pub fn combine(folder: &Path, args: &[&str]) -> Combined {
    let run = Run::of("combine").without_out().args([folder.as_os_str()]);
    Combined(run.args(args.iter().copied()).go())
}

/// A call of `tlparse combine` that ended.
pub struct Combined(pub Done);

impl Combined {
    /// Its report; the exit code has to be 0.
    pub fn ok(&self, folder: &Path) -> Job {
        self.ends_with(0, folder)
    }

    /// Its report; the exit code has to be `code`.
    pub fn ends_with(&self, code: i32, folder: &Path) -> Job {
        assert_eq!(self.0.code, Some(code), "{}{}", self.0.stdout, self.0.stderr);
        Report::new(folder.to_owned(), None)
    }
}
