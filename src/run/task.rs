//! The work on one log, and its outcome.

use super::profiles::{Profiled, Traces};
use crate::events::{self, RankPart, Registry};
use crate::model::words::counted;
use crate::model::{Console, Model, Process};
use crate::options::{Options, Progress, RunSummary};
use crate::output::{RelPath, Sink};
use crate::profile::is_trace;
use crate::report::{self, Around, Highlighters};
use crate::trace::{Opener, Printed, Source};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// Shared by all steps of a run.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub options: &'a Options,
    pub registry: &'a Registry,
    pub opener: &'a Opener,
    /// Traces of torch.profiler to join with the logs.
    pub traces: &'a Traces,
    /// What the program printed.
    pub console: Option<&'a Printed>,
    /// Where to write the trace again with its figures.
    pub augment: Option<&'a Path>,
    pub progress: &'a dyn Progress,
    /// The reports around all that is written.
    pub around: &'a Around,
    /// Shared by the reports of all ranks.
    pub highlighters: &'a Arc<Highlighters>,
}

impl Work<'_> {
    /// How many threads may work at the same time.
    pub fn threads(&self) -> NonZeroUsize {
        self.options.threads.unwrap_or_else(all_threads)
    }
}

/// One thread per processor.
pub(crate) fn all_threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A log to read and report.
pub(crate) struct LogTask<'a> {
    pub log: &'a Path,
    /// Receives the files of its report.
    pub sink: &'a Sink,
    /// Further processes of the same program, which its report lists.
    pub processes: &'a [Process],
    /// The part of the log to read; None for all of it.
    pub part: Option<&'a RankPart>,
    /// The reports that it leads back to.
    pub around: Around,
    /// Which traces of torch.profiler may belong to it.
    pub profiled: Profiled,
    pub threads: NonZeroUsize,
    /// Called with the number of bytes read so far.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl<'a> LogTask<'a> {
    /// All of the log of a rank.
    pub fn new(log: &'a Path, sink: &'a Sink, threads: NonZeroUsize) -> LogTask<'a> {
        LogTask {
            log,
            sink,
            processes: &[],
            part: None,
            around: Around::default(),
            profiled: Profiled::Rank,
            threads,
            progress: &|_| {},
        }
    }

    /// Whether the input is a trace of torch.profiler instead of a log.
    pub fn is_trace_alone(&self) -> bool {
        self.profiled == Profiled::OnlyLog && is_trace(self.log)
    }

    /// The parts to report separately, if several ranks of a job wrote the log.
    pub fn parts_to_split(&self, model: &Model) -> Option<Vec<RankPart>> {
        let is_whole_of_rank = self.profiled == Profiled::Rank && self.part.is_none();
        let parts = if is_whole_of_rank { RankPart::all_of(model) } else { Vec::new() };
        (!parts.is_empty()).then_some(parts)
    }
}

pub(crate) enum LogOutcome {
    Written(RunSummary),
    /// Several ranks wrote it: nothing is written yet, and each part needs a report of its own.
    Parts(Vec<RankPart>),
    /// The log cannot be read, or none of its lines is a record.
    Unreadable(anyhow::Error),
}

/// Reads one log and writes its report. Write failures are errors; read failures are [`LogOutcome::Unreadable`].
pub(crate) type WriteLog = fn(Work<'_>, &LogTask<'_>) -> anyhow::Result<LogOutcome>;

/// Opens a log and reads it: log bytes -> records -> model.
///
/// # Errors
/// The log cannot be read, or has no record although it is the only one. In a job that is a damaged rank.
pub(crate) fn read(work: Work<'_>, task: &LogTask<'_>) -> anyhow::Result<(Source, Model)> {
    let source = match task.is_trace_alone() {
        true => Source::without_log(task.log)?,
        false => work.opener.open(task.log)?,
    };
    let (part, threads) = (task.part, task.threads);
    let mut model =
        events::read_log(&source, work.registry, part, threads, task.progress, report::is_own_path)?;
    model.still_runs = work.options.still_runs;
    // A log that was made of console output has its console in the same file.
    let own = match model.log.console {
        Some(_) => work.opener.printed(task.log)?,
        None => None,
    };
    let own = own.map(|own| Printed { is_of_the_run: true, ..own });
    let is_only = task.profiled == Profiled::OnlyLog;
    let console = work.console.or(own.as_ref());
    model.console = console.map(|console| events::console_of(console, &model, is_only));
    events::add_failure(&mut model);
    if task.profiled == Profiled::OnlyLog {
        events::check_is_log(&model)?;
    }
    Ok((source, model))
}

/// Notes about a written report: whether its log changed meanwhile, and which files were left out.
pub(crate) fn notes(source: &Source, model: &Model, left_out: &[RelPath]) -> Vec<String> {
    let rewritten = source.changed().then(|| {
        format!(
            "{} was rewritten while it was read: files of the report may contradict its counts",
            source.name()
        )
    });
    let is_foreign =
        |console: &&Console| console.of_others > 0 && console.graphs.is_empty() && console.hints.is_empty();
    let of_others = model.console.as_ref().filter(is_foreign).map(|console| {
        let lines = counted(console.of_others, "line", "lines");
        format!(
            "the console is of other processes than the one that wrote {}: {lines} left out",
            source.name()
        )
    });
    let twice = left_out
        .iter()
        .map(|path| format!("two files of the report have the path {path}; only the first was written"));
    rewritten.into_iter().chain(of_others).chain(twice).collect()
}
