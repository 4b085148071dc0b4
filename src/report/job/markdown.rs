//! `report.md` of a job: the verdict, findings with ranks and advice, what was compared, and the ranks.

use super::fact_words::{lacking, reason};
use super::job_report::JobReport;
use super::{data, verdict};
use crate::analysis::Finding;
use crate::analysis::job::{Comparison, rank_words};
use crate::facts::ranks::{RankState, RankSummary};
use crate::limits::{IN_ROW, LIST, LISTED, NAMED, QUOTE, SHORT_LINE};
use crate::model::words::{file_line, rank_folder};
use crate::output::{Page, RelPath};
use crate::report::doc::{Cell, markdown};
use crate::report::kit::formats::{cost_words, counted, whole};
use crate::report::kit::markdown::{Markdown, code, plain, prose};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::lists::{self, RankOnPage, RankRow};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Bytes of each part, 60 KB in all. Unused room goes to later parts.
const HEAD: usize = 6_000;
const FINDINGS: usize = 26_000;
const COMPARED: usize = 10_000;
const RANKS: usize = 14_000;
const LOST: usize = 4_000;

/// Characters of a sentence.
const LONGEST_TEXT: usize = 700;

pub(super) fn page<'m>(report: JobReport<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[paths::REPORT_MD]), move |_, out| Ok(document(report).write(out)?))
}

fn document(report: JobReport<'_>) -> Markdown {
    let mut document = Markdown::default();
    head(report, &mut document);
    findings(report, &mut document);
    compared(report, &mut document);
    ranks(report, &mut document);
    lost(report, &mut document);
    document
}

fn head(report: JobReport<'_>, document: &mut Markdown) {
    let mut part = document.part(HEAD);
    let ranks = counted(report.job.ranks.len(), "rank", "ranks");
    part.heading(1, &plain(&format!("What torch.compile did: a job of {ranks}")));
    part.text(&format!("**Verdict:** {}", prose(&plain(&verdict::sentence(report)), 3 * LONGEST_TEXT)));
    for note in verdict::notes(report) {
        part.entry(&prose(&plain(&note), LONGEST_TEXT));
    }
    let torch = report.found.fleet.torch.iter().map(|group| {
        let version = group.version.map(|version| code(report.job.texts.get(version), QUOTE));
        let version = version.unwrap_or_else(|| "not recorded".to_owned());
        format!("{version} on {}", rank_words(report.job, &group.ranks))
    });
    let torch: Vec<String> = torch.take(IN_ROW).collect();
    part.text(&format!(
        "- **torch:** {}\n- **Written by:** tlparse {}",
        torch.join("; "),
        env!("CARGO_PKG_VERSION")
    ));
    part.text(
        "Paths below are files of this report's folder: `index.html` is the landing page, `report.json` \
        has all facts \
         for programs, and `rank_<n>/report.md` covers each rank. Names, messages and code come from the \
         logs.",
    );
    part.end(0, ("note", "notes"), "`index.html` has all");
}

fn findings(report: JobReport<'_>, document: &mut Markdown) {
    let all = &report.found.findings;
    let mut part = document.part(FINDINGS);
    part.heading(2, "Findings");
    part.text(&plain(&match all.len() {
        0 => "None: the ranks agree in everything that was compared.".to_owned(),
        count => format!("{}, possible causes of others first.", counted(count, "finding", "findings")),
    }));
    for (index, one) in all.iter().enumerate() {
        part.entry(&plain(&finding(report, index, one)));
    }
    part.end(0, ("finding", "findings"), "`report.json` has all under `findings`");
}

fn finding(report: JobReport<'_>, index: usize, one: &Finding) -> String {
    let number = index + 1;
    let title = prose(&one.sentence().text(), LONGEST_TEXT);
    let mut lines = vec![format!("### {number}. {}: {title}", one.kind.label()), String::new()];
    let mut parts = vec![one.severity.word().to_owned()];
    parts.extend(one.cost.as_ref().map(|cost| format!("**{}**", cost_words(cost.kind, cost.us))));
    parts.extend((!one.in_job.ranks.is_empty()).then(|| rank_words(report.job, &one.in_job.ranks)));
    lines.extend([parts.join(" · "), String::new()]);
    let mut add = |label: &str, text: String| lines.push(format!("- **{label}:** {text}"));
    if let Some(file) = &one.place.file {
        add("Where", code(&file_line(file, one.place.line), SHORT_LINE));
    }
    if !one.in_job.compile_ids.is_empty() {
        let ids: Vec<String> =
            one.in_job.compile_ids.iter().take(2 * IN_ROW).map(|id| code(id, 40)).collect();
        add("Compiles", ids.join(" "));
    }
    for (label, text) in [("What it means", &one.detail), ("What to do", &one.hint())] {
        let text = text.as_deref().unwrap_or_default().lines().take(NAMED);
        let text: Vec<String> = text.map(|line| prose(line, LONGEST_TEXT)).collect();
        match text.as_slice() {
            [] => {}
            [only] => add(label, only.clone()),
            lines => add(label, lines.iter().map(|line| format!("\n  - {line}")).collect()),
        }
    }
    let first = one.in_job.ranks.first().and_then(|&index| report.rank_at(index));
    let in_rank = first.zip(one.in_job.url_in_rank.as_deref());
    let in_rank = in_rank.map(|(rank, url)| code(&format!("{}/{url}", rank_folder(rank.number)), SHORT_LINE));
    let own = code(&format!("index.html#finding-{number}"), SHORT_LINE);
    add("Evidence", in_rank.into_iter().chain([own]).collect::<Vec<_>>().join(", "));
    lines.join("\n")
}

