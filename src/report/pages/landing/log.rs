//! Whether to trust the log: what was read, what could not be, and what else it contains.

use crate::limits::{LONG_LIST, NAMED, SHORT_LIST};
use crate::model::{OtherRank, ProblemKind};
use crate::report::kit::prelude::*;
pub(crate) use crate::report::words::problems::damaged;
use crate::report::words::problems::problem_words as words;
use crate::trace::OrderedMap;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (model, integrity) = (view.report.model, &view.report.model.integrity);
    let note = match (damaged(view.report), integrity.problems.is_empty()) {
        (0, true) => "read completely",
        (0, false) => "read completely; only minor problems",
        _ => "damaged and unknown records, with the line of the log",
    };
    view.open_section(out, ("log", "Log", note), None, Html::default())?;
    let other = integrity.count(ProblemKind::OtherRank);
    let lines = integrity.count(ProblemKind::BadPrefix) + integrity.count(ProblemKind::BadJson);
    let mut read = counted(model.log.records, "record", "records");
    if other > 0 {
        read.push_str(&format!(", {} of them from other ranks", whole(other)));
    }
    if lines > 0 {
        read.push_str(&format!("; {} could not be read as a record", counted(lines, "line", "lines")));
    }
    let mut facts = vec![("Read", read.into()), ("Damaged", damage(view))];
    if !integrity.unknown_events.is_empty() {
        facts.push(("Unknown events", unknown_events(view)));
    }
    facts.push(("With --strict", strict(view)));
    write_line(out, &view.facts(facts))?;
    problems(view, out)?;
    counts(view, out, "Records by event", &integrity.events)?;
    // The files of a single compile are its artifacts.
    if model.compiles.len() > 1 {
        counts(view, out, "Artifacts by name", &integrity.artifacts)?;
    }
    Ok(close_section(out)?)
}

fn damage(view: View<'_>) -> Html {
    let integrity = &view.report.model.integrity;
    let found = ProblemKind::ALL.into_iter().filter(|kind| integrity.count(*kind) > 0);
    let found: Vec<String> =
        found.map(|kind| format!("{} × {}", whole(integrity.count(kind)), words(kind).0)).collect();
    if found.is_empty() {
        return "nothing: all lines, payload hashes and string ids are valid".into();
    }
    let text = Html::escaped(&found.join(", "));
    if integrity.ok() { text } else { span("err", &text) }
}

fn unknown_events(view: View<'_>) -> Html {
    let unknown = &view.report.model.integrity.unknown_events;
    let list = tally(view, unknown.iter().take(NAMED));
    let kept = ". Kept as files; this version of tlparse cannot interpret them.";
    span("warn", Html::joined([list, kept.into()], ""))
}

/// `artifact 43, str 8`, with the names as code.
fn tally<'c>(view: View<'_>, counts: impl IntoIterator<Item = (&'c String, &'c u64)>) -> Html {
    let one = |(name, count): (&String, &u64)| {
        Html::joined([view.code(name), format!(" {}", whole(*count)).into()], "")
    };
    Html::joined(counts.into_iter().map(one), ", ")
}

fn strict(view: View<'_>) -> Html {
    let integrity = &view.report.model.integrity;
    if integrity.ok() {
        return "exit code 0".into();
    }
    let kinds = ProblemKind::ALL.into_iter().filter(|kind| kind.is_damage() && integrity.count(*kind) > 0);
    let kinds: Vec<String> = kinds.map(|kind| format!("{} {}", kind.name(), integrity.count(kind))).collect();
    Html::escaped(&format!("exit code 3: {}", kinds.join(", ")))
}

fn problems(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &view.report.model.integrity.problems;
    let listed: Vec<_> = all.iter().filter(|p| p.kind != ProblemKind::OtherRank).collect();
    if listed.is_empty() {
        return Ok(());
    }
    let columns = vec![
        TableColumn::number("Line"),
        TableColumn::text("Problem"),
        TableColumn::text("What was found"),
        TableColumn::text("What it means"),
    ];
    let table = Table { id: "problems-table", label: "Problems of the log", columns };
    let rows = listed.iter().take(LONG_LIST).map(|problem| {
        let (kind, meaning) = words(problem.kind);
        let class = if problem.kind.is_damage() { "kind error" } else { "kind warning" };
        Row::of(vec![
            TableCell::count(problem.line),
            TableCell::text(kind).class(class),
            TableCell::html(view.folded(&problem.detail, false)),
            TableCell::text(meaning).class("soft"),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, listed.len(), LONG_LIST, "problems")
}

/// Counts by name, folded.
fn counts(
    view: View<'_>,
    out: &mut dyn Write,
    title: &str,
    counts: &OrderedMap<String, u64>,
) -> anyhow::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let kinds = counted(counts.len(), "kind", "kinds");
    let mut order: Vec<_> = counts.iter().collect();
    order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let names = order
        .into_iter()
        .take(LONG_LIST)
        .map(|(name, count)| Html::joined([view.folded(name, false), Html::escaped(&whole(*count))], " "));
    open_more(out, format!("{title}: {kinds}"))?;
    write_line(out, &Element::new("p").class("mono").around(Html::joined(names, ", ")))?;
    view.beyond(out, counts.len(), LONG_LIST, "kinds")?;
    Ok(close(out, "details")?)
}

/// Records of other ranks, which do not belong to any compile here.
pub(crate) fn other_ranks(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    if model.other_ranks.is_empty() {
        return Ok(());
    }
    let total = model.integrity.count(ProblemKind::OtherRank);
    let head = ("other", "Records of other ranks", "counted and kept, but not assigned to any compile");
    view.open_section(out, head, Some(whole(total)), Html::default())?;
    let own = model.log.rank.map_or_else(|| "no rank".to_owned(), |rank| format!("rank {rank}"));
    let raw = view.link("raw.jsonl", "raw.jsonl");
    let read =
        format!("This log is read as {own}. The records below belong to other ranks; they are kept in ");
    paragraph(out, Html::joined([read.into(), raw, ".".into()], ""))?;
    let advice = "Several processes wrote to one file. Give each rank its own file: torch does this if `TORCH_TRACE` \
                  names a folder.";
    write_line(out, &Element::new("p").class("advice space-above").around(view.prose(advice)))?;
    for (rank, other) in &model.other_ranks {
        one_rank(view, out, *rank, other)?;
    }
    Ok(close_section(out)?)
}

fn one_rank(view: View<'_>, out: &mut dyn Write, rank: u64, other: &OtherRank) -> anyhow::Result<()> {
    let (first, last) = other.lines;
    let records: u64 = other.events.values().sum();
    let mut order: Vec<_> = other.events.iter().collect();
    order.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let with_more = |some: Html, more: String| Html::joined([some, more.into()], "");
    let events = tally(view, order.iter().copied().take(NAMED));
    let count =
        format!("{}, lines {} to {}", counted(records, "record", "records"), whole(first), whole(last));
    let mut facts =
        vec![("Records", count.into()), ("Events", with_more(events, and_more(order.len(), NAMED)))];
    if !other.compiles.is_empty() {
        let compiles = tally(view, other.compiles.iter().take(SHORT_LIST));
        facts.push(("Compiles, records", with_more(compiles, and_more(other.compiles.len(), SHORT_LIST))));
    }
    let heading = Element::new("h3").class("space-above").id(&format!("rank-{rank}"));
    write_line(out, &heading.around(format!("Rank {rank}")))?;
    Ok(write_line(out, &view.facts(facts))?)
}
