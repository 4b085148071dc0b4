//! Measured kernels and operators of both sides.

use super::rows::{clip, kind_word, medians, per_words};
use super::tables::{change, changed, largest, time_cells, time_heads};
use super::view::DiffView;
use crate::compare::{LogComparison, MeasuredLine, Sides};
use crate::facts::{Match, RowKind};
use crate::limits::CELL;
use crate::report::kit::formats::{UNKNOWN, counted, micros, percent, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    block, close, close_section, open_more, small, soft, span, stacked, titled,
};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use std::io::Write;

/// The section.
pub(super) fn kernels(view: DiffView<'_>, shown: &LogComparison, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(per) = shown.per.filter(|_| !(shown.kernels.is_empty() && shown.operators.is_empty())) else {
        return Ok(());
    };
    let note = format!("times are {}", per_words(per));
    let head = ("kernels", "Measured kernels", note.as_str());
    view.open_section(out, head, Some(whole(shown.kernels.len())), Html::default())?;
    let total = shown.busy_us.difference();
    table(view, out, ("kernels-table", "Kernels", &shown.kernels), shown, total)?;
    if !shown.operators.is_empty() {
        open_more(out, format!("{} by shape", counted(shown.operators.len(), "operator", "operators")))?;
        table(view, out, ("operators-table", "Operators", &shown.operators), shown, total)?;
        close(out, "details")?;
    }
    Ok(close_section(out)?)
}

fn table(
    view: DiffView<'_>,
    out: &mut dyn Write,
    (id, label, lines): (&str, &str, &[MeasuredLine]),
    shown: &LogComparison,
    total: f64,
) -> anyhow::Result<()> {
    let widest = largest(lines.iter().map(|one| &one.line.times)) / 1e6;
    let none = |has: fn(&MeasuredLine) -> bool| !lines.iter().any(has);
    let unit = FlopUnit::of(lines);
    let mut columns = vec![TableColumn::text(label).mono()];
    columns.extend(time_heads(view));
    columns.extend([
        TableColumn::number("Share").about("of the difference of the device time"),
        TableColumn::number("Launches").about("in what the times are for"),
        TableColumn::number("Per launch"),
        TableColumn::number("GB/s")
            .about("below, the share of the memory bandwidth of each side's device")
            .absent_if(none(|one| one.gbps != Sides::default())),
        TableColumn::number(unit.name)
            .about("below, the share of the peak of each side's device")
            .absent_if(none(|one| one.tflops != Sides::default())),
    ]);
    let row = |one: &MeasuredLine| {
        let mut cells = vec![TableCell::html(name(view, one))];
        cells.extend(time_cells(one.line.times.in_seconds(), widest));
        // A difference of the other sign that rounds to nothing is nothing.
        let share = percent(one.line.times.difference(), total, false)
            .replace("-0\u{a0}%", "0\u{a0}%")
            .replace('-', "−");
        let (a, b) = medians(one.launch);
        cells.extend([
            TableCell::text(&share).class("num"),
            TableCell::text(&launches(one.launches(shown))).class("num"),
            sides(Sides { a, b }, micros),
            rates(one.gbps, three_digits, one.share_of_bandwidth),
            rates(one.tflops, |tflops| three_digits(tflops * unit.per_tflops), one.share_of_peak),
        ]);
        Row::of(cells)
    };
    view.table(out, &Table { id, label, columns }, lines.iter().map(row))
}

/// The unit of a column of FLOPs per second: that of its largest value.
#[derive(Clone, Copy)]
struct FlopUnit {
    name: &'static str,
    per_tflops: f64,
}

impl FlopUnit {
    fn of(lines: &[MeasuredLine]) -> FlopUnit {
        let rates = lines.iter().flat_map(|one| [one.tflops.a, one.tflops.b]).flatten();
        match rates.fold(0.0, f64::max) {
            most if most < 1.0 => FlopUnit { name: "GFLOP/s", per_tflops: 1e3 },
            _ => FlopUnit { name: "TFLOP/s", per_tflops: 1.0 },
        }
    }
}

fn launches(both: Sides<String>) -> String {
    let text = |count: Option<String>| count.unwrap_or_else(|| UNKNOWN.to_owned());
    match both.a == both.b {
        true => text(both.a),
        false => format!("{} → {}", text(both.a), text(both.b)),
    }
}

fn three_digits(rate: f64) -> String {
    match rate {
        _ if rate >= 99.95 => format!("{rate:.0}"),
        _ if rate >= 9.995 => format!("{rate:.1}"),
        _ => format!("{rate:.2}"),
    }
}

fn sides<T>(both: Sides<T>, words: impl Fn(T) -> String) -> TableCell {
    let text = |side: Option<T>| side.map(&words).unwrap_or_default();
    let (a, b) = (text(both.a), text(both.b));
    change(&(a, b))
}

/// The rates of both sides, and below their shares of a limit.
fn rates(both: Sides<f64>, words: impl Fn(f64) -> String, shares: Sides<f64>) -> TableCell {
    let text = |both: Sides<f64>, words: &dyn Fn(f64) -> String| {
        (both.a.map(words).unwrap_or_default(), both.b.map(words).unwrap_or_default())
    };
    let rates = changed(&text(both, &words));
    let (a, b) = text(shares, &|share| percent(share, 1.0, false));
    let shares = match (a.is_empty(), b.is_empty()) {
        (true, true) => return TableCell::html(rates).class("num"),
        (false, false) if a != b => format!("{a} → {b}"),
        (true, false) => b,
        _ => a,
    };
    let below = small(shares);
    TableCell::html(Html::joined([rates, block(below)], ""))
        .class("num")
        .sorted(both.b.or(both.a).unwrap_or_default())
}

/// The operator, or else the kernel, and on hover how sure the difference is; below, its sizes, the kernel of the operator,
/// its line, and how both sides were matched.
fn name(view: DiffView<'_>, one: &MeasuredLine) -> Html {
    let kernel = one.line.name.clone();
    let mut below: Vec<String> = Vec::new();
    below.extend((!one.shapes.is_empty()).then(|| clip(&one.shapes, CELL)));
    below.extend(one.operator.is_some().then(|| kernel.clone()));
    below.extend(one.place.as_ref().map(|(file, line)| format!("{}:{line}", short_path(file))));
    below.extend(one.matched.and_then(Match::guess).map(str::to_owned));
    let is_of_one_side = one.line.differs && one.matched.is_none();
    below.extend(is_of_one_side.then(|| kind_word(RowKind::of(one.line.times)).to_owned()));
    let name = span("long-name", one.operator.clone().unwrap_or(kernel));
    below.extend(one.presence.clone());
    let [name_a, name_b] = &view.comparison.names;
    let name = match one.overlap_words([name_a, name_b]) {
        Some(words) => titled(&format!("{}; {words}", one.full_name), name),
        None => titled(&one.full_name, name),
    };
    below.into_iter().fold(name, |name, words| stacked([name, soft(words)]))
}
