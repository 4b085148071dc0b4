//! Reads the ranks of a job on several threads, each of which holds the model of one rank at a time.

use super::input::JobInput;
use super::process::processes;
use super::profiles::Profiled;
use super::task::{LogOutcome, LogTask, Work, WriteLog};
use crate::events::RankPart;
use crate::model::words::rank_folder;
use crate::model::{FailedRank, JobFacts};
use crate::options::RunSummary;
use crate::output::{RelPath, Sink, on_threads};
use crate::report::{Around, PageAround};
use crate::trace::{self, RankLogs};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The outcome of one log of a rank.
struct RankOutcome {
    rank: u64,
    file: String,
    outcome: LogOutcome,
}

/// Writes the report of each rank to `rank_<n>/` below `sink`. Returns what the ranks add to the summary of the job, and the
/// facts about the job that are not in those folders.
///
/// # Errors
/// A report cannot be written. A log that cannot be read is only noted.
pub(crate) fn for_each_rank(
    work: Work<'_>,
    job: &JobInput,
    sink: &Sink,
    write_log: WriteLog,
) -> anyhow::Result<(RunSummary, JobFacts)> {
    let mut facts = JobFacts { still_runs: work.options.still_runs, ..job.facts.clone() };
    let mut all = RunSummary { intact: true, ..RunSummary::default() };
    for RankOutcome { rank, file, outcome } in Team::new(work, job, sink, write_log).run(&job.ranks)? {
        match outcome {
            LogOutcome::Written(one) => all = all.with(one),
            LogOutcome::Unreadable(error) => {
                let why = format!("{error:#}");
                all.intact = false;
                all.notes.push(format!("{file} of rank {rank}: {why}"));
                facts.failed.push(FailedRank { rank, reason: why });
            }
            LogOutcome::Parts(_) => {}
        }
    }
    Ok((all, facts))
}

struct Team<'a> {
    work: Work<'a>,
    sink: &'a Sink,
    write_log: WriteLog,
    /// Ranks that have a log of their own.
    known: BTreeSet<u64>,
    /// Of these, the ranks whose log has records.
    reported: BTreeSet<u64>,
    done: AtomicUsize,
    bytes: AtomicU64,
    total: u64,
}

impl<'a> Team<'a> {
    fn new(work: Work<'a>, job: &'a JobInput, sink: &'a Sink, write_log: WriteLog) -> Self {
        let logs = job.ranks.iter().flat_map(RankLogs::logs);
        let has_records = job.ranks.iter().filter(|logs| logs.main.peek.span.is_some());
        Team {
            work,
            sink,
            write_log,
            known: job.ranks.iter().filter_map(|logs| logs.rank).collect(),
            reported: has_records.filter_map(|logs| logs.rank).collect(),
            done: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            total: logs.map(|log| log.peek.bytes).sum(),
        }
    }

    /// The outcome of each log, by rank.
    fn run(&self, ranks: &[RankLogs]) -> anyhow::Result<Vec<RankOutcome>> {
        let threads = self.work.threads();
        // With more processors than ranks, several threads write the pages of each rank.
        let inner = threads.get() / threads.get().min(ranks.len()).max(1);
        let inner = NonZeroUsize::new(inner).unwrap_or(NonZeroUsize::MIN);
        let bug = "a rank could not be read because of a bug in tlparse";
        let mut outcomes = on_threads(
            ranks.iter().collect(),
            threads,
            bug,
            || (),
            |(), logs| {
                let outcomes = self.rank(logs, inner)?;
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                self.work.progress.ranks(done, ranks.len());
                Ok(outcomes)
            },
        )?;
        outcomes.sort_by_key(|outcome| outcome.rank);
        Ok(outcomes)
    }

    /// One rank and its further processes; several ranks where its log was written by several.
    fn rank(&self, logs: &RankLogs, threads: NonZeroUsize) -> anyhow::Result<Vec<RankOutcome>> {
        let rank = logs.rank.unwrap_or_default();
        let sink = self.sink.below(&rank_folder(rank));
        let processes = processes(&logs.others);
        let mut outcomes = match self.log(LogTask {
            processes: &processes,
            around: self.around(rank, &self.reported),
            ..LogTask::new(&logs.main.path, &sink, threads)
        })? {
            LogOutcome::Parts(parts) => self.parts(logs, &parts, threads)?,
            outcome => vec![RankOutcome { rank, file: logs.main.name(), outcome }],
        };
        for (log, process) in logs.others.iter().zip(&processes) {
            let sink = sink.below(&process.dir);
            let outcome = self.log(LogTask {
                profiled: Profiled::FurtherProcess,
                ..LogTask::new(&log.path, &sink, threads)
            })?;
            outcomes.push(RankOutcome { rank, file: log.name(), outcome });
        }
        Ok(outcomes)
    }

    /// A log that several ranks wrote: a report of each part, but not of a rank that has a log of its own.
    fn parts(
        &self,
        logs: &RankLogs,
        parts: &[RankPart],
        threads: NonZeroUsize,
    ) -> anyhow::Result<Vec<RankOutcome>> {
        let own = logs.rank.unwrap_or_default();
        let mut outcomes = Vec::new();
        let raw_log = RelPath::of_parts(&["raw.log"]);
        let mut first = None;
        let parts: Vec<_> =
            parts.iter().filter(|part| part.rank == own || !self.known.contains(&part.rank)).collect();
        let all: BTreeSet<u64> = parts.iter().map(|part| part.rank).chain(self.reported.clone()).collect();
        for part in parts {
            // All of them have the same log: a copy each would cost the square of its length.
            let sink = self.sink.below(&rank_folder(part.rank)).sharing(raw_log.clone(), first.clone());
            first = first.or_else(|| sink.file_on_disk(&raw_log));
            let outcome = self.log(LogTask {
                part: Some(part),
                around: self.around(part.rank, &all),
                ..LogTask::new(&logs.main.path, &sink, threads)
            })?;
            outcomes.push(RankOutcome { rank: part.rank, file: logs.main.name(), outcome });
        }
        Ok(outcomes)
    }

    /// The job of a rank, and the ranks before and after it.
    fn around(&self, rank: u64, all: &BTreeSet<u64>) -> Around {
        let before = all.range(..rank).next_back();
        let after = all.range(rank.saturating_add(1)..).next().filter(|after| **after > rank);
        let page = |rank: &u64| {
            PageAround::new(&format!("rank {rank}"), format!("../{}/index.html", rank_folder(*rank)))
        };
        Around {
            name: Some(format!("rank {rank}")),
            beside: before.into_iter().chain(after).map(page).collect(),
            ..self.work.around.below("job")
        }
    }

    /// Reads a log and reports how far it is.
    fn log(&self, task: LogTask<'_>) -> anyhow::Result<LogOutcome> {
        let last = AtomicU64::new(0);
        let progress = |done: u64| {
            let new = done.saturating_sub(last.swap(done, Ordering::Relaxed));
            let sum = self.bytes.fetch_add(new, Ordering::Relaxed) + new;
            self.work.progress.reading(sum, self.total.max(sum));
        };
        // The progress of a job counts ranks, not the files of one rank.
        match (self.write_log)(Work { progress: &(), ..self.work }, &LogTask { progress: &progress, ..task })
        {
            // One log that is cut off meanwhile must not cost the reports of the others.
            Err(error) if trace::is_log_changed(&error) => {
                task.sink.clear()?;
                Ok(LogOutcome::Unreadable(error))
            }
            outcome => outcome,
        }
    }
}
