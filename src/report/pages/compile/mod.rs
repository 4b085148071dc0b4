//! The page of a compile: its outcome, why it happened, what it cost, and all its files.

mod caches;
mod facts;
mod files;
mod guard_tree;
mod inputs;
mod metrics;
mod navigation;
mod outcome;
mod record;
mod subject;
mod times;
mod why;

use crate::analysis::{ByCompile, OwnFiles};
use crate::limits::SHOWN;
use crate::model::{Compile, CompileIndex, Content, Fields, Section, UNKNOWN_EVENTS};
use crate::report::kit::assets::COMPILE_SHORT;
use crate::report::kit::copy::named_copy_button;
use crate::report::kit::failure_reasons;
use crate::report::kit::inductor_runs;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::{Recompiled, ShownCompile};
use fxhash::FxHashMap;
use std::sync::Arc;

/// What the pages of all compiles need.
struct Shared<'m> {
    by_compile: ByCompile<'m>,
    own: OwnFiles,
    steps: FxHashMap<CompileIndex, Recompiled<'m>>,
    /// The compiles that have a page.
    order: Vec<CompileIndex>,
    failure_entries: FxHashMap<u64, usize>,
}

impl<'m> Shared<'m> {
    fn of(report: Report<'m>) -> Shared<'m> {
        let chains = report.found.chains.iter();
        let steps = chains.flat_map(|chain| chain.steps.iter().skip(1).map(move |step| (chain, step)));
        Shared {
            by_compile: ByCompile::of(report.model),
            own: OwnFiles::of(report.model),
            steps: steps.map(|(chain, step)| (step.compile, Recompiled { chain, step })).collect(),
            order: navigation::with_page(&report.model.compiles),
            failure_entries: failure_reasons::entries(report),
        }
    }
}

/// The pages of all compiles of which more is known than their rows say.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let shared = Arc::new(Shared::of(report));
    let mut pages = Vec::new();
    for (index, compile) in report.model.compiles.indexed().filter(|(_, compile)| !compile.is_bare) {
        let shared = Arc::clone(&shared);
        pages.push(Page::rendered(paths::compile_page(compile), move |worker, out| {
            let of = &shared.by_compile;
            let chain = of.of_frame(index);
            let step = shared.steps.get(&index).copied();
            let Shared { own, order, failure_entries, .. } = &*shared;
            let mut write = |metrics: Option<&Fields<'_>>| {
                let subject = ShownCompile {
                    report,
                    index,
                    compile,
                    of,
                    own,
                    chain,
                    metrics,
                    order,
                    failure_entries,
                    step,
                };
                write(subject, worker, out)
            };
            match metrics::main_record(compile) {
                Some(record) => report.with_metrics(record, |fields| write(Some(fields)))?,
                None => write(None),
            }
        }));
    }
    pages
}

/// The pages of the metrics records.
pub(crate) fn records(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            if let Content::Metrics(record) = artifact.content {
                pages.extend(record::page(report, compile, artifact, record));
            }
        }
    }
    pages
}

fn write(subject: ShownCompile<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut shell = Shell::of_compile(subject.report, subject.compile, None);
    shell.tabs = tabs(subject, worker);
    if !has_long_table(subject.compile) {
        shell.assets = COMPILE_SHORT;
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(subject.report, worker, 1);
        if is_plain(subject) {
            write_plain_head(subject, out)?;
        } else {
            write_line(out, &head(view, subject)?)?;
        }
        why::write(view, subject, out)?;
        times::write(view, subject, out)?;
        write_stack(view, subject, out)?;
        for section in sections(subject.compile) {
            match section.id {
                "guards" => guard_tree::write(view, subject, section, out)?,
                "input-tensors" => inputs::write(view, subject.compile, section, out)?,
                "graph-sizes" => write_sizes(view, subject.compile, section, out)?,
                _ => view.section(out, section)?,
            }
        }
        files::write(view, subject, out)
    })
}

/// Whether a table of the page is long enough to be sorted and shortened by the script; those of times are short.
fn has_long_table(compile: &Compile) -> bool {
    let tables = compile.sections.iter().map(|section| section.rows.len());
    let others = [compile.graph_sizes.len(), compile.inputs.len(), compile.artifacts.len()];
    tables.chain(others).max().is_some_and(|rows| rows >= SHOWN)
}

/// Whether the page is about records without a compile id, so that it has only files to show.
fn is_plain(subject: ShownCompile<'_>) -> bool {
    subject.compile.id.is_none()
        && subject.compile.metrics.is_empty()
        && subject.of.caches.at(subject.index).is_empty()
}

fn write_plain_head(subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let records = counted(subject.compile.records, "record was", "records were");
    let first = facts::started(subject).map(|at| Html::joined(["; the first ".into(), at], ""));
    write_line(out, &Element::new("section").open())?;
    write_line(out, &Element::new("h1").around("Records without a compile id"))?;
    let records = format!("{records} written outside of any compile, or by a tool that sets no compile id");
    paragraph_below(out, Html::joined([records.into(), first.unwrap_or_default(), ".".into()], ""))?;
    Ok(close_section(out)?)
}

