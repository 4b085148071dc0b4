//! The device's time by line of the program.

use crate::analysis::performance::{LineTime, Performance};
use crate::report::kit::formats::{UNKNOWN, clipped, micros, percent, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, soft_paragraph};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::view::View;
use crate::trace::TextSet;
use std::io::Write;

/// Lines in the table.
const MOST_LINES: usize = 2_000;
/// Names of kernels in a cell.
const MOST_IN_CELL: usize = 4;
/// Characters of a name there.
const LONGEST_NAME: usize = 48;

/// Writes the section; a trace of eager code has no lines.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.kernels.is_empty() {
        return Ok(());
    }
    let note = "kernel time that the trace measured, on the lines of the program that the log quotes";
    let count = Some(whole(found.lines.len()));
    view.open_section(out, ("lines", "Time by line", note), count, Html::default())?;
    if found.lines.is_empty() {
        soft_paragraph(
            out,
            "None. Lines are known of kernels that compiled code ran, from a log that was recorded beside the trace.",
        )?;
        return Ok(close_section(out)?);
    }
    let sum: f64 = found.kernels.iter().map(|kernel| kernel.sum_us).sum();
    let heads = vec![
        Head::text("Line").soft(),
        Head::number("Kernel time")
            .about("dark: kernels of this line alone; light: its share of kernels of several lines"),
        Head::number("Share"),
        Head::text("Code").mono().absent_if(found.lines.iter().all(|line| line.line.code.is_none())),
        Head::number("Kernels"),
        Head::unsorted("Which"),
    ];
    let table = Table { id: "lines-table", label: "Kernel time by line of the program", heads };
    let mut named = TextSet::default();
    let most = found.lines.first().map_or(0.0, |line| line.us);
    let mut rows: Vec<anyhow::Result<Row>> = Vec::new();
    for (place, line) in found.lines.iter().enumerate().take(MOST_LINES) {
        let file = view.place_once(&mut named, Some(&line.line.file), Some(line.line.line));
        rows.push(Ok(row(view, file, line, (most, sum)).anchored(format!("line-{}", place + 1))));
    }
    let shown = rows.len();
    rows.push(Ok(rest("No line is known", found.unjoined.us, sum)));
    rows.push(Ok(rest("All kernels", sum, sum)));
    view.table(out, &table, rows.into_iter())?;
    view.beyond(out, found.lines.len(), shown, "lines")?;
    note_below(
        out,
        "A kernel that was fused from nodes of several lines is shared between them: each of its nodes has an equal part. \
         So the lines and what leads to none add up to all kernels.",
    )?;
    Ok(close_section(out)?)
}

fn row(view: View<'_>, place: Html, line: &LineTime, (most, sum): (f64, f64)) -> Row {
    let at = |us: f64| format!("{:.1}%", 100.0 * us / most.max(f64::MIN_POSITIVE));
    let style = format!("--own:{};--all:{}", at(line.own_us), at(line.us));
    let heat = Element::new("div").class("heat").style(&style).around(micros(line.us));
    let code = line.line.code.as_deref();
    Row::of(vec![
        Td::html(place),
        Td::html(heat).class("num").sorted(line.us),
        Td::number(line.us, &percent(line.us, sum, true)),
        Td::html(code.map_or_else(|| Html::escaped(UNKNOWN), |code| view.folded(code, false))),
        Td::number(line.kernels.len() as f64, &whole(line.kernels.len())),
        Td::text(&names(&line.kernels)).class("soft"),
    ])
}

fn rest(what: &str, us: f64, sum: f64) -> Row {
    Row::of(vec![
        Td::text(what),
        Td::number(us, &micros(us)),
        Td::number(us, &percent(us, sum, true)),
        Td::default(),
        Td::default(),
        Td::default(),
    ])
}

/// The first few names, and how many there are besides.
pub(super) fn names(all: &[String]) -> String {
    let short = |name: &String| match clipped(name, LONGEST_NAME) {
        (start, true) => format!("{start}…"),
        (whole, false) => whole.to_owned(),
    };
    let first: Vec<String> = all.iter().take(MOST_IN_CELL).map(short).collect();
    let more = all.len().saturating_sub(MOST_IN_CELL);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    format!("{}{more}", first.join(", "))
}
