//! The ranks themselves: a grid, a bar for the time that each took, and a table of all.

use super::fact_words;
use super::view::{FEW_RANKS, JobView};
use crate::analysis::Parts;
use crate::model::{Fact, RankState, RankSummary};
use crate::report::kit::bars::PHASES;
use crate::report::kit::formats::{UNKNOWN, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, heading, more, paragraph, put, span};
use crate::report::kit::tables::{Head, Row, Table, Td};
use serde::Serialize;
use std::io::Write;

/// Up to this many ranks have a row of the table of times; more have a column each.
const ROWS_OF_TIME: usize = 16;

/// Beyond this the columns are too narrow to show parts.
const COLUMNS_WITH_PARTS: usize = 128;

/// Characters of a reason in the table.
const LONGEST: usize = 300;

/// Kinds of facts in which a rank is not in the largest group, by index of the rank.
fn odd_facts(view: JobView<'_>) -> Vec<Vec<Fact>> {
    let mut odd = vec![Vec::new(); view.report.job.ranks.len()];
    for comparison in view.report.found.differing() {
        for &rank in comparison.groups.iter().skip(1).flat_map(|group| &group.ranks) {
            if let Some(facts) = odd.get_mut(rank) {
                facts.push(comparison.fact);
            }
        }
    }
    odd
}

/// More ranks than this are folded, but for those that stand out.
const UNFOLDED: usize = 256;

#[derive(Serialize)]
struct Cells {
    cells: Vec<Cell>,
}

#[derive(Clone, Serialize)]
struct Cell {
    class: Option<&'static str>,
    href: String,
    title: String,
    rank: u64,
    word: Option<&'static str>,
}

/// All ranks as a grid of numbers, where they are many.
pub(crate) fn cells(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let ranks = &view.report.job.ranks;
    if ranks.len() <= FEW_RANKS {
        return Ok(());
    }
    let note = "in order; a number opens the report of that rank";
    view.open_section(out, ("grid", "Ranks", note), Some(whole(ranks.len())), Html::default())?;
    let odd = odd_facts(view);
    let cells = ranks.iter().zip(&odd).map(|(rank, odd)| {
        let (class, word) = match rank.whole_state() {
            RankState::Damaged(_) => (Some("status-error"), Some("damaged")),
            RankState::Empty => (Some("status-error"), Some("empty")),
            RankState::Ok if rank.is_cut() => (Some("status-error"), Some("ends early")),
            RankState::Ok if !odd.is_empty() => (Some("status-break"), Some("diverges")),
            RankState::Ok => (None, None),
        };
        let href = match rank.log {
            Some(_) => view.in_rank(rank, "index.html"),
            None => format!("#rank-{}", rank.number),
        };
        let time = rank.compile_time_s.map(|s| format!(", {}", micros(s * 1e6))).unwrap_or_default();
        let title = format!("rank {}: {}{time}", rank.number, word.unwrap_or("as most"));
        Cell { class, href, title, rank: rank.number, word }
    });
    let cells: Vec<Cell> = cells.collect();
    if ranks.len() > UNFOLDED {
        let odd: Vec<Cell> = cells.iter().filter(|cell| cell.word.is_some()).cloned().collect();
        match odd.len() {
            0 => paragraph(out, "All as most.")?,
            _ => put(out, &view.render("job_cells", &Cells { cells: odd })?)?,
        }
        let all = view.render("job_cells", &Cells { cells })?;
        let summary = format!("all {} ranks", whole(ranks.len()));
        put(out, &more(summary, &all))?;
        return Ok(close_section(out)?);
    }
    put(out, &view.render("job_cells", &Cells { cells })?)?;
    close_section(out)?;
    Ok(())
}

