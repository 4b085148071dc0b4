//! A matrix of facts and ranks: what is equal, what differs and where, and what cannot be compared.

use super::fact_words::{lacking, reason};
use super::view::JobView;
use crate::analysis::job::{
    Compared, Comparison, Membership, NamedFunction, Unknown, is_tied, is_wait, memberships, rank_words,
};
use crate::facts::ranks::{Aspect, FactValue, Step};
use crate::limits::{CELL, NAMED, SHORT_LIST};
use crate::model::words::shortened;
use crate::read::fx_graph::short_operation;
use crate::report::doc::{Cell, Rows, html, log, own};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, close_section, heading, note_below, write_line};
use indexmap::IndexMap;
use std::io::Write;

pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = view.report.found;
    let known: Vec<&Comparison> = found.compared.iter().filter_map(|one| one.outcome.as_ref().ok()).collect();
    let differing = known.iter().filter(|one| one.differs()).count();
    let note = match differing {
        0 => "all are consistent".to_owned(),
        1 => "1 differs; ranks with equal facts share a column".to_owned(),
        count => format!("{} differ; ranks with equal facts share a column", whole(count)),
    };
    view.open_section(out, ("facts", "Facts", &note), Some(whole(known.len())), Html::default())?;
    if !known.is_empty() {
        table(view, out, &known)?;
    }
    not_compared(view, out)?;
    close_section(out)?;
    Ok(())
}

/// Ranks with the same groups in all comparisons, largest set first: indices into the job's ranks.
fn columns(view: JobView<'_>, known: &[&Comparison]) -> Vec<Vec<usize>> {
    let mut columns: IndexMap<Vec<Option<Membership>>, Vec<usize>> = IndexMap::new();
    for (rank, key) in memberships(view.report.job, known).into_iter().enumerate() {
        if view.rank_at(rank).is_some_and(|rank| rank.is_comparable()) {
            columns.entry(key).or_default().push(rank);
        }
    }
    let mut columns: Vec<Vec<usize>> = columns.into_values().collect();
    columns.sort_by_key(|ranks| (std::cmp::Reverse(ranks.len()), ranks.first().copied()));
    columns
}

fn table(view: JobView<'_>, out: &mut dyn Write, known: &[&Comparison]) -> anyhow::Result<()> {
    let columns = columns(view, known);
    let shown: Vec<&Vec<usize>> = columns.iter().take(NAMED).collect();
    let rows = known.iter().map(|one| row(view, one, &shown)).chain([versions(view, &shown)]);
    let list = Rows::of(rows.collect::<Vec<_>>())
        .unsorted("Fact", |row| row.name.clone().class("nowrap"))
        .unsorted("Ranks", |row| row.state.clone().class("nowrap"));
    let list = shown.iter().enumerate().fold(list, |list, (at, ranks)| {
        list.unsorted(title(view, ranks), move |row| row.values.get(at).cloned().unwrap_or_default()).mono()
    });
    write_line(out, &Element::new("div").class("matrix").open())?;
    html::table(view.surface(), out, &list.listing("facts", "Facts by rank", ""))?;
    close(out, "div")?;
    let more: usize = columns.iter().skip(NAMED).map(Vec::len).sum();
    if more > 0 {
        let text = format!(
            "{} more in {}; each kind of fact has all its groups in",
            counted(more, "rank", "ranks"),
            counted(columns.len() - shown.len(), "further column", "further columns")
        );
        let link = view.link("report.json", "report.json");
        note_below(out, Html::joined([format!("{text} ").into(), link, ".".into()], ""))?;
    }
    Ok(())
}

/// The title of a column.
fn title(view: JobView<'_>, ranks: &[usize]) -> String {
    let who = rank_words(view.report.job, ranks);
    match ranks.len() {
        1 => who,
        count @ ..=SHORT_LIST => {
            format!("{}: {}", counted(count, "rank", "ranks"), who.trim_start_matches("ranks "))
        }
        count => counted(count, "rank", "ranks"),
    }
}

/// A fact with its value in each column.
struct FactRow<'m> {
    name: Cell<'m>,
    state: Cell<'m>,
    values: Vec<Cell<'m>>,
}

fn differs<'m>() -> Cell<'m> {
    Cell::from("differs").span("kind warning")
}

fn consistent<'m>() -> Cell<'m> {
    Cell::from("consistent").span("soft")
}

fn row<'m>(view: JobView<'m>, comparison: &Comparison, columns: &[&Vec<usize>]) -> FactRow<'m> {
    let is_differing = comparison.differs();
    let findings = &view.report.found.findings;
    let is_found =
        is_differing && findings.iter().any(|finding| finding.kind.facts().aspect == Some(comparison.aspect));
    let anchor = is_found.then(|| format!("#{}", view.report.anchor(comparison.aspect)));
    let is_cut = |rank: &usize| view.rank_at(*rank).is_some_and(|rank| rank.is_cut());
    let state = match (is_differing, lacking(view.report.job, comparison)) {
        (true, _) => differs(),
        (false, None) => consistent(),
        // A fact missing from one rank's log is not consistent.
        (false, Some(why)) => own(why).span("soft"),
    };
    // Equal groups: there is no majority.
    let tied = is_tied(comparison);
    let value = |ranks: &&Vec<usize>| {
        let group = ranks.first().and_then(|rank| {
            comparison.groups.iter().position(|group| group.ranks.binary_search(rank).is_ok())
        });
        let Some((at, group)) = group.and_then(|at| Some((at, comparison.groups.get(at)?))) else {
            return if ranks.iter().all(is_cut) { "not reached".into() } else { "no data".into() };
        };
        let of_rank = ranks.first().filter(|rank| comparison.in_part.binary_search(rank).is_ok());
        let of_rank = of_rank.and_then(|rank| view.rank_at(*rank)?.fact(comparison.aspect));
        // A gap is shown where another rank knows more.
        let known = || group.steps.iter().copied().filter(|step| step.value.is_some()).collect::<Vec<Step>>();
        let text = match of_rank {
            Some(steps) => summary(view, comparison.aspect, steps),
            None => summary(view, comparison.aspect, &known()),
        };
        let text = log(text);
        match (is_differing, at > 0 || tied) {
            (true, true) => Cell::Marked(Box::new(text)),
            (true, false) => text,
            (false, _) => text.span("soft"),
        }
    };
    FactRow {
        name: Cell::from(comparison.aspect.name()).at(anchor),
        state,
        values: columns.iter().map(value).collect(),
    }
}

