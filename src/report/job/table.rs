//! All ranks with their numbers: one row per rank, or per group of equal ranks in a large job.

use super::fact_words;
use super::view::JobView;
use crate::analysis::job::{AlikeRanks, RankStanding, Standing, rank_words};
use crate::facts::ranks::{RankState, RankSummary};
use crate::limits::{KEPT, LISTED, NAMED, SENTENCE};
use crate::report::kit::formats::{UNKNOWN, counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, more, note_below, span, write_line};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use serde::Serialize;
use std::io::Write;

/// In larger jobs, equal ranks share a row.
const UNFOLDED: usize = 256;

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

pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (ranks, found) = (&view.report.job.ranks, view.report.found);
    let single: Vec<AlikeRanks>;
    let shared = ranks.len() > UNFOLDED;
    let rows: &[AlikeRanks] = if shared {
        &found.alike
    } else {
        let standings = found.standings.iter().enumerate();
        single =
            standings.map(|(index, own)| AlikeRanks { ranks: vec![index], standing: own.standing }).collect();
        &single
    };
    let tools = match ranks.len() > NAMED {
        true => view.render("job_ranks_tools", &Tools { options: options(view) })?,
        false => Html::default(),
    };
    let note = match shared {
        true => "equal ranks share a row; each has a full report of its own",
        false => "each has a full report of its own",
    };
    view.open_section(out, ("ranks", "All ranks", note), Some(whole(ranks.len())), tools)?;
    let differing = found.standings.iter().any(|own| !own.facts.is_empty());
    let processes = ranks.iter().any(|rank| !rank.processes.is_empty());
    let provenance = ranks.iter().any(|rank| !rank.provenance.is_empty());
    let listed = rows.iter().take(LISTED).filter_map(|alike| {
        let first = *alike.ranks.first()?;
        let (rank, own) = (view.rank_at(first)?, found.standings.get(first)?);
        let mut cells = cells(view, rank, alike);
        cells.extend(differing.then(|| TableCell::text(&differs_in(own))));
        cells.extend(processes.then(|| TableCell::html(process_links(view, rank))));
        cells.extend(provenance.then(|| TableCell::html(provenance_link(view, rank))));
        let row = Row::of(cells).anchored(format!("rank-{}", rank.number));
        Some(row.selected_by(words_of(rank, own).join(" ")))
    });
    let listed: Vec<Row> = listed.collect();
    let table = Table {
        id: "rank-table",
        label: "All ranks",
        columns: columns(shared, differing, (processes, provenance)),
    };
    view.table_sorted_from(out, (&table, NAMED + 1), listed.into_iter())?;
    let beyond = rows.len().saturating_sub(LISTED);
    if beyond > 0 {
        note_below(out, format!("{} in report.json.", counted(beyond, "more row", "more rows")))?;
    }
    if shared {
        write_line(out, &more(format!("All {} ranks by number", whole(ranks.len())), &numbers(view)?))?;
    }
    close_section(out)?;
    Ok(())
}

/// A rank of the list of all numbers.
#[derive(Serialize)]
struct Number {
    rank: u64,
    href: String,
}

#[derive(Serialize)]
struct Numbers {
    numbers: Vec<Number>,
}

/// The number of each rank, linked to its report. Minimal markup, as there may be ten thousand.
fn numbers(view: JobView<'_>) -> anyhow::Result<Html> {
    let ranks = &view.report.job.ranks;
    let known = ranks.iter().filter(|rank| rank.log.is_some()).take(KEPT);
    let number = |rank: &RankSummary| Number { rank: rank.number, href: view.in_rank(rank, "index.html") };
    let list = view.render("job_numbers", &Numbers { numbers: known.map(number).collect() })?;
    let beyond = ranks.len().saturating_sub(KEPT);
    let words = counted(beyond, "further rank has", "further ranks have");
    let rest = format!("{words} a report in the folder `rank_` followed by the number.");
    Ok(Html::joined([Some(list), (beyond > 0).then(|| rest.into())].into_iter().flatten(), " "))
}

fn columns(shared: bool, differing: bool, (processes, provenance): (bool, bool)) -> Vec<TableColumn> {
    let mut columns = vec![
        if shared { TableColumn::compiles("Ranks") } else { TableColumn::compiles("Rank") },
        TableColumn::text("State"),
        TableColumn::number("Compiles"),
        TableColumn::number("Graph breaks"),
        TableColumn::number("Recompiles"),
        TableColumn::number("Failures"),
        TableColumn::number("Compile time"),
        TableColumn::text("Log"),
    ];
    columns.extend(differing.then(|| TableColumn::text("Differs in")));
    columns.extend(processes.then(|| TableColumn::unsorted("Further processes")));
    columns.extend(provenance.then(|| TableColumn::unsorted("Lines and kernels")));
    columns
}

