//! The landing page: the verdict, what to look at first, all that was compiled, and whether the log can be trusted.

mod chart;
mod directory;
mod environment;
mod findings;
mod functions;
mod glossary;
mod log;
mod processes;
mod stacks;
mod time;
mod verdict;

pub(super) use directory::stage_words;
pub(super) use environment::versions;
pub(super) use functions::href as function_href;

use super::parts::View;
use super::shell::{Shell, Tab, write_page};
use super::units::whole;
use super::{Report, Worker, paths};
use crate::output::{Page, RelPath};
use std::io::Write;

/// The landing page and the pages that continue its long lists.
pub(super) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let index = Page::rendered(RelPath::of_parts(&[paths::landing(report.settings)]), move |worker, out| {
        let mut shell = Shell::landing(report);
        shell.tabs = tabs(report);
        write_page(worker, out, &shell, |worker, out| body(View::new(report, worker, 0), out))
    });
    let mut pages = vec![index];
    pages.extend(directory::pages(report));
    pages.extend(functions::page(report));
    pages
}

fn tabs(report: Report<'_>) -> Vec<Tab> {
    let (model, found) = (report.model, report.found);
    if model.log.records == 0 {
        return vec![Tab::section("words", "Glossary", None)];
    }
    let count = |n: usize| Some(whole(n));
    let files = model.compiles.iter().map(|c| c.artifacts.len()).sum();
    let damaged = log::damaged(report);
    let trouble = model.failures.len() + model.restarts.len();
    let sections = [
        (true, "findings", "Findings", count(found.findings.len())),
        (!found.functions.is_empty(), "functions", "Functions", count(found.functions.len())),
        (!model.vllm.is_empty(), "vllm", "vLLM modules", None),
        (time::present(report), "time", "Time", None),
        (!found.trie.roots.is_empty(), "stacks", "Stacks", None),
        (true, "artifacts", "Files", count(files)),
        (!report.processes.is_empty(), "processes", "Processes", count(report.processes.len())),
        (!model.other_ranks.is_empty(), "other", "Other ranks", None),
        (true, "log", "Log", (damaged > 0).then(|| whole(damaged))),
        (true, "words", "Glossary", None),
    ];
    let mut tabs: Vec<Tab> = sections
        .into_iter()
        .filter(|(shown, ..)| *shown)
        .map(|(_, id, text, count)| Tab::section(id, text, count))
        .collect();
    tabs.extend(super::graph_breaks::tab(report));
    tabs.extend(super::recompilations::tab(report));
    tabs.push(Tab::away("failures_and_restarts.html", "Failures", count(trouble)));
    tabs.extend(super::export::tab(report));
    tabs.extend(super::shapes::tab(report));
    tabs.extend(super::caches::tab(report));
    tabs.extend(super::configuration::tab(report));
    tabs.extend(super::vllm::tab(report));
    tabs.extend(super::kernels::tab(report));
    tabs.extend(super::provenance::tab(report));
    if super::time::present(report) {
        tabs.push(Tab::away(super::time::PATH, "Flame chart", None));
    }
    tabs.push(Tab::away("raw.log", "raw.log", None));
    tabs
}

fn body(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    verdict::hero(view, out)?;
    if model.log.records == 0 {
        if log::damaged(view.report) > 0 {
            log::section(view, out)?;
        }
        processes::section(view, out)?;
        return glossary::section(view, out);
    }
    findings::section(view, out)?;
    functions::section(view, out)?;
    super::vllm::section(view, out)?;
    time::section(view, out)?;
    stacks::section(view, out)?;
    directory::section(view, out)?;
    stacks::without_compile(view, out)?;
    processes::section(view, out)?;
    log::other_ranks(view, out)?;
    log::section(view, out)?;
    environment::section(view, out)?;
    glossary::section(view, out)
}

#[cfg(test)]
mod tests;
