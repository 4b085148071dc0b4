//! Compile time per rank: bars in a table if there are few ranks, else a chart with columns.

use super::view::JobView;
use crate::analysis::Parts;
use crate::model::RankSummary;
use crate::report::kit::bars::PHASES;
use crate::report::kit::formats::{micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, heading, note_below, span, write_line};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use serde::Serialize;
use std::io::Write;

/// Up to this many ranks are rows of a table; more are columns of a chart.
const ROWS_OF_TIME: usize = 16;

/// Beyond this the columns are too narrow to show parts.
const COLUMNS_WITH_PARTS: usize = 128;

/// More ranks than this share columns: a column is at least two pixels wide.
const COLUMNS: usize = 512;

/// The section; empty if no times are known.
pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let fleet = &view.report.found.fleet;
    let (Some(median), Some(extremes)) = (fleet.median_s, fleet.extremes) else { return Ok(()) };
    let named = |index: usize| {
        let rank = view.rank_at(index)?;
        Some(format!("{} on rank {}", micros(rank.compile_time_s? * 1e6), rank.number))
    };
    let (fastest, slowest) =
        (named(extremes.fastest).unwrap_or_default(), named(extremes.slowest).unwrap_or_default());
    // Two numbers have no meaningful median.
    let middle = match fleet.timed {
        2 => String::new(),
        _ => format!("median {}, ", micros(median * 1e6)),
    };
    let note = format!("{middle}slowest {slowest}, fastest {fastest}");
    view.open_section(out, ("time", "Compile time", &note), None, Html::default())?;
    let most = view.rank_at(extremes.slowest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
    match view.report.job.ranks.len() <= ROWS_OF_TIME {
        true => rows(view, out, most)?,
        false => columns(view, out, most)?,
    }
    let total =
        view.report.job.ranks.iter().fold(Parts::default(), |sum, rank| sum.plus(Parts(rank.parts_us)));
    if total.total() > 0.0 {
        let legend = view.bar(&total, true);
        heading(out, "All ranks together")?;
        write_line(out, &legend)?;
    }
    close_section(out)?;
    Ok(())
}

fn rows(view: JobView<'_>, out: &mut dyn Write, most: f64) -> anyhow::Result<()> {
    let stragglers = &view.report.found.fleet.stragglers;
    let columns = vec![
        TableColumn::compiles("Rank"),
        TableColumn::number("Compiles"),
        TableColumn::number("Time"),
        TableColumn::unsorted("Parts of the compiler"),
    ];
    let ranks = view.report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable());
    let rows: Vec<Row> = ranks
        .map(|(index, rank)| {
            let seconds = rank.compile_time_s.unwrap_or_default();
            let bar = view.wide_bar(&Parts(rank.parts_us));
            let late = stragglers.binary_search(&index).is_ok();
            let note = if late { span("kind warning", "straggler") } else { Html::default() };
            let width = format!("width:{:.1}%", percentage(seconds, most));
            let bar = Element::new("div").style(&width).around(bar);
            Row::of(vec![
                TableCell::html(view.rank(rank)).sorted(rank.number).class("nowrap"),
                TableCell::number(rank.counts.compiles as f64, &whole(rank.counts.compiles)),
                TableCell::maybe(rank.compile_time_s, |s| micros(s * 1e6)),
                TableCell::html(Html::joined([bar, note], " ")).class("rank-time"),
            ])
        })
        .collect();
    view.table(out, &Table { id: "time-table", label: "Compile time by rank", columns }, rows.into_iter())?;
    Ok(())
}

fn percentage(of: f64, most: f64) -> f64 {
    if most > 0.0 { (100.0 * of / most).clamp(0.0, 100.0) } else { 0.0 }
}

#[derive(Serialize)]
struct Columns {
    many: bool,
    first: u64,
    last: u64,
    columns: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    late: bool,
    href: String,
    title: String,
    height: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    class: &'static str,
    share: String,
}

/// A rank that compiled, and its index in the job.
type Timed<'j> = (usize, &'j RankSummary);

fn columns(view: JobView<'_>, out: &mut dyn Write, most: f64) -> anyhow::Result<()> {
    let ranks: Vec<Timed<'_>> =
        view.report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable()).collect();
    let many = ranks.len() > COLUMNS_WITH_PARTS;
    let share = ranks.len().div_ceil(COLUMNS).max(1);
    let seconds = |rank: &RankSummary| rank.compile_time_s.unwrap_or_default();
    let slowest = ranks.chunks(share).filter_map(|ranks| {
        ranks.iter().copied().reduce(|a, b| if seconds(b.1) > seconds(a.1) { b } else { a })
    });
    let columns = slowest.map(|timed| column(view, timed, most, many)).collect();
    let number = |end: Option<&Timed<'_>>| end.map_or(0, |(_, rank)| rank.number);
    let context = Columns { many, first: number(ranks.first()), last: number(ranks.last()), columns };
    write_line(out, &view.render("job_columns", &context)?)?;
    if share > 1 {
        note_below(out, format!("Each column is the slowest of {} consecutive ranks.", whole(share)))?;
    }
    Ok(())
}

fn column(view: JobView<'_>, (index, rank): Timed<'_>, most: f64, many: bool) -> Column {
    let seconds = rank.compile_time_s.unwrap_or_default();
    let parts = Parts(rank.parts_us);
    let total = parts.total();
    let shares = parts.0.iter().zip(PHASES).rev().filter(|(us, _)| !many && **us > 0.0);
    let late = view.report.found.fleet.stragglers.binary_search(&index).is_ok();
    let word = if late { ", straggler" } else { "" };
    Column {
        late,
        href: view.in_rank(rank, "index.html"),
        title: format!("rank {}: {}{word}", rank.number, micros(seconds * 1e6)),
        height: format!("{:.1}", percentage(seconds, most)),
        parts: shares.map(|(us, class)| Part { class, share: format!("{:.3}", us / total) }).collect(),
    }
}