/// The filters of the table that match at least one rank.
fn options(view: JobView<'_>) -> Vec<Choice> {
    let found = view.report.found;
    let words: Vec<Vec<&'static str>> =
        view.report.job.ranks.iter().zip(&found.standings).map(|(rank, own)| words_of(rank, own)).collect();
    let choices = [
        ("differs", "that differ"),
        ("early", "that end early"),
        ("damaged", "damaged"),
        ("empty", "empty"),
        ("straggler", "stragglers"),
        ("failed", "with failures"),
    ];
    let counted = choices
        .into_iter()
        .map(|(word, text)| (word, text, words.iter().filter(|words| words.contains(&word)).count()));
    let known = counted.filter(|(.., count)| *count > 0);
    known.map(|(word, text, count)| Choice { word, text, count: whole(count) }).collect()
}

/// The filter words of a rank.
fn words_of(rank: &RankSummary, own: &RankStanding) -> Vec<&'static str> {
    let words = [
        (!own.facts.is_empty(), "differs"),
        (rank.all_counts().failures > 0, "failed"),
        (own.late, "straggler"),
        (own.standing == Standing::EndsEarly, "early"),
        (true, rank.whole_state().word()),
    ];
    words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
}

fn differs_in(own: &RankStanding) -> String {
    let odd: Vec<&str> = own.facts.iter().map(|fact| fact_words::name(*fact)).collect();
    if odd.is_empty() { UNKNOWN.to_owned() } else { odd.join(", ") }
}

/// The state of a rank, in a word.
pub(super) fn state(standing: Standing) -> Html {
    match standing {
        Standing::Same => Html::escaped(standing.word()),
        Standing::Damaged | Standing::EndsEarly => span("kind error", standing.word()),
        Standing::Empty | Standing::Diverges | Standing::Differs => span("kind warning", standing.word()),
    }
}

fn cells(view: JobView<'_>, rank: &RankSummary, alike: &AlikeRanks) -> Vec<TableCell> {
    let counts = rank.all_counts();
    let mut state = state(alike.standing);
    if let RankState::Damaged(why) = rank.whole_state() {
        let why: String = why.chars().take(SENTENCE).collect();
        state = Html::joined([state, why.into()], " ");
    }
    let known = rank.log.is_some();
    let count = |count: u64| match known {
        true => TableCell::number(count as f64, &whole(count)),
        false => TableCell::text(UNKNOWN).class("num"),
    };
    let log = rank.log.as_ref().map_or(UNKNOWN, |log| &log.file);
    let (name, log) = match alike.ranks.len() {
        1 => {
            (TableCell::html(view.cell(&view.rank(rank))).class("nowrap"), TableCell::text(log).class("mono"))
        }
        several => {
            let first = view.link(&view.in_rank(rank, "index.html"), &format!("rank {}", rank.number));
            let words = format!(
                "{}: {}, of which ",
                counted(several, "rank", "ranks"),
                rank_words(view.report.job, &alike.ranks).trim_start_matches("ranks ")
            );
            let name = Html::joined([words.into(), first, " is shown".into()], "");
            (TableCell::html(name), TableCell::html(Html::joined([view.code(log), " and others".into()], "")))
        }
    };
    vec![
        name.sorted(rank.number),
        TableCell::html(state),
        count(counts.compiles),
        count(counts.graph_breaks),
        count(counts.recompiles),
        count(counts.failures),
        time(view, rank, alike),
        log,
    ]
}

/// The compile time; for several ranks, from the shortest to the longest.
fn time(view: JobView<'_>, rank: &RankSummary, alike: &AlikeRanks) -> TableCell {
    let times = alike.ranks.iter().filter_map(|index| view.rank_at(*index)?.compile_time_s);
    let (least, most) = times.fold((f64::INFINITY, 0.0_f64), |(least, most), s| (least.min(s), most.max(s)));
    let (short, long) = (micros(least * 1e6), micros(most * 1e6));
    match short == long || !least.is_finite() {
        true => TableCell::maybe(rank.compile_time_s, |s| micros(s * 1e6)),
        false => TableCell::number(most, &format!("{short} to {long}")),
    }
}

fn provenance_link(view: JobView<'_>, rank: &RankSummary) -> Html {
    let page = rank.provenance.first().map(|page| view.in_rank(rank, page));
    page.map_or_else(|| UNKNOWN.into(), |page| view.link(&page, "provenance"))
}

fn process_links(view: JobView<'_>, rank: &RankSummary) -> Html {
    let links = rank.processes.iter().map(|process| {
        let page = view.in_rank(rank, &format!("process_{}/index.html", process.number));
        let text = format!("process {}", process.number);
        if process.log.is_some() { view.link(&page, &text) } else { Html::escaped(&text) }
    });
    Html::joined(links, ", ")
}
