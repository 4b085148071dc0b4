//! Where the time went: parts of the compiler, phases, and the costliest compiles.

use super::named::NamedHere;
use crate::facts::Phase;
use crate::limits::SHORT_LIST;
use crate::report::data;
use crate::report::data::run_console;
use crate::report::doc::{Cell, markdown};
use crate::report::kit::formats::micros;
use crate::report::kit::markdown::{Markdown, plain};
use crate::report::lists::{self, PhaseRow, phase_rows};
use crate::report::subject::Report;
use crate::report::words::phases::phase_meaning;

/// Compiles that are listed.
const COMPILES: usize = 15;

pub(super) fn write<'m>(report: Report<'m>, document: &mut Markdown) {
    let found = report.found;
    if found.time.phases.is_empty() {
        return;
    }
    let mut part = document.part(8_000);
    part.heading(2, "Times");
    let source = match found.split.of_spans {
        true => "`time.html` has the flame chart, `chromium_events.json` the phases as they ran",
        false => {
            "The log has no spans of phases: these times are sums of what the metrics of the compiles report"
        }
    };
    part.text(&plain(&format!("Compile time: **{}**. {source}.", micros(found.time.total_s * 1e6))));
    let time = data::times::of_log(report);
    markdown::table(&mut part, &lists::parts(&time.parts, time.total_s));
    let phases = &found.time.phases;
    let of_phase = |phase: &'m Phase<'m>| PhaseRow {
        name: Cell::Code((&*phase.name).into()),
        meaning: phase_meaning(&phase.name),
        ..PhaseRow::of(phase)
    };
    let rows = phase_rows("Phase", phases.iter().take(SHORT_LIST).map(of_phase).collect());
    markdown::table(&mut part, &rows.listing("phases", "Phases", ""));
    let timed = report.model.compiles.indexed().filter(|(_, compile)| compile.id.is_some());
    let mut timed: Vec<_> =
        timed.filter_map(|(index, compile)| Some((index, compile.compile_us()?))).collect();
    timed.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let more = timed.len().saturating_sub(COMPILES) + phases.len().saturating_sub(SHORT_LIST);
    let shown = NamedHere::of(report, timed.iter().take(COMPILES).map(|(index, _)| *index));
    markdown::table(&mut part, &lists::compiles(shown.compiles.iter().collect(), &shown.known()));
    part.end(more, ("phase or compile", "phases and compiles"), "`report.json` has all");
}

/// What torch printed about performance.
pub(super) fn hints(report: Report<'_>, document: &mut Markdown) {
    let all: Vec<_> = run_console::hints(report).collect();
    let list = lists::hints(all.iter().collect());
    if list.count() > 0 {
        let mut part = document.part(4_000);
        part.heading(2, "Hints on performance");
        markdown::table(&mut part, &list);
        part.end(0, ("hint", "hints"), "`report.json` has all under `console`");
    }
}
