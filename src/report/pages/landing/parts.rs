//! The parts of the compile time: what each does, and the phases that took most of it.

use crate::analysis::{Outlook, PARTS, Phase, part_of_phase};
use crate::report::kit::bars::PHASES;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::slow::outlook;
use crate::report::words::phases::PART_MEANINGS;

/// Phases named below a part.
const NAMED: usize = 2;

/// Shorter compiler checks have no row of their own.
const LEAST_US: f64 = 1e5;

/// A row: a part of the time, or a piece of a part.
struct Part {
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

fn parts(view: View<'_>) -> Vec<Part> {
    let found = view.report.found;
    let outlook = outlook(view.report);
    let mut parts = Vec::new();
    for (index, us) in found.split.whole.0.into_iter().enumerate().filter(|(_, us)| *us > 0.0) {
        let (Some(name), Some(class)) = (PARTS.get(index), PHASES.get(index)) else { continue };
        let about = PART_MEANINGS.get(index).copied().unwrap_or_default();
        let part =
            Part { name: (*name).to_owned(), about: about.into(), phases: phases(view, index), class, us };
        let trials = us - outlook.kernels_us;
        if *name == "Kernel builds" && outlook.kernels > 0 && outlook.kernels_us <= us {
            parts.push(kernels(view, &outlook, class));
            if trials >= LEAST_US {
                parts.push(toolchain(view, trials, class));
            }
        } else {
            parts.push(part);
        }
    }
    parts
}

fn kernels(view: View<'_>, outlook: &Outlook<'_>, class: &'static str) -> Part {
    let work_us = view.report.found.builds.parallel_work_us();
    let how = match (view.report.model.inductor.compile_threads, work_us) {
        (_, Some(us)) => format!(" Builds ran side by side: {} of work.", micros(us)),
        (Some(1), None) => " Builds ran one at a time: `compile_threads` is 1.".to_owned(),
        _ => String::new(),
    };
    Part {
        name: format!("{} built", counted(outlook.kernels, "kernel", "kernels")),
        about: view.prose(&format!("The C++ compiler builds a library from each generated kernel.{how}")),
        phases: view.code("compile_file"),
        class,
        us: outlook.kernels_us,
    }
}

fn toolchain(view: View<'_>, us: f64, class: &'static str) -> Part {
    let about = "Checks which vector instructions the processor supports, and precompiles headers. Happens once per \
                 machine, as long as the cache folder is kept.";
    let phases = Html::joined([view.code("compile_file"), " before the first kernel".into()], "");
    Part { name: "C++ toolchain".to_owned(), about: about.into(), phases, class, us }
}

/// The costliest phases of a part.
fn phases(view: View<'_>, part: usize) -> Html {
    let of_part = |phase: &&Phase| part_of_phase(&phase.name) == Some(part);
    let named = view.report.found.time.phases.iter().filter(of_part).take(NAMED);
    Html::joined(named.map(|phase| view.code(&phase.name)), ", ")
}
