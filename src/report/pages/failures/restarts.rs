//! Attempts that Dynamo discarded to start over, one line per reason.

use crate::limits::{LISTED, NAMED_BRIEFLY};
use crate::model::Compile;
use crate::report::kit::markup::{fold, long_text};
use crate::report::kit::prelude::*;
use crate::report::kit::reasons::first_line;
use indexmap::IndexMap;

/// Restarts for one reason.
#[derive(Default)]
struct Restarted<'a> {
    compiles: Vec<&'a Compile>,
    times: usize,
}

pub(super) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    if model.restarts.is_empty() {
        return Ok(());
    }
    let mut reasons: IndexMap<&str, Restarted<'_>> = IndexMap::new();
    for restart in &model.restarts {
        let one = reasons.entry(&restart.reason).or_default();
        one.times += 1;
        // The restarts of a compile are adjacent.
        let known = |known: &&Compile| known.id == restart.compile;
        one.compiles.extend(
            model.compile(restart.compile.as_ref()).filter(|_| !one.compiles.last().is_some_and(known)),
        );
    }
    let note = "attempts that Dynamo discarded to start over; usual at a graph break";
    let count = Some(whole(model.restarts.len()));
    view.open_section(out, ("restarts", "Restarts", note), count, Html::default())?;
    let wasted = |one: &Restarted<'_>| {
        let times = one.compiles.iter().filter_map(|c| c.outcome().and_then(|m| m.wasted_us));
        times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
    };
    let columns = vec![
        TableColumn::text("Reason"),
        TableColumn::unsorted("Compiles"),
        TableColumn::number("Times"),
        TableColumn::number("Discarded")
            .about("time of all attempts of these compiles except the last")
            .absent_if(!reasons.values().any(|one| wasted(one).is_some())),
    ];
    let table = Table { id: "restarts-table", label: "Restarts", columns };
    let rows = reasons.iter().take(LISTED).map(|(reason, one)| {
        Row::of(vec![
            TableCell::html(one_line(view, reason)),
            TableCell::html(view.some_pills(&one.compiles, NAMED_BRIEFLY)).class("nowrap"),
            TableCell::count(one.times),
            TableCell::maybe(wasted(one), micros),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, reasons.len(), LISTED, "reasons")?;
    Ok(close_section(out)?)
}

/// The first line of a reason, and the rest folded.
fn one_line(view: View<'_>, reason: &str) -> Html {
    let first = first_line(reason);
    match reason.trim().len() > first.len() {
        true => fold(view.prose(&first), &long_text(reason.trim())),
        false => view.prose(&first),
    }
}
