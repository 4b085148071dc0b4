//! The parts of the compile time: what each does, and the phases that took most of it.

use crate::analysis::{AHEAD_OF_TIME, TimePiece, part_of_phase};
use crate::facts::Phase;
use crate::model::CompilerPart::{self, CodeGeneration, KernelBuilds};
use crate::report::kit::bars::color;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::slow::outlook;
use crate::report::words::phases::{part_meaning, phase_meaning};

/// Phases named below a part.
const NAMED: usize = 2;

/// A row: a part of the time, or a piece of a part.
struct PartRow {
    name: String,
    about: Html,
    phases: Html,
    class: &'static str,
    us: f64,
}

pub(crate) fn table(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut parts = parts(view);
    parts.sort_by(|a, b| b.us.total_cmp(&a.us));
    let total: f64 = parts.iter().map(|part| part.us).sum();
    let longest = parts.first().map_or(0.0, |part| part.us);
    let columns = vec![
        TableColumn::unsorted("Part"),
        TableColumn::number("Time"),
        TableColumn::number("Share"),
        TableColumn::unsorted("What it is").soft(),
    ];
    let table = Table { id: "parts-table", label: "Parts of the compile time", columns };
    let rows = parts.iter().map(|part| {
        let name = Html::joined([strong(part.name.as_str()), small(part.phases.clone())], "");
        Row::of(vec![
            TableCell::html(name),
            TableCell::time(part.us)
                .class(format!("num measured {}", part.class))
                .style(format!("--share:{:.1}%", 100.0 * part.us / longest)),
            TableCell::number(part.us, &percent(part.us, total, false)),
            TableCell::html(part.about.clone()),
        ])
    });
    write_line(out, &Element::new("div").class("parts").open())?;
    view.table(out, &table, rows)?;
    Ok(close(out, "div")?)
}

fn parts(view: View<'_>) -> Vec<PartRow> {
    let found = view.report.found;
    let kernels = outlook(view.report).kernels;
    let pieces = found.split.pieces(&found.builds);
    let has_own_row = |of: CompilerPart| match of {
        KernelBuilds => pieces.iter().any(|(piece, _)| {
            matches!(piece, TimePiece::Library | TimePiece::Toolchain | TimePiece::WaitForWorkers)
        }),
        CodeGeneration => pieces.iter().any(|(piece, _)| *piece == TimePiece::WaitForProcess),
        _ => false,
    };
    let part = |(piece, us): (TimePiece, f64)| {
        let (of, name, phase) = match piece {
            TimePiece::Part(KernelBuilds) if kernels > 0 => (KernelBuilds, "", ""),
            TimePiece::Part(of) => (of, of.name(), ""),
            TimePiece::Library => (KernelBuilds, "Library built ahead of time", AHEAD_OF_TIME),
            TimePiece::Toolchain => (KernelBuilds, "C++ toolchain", "compile_file"),
            TimePiece::WaitForWorkers => (KernelBuilds, "Waiting for compile workers", "async_compile.wait"),
            TimePiece::WaitForProcess => (CodeGeneration, "Waiting for another process", "Scheduler.codegen"),
            TimePiece::Outside => return None,
        };
        let about = match piece {
            TimePiece::Part(KernelBuilds) if kernels > 0 => how_kernels_are_built(view),
            TimePiece::Toolchain => TOOLCHAIN.to_owned(),
            TimePiece::WaitForProcess => {
                "It builds into the same cache folder and holds the lock.".to_owned()
            }
            TimePiece::Part(_) => part_meaning(of).to_owned(),
            _ => phase_meaning(phase).to_owned(),
        };
        let name = match name {
            "" => format!("{} built", counted(kernels, "kernel", "kernels")),
            // The name of a part is that of all of it.
            _ if matches!(piece, TimePiece::Part(of) if has_own_row(of)) => {
                format!("Rest of {}", of.in_a_sentence())
            }
            name => name.to_owned(),
        };
        let phases = if phase.is_empty() { phases(view, of) } else { view.code(phase) };
        Some(PartRow { name, about: view.prose(&about), phases, class: color(Some(of)), us })
    };
    pieces.iter().copied().filter_map(part).collect()
}

/// What is tried before the first kernel.
const TOOLCHAIN: &str = "Checks which vector instructions the processor supports, and precompiles headers. Happens once per \
                         machine, as long as the cache folder is kept.";

fn how_kernels_are_built(view: View<'_>) -> String {
    let work_us = view.report.found.builds.parallel_work_us();
    let how = match (view.report.model.inductor.compile_threads, work_us) {
        (_, Some(us)) => format!(" Builds ran side by side: {} of work.", micros(us)),
        (Some(1), None) => " Builds ran one at a time: `compile_threads` is 1.".to_owned(),
        _ => String::new(),
    };
    format!("Compiles each generated kernel to a binary.{how}")
}

/// The costliest phases of a part.
fn phases(view: View<'_>, part: CompilerPart) -> Html {
    let of_part = |phase: &&Phase<'_>| part_of_phase(&phase.name) == Some(part);
    let named = view.report.found.time.phases.iter().filter(of_part).take(NAMED);
    Html::joined(named.map(|phase| view.code(&phase.name)), ", ")
}
