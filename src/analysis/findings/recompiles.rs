//! Recompilations: one chain a function, what changed from compile to compile, how far the limit is, what helps.

use super::{Change, Changed, Finding, Kind, Place, Severity, Step, Value, defined_at, function_of, prose};
use super::{place_of, sizes, time_of};
use crate::model::{Failure, Model, Reason, Recompile, Specialisation};
use indexmap::IndexMap;

/// Versions of a function that torch keeps unless it is told otherwise: `torch._dynamo.config.recompile_limit`.
const DEFAULT_LIMIT: u64 = 8;

/// Values of a changing thing that are named.
const VALUES: usize = 12;

/// Steps of a chain that a finding lists; all stand on the page of recompilations and in report.json.
const STEPS: usize = 32;

/// Whether a failure says that a function was compiled too often.
pub(super) fn is_limit(failure: &Failure) -> bool {
    let reason = failure.reason.as_deref().unwrap_or_default();
    let words = ["recompile_limit", "recompile limit", "cache_size_limit"];
    failure.error.contains("RecompileLimit")
        || words.iter().any(|word| reason.lines().next().is_some_and(|line| line.contains(word)))
}

/// One finding a frame that was compiled again.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    let mut chains: IndexMap<String, Vec<&Recompile>> = IndexMap::new();
    for recompile in &model.recompiles {
        let frame = recompile.compile.as_ref().map(|id| frame_of(&id.to_string()).to_owned());
        chains.entry(frame.unwrap_or_default()).or_default().push(recompile);
    }
    for failure in model.failures.iter().filter(|f| is_limit(f)) {
        let frame = failure.compile.as_ref().map(|id| frame_of(&id.to_string()).to_owned());
        chains.entry(frame.unwrap_or_default()).or_default();
    }
    let frames = frames(model);
    let none = Vec::new();
    let found = chains.iter().filter_map(|(frame, chain)| {
        Chain::of(model, frames.get(frame).unwrap_or(&none), chain).finding(model)
    });
    found.collect()
}

/// Compiles of the frame of `compile` whose recompile reason is that `subject` changed.
pub(super) fn caused_by(model: &Model, compile: usize, subject: &str) -> Vec<usize> {
    let frame = |label: &str| frame_of(label).to_owned();
    let Some(mine) = model.compiles.get(compile).map(|c| frame(&c.label())) else { return Vec::new() };
    let again = model.recompiles.iter().filter_map(|one| {
        let index = *model.by_id.get(&one.compile)?;
        let same = frame(&model.compiles.get(index)?.label()) == mine;
        let change = one.reasons.first().map(Change::of)?;
        (same && change.subject == subject).then_some(index)
    });
    again.collect()
}

/// The part of an id that names the frame.
fn frame_of(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(frame, _)| frame)
}

/// Compiles by frame, in order.
fn frames(model: &Model) -> IndexMap<String, Vec<usize>> {
    let mut frames: IndexMap<String, Vec<usize>> = IndexMap::new();
    for (index, compile) in model.compiles.iter().enumerate().filter(|(_, c)| c.id.is_some()) {
        frames.entry(frame_of(&compile.label()).to_owned()).or_default().push(index);
    }
    frames
}

/// The compiles of one frame, with what made each but the first.
struct Chain<'m> {
    /// All compiles of the frame.
    compiles: Vec<usize>,
    /// Recompiles: index of the compile, its first reason, what changed.
    steps: Vec<(usize, Option<&'m Reason>, Change)>,
    /// The failure that says that the limit is reached.
    limit: Option<&'m Failure>,
}

