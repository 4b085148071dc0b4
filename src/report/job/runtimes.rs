//! Estimated runtimes of graphs on the ranks, and collectives that code and schedule do not share.

use super::view::JobView;
use crate::analysis::job::{GraphTimes, RankParity, RankTime, short_operation};
use crate::model::OperationCount;
use crate::report::kit::formats::{UNKNOWN, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, paragraph};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::trace::CompileId;
use std::io::Write;

/// Rows of a table; report.json has the others.
const LISTED: usize = 400;

pub(crate) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(runtime) = &view.report.found.runtime else { return Ok(()) };
    let note = "torch's estimates, not measurements";
    let count = runtime.why_not.is_none().then(|| whole(runtime.graphs.len()));
    view.open_section(out, ("runtime", "Estimated runtime of graphs", note), count, Html::default())?;
    if let Some(why) = &runtime.why_not {
        paragraph(out, format!("Not compared: {why}."))?;
        return Ok(close_section(out)?);
    }
    let heads = vec![
        Head::text("Graph"),
        Head::number("Fastest"),
        Head::text("On"),
        Head::number("Slowest"),
        Head::text("On"),
        Head::number("Delta"),
        Head::number("Mean"),
    ];
    // The largest difference first.
    let mut graphs: Vec<&GraphTimes> = runtime.graphs.iter().collect();
    graphs.sort_by(|a, b| b.delta_ms().total_cmp(&a.delta_ms()));
    let rows: Vec<_> = graphs.iter().take(LISTED).map(|graph| Ok(row(view, graph))).collect();
    view.table(out, &Table { id: "runtime-table", label: "Estimated runtimes", heads }, rows.into_iter())?;
    view.beyond(out, graphs.len(), LISTED, "graphs")?;
    close_section(out)?;
    Ok(())
}

fn row(view: JobView<'_>, graph: &GraphTimes) -> Row {
    let ms = |ms: f64| Td::number(ms, &estimate(ms));
    let on = |time: RankTime| match view.rank_at(time.rank) {
        Some(rank) => Td::html(view.rank(rank)).sorted(rank.number),
        None => Td::text(UNKNOWN),
    };
    Row::of(vec![
        Td::html(view.code(view.report.job.texts.get(graph.graph))),
        ms(graph.fastest.ms),
        on(graph.fastest),
        ms(graph.slowest.ms),
        on(graph.slowest),
        ms(graph.delta_ms()),
        ms(graph.mean_ms),
    ])
}

/// A time that may be far below a microsecond.
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
    let note = "collectives that Inductor scheduled against those that its code calls";
    view.open_section(out, ("parity", "Collectives in generated code", note), None, Html::default())?;
    if found.parity.is_empty() {
        let count = whole(found.scheduled);
        let words = format!("Consistent, with a wait for each collective: {count} compiles over all ranks.");
        paragraph(out, words)?;
        return Ok(close_section(out)?);
    }
    let heads = vec![
        Head::number("Rank"),
        Head::text("Compile"),
        Head::unsorted("Scheduled"),
        Head::unsorted("In the code"),
        Head::number("Without a wait"),
    ];
    let rows: Vec<_> = found.parity.iter().take(LISTED).map(|parity| Ok(parity_row(view, parity))).collect();
    view.table(
        out,
        &Table { id: "parity-table", label: "Collectives that do not fit", heads },
        rows.into_iter(),
    )?;
    view.beyond(out, found.parity.len(), LISTED, "compiles")?;
    close_section(out)?;
    Ok(())
}

fn parity_row(view: JobView<'_>, parity: &RankParity) -> Row {
    let texts = &view.report.job.texts;
    let counts = |counts: &[OperationCount]| {
        let words = counts
            .iter()
            .map(|one| format!("{} {}", whole(one.count), short_operation(texts.get(one.operation))));
        Td::text(&words.collect::<Vec<_>>().join(", ")).class("mono")
    };
    let rank = view.rank_at(parity.rank);
    let id = texts.maybe(parity.counts.compile).unwrap_or(UNKNOWN);
    let compile = match rank.filter(|_| CompileId::parse(id).is_some()) {
        Some(rank) => view.link(&view.compile_page(rank, id), id),
        None => Html::escaped(id),
    };
    let name = rank.map_or_else(|| Td::text(UNKNOWN), |rank| Td::html(view.rank(rank)));
    Row::of(vec![
        name.sorted(rank.map_or(0, |rank| rank.number)),
        Td::html(compile),
        counts(&parity.counts.scheduled),
        counts(&parity.counts.in_code),
        Td::number(parity.counts.missing_waits as f64, &whole(parity.counts.missing_waits)),
    ])
}