/// How long each rank compiled.
pub(crate) fn times(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let fleet = &view.report.found.fleet;
    let (Some(median), Some(extremes)) = (fleet.median_s, fleet.extremes) else { return Ok(()) };
    let named = |index: usize| {
        let rank = view.rank_at(index)?;
        Some(format!("{} on rank {}", micros(rank.compile_time_s? * 1e6), rank.number))
    };
    let (fastest, slowest) =
        (named(extremes.fastest).unwrap_or_default(), named(extremes.slowest).unwrap_or_default());
    // Two numbers have no middle.
    let middle = match fleet.timed {
        2 => String::new(),
        _ => format!("median {}, ", micros(median * 1e6)),
    };
    let note = format!("{middle}slowest {slowest}, fastest {fastest}");
    view.open_section(out, ("time", "Compile time", &note), None, Html::default())?;
    let most = view.rank_at(extremes.slowest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
    match view.report.job.ranks.len() <= ROWS_OF_TIME {
        true => rows(view, out, most)?,
        false => columns(view, out, most)?,
    }
    let total =
        view.report.job.ranks.iter().fold(Parts::default(), |sum, rank| sum.plus(Parts(rank.parts_us)));
    if total.total() > 0.0 {
        let legend = view.bar(&total, true)?;
        heading(out, "All ranks together")?;
        put(out, &legend)?;
    }
    close_section(out)?;
    Ok(())
}

fn rows(view: JobView<'_>, out: &mut dyn Write, most: f64) -> anyhow::Result<()> {
    let stragglers = &view.report.found.fleet.stragglers;
    let heads = vec![
        Head::compiles("Rank"),
        Head::number("Compiles"),
        Head::number("Time"),
        Head::unsorted("Parts of the compiler"),
    ];
    let ranks = view.report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable());
    let rows: Vec<anyhow::Result<Row>> = ranks
        .map(|(index, rank)| {
            let seconds = rank.compile_time_s.unwrap_or_default();
            let width = if most > 0.0 { (100.0 * seconds / most).clamp(0.0, 100.0) } else { 0.0 };
            let bar = view.wide_bar(&Parts(rank.parts_us))?;
            let late = stragglers.contains(&index);
            let note = if late { span("kind warning", "straggler") } else { Html::default() };
            let bar = Element::new("div").style(&format!("width:{width:.1}%")).around(bar);
            Ok(Row::of(vec![
                Td::html(view.rank(rank)).sorted(rank.number).class("nowrap"),
                Td::number(rank.counts.compiles as f64, &whole(rank.counts.compiles)),
                Td::maybe(rank.compile_time_s, |s| micros(s * 1e6)),
                Td::html(Html::joined([bar, note], " ")).class("rank-time"),
            ]))
        })
        .collect();
    view.table(out, &Table { id: "time-table", label: "Compile time by rank", heads }, rows.into_iter())?;
    Ok(())
}

#[derive(Serialize)]
struct Columns {
    many: bool,
    first: u64,
    last: u64,
    columns: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    late: bool,
    href: String,
    title: String,
    height: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    class: &'static str,
    share: String,
}

fn columns(view: JobView<'_>, out: &mut dyn Write, most: f64) -> anyhow::Result<()> {
    let ranks: Vec<(usize, &RankSummary)> =
        view.report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable()).collect();
    let many = ranks.len() > COLUMNS_WITH_PARTS;
    let columns = ranks.iter().map(|(index, rank)| {
        let seconds = rank.compile_time_s.unwrap_or_default();
        let parts = Parts(rank.parts_us);
        let total = parts.total();
        let shares = parts.0.iter().zip(PHASES).rev().filter(|(us, _)| !many && **us > 0.0);
        let late = view.report.found.fleet.stragglers.contains(index);
        let word = if late { ", straggler" } else { "" };
        Column {
            late,
            href: view.in_rank(rank, "index.html"),
            title: format!("rank {}: {}{word}", rank.number, micros(seconds * 1e6)),
            height: format!(
                "{:.1}",
                if most > 0.0 { (100.0 * seconds / most).clamp(0.0, 100.0) } else { 0.0 }
            ),
            parts: shares.map(|(us, class)| Part { class, share: format!("{:.3}", us / total) }).collect(),
        }
    });
    let columns: Vec<Column> = columns.collect();
    let number = |end: Option<&(usize, &RankSummary)>| end.map_or(0, |(_, rank)| rank.number);
    let context = Columns { many, first: number(ranks.first()), last: number(ranks.last()), columns };
    put(out, &view.render("job_columns", &context)?)?;
    Ok(())
}

#[derive(Serialize)]
struct Tools {
    options: Vec<Choice>,
}

#[derive(Serialize)]
struct Choice {
    word: &'static str,
    text: &'static str,
    count: String,
}

