//! Where the time went: parts of the compiler, phases, and the costliest compiles.

use crate::facts::Phase;
use crate::limits::{QUOTE, SHORT_LINE, SHORT_LIST};
use crate::model::words::file_line;
use crate::model::{Compile, CompilerPart, Function};
use crate::report::data::run_console;
use crate::report::doc::{Cell, markdown};
use crate::report::kit::formats::{UNKNOWN, micros, micros_with_work, percent};
use crate::report::kit::markdown::{Markdown, code, plain};
use crate::report::kit::paths;
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
    let split = &found.split;
    let total = split.total_us();
    let rows = split.listed().map(|(part, us)| {
        let name = part.map_or("none of them", CompilerPart::name);
        let time = micros_with_work(us, found.builds.work_of_part_us(part, us));
        plain_cells([name.to_owned(), time, percent(us, total, true)])
    });
    part.table(&["Part of the compiler", "Time:", "Share:"], rows);
    let phases = &found.time.phases;
    let of_phase = |phase: &'m Phase<'m>| PhaseRow {
        name: Cell::Code((&*phase.name).into()),
        meaning: phase_meaning(&phase.name),
        ..PhaseRow::of(phase)
    };
    let rows = phase_rows("Phase", phases.iter().take(SHORT_LIST).map(of_phase).collect());
    markdown::table(&mut part, &rows.listing("phases", "Phases", ""));
    let time = |compile: &Compile| compile.compile_us();
    let mut compiles: Vec<&Compile> = report.model.identified().filter(|one| time(one).is_some()).collect();
    compiles.sort_by(|a, b| time(b).unwrap_or(0.0).total_cmp(&time(a).unwrap_or(0.0)));
    let rows = compiles.iter().take(COMPILES).map(|compile| plain_cells(row(report, compile)));
    part.table(&["Compile", "Function", "Where", "Status", "Time:", "Page"], rows);
    let more = compiles.len().saturating_sub(COMPILES) + phases.len().saturating_sub(SHORT_LIST);
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

fn row(report: Report<'_>, compile: &Compile) -> [String; 6] {
    let [function, place] = function_cells(report, compile, None);
    [
        code(&compile.label(), 40),
        function,
        place,
        compile.status.word().to_owned(),
        compile.compile_us().map_or_else(|| UNKNOWN.to_owned(), micros),
        code(paths::compile_page(compile).as_str(), SHORT_LINE),
    ]
}

/// What the reader calls the function of a compile, with torch's name beside it, and the reader's line for it. A compile
/// beyond the recompile limit names no function: then it is that of the compiles before it.
pub(super) fn function_cells(
    report: Report<'_>,
    compile: &Compile,
    before: Option<&Function>,
) -> [String; 2] {
    let name = report.model.by_id.get(&compile.id).and_then(|index| report.found.names.at(*index));
    let function = compile.function.as_deref().or(before);
    let of_torch = function.map(|function| code(&function.name, QUOTE));
    let title = match (name, of_torch) {
        (Some(name), Some(of_torch)) if name.renamed => {
            format!("{} ({of_torch})", code(&name.plain(), QUOTE))
        }
        (Some(name), _) => code(&name.plain(), QUOTE),
        (None, of_torch) => of_torch.unwrap_or_else(|| UNKNOWN.to_owned()),
    };
    let called = name.and_then(|name| name.called.as_ref());
    let called = called.and_then(|called| Some((called.file.as_deref()?, called.line)));
    let defined = function.and_then(|function| Some((function.file.as_deref()?, function.line)));
    let (file, line) = called.or(defined).unzip();
    [title, place(file, line.flatten())]
}

/// `file:line` as code.
pub(super) fn place(file: Option<&str>, line: Option<u64>) -> String {
    file.map_or_else(|| UNKNOWN.to_owned(), |file| code(&file_line(file, line), SHORT_LINE))
}

/// Cells with plain spaces.
fn plain_cells<const N: usize>(cells: [String; N]) -> Vec<String> {
    cells.iter().map(|text| plain(text)).collect()
}
