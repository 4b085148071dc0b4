//! The page of a compile: its outcome, why it happened, what it cost, and all its files.

mod caches;
mod facts;
mod files;
mod guard_tree;
mod inputs;
mod kernels;
mod metrics;
mod navigation;
mod outcome;
mod record;
mod subject;
mod times;
mod why;

use crate::analysis::findings::{EntryKey, by_entry};
use crate::analysis::{ByCompile, Finding, OwnFiles};
use crate::limits::SHOWN;
use crate::model::{Compile, CompileIndex, Fields, Section as Added, UNKNOWN_EVENTS};
use crate::report::doc::{Block, Cell, Section, added as rows_of, own, page};
use crate::report::kit::assets::COMPILE_SHORT;
use crate::report::kit::copy::named_copy_button;
use crate::report::kit::failure_reasons::{self, Reason};
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
    reasons: Vec<Reason<'m>>,
    failure_entries: FxHashMap<u64, usize>,
    findings: FxHashMap<EntryKey, &'m Finding>,
    /// The break after which a resume function goes on.
    resumes: FxHashMap<CompileIndex, usize>,
}

impl<'m> Shared<'m> {
    fn of(report: Report<'m>) -> Shared<'m> {
        let chains = report.found.chains.iter();
        let steps = chains.flat_map(|chain| chain.steps.iter().skip(1).map(move |step| (chain, step)));
        let reasons = failure_reasons::reasons(report);
        let breaks = report.found.breaks.iter().enumerate();
        let resumes = breaks.flat_map(|(place, hits)| hits.iter().map(move |hit| (place, hit)));
        Shared {
            by_compile: ByCompile::of(report.model),
            own: OwnFiles::of(report.model),
            steps: steps.map(|(chain, step)| (step.compile, Recompiled { chain, step })).collect(),
            order: navigation::with_page(&report.model.compiles),
            failure_entries: failure_reasons::numbered(&reasons),
            reasons,
            findings: by_entry(&report.found.findings),
            resumes: resumes
                .flat_map(|(place, hit)| hit.resumes.iter().map(move |one| (*one, place)))
                .collect(),
        }
    }

    fn subject<'a>(
        &'a self,
        report: Report<'a>,
        (index, compile): (CompileIndex, &'a Compile),
        metrics: Option<&'a Fields<'a>>,
    ) -> ShownCompile<'a> {
        ShownCompile {
            report,
            index,
            compile,
            of: &self.by_compile,
            own: &self.own,
            chain: self.by_compile.of_frame(index),
            metrics,
            order: &self.order,
            reasons: &self.reasons,
            failure_entries: &self.failure_entries,
            findings: &self.findings,
            step: self.steps.get(&index).copied(),
            resumes: self.resumes.get(&index).copied(),
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
            let mut write = |metrics: Option<&Fields<'_>>| {
                write(shared.subject(report, (index, compile), metrics), worker, out)
            };
            match metrics::main_record(compile) {
                Some(record) => report.with_metrics(record, |fields| write(Some(fields)))?,
                None => write(None),
            }
        }));
    }
    pages
}

/// The files of the metrics records.
pub(crate) fn records(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let compiles = report.model.compiles.iter();
    let artifacts = compiles.flat_map(|compile| compile.artifacts.iter().map(move |it| (compile, it)));
    artifacts.filter_map(|(compile, artifact)| record::page(report, compile, artifact)).collect()
}

fn write(subject: ShownCompile<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut shell = Shell::of_compile(subject.report, subject.compile, None);
    if subject.report.found.export.compiles.contains(&subject.index) {
        shell.tabs.push(Tab::away(format!("../{}", paths::export(subject.report.settings)), "Export", None));
    }
    // One link; the page lists the other runs.
    let runs = inductor_runs::links(View::new(subject.report, worker, 1), subject.compile);
    shell.tabs.extend(runs.into_iter().take(1).map(|(href, _)| Tab::away(href, "Provenance", None)));
    if !has_long_table(subject.compile) {
        shell.assets = COMPILE_SHORT;
    }
    page::write_in(shell, subject.report, &blocks(subject)?, worker, out)
}

