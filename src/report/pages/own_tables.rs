//! Pages of tables that parsers of the library's user made.

use crate::model::Content;
use crate::output::Page;
use crate::report::doc::{Block, added, page};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;

/// One page per artifact that is such a page.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            let Content::Tables(tables) = &artifact.content else { continue };
            let path = paths::artifact(compile, artifact, report.settings);
            pages.push(Page::rendered(path, move |worker, out| {
                let blocks: Vec<_> =
                    tables.sections.iter().map(|one| Block::List(added(report, one))).collect();
                page::write(report, &tables.title, &blocks, worker, out)
            }));
        }
    }
    pages
}
