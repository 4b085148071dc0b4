//! The table of functions with their compiles.

use crate::analysis::{FunctionGroup, by_status, is_capture};
use crate::limits::{NAMED, NAMED_BRIEFLY, SHOWN};
use crate::model::Compile;
use crate::report::kit::links::FUNCTIONS_ON_LANDING_PAGE;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::directory;
use crate::trace::TextSet;
use indexmap::IndexMap;

/// Compiles that a row of a long table shows by id, so that it is one line.
const SHOWN_OF_MANY: usize = 2;

const TABLE: &str = "functions-table";

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let groups = &view.report.found.functions;
    if groups.is_empty() {
        return Ok(());
    }
    let compiles = view.report.model.identified();
    let counts = by_status(compiles).into_iter().map(|(word, n)| format!("{} {word}", whole(n)));
    let mut note = counts.collect::<Vec<_>>().join(" · ");
    if groups.len() > SHOWN {
        note.push_str("; costliest first");
    }
    if groups.len() > FUNCTIONS_ON_LANDING_PAGE {
        note.push_str(&format!("; {FUNCTIONS_ON_LANDING_PAGE} of {}", whole(groups.len())));
    }
    let head = ("functions", "Functions", note.as_str());
    view.open_section(out, head, Some(whole(groups.len())), filters(view)?)?;
    table(view, out, FUNCTIONS_ON_LANDING_PAGE)?;
    if groups.len() > FUNCTIONS_ON_LANDING_PAGE {
        let link = view.link("functions.html", &format!("All {} functions", whole(groups.len())));
        paragraph_below(out, link)?;
    }
    Ok(close_section(out)?)
}

/// The page of all functions, where the landing page does not show them all.
pub(crate) fn page<'m>(report: Report<'m>) -> Option<Page<'m, Worker>> {
    let count = report.found.functions.len();
    let page = Page::rendered(RelPath::of_parts(&["functions.html"]), move |worker, out| {
        let mut shell = Shell::top(report, "Functions");
        shell.tabs = vec![Tab::section("functions", "Functions", Some(whole(count)))];
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            let sentence = format!("{}, costliest first.", counted(count, "function", "functions"));
            write_line(out, &view.verdict(sentence.into(), Vec::new())?)?;
            let note = "all functions, costliest first";
            view.open_section(out, ("functions", "Functions", note), Some(whole(count)), filters(view)?)?;
            table(view, out, count)?;
            Ok(close_section(out)?)
        })
    });
    (count > FUNCTIONS_ON_LANDING_PAGE).then_some(page)
}

#[derive(serde::Serialize)]
struct Filters {
    table: &'static str,
    statuses: Vec<StatusCount>,
}

/// Rows from which on the table can be sorted and filtered: fewer than elsewhere, as people search it for their function.
const NARROWED: usize = 12;

#[derive(serde::Serialize)]
struct StatusCount {
    word: &'static str,
    count: String,
}

/// Controls that filter the table; a short one needs none.
fn filters(view: View<'_>) -> anyhow::Result<Html> {
    if view.report.found.functions.len() < NARROWED {
        return Ok(Html::default());
    }
    let counts = by_status(view.report.model.identified());
    let statuses = counts.into_iter().map(|(word, n)| StatusCount { word, count: whole(n) }).collect();
    view.render("filters", &Filters { table: TABLE, statuses })
}

fn table(view: View<'_>, out: &mut dyn Write, most: usize) -> anyhow::Result<()> {
    let found = view.report.found;
    let mut order: Vec<(usize, &FunctionGroup)> = found.functions.iter().enumerate().collect();
    // A short table keeps the order of the program; in a long one only the costliest functions are read.
    if order.len() > SHOWN {
        order.sort_by(|a, b| b.1.us.unwrap_or(0.0).total_cmp(&a.1.us.unwrap_or(0.0)));
    }
    let metrics = || {
        let compiles = found.functions.iter().flat_map(|g| view.compiles(&g.compiles));
        compiles.filter_map(Compile::outcome)
    };
    let columns = vec![
        TableColumn::compiles("Compiles"),
        TableColumn::text("Function").mono(),
        TableColumn::text("Your line")
            .about("where it is defined, or where your code calls it if a library defines it")
            .soft()
            .absent_if(!found.functions.iter().any(|g| g.function.is_some())),
        TableColumn::number("Attempts").about("each restart of Dynamo adds an attempt"),
        TableColumn::number("Ops")
            .about("operators in the graph")
            .absent_if(!metrics().any(|m| m.graph_op_count.is_some())),
        TableColumn::number("Guards")
            .about("conditions checked on every call")
            .absent_if(!metrics().any(|m| m.guard_count.is_some())),
        TableColumn::number("Time").absent_if(!found.functions.iter().any(|g| g.us.is_some())),
        TableColumn::number("Share")
            .about("of the time of all compiles")
            .absent_if(!found.functions.iter().any(|g| g.us.is_some())),
        TableColumn::unsorted("Parts, share of its time")
            .absent_if(!found.functions.iter().any(|g| g.parts.total() > 0.0)),
        TableColumn::text("Cache").absent_if(found.cache.is_empty()),
        TableColumn::number("Files"),
    ];
    let total: f64 = found.functions.iter().filter_map(|g| g.us).sum();
    let table = Table { id: TABLE, label: "Functions", columns };
    let listed = order.iter().take(most);
    let shown = if order.len() > SHOWN { SHOWN_OF_MANY } else { NAMED };
    let mut named = TextSet::default();
    let rows = listed.map(|(index, group)| {
        let called = view.call_of_all(&group.compiles).map(|call| (call.file.as_deref(), call.line));
        let defined = || group.function.as_ref().map(|f| (f.file.as_deref(), f.line));
        let place = called.or_else(defined).map(|(file, line)| view.place_once(&mut named, file, line));
        row(view, (*index, group), place, Totals { us: total, shown })
    });
    view.table_sorted_from(out, (&table, NARROWED), rows)
}

