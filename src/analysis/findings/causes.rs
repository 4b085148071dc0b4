//! Which finding is the cause of which: said only where the log shows that the one is made of the other.

use super::basis::Basis;
use super::finding::{EntryKey, Finding, Value};
use super::kind::{KindOfFinding, Topic};
use super::{first_run, ranking};
use crate::analysis::recompiles::{Chain, ChangeKind, ChangedThing, is_left_by_break};
use crate::limits::TRIED;
use crate::model::words::{duration, file_name, resumed};
use crate::model::{CompileIndex, Frame, Model};
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// The file of torch through which a program calls what it has compiled.
const ENTRY: &str = "_dynamo/eval_frame.py";

/// Finds the cause of each finding and orders them by importance, what follows from one and costs no more below it.
pub(super) fn arrange(basis: Basis<'_>, findings: Vec<Finding>) -> Vec<Finding> {
    let mut findings = first_run::as_one(basis, findings);
    first_run::advise(basis, &mut findings);
    let causes = causes(basis, &findings);
    let mut made_us = vec![0.0; findings.len()];
    for (index, cause) in causes.iter().enumerate() {
        let Some((above, one)) = cause.and_then(|cause| findings.get(cause)).zip(findings.get(index)) else {
            continue;
        };
        let words = words_of(above);
        let us = if makes(basis, above, one) { one.lost_us() } else { 0.0 };
        let follows = (us > 0.0).then(|| format!("{}: up to {}", one.title.text(), duration(us)));
        if let Some(one) = findings.get_mut(index) {
            one.fact("Caused by", Value::Prose(words));
        }
        if let (Some(follows), Some(cause)) = (follows, *cause) {
            made_us.get_mut(cause).into_iter().for_each(|made| *made += us);
            findings
                .get_mut(cause)
                .into_iter()
                .for_each(|above| above.fact("Causes", Value::Prose(follows.clone())));
        }
    }
    ranking::in_tree(findings, &causes, &made_us)
}

/// Whether a break makes the numbers or sizes for which the code behind it was compiled again, so that they vanish with it: it
/// breaks where numbers are taken from a tensor, or they are what the broken call left, sizes where data decide them.
fn makes(basis: Basis<'_>, broken: &Finding, rest: &Finding) -> bool {
    let breaks = breaks_of(broken).filter_map(|place| basis.model.graph_breaks.get(place));
    let texts =
        breaks.flat_map(|one| [Some(&one.reason), one.explanation.as_ref(), one.debug_context.as_ref()]);
    let said: Vec<&String> = texts.flatten().collect();
    let mentions = |name: &str| said.iter().any(|text| text.contains(name));
    let is_taken = mentions("Tensor.item") || mentions("_local_scalar_dense");
    let is_sized = mentions("ynamic shape operator");
    let Some(EntryKey::Chain(place)) = rest.entry else { return false };
    let subjects = basis.chains.get(place).map(Chain::subjects).unwrap_or_default();
    let is_left = |name: &str| is_taken || is_left_by_break(name);
    let is_made = |subject: &ChangedThing<'_>| match subject.kind {
        Some(ChangeKind::Number) => subject.source().is_some_and(is_left),
        Some(ChangeKind::Size | ChangeKind::ZeroOne) => {
            is_sized && subject.source().is_some_and(is_left_by_break)
        }
        _ => false,
    };
    !subjects.is_empty() && subjects.iter().all(is_made)
}

/// The graph breaks of a finding.
fn breaks_of(one: &Finding) -> impl Iterator<Item = usize> {
    one.members.iter().chain([one]).filter_map(|one| match one.entry {
        Some(EntryKey::Break(place)) => Some(place),
        _ => None,
    })
}

/// The cause in words: its title with its place.
fn words_of(cause: &Finding) -> String {
    let title = cause.title.text();
    match (&cause.place.file, cause.place.line) {
        (Some(file), Some(line)) => format!("{title} ({}:{line})", file_name(file)),
        _ => title,
    }
}

