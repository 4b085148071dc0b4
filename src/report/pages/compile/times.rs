//! Where a compile's time went: the times of its metrics, and its phases.

use crate::analysis::PhaseNode;
use crate::limits::SHORT_LIST;
use crate::model::{Fields, capital};
use crate::report::doc::{
    Block, Cell, Rows, Section, Surface, html, log, micros as micros_cell, own, seconds,
};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::facts;
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::words::metrics::{TIMES, TimeField};
use crate::report::words::phases::phase_meaning;
use crate::trace::{OrderedMap, TextMap};

/// The section: a bar of the parts, facts, and the table of the phases; the times of the metrics if the log has no phases.
pub(super) fn section<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let is_timed = subject.compile.metrics.iter().any(|m| m.total_us().is_some())
        || !subject.report.found.spans.of_compile.at(subject.index).is_empty();
    let facts = facts::of_time(subject);
    let mut blocks = Vec::new();
    if is_timed {
        blocks.push(Block::Drawn(Box::new(move |view, out| {
            let parts = subject.report.found.split.at(subject.index);
            Ok(write_line(out, &view.bar(&parts, true))?)
        })));
    }
    blocks.extend((!facts.is_empty()).then_some(Block::Facts(facts)));
    if is_timed {
        blocks.push(Block::Drawn(Box::new(move |view, out| write_tables(view, subject, out))));
    }
    (!blocks.is_empty()).then(|| Section::new("time", "Compile time", blocks))
}

fn write_tables(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let phases = subject.report.found.spans.phases_of(subject.index);
    match subject.metrics {
        _ if !phases.is_empty() => write_phases(view, subject, &phases, out),
        Some(fields) => write_times(view, out, fields),
        None => Ok(()),
    }
}

/// The times of one record, each with what it means.
fn write_times(view: View<'_>, out: &mut dyn Write, fields: &Fields<'_>) -> anyhow::Result<()> {
    let read = TIMES.iter().filter_map(|time| Some((time, time.read(fields)?.0)));
    let mut times: Vec<_> = read.filter(|(_, us)| *us != 0.0).collect();
    // The total mostly equals one of the times below it.
    if let [(whole, us), rest @ ..] = times.as_slice()
        && whole.is_whole()
        && rest.iter().any(|(_, other)| other == us)
    {
        times.remove(0);
    }
    let name =
        |time: &TimeField| format!("{}{}", "\u{2003}".repeat(time.depth), time.title).replace(' ', "\u{a0}");
    let list = Rows::of(times)
        .unsorted("Time of", move |(time, _)| own(name(time)))
        .number("Time", |(_, us)| micros_cell(Some(*us)))
        .unsorted("What it means", |(time, _)| time.meaning.into())
        .soft()
        .listing("times", "Compile times", "");
    html::table(Surface::Whole(view), out, &list)
}

/// A phase is listed if its own time is at least this share of the compile's.
const LEAST_SHARE: f64 = 0.01;

/// All runs of a phase in a compile.
#[derive(Default)]
struct Sum {
    self_s: f64,
    total_s: f64,
    count: u64,
}

/// Phases by name; a nested run of the same phase counts once in the total.
fn by_name(phases: &[PhaseNode]) -> OrderedMap<&str, Sum> {
    let mut sums: OrderedMap<&str, Sum> = OrderedMap::default();
    let mut around: Vec<&str> = Vec::new();
    let mut open: TextMap<&str, usize> = TextMap::default();
    for phase in phases {
        for closed in around.drain(phase.depth.min(around.len())..) {
            open.entry(closed).and_modify(|times| *times -= 1);
        }
        let sum = sums.entry(&phase.name).or_default();
        sum.self_s += phase.self_s;
        sum.count += phase.count;
        let times = open.entry(&phase.name).or_default();
        if *times == 0 {
            sum.total_s += phase.total_s;
        }
        *times += 1;
        around.push(&phase.name);
    }
    sums.sort_by(|_, a, _, b| b.self_s.total_cmp(&a.self_s));
    sums
}