#[derive(Serialize)]
struct Head {
    pill: Html,
    function: Html,
    place: Html,
    /// What torch calls it.
    torch: Option<Html>,
    outcome: Html,
    navigation: Html,
    bar: Html,
    left: Option<Html>,
    right: Option<Html>,
}

/// A button that copies the compile's id.
fn copy_id(compile: &Compile) -> Html {
    compile.id.as_ref().map_or_else(Html::default, |id| named_copy_button(&id.to_string(), "Copy id"))
}

fn head(view: View<'_>, subject: ShownCompile<'_>) -> anyhow::Result<Html> {
    let compile = subject.compile;
    let place = view.place_of(compile);
    let side = |facts: Vec<_>| (!facts.is_empty()).then(|| view.facts(facts));
    let context = Head {
        pill: if compile.id.is_some() { view.plain_pill_beside(compile) } else { Html::default() },
        function: match view.function_name(compile) {
            Some(name) => view.title_of(name),
            None if compile.id.is_none() => Html::escaped("Records without a compile id"),
            None => Html::default(),
        },
        place: place.unwrap_or_default(),
        torch: view.name_in_torch(compile),
        outcome: Html::joined([outcome::outcome(subject).into(), copy_id(compile)], " "),
        navigation: navigation::navigation(view, subject),
        bar: view.bar_with_once(
            &view.report.found.split.at(subject.index),
            view.report.found.builds.trial_us(subject.index),
            true,
        ),
        left: side(facts::left(view, subject)),
        right: side(facts::right(view, subject)),
    };
    view.render("compile_head", &context)
}

/// Tables that readers look for first; the others follow in the order of the log.
const FIRST: [&str; 9] = [
    UNKNOWN_EVENTS,
    "guards",
    "input-tensors",
    "symbols",
    "unbacked-symbols",
    "specializations",
    "guards-added",
    "data-dependent",
    "code-state",
];

/// The tables of a compile in display order; the sizes of all values of the graph come last.
fn sections(compile: &Compile) -> Vec<&Section> {
    let mut sections: Vec<&Section> = compile.sections.iter().collect();
    let rank = |section: &&Section| match section.id {
        "graph-sizes" => FIRST.len() + 1,
        id => FIRST.iter().position(|first| *first == id).unwrap_or(FIRST.len()),
    };
    sections.sort_by_key(rank);
    sections
}

/// The sections of the page.
fn tabs(subject: ShownCompile<'_>, worker: &Worker) -> Vec<Tab> {
    let ShownCompile { index, compile, of, .. } = subject;
    let mut tabs = Vec::new();
    let mut add =
        |present: bool, id: &str, text: &str| tabs.extend(present.then(|| Tab::section(id, text, None)));
    add(why::has_recompilation(subject), "recompilation", why::title(subject));
    add(!of.breaks.at(index).is_empty(), "breaks", "Graph breaks");
    add(!of.failures.at(index).is_empty(), "failures", "Failures");
    add(!of.restarts.at(index).is_empty(), "restarts", "Restarts");
    add(times::present(subject), "time", "Time");
    for section in sections(compile) {
        add(true, section.id, if section.id == "graph-sizes" { "Sizes" } else { &section.title });
    }
    add(true, "files", "Files");
    if subject.report.found.export.compiles.contains(&subject.index) {
        tabs.push(Tab::away(format!("../{}", paths::export(subject.report.settings)), "Export", None));
    }
    // One link; the page lists the other runs.
    let provenance = inductor_runs::links(View::new(subject.report, worker, 1), compile).into_iter().next();
    tabs.extend(provenance.map(|(href, _)| Tab::away(href, "Provenance", None)));
    tabs
}

fn write_stack(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(stack) = &subject.compile.stack else { return Ok(()) };
    view.open_section(out, ("stack", "Stack", ""), None, Html::default())?;
    write_line(out, &view.stack(stack))?;
    Ok(close_section(out)?)
}

/// More sizes than this are folded at first.
const MANY_SIZES: usize = 60;

/// The sizes of all values of the graph, in text columns: a large graph has thousands.
fn write_sizes(
    view: View<'_>,
    compile: &Compile,
    section: &Section,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let count = compile.graph_sizes.len();
    let many = count > MANY_SIZES;
    view.open_section(out, (section.id, &section.title, ""), Some(whole(count)), Html::default())?;
    if many {
        open_more(out, format!("{} sizes", whole(count)))?;
    }
    write!(out, "{}", Element::new("pre").class("value-list").open().as_str())?;
    for one in compile.graph_sizes.iter() {
        let (value, size) = (Html::content(one.value), Html::content(one.size));
        writeln!(out, "{} {}", value.as_str(), size.as_str())?;
    }
    close(out, "pre")?;
    if many {
        close(out, "details")?;
    }
    Ok(close_section(out)?)
}

#[cfg(test)]
mod tests;
