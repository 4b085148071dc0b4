//! Finished reports of ranks to the report of their job: a landing page and a few data files beside `rank_<n>/`.
//!
//! The reports of the ranks may have been written on other machines, each by a run of its own. Their `report.json` is parsed
//! and their `chromium_events.json` streamed; of the ranks that differ first, one graph each is read, and nothing else. A run
//! over all ranks ends here too, so both ways give the same files.

mod blocks;
mod call_lines;
mod chromium;
mod events;
mod evidence;
mod facts;
mod findings;
mod graph_lists;
mod places;
mod read;
mod searched;
mod timeline;

pub(crate) use call_lines::call_line;
pub(crate) use evidence::{read as read_evidence, text as code_text};
pub(crate) use timeline::Timelines;

use crate::analysis::JobFound;
use crate::facts::ranks::{Job, JobEvidence, RankSummary};
use crate::facts::{Reports, log_report};
use crate::model::{JobFacts, RankLog, Run};
use crate::options::Progress;
use crate::output::{Page, RankFolder, RelPath};
use crate::report::Worker;
use crate::report_folder::ReportFolder;
use crate::trace::{TextSet, instant};
use std::num::NonZeroUsize;

/// The chromium events of all ranks, streamed from their reports into one file by so many threads. On the way it is noted
/// when the ranks compiled. `are_own` says that this run has just written the reports, so that their events are JSON.
pub(crate) fn chromium_events<'m>(
    folders: &'m [RankFolder],
    are_own: bool,
    threads: NonZeroUsize,
    timelines: Timelines<'m>,
) -> Page<'m, Worker> {
    let path = RelPath::of_parts(&["chromium_events.json"]);
    Page::rendered(path, move |_: &mut Worker, out| {
        chromium::write(folders, are_own, threads, timelines, out)
    })
}

/// The timelines that the landing page shows. They become part of the evidence when the chromium events are written.
pub(crate) fn timelines<'m>(job: &Job, found: &JobFound, evidence: &'m mut JobEvidence) -> Timelines<'m> {
    Timelines::new(evidence::shown_ranks(job, found), &mut evidence.timelines)
}

/// Bytes of reports that are in memory at once, unless one alone has more: enough for several reports per thread.
const TOGETHER_BYTES: u64 = 4 << 20;

/// A rank with the size of its report.
struct SizedRank<'f> {
    folder: &'f RankFolder,
    bytes: u64,
}

/// Reads the reports of the ranks, several at once where there are threads; `facts` is what else is known. A rank that cannot
/// be read is part of the job.
pub(crate) fn read(
    folders: &[RankFolder],
    reports: Reports<'_>,
    facts: JobFacts,
    threads: NonZeroUsize,
    progress: &dyn Progress,
) -> anyhow::Result<Job> {
    let (skipped_files, still_runs) = (facts.skipped_files, facts.still_runs);
    let job = Job { skipped_files, still_runs, ..Job::default() };
    let mut reader = read::Reader::new(reports, job);
    let sized = |folder| SizedRank { folder, bytes: reports.size(&folder.path) };
    let ranks: Vec<SizedRank<'_>> = folders.iter().map(sized).collect();
    let total = ranks.iter().map(|rank| rank.bytes).sum();
    let (mut done, mut together) = (0, ranks.first().map_or(0, |rank| rank.bytes));
    let is_read_with_those_before = |_: &SizedRank<'_>, next: &SizedRank<'_>| {
        let with_next = together + next.bytes;
        let has_room = with_next <= TOGETHER_BYTES;
        together = if has_room { with_next } else { next.bytes };
        has_room
    };
    for ranks in ranks.chunk_by(is_read_with_those_before) {
        let mut buffers = vec![Vec::new(); ranks.len()];
        let pieces = ranks.iter().zip(&mut buffers);
        blocks::in_order(
            threads,
            pieces,
            |(rank, buffer)| (rank, reports.read(&rank.folder.path, buffer).and_then(log_report)),
            |(SizedRank { folder, bytes }, report)| {
                let mut rank = reader.rank(folder.rank, report);
                let pages = ReportFolder::at(&folder.path);
                let written = rank.provenance.iter().find(|page| pages.open(page).is_ok()).cloned();
                rank.provenance = written.into_iter().collect();
                rank.processes =
                    folder.processes.iter().map(|(pid, path)| reader.process(*pid, path)).collect();
                reader.job.ranks.push(rank);
                done += bytes;
                progress.reading(done, total);
                Ok(())
            },
        )?;
    }
    let mut job = reader.job;
    job.shared = reader.findings.into_shared();
    let mut known: TextSet<u64> = job.ranks.iter().map(|rank| rank.number).collect();
    for failed in facts.failed {
        if known.insert(failed.rank) {
            job.ranks.push(RankSummary::unreadable(failed.rank, failed.reason));
        }
    }
    job.ranks.sort_by_key(|rank| rank.number);
    job.runs = std::iter::once(run_of(&job.ranks)).chain(facts.other_runs).collect::<Vec<Run>>();
    Ok(job)
}

/// The run that these ranks belong to: when it began and ended.
fn run_of(ranks: &[RankSummary]) -> Run {
    let all = ranks.iter().flat_map(|rank| std::iter::once(rank).chain(&rank.processes));
    let logs: Vec<&RankLog> = all.filter_map(|rank| rank.log.as_ref()).collect();
    let first = logs.iter().filter_map(|log| log.first_time.as_deref());
    let last = logs.iter().filter_map(|log| log.last_time.as_deref());
    Run {
        first_time: first.min_by_key(|time| order(time)).map(str::to_owned),
        last_time: last.max_by_key(|time| (instant(time), *time)).map(str::to_owned),
        logs: logs.iter().map(|log| log.file.clone()).collect(),
    }
}

/// Times with year and zone come before those without, which are ordered as they are written.
fn order(time: &str) -> (bool, Option<i64>, &str) {
    let instant = instant(time);
    (instant.is_none(), instant, time)
}
