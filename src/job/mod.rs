//! Finished reports of ranks to the report of their job: a landing page and a few data files beside `rank_<n>/`.
//!
//! The reports of the ranks may have been written on other machines, each by a run of its own. Their `report.json` is parsed
//! and their `chromium_events.json` streamed; of the ranks that differ first, one graph each is read, and nothing else. A run
//! over all ranks ends here too, so both ways give the same files.

mod blocks;
mod chromium;
mod events;
mod evidence;
mod facts;
mod findings;
mod graph_lists;
mod places;
mod read;
mod tensors;
mod timeline;
mod times;

pub(crate) use evidence::read as read_evidence;

use crate::model::{Job, JobFacts, RankSummary, Run};
use crate::options::Progress;
use crate::output::{Page, RankFolder, RelPath};
use crate::report::Worker;
use std::num::NonZeroUsize;

/// The chromium events of all ranks, streamed from their reports into one file by so many threads.
pub(crate) fn chromium_events(folders: &[RankFolder], threads: NonZeroUsize) -> Page<'_, Worker> {
    let path = RelPath::of_parts(&["chromium_events.json"]);
    Page::rendered(path, move |_: &mut Worker, out| chromium::write(folders, threads, out))
}

/// Reads the reports of the ranks; `facts` is what else is known. A rank that cannot be read is part of the job.
pub(crate) fn read(folders: &[RankFolder], facts: JobFacts, progress: &dyn Progress) -> Job {
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