/// What all rows of the table share.
#[derive(Clone, Copy)]
struct Totals {
    /// Microseconds of all functions.
    us: f64,
    /// Compiles that a row shows.
    shown: usize,
}

fn row(view: View<'_>, (index, group): (usize, &FunctionGroup), place: Option<Html>, totals: Totals) -> Row {
    let compiles = view.compiles(&group.compiles);
    let values = |of: fn(&Compile) -> Option<u64>| {
        let known: Vec<u64> = compiles.iter().filter_map(|c| of(c)).collect();
        range(&known)
    };
    let name = match &group.function {
        Some(function) => view.named_together(&group.compiles, function),
        None if compiles.first().is_some_and(|c| is_capture(c)) => soft("backward pass, captured"),
        None => UNKNOWN.into(),
    };
    let trial_us = group.compiles.iter().map(|index| view.report.found.builds.trial_us(*index)).sum();
    let files: usize = compiles.iter().map(|c| c.artifacts.len()).sum();
    let first = group.compiles.first().copied().unwrap_or_default();
    let files_link = view.link(&directory::href(view.report, first), &whole(files));
    let pills = TableCell::html(view.some_pills_beside(&compiles, totals.shown));
    // A long table has one line per row.
    let pills = if totals.shown == SHOWN_OF_MANY { pills.class("nowrap") } else { pills };
    let cells = vec![
        pills.sorted(first),
        TableCell::html(name),
        TableCell::html(place.unwrap_or_else(|| UNKNOWN.into())),
        values(|c| Some(c.attempts.len() as u64)),
        values(|c| c.outcome().and_then(|m| m.graph_op_count)),
        values(|c| c.outcome().and_then(|m| m.guard_count)),
        TableCell::maybe(group.us, micros),
        TableCell::maybe(group.us, |us| percent(us, totals.us, true)),
        TableCell::html(view.bar_with_once(&group.parts, trial_us, false)),
        TableCell::text(&cache_words(view, group)),
        TableCell::html(files_link).class("num"),
    ];
    let mut statuses: Vec<&str> = compiles.iter().map(|c| c.status.word()).collect();
    statuses.dedup();
    let row = Row::of(cells).anchored(format!("function-{}", index + 1));
    row.selected_by(statuses.join(" "))
}

/// `10`, `10, 12` or `8–31`, sorted by their sum.
fn range(values: &[u64]) -> TableCell {
    let sum = values.iter().fold(0u64, |sum, v| sum.saturating_add(*v));
    let (low, high) = (values.iter().min(), values.iter().max());
    let text = match (low, high) {
        (Some(low), Some(high)) if low == high => whole(*low),
        (Some(low), Some(high)) if values.len() > NAMED_BRIEFLY => {
            format!("{}–{}", whole(*low), whole(*high))
        }
        (Some(_), Some(_)) => values.iter().map(|v| whole(*v)).collect::<Vec<_>>().join(", "),
        _ => return TableCell::maybe(None, micros),
    };
    TableCell::number(sum as f64, &text)
}

/// What the caches answered for the compiles of a function: `miss`, `miss, hit`, `3 miss, 5 hit`.
fn cache_words(view: View<'_>, group: &FunctionGroup) -> String {
    let answers = group.compiles.iter().filter_map(|i| view.report.found.cache.get(i));
    let answers: Vec<&str> = answers.map(|outcome| outcome.word()).collect();
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for answer in &answers {
        *counts.entry(answer).or_default() += 1;
    }
    match (answers.as_slice(), counts.len()) {
        ([], _) => UNKNOWN.to_owned(),
        ([first, ..], 1) => (*first).to_owned(),
        (some, _) if some.len() <= NAMED_BRIEFLY => some.join(", "),
        _ => counts.iter().map(|(word, n)| format!("{n} {word}")).collect::<Vec<_>>().join(", "),
    }
}
