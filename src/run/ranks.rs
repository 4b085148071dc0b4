//! The ranks of a job, on several threads: each holds one rank's model at a time.

use super::Work;
use super::input::JobInput;
use super::log::{Outcome, Reading, join, processes, write_log};
use crate::Told;
use crate::events::Part;
use crate::model::{self, FailedRank, JobFacts};
use crate::trace::{self, LocalTime, RankLogs};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What became of one log of a rank.
struct RankOutcome {
    /// The rank.
    rank: u64,
    /// The name of the log.
    file: String,
    /// What became of that log.
    outcome: Outcome,
}

/// Writes `rank_<n>/` of every rank into `folder`. Gives what became of each, by rank.
///
/// # Errors
/// Of writing only. A log that cannot be read is an outcome of its rank, and holds no other one up.
fn write_ranks(work: Work<'_>, job: &JobInput, folder: &Path) -> anyhow::Result<Vec<RankOutcome>> {
    let team = Team::new(work, job, folder);
    let threads = work.threads().get().min(job.ranks.len()).max(1);
    // With more processors than ranks, the pages of a rank are written on several.
    let inner = NonZeroUsize::new(work.threads().get() / threads).unwrap_or(NonZeroUsize::MIN);
    thread::scope(|scope| {
        let labour = || team.work(inner);
        // A thread that the system refuses is done without: this one takes ranks too.
        let others: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, labour).ok()).collect();
        team.work(inner);
        for other in others {
            if other.join().is_err() {
                team.fail(anyhow::anyhow!("a rank could not be read because of a bug in tlparse"));
            }
        }
    });
    team.outcomes()
}

/// Writes the report of a job: a folder a rank, then what they say together.
pub(crate) fn write_job(work: Work<'_>, job: &JobInput, folder: &Path) -> anyhow::Result<Told> {
    let outcomes = write_ranks(work, job, folder)?;
    let mut facts = JobFacts {
        other_runs: job.other_runs.iter().map(model_run).collect(),
        skipped_files: job.skipped.clone(),
        failed: Vec::new(),
    };
    let mut all = Told { intact: true, ..Told::default() };
    for outcome in outcomes {
        match outcome.outcome {
            Outcome::Told(told) => join(&mut all, told),
            Outcome::Unreadable(error) => {
                let why = format!("{error:#}");
                all.intact = false;
                all.notes.push(format!("{} of rank {}: {why}", outcome.file, outcome.rank));
                facts.failed.push(FailedRank { rank: outcome.rank, reason: why });
            }
            Outcome::Parts(_) => {}
        }
    }
    let combined = crate::job::combine_into(folder, facts, &work.options.settings, &())?;
    all.notes.extend(combined.notes);
    Ok(Told {
        summary: combined.summary,
        findings: combined.findings,
        intact: all.intact && combined.intact,
        events: combined.events,
        ..all
    })
}

/// A run that is only named. Its logs were not read, so its times have neither year nor zone.
fn model_run(run: &trace::Run) -> model::Run {
    let times = || run.logs().filter_map(|log| log.peek.span);
    let text = |time: Option<LocalTime>| time.map(|time| time.to_string());
    model::Run {
        first_time: text(times().map(|(first, _)| first).min()),
        last_time: text(times().map(|(_, last)| last).max()),
        logs: run.logs().map(trace::Log::name).collect(),
    }
}

/// What the threads share.
struct Team<'a> {
    work: Work<'a>,
    ranks: &'a [RankLogs],
    folder: &'a Path,
    known: BTreeSet<u64>,
    next: AtomicUsize,
    done: AtomicUsize,
    bytes: AtomicU64,
    total: u64,
    outcomes: Mutex<Vec<RankOutcome>>,
    failure: Mutex<Option<anyhow::Error>>,
}

