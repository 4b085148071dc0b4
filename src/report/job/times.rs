//! Compile time per rank: bars in a table, of the slowest ranks if there are many.

use super::view::JobView;
use crate::facts::ranks::RankSummary;
use crate::limits::SHORT_LIST;
use crate::model::Parts;
use crate::report::kit::formats::{counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, heading, note_below, span, write_line};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use std::io::Write;

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
    rows(view, out, most)?;
    let total = view.report.job.ranks.iter().fold(Parts::default(), |sum, rank| sum.plus(rank.parts_us));
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
    let mut ranks: Vec<(usize, &RankSummary)> = ranks.collect();
    let left = ranks.len().saturating_sub(SHORT_LIST);
    if left > 0 {
        let seconds = |rank: &RankSummary| rank.compile_time_s.unwrap_or_default();
        ranks.sort_by(|(_, one), (_, other)| seconds(other).total_cmp(&seconds(one)));
        ranks.truncate(SHORT_LIST);
    }
    let rows: Vec<Row> = ranks
        .into_iter()
        .map(|(index, rank)| {
            let seconds = rank.compile_time_s.unwrap_or_default();
            let bar = view.wide_bar(&rank.parts_us);
            let late = stragglers.binary_search(&index).is_ok();
            let note = if late { span("kind warning", "straggler") } else { Html::default() };
            let width = format!("width:{:.1}%", percentage(seconds, most));
            let bar = Element::new("div").style(&width).around(bar);
            Row::of(vec![
                TableCell::html(view.cell(&view.rank(rank))).sorted(rank.number).class("nowrap"),
                TableCell::number(rank.counts.compiles as f64, &whole(rank.counts.compiles)),
                TableCell::maybe(rank.compile_time_s, |s| micros(s * 1e6)),
                TableCell::html(Html::joined([bar, note], " ")).class("rank-time"),
            ])
        })
        .collect();
    view.table(out, &Table { id: "time-table", label: "Compile time by rank", columns }, rows.into_iter())?;
    if left > 0 {
        let link = view.link("#ranks", "the table of all ranks");
        let others = format!("{}: in", counted(left, "faster rank", "faster ranks"));
        note_below(out, Html::joined([others.into(), link, ".".into()], " "))?;
    }
    Ok(())
}

fn percentage(of: f64, most: f64) -> f64 {
    if most > 0.0 { (100.0 * of / most).clamp(0.0, 100.0) } else { 0.0 }
}
