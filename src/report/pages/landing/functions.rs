//! The table of functions with their compiles: the costliest in the open, and all of them folded or on a page of their own.

use crate::analysis::{FunctionGroup, FunctionName, by_status, is_capture};
use crate::limits::{FIRST, NAMED, NAMED_BRIEFLY, SHORT_LIST, SHOWN};
use crate::model::{Compile, CompileIndex};
use crate::report::doc::page::{self, write_all};
use crate::report::doc::{Block, Cell, Filter, FoundRow, Listing, Others, Rows, Section, own, place};
use crate::report::kit::links::FUNCTIONS_ON_LANDING_PAGE;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::directory;
use crate::report::subject::ToSearch;
use indexmap::IndexMap;

/// Compiles that a row of a long table shows by id, so that it is one line.
const SHOWN_OF_MANY: usize = 2;

/// A function with its place in the order of the program.
struct Listed<'m> {
    index: usize,
    group: &'m FunctionGroup,
}

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    let count = report.found.functions.len();
    if count == 0 {
        return Ok(());
    }
    let counts =
        by_status(report.model.identified()).into_iter().map(|(word, n)| format!("{} {word}", whole(n)));
    let mut note = counts.collect::<Vec<_>>().join(" · ");
    let all = Block::Table(table(report, "functions", FUNCTIONS_ON_LANDING_PAGE));
    let mut blocks = Vec::new();
    // A few more rows than are in the open are not worth a fold.
    if count <= SHORT_LIST {
        blocks.push(all);
    } else {
        note.push_str("; costliest first");
        blocks.push(Block::Table(table(report, "costliest-functions", FIRST)));
        let shown = count.min(FUNCTIONS_ON_LANDING_PAGE);
        let of = if shown < count {
            format!("The first {} of {}", whole(shown), whole(count))
        } else {
            format!("All {}", whole(count))
        };
        blocks.push(Block::More { summary: own(format!("{of} functions")), blocks: vec![all] });
    }
    if count > FUNCTIONS_ON_LANDING_PAGE {
        let words = own(format!("All {} functions", whole(count)));
        blocks.push(Block::Paragraph(words.linked("functions.html")));
    }
    let section = Section::new("functions", "Functions", blocks).about(note).counted(count);
    write_all(&[Block::Section(section)], view, out)
}

/// All functions, for the search.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    to("Functions", &[table(report, "functions", usize::MAX)])
}

/// The page of all functions, where the landing page does not show them all.
pub(crate) fn page<'m>(report: Report<'m>) -> Option<Page<'m, Worker>> {
    let count = report.found.functions.len();
    let page = Page::rendered(RelPath::of_parts(&["functions.html"]), move |worker, out| {
        let sentence = format!("{}, costliest first.", counted(count, "function", "functions"));
        let verdict = Block::Verdict { sentence: own(sentence), notes: Vec::new() };
        page::write(
            report,
            "Functions",
            &[verdict, Block::List(table(report, "functions", count))],
            worker,
            out,
        )
    });
    (count > FUNCTIONS_ON_LANDING_PAGE).then_some(page)
}

/// The first functions. A short list keeps the order of the program; of a long one only the costliest are read.
fn order(report: Report<'_>, most: usize) -> Vec<Listed<'_>> {
    let all = report.found.functions.iter().enumerate();
    let mut order: Vec<_> = all.map(|(index, group)| Listed { index, group }).collect();
    if order.len() > SHORT_LIST {
        order.sort_by(|a, b| b.group.us.unwrap_or(0.0).total_cmp(&a.group.us.unwrap_or(0.0)));
    }
    order.truncate(most);
    order
}

/// The functions of the log, of which the first `most` are shown; rows have anchors in the list of all.
fn table<'m>(report: Report<'m>, id: &'static str, most: usize) -> Listing<'m> {
    let found = report.found;
    let (is_all, is_long) = (id == "functions", found.functions.len() > SHOWN);
    let order = order(report, if is_all { usize::MAX } else { most });
    let compiles = move |one: &Listed<'m>| -> Vec<&'m Compile> {
        one.group.compiles.iter().filter_map(|index| report.model.compiles.get(*index)).collect()
    };
    let trials_us =
        |group: &FunctionGroup| group.compiles.iter().map(|index| found.builds.trial_us(*index)).sum();
    let first = |one: &Listed<'m>| one.group.compiles.first().copied().unwrap_or_default();
    let rows = Rows::of(order)
        .compile("Compiles", move |one| {
            let most = if is_long { SHOWN_OF_MANY } else { NAMED };
            let some = Cell::SomeCompiles { compiles: compiles(one), most, beside_names: true };
            // A long table has one line per row.
            let some = if is_long { some.class("nowrap") } else { some };
            some.sorted(first(one).place() as f64)
        })
        .text("Function", move |one| name(report, one.group, &compiles(one)))
        .mono()
        .text("Your line", move |one| your_line(report, one.group))
        .explained("where it is defined, or where your code calls it if a library defines it")
        .number("Ops", move |one| range(&compiles(one), |c| c.outcome()?.graph_op_count))
        .explained("operators in the graph")
        .number("Guards", move |one| range(&compiles(one), |c| c.outcome()?.guard_count))
        .explained("conditions checked on every call")
        .number("Time", |one| Cell::figure(one.group.us, micros))
        .unsorted("Parts, share of its time", move |one| match one.group.parts.total() {
            us if us > 0.0 => Cell::Parts { times: one.group.parts, once_us: trials_us(one.group) },
            _ => Cell::Unknown,
        })
        .text("Cache", move |one| cache_words(report, one.group))
        .number("Files", move |one| {
            let files: usize = compiles(one).iter().map(|c| c.artifacts.len()).sum();
            own(whole(files)).linked(directory::href(report, first(one))).sorted(files as f64)
        })
        .found(move |_, one| found_as(report, one))
        .about("all functions, costliest first")
        .first(most, Others::Elsewhere("are on the page of all functions"));
    if !is_all {
        return rows.listing(id, "Costliest functions", "");
    }
    let rows = rows.anchored(|_, one| Some(format!("function-{}", one.index + 1)));
    // A short table is neither sorted nor filtered.
    if found.functions.len() <= SHORT_LIST {
        return rows.listing(id, "Functions", "");
    }
    let words = by_status(report.model.identified()).into_iter().map(|(word, _)| (word, word)).collect();
    let filter = Filter { hint: "Filter by name, file or id", words };
    let statuses = move |one: &Listed<'m>| {
        let mut statuses: Vec<&str> = compiles(one).iter().map(|c| c.status.word()).collect();
        statuses.dedup();
        statuses.join(" ").into()
    };
    rows.filtered(filter, statuses).narrowed_from(SHORT_LIST).listing(id, "Functions", "")
}

