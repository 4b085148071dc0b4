//! One process: its log to its folder.

use super::Work;
use crate::Told;
use crate::events::Part;
use crate::model::{Model, Process};
use crate::report::SummaryLine;
use crate::trace::{Log, RankLogs, Source};
use crate::{analysis, events, output, report};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

/// What became of a log.
pub(crate) enum Outcome {
    /// Its report is written.
    Told(Told),
    /// Several ranks wrote it: nothing is written, each wants a report of its part.
    Parts(Vec<Part>),
    /// It cannot be read, or is none.
    Unreadable(anyhow::Error),
}

/// How a log is read.
pub(crate) struct Reading<'a> {
    /// What of the log; all of it where it is None.
    pub part: Option<&'a Part>,
    /// Whether a log that holds no record is an error. In a job it is a damaged rank.
    pub must_be_log: bool,
    /// Whether pages are left out when several ranks wrote the log: each gets a report of its part then.
    pub split: bool,
    /// Threads that write pages.
    pub threads: NonZeroUsize,
    /// Is told how many bytes of the log are read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// Writes the report of one log, or of a part of it, into `folder`.
///
/// # Errors
/// Of writing only; of reading is an outcome.
pub(crate) fn write_log(
    work: Work<'_>,
    log: &Path,
    folder: &Path,
    processes: &[Process],
    reading: &Reading<'_>,
) -> anyhow::Result<Outcome> {
    let (source, model) = match read(work, log, reading) {
        Ok(read) => read,
        Err(error) => return Ok(Outcome::Unreadable(error)),
    };
    let parts = Part::of(&model.log);
    if reading.split && !parts.is_empty() {
        return Ok(Outcome::Parts(parts));
    }
    let found = analysis::of_log(&model);
    let settings = &work.options.settings;
    let report = report::on(&model, &found, &source, settings, processes);
    let pages = report::pages(report);
    work.progress.writing(pages.len());
    output::write(pages, folder, reading.threads, report::Worker::new)?;
    let mut notes = Vec::new();
    if source.changed() {
        notes.push(format!(
            "{} was rewritten while it was read: files may hold other texts than were counted",
            source.name()
        ));
    }
    Ok(Outcome::Told(Told {
        summary: report::summary(report),
        findings: report::findings(report),
        notes,
        intact: model.integrity.ok(),
        without_compile_id: model.integrity.stacks_without_id,
        events: model.integrity.events.clone().into_iter().collect(),
    }))
}

fn read(work: Work<'_>, log: &Path, reading: &Reading<'_>) -> anyhow::Result<(Source, Model)> {
    let source = Source::open(log)?;
    let model = events::read_log(&source, work.registry, reading.part, reading.progress)?;
    if reading.must_be_log {
        events::check_is_log(&model)?;
    }
    Ok((source, model))
}

/// Writes the report of a process into `folder`, and those of its forked children below it.
pub(crate) fn write_rank(work: Work<'_>, logs: &RankLogs, folder: &Path) -> anyhow::Result<Told> {
    let processes = processes(&logs.others);
    let total: u64 = source_bytes(logs);
    let mut told = Told::default();
    let mut before = 0;
    let all = std::iter::once((&logs.main, None)).chain(logs.others.iter().zip(processes.iter().map(Some)));
    for (log, process) in all {
        let progress = |done: u64| work.progress.reading(before + done, total.max(before + done));
        let reading = Reading {
            part: None,
            must_be_log: process.is_none(),
            split: false,
            threads: work.threads(),
            progress: &progress,
        };
        let below = process.map_or_else(|| folder.to_owned(), |process| folder.join(&process.dir));
        let listed: &[Process] = if process.is_none() { &processes } else { &[] };
        match (write_log(work, &log.path, &below, listed, &reading)?, process) {
            (Outcome::Told(one), None) => told = one,
            (Outcome::Told(one), Some(process)) => add_process(&mut told, process, one),
            (Outcome::Unreadable(error), None) => return Err(error),
            (Outcome::Unreadable(error), Some(process)) => {
                told.intact = false;
                told.notes.push(format!("{}: {error:#}", process.words()));
            }
            (Outcome::Parts(_), _) => {}
        }
        before += log.peek.bytes;
    }
    Ok(told)
}

/// Another log's counts are added to those of a report.
pub(super) fn join(all: &mut Told, one: Told) {
    all.intact &= one.intact;
    all.without_compile_id += one.without_compile_id;
    all.notes.extend(one.notes);
}

/// A further process counts in what is asked of the whole, and gets a line.
fn add_process(told: &mut Told, process: &Process, one: Told) {
    if let Some(verdict) = one.summary.first() {
        let text = format!("{}: {}", process.words(), verdict.text);
        told.summary.push(SummaryLine { label: None, text });
    }
    join(told, one);
}

fn source_bytes(logs: &RankLogs) -> u64 {
    let known = std::iter::once(&logs.main).chain(&logs.others).map(|log| log.peek.bytes).sum();
    // A log that was named was not looked at.
    if known > 0 { known } else { std::fs::metadata(&logs.main.path).map_or(0, |file| file.len()) }
}

/// The folders of a rank's further processes; two of one number get folders of their own.
pub(crate) fn processes(others: &[Log]) -> Vec<Process> {
    let mut taken = BTreeSet::new();
    let process = |log: &Log| {
        let mut number = log.peek.pid.unwrap_or_default();
        while !taken.insert(number) {
            number = number.wrapping_add(1);
        }
        Process {
            dir: format!("process_{number}"),
            pid: log.peek.pid,
            file: log.name(),
            forked: log.peek.forked,
        }
    };
    others.iter().map(process).collect()
}
