//! The end of each rank's log, which matters most for a job that stopped.

use super::view::JobView;
use crate::analysis::job::{NamedFunction, Stop, rank_words};
use crate::facts::ranks::RankSummary;
use crate::limits::SHORT_LIST;
use crate::model::words::ranks_by_number;
use crate::report::doc::{Cell, Rows, count, html, log, micros, own};
use crate::report::kit::formats::{self, UNKNOWN, counted, day_and_time};
use std::io::Write;

/// Whether the page has the section: some rank stopped early or has no log, and others can be compared with it.
pub(super) fn is_shown(view: JobView<'_>) -> bool {
    let fleet = &view.report.found.fleet;
    known(view).len() > 1 && !(fleet.stops.is_empty() && fleet.missing.is_empty())
}

/// The ranks whose end of log is known.
fn known(view: JobView<'_>) -> Vec<usize> {
    (0..view.report.job.ranks.len()).filter(|index| end_of(view, *index).is_some()).collect()
}

/// The section, if it is shown.
pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let stops = &view.report.found.fleet.stops;
    let known = known(view);
    if !is_shown(view) {
        return Ok(());
    }
    let note = match stops.len() {
        0 => "no log ends inside a compile",
        _ => "ranks that stopped early first, by time",
    };
    let stopped: Vec<usize> = stops.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
    let mut others: Vec<usize> = known.iter().copied().filter(|index| !stopped.contains(index)).collect();
    others.sort_by_key(|index| end_of(view, *index));
    let last = known.iter().filter_map(|index| end_of(view, *index)).max();
    let mut stops: Vec<&Stop> = stops.iter().collect();
    stops.sort_by_key(|stop| stop.ranks.iter().filter_map(|index| end_of(view, *index)).min());
    let mut rows: Vec<EndRow<'_>> =
        stops.into_iter().map(|stop| row(view, &stop.ranks, Some(stop), last)).collect();
    match others.len() <= SHORT_LIST {
        true => rows.extend(others.iter().map(|index| row(view, &[*index], None, last))),
        false => rows.push(row(view, &others, None, last)),
    }
    rows.extend(missing(view));
    let list = Rows::of(rows)
        .text("Ranks", |row| row.who.clone().class("nowrap"))
        .text("Last record", |row| row.time.clone())
        .mono()
        .number("Before the last", |row| row.gap.clone())
        .kept()
        .unsorted("Open at the end", |row| row.open.clone())
        .number("Compiles", |row| row.compiles.clone())
        .kept()
        .about(note)
        .uncounted()
        .listing("ends", "Where each rank stopped", "");
    html::section(view.surface(), out, &list)
}

/// What a row says.
struct EndRow<'m> {
    who: Cell<'m>,
    /// The last record.
    time: Cell<'m>,
    /// How long before the last record of all.
    gap: Cell<'m>,
    open: Cell<'m>,
    compiles: Cell<'m>,
}

/// The row of the ranks without a log.
fn missing(view: JobView<'_>) -> Option<EndRow<'_>> {
    let missing = &view.report.found.fleet.missing;
    let no_data = || Cell::from("no data").span("soft");
    (!missing.is_empty()).then(|| EndRow {
        who: own(ranks_by_number(missing)),
        time: no_data(),
        gap: Cell::Unknown,
        open: Cell::from("no log in the folder").span("soft"),
        compiles: no_data(),
    })
}

/// When a rank's log ends, microseconds since 1970.
fn end_of(view: JobView<'_>, index: usize) -> Option<i64> {
    view.rank_at(index)?.end.as_ref()?.time_us
}

/// Ranks with the same kind of end, represented by the earliest.
fn row<'m>(view: JobView<'m>, ranks: &[usize], stop: Option<&Stop>, last: Option<i64>) -> EndRow<'m> {
    let first = ranks.iter().copied().min_by_key(|index| end_of(view, *index));
    let rank = first.and_then(|index| view.rank_at(index));
    let who = match (ranks, rank) {
        ([_], Some(rank)) => view.rank(rank),
        _ if stop.is_none() => {
            let (one, many) = match view.report.found.fleet.stops.is_empty() {
                true => ("rank", "ranks"),
                false => ("other rank", "other ranks"),
            };
            own(format!("{}; showing the first to end", counted(ranks.len(), one, many)))
        }
        _ => own(rank_words(view.report.job, ranks)),
    };
    let time = rank.and_then(|rank| rank.log.as_ref()?.last_time.as_deref()).and_then(day_and_time);
    let gap = last.zip(first.and_then(|index| end_of(view, index))).map(|(last, own)| last - own);
    // A value is shown only if all of these ranks have it.
    let of_rank = |index: &usize| view.rank_at(*index).map(|rank| rank.counts.compiles);
    let compiles = rank.map(|rank| rank.counts.compiles);
    EndRow {
        who,
        time: Cell::maybe(time, |(_, time)| log(time.to_string())),
        gap: micros(gap.filter(|us| *us > 0).map(|us| us as f64)),
        open: Cell::maybe(rank, |rank| open(view, rank, stop)),
        compiles: count(compiles.filter(|count| ranks.iter().all(|index| of_rank(index) == Some(*count)))),
    }
}

/// The compile and the phases that were open.
fn open<'m>(view: JobView<'m>, rank: &'m RankSummary, stop: Option<&Stop>) -> Cell<'m> {
    let texts = &view.report.job.texts;
    let Some(end) = rank.end.as_ref().filter(|end| end.inside) else {
        return match stop {
            Some(_) => Cell::from("nothing, but early").span("kind warning"),
            None => "nothing".into(),
        };
    };
    let id = texts.maybe(end.compile).unwrap_or(UNKNOWN);
    let phases: Vec<&str> = end.phases.iter().map(|phase| texts.get(*phase)).collect();
    let phases = match phases.as_slice() {
        [] => format!(" after {}", texts.get(end.event)),
        phases => {
            let timed = end.timed.map(|open| {
                format!("; {} for at least {}", texts.get(open.name), formats::micros(open.at_least_s * 1e6))
            });
            format!(" {}{}", phases.join(" > "), timed.unwrap_or_default())
        }
    };
    let inside = Cell::from("inside").span("kind error");
    let link = log(id).at(Some(view.compile_page(rank, id)));
    let name = NamedFunction::of_graph(texts, rank.graph(end.compile));
    let name = name.map(|name| Cell::Beside(vec![" ".into(), Cell::Code(name.plain().into())], ""));
    let pieces = [inside, " ".into(), link].into_iter().chain(name).chain([log(phases)]);
    Cell::Beside(pieces.collect(), "")
}
