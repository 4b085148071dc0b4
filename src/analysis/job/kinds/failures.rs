//! Failed compiles: of some ranks, or of all alike.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::causes;
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::{NamedFunction, short, with_id};
use crate::analysis::job::sides::{Sides, does_not, set_compiles, set_place};
use crate::analysis::job::words;
use crate::facts::ranks::{Aspect, CodePlace, FactValue, Job, RankSummary, Step};
use crate::limits::IN_HEAD;
use crate::model::sentence::{name, own, quoted, sentence};
use crate::model::{NameOf, Sentence};
use std::collections::BTreeMap;

/// Failures that some ranks have and others do not; None for those that ended a rank.
pub(super) fn difference(sides: &Sides<'_>) -> Option<Finding> {
    let Some(extra) = sides.extra() else {
        return Some(sides.diverging(
            KindOfFinding::FailuresDiffer,
            Severity::Warning,
            sides.plainly("fails with", "fail with"),
        ));
    };
    if extra.doing.ranks.iter().any(|rank| causes::ends_with_failure(sides.job, *rank)) {
        return None;
    }
    let tail = sentence![", ", sides.who(extra.lacking), does_not(extra.lacking)];
    let title = title(sides.job, &extra.doing.ranks, &extra.step, sides.who(extra.doing).into(), tail);
    let mut finding = sides.diverging(KindOfFinding::FailuresDiffer, Severity::Warning, title);
    finding.in_job.ranks = extra.doing.ranks.clone();
    sides.place(&mut finding, place_of(sides.job, &extra.step));
    Some(finding)
}

/// Ranks that a failure ended.
struct Ended {
    step: Step,
    ranks: Vec<usize>,
}

/// Failures that ended their ranks, equal ones together, unless all ranks have them.
pub(super) fn ended(job: &Job, _: &JobFound) -> Vec<Finding> {
    let comparable = job.ranks.iter().filter(|rank| rank.is_comparable()).count();
    let mut by_failure: BTreeMap<FactValue, Ended> = BTreeMap::new();
    for (index, rank) in
        job.ranks.iter().enumerate().filter(|(index, _)| causes::ends_with_failure(job, *index))
    {
        let last = rank.steps(Aspect::Failures).last();
        if let Some((step, value)) = last.and_then(|step| Some((step, step.value?))) {
            let ended = by_failure.entry(value).or_insert(Ended { step: *step, ranks: Vec::new() });
            ended.ranks.push(index);
        }
    }
    let failed: usize = by_failure.values().map(|ended| ended.ranks.len()).sum();
    let others = comparable.saturating_sub(failed);
    if others == 0 {
        return Vec::new();
    }
    let tail = |ranks: &[usize], step: &Step| {
        // A rank whose log ends inside the same compile may fail there as well.
        let is_inside = |(index, rank): (usize, &RankSummary)| {
            let inside = rank.end.as_ref().filter(|_| rank.is_cut()).and_then(|end| rank.graph(end.compile));
            !ranks.contains(&index) && inside.is_some() && inside == step.graph
        };
        match others {
            _ if job.ranks.iter().enumerate().any(is_inside) => Sentence::default(),
            1 => sentence![", the other rank does not"],
            _ => sentence![", ", own(format!("the other {others} ranks")), " do not"],
        }
    };
    let finding = |Ended { step, ranks }: Ended| {
        let who = words::ranks(job, &ranks).into();
        let title = title(job, &ranks, &step, who, tail(&ranks, &step));
        let mut finding = Finding::new(KindOfFinding::FailuresDiffer, Severity::Error, title)
            .in_case("ended")
            .with_ranks(ranks);
        set_compiles(job, &mut finding, [step.compile]);
        set_place(job, &mut finding, place_of(job, &step));
        finding
    };
    by_failure.into_values().take(IN_HEAD).map(finding).collect()
}

/// The line of a failure, or of its function.
fn place_of(job: &Job, step: &Step) -> Option<CodePlace> {
    let Some(FactValue::Failed { function, place, .. }) = step.value else { return None };
    place.or(NamedFunction::new(&job.texts, step.graph, function).place)
}

/// `rank 1 fails to compile the backward of `f` (0/0), ranks 0 and 2 do not: InductorError: ..`
fn title(job: &Job, ranks: &[usize], step: &Step, who: Sentence, tail: Sentence) -> Sentence {
    let texts = &job.texts;
    let fails = if ranks.len() == 1 { " fails to compile " } else { " fail to compile " };
    let Some(FactValue::Failed { error, function, message, is_backward, .. }) = step.value else {
        return sentence![who, fails, with_id(texts, None, step.compile)];
    };
    let named = function.name.map(|_| NamedFunction::new(texts, step.graph, function));
    let what = with_id(texts, named, step.compile);
    let pass = if is_backward { "the backward of " } else { "" };
    let message = texts.maybe(message).map(|text| sentence![": ", quoted(short(text))]);
    sentence![who, fails, pass, what, tail, ": ", name(NameOf::Exception, texts.get(error)), message]
}

/// Failures that all ranks have alike, so that no comparison shows them.
pub(super) fn everywhere(job: &Job, found: &JobFound) -> Vec<Finding> {
    let Some(steps) = found.alike(Aspect::Failures) else { return Vec::new() };
    let Some(first) = steps.first().and_then(|step| job.value(step)) else { return Vec::new() };
    // A log that was cut off agrees as far as it goes, which may be before any failure.
    let has_failed = |rank: &RankSummary| !rank.steps(Aspect::Failures).is_empty();
    if !job.ranks.iter().filter(|rank| rank.is_comparable()).all(has_failed) {
        return Vec::new();
    }
    // The reports of the ranks tell it with its place and its cost.
    let told = job.shared.iter().filter(|shared| *shared.finding.kind == *KindOfFinding::Failure.word());
    if told.into_iter().any(|shared| shared.ranks.len() >= job.ranks.len()) {
        return Vec::new();
    }
    let times = words::how_often(steps.len() as u64);
    let title = sentence!["all ranks fail alike, ", own(times), " each; first: ", quoted(first)];
    let mut finding = Finding::new(KindOfFinding::Failures, Severity::Error, title);
    set_place(job, &mut finding, steps.first().and_then(|step| place_of(job, step)));
    vec![finding]
}
