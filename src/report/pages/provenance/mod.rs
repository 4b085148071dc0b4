//! `provenance_tracking_<folder>.html`: one page per Inductor run, linking source lines, graph nodes and kernels.

mod data;
mod page;
mod panes;
mod rows;
mod texts;
mod times;
mod tints;
mod words;

use crate::output::Page;
use crate::report::doc::{Cell, FoundRow, Rows, own};
use crate::report::kit::formats::counted;
use crate::report::kit::inductor_runs::{Run, all};
use crate::report::kit::links::encoded;
use crate::report::kit::templates::Worker;
use crate::report::subject::{Report, ToSearch};
use std::io::Write;
use std::sync::Arc;

/// The pages.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    let shown: Vec<Run<'_>> = all(report).into_iter().filter(|run| run.shown).collect();
    let runs = Rows::of(shown)
        .text("Function", |run| Cell::function(run.compile.function.as_ref().map(|of| of.name.as_str())))
        .text("Generated code", |run| {
            own(counted(run.run.code.len(), "file of generated code", "files of generated code"))
        })
        .found(|_, run| {
            FoundRow::at(format!("provenance of {}", run.label()), encoded(run.path("html").as_str()))
                .more(["which source line became which kernel"])
        });
    to("Provenance", &[runs.listing("provenance", "Provenance", "")])
}

/// The pages, each with a file of its maps.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let runs = Arc::new(all(report));
    let mut pages = Vec::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| run.shown) {
        let all = Arc::clone(&runs);
        pages.push(Page::rendered(run.path("html"), move |worker: &mut Worker, out: &mut dyn Write| {
            page::write(report, (&all, index), worker, out)
        }));
        let all = Arc::clone(&runs);
        pages.push(Page::rendered(run.path("json"), move |_: &mut Worker, out: &mut dyn Write| {
            let Some(run) = all.get(index) else { return Ok(()) };
            texts::write_maps(report, run, out)
        }));
    }
    pages
}
