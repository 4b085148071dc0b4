//! The reasons why compiles failed: the entries of the page of failures, in its order.

use crate::analysis::Finding;
use crate::analysis::failed_in::{FailedIn, failed_in};
use crate::analysis::failures::{FailureCause, FailureEffect, failure_causes};
use crate::analysis::findings::{EntryKey, by_entry};
use crate::limits::SHOWN;
use crate::report::doc::{Block, Cell};
use crate::report::kit::links;
use crate::report::kit::record_files::{RecordFile, record_files};
use crate::report::subject::Report;
use crate::report::words::failures::where_to_look;
use fxhash::FxHashMap;

/// A cause with what is known about it.
pub(crate) struct Reason<'m> {
    /// The failures.
    pub cause: FailureCause<'m>,
    /// Where its compiles failed.
    pub failed_in: FailedIn,
    /// The finding about it; none if it belongs to a function's recompilations.
    pub finding: Option<&'m Finding>,
}

impl<'m> Reason<'m> {
    /// What to do: tried advice and torch's hints; without any, the stage, pass or operator to look at.
    pub fn what_to_do(&'m self, report: Report<'m>) -> Vec<Block<'m>> {
        let consequence = consequence(self.cause.effect).map(|words| Block::Paragraph(words.into()));
        let mut blocks: Vec<_> = consequence.into_iter().collect();
        let Some(finding) = self.finding else {
            let page = Cell::from("what changed each time, and what to do").linked(links::RECOMPILATIONS);
            blocks.push(Block::Paragraph(Cell::Beside(vec!["See ".into(), page, ".".into()], "")));
            return blocks;
        };
        blocks.extend(finding.advice.iter().map(Block::Advice));
        if finding.advice.is_empty() {
            let sentences = where_to_look(&self.cause, &self.failed_in);
            blocks.push(Block::Paragraph(Cell::Hints(sentences.into())));
            blocks.extend(graph(report, self));
        }
        blocks
    }

    /// Microseconds that its compiles took in vain.
    pub fn lost_us(&self) -> f64 {
        self.finding.and_then(|finding| finding.cost.as_ref()).map_or(0.0, |cost| cost.us)
    }

    /// Whether neither torch nor an experiment says what to do.
    pub fn has_no_hint(&self) -> bool {
        self.finding.is_some_and(|finding| finding.advice.is_empty())
    }
}

/// The graph that the failed step was given.
fn graph<'m>(report: Report<'m>, reason: &Reason<'_>) -> Option<Block<'m>> {
    let first = *reason.cause.compiles.first()?;
    let mut names = reason.failed_in.graphs.split(' ');
    let graph = names.find_map(|name| record_files(report, &[first], &[name]).into_iter().next())?;
    let pieces = vec!["The graph that it was given: ".into(), file(graph), ".".into()];
    Some(Block::Paragraph(Cell::Beside(pieces, "")))
}

/// A link to a record.
pub(crate) fn file(record: RecordFile<'_>) -> Cell<'_> {
    let name = format!("{}_{}", record.artifact.name, record.artifact.number);
    Cell::File { path: record.path, name: name.into() }
}

/// What became of the function, where it is more than that it was not compiled.
fn consequence(effect: FailureEffect) -> Option<&'static str> {
    match effect {
        FailureEffect::NotCompiled => None,
        FailureEffect::BrokeInLoop => Some(
            "The graph breaks inside a loop, where Dynamo cannot resume: the whole function runs uncompiled.",
        ),
        FailureEffect::BrokeForGood => {
            Some("Dynamo cannot resume after a graph break here: the whole function runs uncompiled.")
        }
    }
}

/// Failures by cause, most time lost first.
pub(crate) fn reasons(report: Report<'_>) -> Vec<Reason<'_>> {
    let findings = by_entry(&report.found.findings);
    let causes = failure_causes(report.model).into_iter().enumerate();
    let reason = |(number, cause)| {
        let failed_in = failed_in(&cause);
        Reason { cause, failed_in, finding: findings.get(&EntryKey::Failure(number)).copied() }
    };
    let mut reasons: Vec<Reason<'_>> = causes.map(reason).collect();
    reasons.sort_by(|one, other| other.lost_us().total_cmp(&one.lost_us()));
    reasons
}

/// The number of the entry of each failure on the page of failures, by the failure's record.
pub(crate) fn numbered(reasons: &[Reason<'_>]) -> FxHashMap<u64, usize> {
    let shown = (1..).zip(reasons.iter().take(SHOWN));
    shown
        .flat_map(|(number, reason)| {
            reason.cause.failures.iter().map(move |failure| (failure.record, number))
        })
        .collect()
}