impl<'m> Chain<'m> {
    fn of(model: &'m Model, compiles: &[usize], chain: &[&'m Recompile]) -> Chain<'m> {
        let steps = chain.iter().filter_map(|one| {
            let index = *model.by_id.get(&one.compile)?;
            let reason = one.reasons.first();
            let change = reason.map_or_else(|| Change::of(&Reason::default()), Change::of);
            Some((index, reason, change))
        });
        let mine = |f: &&Failure| {
            model.by_id.get(&f.compile).is_some_and(|index| compiles.contains(index)) && is_limit(f)
        };
        Chain { compiles: compiles.to_vec(), steps: steps.collect(), limit: model.failures.iter().find(mine) }
    }

    fn finding(&self, model: &Model) -> Option<Finding> {
        let first = self.compiles.first().copied()?;
        let function = function_of(model, first).unwrap_or_else(|| "A function".to_owned());
        let function = function.trim_end_matches(',');
        let what = self.what();
        let kept = self.kept(model);
        let limit = model.recompile_limit.unwrap_or(DEFAULT_LIMIT);
        let (kind, severity, title) = match self.limit {
            Some(_) => {
                let title = format!("{function} runs uncompiled after {kept} versions: {what}");
                (Kind::RecompileLimit, Severity::Error, title)
            }
            None => {
                let times = self.versions(model);
                let title = format!("{function} was compiled {times} times: {what}");
                (Kind::Recompilation, Severity::Warning, title)
            }
        };
        let mut found = Finding::new(kind, severity, title);
        found.reason = self.reason(model);
        found.count = self.steps.len().max(1) as u64;
        found.detail = self.detail(model);
        found.place = self.place(model, first);
        found.hints = self.hints(model);
        let again = self.compiles.iter().enumerate();
        let again = again.filter(|(at, index)| *at > 0 || self.steps.iter().any(|(step, ..)| step == *index));
        let again: Vec<usize> = again.map(|(_, index)| *index).collect();
        let words = format!("compiling {} again", super::counted(again.len(), "version", "versions"));
        found.costs(time_of(model, &again), words, Vec::new());
        found.fact("Changed", Value::Prose(self.kinds()));
        found.fact("Chain", Value::Steps(self.chain()));
        let left = match self.limit {
            Some(_) => "the limit is reached, and a call that fits none runs uncompiled".to_owned(),
            None => format!("{} more until torch gives up", limit.saturating_sub(kept as u64)),
        };
        found.fact("Limit", Value::Prose(format!("{kept} of {limit} versions kept; {left}")));
        if let Some(failure) = self.limit {
            found.fact("Exception", Value::Code(vec![failure.error.clone()]));
            found.read_more = prose::read_more(failure.reason.as_deref().unwrap_or_default());
        }
        found.stack = self
            .steps
            .iter()
            .rev()
            .find_map(|(_, r, _)| Some(r.as_ref()?.user_stack.clone()))
            .unwrap_or_default();
        found.compiles.clone_from(&self.compiles);
        Some(found)
    }

    /// Versions that were compiled. The first may stand in another log: that of the process which forked this one.
    fn versions(&self, model: &Model) -> usize {
        let last = self.compiles.iter().filter_map(|&index| {
            let label = model.compiles.get(index)?.label();
            label.rsplit_once('/')?.1.parse::<usize>().ok()
        });
        // A damaged id may name any number.
        let by_id = last.max().map_or(0, |last| last.saturating_add(1)).min(self.compiles.len() * 2);
        by_id.max(self.compiles.len())
    }

    /// Versions that torch keeps.
    fn kept(&self, model: &Model) -> usize {
        self.versions(model) - usize::from(self.limit.is_some()).min(self.compiles.len())
    }

    /// Distinct things that changed, in order.
    fn subjects(&self) -> IndexMap<(Changed, &str), Vec<&Change>> {
        let mut subjects: IndexMap<(Changed, &str), Vec<&Change>> = IndexMap::new();
        for (_, _, change) in &self.steps {
            subjects.entry((change.changed, &change.subject)).or_default().push(change);
        }
        subjects
    }

    /// `the size of x changed`, for the title.
    fn what(&self) -> String {
        let subjects = self.subjects();
        let words = subjects.iter().take(3).map(|((changed, subject), _)| match (changed, *subject) {
            (Changed::Unrecorded, _) => "no reason recorded".to_owned(),
            (Changed::Backend, _) => "the backend changed".to_owned(),
            (Changed::Other, "") => "a guard failed".to_owned(),
            (Changed::Size | Changed::Stride | Changed::Dtype | Changed::Device, _) => {
                format!("the {} `{subject}` changed", changed.words())
            }
            (Changed::Value, subject) if subject.starts_with("___stack") => {
                "a value from before the graph break changed".to_owned()
            }
            (Changed::Value, _) => format!("the Python value `{subject}` changed"),
            (Changed::Identity, _) => format!("`{subject}` is another object"),
            (_, "") => "global state changed".to_owned(),
            (_, subject) => format!("`{subject}` changed"),
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "no reason recorded".to_owned() } else { words.join(", ") }
    }

    /// What many functions may have in common: what changed and how.
    fn reason(&self, model: &Model) -> String {
        let values = self.subjects().into_iter().map(|((changed, subject), of)| {
            format!("{} {subject} {}", changed.words(), values(&of).join(" → "))
        });
        let values: Vec<String> = values.collect();
        format!("{} {} {}", values.join(", "), self.limit.is_some(), model.recompile_limit.unwrap_or(0))
    }

    fn kinds(&self) -> String {
        let subjects = self.subjects();
        let lines = subjects.iter().map(|((changed, subject), of)| {
            let values = values(of);
            let values =
                if values.is_empty() { String::new() } else { format!(": {}", values.join(" → ")) };
            match *subject {
                "" => format!("{}{values}", changed.words()),
                subject => format!("{} `{subject}`{values}", changed.words()),
            }
        });
        lines.collect::<Vec<_>>().join("; ")
    }

    fn detail(&self, model: &Model) -> Option<String> {
        let all: Vec<_> = self.subjects().into_iter().collect();
        let ((changed, subject), of) = all.first()?;
        if let Some(fixed) = self.fixed(model, subject) {
            return Some(format!("The dimension was dynamic until a line fixed it to {}.", fixed.value));
        }
        let text = match changed {
            Changed::Size if of.len() == 1 => {
                "The first compile is for one size only. A second size makes torch treat the dimension as dynamic, \
                 unless dynamic=False is set, so one recompile is usual."
            }
            Changed::Size => "The size was never made dynamic, so each new one is compiled again.",
            Changed::Dtype => "Each dtype needs code of its own.",
            Changed::Device => "Each device needs code of its own.",
            Changed::Stride => "Compiled code is for one memory layout.",
            Changed::Value => {
                "Dynamo makes Python values part of the compiled code and guards on them, so a new value compiles again."
            }
            Changed::Identity => "Dynamo guards on which object it is, so a new object compiles again.",
            Changed::State => "Compiled code is for one state of autograd and of torch's global settings.",
            Changed::Backend => "Code that one backend compiled is not used for another.",
            Changed::Other => "A guard of every older version failed.",
            Changed::Unrecorded => "The log gives no reason for it.",
        };
        Some(text.to_owned())
    }

    /// Where the guard comes from, else where the function is defined.
    fn place(&self, model: &Model, first: usize) -> Place {
        let source = self.steps.iter().find_map(|(_, reason, _)| reason.as_ref()?.source.as_ref());
        let mut place = defined_at(model, first);
        let stack = self.steps.iter().find_map(|(_, r, _)| super::own_frame(&r.as_ref()?.user_stack));
        if let Some(frame) = stack {
            place = Place { function: place.function, ..place_of(frame) };
        } else if let Some(source) = source {
            let whole = place.file.clone().filter(|file| file.ends_with(base_name(&source.file)));
            place.file = Some(whole.unwrap_or_else(|| source.file.clone()));
            place.line = Some(source.line);
            place.loc = Some(source.code.clone());
        }
        place
    }

    fn chain(&self) -> Vec<Step> {
        let step = |compile: usize| {
            let reason = self.steps.iter().find(|(index, ..)| *index == compile).and_then(|(_, r, _)| *r);
            let guard = reason.map(|r| if r.guard.is_empty() { r.text.clone() } else { r.guard.clone() });
            Step {
                compile,
                guard: guard.filter(|guard| !guard.is_empty()),
                against: reason.and_then(|r| r.against.clone()),
                source: reason
                    .and_then(|r| r.source.as_ref())
                    .map(|s| (s.code.clone(), s.file.clone(), s.line)),
            }
        };
        self.compiles.iter().take(STEPS).map(|&compile| step(compile)).collect()
    }

    /// The line that made a dynamic size a constant.
    fn fixed<'a>(&self, model: &'a Model, subject: &str) -> Option<&'a Specialisation> {
        let mine = model.shapes.specialisations.iter().filter(|one| self.compiles.contains(&one.at.compile));
        mine.clone().find(|one| one.sources.iter().any(|source| sizes::subject(source) == subject))
    }

    /// The fixes that fit, each once.
    fn hints(&self, model: &Model) -> Vec<String> {
        let mut hints: Vec<String> = Vec::new();
        for ((changed, subject), of) in self.subjects() {
            let Some(change) = of.first() else { continue };
            if let Some(fixed) = self.fixed(model, subject) {
                let place = sizes::place(model, fixed);
                let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
                let file = place.file.as_deref().map_or("?", base_name);
                let code = place.loc.map_or_else(String::new, |loc| format!(", `{}`", loc.trim()));
                hints.push(format!(
                    "To keep it dynamic, change the line that needs the number: {file}{line}{code}."
                ));
                continue;
            }
            hints.extend(advice(changed, change, of.len()));
        }
        let mine = |entry: &&(usize, String)| self.compiles.contains(&entry.0);
        if let Some((_, sources)) = model.dynamic_sources.iter().rfind(mine) {
            let line = format!("Or set `TORCH_COMPILE_DYNAMIC_SOURCES={sources}` before the program starts.");
            hints.push(line);
        }
        let said = self.steps.iter().filter_map(|(_, reason, _)| reason.as_ref()?.hint.as_ref());
        hints.extend(said.map(|hint| format!("torch's own hint: {hint}.")));
        let mut seen = fxhash::FxHashSet::default();
        hints.retain(|hint| seen.insert(hint.clone()));
        hints
    }
}

