//! Compile time per rank: bars in a table, of the slowest ranks if there are many.

use super::view::JobView;
use crate::facts::ranks::RankSummary;
use crate::limits::SHORT_LIST;
use crate::model::Parts;
use crate::report::doc::{Cell, Rows, count, html, seconds};
use crate::report::kit::formats::{counted, micros};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, heading, note_below, write_line};
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
    let ranks = view.report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable());
    let timed = ranks.map(|(index, rank)| Timed { rank, is_late: stragglers.binary_search(&index).is_ok() });
    let mut ranks: Vec<Timed<'_>> = timed.collect();
    let left = ranks.len().saturating_sub(SHORT_LIST);
    if left > 0 {
        ranks.sort_by(|one, other| other.seconds().total_cmp(&one.seconds()));
        ranks.truncate(SHORT_LIST);
    }
    let list = Rows::of(ranks)
        .compile("Rank", move |one| view.rank(one.rank).class("nowrap"))
        .number("Compiles", |one| count(Some(one.rank.counts.compiles)))
        .number("Time", |one| seconds(one.rank.compile_time_s))
        .unsorted("Parts of the compiler", move |one| {
            let share = if most > 0.0 { one.seconds() / most } else { 0.0 };
            let late = one.is_late.then(|| Cell::from("straggler").span("kind warning"));
            let bar = Cell::LongParts { times: one.rank.parts_us, share };
            Cell::Beside([bar].into_iter().chain(late).collect(), " ").class("rank-time")
        })
        .listing("time", "Compile time by rank", "");
    html::table(view.surface(), out, &list)?;
    if left > 0 {
        let link = view.link("#ranks", "the table of all ranks");
        let others = format!("{}: in", counted(left, "faster rank", "faster ranks"));
        note_below(out, Html::joined([others.into(), link, ".".into()], " "))?;
    }
    Ok(())
}

/// A rank with a time.
struct Timed<'m> {
    rank: &'m RankSummary,
    is_late: bool,
}

impl Timed<'_> {
    fn seconds(&self) -> f64 {
        self.rank.compile_time_s.unwrap_or_default()
    }
}
