//! What the landing page of a job shows of a few ranks: when they compiled, and the graphs of the first difference.

use crate::analysis::CodeText;
use crate::analysis::JobFound;
use crate::analysis::job::{RankCompile, TimelineRow, first_graphs, timeline_rows};
use crate::facts::ranks::{Job, JobEvidence, RankGraph};
use crate::facts::{FILE, log_report};
use crate::limits::LARGEST_TEXT;
use crate::output::RankFolder;
use crate::report_folder::ReportFolder;
use std::collections::BTreeMap;

/// Larger reports are not read again.
const LARGEST_REPORT: u64 = 256 << 20;

/// Reads the graphs from the reports of the ranks. What cannot be read is not shown.
pub(crate) fn read(folders: &[RankFolder], job: &Job, found: &JobFound) -> JobEvidence {
    let graphs = first_graphs(job, found).and_then(|[one, other]| {
        let read = |one: RankCompile<'_>| text(folders, job, one, CodeText::Graph);
        Some([read(one)?, read(other)?])
    });
    JobEvidence { timelines: Vec::new(), graphs }
}

/// The ranks whose timelines are shown: their numbers, with their places in the job.
pub(super) fn shown_ranks(job: &Job, found: &JobFound) -> BTreeMap<u64, usize> {
    let rows = timeline_rows(job, found).into_iter();
    let shown = rows.filter_map(|row| match row {
        TimelineRow::Ranks(ranks) => {
            let rank = *ranks.first()?;
            Some((job.ranks.get(rank)?.number, rank))
        }
        _ => None,
    });
    shown.collect()
}

/// A text of the last attempt of a compile, from the report of its rank.
pub(crate) fn text(
    folders: &[RankFolder],
    job: &Job,
    RankCompile { rank, compile }: RankCompile<'_>,
    text: CodeText,
) -> Option<RankGraph> {
    let number = job.ranks.get(rank)?.number;
    let folder = ReportFolder::at(&folders.iter().find(|folder| folder.rank == number)?.path);
    let mut bytes = Vec::new();
    folder.read(FILE, LARGEST_REPORT, &mut bytes).ok()?;
    let report = log_report(&bytes).ok()?;
    let of = report.compiles.iter().find(|one| one.id.as_deref() == Some(compile))?;
    let file = of.artifacts.iter().rfind(|artifact| text.is_in(&artifact.name))?.path.owned();
    let text = folder.text(&file, LARGEST_TEXT).ok()?;
    Some(RankGraph { rank, compile: compile.to_owned(), file, text })
}
