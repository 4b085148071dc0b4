//! The tables of a comparison: parts, functions, kernels, settings, ranks.

use super::rows::{clip, difference_class, medians, setting, signed, time};
use super::view::{DiffView, Side};
use crate::compare::{CompileRef, FunctionLine, LogComparison, Pair};
use crate::facts::{DiffRow as Change, Match, RowTopic};
use crate::limits::CELL;
use crate::report::kit::formats::{UNKNOWN, counted, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, close_section, note_below, open_more, soft};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use std::io::Write;

/// Rows of each table.
const ROWS: usize = 150;

/// A difference with its sign.
fn difference(pair: Pair) -> TableCell {
    let difference = pair.difference();
    if pair.a.is_none() && pair.b.is_none() {
        return TableCell::text(UNKNOWN).class("num");
    }
    let class = difference_class(difference);
    TableCell::text(&signed(difference)).sorted(difference).class(format!("num {class}"))
}

/// The difference as a bar: better to the left, worse to the right.
fn delta(pair: Pair, largest: f64) -> TableCell {
    let difference = pair.difference();
    let width = 50.0 * difference.abs() / largest;
    if difference == 0.0 || !width.is_finite() {
        return TableCell::text("");
    }
    let bar = Element::new("i").class(difference_class(difference));
    let bar = bar.style(&format!("width:{width:.1}%")).empty();
    TableCell::html(Element::new("span").class("delta").attribute("aria-hidden", "true").around(bar))
}

fn seconds(value: Option<f64>) -> TableCell {
    TableCell::text(&time(value)).sorted(value.unwrap_or_default()).class("num")
}

/// The cells of a pair of times: difference, bar, A, B.
pub(super) fn time_cells(pair: Pair, largest: f64) -> [TableCell; 4] {
    let (a, b) = medians(pair);
    [difference(pair), delta(pair, largest), seconds(a), seconds(b)]
}

pub(super) fn time_heads(view: DiffView<'_>) -> [TableColumn; 4] {
    let [a, b] = &view.comparison.names;
    [
        TableColumn::number("Difference"),
        TableColumn::unsorted("better · worse"),
        TableColumn::number(a),
        TableColumn::number(b),
    ]
}

pub(super) fn largest<'p>(pairs: impl Iterator<Item = &'p Pair>) -> f64 {
    pairs.map(|pair| pair.difference().abs()).fold(0.0, f64::max)
}

/// Time by part.
pub(super) fn parts(view: DiffView<'_>, shown: &LogComparison, out: &mut dyn Write) -> anyhow::Result<()> {
    if shown.parts.is_empty() {
        return Ok(());
    }
    let head = ("parts", "Time by part", "one split of time for both sides; each instant counts once");
    view.open_section(out, head, Some(whole(shown.parts.len())), Html::default())?;
    let widest = largest(shown.parts.iter().map(|line| &line.times));
    let mut columns = vec![TableColumn::text("Part")];
    columns.extend(time_heads(view));
    let table = Table { id: "parts-table", label: "Parts", columns };
    let line = |name: Html, times: Pair, widest: f64| {
        let mut cells = vec![TableCell::html(name)];
        cells.extend(time_cells(times, widest));
        Row::of(cells)
    };
    let mut rows: Vec<Row> =
        shown.parts.iter().map(|one| line(one.name.name().into(), one.times, widest)).collect();
    rows.push(line(Element::new("b").around("Compile time"), shown.total, 0.0));
    view.table(out, &table, rows.into_iter())?;
    Ok(close_section(out)?)
}

/// Functions: those that differ, then those within the noise in a fold.
pub(super) fn functions(
    view: DiffView<'_>,
    shown: &LogComparison,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if shown.functions.is_empty() {
        return Ok(());
    }
    let (differing, noise): (Vec<&FunctionLine>, Vec<&FunctionLine>) =
        shown.functions.iter().partition(|one| one.line.differs);
    let note = counted(differing.len(), "differs by more than the noise", "differ by more than the noise");
    let count = Some(whole(shown.functions.len()));
    view.open_section(out, ("functions", "Functions", &note), count, Html::default())?;
    let widest = largest(shown.functions.iter().map(|one| &one.line.times));
    if !differing.is_empty() {
        function_table(view, out, ("functions-table", shown.rank, &differing), widest)?;
    }
    if !noise.is_empty() {
        open_more(out, format!("{} within the noise", counted(noise.len(), "function", "functions")))?;
        function_table(view, out, ("noise-table", shown.rank, &noise), widest)?;
        close(out, "details")?;
    }
    let changed = view.changed;
    let count = changed.left_out + changed.unread;
    if count > 0 {
        let more = counted(count, "further function", "further functions");
        note_below(
            out,
            format!("Graphs and code of {more} are not set side by side here: there are too many."),
        )?;
    }
    Ok(close_section(out)?)
}

