//! Where a compile's time went: the times of its metrics, and its phases.

use super::Subject;
use crate::analysis::PhaseNode;
use crate::model::Fields;
use crate::report::metric_fields::{TIMES, TimeField};
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{counted, micros, whole};
use crate::report::{Html, time};
use indexmap::IndexMap;
use std::io::Write;

pub(super) fn present(subject: Subject<'_>) -> bool {
    subject.compile.metrics.iter().any(|m| m.total_us().is_some())
        || subject.report.found.time.by_compile.contains_key(&subject.index)
}

/// The chart of the phases with a table of them; where the log has no phases, the times of the metrics.
pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if !present(subject) {
        return Ok(());
    }
    let chart = super::flame::chart(view, subject)?;
    let zoom =
        "<div class=\"tools js\" hidden><button class=\"btn\" data-zoom=\"flame\">Show all</button></div>";
    let tools = if chart.is_empty() { Html::default() } else { Html::trusted(zoom) };
    view.open_section(out, ("time", "Compile time", ""), None, tools)?;
    match subject.report.found.time.by_compile.get(&subject.index) {
        Some(phases) => {
            writeln!(out, "{}", chart.as_str())?;
            write_words(view, subject, phases, out)?;
            write_phases(view, phases, out)?;
        }
        None => {
            of_metrics(subject, |fields| write_times(view, out, fields))?.transpose()?.unwrap_or_default()
        }
    }
    writeln!(out, "</section>")?;
    Ok(())
}

/// What the record says by which a compile is known: the last forward one, else the last.
fn of_metrics<T>(subject: Subject<'_>, read: impl FnOnce(&Fields<'_>) -> T) -> anyhow::Result<Option<T>> {
    let Some(record) = super::metrics::main_record(subject.compile) else { return Ok(None) };
    subject.report.with_fields(record.header, record.first_line, read).map(Some)
}

/// Phases that are named with their own time.
const NAMED: usize = 3;

/// Share of a compile's time below which what no phase covers stands with the metrics only.
const SHORTEST_ASIDE: f64 = 0.01;

/// What took longest on its own, what no phase covers, and where the whole log's chart is.
fn write_words(
    view: View<'_>,
    subject: Subject<'_>,
    phases: &[PhaseNode],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut own: IndexMap<&str, f64> = IndexMap::new();
    for phase in phases {
        *own.entry(&phase.name).or_default() += phase.self_s;
    }
    own.sort_by(|_, a, _, b| b.total_cmp(a));
    let named = own.iter().take(NAMED).filter(|(_, s)| **s > 0.0);
    let named = named.map(|(name, s)| format!("{name} {}", micros(s * 1e6))).collect::<Vec<_>>().join(", ");
    let whole_us =
        phases.iter().filter(|phase| phase.depth == 0).map(|phase| phase.total_s * 1e6).sum::<f64>();
    let aside = of_metrics(subject, |fields| {
        let times =
            TIMES.iter().filter(|time| time.aside).filter_map(|time| Some((time, time.read(fields)?.0)));
        let times = times.filter(|(_, us)| *us > 0.0 && *us >= SHORTEST_ASIDE * whole_us);
        times.map(|(time, us)| format!("{} {}", time.title, micros(us))).collect::<Vec<_>>().join(", ")
    })?;
    let aside = aside.filter(|text| !text.is_empty()).map(|text| format!(" Beside them: {text}."));
    let link = view.link(&format!("../{}", time::address(subject.index)), "What else ran then");
    writeln!(
        out,
        "<p class=\"soft after\">Longest on their own: {}.{} {}.</p>",
        Html::escaped(&named).as_str(),
        Html::escaped(&aside.unwrap_or_default()).as_str(),
        link.as_str()
    )?;
    Ok(())
}

/// The times of one record, each with what it means.
fn write_times(view: View<'_>, out: &mut dyn Write, fields: &Fields<'_>) -> anyhow::Result<()> {
    let read = TIMES.iter().filter_map(|time| Some((time, time.read(fields)?.0)));
    let mut times: Vec<_> = read.filter(|(_, us)| *us != 0.0).collect();
    // The whole record is mostly one of the times below it.
    if let [(whole, us), rest @ ..] = times.as_slice()
        && whole.is_whole()
        && rest.iter().any(|(_, other)| other == us)
    {
        times.remove(0);
    }
    let heads = vec![Head::unsorted("Time of"), Head::number("Time"), Head::unsorted("What it means").soft()];
    let table = Table { id: "times", label: "Compile times", heads };
    view.table(out, &table, times.iter().map(|(time, us)| Ok(row(time, *us))))
}

fn row(time: &TimeField, us: f64) -> Row {
    let name = format!("{}{}", indent(time.depth), time.title).replace(' ', "\u{a0}");
    Row::of(vec![Td::text(&name), Td::number(us, &micros(us)), Td::text(time.meaning)])
}

/// Share of a compile's time below which a phase has no row.
const SHORTEST_SHARE: f64 = 0.003;

/// Space before the name of a phase that stands in others. Deeper than this a name would leave the page; torch nests
/// about twelve.
fn indent(depth: usize) -> String {
    "\u{2003}".repeat(depth.min(24))
}

/// The phases as torch's own spans time them.
fn write_phases(view: View<'_>, phases: &[PhaseNode], out: &mut dyn Write) -> anyhow::Result<()> {
    let whole_s = phases.iter().filter(|phase| phase.depth == 0).fold(0.0, |sum, phase| sum + phase.total_s);
    let (long, short): (Vec<_>, Vec<_>) =
        phases.iter().partition(|phase| phase.total_s >= SHORTEST_SHARE * whole_s);
    writeln!(
        out,
        "<details class=\"more after\" id=\"phases\"><summary class=\"tw\">{}</summary>",
        counted(phases.len(), "phase", "phases")
    )?;
    let heads = vec![Head::unsorted("Phase").mono(), Head::number("Total"), Head::number("Self")];
    let table = Table { id: "phases-table", label: "Phases", heads };
    let rows = long.iter().map(|phase| {
        let times = if phase.count > 1 { format!(" ×{}", whole(phase.count)) } else { String::new() };
        Ok(Row::of(vec![
            Td::text(&format!("{}{}{times}", indent(phase.depth), phase.name)),
            Td::number(phase.total_s, &micros(phase.total_s * 1e6)),
            Td::number(phase.self_s, &micros(phase.self_s * 1e6)),
        ]))
    });
    view.table(out, &table, rows)?;
    if !short.is_empty() {
        let took = short.iter().fold(0.0, |sum, phase| sum + phase.self_s);
        writeln!(
            out,
            "<p class=\"soft\">{} under 0.3 % took {} themselves.</p>",
            counted(short.len(), "phase", "phases"),
            micros(took * 1e6),
        )?;
    }
    writeln!(out, "</details>")?;
    Ok(())
}
