//! Functions of which ranks call different collectives.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::schedules::{Call, ScheduleDifference, ScheduleSide, Sureness};
use crate::analysis::job::sides::{set_compiles, set_place};
use crate::analysis::job::words;
use crate::facts::ranks::Job;
use crate::limits::{IN_HEAD, NAMED};
use crate::model::sentence::{compile_id, name, own, sentence};
use crate::model::{NameOf, Sentence, SentencePart};
use crate::read::fx_graph::short_operation;

/// One finding for each function, the surest first.
pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    found.schedules.differences.iter().take(IN_HEAD).map(|one| finding(job, one)).collect()
}

fn finding(job: &Job, one: &ScheduleDifference) -> Finding {
    let named = NamedFunction::new(&job.texts, Some(one.graph), one.function);
    let (severity, case) = match one.sureness {
        Sureness::Hang => (Severity::Error, "hang"),
        Sureness::OtherVersion => (Severity::Warning, "other_version"),
        Sureness::OneSided => (Severity::Warning, "one_sided"),
        Sureness::OtherGroups if one.most.compile.is_some() && one.other.compile.is_some() => {
            (Severity::Warning, "other_groups")
        }
        Sureness::OtherGroups => (Severity::Info, "other_groups"),
    };
    let mut finding =
        Finding::new(KindOfFinding::CollectivesDiffer, severity, title(job, one, &named)).in_case(case);
    finding.in_job.ranks = one.other.ranks.clone();
    set_compiles(job, &mut finding, [one.other.compile, one.most.compile]);
    // The line of the side that differs, or of the call that it lacks.
    let lines = || [&one.other, &one.most].into_iter().filter_map(|side| side.line.as_ref());
    if let Some(line) = lines().find(|line| line.is_exact).or_else(|| lines().next()) {
        finding.place.file = Some(line.file.clone());
        finding.place.line = Some(line.line);
    } else {
        set_place(job, &mut finding, named.place);
    }
    let count = |side: &ScheduleSide| format!("{} on {}", side.count, who(job, side));
    let order = if one.is_order { " The operations are the same, in another order." } else { "" };
    let (theirs, mine) = (count(&one.other), count(&one.most));
    let counts = format!("Collectives called, in the order of the code: {theirs}; {mine}.{order}");
    let lines = [&one.other, &one.most].into_iter().filter_map(|side| line_words(job, side));
    finding.with_detail(std::iter::once(counts).chain(lines).collect::<Vec<_>>().join("\n"))
}

/// The ranks of a side; of many, how many they are.
fn who(job: &Job, side: &ScheduleSide) -> String {
    match side.ranks.len() {
        count if count > NAMED && count * 2 > job.ranks.len() => format!("most ranks ({count})"),
        _ => words::rank_words(job, &side.ranks),
    }
}

/// `On rank 0, `all_reduce` is called at program.py:12.`
fn line_words(job: &Job, side: &ScheduleSide) -> Option<String> {
    let (line, call) = (side.line.as_ref()?, side.call.as_ref()?);
    let who = who(job, side);
    let called = if line.is_exact { "is called at" } else { "is called in a line after" };
    let operation = short_operation(job.texts.get(call.operation));
    Some(format!("On {who}, `{operation}` {called} `{}:{}`.", line.file, line.line))
}

/// `in `f`, collective 2 is `all_reduce` in process group '0' on rank 0, and rank 1 calls none: rank 0 waits there`
fn title(job: &Job, one: &ScheduleDifference, named: &NamedFunction<'_>) -> Sentence {
    let begin = sentence!["in ", named.words(), ", collective ", one.nth + 1, " is "];
    let who = |side: &ScheduleSide| own(who(job, side));
    let at = |side: &ScheduleSide| {
        side.compile.and_then(|id| job.texts.maybe(Some(id))).map(|id| sentence![" in ", compile_id(id)])
    };
    let on = |side: &ScheduleSide, call: &Call| sentence![call_words(job, call), at(side), " on ", who(side)];
    let waits = |side: &ScheduleSide| match one.sureness {
        Sureness::Hang => {
            let verb = if side.ranks.len() == 1 { " waits there" } else { " wait there" };
            sentence![": ", who(side), verb]
        }
        _ => Sentence::default(),
    };
    let calls = |side: &ScheduleSide| if side.ranks.len() == 1 { " calls " } else { " call " };
    let none = |side: &ScheduleSide| match (side.compile, side.ranks.len()) {
        (None, 1) => sentence![who(side), " does not compile the function"],
        (None, _) => sentence![who(side), " do not compile the function"],
        _ => {
            let none = if one.nth == 0 { "none" } else { "no further one" };
            sentence![who(side), calls(side), none, at(side)]
        }
    };
    match (&one.other.call, &one.most.call) {
        (Some(theirs), Some(mine)) => sentence![begin, on(&one.other, theirs), ", ", on(&one.most, mine)],
        (Some(theirs), None) => {
            sentence![begin, on(&one.other, theirs), ", and ", none(&one.most), waits(&one.other)]
        }
        (None, Some(mine)) => {
            sentence![begin, on(&one.most, mine), ", and ", none(&one.other), waits(&one.most)]
        }
        (None, None) => begin,
    }
}

/// `all_reduce` in process group '0'
fn call_words(job: &Job, call: &Call) -> Sentence {
    let operation = short_operation(job.texts.get(call.operation)).to_owned();
    let group = call
        .group
        .map(|group| sentence![" in process group '", name(NameOf::ProcessGroup, job.texts.get(group)), "'"]);
    sentence![SentencePart::Operator(operation), group]
}
