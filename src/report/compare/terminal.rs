//! The comparison in a few lines, for a terminal.

use super::rows::{kind_word, level, place, ranks, sentence, signed};
use super::verdict::{self, doubt, in_order};
use crate::compare::Comparison;
use crate::facts::DiffRow;
use crate::limits::SHORT_LIST;
use crate::model::words::plain;
use crate::report::kit::formats::counted;
use crate::report::terminal::{SummaryLine, one_line};

/// The verdict, the first rows, and their certainty.
pub fn summary(comparison: &Comparison) -> Vec<SummaryLine> {
    let line_of = |text: String| SummaryLine::plain(plain(&text));
    let mut lines = vec![line_of(verdict::verdict(comparison).text())];
    lines.extend(verdict::notes(comparison).into_iter().map(line_of));
    let listed = in_order(comparison);
    let more = listed.len().saturating_sub(SHORT_LIST);
    lines.extend(listed.into_iter().take(SHORT_LIST).map(line));
    if more > 0 {
        let more = counted(more, "more difference", "more differences");
        lines.push(line_of(format!("{more}: settings, kernels, times of functions and the rest.")));
    }
    if !comparison.rows.is_empty() || comparison.a.len() + comparison.b.len() > 2 {
        let (runs, rest) = doubt(comparison);
        lines.push(line_of(format!("{runs} {rest}")));
    }
    lines
}

/// `Worse: Kernel builds: 6.32 s → 11.8 s, +5.53 s`
fn line(row: &DiffRow) -> SummaryLine {
    let mut text = one_line(&sentence(row).replace('`', ""));
    let place = place(row).map(|place| format!("at {}", one_line(&place)));
    let guess = row.guess().map(str::to_owned);
    for more in [place, ranks(row), guess, row.difference_s.map(signed)].into_iter().flatten() {
        text.push_str(&format!(", {more}"));
    }
    SummaryLine { label: Some((kind_word(row.kind), level(row))), text: plain(&text) }
}
