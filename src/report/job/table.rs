//! All ranks with their numbers: one row per rank, or per group of equal ranks in a large job.

use super::data;
use super::view::JobView;
use crate::analysis::job::{AlikeRanks, RankStanding, Standing, rank_words};
use crate::facts::ranks::{RankState, RankSummary};
use crate::limits::{KEPT, LISTED, NAMED, SENTENCE};
use crate::report::doc::{self, Cell, Filter, html, log};
use crate::report::kit::formats::{UNKNOWN, counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, more, note_below, write_line};
use crate::report::lists::{self, RankOnPage, RankRow};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

/// In larger jobs, equal ranks share a row.
const UNFOLDED: usize = 256;

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
    let note = match shared {
        true => "equal ranks share a row; each has a full report of its own",
        false => "each has a full report of its own",
    };
    let listed = rows.iter().take(LISTED).filter_map(|alike| row(view, alike));
    let list = lists::ranks(listed.collect())
        .filtered(Filter { hint: "Filter by rank or log", words: WORDS.to_vec() }, |row| {
            row.page.as_ref().map_or_else(String::new, |page| page.words.clone()).into()
        })
        .narrowed_from(NAMED + 1)
        .listing("ranks", "All ranks", "");
    let on = view.surface();
    let head = ("ranks", "All ranks", note);
    view.open_section(out, head, Some(whole(ranks.len())), html::tools(on, &list)?)?;
    html::table(on, out, &list)?;
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

/// Words by which the table is filtered.
const WORDS: [(&str, &str); 6] = [
    ("differs", "that differ"),
    ("early", "that end early"),
    ("damaged", "damaged"),
    ("empty", "empty"),
    ("straggler", "stragglers"),
    ("failed", "with failures"),
];

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

fn differs_in<'m>(own: &RankStanding) -> Cell<'m> {
    let odd: Vec<&str> = own.facts.iter().map(|aspect| aspect.name()).collect();
    Cell::maybe((!odd.is_empty()).then(|| odd.join(", ")), doc::own)
}

/// The state of a rank, in a word.
fn state<'m>(standing: Standing, rank: &RankSummary) -> Cell<'m> {
    let word = Cell::from(standing.word());
    let state = match standing {
        Standing::Same => word,
        Standing::Damaged | Standing::EndsEarly => word.span("kind error"),
        Standing::Empty | Standing::Diverges | Standing::Differs => word.span("kind warning"),
    };
    match rank.whole_state() {
        RankState::Damaged(why) => {
            let why: String = why.chars().take(SENTENCE).collect();
            Cell::Beside(vec![state, log(why)], " ")
        }
        _ => state,
    }
}

/// A row, with the first of its ranks.
fn row<'m>(view: JobView<'m>, alike: &AlikeRanks) -> Option<RankRow<'m>> {
    let first = *alike.ranks.first()?;
    let (rank, own) = (view.rank_at(first)?, view.report.found.standings.get(first)?);
    let file = rank.log.as_ref().map_or(UNKNOWN, |log| &log.file);
    let several = alike.ranks.len() > 1;
    let name = match several {
        false => view.rank(rank).class("nowrap"),
        true => {
            let count = counted(alike.ranks.len(), "rank", "ranks");
            let all = rank_words(view.report.job, &alike.ranks);
            let words = doc::own(format!("{count}: {}, of which ", all.trim_start_matches("ranks ")));
            Cell::Beside(vec![words, view.rank(rank), " is shown".into()], "").sorted(rank.number as f64)
        }
    };
    let others = several.then(|| Cell::Beside(vec![log(file), " and others".into()], ""));
    let page = rank.provenance.first().map(|page| view.in_rank(rank, page));
    let page = RankOnPage {
        name: Some(name),
        state: Some(state(alike.standing, rank)),
        time: time(view, alike),
        log: others,
        last: Cell::Unknown,
        differs_in: differs_in(own),
        processes: process_links(view, rank),
        provenance: Cell::maybe(page, |page| Cell::from("provenance").at(Some(page))),
        words: words_of(rank, own).join(" "),
    };
    Some(RankRow { facts: Cow::Owned(data::rank(rank)), page: Some(Box::new(page)) })
}

/// The compile times of several ranks that differ, from the shortest to the longest.
fn time<'m>(view: JobView<'_>, alike: &AlikeRanks) -> Option<Cell<'m>> {
    let times = alike.ranks.iter().filter_map(|index| view.rank_at(*index)?.compile_time_s);
    let (least, most) = times.fold((f64::INFINITY, 0.0_f64), |(least, most), s| (least.min(s), most.max(s)));
    let (short, long) = (micros(least * 1e6), micros(most * 1e6));
    let is_range = short != long && least.is_finite();
    is_range.then(|| Cell::Figure { value: most, shown: format!("{short} to {long}") })
}

fn process_links<'m>(view: JobView<'m>, rank: &RankSummary) -> Cell<'m> {
    let links = rank.processes.iter().map(|process| {
        let page = view.in_rank(rank, &format!("process_{}/index.html", process.number));
        doc::own(format!("process {}", process.number)).at(process.log.is_some().then_some(page))
    });
    Cell::maybe((!rank.processes.is_empty()).then(|| links.collect()), |links| Cell::Beside(links, ", "))
}
