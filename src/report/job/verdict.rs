//! The verdict on a job: whether its ranks agree, else where they first differ.

use super::fact_words;
use super::job_report::JobReport;
use crate::analysis::findings::KindOfFinding;
use crate::analysis::job::{Unknown, list_of, numbers, rank_words};
use crate::analysis::{Finding, Severity};
use crate::facts::ranks::Fact;
use crate::limits::NAMED_BRIEFLY;
use crate::model::words::plain;
use crate::report::kit::formats::{counted, micros, short_path, whole};
use crate::report::kit::verdict::Words;
use std::borrow::Cow;

fn words(text: impl Into<Cow<'static, str>>) -> Words {
    Words::plain(text)
}

fn link(text: impl Into<String>, href: &'static str, class: &'static str) -> Words {
    Words::linked("", text, href, class)
}

/// The verdict as plain text.
pub(crate) fn sentence(report: JobReport<'_>) -> String {
    pieces(report).into_iter().map(|words| plain(&words.text())).collect()
}

pub(super) fn pieces(report: JobReport<'_>) -> Vec<Words> {
    let job = report.job;
    let ranks = counted(job.ranks.len(), "rank", "ranks");
    let comparable = job.ranks.iter().filter(|rank| rank.is_comparable()).count();
    let mut pieces: Vec<Words> = report.settings.ended().map(words).into_iter().collect();
    let is_first = |finding: &&Finding| {
        let of_all = finding.kind == KindOfFinding::OnAllRanks && finding.severity == Severity::Error;
        of_all || finding.kind.facts().first_of_all && finding.severity != Severity::Info
    };
    let leading = report.found.cause().is_some_and(|cause| is_before_stops(report, cause));
    for finding in report.found.findings.iter().filter(is_first).take(if leading { 0 } else { NAMED_BRIEFLY })
    {
        pieces.push(link(finding.sentence().plain(), "#findings", "err"));
        pieces.push(words(". "));
    }
    // Of several programs, no rank is compared with another.
    if report.found.findings.iter().any(|finding| finding.kind == KindOfFinding::SeveralPrograms) {
        return pieces;
    }
    pieces.push(link(ranks, "#ranks", ""));
    match (comparable, report.found.cause()) {
        (0, _) => pieces.push(words(": nothing was recorded that could be compared.")),
        (1, _) => pieces.push(words(": only one has records, so nothing can be compared.")),
        (_, None) => pieces.extend(agreement(report)),
        (_, Some(finding)) => {
            let class = if finding.severity == Severity::Error { "err" } else { "warn" };
            pieces.push(words(match (finding.severity, finding.kind.facts().fact) {
                (Severity::Info, Some(Fact::Cache)) => " compile the same; a harmless race: ",
                (_, Some(Fact::CacheKeys)) => " compile the same, but ",
                (_, Some(Fact::Cache | Fact::Config)) if !compile_otherwise(report) => {
                    " compile the same, but "
                }
                (Severity::Info, Some(Fact::ProcessGroups)) => ": ",
                (Severity::Info, _) if report.found.call_the_same() => " call the same collectives, but ",
                (Severity::Info, _) => ": ",
                _ => " diverge: ",
            }));
            let href = if report.found.has_sides(finding) { "#first" } else { "#findings" };
            pieces.push(link(finding.title.plain(), href, class));
            if let Some(place) = place(finding) {
                pieces.push(words(format!(" ({place})")));
            }
            pieces.push(words("."));
            let (compared, differing) = (compared(report), differing(report));
            if differing > 1 {
                pieces.push(words(format!(" {} in ", odd_ranks(report))));
                pieces.push(link(
                    format!("{} of {} facts", whole(differing), whole(compared)),
                    "#facts",
                    "warn",
                ));
                pieces.push(words("."));
            }
        }
    }
    pieces.extend(trouble(report));
    pieces
}

/// Whether a difference explains why ranks stopped.
fn is_before_stops(report: JobReport<'_>, cause: &Finding) -> bool {
    report.found.findings.first().is_some_and(|first| first.kind == cause.kind)
}

/// Whether ranks differ in what they compile.
fn compile_otherwise(report: JobReport<'_>) -> bool {
    report.found.differing().any(|one| one.fact == Fact::CompileIds)
}

/// Where it is in the program, unless its words say so.
fn place(finding: &Finding) -> Option<String> {
    let file = finding.place.file.as_deref()?;
    let place = format!("{}:{}", short_path(file), finding.place.line?);
    (!finding.title.plain().contains(&place)).then_some(place)
}

