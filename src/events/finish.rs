//! What can only be decided after the whole log has been read.

use super::unrecorded;
use crate::limits::{LISTED, NAMED_BRIEFLY, SEARCHED};
use crate::model::{
    Compile, CompileIndex, CompileNews, Function, Model, ProblemKind, Section, Stack, Stackless, Status,
    UNKNOWN_EVENTS,
};
use crate::trace::{self, Source, Stamp, StringTable, TextSet};
use fxhash::FxHashSet;
use std::sync::Arc;

/// Settles what the records left open: strings of forked processes, statuses, functions, stacks.
pub(super) fn conclude(model: &mut Model, source: &Source) {
    model.log.file = source.name().to_owned();
    model.log.bytes = source.len();
    if model.log.rank.is_none() {
        model.log.rank = trace::rank_of_file_name(source.name());
    }
    if let Some(cut) = source.incomplete() {
        // What is damaged may end within a record.
        let end = model.integrity.problems.iter().rfind(|one| one.kind == ProblemKind::Truncated);
        let line = end.map_or(model.strings.line(), |problem| problem.line);
        model.integrity.add(ProblemKind::Truncated, line, cut);
    }
    adopt_strings(model, source);
    for (pid, id, line) in model.strings.unresolved() {
        let detail = format!("string {id} of process {pid} is defined nowhere in this log");
        model.integrity.add(ProblemKind::UnresolvedStrings, line, detail);
    }
    model.integrity.problems.sort_by_key(|problem| problem.line);
    let restarted: TextSet<_> = model.restarts.iter().map(|r| r.compile.clone()).collect();
    let timed: FxHashSet<CompileIndex> = model.spans.iter().filter_map(|span| span.compile).collect();
    let Model { compiles, strings, .. } = model;
    for (index, compile) in compiles.indices().zip(compiles.iter_mut()) {
        compile.attempts.sort_by_key(|attempt| attempt.number);
        compile.occurrences = compile.occurrences.max(1);
        compile.stack = compile.stack.take().map(|stack| without_convert_frame(stack, strings));
        compile.function = function(compile, strings);
        compile.status = status(compile, restarted.contains(&compile.id));
        compile.is_bare = !timed.contains(&index) && is_bare(compile);
    }
    unrecorded::note(model);
    // Where a console has no message of torch, no time and no process is known.
    let is_known = |stamp: &Stamp| model.log.console.is_none() || stamp.time.month > 0;
    model.log.first_time = model.time(model.first.filter(is_known));
    model.log.last_time = model.time(model.last.filter(is_known));
    if model.log.console.is_some() {
        model.log.pids.retain(|pid| *pid > 0);
    }
    give_back_room(model);
}

/// Whether a row says all that is known of a compile without phases. What a log says of its cost, failures, breaks, caches
/// and recompiles comes with metrics or files.
fn is_bare(compile: &Compile) -> bool {
    let is_short = |section: &Section| section.id == UNKNOWN_EVENTS && section.rows.len() <= NAMED_BRIEFLY;
    compile.id.is_some()
        && compile.metrics.is_empty()
        && compile.artifacts.is_empty()
        && compile.inputs.is_empty()
        && compile.graph_sizes.is_empty()
        && compile.stack.as_ref().is_none_or(|stack| stack.is_empty())
        && compile.sections.iter().all(is_short)
}

/// Lists that grew while the log was read have room for up to twice as many entries, and stay as they are from now on.
fn give_back_room(model: &mut Model) {
    for compile in model.compiles.iter_mut() {
        compile.artifacts.shrink_to_fit();
        compile.sections.shrink_to_fit();
        compile.sections.iter_mut().for_each(|section| section.rows.shrink_to_fit());
    }
    model.compiles.shrink_to_fit();
    model.raw.shrink_to_fit();
    model.spans.shrink_to_fit();
    model.chromium.shrink_to_fit();
}

