//! The landing page: the verdict, what to look at first, all that was compiled, and whether the log can be trusted.

mod breaks;
mod directory;
mod environment;
mod functions;
mod glossary;
mod log;
mod recompiles;
mod stacks;
mod verdict;

pub(super) use directory::stage_words;
pub(super) use functions::href as function_href;

use super::parts::View;
use super::shell::{Shell, Tab, write_page};
use super::units::whole;
use super::{Html, Report, Worker};
use crate::output::{Page, RelPath};
use std::io::Write;

/// The landing page and the pages that continue its long lists.
pub(super) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let index = Page::rendered(RelPath::of_parts(&["index.html"]), move |worker, out| {
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
        (!model.advice.is_empty(), "attention", "Attention", count(model.advice.len())),
        (!model.graph_breaks.is_empty(), "breaks", "Graph breaks", count(model.graph_breaks.len())),
        (!model.recompiles.is_empty(), "recompiles", "Recompilations", count(model.recompiles.len())),
        (!found.functions.is_empty(), "functions", "Functions", count(found.functions.len())),
        (!found.trie.roots.is_empty(), "stacks", "Stacks", None),
        (true, "artifacts", "Files", count(files)),
        (!model.other_ranks.is_empty(), "other", "Other ranks", None),
        (true, "log", "Log", (damaged > 0).then(|| whole(damaged))),
        (true, "words", "Glossary", None),
    ];
    let mut tabs: Vec<Tab> = sections
        .into_iter()
        .filter(|(shown, ..)| *shown)
        .map(|(_, id, text, count)| Tab::section(id, text, count))
        .collect();
    tabs.push(Tab::away("failures_and_restarts.html", "Failures and restarts", count(trouble)));
    tabs.push(Tab::away("raw.log", "raw.log", None));
    tabs
}

fn body(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    verdict::hero(view, out)?;
    if model.log.records == 0 {
        return glossary::section(view, out);
    }
    attention(view, out)?;
    breaks::section(view, out)?;
    recompiles::section(view, out)?;
    functions::section(view, out)?;
    stacks::section(view, out)?;
    directory::section(view, out)?;
    stacks::without_compile(view, out)?;
    log::other_ranks(view, out)?;
    log::section(view, out)?;
    environment::section(view, out)?;
    glossary::section(view, out)
}

/// What the log itself wants to be seen: dead workers, graphs that differ between ranks.
fn attention(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let advice = &view.report.model.advice;
    if advice.is_empty() {
        return Ok(());
    }
    let head = ("attention", "Attention", "the log says so itself");
    view.open_section(out, head, Some(whole(advice.len())), Html::default())?;
    for one in advice {
        let compile = view.report.model.compiles.get(one.compile).filter(|c| c.id.is_some());
        let pill = compile.map_or_else(|| Ok(Html::default()), |c| view.pill(c))?;
        let (title, text) = (Html::escaped(&one.title), view.folded(&one.text, false));
        let line = whole(one.line);
        writeln!(
            out,
            "<div class=\"advice\"><b class=\"err\">{}</b> {} <span class=\"soft\">line {line}</span><p>{}</p></div>",
            title.as_str(),
            pill.as_str(),
            text.as_str()
        )?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

#[cfg(test)]
mod tests;
