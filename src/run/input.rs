//! Which logs a path means.

use crate::model::SkippedFile;
use crate::model::words::counted;
use crate::options::Options;
use crate::trace::{self, Folder, Log, Peek, RankLogs, Run};
use anyhow::bail;
use std::path::Path;
use std::time::SystemTime;

/// How many logs or runs of a folder a note names; a job's folder may hold a thousand.
const NAMED: usize = 8;

/// What is to be read.
pub(crate) enum Input {
    /// One process, with those that it forked.
    Log(Box<RankLogs>),
    /// The ranks of a distributed job.
    Job(JobInput),
}

/// A job's logs.
pub(crate) struct JobInput {
    /// The run that is reported; each of its ranks has a number.
    pub ranks: Vec<RankLogs>,
    /// The folder's other runs, oldest first.
    pub other_runs: Vec<Run>,
    /// Files that are not read, with the reason.
    pub skipped: Vec<SkippedFile>,
}

/// The logs that `options.input` means, and what to say about those that it does not.
///
/// # Errors
/// There is no log, the folder cannot be read, or it does not hold what was asked for.
pub(crate) fn find(options: &Options) -> anyhow::Result<(Input, Vec<String>)> {
    let input = &options.input;
    if !input.is_dir() {
        if options.all_ranks {
            bail!(
                "--all-ranks-html wants the folder that holds the logs of all ranks, and {} is none",
                input.display()
            );
        }
        return Ok((Input::Log(Box::new(alone(input))), Vec::new()));
    }
    if options.latest {
        let found = trace::newest_log(input)?;
        let note = latest_note(input, &found);
        return Ok((Input::Log(Box::new(alone(&found.log))), note));
    }
    of_folder(options, trace::logs_in(input)?)
}

/// A log that the user named: its rank and its place in a run do not matter.
fn alone(path: &Path) -> RankLogs {
    let log =
        Log { path: path.to_owned(), rank: None, changed: SystemTime::UNIX_EPOCH, peek: Peek::default() };
    RankLogs { rank: None, main: log, others: Vec::new() }
}

fn of_folder(options: &Options, folder: Folder) -> anyhow::Result<(Input, Vec<String>)> {
    let Folder { mut runs, mut skipped } = folder;
    let dir = &options.input;
    let chosen = match options.session {
        None => runs.len().saturating_sub(1),
        Some(number) if (1..=runs.len()).contains(&number) => number - 1,
        Some(number) => bail!(
            "--session {number}: {} holds {}; 1 is the oldest",
            dir.display(),
            counted(runs.len(), "run", "runs")
        ),
    };
    let mut notes = runs_note(dir, &runs, chosen);
    let run = runs.remove(chosen);
    let ranks = run.ranked().count();
    if options.all_ranks && ranks == 0 {
        bail!(
            "no log in {} belongs to a rank: torch writes it when torch.distributed is up; run without --all-ranks-html",
            dir.display()
        );
    }
    if !options.all_ranks && ranks < 2 {
        let (input, others) = one_process(run);
        notes.extend(others);
        return Ok((input, notes));
    }
    let (ranks, rankless): (Vec<_>, Vec<_>) = run.ranks.into_iter().partition(|logs| logs.rank.is_some());
    for logs in rankless {
        let all = std::iter::once(&logs.main).chain(&logs.others);
        skipped.extend(all.map(|log| (log.name(), "a process of no rank; read it by itself")));
    }
    skipped.sort();
    let skipped = skipped.into_iter().map(|(name, reason)| SkippedFile { name, reason }).collect();
    Ok((Input::Job(JobInput { ranks, other_runs: runs, skipped }), notes))
}

/// A run of at most one rank. If a process without a rank wrote a log too, such as a launcher, the rank's log is read.
fn one_process(run: Run) -> (Input, Vec<String>) {
    let mut ranks = run.ranks;
    let main = ranks.iter().position(|logs| logs.rank.is_some()).unwrap_or(0);
    let chosen = ranks.swap_remove(main);
    let others: Vec<String> = ranks.iter().map(|logs| logs.main.name()).collect();
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!("not read, as of no rank: {}", listed(&others)));
    }
    if !chosen.others.is_empty() {
        let names: Vec<String> = chosen.others.iter().map(Log::name).collect();
        notes.push(format!(
            "{} is read with {}, in reports of their own below it: {}",
            chosen.main.name(),
            counted(names.len(), "further process", "further processes"),
            listed(&names)
        ));
    }
    (Input::Log(Box::new(chosen)), notes)
}

fn runs_note(dir: &Path, runs: &[Run], chosen: usize) -> Vec<String> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let name = |run: &Run| run.ranks.first().map(|logs| logs.main.name()).unwrap_or_default();
    let others = runs.iter().enumerate().filter(|(at, _)| *at != chosen);
    let others: Vec<String> = others.map(|(at, run)| format!("{} ({})", at + 1, name(run))).collect();
    let which = if chosen + 1 == runs.len() { ", the newest," } else { "" };
    vec![format!(
        "{} holds {}, one after the other; this is run {}{which} ({}); --session N picks another: {}",
        dir.display(),
        counted(runs.len(), "run", "runs"),
        chosen + 1,
        runs.get(chosen).map(name).unwrap_or_default(),
        listed(&others),
    )]
}

fn latest_note(dir: &Path, found: &trace::NewestLog) -> Vec<String> {
    if found.others.is_empty() {
        return Vec::new();
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let others: Vec<String> = found.others.iter().map(|path| name(path)).collect();
    vec![format!(
        "{} is the newest of {} logs in {}; the others are {}",
        name(&found.log),
        found.others.len() + 1,
        dir.display(),
        listed(&others),
    )]
}

/// The first few names, and how many more there are.
fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    format!("{}{more}", first.join(", "))
}