fn versions<'m>(view: JobView<'m>, columns: &[&Vec<usize>]) -> FactRow<'m> {
    let texts = &view.report.job.texts;
    let is_differing = view.report.found.fleet.torch.len() > 1;
    let value = |ranks: &&Vec<usize>| {
        let rank = ranks.first().and_then(|&rank| view.rank_at(rank));
        let version = rank.and_then(|rank| texts.maybe(rank.torch)).unwrap_or(UNKNOWN);
        let text = log(clipped(version, CELL).0);
        if is_differing { Cell::Marked(Box::new(text)) } else { text.span("soft") }
    };
    FactRow {
        name: "torch".into(),
        state: if is_differing { differs() } else { consistent() },
        values: columns.iter().map(value).collect(),
    }
}

/// Facts in a few words.
fn summary(view: JobView<'_>, aspect: Aspect, steps: &[Step]) -> String {
    let job = view.report.job;
    if steps.is_empty() {
        return "none".to_owned();
    }
    let parts = steps.iter().filter_map(|step| part(view, step));
    match aspect {
        Aspect::Graphs | Aspect::Guards | Aspect::TensorMeta | Aspect::Settings | Aspect::CacheKeys => {
            let [one, many] = aspect.nouns();
            format!("{}, {}", counted(steps.len(), one, many), fingerprint(view, steps))
        }
        Aspect::Functions | Aspect::GraphBreaks | Aspect::Recompiles | Aspect::Failures => {
            format!("{}: {}", whole(steps.len()), joined(", ", parts))
        }
        Aspect::Status | Aspect::Cache | Aspect::ProcessGroups => tallied(parts),
        Aspect::Ops => joined(" ", parts),
        Aspect::ExecOrder => {
            joined(" ", steps.iter().map(|step| job.texts.maybe(step.compile).unwrap_or("?").to_owned()))
        }
        _ => joined(", ", parts),
    }
}

/// A fact in a cell; waits are left out, as every collective has one.
fn part(view: JobView<'_>, step: &Step) -> Option<String> {
    let texts = &view.report.job.texts;
    let Some(value) = step.value else { return Some("?".to_owned()) };
    Some(match value {
        FactValue::Compiled { id, function } => {
            format!("{} {}", texts.get(id), NamedFunction::new(texts, step.graph, function).plain())
        }
        FactValue::Lookup { outcome: word, .. } | FactValue::Status(word) => texts.get(word).to_owned(),
        FactValue::Collective(operation) => {
            let operation = texts.get(operation);
            if is_wait(operation) {
                return None;
            }
            format!("{} {}", texts.maybe(step.compile).unwrap_or("–"), short_operation(operation))
        }
        FactValue::Call { group, .. } => format!("in '{}'", texts.get(group)),
        FactValue::Input { name, tensor, .. } => {
            let id = texts.maybe(step.compile).unwrap_or("–");
            format!("{id} {} {}", texts.get(name), tensor.without_strides(texts))
        }
        FactValue::Break { place: Some(place), .. } => short_path(&place.text(texts)).into_owned(),
        FactValue::Recompiled { function, .. } => NamedFunction::new(texts, step.graph, function).plain(),
        _ => view.says(step).unwrap_or_default(),
    })
}

/// The first digits of a hash: equal where the facts are.
fn fingerprint(view: JobView<'_>, steps: &[Step]) -> String {
    let mut hash = md5::Context::new();
    for step in steps {
        hash.consume(view.report.job.value(step).unwrap_or_else(|| "?".to_owned()));
        hash.consume([0]);
    }
    format!("{:x}", hash.finalize()).chars().take(7).collect()
}

/// The parts that fit into a cell.
fn joined(between: &str, parts: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(&part);
        if text.len() > CELL * 4 {
            break;
        }
    }
    shortened(&text, CELL).into_owned()
}

/// `3 ok, 1 break`
fn tallied(words: impl Iterator<Item = String>) -> String {
    let mut counts: IndexMap<String, usize> = IndexMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort();
    joined(", ", counts.into_iter().map(|(word, count)| format!("{} {word}", whole(count))))
}

fn not_compared(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let compared = &view.report.found.compared;
    let mut facts: Vec<(&str, Html)> = Vec::new();
    for Compared { aspect, outcome } in compared {
        if let Err(why) = outcome {
            facts.push((aspect.name(), view.prose(&reason(view.report.job, *aspect, *why))));
        }
    }
    if view.report.found.runtime.is_none() {
        facts.push((
            "Runtimes",
            view.prose(&reason(view.report.job, Aspect::TensorMeta, Unknown::NotRecorded)),
        ));
    }
    if facts.is_empty() {
        return Ok(());
    }
    heading(out, "Not recorded")?;
    write_line(out, &view.facts(facts))?;
    Ok(())
}
