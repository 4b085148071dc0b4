//! The verdict on a job: whether its ranks agree, else where they first differ.

use super::job_report::JobReport;
use crate::analysis::findings::KindOfFinding;
use crate::analysis::job::{Compared, Comparison, Unknown, rank_words};
use crate::analysis::{Finding, Severity};
use crate::facts::ranks::{Aspect, RankSummary};
use crate::limits::NAMED_BRIEFLY;
use crate::model::words::{list_of, plain, ranks_by_number};
use crate::report::kit::formats::{counted, micros, short_path, whole};
use crate::report::kit::verdict::Words;
use std::borrow::Cow;
use std::collections::BTreeSet;

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
    let comparable = job.ranks.iter().filter(|rank| has_begun(rank)).count();
    let all = job.ranks.len() + report.found.fleet.missing.len();
    // A rank that was not compared is not counted.
    let ranks = match comparable {
        2.. if comparable < all => format!("{} of {}", whole(comparable), counted(all, "rank", "ranks")),
        _ => counted(job.ranks.len(), "rank", "ranks"),
    };
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
        (_, Some(finding)) => pieces.extend(difference(report, finding)),
    }
    if comparable > 1 {
        pieces.extend(in_part(report));
    }
    pieces.extend(trouble(report));
    pieces
}

/// How ranks differ, by the finding that may be the cause of all others.
fn difference(report: JobReport<'_>, finding: &Finding) -> Vec<Words> {
    let mut pieces = Vec::new();
    let class = if finding.severity == Severity::Error { "err" } else { "warn" };
    let title = finding.title.plain();
    // The verdict says how many all ranks are.
    let of_all = title.strip_prefix("ranks ").filter(|title| title.starts_with("call "));
    pieces.push(words(match (finding.severity, finding.kind.facts().aspect) {
        (Severity::Info, Some(Aspect::Cache)) if compile_the_same(report) => {
            " compile the same; a harmless race: "
        }
        (_, Some(Aspect::Cache | Aspect::CacheKeys | Aspect::Settings)) if compile_the_same(report) => {
            " compile the same, but "
        }
        (Severity::Info, Some(Aspect::ProcessGroups)) if of_all.is_some() => " ",
        (_, Some(Aspect::Cache | Aspect::CacheKeys)) | (Severity::Info, Some(Aspect::ProcessGroups)) => ": ",
        (Severity::Info, _) if report.found.call_the_same() => " call the same collectives, but ",
        (Severity::Info, _) => ": ",
        _ => " diverge: ",
    }));
    let href = if report.found.has_sides(finding) { "#first" } else { "#findings" };
    pieces.push(link(of_all.unwrap_or(&title), href, class));
    if let Some(place) = place(finding) {
        pieces.push(words(format!(" ({place})")));
    }
    pieces.push(words("."));
    let (compared, differing) = (compared(report), differing(report));
    if differing > 1 {
        pieces.push(words(format!(" {} in ", odd_ranks(report))));
        pieces.push(link(format!("{} of {} facts", whole(differing), whole(compared)), "#facts", "warn"));
        pieces.push(words("."));
    }
    pieces
}

/// Whether the log of a rank says anything of what it compiled.
fn has_begun(rank: &RankSummary) -> bool {
    let mut compiled = rank.steps(Aspect::Functions).iter();
    rank.is_comparable() && (!rank.is_cut() || compiled.any(|step| step.value.is_some()))
}

/// Whether a difference explains why ranks stopped.
fn is_before_stops(report: JobReport<'_>, cause: &Finding) -> bool {
    report.found.findings.first().is_some_and(|first| first.kind == cause.kind)
}

/// Whether the ranks are known to compile the same functions, in the same way where the logs show that, and none ended
/// before the others.
fn compile_the_same(report: JobReport<'_>) -> bool {
    let facts =
        [Aspect::Functions, Aspect::Guards, Aspect::Graphs].map(|aspect| report.found.comparison(aspect));
    let is_same = |one: &Comparison| !one.differs() && one.left_out.is_empty() && one.in_part.is_empty();
    report.found.fleet.stops.is_empty() && facts.into_iter().flatten().all(is_same)
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
    let odd: BTreeSet<usize> = groups.flat_map(|group| group.ranks.iter().copied()).collect();
    let odd: Vec<usize> = odd.into_iter().collect();
    match (report.job.ranks.len(), odd.len()) {
        (..=2, _) => "They differ".to_owned(),
        (_, 1) => format!("R{} differs", rank_words(report.job, &odd).trim_start_matches('r')),
        _ => format!("R{} differ", rank_words(report.job, &odd).trim_start_matches('r')),
    }
}

/// Number of kinds of facts that were compared, including those only shown: of all ranks, as far as their logs go.
fn compared(report: JobReport<'_>) -> usize {
    let is_known = |one: &&Compared| {
        one.outcome.as_ref().is_ok_and(|known| known.differs() || known.left_out.is_empty())
            && lacking(report, one).is_empty()
    };
    report.found.compared.iter().filter(is_known).count()
}