fn base_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// Values that a thing had, first to last; a guard names the old one, and sometimes the new one.
fn values(changes: &[&Change]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut seen = |value: &Option<String>| {
        if let Some(value) = value
            && values.last() != Some(value)
        {
            values.push(value.clone());
        }
    };
    for change in changes {
        seen(&change.from);
        seen(&change.to);
    }
    if values.len() > VALUES {
        let last = values.pop();
        values.truncate(VALUES - 2);
        values.push("..".to_owned());
        values.extend(last);
    }
    values
}

/// What to do about a change; `times` it was seen.
fn advice(changed: Changed, change: &Change, times: usize) -> Option<String> {
    let source = &change.source;
    let from = change.from.as_deref().unwrap_or_default();
    Some(match changed {
        Changed::Size => match change.dim {
            Some(dim) if times > 1 => format!(
                "Remove `dynamic=False` from `torch.compile` if it is set, or mark the dimension before the call: \
                 `torch._dynamo.mark_dynamic({source}, {dim})`."
            ),
            Some(dim) => format!(
                "To save the recompile, mark the dimension before the first call: \
                 `torch._dynamo.mark_dynamic({source}, {dim})`."
            ),
            None => "Call the function with tensors of one number of dimensions, or compile it once for each.".into(),
        },
        Changed::Dtype => "Cast the input before the call if one dtype is enough.".into(),
        Changed::Device => "Move the input to one device before the call, or expect one compile a device.".into(),
        Changed::Stride => "Call `.contiguous()` on the input, so that it has one layout.".into(),
        Changed::Value if source.contains("__closure__") => {
            "The value in the closure is part of the compiled code: pass it as an argument, a number as a tensor.".into()
        }
        Changed::Value if source.starts_with("___stack") => {
            "The number came out of a tensor at a graph break: keep it in the tensor, so that no break is needed.".into()
        }
        Changed::Value if source.starts_with("len(") => {
            format!("Keep `{source}` the same between calls, or expect one compile a length.")
        }
        Changed::Value if from.parse::<f64>().is_ok() => {
            format!("The number `{source}` is part of the compiled code: pass it as a tensor.")
        }
        Changed::Value => format!(
            "`{source}` selects what is compiled; one compile a value is expected. Hoist the choice out of the compiled \
             function if there are many."
        ),
        Changed::Identity => {
            format!("Make `{source}` once, outside of the compiled function, and use the same object in each call.")
        }
        Changed::State if change.subject.contains("requires_grad") => format!(
            "Call the function always with a `{source}` that requires gradients, or always with one that does not; \
             else expect one compile for each."
        ),
        Changed::State if change.subject.contains("grad_mode") => {
            "The function runs with and without gradients: compile it once for each, or call it always in one grad mode."
                .into()
        }
        Changed::State => "Set torch's global settings once, before the first call.".into(),
        Changed::Backend => "Use one backend for the function.".into(),
        Changed::Other | Changed::Unrecorded => return None,
    })
}