fn blocks<'m>(subject: ShownCompile<'m>) -> anyhow::Result<Vec<Block<'m>>> {
    let compile = subject.compile;
    let is_plain = is_plain(subject);
    let mut blocks = vec![match is_plain {
        true => plain_head(subject),
        false => Block::Drawn(Box::new(move |view, out| Ok(write_line(out, &head(view, subject)?)?))),
    }];
    blocks.extend(why::blocks(subject));
    let result = facts::of_result(subject);
    let result = (!result.is_empty() && !is_plain)
        .then(|| Section::new("result", "What came of it", vec![Block::Facts(result)]).without_tab());
    let stack = compile.stack.as_ref().map(|stack| {
        let draw = move |view: View<'_>, out: &mut dyn Write| Ok(write_line(out, &view.stack(stack))?);
        Section::new("stack", "Stack", vec![Block::Drawn(Box::new(draw))]).without_tab()
    });
    let time = times::section(subject).filter(|_| !is_plain);
    let sections = [time, result, stack].into_iter().flatten();
    let sections = sections.chain(added(compile).into_iter().map(|one| table_of(subject, one)));
    let sections = sections.chain(kernels::sections(subject)?);
    let sections = sections.chain(record::section(subject)).chain([files::section(subject)]);
    blocks.extend(sections.map(Block::Section));
    Ok(blocks)
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

fn plain_head<'m>(subject: ShownCompile<'m>) -> Block<'m> {
    let records = counted(subject.compile.records, "record was", "records were");
    let words = format!("{records} written outside of any compile, or by a tool that sets no compile id");
    let first = facts::started(subject).map(|at| Cell::Beside(vec!["; the first ".into(), at], ""));
    let note = [own(words)].into_iter().chain(first).chain([".".into()]).collect();
    Block::Verdict { sentence: "Records without a compile id".into(), notes: vec![Cell::Beside(note, "")] }
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
}

/// A button that copies the compile's id.
fn copy_id(compile: &Compile) -> Html {
    compile.id.as_ref().map_or_else(Html::default, |id| named_copy_button(&id.to_string(), "Copy id"))
}

fn head(view: View<'_>, subject: ShownCompile<'_>) -> anyhow::Result<Html> {
    let compile = subject.compile;
    let context = Head {
        pill: if compile.id.is_some() { view.plain_pill_beside(compile) } else { Html::default() },
        function: match view.function_name(compile) {
            Some(name) => view.title_of(name),
            None if compile.id.is_none() => Html::escaped("Records without a compile id"),
            None => Html::default(),
        },
        place: view.place_of(compile).unwrap_or_default(),
        torch: view.name_in_torch(compile),
        outcome: Html::joined([outcome::outcome(subject).into(), copy_id(compile)], " "),
        navigation: navigation::navigation(view, subject),
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
fn added(compile: &Compile) -> Vec<&Added> {
    let mut sections: Vec<&Added> = compile.sections.iter().collect();
    let rank = |section: &&Added| match section.id {
        "graph-sizes" => FIRST.len() + 1,
        id => FIRST.iter().position(|first| *first == id).unwrap_or(FIRST.len()),
    };
    sections.sort_by_key(rank);
    sections
}

/// The section of a table that events added.
fn table_of<'m>(subject: ShownCompile<'m>, table: &'m Added) -> Section<'m> {
    let compile = subject.compile;
    let count = match table.id {
        "guards" => subject.guards().and_then(|count| usize::try_from(count).ok()),
        "graph-sizes" => Some(compile.graph_sizes.len()),
        "input-tensors" => Some(compile.inputs.len()),
        _ => None,
    };
    let blocks = match table.id {
        "guards" => {
            vec![Block::Drawn(Box::new(move |view, out| guard_tree::write(view, subject, table, out)))]
        }
        "input-tensors" => inputs::blocks(subject.report, compile, table),
        "graph-sizes" => vec![Block::Drawn(Box::new(move |_, out| write_sizes(compile, out)))],
        _ => vec![Block::Table(rows_of(subject.report, table))],
    };
    let section = Section::new(table.id, &*table.title, blocks);
    let section = match table.id {
        // The note has their number and their time again.
        "guards" if count.is_some() => section.about("checked on every call"),
        "graph-sizes" => section.without_tab(),
        _ => section.about(&*table.note),
    };
    section.counted(count.unwrap_or(table.rows.len()))
}

/// More sizes than this are folded at first.
const MANY_SIZES: usize = 60;

/// The sizes of all values of the graph, in text columns: a large graph has thousands.
fn write_sizes(compile: &Compile, out: &mut dyn Write) -> anyhow::Result<()> {
    let count = compile.graph_sizes.len();
    let many = count > MANY_SIZES;
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
    Ok(())
}

#[cfg(test)]
mod tests;