/// How the search finds a function: by its names, and by its file.
fn found_as<'m>(report: Report<'m>, one: &Listed<'m>) -> FoundRow<'m> {
    let function = one.group.function.as_ref();
    let own = function.map_or("", |function| function.name.as_str());
    let file = function.and_then(|function| function.file.as_deref()).unwrap_or_default();
    let name = report.found.names.shared(&one.group.compiles);
    let called = name.map_or_else(|| own.to_owned(), FunctionName::plain);
    FoundRow::at(called, links::function(report, one.index)).more([own, file])
}

/// The name of a function as the user knows it; only torch's name if its compiles have different ones.
fn name<'m>(report: Report<'m>, group: &'m FunctionGroup, compiles: &[&'m Compile]) -> Cell<'m> {
    let names = &report.found.names;
    let is_named = |index: &&CompileIndex| names.at(**index).is_some();
    let named = group.compiles.iter().find(is_named).and_then(|index| report.model.compiles.get(*index));
    let shared = names.shared(&group.compiles).and(named);
    match (&group.function, shared) {
        (Some(_), Some(compile)) => Cell::FunctionOf(compile),
        (Some(function), None) => Cell::Function((&*function.name).into()),
        (None, _) if compiles.first().is_some_and(|c| is_capture(c)) => {
            Cell::from("backward pass, captured").class("soft")
        }
        (None, _) => Cell::Unknown,
    }
}

fn your_line<'m>(report: Report<'m>, group: &'m FunctionGroup) -> Cell<'m> {
    let called = report.call_of_all(&group.compiles).map(|call| (call.file.as_deref(), call.line));
    let defined = || group.function.as_ref().map(|f| (f.file.as_deref(), f.line));
    let (file, line) = called.or_else(defined).unwrap_or_default();
    place(file, line.and_then(|line| line.try_into().ok())).class("soft")
}

/// `10`, `10, 12` or `8–31`, sorted by their sum.
fn range<'m>(compiles: &[&Compile], of: fn(&Compile) -> Option<u64>) -> Cell<'m> {
    let values: Vec<u64> = compiles.iter().filter_map(|c| of(c)).collect();
    let sum = values.iter().fold(0u64, |sum, v| sum.saturating_add(*v));
    let (low, high) = (values.iter().min(), values.iter().max());
    let shown = match (low, high) {
        (Some(low), Some(high)) if low == high => whole(*low),
        (Some(low), Some(high)) if values.len() > NAMED_BRIEFLY => {
            format!("{}–{}", whole(*low), whole(*high))
        }
        (Some(_), Some(_)) => values.iter().map(|v| whole(*v)).collect::<Vec<_>>().join(", "),
        _ => return Cell::Unknown,
    };
    Cell::Figure { value: sum as f64, shown }
}

/// What the caches answered for the compiles of a function: `miss`, `miss, hit`, `3 miss, 5 hit`.
fn cache_words<'m>(report: Report<'m>, group: &FunctionGroup) -> Cell<'m> {
    let answers = group.compiles.iter().filter_map(|i| report.found.cache.get(i));
    let answers: Vec<&'static str> = answers.map(|outcome| outcome.word()).collect();
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for answer in &answers {
        *counts.entry(answer).or_default() += 1;
    }
    match (answers.as_slice(), counts.len()) {
        ([], _) => Cell::Unknown,
        ([first, ..], 1) => (*first).into(),
        (some, _) if some.len() <= NAMED_BRIEFLY => own(some.join(", ")),
        _ => own(counts.iter().map(|(word, n)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")),
    }
}
