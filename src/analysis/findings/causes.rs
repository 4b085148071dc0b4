//! Which finding is the cause of which: a tree, so that a cause comes with its consequences.

use super::basis::Basis;
use super::finding::{EntryKey, Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use super::{first_run, ranking};
use crate::analysis::resumed;
use crate::limits::{KEPT_OF_ONE, TRIED};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Frame, Function, Model};
use crate::trace::{FileRef, TextMap};
use fxhash::FxHashMap;

/// The file of torch through which a program calls what it has compiled.
const ENTRY: &str = "_dynamo/eval_frame.py";

/// Finds the cause of each finding and orders them: causes by importance, each followed by its consequences.
pub(super) fn arrange(basis: Basis<'_>, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.extend(first_run::finding(basis, &findings));
    first_run::advise(basis, &mut findings);
    let causes = causes(basis, &findings);
    for (index, cause) in causes.iter().enumerate() {
        let words =
            cause.and_then(|cause| findings.get(cause)).filter(|one| one.kind != KindOfFinding::FirstRun);
        let words = words.map(words_of);
        if let (Some(words), Some(one)) = (words, findings.get_mut(index)) {
            one.fact("Caused by", Value::Prose(words));
        }
    }
    ranking::in_tree(findings, &causes)
}

/// The cause in words: its title with its place.
fn words_of(cause: &Finding) -> String {
    let title = cause.title.text();
    match (&cause.place.file, cause.place.line) {
        (Some(file), Some(line)) => format!("{title} ({}:{line})", file_name(file)),
        _ => title,
    }
}

/// The cause of each finding, by position.
fn causes(basis: Basis<'_>, findings: &[Finding]) -> Vec<Option<usize>> {
    let model = basis.model;
    let first_run = findings.iter().position(|one| one.kind == KindOfFinding::FirstRun);
    let of_versions = |one: &Finding| one.kind.facts().topic == Some(Topic::Recompilations);
    let breaks = findings.iter().any(of_versions).then(|| Breaks::new(basis, findings));
    let failures = failures_by_line(findings);
    let cause = |(index, one): (usize, &Finding)| {
        // What saves seconds by itself is something to do of its own.
        let is_told_by =
            |first| first != index && one.severity == Severity::Info && first_run::has(model, one);
        if first_run.is_some_and(is_told_by) {
            return first_run;
        }
        if one.kind == KindOfFinding::GraphBreak {
            let line = one.place.line?;
            let at = |compile: &CompileIndex| {
                failures.get(&FailedAt { file: one.place.file.as_deref(), line, compile: *compile })
            };
            return one.compiles.iter().filter_map(at).min().copied();
        }
        let cause = breaks.as_ref().filter(|_| of_versions(one))?.cause_of(model, one)?;
        (cause != index).then_some(cause)
    };
    findings.iter().enumerate().map(cause).collect()
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

/// Where functions broke or gave up, to find what is compiled because of it.
struct Breaks<'m> {
    /// The finding about the break that a resume function follows.
    resumes: FxHashMap<CompileIndex, usize>,
    /// The finding about the first failure of a compile, else about its first break.
    of_compile: FxHashMap<CompileIndex, usize>,
    /// Compiles that broke or failed, by file and name of their function.
    broken: TextMap<FunctionPlace<'m>, Vec<CompileIndex>>,
    /// The same by the frames that called the function, where the last is torch's entry to what was compiled.
    called: TextMap<Call, Vec<CompileIndex>>,
    /// Findings whose stack runs through a function while torch traced a caller of it, by its name and file; failures
    /// first. Of findings about one compile or later ones, the first.
    through: TextMap<(String, String), Vec<Through>>,
}

/// A finding whose stack runs through a function, and the first compile that it is about.
struct Through {
    finding: usize,
    first: CompileIndex,
}

/// The frames of a call, outermost first.
type Call = Vec<(FileRef, Option<u64>)>;

fn call(frames: &[Frame]) -> Call {
    frames.iter().map(|frame| (frame.file, frame.line)).collect()
}

/// A function by its name and file.
#[derive(PartialEq, Eq, Hash)]
struct FunctionPlace<'m> {
    name: &'m str,
    file: &'m str,
}

