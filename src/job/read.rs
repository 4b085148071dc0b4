//! `report.json` of a rank to its summary.

use super::facts::{FactReader, GraphsInFull};
use super::findings::Findings;
use super::places::Places;
use crate::facts::ranks::{Job, RankCounts, RankState, RankSummary};
use crate::facts::{LogReport, Reports, log_report};
use std::path::Path;

/// Reads the reports of ranks one after the other; what they share is kept once.
pub(super) struct Reader<'f> {
    reports: Reports<'f>,
    /// What is known so far.
    pub job: Job,
    /// The text of the current process's report; the buffer is reused for the next.
    buffer: Vec<u8>,
    /// Graphs that are kept in full already.
    in_full: GraphsInFull,
    /// What the reports found.
    pub findings: Findings,
}

impl<'f> Reader<'f> {
    pub fn new(reports: Reports<'f>, job: Job) -> Reader<'f> {
        let (in_full, findings) = (GraphsInFull::default(), Findings::default());
        Reader { reports, job, buffer: Vec::new(), in_full, findings }
    }

    /// The summary of a rank with this report; a report that could not be read gives one that says why.
    pub fn rank(&mut self, number: u64, report: anyhow::Result<LogReport<'_>>) -> RankSummary {
        if let Ok(report) = &report {
            self.findings.add(number, report);
            super::searched::add(&mut self.job.searched, number, report);
        }
        self.summary(number, report)
    }

    /// The same for a further process of a rank, whose report stands in `folder`.
    pub fn process(&mut self, pid: u64, folder: &Path) -> RankSummary {
        let mut buffer = std::mem::take(&mut self.buffer);
        let summary = self.summary(pid, self.reports.read(folder, &mut buffer).and_then(log_report));
        self.buffer = buffer;
        summary
    }

    fn summary(&mut self, number: u64, report: anyhow::Result<LogReport<'_>>) -> RankSummary {
        report.map_or_else(
            |error| RankSummary::unreadable(number, format!("{error:#}")),
            |report| self.of_report(number, &report),
        )
    }

    fn of_report(&mut self, number: u64, report: &LogReport<'_>) -> RankSummary {
        for (event, count) in &report.integrity.events {
            let sum = self.job.events.entry(event.owned()).or_default();
            *sum = sum.saturating_add(*count);
        }
        let log = report.log.clone().checked();
        let state = match (report.integrity.ok, log.records) {
            (false, _) => RankState::Damaged(report.integrity.damage()),
            (true, 0) => RankState::Empty,
            (true, _) => RankState::Ok,
        };
        let counts = RankCounts {
            compiles: report.cross_rank.compiles.len() as u64,
            graph_breaks: report.graph_breaks.len() as u64,
            recompiles: report.recompiles.len() as u64,
            failures: report.failures.len() as u64,
        };
        let version = report.torch.as_ref().and_then(|torch| torch.version.as_deref());
        let comparable = log.records > 0;
        let mut summary = RankSummary {
            number,
            state,
            counts,
            log: Some(log),
            torch: self.job.texts.add_maybe(version),
            compile_time_s: report.compile_time.total_s.filter(|seconds| *seconds >= 0.0),
            ..RankSummary::default()
        };
        if comparable {
            let texts = &mut self.job.texts;
            let places = &Places::new(texts, report);
            FactReader { texts, in_full: &mut self.in_full, report, places }.fill(&mut summary);
        }
        summary
    }
}