/// The phases with the most time of their own, as timed by torch's spans, and what else was measured.
fn write_phases(
    view: View<'_>,
    subject: ShownCompile<'_>,
    phases: &[PhaseNode],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let whole_s = phases.iter().filter(|phase| phase.depth == 0).fold(0.0, |sum, phase| sum + phase.total_s);
    let sums = by_name(phases);
    let long = sums.values().take(SHORT_LIST).take_while(|sum| sum.self_s >= LEAST_SHARE * whole_s).count();
    let list = Rows::of(sums.iter().take(long).collect::<Vec<_>>())
        .unsorted("Phase", |(name, sum)| {
            let times = if sum.count > 1 { format!(" ×{}", whole(sum.count)) } else { String::new() };
            Cell::Beside(vec![log(**name), own(times)], "")
        })
        .mono()
        .number("Own time", |(_, sum)| seconds(Some(sum.self_s)))
        .number("Total", |(_, sum)| seconds(Some(sum.total_s)))
        .unsorted("What it does", move |(name, _)| meaning(view, subject, name))
        .soft()
        .listing("phases", "Phases", "");
    html::table(Surface::Whole(view), out, &list)?;
    let aside = subject.metrics.map(|fields| {
        let times =
            TIMES.iter().filter(|time| time.aside).filter_map(|time| Some((time, time.read(fields)?.0)));
        let times = times.filter(|(_, us)| *us > 0.0 && *us >= LEAST_SHARE * whole_s * 1e6);
        times.map(|(time, us)| format!("; {} {}", time.title.to_lowercase(), micros(us))).collect::<String>()
    });
    let rest = sums.values().skip(long).fold(0.0, |rest, sum| rest + sum.self_s);
    let others = match sums.len() - long {
        0 => String::new(),
        count => format!("{} took {}", counted(count, "other phase", "other phases"), micros(rest * 1e6)),
    };
    let words = format!("{others}{}{}", aside.unwrap_or_default(), ended_in(view, subject));
    // Without other phases, the words begin with what comes after them.
    let words = capital(words.trim_start_matches("; "));
    let link = view.link(&format!("../{}", links::time(subject.index)), "All phases over time");
    let between = if words.is_empty() { "" } else { ". " };
    Ok(note_below(out, Html::joined([words.into(), between.into(), link, ".".into()], ""))?)
}

/// The innermost phase that was open when the log ended, if that was in this compile.
fn ended_in(view: View<'_>, subject: ShownCompile<'_>) -> String {
    let open = view.report.found.end.as_ref().filter(|end| end.compile == Some(subject.index));
    let innermost = open.and_then(|end| end.phases.last());
    let Some(open) = innermost else { return String::new() };
    // The log may end with the event that begins the phase.
    let least = match open.at_least_s > 0.0 {
        true => format!(", open for at least {}", micros(open.at_least_s * 1e6)),
        false => String::new(),
    };
    format!("; the log ends in {}{least}", open.name)
}

/// What the compiler does in a phase, and for at least how long it was open if the log ends in it.
fn meaning<'r>(view: View<'_>, subject: ShownCompile<'_>, phase: &str) -> Cell<'r> {
    let open = view.still_open(phase, Some(subject.index)).map(|open| own(open).span("warn"));
    let meaning = Some(phase_meaning(phase)).filter(|meaning| !meaning.is_empty()).map(Cell::from);
    Cell::Beside(meaning.into_iter().chain(open).collect(), "; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_within_itself_counts_once_in_its_total() {
        let phase = |name: &str, depth, self_s, total_s| PhaseNode {
            name: name.into(),
            depth,
            self_s,
            total_s,
            count: 1,
        };
        let phases = [
            phase("a", 0, 1.0, 7.0),
            phase("b", 1, 1.0, 4.0),
            phase("a", 2, 3.0, 3.0),
            phase("b", 1, 2.0, 2.0),
        ];
        let sums = by_name(&phases);
        let sums: Vec<_> =
            sums.iter().map(|(name, sum)| (*name, sum.self_s, sum.total_s, sum.count)).collect();
        assert_eq!(sums, [("a", 4.0, 7.0, 2), ("b", 3.0, 6.0, 2)]);
    }
}
