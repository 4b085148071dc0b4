//! Entries of the search index by kind: compiles, functions, places, breaks, recompiles, failures, rows of tables.

use crate::analysis::{Change, FunctionName};
use crate::limits::KEPT;
use crate::model::{Cell, Compile, CompileIndex, Failure, Function, GraphBreak, Reason, Restart, Section};
use crate::report::data;
use crate::report::kit::formats::{counted, short_path};
use crate::report::kit::links;
use crate::report::kit::search_index::{Fact, IndexWriter};
use crate::report::lists;
use crate::report::pages::search::parts::{joined, page_of, place, rows};
use crate::report::pages::search::topics;
use crate::report::subject::Report;
use crate::trace::{CompileId, OrderedMap};
use fxhash::FxHashMap;

/// The page on which breaks have anchors.
const BREAKS_PAGE: &str = "graph_breaks.html";

pub(crate) fn write(report: Report<'_>, index: &mut IndexWriter<'_>) -> anyhow::Result<()> {
    let model = report.model;
    index.group("Findings", topics::findings(report))?;
    index.group("Compilations", compiles(report).into_iter())?;
    index.group("Functions", functions(report))?;
    index.group("Kernels", topics::kernels(report)?)?;
    index.group("Measured kernels and operators", topics::measured(report))?;
    index.group("Graph breaks", breaks(report).into_iter())?;
    index.group("Recompilations", recompiles(report))?;
    index.group("Failures and restarts", failures(report).into_iter().chain(restarts(report)))?;
    index.group("Phases", topics::phases(report))?;
    index.group("Cache lookups", topics::caches(report).into_iter())?;
    index.group("Export", topics::export(report).into_iter())?;
    index.group("vLLM", topics::vllm(model).into_iter())?;
    index.group("Provenance", topics::provenance(report).into_iter())?;
    index.group("Places in the program", own_lines(report))?;
    Ok(index.group("Tables of compilations", tables(report).into_iter())?)
}

fn page_of_id(report: Report<'_>, id: Option<&CompileId>, anchor: &str, other: &str) -> String {
    report.model.compile(id).map_or_else(|| other.to_owned(), |compile| page_of(report, compile, anchor))
}

fn label(id: Option<&CompileId>) -> String {
    id.map_or_else(|| "no compile id".to_owned(), ToString::to_string)
}

fn compiles(report: Report<'_>) -> Vec<Fact> {
    let facts: Vec<_> = data::compiles(report).collect();
    let list = lists::compiles(facts.iter().collect());
    let rows = report.model.compiles.iter().zip(rows(&list, &["Compile", "Function", "Place"]));
    let named = rows.filter(|(compile, _)| compile.id.is_some());
    named.map(|(one, row)| compile(report, one, &row)).collect()
}

fn compile(report: Report<'_>, compile: &Compile, row: &str) -> Fact {
    let index = report.model.by_id.get(&compile.id);
    let name = index.and_then(|index| report.found.names.at(*index));
    let (title, call) = name.map_or_else(Default::default, called);
    let (raw, place) = compile.function.as_ref().map_or_else(Default::default, |f| raw(name, f));
    Fact {
        main: compile.label(),
        detail: joined(&[row, &title, &call, &raw, &place]),
        href: page_of(report, compile, ""),
    }
}

/// The function's name and the line of the program that calls it.
fn called(name: &FunctionName) -> (String, String) {
    let call = name.called.as_ref().map(|call| place(call.file.as_deref(), call.line));
    (name.plain(), call.unwrap_or_default())
}

/// Torch's name of a function if it differs, and where the function is defined.
fn raw(name: Option<&FunctionName>, function: &Function) -> (String, String) {
    let renamed = name.is_some_and(|name| name.plain() != function.name);
    let raw = if renamed { function.name.clone() } else { String::new() };
    (raw, place(function.file.as_deref(), function.line))
}

fn functions(report: Report<'_>) -> impl Iterator<Item = Fact> {
    let groups = report.found.functions.iter().enumerate();
    groups.filter_map(move |(index, group)| {
        let function = group.function.as_ref()?;
        let compiles = counted(group.compiles.len(), "compilation", "compilations");
        let name = report.found.names.shared(&group.compiles);
        let (title, call) = name.map_or_else(|| (function.name.clone(), String::new()), called);
        let (raw, place) = raw(name, function);
        Some(Fact {
            main: title,
            detail: joined(&[&compiles, &call, &raw, &place]),
            href: links::function(report, index),
        })
    })
}

fn breaks(report: Report<'_>) -> Vec<Fact> {
    let facts: Vec<_> = data::graph_breaks(report).collect();
    let list = lists::graph_breaks(facts.iter().collect());
    let rows = report.model.graph_breaks.iter().zip(rows(&list, &["Cause", "Place"])).enumerate();
    let fact = |(index, (one, row)): (usize, (&GraphBreak, String))| {
        let place = place(one.file.as_deref(), one.line);
        let [context, explanation] =
            [&one.context, &one.explanation].map(|text| text.as_deref().unwrap_or_default());
        Fact {
            main: facts.get(index).and_then(|fact| fact.title.as_deref()).unwrap_or(&one.reason).to_owned(),
            detail: joined(&[&place, &row, &one.reason, context, explanation, &one.hints.join(" · ")]),
            href: format!("{BREAKS_PAGE}#break-{}", index + 1),
        }
    };
    rows.map(fact).collect()
}

