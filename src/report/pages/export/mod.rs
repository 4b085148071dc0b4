//! The export report: whether torch.export produced a program, what prevented it, and what to do.

mod advice;
mod failure;
mod guard;
mod program;
mod verdict;

use crate::model::Content;
use crate::output::{Page, RelPath};
use crate::report::kit::assets::Delivery;
use crate::report::kit::formats::whole;
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use std::io::Write;

/// The export report.
pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    let path = RelPath::of_parts(&[paths::export(report.settings)]);
    Page::rendered(path, move |worker, out| write(report, worker, out))
}

/// The page of each expression that export had to decide.
pub(crate) fn guard_pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            if let Content::Guard(index) = artifact.content {
                pages.extend(guard::page(report, (compile, artifact), index));
            }
        }
    }
    pages
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut shell = Shell::top(report, "Export");
    shell.delivery = Delivery::of(paths::export(report.settings));
    if report.settings.export {
        shell.custom = report.settings.custom_header.as_deref();
    }
    let export = &report.found.export;
    let programs = &report.model.export.programs;
    if !export.failures.is_empty() {
        shell.tabs.push(Tab::section("failures", "Failures", Some(whole(export.failures.len()))));
    }
    if !programs.is_empty() {
        let count = (programs.len() > 1).then(|| whole(programs.len()));
        shell.tabs.push(Tab::section("program", "Exported program", count));
    }
    shell.tabs.push(Tab::away(paths::landing(report.settings), "Compilations and files", None));
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        verdict::write(view, out)?;
        failure::write(view, out)?;
        program::write(view, out)
    })
}

/// The number of problems of an export; None if there are none.
pub(crate) fn count(report: Report<'_>) -> Option<usize> {
    Some(report.found.export.failures.len()).filter(|count| *count > 0)
}