/// The compared facts.
fn compared(report: JobReport<'_>, document: &mut Markdown) {
    let mut part = document.part(COMPARED);
    part.heading(2, "What was compared");
    let rows = report.found.compared.iter().map(|one| {
        let (state, groups) = match &one.outcome {
            Ok(comparison) if comparison.differs() => ("differs", groups(report, comparison)),
            Ok(comparison) => match lacking(report.job, comparison) {
                None => ("consistent", String::new()),
                Some(why) => ("not known", why),
            },
            Err(why) => ("not compared", prose(&reason(report.job, one.aspect, *why), LONGEST_TEXT)),
        };
        vec![one.aspect.name().to_owned(), state.to_owned(), groups]
    });
    part.table(&["Fact", "Result", "Which ranks agree, or why nothing could be compared"], rows);
    part.end(0, ("fact", "facts"), "`report.json` has all under `divergence`");
}

fn groups(report: JobReport<'_>, comparison: &Comparison) -> String {
    let words = comparison.groups.iter().map(|group| rank_words(report.job, &group.ranks));
    let mut words: Vec<String> = words.take(IN_ROW).collect();
    let more = comparison.groups.len().saturating_sub(IN_ROW);
    words.extend((more > 0).then(|| format!("{} more groups", whole(more))));
    words.join("; ")
}

/// The ranks: those that stand out first.
fn ranks(report: JobReport<'_>, document: &mut Markdown) {
    let (job, fleet) = (report.job, &report.found.fleet);
    let mut part = document.part(RANKS);
    part.heading(2, "Ranks");
    let stops: BTreeSet<usize> = fleet.stops.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
    let all = [&fleet.damaged, &fleet.empty, &fleet.stragglers].map(|ranks| ranks.iter().copied().collect());
    let [damaged, empty, stragglers]: [BTreeSet<usize>; 3] = all;
    let odd = [&stops, &damaged, &empty, &stragglers];
    let differing = report.found.differing().flat_map(|one| one.groups.iter().skip(1));
    let differing: BTreeSet<usize> = differing.flat_map(|group| group.ranks.iter().copied()).collect();
    let rank_of = |index: usize| {
        let place = odd.iter().position(|indices| indices.contains(&index)).unwrap_or(odd.len());
        if place == odd.len() && !differing.contains(&index) { place + 1 } else { place }
    };
    let mut order: Vec<(usize, &RankSummary)> = job.ranks.iter().enumerate().collect();
    order.sort_by_cached_key(|(index, _)| rank_of(*index));
    let row = |(index, rank)| RankRow {
        facts: Cow::Owned(data::rank(rank)),
        page: Some(Box::new(RankOnPage {
            last: last(report, rank, stops.contains(&index)),
            ..RankOnPage::default()
        })),
    };
    let rows = lists::ranks(order.into_iter().take(LISTED).map(row).collect());
    markdown::table(&mut part, &rows.listing("ranks", "Ranks", ""));
    part.end(
        job.ranks.len().saturating_sub(LISTED),
        ("rank", "ranks"),
        "`report.json` has all under `ranks`",
    );
}

fn last<'m>(report: JobReport<'m>, rank: &'m RankSummary, stopped: bool) -> Cell<'m> {
    let time = rank.log.as_ref().and_then(|log| log.last_time.as_deref());
    let mut cells = vec![time.map_or(Cell::Unknown, |time| Cell::Code(time.into()))];
    let end = rank.end.as_ref().filter(|end| end.inside);
    match end.and_then(|end| report.job.texts.maybe(end.compile)) {
        Some(id) => cells.extend([", inside ".into(), Cell::Code(id.into())]),
        None => cells.extend(stopped.then_some(", early".into())),
    }
    Cell::Beside(cells, "")
}

/// Ranks and files that could not be read completely.
fn lost(report: JobReport<'_>, document: &mut Markdown) {
    let (job, fleet) = (report.job, &report.found.fleet);
    let mut part = document.part(LOST);
    part.heading(2, "What was lost");
    let damaged = fleet.damaged.iter().filter_map(|&index| report.rank_at(index));
    let damaged = damaged.map(|rank| match &rank.state {
        RankState::Damaged(why) => format!("- Rank {}: {}", whole(rank.number), prose(why, LONGEST_TEXT)),
        _ => format!("- Rank {}: damaged", whole(rank.number)),
    });
    let mut entries: Vec<String> = damaged.collect();
    if !fleet.empty.is_empty() {
        entries.push(format!("- Without any record: {}", rank_words(job, &fleet.empty)));
    }
    if !fleet.missing.is_empty() {
        let missing: Vec<String> = fleet.missing.iter().take(LIST).map(|rank| whole(*rank)).collect();
        entries.push(format!("- No log of ranks: {}", missing.join(", ")));
    }
    entries.extend(job.skipped_files.iter().take(LIST).map(|file| {
        format!("- Ignored: {} ({})", code(&file.name, SHORT_LINE), prose(file.reason, LONGEST_TEXT))
    }));
    if entries.is_empty() {
        part.text("Nothing: the logs of all ranks were read completely.");
    }
    for entry in &entries {
        part.entry(entry);
    }
    let more = job.skipped_files.len().saturating_sub(LIST);
    part.end(more, ("entry", "entries"), "`report.json` names them");
}
