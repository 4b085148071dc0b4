//! The export report: whether torch.export produced a program, what prevented it, and what to do.

mod expression;
mod problems;
mod program;
mod verdict;

use crate::model::Content;
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, page};
use crate::report::kit::assets::Delivery;
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab};
use crate::report::kit::templates::Worker;
use crate::report::subject::{Report, ToSearch};

/// The export report.
pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[paths::export(report.settings)]), move |worker, out| {
        let problems = problems::problems(report);
        let mut blocks = verdict::blocks(report);
        blocks.extend((!problems.is_empty()).then(|| Block::Section(problems::section(report, &problems))));
        blocks.extend(program::section(report).map(Block::Section));
        let mut shell = Shell::top(report, "Export");
        shell.delivery = Delivery::of(paths::export(report.settings));
        if report.settings.export {
            shell.custom = report.settings.custom_header.as_deref();
        }
        shell.tabs.push(Tab::away(paths::landing(report.settings), "Compilations and files", None));
        page::write_in(shell, report, &blocks, worker, out)
    })
}

/// All problems.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    to("Export", &[problems::listing(report, &problems::problems(report))])
}

/// The page of each expression that export had to decide.
pub(crate) fn guard_pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            if let Content::Guard(index) = artifact.content {
                pages.extend(expression::page(report, compile, artifact, index));
            }
        }
    }
    pages
}

/// The number of problems of an export; None if there are none.
pub(crate) fn count(report: Report<'_>) -> Option<usize> {
    Some(report.found.export.failures.len()).filter(|count| *count > 0)
}
