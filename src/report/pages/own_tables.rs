//! Pages of tables that parsers of the library's user made.

use crate::model::Content;
use crate::output::Page;
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;

/// One page per artifact that is such a page.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            let Content::Tables(page) = &artifact.content else { continue };
            let path = paths::artifact(compile, artifact, report.settings);
            pages.push(Page::rendered(path, move |worker, out| {
                write_page(worker, out, &Shell::top(report, &page.title), |worker, out| {
                    let view = View::new(report, worker, 0);
                    page.sections.iter().try_for_each(|section| view.section(out, section))
                })
            }));
        }
    }
    pages
}