/// A forked child inherits the string table of its parent and never writes those strings again: they are in the parent's
/// log, in the same folder.
fn adopt_strings(model: &mut Model, source: &Source) {
    let unresolved = model.strings.unresolved();
    let (Some(first), false) = (model.first, unresolved.is_empty()) else { return };
    for pid in model.log.pids.clone() {
        let ids: Vec<i64> = unresolved.iter().filter(|(p, _, _)| *p == pid).map(|(_, id, _)| *id).collect();
        let own = model.strings.first_defined(pid);
        for (id, text) in trace::strings_from_siblings(source, first.time, &ids, own) {
            model.strings.adopt(pid, id, &text);
        }
    }
}

/// Removes the innermost frames that are torch's own convert_frame: they say nothing about the user's program.
fn without_convert_frame(stack: Stack, strings: &StringTable) -> Stack {
    let own = |file: Option<&str>| file.is_some_and(|f| f.ends_with("torch/_dynamo/convert_frame.py"));
    let kept = stack.iter().rposition(|frame| !own(strings.get(frame.file))).map_or(0, |last| last + 1);
    if kept == stack.len() { stack } else { stack.iter().take(kept).cloned().collect() }
}

/// `co_*` of the last metrics record that has them, otherwise the innermost frame of the stack.
fn function(compile: &Compile, strings: &StringTable) -> Option<Arc<Function>> {
    if let Some(named) = compile.metrics.iter().rev().find_map(|record| record.facts.function.clone()) {
        return Some(named);
    }
    let frame = compile.stack.as_ref()?.last()?;
    // torch 2.3 writes neither metrics nor the frame of the function: the last one is that of torch which calls it.
    let file = strings.get(frame.file).unwrap_or_default();
    let is_entry = ["torch/_dynamo/eval_frame.py", "torch/nn/modules/module.py"]
        .iter()
        .any(|entry| file.ends_with(entry));
    if compile.metrics.is_empty() && is_entry {
        return None;
    }
    Some(Arc::new(Function {
        name: frame.name.to_string(),
        file: strings.get(frame.file).map(str::to_owned),
        line: frame.line,
    }))
}

/// The status of a compile: the first of these conditions that holds decides.
fn status(compile: &Compile, restarted: bool) -> Status {
    if compile.metrics.iter().any(|m| m.facts.fail_type.as_deref().is_some_and(|t| !t.is_empty())) {
        return Status::Error;
    }
    match compile.outcome() {
        None => Status::Missing,
        Some(last) if last.graph_op_count.unwrap_or(0) == 0 => Status::Empty,
        Some(_) if restarted || compile.graph_breaks > 0 => Status::Break,
        Some(_) => Status::Ok,
    }
}

fn recent<T>(list: &[T]) -> impl Iterator<Item = &T> {
    list.iter().rev().take(SEARCHED)
}

/// The news of a compile whose metrics have just been read.
pub(super) fn news_of(model: &Model, index: CompileIndex) -> Option<CompileNews> {
    let compile = model.compiles.get(index)?;
    // What is about a compile comes shortly before its end.
    let restarted = recent(&model.restarts).any(|restart| restart.compile == compile.id);
    let recompile = recent(&model.recompiles).find(|one| one.compile == compile.id);
    let recompiled = recompile.and_then(|one| Some((one.reasons.first()?.guard.clone(), one.reasons.len())));
    let failure = recent(&model.failures).find(|failure| failure.compile == compile.id);
    let first_break = compile.first_break.and_then(|index| model.graph_breaks.get(index));
    Some(CompileNews {
        id: compile.label(),
        status: status(compile, restarted).word(),
        function: function(compile, &model.strings).as_deref().cloned(),
        seconds: compile.compile_us().map(|us| us / 1e6),
        recompiled,
        breaks: compile.graph_breaks,
        first_break: first_break.map(|one| one.reason.clone()),
        failure: failure.map(|failure| failure.reason.clone().unwrap_or_else(|| failure.error.clone())),
    })
}

/// Adds a record to the entry of its stack; a new stack gets a new entry.
pub(super) fn add_stackless(known: &mut Vec<Stackless>, event: String, stack: Stack, line: u64) {
    let full = known.len() >= LISTED;
    let same = known.iter_mut().rev().find(|s| full || (s.event == event && s.stack == stack));
    match same {
        Some(entry) => entry.count += 1,
        None => known.push(Stackless { event, stack, count: 1, line }),
    }
}
