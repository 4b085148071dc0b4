//! `recompilations.html`: each function that was compiled more than once, what changed each time, and what to do.

mod evidence;
mod function;
mod guards;
mod steps;
mod tensors;

use crate::analysis::findings::{EntryKey, Finding, by_entry};
use crate::analysis::{Chain, recompile_limit};
use crate::limits::{FIRST, LABEL, LISTED, LONG_LIST, LONG_TABLE, READ_TOGETHER};
use crate::output::{Page, RelPath};
use crate::report::doc::{
    Block, Card, Cell, Fact, Listing, Others, Rows, Section, cost_of_card, log, micros as us, own, page,
    place, place_of_card,
};
use crate::report::kit::formats::{and_more, clipped, counted, micros, whole};
use crate::report::kit::links;
use crate::report::kit::templates::Worker;
use crate::report::pages::recompilations::function::{Recompiled, Room};
use crate::report::subject::Report;

/// Whether any function was recompiled.
pub(crate) fn present(report: Report<'_>) -> bool {
    !report.found.chains.is_empty()
}

/// The number of recompilations.
pub(crate) fn count(report: Report<'_>) -> usize {
    report.found.chains.iter().map(Chain::recompiles).sum()
}

pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::RECOMPILATIONS]), move |worker, out| {
        let (functions, room) = (functions(report), Room::new(READ_TOGETHER));
        page::write(report, "Recompilations", &blocks(report, &functions, &room), worker, out)
    })
}

/// The functions: those at the limit first, then by the seconds that were lost, and what is expected last.
fn functions(report: Report<'_>) -> Vec<Recompiled<'_>> {
    let usual = recompile_limit(report.model);
    let findings = by_entry(&report.found.findings);
    let functions = report.found.chains.iter().enumerate().filter_map(|(place, chain)| {
        let first = report.model.compiles.get(chain.steps.first()?.compile)?;
        Some(Recompiled {
            chain,
            anchor: links::recompilations_anchor(first),
            limit: chain.limit_of(usual),
            finding: findings.get(&EntryKey::Chain(place)).copied(),
        })
    });
    let mut functions: Vec<_> = functions.collect();
    let lost = |one: &Recompiled<'_>| one.finding.map_or(0.0, Finding::lost_us);
    functions.sort_by(|a, b| {
        let limit = b.chain.limit_hit().cmp(&a.chain.limit_hit());
        limit.then(lost(b).total_cmp(&lost(a))).then(a.chain.is_expected().cmp(&b.chain.is_expected()))
    });
    functions
}

fn blocks<'m>(report: Report<'m>, functions: &'m [Recompiled<'m>], room: &'m Room) -> Vec<Block<'m>> {
    // As many as a page has room for; the others have a row.
    let mut rows = 0;
    let fits = |one: &&Recompiled<'_>| {
        rows += one.chain.steps.len().min(LONG_LIST);
        rows <= LISTED
    };
    let (cards, rest) = functions.split_at(functions.iter().take_while(fits).count().max(1));
    let cards = cards.iter().map(|one| card(report, one, room)).collect();
    let mut list = vec![Block::Cards { id: "recompiled", cards }];
    list.extend((!rest.is_empty()).then(|| Block::Table(further(report, rest))));
    let section = Section::new("all", "Functions compiled again", list)
        .about("those at the limit first, then by seconds")
        .counted(functions.len());
    vec![verdict(functions), Block::Section(section)]
}

fn verdict<'m>(functions: &[Recompiled<'_>]) -> Block<'m> {
    let count: usize = functions.iter().map(|one| one.chain.recompiles()).sum();
    let time = functions.iter().filter_map(|one| one.chain.us).reduce(|a, b| a + b);
    let time = time.map(|us| format!(" took {}", micros(us))).unwrap_or_default();
    let mut pieces = vec![own(format!(
        "{} of {}{time}.",
        counted(count, "recompilation", "recompilations"),
        counted(functions.len(), "function", "functions"),
    ))];
    let over: Vec<_> = functions.iter().filter(|one| one.chain.limit_hit()).collect();
    if let Some(first) = over.first() {
        let reached = own(counted(over.len(), "function", "functions")).class("err");
        let limit = format!(
            "reached the limit of {}: calls that fit no compiled version run in eager mode, or fail under `fullgraph=True`.",
            whole(first.limit)
        );
        let reached = reached.linked(format!("#{}", first.anchor));
        pieces.push(Cell::Beside(vec!["".into(), reached, Cell::Prose(limit.into())], " "));
    }
    let note = "A function is compiled again when a call fails a guard of each version that there is. Each line \
                shows the guard that failed, the value that the version was compiled for, and the new value.";
    Block::Verdict { sentence: Cell::Beside(pieces, ""), notes: vec![note.into()] }
}

