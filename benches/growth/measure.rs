//! Runs the program and says what a run cost.

use crate::made::Input;
use rustix::process::{Pid, Resource, Rlimit, WaitId, WaitIdOptions, setrlimit, waitid};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a run, and all that it starts, may have as address space.
const ADDRESS_SPACE: u64 = 8 << 30;
/// Runs with more user time are killed, in seconds.
const LONGEST: f64 = 300.0;
/// How often the memory of a run is looked at.
const PAUSE: Duration = Duration::from_millis(4);
/// Ticks a second in `/proc/PID/stat`; the same on every Linux that Rust runs on.
const TICKS: f64 = 100.0;
/// User time below which nobody waits: growth from less is noise, such as that of threads that start.
const SHORT: f64 = 1.0;
/// Memory below which growth is not judged: a run with nothing to do needs half of it.
const LITTLE: f64 = 48e6;

/// What N more things may cost.
#[derive(Clone, Copy)]
pub struct Limits {
    pub time: f64,
    pub memory: f64,
    pub output: f64,
}

/// What a run cost.
pub struct Measured {
    /// User time in seconds.
    pub time: f64,
    /// Peak resident memory in bytes.
    pub memory: f64,
    /// Bytes of all files of the report.
    pub output: f64,
    /// Pages that are larger than a page may be.
    pub too_large: Vec<String>,
    /// What is wrong with how it ended.
    pub failure: Option<String>,
}

impl Measured {
    /// What is over its limit, compared with a run on a smaller log.
    pub fn verdict(&self, once: &Measured, limits: Limits) -> Vec<String> {
        let mut over: Vec<String> = [&once.failure, &self.failure].into_iter().flatten().cloned().collect();
        over.extend(self.too_large.iter().cloned());
        let mut judge = |what: &str, more: f64, once: f64, limit: f64| {
            if more > limit * once {
                over.push(format!("{what} grows {:.1} times, limit {limit}", more / once));
            }
        };
        judge("time", self.time, once.time.max(SHORT / limits.time), limits.time);
        judge("memory", self.memory, once.memory.max(LITTLE / limits.memory), limits.memory);
        judge("output", self.output, once.output, limits.output);
        over
    }

    /// Its figures, each with its ratio to those of a run on a smaller log.
    pub fn beside(&self, once: &Measured) -> String {
        format!(
            "{:>6.2} s {:>6.1}x {:>5.0} MB {:>6.1}x {:>5.0} MB {:>6.1}x",
            self.time,
            self.time / once.time.max(0.01),
            self.memory / 1e6,
            self.memory / once.memory,
            self.output / 1e6,
            self.output / once.output,
        )
    }
}

/// Gives this process, and so each run, no more than the address space of the limit.
pub fn limit_address_space() {
    let limit = Rlimit { current: Some(ADDRESS_SPACE), maximum: Some(ADDRESS_SPACE) };
    setrlimit(Resource::As, limit).expect("the address space can be limited");
}

/// Writes the report of an input into `out`.
pub fn run(program: &Path, input: &Input, out: &Path) -> Measured {
    let mut command = Command::new(program);
    command.arg(&input.path).arg("--no-browser").arg("-o").arg(out);
    if input.is_job {
        command.arg("--all-ranks-html");
    }
    if let Some(trace) = &input.trace {
        command.arg("--profile").arg(trace);
    }
    let child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program can be started");
    let (time, memory, failure) = watch(child);
    let mut too_large = Vec::new();
    let output = bytes_below(out, &mut too_large);
    Measured { time, memory, output, too_large, failure }
}

/// Waits for a run to end: its user time, its peak memory, and what is wrong with how it ended.
fn watch(mut child: Child) -> (f64, f64, Option<String>) {
    let pid = Pid::from_child(&child);
    let proc = format!("/proc/{}", child.id());
    let mut memory = 0.0_f64;
    let mut failure = None;
    loop {
        memory = memory.max(peak(&proc));
        if failure.is_none() && user_time(&proc) > LONGEST {
            failure = Some(format!("took more than {LONGEST} s"));
            child.kill().unwrap();
        }
        // The process is left as it is, so that its times can be read after its end.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        if waitid(WaitId::Pid(pid), options).unwrap().is_some() {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let time = user_time(&proc);
    let status = child.wait().unwrap();
    if !status.success() && failure.is_none() {
        failure = Some(format!("ended with {status}"));
    }
    (time, memory, failure)
}

/// Peak memory of a process in bytes.
fn peak(proc: &str) -> f64 {
    let status = fs::read_to_string(format!("{proc}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.unwrap_or_default() * 1024.0
}

/// User time of a process in seconds.
fn user_time(proc: &str) -> f64 {
    let stat = fs::read_to_string(format!("{proc}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may hold spaces. The time is the twelfth field behind it.
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11).and_then(|field| field.parse::<f64>().ok());
    ticks.unwrap_or_default() / TICKS
}

/// Bytes of all files below a folder, and the pages there that are larger than a page may be.
fn bytes_below(folder: &Path, too_large: &mut Vec<String>) -> f64 {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0.0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() {
            sum += bytes_below(&entry.path(), too_large);
            continue;
        }
        // A file with several names is there once.
        sum += data.len() as f64 / data.nlink() as f64;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".html") && data.len() > largest(&name) {
            too_large.push(format!("{name} has {:.1} MB", data.len() as f64 / 1e6));
        }
    }
    sum
}

/// Bytes that a page may have, with what stands behind its last row. The search holds an index of the log.
fn largest(name: &str) -> u64 {
    const VIEWERS: [&str; 6] =
        ["graphs", "code", "provenance_tracking", "kernel_stack", "exported_program", "eval_with_key"];
    match name {
        "search.html" => 22_000_000,
        _ if VIEWERS.iter().any(|word| name.contains(word)) => 8_300_000,
        _ => 2_300_000,
    }
}