/// Number of those in which ranks differ.
fn differing(report: JobReport<'_>) -> usize {
    let compared = report.found.compared.iter().filter_map(|one| one.outcome.as_ref().ok());
    compared.filter(|one| one.differs()).count()
}

/// The ranks of which the logs lack a part that they should have.
fn lacking(report: JobReport<'_>, compared: &Compared) -> Vec<usize> {
    let ranks =
        report.job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable() && !rank.is_cut());
    let is_lacking = |index: usize, rank: &RankSummary| match &compared.outcome {
        Ok(one) if one.differs() => false,
        Ok(one) => one.left_out.contains(&index) || one.in_part.contains(&index),
        Err(Unknown::OneRank) => rank.fact(compared.aspect).is_none(),
        Err(_) => false,
    };
    ranks.filter(|(index, rank)| is_lacking(*index, rank)).map(|(index, _)| index).collect()
}

/// The facts that are not known to be equal, as a rank lacks a part.
fn in_part(report: JobReport<'_>) -> Vec<Words> {
    let all = report.found.compared.iter().map(|one| (one.aspect, lacking(report, one)));
    let (facts, ranks): (Vec<Aspect>, Vec<Vec<usize>>) = all.filter(|(_, ranks)| !ranks.is_empty()).unzip();
    let ranks: BTreeSet<usize> = ranks.into_iter().flatten().collect();
    let ranks: Vec<usize> = ranks.into_iter().collect();
    if ranks.is_empty() {
        return Vec::new();
    }
    let is_cached = |rank: &usize| report.rank_at(*rank).is_some_and(|rank| !rank.cached.is_empty());
    let who = rank_words(report.job, &ranks);
    let why = match ranks.iter().all(is_cached) {
        true => format!(", as a cache had graphs for {who}."),
        false if ranks.len() == 1 => format!(", of which the log of {who} does not hold all."),
        false => format!(", of which the logs of {who} do not hold all."),
    };
    let names: Vec<String> = facts.iter().map(|aspect| aspect.name().to_lowercase()).collect();
    vec![words(" Not compared in full: "), link(list_of(&names), "#facts", ""), words(why)]
}

fn agreement(report: JobReport<'_>) -> Vec<Words> {
    let each = report.found.comparison(Aspect::Functions).and_then(|one| one.groups.first());
    let each = each.map_or(0, |group| group.steps.len());
    let facts = link(counted(compared(report), "fact", "facts"), "#facts", "");
    let mut pieces = match differing(report) {
        0 if is_whole(report) => vec![
            words(" are consistent in all "),
            facts,
            words(" that were compared"),
            words(format!(": {} on each.", counted(each, "compilation", "compilations"))),
        ],
        0 if report.found.fleet.stops.is_empty() => {
            vec![words(" agree in all "), facts, words(" that were compared.")]
        }
        0 => vec![words(" agree in all "), facts, words(" that were compared, as far as their logs go.")],
        count => vec![
            words(" differ in "),
            link(format!("{} of {} facts", whole(count), whole(compared(report))), "#facts", ""),
            words("."),
        ],
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

/// Whether there is a log of each rank, read to its end, and none says that something failed.
fn is_whole(report: JobReport<'_>) -> bool {
    let fleet = &report.found.fleet;
    let has_failed = |rank: &RankSummary| !rank.steps(Aspect::Failures).is_empty();
    let is_fine = |rank: &RankSummary| rank.is_comparable() && rank.is_intact() && !has_failed(rank);
    fleet.stops.is_empty() && fleet.missing.is_empty() && report.job.ranks.iter().all(is_fine)
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
        pieces.push(words(" No log of "));
        pieces.push(link(ranks_by_number(&fleet.missing), "#findings", "warn"));
        pieces.push(words("."));
    }
    pieces
}

/// The notes below the verdict: consequences of a difference, and what the numbers count.
pub(crate) fn notes(report: JobReport<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    match report.found.cause().map(|finding| (finding.severity, finding.kind.facts().aspect)) {
        Some((Severity::Warning, Some(Aspect::Cache))) => {
            notes.push(
                "While one rank compiles, ranks that wait for it in a collective wait longer.".to_owned(),
            );
        }
        Some((_, Some(Aspect::Settings))) => {
            notes.push(
                "Settings affect the generated code, so all ranks of a job should have the \
                same."
                    .to_owned(),
            );
        }
        Some((Severity::Error, Some(Aspect::Collectives))) if !report.found.schedules.differences.is_empty() => notes.push(
            "A collective that some ranks of its process group do not call never completes: the job hangs \
            until the timeout."
                .to_owned(),
        ),
        _ => {}
    }
    let cached = report.found.compared.iter().filter(|one| matches!(one.outcome, Err(Unknown::Cached)));
    let cached: Vec<String> = cached.map(|one| one.aspect.name().to_lowercase()).collect();
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
