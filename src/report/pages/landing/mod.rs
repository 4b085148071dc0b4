//! The landing page: the verdict, what to look at first, everything that was compiled, and whether to trust the log.

mod chart;
mod directory;
mod environment;
mod findings;
mod first_steps;
mod functions;
mod glossary;
mod log;
mod order;
mod parts;
mod primer;
mod processes;
mod share;
mod slow;
mod stacks;
mod time;
mod verdict;
mod vllm;

use crate::report::kit::prelude::*;

/// The landing page and the pages on which its long lists continue.
pub(crate) fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let index = |name: &'static str| {
        Page::rendered(RelPath::of_parts(&[name]), move |worker, out| {
            let mut shell = Shell::landing(report, name);
            shell.tabs = tabs(report);
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

fn tabs(report: Report<'_>) -> Vec<Tab> {
    let (model, found) = (report.model, report.found);
    if model.log.records == 0 {
        return vec![Tab::section("words", "Glossary", None)];
    }
    let count = |n: usize| Some(whole(n));
    let files = model.compiles.iter().map(|c| c.artifacts.len()).sum();
    let damaged = log::damaged(report);
    let slow = slow::comes_first(report);
    let outlook = slow::outlook(report);
    let steps = usize::from(outlook.warm_us.is_some())
        + usize::from(outlook.side_by_side_us.is_some())
        + usize::from(!outlook.repeated.is_empty());
    let sections = [
        (slow && steps > 0, "next", "What to do next", count(steps)),
        (!slow && first_steps::count(report) > 0, "next", "What to do first", None),
        (slow && report.times_phases(), "time", "Where the time went", None),
        (true, "findings", "Findings", count(found.findings.len())),
        (!found.functions.is_empty(), "functions", "Functions", count(found.functions.len())),
        (!model.vllm.is_empty(), "vllm", "vLLM modules", None),
        (!slow && report.times_phases(), "time", "Time", None),
        (!found.trie.roots.is_empty(), "stacks", "Stacks", None),
        (true, "artifacts", "Files", count(files)),
        (!report.processes.is_empty(), "processes", "Processes", count(report.processes.len())),
        (!model.other_ranks.is_empty(), "other", "Other ranks", None),
        (true, "log", "Log", (damaged > 0).then(|| whole(damaged))),
        (true, "share", "Share and compare", None),
        (true, "words", "Glossary", None),
    ];
    let shown = sections.into_iter().filter(|(shown, ..)| *shown);
    shown.map(|(_, id, text, count)| Tab::section(id, text, count)).collect()
}

fn body(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    verdict::hero(view, out)?;
    primer::write(view, out)?;
    if model.log.records == 0 {
        if log::damaged(view.report) > 0 {
            log::section(view, out)?;
        }
        processes::section(view, out)?;
        return glossary::section(view, out);
    }
    let slow = slow::comes_first(view.report);
    if slow {
        slow::next_steps(view, out)?;
        time::section(view, out)?;
        slow::other_runs(view, out)?;
    } else {
        first_steps::section(view, out)?;
    }
    findings::section(view, out)?;
    functions::section(view, out)?;
    vllm::section(view, out)?;
    slow::repeated_layers(view, out)?;
    if !slow {
        time::section(view, out)?;
    }
    stacks::section(view, out)?;
    directory::section(view, out)?;
    stacks::without_compile(view, out)?;
    processes::section(view, out)?;
    log::other_ranks(view, out)?;
    log::section(view, out)?;
    environment::section(view, out)?;
    share::section(view, out)?;
    glossary::section(view, out)
}

#[cfg(test)]
mod tests;
