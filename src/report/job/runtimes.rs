//! Estimated runtimes of graphs per rank, and collectives that differ between code and schedule.

use super::view::JobView;
use crate::facts::ranks::RankSummary;
use crate::facts::{GraphRuntimes, Map, RankParity, RankTime};
use crate::limits::SHORT_TABLE;
use crate::read::fx_graph::short_operation;
use crate::report::doc::{Cell, Listing, Others, Rows, html, log};
use crate::report::kit::formats::{UNKNOWN, micros, whole};
use std::io::Write;

pub(crate) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(runtime) = &view.report.found.runtime else { return Ok(()) };
    // The largest difference first.
    let mut graphs: Vec<&GraphRuntimes<'_>> = runtime.graphs.iter().collect();
    graphs.sort_by(|a, b| b.delta_ms.total_cmp(&a.delta_ms));
    let empty = runtime.why_not.as_ref().map(|why| {
        graphs.clear();
        format!("Not compared: {why}.")
    });
    html::section(view.surface(), out, &estimates(view, graphs, empty.unwrap_or_default()))
}

fn estimates<'m>(view: JobView<'m>, graphs: Vec<&'m GraphRuntimes<'m>>, empty: String) -> Listing<'m> {
    let ms = |ms: f64| Cell::Figure { value: ms, shown: estimate(ms) };
    let on = move |time: RankTime| {
        Cell::maybe(time.rank.and_then(|number| view.numbered(number)), |rank| view.rank(rank))
    };
    Rows::of(graphs)
        .text("Graph", |graph| Cell::Code((&*graph.graph).into()))
        .number("Fastest", move |graph| ms(graph.fastest.ms))
        .text("On", move |graph| on(graph.fastest))
        .number("Slowest", move |graph| ms(graph.slowest.ms))
        .text("On", move |graph| on(graph.slowest))
        .number("Delta", move |graph| ms(graph.delta_ms))
        .number("Mean", move |graph| ms(graph.mean_ms))
        .about("torch's estimates, not measurements")
        .first(SHORT_TABLE, Others::InFacts("graphs"))
        .listing("runtime", "Estimated runtime of graphs", empty)
}

/// A time, possibly far below a microsecond.
fn estimate(ms: f64) -> String {
    match ms * 1e6 {
        ns if ns < 1_000.0 => format!("{ns:.1}\u{a0}ns"),
        ns => micros(ns / 1e3),
    }
}

pub(crate) fn parity(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = view.report.found;
    if found.scheduled == 0 {
        return Ok(());
    }
    let count = whole(found.scheduled);
    let empty = format!("Consistent, with a wait for each collective: {count} compiles over all ranks.");
    html::section(view.surface(), out, &mismatches(view, empty))
}

/// A compile of a rank whose collectives differ.
struct Mismatch<'m> {
    rank: &'m RankSummary,
    parity: &'m RankParity<'m>,
}

fn mismatches<'m>(view: JobView<'m>, empty: String) -> Listing<'m> {
    let of = |rank: &'m RankSummary| rank.parity.iter().map(move |parity| Mismatch { rank, parity });
    let counts = |counts: &Map<'_, u64>| {
        let words = counts.iter().map(|(name, count)| format!("{} {}", whole(*count), short_operation(name)));
        log(words.collect::<Vec<_>>().join(", "))
    };
    Rows::of(view.report.job.ranks.iter().flat_map(of).collect::<Vec<_>>())
        .number("Rank", move |one| view.rank(one.rank))
        .text("Compile", move |one| {
            view.compile(one.rank, one.parity.compile_id.as_deref().unwrap_or(UNKNOWN))
        })
        .unsorted("Scheduled", move |one| counts(&one.parity.scheduled))
        .mono()
        .unsorted("In the code", move |one| counts(&one.parity.in_code))
        .mono()
        .number("Without a wait", |one| Cell::Figure {
            value: one.parity.missing_waits as f64,
            shown: whole(one.parity.missing_waits),
        })
        .about("scheduled collectives compared with those that the generated code calls")
        .first(SHORT_TABLE, Others::InFacts("compiles"))
        .uncounted()
        .listing("parity", "Collectives in generated code", empty)
}
