//! Recompilations: one chain a function, what changed from compile to compile, how far the limit is, what helps.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{ChainStep, Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic, shared_part};
use super::prose;
use crate::analysis::recompile_advice::fixed;
use crate::analysis::recompiles::is_limit;
use crate::analysis::user_place::{UserPlace, function_words, own_frame};
use crate::analysis::{Chain, Change, ChangeKind, Step, Subject, recompile_advice, recompile_limit};
use crate::model::words::{counted, file_name};
use crate::model::{CompileIndex, Model, Reason};
use fxhash::FxHashSet;

/// Values of a changing thing that are named.
const VALUES: usize = 12;

/// Characters of a value; a longer one is not a value that people compare.
const LONGEST_VALUE: usize = 80;

/// Steps of a chain that a finding lists; all stand on the page of recompilations and in report.json.
const STEPS: usize = 32;

/// Recompilations.
pub(super) const FAMILY: Family = Family { kinds: &[&RECOMPILATION, &RECOMPILE_LIMIT], of_log };

/// A function was compiled again.
static RECOMPILATION: KindOfFinding = KindOfFinding {
    checked: Some("recompilation"),
    topic: Some(Topic::Recompilations),
    records: &["recompile_reasons"],
    grouped_title: |title, places| format!("{places} functions were compiled again: {}", shared_part(title)),
    charged: ChargeOrder::Recompilation,
    ..KindOfFinding::of("recompilation", "Recompile")
};

/// A function was compiled so often that torch gave up.
static RECOMPILE_LIMIT: KindOfFinding = KindOfFinding {
    topic: Some(Topic::Recompilations),
    records: &["recompile_reasons"],
    grouped_title: |title, places| format!("{places} functions run uncompiled: {}", shared_part(title)),
    charged: ChargeOrder::RecompileLimit,
    ..KindOfFinding::of("recompile_limit", "Limit reached")
};

/// One finding per frame that torch says was compiled again, in the order of the log. Without a record of it, a second
/// compile of a frame mostly means that the program cleared torch's caches.
fn of_log(Basis { model, chains }: Basis<'_>) -> Vec<Finding> {
    let told = model.recompiles.iter().filter_map(|one| model.by_id.get(&one.compile).copied());
    let told: FxHashSet<CompileIndex> = told.collect();
    let is_told =
        |chain: &&Chain<'_>| chain.limit_hit || chain.steps.iter().any(|step| told.contains(&step.compile));
    let mut chains: Vec<&Chain<'_>> = chains.iter().filter(is_told).collect();
    chains.sort_by_key(|chain| chain.steps.first().map(|step| step.compile));
    chains.into_iter().filter_map(|chain| finding(model, chain)).collect()
}