/// All ranks with their numbers.
pub(crate) fn table(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let ranks = &view.report.job.ranks;
    let odd = odd_facts(view);
    let words: Vec<Vec<&'static str>> =
        ranks.iter().enumerate().map(|(index, rank)| selected_by(view, index, rank, &odd)).collect();
    let choices = [
        ("differs", "that differ"),
        ("damaged", "damaged"),
        ("empty", "empty"),
        ("straggler", "stragglers"),
        ("failed", "with failures"),
    ];
    let options: Vec<Choice> = choices
        .into_iter()
        .map(|(word, text)| (word, text, words.iter().filter(|words| words.contains(&word)).count()))
        .filter(|(.., count)| *count > 0)
        .map(|(word, text, count)| Choice { word, text, count: whole(count) })
        .collect();
    let tools = match ranks.len() > FEW_RANKS {
        true => view.render("job_ranks_tools", &Tools { options })?,
        false => Html::default(),
    };
    let note = "each has a whole report of its own";
    view.open_section(out, ("ranks", "All ranks", note), Some(whole(ranks.len())), tools)?;
    let mut heads = vec![
        Head::compiles("Rank"),
        Head::text("State"),
        Head::number("Compiles"),
        Head::number("Graph breaks"),
        Head::number("Recompiles"),
        Head::number("Failures"),
        Head::number("Compile time"),
        Head::text("Log"),
    ];
    let differing = odd.iter().any(|facts| !facts.is_empty());
    let processes = ranks.iter().any(|rank| !rank.processes.is_empty());
    heads.extend(differing.then(|| Head::text("Differs in")));
    heads.extend(processes.then(|| Head::unsorted("Further processes")));
    let rows = ranks.iter().zip(odd.iter().zip(&words));
    let rows = rows.map(|(rank, (odd, words))| {
        let mut cells = cells_of(view, rank);
        let odd: Vec<&str> = odd.iter().map(|fact| fact_words::name(*fact)).collect();
        cells.extend(
            differing.then(|| Td::text(&if odd.is_empty() { UNKNOWN.to_owned() } else { odd.join(", ") })),
        );
        cells.extend(processes.then(|| Td::html(process_links(view, rank))));
        let row = Row::of(cells);
        Ok(row.anchored(format!("rank-{}", rank.number)).selected_by(words.join(" ")))
    });
    let table = Table { id: "rank-table", label: "All ranks", heads };
    view.table_sorted_from(out, (&table, FEW_RANKS + 1), rows)?;
    close_section(out)?;
    Ok(())
}

fn selected_by(view: JobView<'_>, index: usize, rank: &RankSummary, odd: &[Vec<Fact>]) -> Vec<&'static str> {
    let differs = odd.get(index).is_some_and(|facts| !facts.is_empty());
    let failed = rank.all_counts().failures > 0;
    let late = view.report.found.fleet.stragglers.contains(&index);
    let words =
        [(differs, "differs"), (failed, "failed"), (late, "straggler"), (true, rank.whole_state().word())];
    words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
}

fn cells_of(view: JobView<'_>, rank: &RankSummary) -> Vec<Td> {
    let counts = rank.all_counts();
    let state = match rank.whole_state() {
        RankState::Ok if rank.is_cut() => span("kind error", "ends early"),
        RankState::Ok => Html::escaped("ok"),
        RankState::Empty => span("kind warning", "empty"),
        RankState::Damaged(why) => {
            let why: String = why.chars().take(LONGEST).collect();
            Html::joined([span("kind error", "damaged"), why.into()], " ")
        }
    };
    let known = rank.log.is_some();
    let count = |count: u64| match known {
        true => Td::number(count as f64, &whole(count)),
        false => Td::text(UNKNOWN).class("num"),
    };
    vec![
        Td::html(view.rank(rank)).sorted(rank.number).class("nowrap"),
        Td::html(state),
        count(counts.compiles),
        count(counts.graph_breaks),
        count(counts.recompiles),
        count(counts.failures),
        Td::maybe(rank.compile_time_s, |s| micros(s * 1e6)),
        Td::text(rank.log.as_ref().map_or(UNKNOWN, |log| &log.file)).class("mono"),
    ]
}

fn process_links(view: JobView<'_>, rank: &RankSummary) -> Html {
    let links = rank.processes.iter().map(|process| {
        let page = view.in_rank(rank, &format!("process_{}/index.html", process.number));
        let text = format!("process {}", process.number);
        if process.log.is_some() { view.link(&page, &text) } else { Html::escaped(&text) }
    });
    Html::joined(links, ", ")
}