impl<'m> Breaks<'m> {
    fn new(Basis { model, breaks, .. }: Basis<'m>, findings: &[Finding]) -> Breaks<'m> {
        let mut of_compile: FxHashMap<CompileIndex, usize> = FxHashMap::default();
        let mut through: TextMap<(String, String), Vec<Through>> = TextMap::default();
        for kind in [KindOfFinding::Failure, KindOfFinding::GraphBreak] {
            for (index, one) in findings.iter().enumerate().filter(|(_, one)| one.kind == kind) {
                if let Some(&first) = one.compiles.first() {
                    let traced = model.compiles.get(first).and_then(|first| first.function.as_deref());
                    let traced = traced.map(|function| whole(&function.name));
                    let named = one.stack.iter().take(TRIED).map(|frame| (whole(&frame.function), frame));
                    for (name, frame) in
                        named.filter(|(name, _)| traced.is_some_and(|traced| traced != *name))
                    {
                        let function = (name.to_owned(), frame.file.clone());
                        let known = through.entry(function).or_default();
                        let is_earlier = known.last().is_none_or(|last: &Through| first < last.first);
                        known.extend(is_earlier.then_some(Through { finding: index, first }));
                    }
                }
                for &compile in &one.compiles {
                    of_compile.entry(compile).or_insert(index);
                }
            }
        }
        let mut resumes = FxHashMap::default();
        for (finding, one) in findings.iter().enumerate() {
            let entries = one.members.iter().chain([one]).filter_map(|one| one.entry);
            let hits = entries.filter_map(|entry| match entry {
                EntryKey::Break(place) => breaks.get(place),
                _ => None,
            });
            resumes.extend(hits.flatten().flat_map(|hit| &hit.resumes).map(|&compile| (compile, finding)));
        }
        let mut broken: TextMap<FunctionPlace<'m>, Vec<CompileIndex>> = TextMap::default();
        let mut called: TextMap<Call, Vec<CompileIndex>> = TextMap::default();
        for (index, compile) in model.compiles.indexed().filter(|(index, _)| of_compile.contains_key(index)) {
            if let Some(place) = compile.function.as_deref().and_then(FunctionPlace::of) {
                broken.entry(place).or_default().push(index);
            }
            let callers =
                compile.stack.as_deref().and_then(|stack| stack.split_last()).map(|(_, callers)| callers);
            let entered = callers.filter(|callers| callers.len() <= TRIED && is_entry(model, callers.last()));
            if let Some(callers) = entered.filter(|_| called.len() < KEPT_OF_ONE) {
                called.entry(call(callers)).or_default().push(index);
            }
        }
        Breaks { resumes, of_compile, broken, called, through }
    }

    /// The finding that made torch compile what a finding is about.
    fn cause_of(&self, model: &Model, one: &Finding) -> Option<usize> {
        let resumed = one.compiles.iter().find_map(|compile| self.resumes.get(compile)).copied();
        resumed.or_else(|| self.caller_that_gave_up(model, *one.compiles.first()?))
    }

    /// The finding about the nearest caller that had broken or failed before: torch then compiles what it calls.
    fn caller_that_gave_up(&self, model: &Model, compile: CompileIndex) -> Option<usize> {
        let stack = model.compiles.get(compile)?.stack.as_deref().unwrap_or_default();
        let callers = stack.split_last().map_or(stack, |(_, callers)| callers);
        let named = callers.iter().rev().take(TRIED).find_map(|frame| {
            let place = FunctionPlace { name: whole(&frame.name), file: model.strings.get(frame.file)? };
            self.before(self.broken.get(&place)?, compile)
        });
        named
            .or_else(|| self.caller_without_frame(model, compile, callers))
            .or_else(|| self.broke_within(model, compile))
    }

    /// The finding about a break or failure within this function, while torch traced a caller of it.
    fn broke_within(&self, model: &Model, compile: CompileIndex) -> Option<usize> {
        let function = model.compiles.get(compile)?.function.as_deref()?;
        let through = self.through.get(&(whole(&function.name).to_owned(), function.file.clone()?))?;
        // Each is about an earlier compile than the one before it.
        let before = through.partition_point(|one| one.first >= compile);
        through.get(before).map(|one| one.finding)
    }

    /// The same where the stack has dropped the caller: what torch compiled in the same call had broken or failed before, and
    /// the frames go on beyond that call.
    fn caller_without_frame(&self, model: &Model, compile: CompileIndex, callers: &[Frame]) -> Option<usize> {
        let entries = (1..callers.len().clamp(1, TRIED)).rev();
        let mut calls =
            entries.filter_map(|end| callers.get(..end)).filter(|call| is_entry(model, call.last()));
        calls.find_map(|frames| self.before(self.called.get(&call(frames))?, compile))
    }

    /// The finding about the last of these compiles before another one.
    fn before(&self, broken: &[CompileIndex], compile: CompileIndex) -> Option<usize> {
        let before = broken.partition_point(|broken| *broken < compile);
        self.of_compile.get(broken.get(before.checked_sub(1)?)?).copied()
    }
}

fn is_entry(model: &Model, frame: Option<&Frame>) -> bool {
    let file = frame.and_then(|frame| model.strings.get(frame.file));
    file.is_some_and(|file| file.ends_with(ENTRY))
}

impl<'m> FunctionPlace<'m> {
    fn of(function: &'m Function) -> Option<FunctionPlace<'m>> {
        Some(FunctionPlace { name: whole(&function.name), file: function.file.as_deref()? })
    }
}

/// The name of the whole function: `f` of `torch_dynamo_resume_in_f_at_9`.
fn whole(name: &str) -> &str {
    resumed(name).map_or(name, |(function, _)| function)
}
