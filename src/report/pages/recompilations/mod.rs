//! `recompilations.html`: each function that was compiled more than once, what changed each time, and what to do.

mod evidence;
mod function;
mod guards;
mod overview;
mod subject;
mod tensors;

use crate::analysis::{Chain, FunctionName, recompile_limit};
use crate::limits::{NAMED, READ_TOGETHER};
use crate::report::kit::prelude::*;
use crate::report::pages::recompilations::subject::ShownChain;

/// Bytes of sections: further functions appear only in the overview. With it, a page stays below 2 MB.
const ALL_SECTIONS: usize = 1_200_000;

/// Whether any function was recompiled.
pub(crate) fn present(report: Report<'_>) -> bool {
    !report.found.chains.is_empty()
}

/// The number of recompilations.
pub(crate) fn count(report: Report<'_>) -> usize {
    report.found.chains.iter().map(Chain::recompiles).sum()
}

pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::RECOMPILATIONS]), move |worker, out| write(report, worker, out))
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let limit = recompile_limit(report.model);
    let subjects = report.found.chains.iter().filter_map(|chain| {
        let anchor = links::recompilations_anchor(report.model.compiles.get(chain.steps.first()?.compile)?);
        Some(ShownChain { limit: chain.limit_of(limit), anchor, chain })
    });
    let subjects: Vec<ShownChain<'_>> = subjects.collect();
    let mut shell = Shell::top(report, "Recompilations");
    shell.tabs.push(Tab::section("all", "Overview", Some(whole(subjects.len()))));
    let tab = |subject: &ShownChain<'_>| {
        let name = report.found.names.shared(&subject.chain.compiles()).map(FunctionName::plain);
        let name = name.or_else(|| Some(subject.chain.function?.name.clone()))?;
        Some(Tab::section(&subject.anchor, &name, Some(whole(subject.chain.steps.len()))))
    };
    shell.tabs.extend(subjects.iter().filter_map(tab).take(NAMED));
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        let mut sections = Vec::new();
        let mut detailed = 0;
        let mut room = READ_TOGETHER;
        for subject in &subjects {
            if sections.len() > ALL_SECTIONS {
                break;
            }
            function::section(view, subject, &mut room, &mut sections)?;
            detailed += 1;
        }
        verdict(view, &subjects, out)?;
        overview::section(view, &subjects, detailed, out)?;
        out.write_all(&sections)?;
        Ok(())
    })
}

#[derive(Serialize)]
struct Verdict {
    recompiles: String,
    functions: String,
    time: Option<String>,
    over: Option<String>,
    over_href: String,
    limit: String,
}

fn verdict(view: View<'_>, subjects: &[ShownChain<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let count: usize = subjects.iter().map(|s| s.chain.recompiles()).sum();
    let us = subjects.iter().filter_map(|s| s.chain.us).reduce(|a, b| a + b);
    let over: Vec<&ShownChain<'_>> = subjects.iter().filter(|s| s.chain.limit_hit()).collect();
    let context = Verdict {
        recompiles: counted(count, "recompilation", "recompilations"),
        functions: counted(subjects.len(), "function", "functions"),
        time: us.map(micros),
        over: (!over.is_empty()).then(|| counted(over.len(), "function", "functions")),
        over_href: over.first().map(|s| format!("#{}", s.anchor)).unwrap_or_default(),
        limit: over.first().map(|s| whole(s.limit)).unwrap_or_default(),
    };
    Ok(write_line(out, &view.render("recompiles_verdict", &context)?)?)
}
