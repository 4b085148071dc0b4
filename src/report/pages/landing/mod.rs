//! The landing page: the verdict with the time in order, what to do, the functions, the stacks, and, folded, all about the log.

mod about;
mod actions;
mod directory;
mod functions;
mod glossary;
mod order;
mod stacks;
mod verdict;

pub(crate) use functions::searched;

use crate::report::kit::prelude::*;

/// The landing page and the pages on which its long lists continue.
pub(crate) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let index = |name: &'static str| {
        Page::rendered(RelPath::of_parts(&[name]), move |worker, out| {
            let mut shell = Shell::landing(report, name);
            if report.model.log.records > 0 {
                shell.tabs = vec![Tab::section("findings", "What to do", None)];
            }
            write_page(worker, out, &shell, |worker, out| body(View::new(report, worker, 0), out))
        })
    };
    let mut pages = vec![index(paths::landing(report.settings))];
    // Upstream has its ordinary landing page there, as its `index.html` is about vLLM; scripts look for it.
    let is_of_vllm = !report.model.vllm.is_empty() && !report.settings.export;
    pages.extend(is_of_vllm.then(|| index("tlparse_index.html")));
    pages.extend(directory::pages(report));
    pages.extend(functions::page(report));
    pages
}

fn body(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    verdict::hero(view, out)?;
    if view.report.model.log.records == 0 {
        return about::of_empty(view, out);
    }
    actions::section(view, out)?;
    functions::section(view, out)?;
    stacks::section(view, out)?;
    about::section(view, out)
}

#[cfg(test)]
mod tests;
