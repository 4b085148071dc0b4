//! The work on one log, and its outcome.

use super::profiles::{Profiled, Traces};
use crate::events::{self, RankPart, Registry};
use crate::model::{Model, Process};
use crate::options::{Options, Progress, RunSummary};
use crate::output::{RelPath, Sink};
use crate::profile::is_trace;
use crate::report::{self, Highlighters};
use crate::trace::{Opener, Source};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// What every step of a run is given.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub options: &'a Options,
    pub registry: &'a Registry,
    pub opener: &'a Opener,
    /// Traces of torch.profiler to join with the logs.
    pub traces: &'a Traces,
    /// Where the trace is written to again, with its figures.
    pub augment: Option<&'a Path>,
    pub progress: &'a dyn Progress,
    /// Shared by the reports of all ranks.
    pub highlighters: &'a Arc<Highlighters>,
}

impl Work<'_> {
    /// How many threads may work at the same time.
    pub fn threads(&self) -> NonZeroUsize {
        self.options.threads.unwrap_or_else(all_threads)
    }
}

/// As many threads as the machine has room for.
pub(crate) fn all_threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A log to be read and reported.
pub(crate) struct LogTask<'a> {
    /// Its path.
    pub log: &'a Path,
    /// Receives the files of its report.
    pub sink: &'a dyn Sink,
    /// Further processes of the same program, which its report lists.
    pub processes: &'a [Process],
    /// The part of the log that is read; all of it where it is None.
    pub part: Option<&'a RankPart>,
    /// Whether a log without a record is an error. In a job it is a damaged rank.
    pub must_be_log: bool,
    /// Which traces of torch.profiler it may have.
    pub profiled: Profiled,
    /// Whether a log that several ranks wrote is split: then it gets no report as a whole.
    pub split: bool,
    /// How many threads work on it.
    pub threads: NonZeroUsize,
    /// Called with the number of bytes of the log that have been read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl LogTask<'_> {
    /// Whether the input is a trace of the profiler in place of a log.
    pub fn is_trace_alone(&self) -> bool {
        self.profiled == Profiled::OnlyLog && is_trace(self.log)
    }

    /// The parts to report in place of the log, where several ranks wrote it and it is to be split.
    pub fn parts_to_split(&self, model: &Model) -> Option<Vec<RankPart>> {
        let parts = if self.split { RankPart::of(&model.log) } else { Vec::new() };
        (!parts.is_empty()).then_some(parts)
    }
}

/// What became of a log.
pub(crate) enum LogOutcome {
    /// Its report is written.
    Written(RunSummary),
    /// Several ranks wrote it: nothing is written, each part needs a report of its own.
    Parts(Vec<RankPart>),
    /// It cannot be read, or none of its lines is a record.
    Unreadable(anyhow::Error),
}

/// Does the work on one log. An error means that the report could not be written; a log that cannot be read is returned
/// as [`LogOutcome::Unreadable`].
pub(crate) type WriteLog = fn(Work<'_>, &LogTask<'_>) -> anyhow::Result<LogOutcome>;

/// Opens a log and reads it: log bytes -> records -> model.
///
/// # Errors
/// The log cannot be read, or none of its lines is a record although it must have one.
pub(crate) fn read(work: Work<'_>, task: &LogTask<'_>) -> anyhow::Result<(Source, Model)> {
    let source = match task.is_trace_alone() {
        true => Source::without_log(task.log)?,
        false => work.opener.open(task.log)?,
    };
    let (part, threads) = (task.part, task.threads);
    let model = events::read_log(&source, work.registry, part, threads, task.progress, report::is_own_path)?;
    if task.must_be_log {
        events::check_is_log(&model)?;
    }
    Ok((source, model))
}

/// What to say about a report that was written: whether its log changed meanwhile, and which files were left out.
pub(crate) fn notes(source: &Source, left_out: &[RelPath]) -> Vec<String> {
    let rewritten = source.changed().then(|| {
        format!(
            "{} was rewritten while it was read: files may hold other texts than were counted",
            source.name()
        )
    });
    let twice = left_out.iter().map(|path| {
        format!("two files of the report have the path {path}: only the first of them was written")
    });
    rewritten.into_iter().chain(twice).collect()
}