/// The cause of each finding, by position: of a graph break the failure of the same compile at the same line, of a
/// recompilation the break after which its function resumes, or the failure that left a caller to eager mode, so that torch
/// compiles what it calls. Behind a break that is called in compiled code, no log shows what would vanish with the break.
fn causes(basis: Basis<'_>, findings: &[Finding]) -> Vec<Option<usize>> {
    let failures = failures_by_line(findings);
    let resumes = resume_functions(basis, findings);
    let gave_up = gave_up(basis.model, findings);
    let cause = |one: &Finding| match one.kind {
        KindOfFinding::GraphBreak => {
            let place = one.called_from.as_ref().unwrap_or(&one.place);
            let line = place.line?;
            let at = |compile: &CompileIndex| {
                failures.get(&FailedAt { file: place.file.as_deref(), line, compile: *compile })
            };
            one.compiles.iter().filter_map(at).min().copied()
        }
        kind if kind.facts().topic == Some(Topic::Recompilations) => {
            // A function that was compiled again together with the code behind its break has another cause.
            let is_rest = one.compiles.first().is_none_or(|first| is_resume(basis.model, *first));
            let resumes = one.compiles.iter().filter(|_| is_rest).find_map(|compile| resumes.get(compile));
            let resumed = resumes.copied();
            let stack = || basis.model.compiles.get(*one.compiles.first()?)?.stack.as_deref();
            resumed.or_else(|| {
                let stack = stack()?;
                let earlier = gave_up.iter().rev().filter(|call| Some(&call.compile) < one.compiles.first());
                earlier.filter(|call| call.calls(stack)).map(|call| call.finding).next()
            })
        }
        _ => None,
    };
    findings.iter().map(cause).collect()
}

fn is_resume(model: &Model, compile: CompileIndex) -> bool {
    let function = model.compiles.get(compile).and_then(|compile| compile.function.as_deref());
    function.is_some_and(|function| resumed(&function.name).is_some())
}

/// A line at which a compile failed.
#[derive(PartialEq, Eq, Hash)]
struct FailedAt<'f> {
    file: Option<&'f str>,
    line: u64,
    compile: CompileIndex,
}

/// The first finding about each failure, by its line and compiles. A graph break there is the record of the failure.
fn failures_by_line(findings: &[Finding]) -> TextMap<FailedAt<'_>, usize> {
    let mut found = TextMap::default();
    for (index, one) in findings.iter().enumerate().filter(|(_, one)| one.kind == KindOfFinding::Failure) {
        let Some(line) = one.place.line else { continue };
        for &compile in &one.compiles {
            found.entry(FailedAt { file: one.place.file.as_deref(), line, compile }).or_insert(index);
        }
    }
    found
}

/// A call of compiled code that a failure left to eager mode.
struct GaveUp<'m> {
    /// The finding about the failure.
    finding: usize,
    compile: CompileIndex,
    /// The frames that lead into the call; the last is torch's entry to what was compiled.
    frames: &'m [Frame],
}

impl GaveUp<'_> {
    /// Whether a stack goes on beyond the call: torch drops the frame of the function that failed.
    fn calls(&self, stack: &[Frame]) -> bool {
        let is_same = |(one, other): (&Frame, &Frame)| (one.file, one.line) == (other.file, other.line);
        stack.len() > self.frames.len() + 1 && self.frames.iter().zip(stack).all(is_same)
    }
}

/// The first calls that failures left to eager mode, in the order of the log.
fn gave_up<'m>(model: &'m Model, findings: &[Finding]) -> Vec<GaveUp<'m>> {
    let failures = findings.iter().enumerate().filter(|(_, one)| one.kind == KindOfFinding::Failure);
    let calls = failures.flat_map(|(finding, one)| one.compiles.iter().map(move |&at| (finding, at)));
    let calls = calls.filter_map(|(finding, compile)| {
        let (_, frames) = model.compiles.get(compile)?.stack.as_deref()?.split_last()?;
        let entry = model.strings.get(frames.last()?.file)?;
        entry.ends_with(ENTRY).then_some(GaveUp { finding, compile, frames })
    });
    let mut calls: Vec<GaveUp<'m>> = calls.take(TRIED).collect();
    calls.sort_by_key(|call| call.compile);
    calls
}

/// The finding about the break that each resume function follows.
fn resume_functions(Basis { breaks, .. }: Basis<'_>, findings: &[Finding]) -> FxHashMap<CompileIndex, usize> {
    let mut resumes = FxHashMap::default();
    for (finding, one) in findings.iter().enumerate() {
        let hits = breaks_of(one).filter_map(|place| breaks.get(place));
        resumes.extend(hits.flatten().flat_map(|hit| &hit.resumes).map(|&compile| (compile, finding)));
    }
    resumes
}
