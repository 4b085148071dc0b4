//! Kernels by line of the program: with their time where it was measured, else those of the generated code.

use super::subject::{Subject, linked};
use crate::analysis::performance::{MeasuredLine, Performance};
use crate::limits::{KERNEL_IN_LIST, LONG_TABLE, NAMED_BRIEFLY, SHORT_LIST, SHORT_NAME};
use crate::model::short_kernel;
use crate::model::words::shortened;
use crate::report::doc::{Block, Cell, Others, Rows, log, micros as time, own, place};
use crate::report::kit::kernel_list::{Line, LineKernel};
use crate::report::kit::links::{measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::prelude::*;
use crate::trace::TextMap;

/// A row of the list of measured lines.
struct Measured<'m> {
    line: Option<&'m MeasuredLine>,
    /// What stands instead of a line.
    what: &'static str,
    /// Microseconds.
    us: f64,
    /// Its kernels, the longest first: places in the trace.
    kernels: Vec<usize>,
}

/// The device's time by line, if the log says which lines kernels come from.
pub(super) fn measured(found: &Performance) -> Option<Block<'_>> {
    if found.lines.is_empty() {
        return None;
    }
    let sum: f64 = found.kernels.iter().map(|kernel| kernel.sum_us).sum();
    let mut kernels: TextMap<(&str, u64), Vec<usize>> = TextMap::default();
    for (place, kernel) in found.kernels.iter().enumerate() {
        for line in &kernel.lines {
            kernels.entry((&line.file, line.line)).or_default().push(place);
        }
    }
    let lines = found.lines.iter().take(LONG_TABLE).map(|line| {
        let kernels = kernels.remove(&(&*line.file, line.line)).unwrap_or_default();
        Measured { line: Some(line), what: "", us: line.us, kernels }
    });
    let rest = |what, us| Measured { line: None, what, us, kernels: Vec::new() };
    let mut rows: Vec<_> = lines.collect();
    rows.extend([rest("No line is known", found.unjoined.us), rest("All kernels", sum)]);
    let backward = found.lines.iter().any(|line| line.backward_us > 0.0);
    fn of_line<'r>(row: &Measured<'_>, us: fn(&MeasuredLine) -> f64) -> Cell<'r> {
        time(row.line.map(us))
    }
    // The sums at the end keep their place, so the list is not sorted.
    let rows = Rows::of(rows)
        .unsorted("Line of the program", |row| match row.line {
            Some(line) => {
                let code = line.code.as_deref().map_or(Cell::Unknown, |code| Cell::Code(code.into()));
                let place = place(Some(&line.file), i64::try_from(line.line).ok());
                Cell::Beside(vec![place, code], " ").class("sentence")
            }
            None => row.what.into(),
        })
        .number("Kernel time", move |row| match row.line {
            Some(line) => time(Some(line.us)).bar(line.own_us, line.us, sum),
            None => time(Some(row.us)),
        })
        .fixed()
        .explained("dark: kernels of this line alone; light: its share of kernels of several lines")
        .number("Share", move |row| Cell::figure(Some(row.us), |us| percent(us, sum, true)))
        .fixed();
    let rows = match backward {
        true => rows
            .number("Forward", move |row| of_line(row, |line| line.us - line.backward_us))
            .fixed()
            .number("Backward", move |row| of_line(row, |line| line.backward_us))
            .fixed(),
        false => rows,
    };
    let list = rows
        .number("Kernels", |row| Some(row.kernels.len()).filter(|_| row.line.is_some()).into())
        .fixed()
        .unsorted("The longest", move |row| longest(found, row))
        .anchored(|at, row| row.line.map(|_| measured_line_anchor(at)))
        .about(notes(found))
        .listing("lines", "Time by line", "");
    Some(Block::List(list))
}

fn longest<'r>(found: &'r Performance, row: &Measured<'_>) -> Cell<'r> {
    let named = row.kernels.iter().take(NAMED_BRIEFLY).filter_map(|place| {
        let kernel = found.kernels.get(*place)?;
        let name = log(short_kernel(kernel.shown_name(), SHORT_NAME));
        let href = (*place < LONG_TABLE).then(|| format!("#{}", measured_kernel_anchor(*place)));
        Some(linked(name, href).titled(&*kernel.name))
    });
    Cell::Beside(named.collect(), ", ")
}