fn card<'m>(report: Report<'m>, one: &'m Recompiled<'m>, room: &'m Room) -> Card<'m> {
    let chain = one.chain;
    let (file, line) = place_of(report, chain);
    let mut title = vec![name(report, chain)];
    title.extend(changed(chain).map(|changed| Cell::Beside(vec![": ".into(), changed], "")));
    let mut body: Vec<Block<'m>> = chain.advice.iter().map(Block::Advice).collect();
    body.push(Block::Table(steps::table(report, one)));
    body.push(Block::Facts(facts(report, chain)));
    body.extend(evidence::of_chain(chain, room));
    let compiles = chain.steps.iter().filter_map(|step| report.model.compiles.get(step.compile)).collect();
    Card {
        id: one.anchor.clone(),
        kind: if chain.limit_hit() { "Limit reached" } else { "Recompile" },
        class: match (chain.limit_hit(), chain.is_expected()) {
            (true, _) => "error",
            (false, true) => "soft",
            (false, false) => "warning",
        },
        title: Cell::Beside(title, ""),
        below: place_of_card(file, line),
        compiles,
        cost: match one.finding {
            Some(finding) => cost_of_card(finding.cost.as_ref()),
            None => chain.us.map(micros).unwrap_or_default(),
        },
        count: format!("{} of {} versions", whole(chain.cached_versions()), whole(one.limit)),
        body,
    }
}

/// The function's name: as its user knows it if that is the same for all its compiles.
fn name<'m>(report: Report<'m>, chain: &'m Chain<'m>) -> Cell<'m> {
    let first = || report.model.compiles.get(chain.steps.first()?.compile);
    match (report.found.names.shared(&chain.compiles()).and_then(|_| first()), chain.function) {
        (Some(first), _) => Cell::FunctionOf(first),
        (None, Some(function)) => Cell::Function(function.name.as_str().into()),
        (None, None) => "a function that the log does not name".into(),
    }
}

/// Where the function is called, if it is a library's, else where it begins.
fn place_of<'m>(report: Report<'m>, chain: &'m Chain<'m>) -> (Option<&'m str>, Option<u64>) {
    let names = chain.steps.iter().filter_map(|step| report.found.names.at(step.compile));
    let mut called = names.map(|name| name.called.as_ref());
    match (called.next().flatten(), chain.function) {
        (Some(first), _) if called.all(|one| one == Some(first)) => (first.file.as_deref(), first.line),
        (_, Some(function)) => (function.file.as_deref(), function.line),
        (_, None) => (None, None),
    }
}

fn facts<'m>(report: Report<'m>, chain: &'m Chain<'m>) -> Vec<Fact<'m>> {
    let line = |line: Option<u64>| line.and_then(|line| line.try_into().ok());
    let (file, at) = place_of(report, chain);
    let mut facts = vec![Fact::new("Where", place(file, line(at)))];
    let mut sources = chain.steps.iter().flat_map(|step| &step.reasons).filter_map(|one| one.source.as_ref());
    facts.extend(sources.next().map(|source| {
        let from =
            vec![place(Some(&source.file), line(Some(source.line))), Cell::Code(source.code.as_str().into())];
        Fact::new("Guard from", Cell::Beside(from, " "))
    }));
    facts
}

/// What changed, with its values in order: `size x.shape[1] 4 → 6 → 10`.
fn changed<'m>(chain: &'m Chain<'m>) -> Option<Cell<'m>> {
    let (kind, subject) = chain.lead.as_ref()?;
    let mut pieces = vec![own(kind.word().to_owned())];
    pieces.extend(subject.as_deref().map(|subject| Cell::Code(subject.into())));
    if !chain.values.is_empty() {
        let mut values: Vec<_> =
            chain.values.iter().take(FIRST).map(|value| log(clipped(value, LABEL).0)).collect();
        let more = and_more(chain.values.len(), FIRST);
        values.extend((!more.is_empty()).then(|| own(more.trim_start().to_owned())));
        pieces.push(Cell::Beside(values, " → "));
    }
    Some(Cell::Beside(pieces, " "))
}

/// The functions without an entry.
fn further<'m>(report: Report<'m>, rest: &'m [Recompiled<'m>]) -> Listing<'m> {
    Rows::of(rest.iter().collect::<Vec<&'m Recompiled<'m>>>())
        .text("Function", move |one| name(report, one.chain))
        .text("Place", move |one| {
            let (file, line) = place_of(report, one.chain);
            place(file, line.and_then(|line| line.try_into().ok()))
        })
        .number("Compiles", |one| one.chain.steps.len().into())
        .text("What changed", |one| Cell::maybe(changed(one.chain), |changed| changed))
        .number("Time of recompiles", |one| us(one.chain.us))
        .anchored(|_, one| Some(one.anchor.clone()))
        .first(LONG_TABLE, Others::InFacts("functions"))
        .listing("further", "Further functions", "")
}
