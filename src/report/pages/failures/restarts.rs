//! Attempts that Dynamo discarded to start over, one line per reason.

use crate::limits::{LISTED, NAMED_BRIEFLY};
use crate::model::Compile;
use crate::report::doc::{Block, Cell, Others, Rows, Section, micros};
use crate::report::kit::reasons::first_line;
use crate::report::subject::Report;
use indexmap::IndexMap;

/// Restarts for one reason.
#[derive(Default)]
struct Restarted<'m> {
    reason: &'m str,
    compiles: Vec<&'m Compile>,
    times: usize,
}

pub(super) fn section<'m>(report: Report<'m>) -> Option<Block<'m>> {
    let model = report.model;
    let mut reasons: IndexMap<&str, Restarted<'m>> = IndexMap::new();
    for restart in &model.restarts {
        let one = reasons.entry(&restart.reason).or_default();
        one.reason = &restart.reason;
        one.times += 1;
        // The restarts of a compile are adjacent.
        let known = |known: &&Compile| known.id == restart.compile;
        one.compiles.extend(
            model.compile(restart.compile.as_ref()).filter(|_| !one.compiles.last().is_some_and(known)),
        );
    }
    let list = Rows::of(reasons.into_values().collect::<Vec<_>>())
        .text("Reason", |one| one_line(one.reason))
        .unsorted("Compiles", |one| {
            let compiles = one.compiles.clone();
            Cell::SomeCompiles { compiles, most: NAMED_BRIEFLY, beside_names: false }.class("nowrap")
        })
        .number("Times", |one| one.times.into())
        .number("Discarded", |one| {
            let times = one.compiles.iter().filter_map(|compile| compile.outcome()?.wasted_us);
            micros(times.reduce(|sum, us| sum + us))
        })
        .explained("time of all attempts of these compiles except the last")
        .first(LISTED, Others::InFacts("reasons"))
        .listing("restarts", "Restarts", "");
    (list.count() > 0).then(|| {
        let about = "attempts that Dynamo discarded to start over; usual at a graph break";
        let section = Section::new("restarts", "Restarts", vec![Block::Table(list)]);
        Block::Section(section.about(about).counted(model.restarts.len()))
    })
}

/// The first line of a reason, and the rest folded.
fn one_line(reason: &str) -> Cell<'_> {
    let first = first_line(reason);
    let is_all = reason.trim().len() <= first.len();
    let first = Cell::Prose(first.into());
    if is_all { first } else { Cell::FoldedText { summary: Box::new(first), text: reason.trim().into() } }
}
