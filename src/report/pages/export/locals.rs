//! Locals and symbols at the line of a decision, from its record.

use crate::analysis::symbols_in;
use crate::model::{Argument, ExportProblem, Fields, Symbol};
use crate::report::kit::formats::{UNKNOWN, clipped, range, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close, open_part, soft_paragraph, span, stacked};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::View;
use indexmap::IndexSet;
use serde_json::value::RawValue;
use std::io::Write;

/// Most locals listed; a line rarely has more than ten.
const MOST_LOCALS: usize = 200;

/// Characters of a local's value; a tensor takes a hundred.
const LONGEST_VALUE: usize = 4_000;

/// Fields of the record besides the expression.
#[derive(Default)]
pub(crate) struct Details {
    /// The line's text.
    pub(crate) loc: Option<String>,
    locals: Vec<(String, String)>,
    left_out: usize,
    sources: Vec<(String, String)>,
}

impl Details {
    /// Reads the record again.
    pub(crate) fn of(view: View<'_>, problem: &ExportProblem) -> anyhow::Result<Details> {
        if problem.kind.of_operator() {
            return Ok(Details::default());
        }
        view.report.with_fields(problem.header, problem.first_line, read)
    }
}

fn read(fields: &Fields<'_>) -> Details {
    let mut details = Details::default();
    let frame: Fields<'_> = fields.get("frame_locals").unwrap_or_default();
    details.loc = frame.text("loc");
    let locals: Fields<'_> = frame.get("locals").unwrap_or_default();
    let all = locals.iter();
    let shown = all.map(|(name, value)| (name.to_owned(), value_of(value)));
    details.locals = shown.take(MOST_LOCALS).collect();
    details.left_out = locals.iter().count().saturating_sub(MOST_LOCALS);
    for place in [fields.get::<Fields<'_>>("symbol_to_sources"), frame.get("symbols")] {
        for (name, source) in place.unwrap_or_default().iter().take(MOST_LOCALS) {
            if details.sources.iter().all(|(known, _)| known != name) {
                details.sources.push((name.to_owned(), value_of(source)));
            }
        }
    }
    details
}

/// A value as torch writes it: text up to 2.7, since then a list of texts or null.
fn value_of(value: &RawValue) -> String {
    let json = value.get();
    let text = if let Ok(text) = serde_json::from_str::<String>(json) {
        text
    } else if let Ok(list) = serde_json::from_str::<Vec<Option<String>>>(json) {
        let items = list.into_iter().map(|item| item.unwrap_or_else(|| "not recorded".to_owned()));
        items.collect::<Vec<_>>().join("\n")
    } else if json == "null" {
        "not recorded".to_owned()
    } else {
        json.to_owned()
    };
    match clipped(&text, LONGEST_VALUE) {
        (start, true) => format!("{start} … {} characters in all", whole(text.chars().count())),
        _ => text,
    }
}

/// Locals and symbols as tables; `id` makes their anchors unique on the page.
pub(crate) fn write(
    view: View<'_>,
    (problem, details): (&ExportProblem, &Details),
    id: &str,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if !problem.kind.of_operator() {
        open_part(out, "Locals at this line")?;
        write_locals(view, details, id, out)?;
        close(out, "div")?;
    }
    let symbols = symbols(problem, details);
    if !symbols.is_empty() {
        open_part(out, "Symbols")?;
        write_symbols(view, (problem, details), (&symbols, id), out)?;
        close(out, "div")?;
    }
    Ok(())
}

fn write_locals(view: View<'_>, details: &Details, id: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    if details.locals.is_empty() {
        soft_paragraph(out, Html::escaped("The record has no locals."))?;
        return Ok(());
    }
    let id = format!("locals-{id}");
    let columns = vec![TableColumn::text("Name"), TableColumn::unsorted("Value")];
    let table = Table { id: &id, label: "Locals", columns };
    let rows = details.locals.iter().map(|(name, value)| {
        let lines = value.lines().map(|line| view.folded(line, true));
        Row::of(vec![TableCell::text(name).class("mono"), TableCell::html(stacked(lines))])
    });
    view.table(out, &table, rows)?;
    view.left_out(out, details.locals.len() + details.left_out, MOST_LOCALS, "locals are in the record")
}

/// Names of the symbols in the expression and its parts, and of those with a recorded source.
fn symbols(problem: &ExportProblem, details: &Details) -> Vec<String> {
    let mut names: IndexSet<String> = IndexSet::new();
    let mut add = |name: &str| {
        if names.len() < MOST_LOCALS && !names.contains(name) {
            names.insert(name.to_owned());
        }
    };
    if !problem.kind.of_operator() {
        symbols_in(&problem.subject).into_iter().for_each(&mut add);
    }
    for part in problem.expression.iter().flat_map(|expression| &expression.parts) {
        for argument in &part.arguments {
            if let Argument::Leaf(text) = argument {
                symbols_in(text).into_iter().for_each(&mut add);
            }
        }
    }
    details.sources.iter().for_each(|(name, _)| add(name));
    names.into_iter().collect()
}

fn write_symbols(
    view: View<'_>,
    (problem, details): (&ExportProblem, &Details),
    (names, id): (&[String], &str),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (model, export) = (view.report.model, &view.report.found.export);
    let facts = export.program(model, problem).and_then(|program| program.facts.as_ref());
    let known: Vec<(&String, Option<&Symbol>)> =
        names.iter().map(|name| (name, export.symbol(model, problem.compile, name))).collect();
    let source = |name: &str, symbol: Option<&Symbol>| {
        let told = details.sources.iter().find(|(known, _)| known == name).map(|(_, source)| source.clone());
        told.or_else(|| symbol?.source.clone())
    };
    let in_program = |name: &str| Some(facts?.ranges.iter().find(|(known, _)| known == name)?.1.as_str());
    let sourced = known.iter().any(|(name, symbol)| source(name, *symbol).is_some());
    let mut columns = vec![TableColumn::text("Symbol")];
    columns.extend(sourced.then(|| TableColumn::text("Source")));
    let made = known.iter().any(|(_, symbol)| made_by(view, *symbol).is_some());
    columns.extend(made.then(|| TableColumn::unsorted("Made by")));
    columns.extend(["Range when made", "Range in the program"].map(TableColumn::unsorted));
    let id = format!("symbols-{id}");
    let table = Table { id: &id, label: "Symbols", columns };
    let unknown = || Html::escaped(UNKNOWN);
    let rows = known.iter().map(|(name, symbol)| {
        let code =
            |text: Option<&str>| TableCell::html(text.map_or_else(unknown, |text| view.code(&range(text))));
        let told = source(name, *symbol).map_or_else(unknown, |text| view.folded(&text, true));
        let mut cells = vec![TableCell::text(name).class("mono")];
        cells.extend(sourced.then(|| TableCell::html(told)));
        cells.extend(made.then(|| TableCell::html(made_by(view, *symbol).unwrap_or_else(unknown))));
        cells.extend([code(symbol.and_then(|s| s.range.as_deref())), code(in_program(name))]);
        Row::of(cells)
    });
    view.table(out, &table, rows)
}

/// The user's line that created a symbol.
fn made_by(view: View<'_>, symbol: Option<&Symbol>) -> Option<Html> {
    let stack = symbol?.user_stack.as_ref()?;
    let frame = stack.get(view.innermost_own(stack)?)?;
    let place = view.place(Some(view.file(frame)), frame.line);
    let code = frame.loc.as_deref().map(|loc| view.code(loc)).unwrap_or_default();
    Some(Html::joined([code, span("soft beside", &place)], " "))
}