/// Failed guards, preceded by the expression whose value changed: `x.dtype`.
fn recompiles(report: Report<'_>) -> impl Iterator<Item = Fact> {
    let steps = report.found.chains.iter().flat_map(|chain| &chain.steps);
    // A step has the changes of all reasons of its compile, in the order of the log.
    let mut changes: FxHashMap<CompileIndex, _> =
        steps.map(|step| (step.compile, step.changes.iter())).collect();
    report.model.recompiles.iter().flat_map(move |one| {
        let index = report.model.by_id.get(&one.compile);
        let mut changes = index.and_then(|index| changes.get_mut(index));
        let id = label(one.compile.as_ref());
        let href = page_of_id(report, one.compile.as_ref(), "#recompilation", "recompilations.html");
        let fact = |reason: &Reason| {
            let change = changes.as_mut().and_then(|changes| changes.next());
            Fact { href: href.clone(), ..recompile(reason, change, &id) }
        };
        one.reasons.iter().map(fact).collect::<Vec<_>>()
    })
}

fn recompile(reason: &Reason, change: Option<&Change>, id: &str) -> Fact {
    let source = reason.source.as_ref();
    let place = source.map_or_else(String::new, |s| place(Some(&s.file), Some(s.line)));
    let code = source.map_or("", |s| s.code.as_str());
    let against = reason.against.as_deref().map_or_else(String::new, |id| format!("against {id}"));
    let guard = if reason.guard.is_empty() { &reason.text } else { &reason.guard };
    let guard = if guard.is_empty() { "no reason recorded" } else { guard };
    let hint = reason.hint.as_deref().unwrap_or_default();
    let main = match change.and_then(Change::subject) {
        Some(subject) => format!("{subject}: {guard}"),
        None => guard.to_owned(),
    };
    Fact { main, detail: joined(&[id, &against, code, &place, hint]), href: String::new() }
}

fn failures(report: Report<'_>) -> Vec<Fact> {
    let facts: Vec<_> = data::failures(report).collect();
    let list = lists::failures(facts.iter().collect());
    let fact = |(one, row): (&Failure, String)| Fact {
        main: one.error.clone(),
        detail: joined(&[
            &row,
            &place(one.file.as_deref(), one.line),
            one.reason.as_deref().unwrap_or_default().trim(),
        ]),
        href: page_of_id(report, one.compile.as_ref(), "#failures", "failures_and_restarts.html#failures"),
    };
    report.model.failures.iter().zip(rows(&list, &["Error", "Place", "Cause"])).map(fact).collect()
}

fn restarts(report: Report<'_>) -> Vec<Fact> {
    let facts: Vec<_> = data::restarts(report).collect();
    let list = lists::restarts(facts.iter().collect());
    let fact = |(one, row): (&Restart, String)| {
        let (first, rest) = one.reason.trim().split_once('\n').unwrap_or((one.reason.trim(), ""));
        let page = "failures_and_restarts.html#restarts";
        Fact {
            main: first.to_owned(),
            detail: joined(&[&row, "restart", rest.trim()]),
            href: page_of_id(report, one.compile.as_ref(), "#restarts", page),
        }
    };
    report.model.restarts.iter().zip(rows(&list, &["Reason"])).map(fact).collect()
}

/// Lines of the user's files of which the page of lines has more to tell.
fn own_lines(report: Report<'_>) -> impl Iterator<Item = Fact> {
    let lines =
        report.found.lines.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line)));
    let facts = lines.filter_map(move |(file, line)| {
        let href = links::source_line(report, &file.file, line.number)?;
        let code = line.code.as_deref().unwrap_or_default();
        Some(Fact {
            main: format!("{}:{}", short_path(&file.file), line.number),
            detail: joined(&[line.function.as_deref().unwrap_or_default(), code, &file.file]),
            href,
        })
    });
    facts.take(KEPT)
}

/// Rows of the tables that events added: symbols, guards on them, tensors, kernels. Guards are found as text.
fn tables(report: Report<'_>) -> Vec<Fact> {
    let mut rows: OrderedMap<(&str, String), (CompileIndex, usize)> = OrderedMap::default();
    for (index, compile) in report.model.compiles.indexed() {
        for section in compile.sections.iter().filter(|section| section.id != "guards") {
            let mut add = |text: String| rows.entry((section.id, text)).or_insert((index, 0)).1 += 1;
            section.rows.iter().for_each(|row| add(row_text(row)));
            if section.id == "input-tensors" {
                compile.inputs.iter().for_each(|input| add(row_text(&input.row())));
            }
            if section.id == "graph-sizes" {
                let sizes = compile.graph_sizes.iter();
                sizes.for_each(|one| add(joined(&[one.value.trim(), one.size.trim()])));
            }
        }
    }
    let facts = rows.into_iter().filter_map(|((id, text), (index, count))| {
        let compile = report.model.compiles.get(index)?;
        let section: &Section = compile.sections.iter().find(|section| section.id == id)?;
        let more = if count > 1 { counted(count, "row", "equal rows") } else { String::new() };
        let anchor = format!("#{id}");
        let detail = joined(&[&section.title, &compile.label(), &more]);
        (!text.is_empty()).then(|| Fact { main: text, detail, href: page_of(report, compile, &anchor) })
    });
    facts.collect()
}

fn row_text(row: &[Cell]) -> String {
    let texts = row.iter().map(|cell| match cell {
        Cell::Text(text) | Cell::Code(text) => text.clone(),
        Cell::Codes(texts) => texts.join(" "),
        Cell::Number(number, _) => number.to_string(),
        Cell::Link { text, url } => format!("{text} {url}"),
        Cell::Unknown | Cell::Compile(_) | Cell::Stack(_) => String::new(),
    });
    joined(
        &texts
            .map(|text| text.trim().to_owned())
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    )
}