/// The ranks that differ from the majority in any fact.
fn odd_ranks(report: JobReport<'_>) -> String {
    let groups = report.found.differing().flat_map(|one| one.groups.iter().skip(1));
    let odd: std::collections::BTreeSet<usize> =
        groups.flat_map(|group| group.ranks.iter().copied()).collect();
    let odd: Vec<usize> = odd.into_iter().collect();
    match (report.job.ranks.len(), odd.len()) {
        (..=2, _) => "They differ".to_owned(),
        (_, 1) => format!("R{} differs", rank_words(report.job, &odd).trim_start_matches('r')),
        _ => format!("R{} differ", rank_words(report.job, &odd).trim_start_matches('r')),
    }
}

/// Number of comparable kinds of facts, including those only shown.
fn compared(report: JobReport<'_>) -> usize {
    report.found.compared.iter().filter(|one| one.outcome.is_ok()).count()
}

/// Number of those in which ranks differ.
fn differing(report: JobReport<'_>) -> usize {
    let compared = report.found.compared.iter().filter_map(|one| one.outcome.as_ref().ok());
    compared.filter(|one| one.differs()).count()
}

fn agreement(report: JobReport<'_>) -> Vec<Words> {
    let each = report.found.comparison(Fact::CompileIds).and_then(|one| one.groups.first());
    let each = each.map_or(0, |group| group.steps.len());
    // A rank whose log was cut off is not consistent, and has not compiled as much.
    let is_whole = report.found.fleet.stops.is_empty();
    let facts = link(counted(compared(report), "fact", "facts"), "#facts", "");
    let mut pieces = match is_whole {
        true => vec![
            words(" are consistent in all "),
            facts,
            words(" that were compared"),
            words(format!(": {} on each.", counted(each, "compilation", "compilations"))),
        ],
        false => vec![words(" agree in all "), facts, words(" that were compared, as far as their logs go.")],
    };
    let in_verdict =
        |finding: &&Finding| finding.kind.facts().in_verdict && finding.severity != Severity::Info;
    if let Some(finding) = report.found.findings.iter().find(in_verdict) {
        pieces.push(words(" But "));
        pieces.push(link(finding.title.plain(), "#findings", "warn"));
        pieces.extend(place(finding).map(|place| words(format!(" ({place})"))));
        pieces.push(words("."));
    }
    pieces
}

/// Ranks that cannot be compared in full.
fn trouble(report: JobReport<'_>) -> Vec<Words> {
    let (job, fleet) = (report.job, &report.found.fleet);
    let mut pieces = Vec::new();
    if !fleet.damaged.is_empty() {
        pieces.push(words(" Damaged: "));
        pieces.push(link(rank_words(job, &fleet.damaged), "#findings", "err"));
        pieces.push(words("."));
    }
    if !fleet.empty.is_empty() {
        pieces.push(words(" Without any record: "));
        pieces.push(link(rank_words(job, &fleet.empty), "#findings", "warn"));
        pieces.push(words("."));
    }
    if !fleet.missing.is_empty() {
        let noun = if fleet.missing.len() == 1 { "rank" } else { "ranks" };
        pieces.push(words(" No log of "));
        pieces.push(link(format!("{noun} {}", numbers(&fleet.missing)), "#findings", "warn"));
        pieces.push(words("."));
    }
    pieces
}

/// The notes below the verdict: consequences of a difference, and what the numbers count.
pub(crate) fn notes(report: JobReport<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    match report.found.cause().map(|finding| (finding.severity, finding.kind.facts().fact)) {
        Some((Severity::Warning, Some(Fact::Cache))) => {
            notes.push(
                "While one rank compiles, ranks that wait for it in a collective wait longer.".to_owned(),
            );
        }
        Some((_, Some(Fact::Config))) => {
            notes.push(
                "Settings affect the generated code, so all ranks of a job should have the \
                same."
                    .to_owned(),
            );
        }
        Some((Severity::Error, Some(Fact::Collectives))) if !report.found.schedules.differences.is_empty() => notes.push(
            "A collective that some ranks of its process group do not call never completes: the job hangs \
            until the timeout."
                .to_owned(),
        ),
        _ => {}
    }
    let cached = report.found.compared.iter().filter(|one| matches!(one.outcome, Err(Unknown::Cached)));
    let cached: Vec<String> = cached.map(|one| fact_words::name(one.fact).to_lowercase()).collect();
    if !cached.is_empty() {
        notes.push(format!(
            "Not compared, as torch records these only for graphs that it compiles, but graphs came from a \
            cache: {}.",
            list_of(&cached)
        ));
    }
    let fleet = &report.found.fleet;
    if let Some(extremes) = fleet.extremes
        && let (Some(fast), Some(slow)) = (report.rank_at(extremes.fastest), report.rank_at(extremes.slowest))
        && let (Some(least), Some(most)) = (fast.compile_time_s, slow.compile_time_s)
        && fast.number != slow.number
    {
        notes.push(format!(
            "Slowest to compile: rank {} with {}; fastest: rank {} with {}.",
            slow.number,
            micros(most * 1e6),
            fast.number,
            micros(least * 1e6)
        ));
    }
    notes
}