impl<'a> Team<'a> {
    fn new(work: Work<'a>, job: &'a JobInput, folder: &'a Path) -> Self {
        let logs = job.ranks.iter().flat_map(|logs| std::iter::once(&logs.main).chain(&logs.others));
        Team {
            work,
            ranks: &job.ranks,
            folder,
            known: job.ranks.iter().filter_map(|logs| logs.rank).collect(),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            total: logs.map(|log| log.peek.bytes).sum(),
            outcomes: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    fn work(&self, threads: NonZeroUsize) {
        loop {
            let Some(logs) = self.ranks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            match self.rank(logs, threads) {
                Ok(outcomes) => {
                    self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).extend(outcomes);
                }
                Err(error) => return self.fail(error),
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            self.work.progress.ranks(done, self.ranks.len());
        }
    }

    /// Keeps the first failure and lets no thread begin another rank.
    fn fail(&self, error: anyhow::Error) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.next.store(self.ranks.len(), Ordering::Relaxed);
    }

    fn outcomes(self) -> anyhow::Result<Vec<RankOutcome>> {
        if let Some(error) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut outcomes = self.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_by_key(|outcome| outcome.rank);
        Ok(outcomes)
    }

    /// One rank and its further processes; several where its log was written by several ranks.
    fn rank(&self, logs: &RankLogs, threads: NonZeroUsize) -> anyhow::Result<Vec<RankOutcome>> {
        let rank = logs.rank.unwrap_or_default();
        let path = self.folder.join(folder_name(rank));
        let file = logs.main.name();
        let processes = processes(&logs.others);
        let ask = Ask { part: None, split: true, threads };
        let mut outcomes = match self.log(&logs.main.path, &path, &processes, &ask)? {
            Outcome::Parts(parts) => self.parts(logs, &parts, threads)?,
            outcome => vec![RankOutcome { rank, file, outcome }],
        };
        for (log, process) in logs.others.iter().zip(&processes) {
            let below: PathBuf = path.join(&process.dir);
            let outcome = self.log(&log.path, &below, &[], &Ask { part: None, split: false, threads })?;
            outcomes.push(RankOutcome { rank, file: log.name(), outcome });
        }
        Ok(outcomes)
    }

    /// A log that several ranks wrote: a report of each part, but not of a rank that has a log of its own.
    fn parts(
        &self,
        logs: &RankLogs,
        parts: &[Part],
        threads: NonZeroUsize,
    ) -> anyhow::Result<Vec<RankOutcome>> {
        let own = logs.rank.unwrap_or_default();
        let mut outcomes = Vec::new();
        for part in parts.iter().filter(|part| part.rank == own || !self.known.contains(&part.rank)) {
            let path = self.folder.join(folder_name(part.rank));
            let ask = Ask { part: Some(part), split: false, threads };
            let outcome = self.log(&logs.main.path, &path, &[], &ask)?;
            outcomes.push(RankOutcome { rank: part.rank, file: logs.main.name(), outcome });
        }
        Ok(outcomes)
    }

    fn log(
        &self,
        log: &Path,
        folder: &Path,
        processes: &[crate::model::Process],
        ask: &Ask<'_>,
    ) -> anyhow::Result<Outcome> {
        let last = AtomicU64::new(0);
        let progress = |done: u64| {
            let new = done.saturating_sub(last.swap(done, Ordering::Relaxed));
            let sum = self.bytes.fetch_add(new, Ordering::Relaxed) + new;
            self.work.progress.reading(sum, self.total.max(sum));
        };
        let reading = Reading {
            part: ask.part,
            must_be_log: false,
            split: ask.split,
            threads: ask.threads,
            progress: &progress,
        };
        // The bar of a job tells ranks, not the files of one.
        let work = Work { progress: &(), ..self.work };
        write_log(work, log, folder, processes, &reading)
    }
}

/// How a log of the job is read.
struct Ask<'a> {
    part: Option<&'a Part>,
    split: bool,
    threads: NonZeroUsize,
}

/// The folder of a rank's report.
pub(crate) fn folder_name(rank: u64) -> String {
    format!("rank_{rank}")
}
