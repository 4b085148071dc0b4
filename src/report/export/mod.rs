//! The export report: whether torch.export made a program, what stood in its way and what to do about it.

mod advice;
mod expression;
mod failure;
mod guard;
mod locals;
mod program;
mod verdict;

pub(super) use verdict::{note, sentence_of};

use super::assets::{Asset, EXPORT_CSS};
use super::parts::View;
use super::shell::{Shell, Tab, write_page};
use super::units::whole;
use super::{Report, Worker, paths};
use crate::model::Content;
use crate::output::{Page, RelPath};
use std::io::Write;

const ASSETS: [Asset; 1] = [EXPORT_CSS];

/// Whether the report has this page: the log has events of an export, or the reader asked for it.
pub(super) fn present(report: Report<'_>) -> bool {
    report.settings.export || report.model.export.is_recorded()
}

/// The export report, and the page of each expression that export had to decide.
pub(super) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let mut pages = Vec::new();
    if present(report) {
        let path = RelPath::of_parts(&[paths::export(report.settings)]);
        pages.push(Page::rendered(path, move |worker, out| write(report, worker, out)));
    }
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            if let Content::Guard(index) = artifact.content {
                pages.extend(guard::page(report, (compile, artifact), index));
            }
        }
    }
    pages
}

/// The tab of other pages.
pub(super) fn tab(report: Report<'_>) -> Option<Tab> {
    let failures = report.found.export.failures.len();
    let count = (failures > 0).then(|| whole(failures));
    present(report).then(|| Tab::away(paths::export(report.settings), "Export", count))
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut shell = Shell::top(report, "Export");
    shell.scripts = &ASSETS;
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
