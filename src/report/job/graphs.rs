//! The graph in which ranks first differ, from two ranks, side by side.

use super::pills::pill_of;
use super::view::JobView;
use crate::analysis::job::rank_words;
use crate::analysis::two_columns::{self, ColumnRow, two_columns};
use crate::facts::ranks::RankGraph;
use crate::model::words::shortened;
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{heading, note_below, write_line};
use serde::Serialize;
use std::io::Write;

/// Equal lines shown around a difference.
const AROUND: usize = 4;

/// Rows shown; the graphs are linked.
const ROWS: usize = 240;

/// Characters of a line.
const LONGEST: usize = 400;

#[derive(Serialize)]
struct Graphs {
    sides: [Side; 2],
}

#[derive(Serialize)]
struct Side {
    head: Html,
    label: String,
    lines: Vec<Line>,
}

#[derive(Clone, Default, Serialize)]
struct Line {
    class: &'static str,
    number: String,
    sign: &'static str,
    text: String,
}

/// Both graphs; empty if they were not read or are equal.
pub(super) fn write(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some([first, second]) = &view.report.evidence.graphs else { return Ok(()) };
    let columns = two_columns(&first.text, &second.text);
    if columns.rough || columns.removed + columns.added == 0 {
        return Ok(());
    }
    heading(out, "The captured graphs")?;
    let (mut left, mut right) = aligned(&folded(&columns.rows));
    let left_out = left.len().saturating_sub(ROWS);
    left.truncate(ROWS);
    right.truncate(ROWS);
    let sides = [side(view, first, left), side(view, second, right)];
    write_line(out, &view.render("job_graphs", &Graphs { sides })?)?;
    if left_out > 0 {
        let count = counted(left_out, "further line", "further lines");
        note_below(out, format!("Not shown: {count}; the links above each side have the whole graphs."))?;
    }
    Ok(())
}

fn side(view: JobView<'_>, graph: &RankGraph, lines: Vec<Line>) -> Side {
    let who = rank_words(view.report.job, &[graph.rank]);
    let Some(rank) = view.rank_at(graph.rank) else {
        return Side { head: Html::escaped(&who), label: who, lines };
    };
    let count = counted(graph.text.lines().count(), "line", "lines");
    let link = view.link(&view.in_rank(rank, &graph.file), &format!("the graph, {count}"));
    let head = Html::joined([Html::escaped(&who), pill_of(view, rank, &graph.compile), link], " ");
    Side { head, label: format!("The graph of {} on {who}", graph.compile), lines }
}

/// A row, or a count of omitted equal rows.
enum Shown<'r, 't> {
    Row(&'r ColumnRow<'t>),
    Equal(usize),
}

/// The rows near a difference.
fn folded<'r, 't>(rows: &'r [ColumnRow<'t>]) -> Vec<Shown<'r, 't>> {
    let differs: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| !row.equal).map(|(index, _)| index).collect();
    let is_near = |index: usize| {
        let next = differs.partition_point(|at| *at < index);
        let near = |at: Option<&usize>| at.is_some_and(|at| at.abs_diff(index) <= AROUND);
        near(differs.get(next)) || near(next.checked_sub(1).and_then(|before| differs.get(before)))
    };
    let mut shown: Vec<Shown<'r, 't>> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match shown.last_mut() {
            _ if is_near(index) => shown.push(Shown::Row(row)),
            Some(Shown::Equal(count)) => *count += 1,
            _ => shown.push(Shown::Equal(1)),
        }
    }
    shown
}

/// The aligned lines of both sides, with blanks for missing lines.
fn aligned(rows: &[Shown<'_, '_>]) -> (Vec<Line>, Vec<Line>) {
    let cell = |found: Option<two_columns::Line<'_>>, class, sign| match found {
        Some(found) => line(class, found.number, sign, found.text),
        None => Line { class: "blank", ..Line::default() },
    };
    let sides = rows.iter().map(|row| match row {
        Shown::Row(row) if row.equal => (cell(row.left, "", ""), cell(row.right, "", "")),
        Shown::Row(row) => (cell(row.left, "gone", "−"), cell(row.right, "added", "+")),
        Shown::Equal(count) => {
            let text = counted(*count, "equal line", "equal lines");
            let fold = Line { class: "soft", text, ..Line::default() };
            (fold.clone(), fold)
        }
    });
    sides.unzip()
}

fn line(class: &'static str, number: usize, sign: &'static str, text: &str) -> Line {
    let text = shortened(text, LONGEST).into_owned();
    Line { class, number: number.to_string(), sign, text }
}
