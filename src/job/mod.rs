//! Finished reports of ranks to the report of their job: a landing page and a few data files beside `rank_<n>/`.
//!
//! The ranks may have been written elsewhere, each by a run of its own. Of each its `report.json` is parsed and its
//! `chromium_events.json` streamed, nothing else. A run over all ranks ends here too, so both ways give the same files.

mod chromium;
mod facts;
mod findings;
mod graph_lists;
mod places;
mod read;
mod stable;
mod tensors;
mod times;
mod wire;

use crate::analysis;
use crate::model::{Job, JobFacts, RankSummary, Run};
use crate::options::{Progress, Told, Written};
use crate::output::{self, JobTarget, Page, RankFolder, RelPath};
use crate::report::{self, JobReport, Settings, Worker};
use anyhow::Result;
use std::num::NonZeroUsize;
use std::path::Path;

/// Writes the report of a job into the folder that holds its `rank_<n>/`, each a finished report.
///
/// # Errors
/// The folder holds no rank's report, or something that no report writes, or the files of a job and `overwrite` is
/// false; or the disk refuses. A rank that cannot be read is part of the report, never an error.
pub fn combine(
    folder: &Path,
    overwrite: bool,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Written> {
    let target = JobTarget::prepare(folder, overwrite)?;
    let told = build(target.ranks(), target.staging(), JobFacts::default(), settings, progress)?;
    Ok(Written { folder: target.place()?, told })
}

/// The same for a folder that is being written: the files of the job are put beside its `rank_<n>/` at once. `facts` is
/// what nobody can see in those folders.
///
/// # Errors
/// When the disk refuses.
pub fn combine_into(
    folder: &Path,
    facts: JobFacts,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Told> {
    build(&output::rank_folders(folder)?, folder, facts, settings, progress)
}

fn build(
    folders: &[RankFolder],
    into: &Path,
    facts: JobFacts,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Told> {
    let job = read(folders, facts, progress);
    let found = analysis::of_job(&job);
    let report = JobReport { job: &job, found: &found, settings };
    let mut pages = report::job_pages(report);
    let events = RelPath::of_parts(&["chromium_events.json"]);
    pages.push(Page::rendered(events, move |_: &mut Worker, out| chromium::write(folders, out)));
    progress.writing(pages.len());
    // One thread: the files are few, and the longest is streamed.
    output::write(pages, into, NonZeroUsize::MIN, Worker::new)?;
    Ok(Told {
        summary: report::job_summary(report),
        findings: report::job_findings(report),
        intact: job.ranks.iter().all(RankSummary::is_intact),
        events: job.events.into_iter().collect(),
        // A rank's report.json does not say it.
        without_compile_id: 0,
        notes: Vec::new(),
    })
}

/// The reports of the ranks, and what is known beside them.
fn read(folders: &[RankFolder], facts: JobFacts, progress: &dyn Progress) -> Job {
    let mut job = Job { skipped_files: facts.skipped_files, ..Job::default() };
    let mut reader = read::Reader::new(&mut job.texts, &mut job.events);
    let size = |folder: &RankFolder| {
        std::fs::metadata(folder.path.join("report.json")).map_or(0, |metadata| metadata.len())
    };
    let total = folders.iter().map(size).sum();
    let mut done = 0;
    for folder in folders {
        let mut rank = reader.rank(folder.rank, &folder.path);
        rank.processes = folder.processes.iter().map(|(pid, path)| reader.process(*pid, path)).collect();
        job.ranks.push(rank);
        done += size(folder);
        progress.reading(done, total);
    }
    job.shared = reader.findings.into_shared();
    for failed in facts.failed {
        if job.ranks.iter().all(|rank| rank.number != failed.rank) {
            job.ranks.push(RankSummary::unreadable(failed.rank, failed.reason));
        }
    }
    job.ranks.sort_by_key(|rank| rank.number);
    job.runs = std::iter::once(times::run_of(&job.ranks)).chain(facts.other_runs).collect::<Vec<Run>>();
    job
}