/// How the time was divided.
fn notes(found: &Performance) -> String {
    let shared: f64 = found.lines.iter().map(|line| line.us - line.own_us).sum();
    let all: f64 = found.lines.iter().map(|line| line.us).sum();
    let shared = match shared > 0.0 {
        true => format!(
            "; light: kernels fused from several lines, divided equally among their nodes ({}, {} of the lines' time)",
            micros(shared),
            percent(shared, all, true)
        ),
        false => String::new(),
    };
    format!("kernel time in the trace{shared}")
}

/// A line of the program with the kernels that it became.
struct Became<'m> {
    file: &'m str,
    number: u64,
    line: &'m Line,
}

/// Which kernels of the generated code each line became, if the log says it of any.
pub(super) fn generated<'m>(subject: &'m Subject<'m>) -> Option<Block<'m>> {
    let all = &subject.generated.lines;
    if all.is_empty() {
        return None;
    }
    let rows = subject.generated.order.iter().filter_map(|index| {
        let ((file, number), line) = all.get_index(*index)?;
        Some(Became { file, number: *number, line })
    });
    let unsure = all.values().any(|line| !line.perhaps.is_empty());
    let list = Rows::of(rows.collect::<Vec<_>>())
        .text("Line", |row| place(Some(row.file), i64::try_from(row.number).ok()))
        .text("Code", |row| Cell::maybe(row.line.code.as_deref(), |code| Cell::Code(code.into())))
        .number("Kernels", |row| row.line.kernels.len().into())
        .unsorted("Which", move |row| kernels_of(subject, row.line))
        .anchored(|at, _| Some(measured_line_anchor(at)))
        .about(match unsure {
            true => "which kernels a source line became, or the candidates if the log does not say",
            false => "which kernels a source line became",
        })
        .first(LONG_TABLE, Others::InFacts("lines"))
        .listing("lines", "By source line", "");
    Some(Block::List(list))
}

/// `0/0 inference addmm, gelu_0; 0/1 forward addmm`: each kernel links to its call for this line, and the graph to the
/// line in its panes.
fn kernels_of<'r>(subject: &'r Subject<'_>, line: &'r Line) -> Cell<'r> {
    let mut pieces = Vec::new();
    let mut before = None;
    for LineKernel { kernel, call, source } in line.kernels.iter().take(SHORT_LIST) {
        let Some(kernel) = subject.generated.kernels.get(*kernel) else { continue };
        let Some(run) = subject.runs.get(kernel.run) else { continue };
        if before.replace(kernel.run) != Some(kernel.run) {
            let start = if pieces.is_empty() { "" } else { "; " };
            let page = run.address().map(|page| format!("{page}#{source}"));
            pieces.extend([start.into(), linked(log(run.label()), page), " ".into()]);
        } else {
            pieces.push(", ".into());
        }
        pieces.push(linked(log(short_name(&kernel.name)), run.address_of_call(subject.report, call)));
    }
    pieces.push(own(and_more(line.kernels.len(), SHORT_LIST)));
    for (index, (run, count)) in line.perhaps.iter().take(SHORT_LIST).enumerate() {
        let Some(run) = subject.runs.get(*run) else { continue };
        let start = match (index, line.kernels.is_empty()) {
            (0, true) => "candidates: ",
            (0, false) => "; candidates: ",
            _ => ", ",
        };
        let count = if index == 0 { counted(*count, "kernel", "kernels") } else { whole(*count) };
        pieces.push(log(format!("{start}{count} of {}", run.label())));
    }
    let more = line.perhaps.len().saturating_sub(SHORT_LIST);
    if more > 0 {
        pieces.push(own(format!(" and in {}", counted(more, "further graph", "further graphs"))));
    }
    Cell::Beside(pieces, "").class("soft")
}

/// A kernel's name without common prefixes, clipped.
fn short_name(name: &str) -> String {
    let shared = [
        "extern_kernels.",
        "torch.ops.aten.",
        "torch.ops.",
        "cpp_fused_",
        "aoti_torch_cpu_",
        "aoti_torch_cuda_",
    ];
    let rest = shared.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    shortened(rest, KERNEL_IN_LIST).into_owned()
}