/// Compiles of the frame of `compile` whose recompile reason is that `subject` changed.
pub(super) fn caused_by(chains: &[Chain<'_>], compile: CompileIndex, subject: &str) -> Vec<CompileIndex> {
    let mine = chains.iter().find(|chain| chain.steps.iter().any(|step| step.compile == compile));
    let steps = mine.into_iter().flat_map(|chain| &chain.steps);
    let changed =
        |step: &&Step<'_>| step.change.as_ref().and_then(Change::subject).is_some_and(|name| name == subject);
    steps.filter(changed).map(|step| step.compile).collect()
}

fn finding(model: &Model, chain: &Chain<'_>) -> Option<Finding> {
    let first = chain.steps.first()?.compile;
    let function = function_words(model, first).unwrap_or_else(|| "A function".to_owned());
    let function = function.trim_end_matches(',');
    let (subjects, limit) = (chain.subjects(), recompile_limit(model));
    let what = what(&subjects);
    let (kind, severity, title) = if chain.limit_hit {
        let title = format!("{function} runs uncompiled after {} versions: {what}", chain.kept());
        (&RECOMPILE_LIMIT, Severity::Error, title)
    } else {
        let title = format!("{function} was compiled {} times: {what}", chain.versions);
        (&RECOMPILATION, Severity::Warning, title)
    };
    let mut found = Finding::new(kind, severity, title);
    found.reason = reason(chain, &subjects, limit);
    found.count = chain.versions.saturating_sub(1).max(1) as u64;
    found.detail = detail(model, chain, &subjects);
    found.place = place(model, chain, first);
    found.hints = recompile_advice(model, chain);
    let skipped = usize::from(chain.versions == chain.steps.len());
    let again = chain.steps.len().saturating_sub(skipped);
    let words = format!("compiling {} again", counted(again, "version", "versions"));
    let again: Vec<CompileIndex> = chain.compiles().split_off(skipped.min(chain.steps.len()));
    found.claim(Claim::avoidable(Work::Compile, again, words));
    found.fact("Changed", Value::Change(kinds(&subjects)));
    found.fact("Chain", Value::Chain(steps(chain)));
    let left = match chain.limit_hit {
        true => "the limit is reached, and a call that fits none runs uncompiled".to_owned(),
        false => format!("{} more until torch gives up", limit.saturating_sub(chain.kept() as u64)),
    };
    found.fact("Limit", Value::Prose(format!("{} of {limit} versions kept; {left}", chain.kept())));
    let over =
        chain.steps.iter().find(|step| step.over_limit).and_then(|step| model.compiles.get(step.compile));
    let failure = over.and_then(|c| model.failures.iter().find(|f| f.compile == c.id && is_limit(f)));
    if let Some(failure) = failure {
        found.fact("Exception", Value::Code(vec![failure.error.clone()]));
        found.read_more = prose::read_more(failure.reason.as_deref().unwrap_or_default());
    }
    found.stack = reasons(chain).last().map(|reason| reason.user_stack.clone()).unwrap_or_default();
    found.compiles = chain.compiles();
    Some(found)
}

/// The first reason of each compile that has one.
fn reasons<'c>(chain: &'c Chain<'_>) -> impl Iterator<Item = &'c Reason> {
    chain.steps.iter().filter_map(|step| step.reasons.first().copied())
}

/// `the size of x changed`, for the title.
fn what(subjects: &[Subject<'_>]) -> String {
    let words = subjects.iter().take(3).map(|subject| {
        let name = subject.name.as_deref().unwrap_or_default();
        match subject.kind {
            None => "no reason recorded".to_owned(),
            Some(ChangeKind::Backend) => "the backend changed".to_owned(),
            Some(ChangeKind::Other) if name.is_empty() => "a guard failed".to_owned(),
            Some(ChangeKind::GlobalState) if name.is_empty() => "global state changed".to_owned(),
            Some(kind) if name.is_empty() => format!("{} changed", kind.word()),
            Some(kind @ (ChangeKind::Size | ChangeKind::Stride | ChangeKind::Dtype | ChangeKind::Device)) => {
                format!("the {} `{name}` changed", kind.word())
            }
            Some(ChangeKind::PythonValue) if name.starts_with("___stack") => {
                "a value from before the graph break changed".to_owned()
            }
            Some(ChangeKind::PythonValue) => format!("the Python value `{name}` changed"),
            Some(ChangeKind::ObjectIdentity) => format!("`{name}` is another object"),
            Some(ChangeKind::GlobalState | ChangeKind::Other) => format!("`{name}` changed"),
        }
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "no reason recorded".to_owned() } else { words.join(", ") }
}

fn word(subject: &Subject<'_>) -> &'static str {
    subject.kind.map_or("no reason recorded", ChangeKind::word)
}

/// What many functions may have in common: what changed and how.
fn reason(chain: &Chain<'_>, subjects: &[Subject<'_>], limit: u64) -> String {
    let values = subjects.iter().map(|subject| {
        let name = subject.name.as_deref().unwrap_or_default();
        format!("{} {name} {}", word(subject), values(subject).join(" → "))
    });
    let values: Vec<String> = values.collect();
    format!("{} {} {limit}", values.join(", "), chain.limit_hit)
}

fn kinds(subjects: &[Subject<'_>]) -> String {
    let lines = subjects.iter().map(|subject| {
        let values = values(subject);
        let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(" → ")) };
        match &subject.name {
            None => format!("{}{values}", word(subject)),
            Some(name) => format!("{} `{name}`{values}", word(subject)),
        }
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Values that a thing had, first to last; of many the first ones and the last.
fn values(subject: &Subject<'_>) -> Vec<String> {
    let mut values = subject.values();
    values.retain(|value| value.len() <= LONGEST_VALUE);
    if values.len() > VALUES {
        let last = values.pop();
        values.truncate(VALUES - 2);
        values.push("..".to_owned());
        values.extend(last);
    }
    values
}

fn detail(model: &Model, chain: &Chain<'_>, subjects: &[Subject<'_>]) -> Option<String> {
    let lead = subjects.first()?;
    if let Some(fixed) = fixed(model, &chain.compiles(), lead) {
        return Some(format!("The dimension was dynamic until a line fixed it to {}.", fixed.value));
    }
    let text = match lead.kind {
        Some(ChangeKind::Size) if lead.changes.len() == 1 => {
            "The first compile is for one size only. A second size makes torch treat the dimension as dynamic, \
             unless dynamic=False is set, so one recompile is usual."
        }
        Some(ChangeKind::Size) => "The size was never made dynamic, so each new one is compiled again.",
        Some(ChangeKind::Dtype) => "Each dtype needs code of its own.",
        Some(ChangeKind::Device) => "Each device needs code of its own.",
        Some(ChangeKind::Stride) => "Compiled code is for one memory layout.",
        Some(ChangeKind::PythonValue) => {
            "Dynamo makes Python values part of the compiled code and guards on them, so a new value compiles again."
        }
        Some(ChangeKind::ObjectIdentity) => {
            "Dynamo guards on which object it is, so a new object compiles again."
        }
        Some(ChangeKind::GlobalState) => {
            "Compiled code is for one state of autograd and of torch's global settings."
        }
        Some(ChangeKind::Backend) => "Code that one backend compiled is not used for another.",
        Some(ChangeKind::Other) => "A guard of every older version failed.",
        None => "The log gives no reason for it.",
    };
    Some(text.to_owned())
}

/// Where the guard comes from, else where the function is defined.
fn place(model: &Model, chain: &Chain<'_>, first: CompileIndex) -> UserPlace {
    let mut place = UserPlace::of_definition(model, first);
    let stack = reasons(chain).find_map(|reason| own_frame(&reason.user_stack));
    if let Some(frame) = stack {
        place = UserPlace { function: place.function, ..UserPlace::of_frame(frame) };
    } else if let Some(source) = reasons(chain).find_map(|reason| reason.source.as_ref()) {
        let name = file_name(&source.file);
        let whole = place.file.clone().filter(|file| file.ends_with(name));
        place.file = Some(whole.unwrap_or_else(|| source.file.clone()));
        place.line = Some(source.line);
        place.loc = Some(source.code.clone());
    }
    place
}

fn steps(chain: &Chain<'_>) -> Vec<ChainStep> {
    let step = |step: &Step<'_>| {
        let reason = step.reasons.first();
        let guard = reason.map(|r| if r.guard.is_empty() { r.text.clone() } else { r.guard.clone() });
        ChainStep {
            compile: step.compile,
            guard: guard.filter(|guard| !guard.is_empty()),
            against: reason.and_then(|r| r.against.clone()),
            source: reason.and_then(|reason| reason.source.clone()),
        }
    };
    chain.steps.iter().take(STEPS).map(step).collect()
}