fn function_table(
    view: DiffView<'_>,
    out: &mut dyn Write,
    (id, rank, lines): (&str, Option<u64>, &[&FunctionLine]),
    widest: f64,
) -> anyhow::Result<()> {
    let mut columns = vec![TableColumn::compiles("Compiles"), TableColumn::text("Function").mono()];
    columns.extend(time_heads(view));
    columns.extend([
        TableColumn::number("of it in builds")
            .about("difference of the time in builds of kernels and the C++ toolchain"),
        TableColumn::number("Ops").about("operators in the graphs"),
        TableColumn::number("Guards"),
    ]);
    let table = Table { id, label: "Functions", columns };
    let row = |(at, one): (usize, &&FunctionLine)| {
        let pills = match (one.a.is_empty(), one.b.is_empty()) {
            (true, _) => view.pills(Side::B, &one.b),
            (_, true) => view.pills(Side::A, &one.a),
            _ if same_compiles(&one.a, &one.b) => view.pills(Side::B, &one.b),
            _ => Html::joined([view.pills(Side::A, &one.a), view.pills(Side::B, &one.b)], " → "),
        };
        let file = one.file.as_deref().map(|file| match one.place {
            Some(line) => format!("{}:{line}", short_path(file)),
            None => short_path(file).into_owned(),
        });
        let mut name =
            vec![view.function(&clip(&one.line.name, CELL)), soft(clip(&file.unwrap_or_default(), CELL))];
        name.extend(one.matched.and_then(Match::guess).map(soft));
        name.extend(view.side_by_side(rank, one.id));
        let name = Html::joined(name, " ");
        let mut cells = vec![TableCell::html(pills).sorted(at), TableCell::html(name)];
        cells.extend(time_cells(one.line.times, widest));
        cells.extend([difference(one.builds), change(&one.operators), change(&one.guards)]);
        Row::of(cells)
    };
    view.table(out, &table, lines.iter().enumerate().take(ROWS).map(row))?;
    if lines.len() > ROWS {
        let rest = counted(lines.len() - ROWS, "more function differs", "more functions differ");
        note_below(out, format!("{rest} less."))?;
    }
    Ok(())
}

/// Whether both sides have the same ids with the same statuses: then one of them says it.
fn same_compiles(a: &[CompileRef], b: &[CompileRef]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.id == b.id && a.status == b.status)
}

/// `9`, or `9 → 10` with the new one marked.
pub(super) fn change(both: &(String, String)) -> TableCell {
    TableCell::html(changed(both)).class("num")
}

/// The same without a cell.
pub(super) fn changed((a, b): &(String, String)) -> Html {
    let text = |text: &str| if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() };
    if a == b || b.is_empty() {
        return text(a).into();
    }
    let new = Element::new("mark").around(text(b));
    Html::joined([text(a).into(), new], " → ")
}

/// Settings and versions that differ.
pub(super) fn settings(view: DiffView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let is_setting = |row: &&Change| {
        row.topic == RowTopic::Torch
            || (row.topic == RowTopic::Setting && (row.a.value.is_some() || row.b.value.is_some()))
    };
    let rows: Vec<&Change> = view.comparison.rows.iter().filter(is_setting).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let head = ("settings", "Settings and versions", "that differ");
    view.open_section(out, head, Some(whole(rows.len())), Html::default())?;
    let [a, b] = &view.comparison.names;
    let columns =
        vec![TableColumn::text("Setting"), TableColumn::text(a).mono(), TableColumn::text(b).mono()];
    let line = |row: &&Change| {
        let value = |value: &Option<String>| match row.topic {
            RowTopic::Torch => value.clone().unwrap_or_default(),
            _ => setting(value).replace('`', ""),
        };
        let new = Element::new("mark").around(value(&row.b.value));
        Row::of(vec![
            TableCell::html(view.prose(row.subject.trim_start_matches("Setting "))),
            TableCell::text(&value(&row.a.value)),
            TableCell::html(new),
        ])
    };
    let table = Table { id: "settings-table", label: "Settings and versions", columns };
    view.table(out, &table, rows.iter().take(ROWS).map(line))?;
    Ok(close_section(out)?)
}

pub(super) fn ranks(view: DiffView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let logs = &view.comparison.logs;
    if logs.len() < 2 {
        return Ok(());
    }
    let head = ("ranks", "Ranks", "largest difference first; the tables above are of the first");
    view.open_section(out, head, Some(whole(logs.len())), Html::default())?;
    let widest = largest(logs.iter().map(|log| &log.total));
    let mut columns = vec![TableColumn::compiles("Rank")];
    columns.extend(time_heads(view));
    let row = |log: &LogComparison| {
        let rank = log.rank.unwrap_or_default();
        let mut cells = vec![TableCell::text(&format!("rank {rank}")).sorted(rank)];
        cells.extend(time_cells(log.total, widest));
        Row::of(cells)
    };
    let rows = logs.iter().take(ROWS).map(row);
    view.table(out, &Table { id: "ranks-table", label: "Ranks", columns }, rows)?;
    if logs.len() > ROWS {
        note_below(out, format!("{} differ less.", counted(logs.len() - ROWS, "more rank", "more ranks")))?;
    }
    Ok(close_section(out)?)
}
