//! Estimated runtimes of graphs per rank, and collectives that differ between code and schedule.

use super::view::JobView;
use crate::analysis::job::short_operation;
use crate::facts::ranks::RankSummary;
use crate::facts::{GraphRuntimes, Map, RankParity, RankTime};
use crate::limits::SHORT_TABLE;

use crate::report::kit::formats::{UNKNOWN, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, paragraph};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::trace::CompileId;
use std::io::Write;

pub(crate) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(runtime) = &view.report.found.runtime else { return Ok(()) };
    let note = "torch's estimates, not measurements";
    let count = runtime.why_not.is_none().then(|| whole(runtime.graphs.len()));
    view.open_section(out, ("runtime", "Estimated runtime of graphs", note), count, Html::default())?;
    if let Some(why) = &runtime.why_not {
        paragraph(out, format!("Not compared: {why}."))?;
        return Ok(close_section(out)?);
    }
    let columns = vec![
        TableColumn::text("Graph"),
        TableColumn::number("Fastest"),
        TableColumn::text("On"),
        TableColumn::number("Slowest"),
        TableColumn::text("On"),
        TableColumn::number("Delta"),
        TableColumn::number("Mean"),
    ];
    // The largest difference first.
    let mut graphs: Vec<&GraphRuntimes<'_>> = runtime.graphs.iter().collect();
    graphs.sort_by(|a, b| b.delta_ms.total_cmp(&a.delta_ms));
    let table = Table { id: "runtime-table", label: "Estimated runtimes", columns };
    view.table(out, &table, graphs.iter().take(SHORT_TABLE).map(|graph| row(view, graph)))?;
    view.beyond(out, graphs.len(), SHORT_TABLE, "graphs")?;
    close_section(out)?;
    Ok(())
}

fn row(view: JobView<'_>, graph: &GraphRuntimes<'_>) -> Row {
    let ms = |ms: f64| TableCell::number(ms, &estimate(ms));
    let on = |time: RankTime| match time.rank.and_then(|number| view.numbered(number)) {
        Some(rank) => TableCell::html(view.rank(rank)).sorted(rank.number),
        None => TableCell::text(UNKNOWN),
    };
    Row::of(vec![
        TableCell::html(view.code(&graph.graph)),
        ms(graph.fastest.ms),
        on(graph.fastest),
        ms(graph.slowest.ms),
        on(graph.slowest),
        ms(graph.delta_ms),
        ms(graph.mean_ms),
    ])
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
    let note = "scheduled collectives compared with those that the generated code calls";
    view.open_section(out, ("parity", "Collectives in generated code", note), None, Html::default())?;
    let ranks = view.report.job.ranks.iter();
    let odd: Vec<(&RankSummary, &RankParity<'_>)> =
        ranks.flat_map(|rank| rank.parity.iter().map(move |graph| (rank, graph))).collect();
    if odd.is_empty() {
        let count = whole(found.scheduled);
        let words = format!("Consistent, with a wait for each collective: {count} compiles over all ranks.");
        paragraph(out, words)?;
        return Ok(close_section(out)?);
    }
    let columns = vec![
        TableColumn::number("Rank"),
        TableColumn::text("Compile"),
        TableColumn::unsorted("Scheduled"),
        TableColumn::unsorted("In the code"),
        TableColumn::number("Without a wait"),
    ];
    let table = Table { id: "parity-table", label: "Mismatched collectives", columns };
    view.table(out, &table, odd.iter().take(SHORT_TABLE).map(|(rank, graph)| parity_row(view, rank, graph)))?;
    view.beyond(out, odd.len(), SHORT_TABLE, "compiles")?;
    close_section(out)?;
    Ok(())
}

fn parity_row(view: JobView<'_>, rank: &RankSummary, parity: &RankParity<'_>) -> Row {
    let counts = |counts: &Map<'_, u64>| {
        let words = counts.iter().map(|(name, count)| format!("{} {}", whole(*count), short_operation(name)));
        TableCell::text(&words.collect::<Vec<_>>().join(", ")).class("mono")
    };
    let id = parity.compile_id.as_deref().unwrap_or(UNKNOWN);
    let compile = match CompileId::parse(id) {
        Some(_) => view.link(&view.compile_page(rank, id), id),
        None => Html::escaped(id),
    };
    Row::of(vec![
        TableCell::html(view.rank(rank)).sorted(rank.number),
        TableCell::html(compile),
        counts(&parity.scheduled),
        counts(&parity.in_code),
        TableCell::number(parity.missing_waits as f64, &whole(parity.missing_waits)),
    ])
}
