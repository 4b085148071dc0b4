//! Where a compile's time went: the times of its metrics, and its phases.

use super::Subject;
use crate::model::{Fields, MetricsKind};

use crate::report::metric_fields::{TIMES, TimeField};
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{counted, micros, whole};
use crate::report::{Html, time};
use std::io::Write;

pub(super) fn present(subject: Subject<'_>) -> bool {
    subject.compile.metrics.iter().any(|m| m.total_us().is_some())
        || subject.report.found.time.by_compile.contains_key(&subject.index)
}

/// The times of the last forward record and the phases of the compile.
pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if !present(subject) {
        return Ok(());
    }
    let note = "a time includes those indented below it";
    let chart = super::flame::chart(view, subject)?;
    let zoom =
        "<div class=\"tools js\" hidden><button class=\"btn\" data-zoom=\"flame\">Show all</button></div>";
    let tools = if chart.is_empty() { Html::default() } else { Html::trusted(zoom) };
    view.open_section(out, ("time", "Compile time", note), None, tools)?;
    writeln!(out, "{}", chart.as_str())?;
    if subject.report.found.time.by_compile.contains_key(&subject.index) {
        let link = view.link(&format!("../{}", time::address(subject.index)), "in the whole log's chart");
        writeln!(out, "<p class=\"soft after\">The same {}, beside what else ran then.</p>", link.as_str())?;
    }
    writeln!(out, "<div class=\"after\">")?;
    let records = &subject.compile.metrics;
    let forward = records.iter().rev().find(|m| m.kind == MetricsKind::Forward);
    if let Some(record) = forward.or(records.last()) {
        subject.report.with_fields(record.header, record.first_line, |fields| {
            write_times(view, out, fields, "times")
        })??;
    }
    let others = records.iter().filter(|m| !forward.is_some_and(|f| std::ptr::eq(f, *m))).count();
    if forward.is_some() && others > 0 {
        let words = "Further records of this compile, such as that of its backward, stand under";
        writeln!(out, "<p class=\"soft after\">{words} <a href=\"#metrics\">Metrics</a>.</p>")?;
    }
    writeln!(out, "</div>")?;
    write_phases(view, subject, out)?;
    writeln!(out, "</section>")?;
    Ok(())
}

/// The times of one record, each with what it means; those that are zero are named below.
pub(super) fn write_times(
    view: View<'_>,
    out: &mut dyn Write,
    fields: &Fields<'_>,
    id: &str,
) -> anyhow::Result<()> {
    let read = TIMES.iter().filter_map(|time| time.read(fields).map(|(us, field)| (time, us, field)));
    // The whole record is mostly one of the times below it.
    let mut times: Vec<_> = read.collect();
    if let [(whole, us, _), rest @ ..] = times.as_slice()
        && whole.is_whole()
        && rest.iter().any(|(_, other, _)| other == us)
    {
        times.remove(0);
    }
    let times = times.into_iter();
    let (spent, zero): (Vec<_>, Vec<_>) = times.partition(|(_, us, _)| *us != 0.0);
    if !spent.is_empty() {
        let heads =
            vec![Head::unsorted("Time of"), Head::number("Time"), Head::unsorted("What it means").soft()];
        let table = Table { id, label: "Compile times", heads };
        view.table(out, &table, spent.iter().map(|(time, us, _)| Ok(row(time, *us))))?;
    }
    let names: Vec<&str> = zero.iter().map(|(time, _, _)| time.title).collect();
    if !names.is_empty() {
        writeln!(out, "<p class=\"soft after\">Zero: {}.</p>", names.join(", "))?;
    }
    Ok(())
}

fn row(time: &TimeField, us: f64) -> Row {
    let name = format!("{}{}", indent(time.depth), time.title).replace(' ', "\u{a0}");
    Row::of(vec![Td::text(&name), Td::number(us, &micros(us)), Td::text(time.meaning).class("soft")])
}

/// Share of a compile's time below which a phase has no row.
const SHORTEST_SHARE: f64 = 0.001;

/// Space before the name of a phase that stands in others. Deeper than this a name would leave the page; torch nests
/// about twelve.
fn indent(depth: usize) -> String {
    "\u{2003}".repeat(depth.min(24))
}

/// The phases as torch's own spans time them.
fn write_phases(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(phases) = subject.report.found.time.by_compile.get(&subject.index) else { return Ok(()) };
    let whole_s = phases.iter().filter(|phase| phase.depth == 0).fold(0.0, |sum, phase| sum + phase.total_s);
    let (long, short): (Vec<_>, Vec<_>) =
        phases.iter().partition(|phase| phase.total_s >= SHORTEST_SHARE * whole_s);
    writeln!(
        out,
        "<details class=\"more after\" id=\"phases\"><summary class=\"tw\">{} as a table, with self time</summary>",
        counted(phases.len(), "phase", "phases")
    )?;
    let heads = vec![
        Head::unsorted("Phase").mono(),
        Head::number("Total"),
        Head::number("Self").about("without the phases in it"),
        Head::number("Times"),
    ];
    let table = Table { id: "phases-table", label: "Phases", heads };
    let rows = long.iter().map(|phase| {
        let name = format!("{}{}", indent(phase.depth), phase.name);
        Ok(Row::of(vec![
            Td::text(&name),
            Td::number(phase.total_s, &micros(phase.total_s * 1e6)),
            Td::number(phase.self_s, &micros(phase.self_s * 1e6)),
            Td::number(phase.count as f64, &whole(phase.count)),
        ]))
    });
    view.table(out, &table, rows)?;
    if !short.is_empty() {
        let took = short.iter().fold(0.0, |sum, phase| sum + phase.self_s);
        writeln!(
            out,
            "<p class=\"soft after\">{} of less than 0.1 % each took {} themselves; {} has them.</p>",
            counted(short.len(), "phase", "phases"),
            micros(took * 1e6),
            view.link("../chromium_events.json", "chromium_events.json").as_str()
        )?;
    }
    writeln!(out, "</details>")?;
    Ok(())
}
