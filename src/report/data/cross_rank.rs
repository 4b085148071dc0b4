//! `cross_rank` of `report.json`: what only the report of a job needs.

use super::entries::{counts, id, line};
use super::execution::execution;
use crate::analysis::{self, builds, pauses, resumed};
use crate::facts::{
    CacheKey, Call, Calls, CodeKey, CompileKey, CrossRank, End, Graph, Id, Input, Inputs, Interval,
    KeyLookup, List, Map, Op, Parity, ReaderName, Runtime, Text, maybe,
};
use crate::model::{self, CodeCall, Compile, CompileIndex, InGraph, InputTensor, Model};
use crate::report::subject::Report;
use crate::trace::{Md5, OrderedMap};

/// What a comparison of ranks needs; None where the log holds no such event.
pub(super) fn cross_rank(report: Report<'_>) -> CrossRank<'_> {
    let model = report.model;
    let facts = &model.cross_rank;
    let cache_key = |one: &'_ crate::model::CacheLookup| KeyLookup {
        id: id(&one.compile),
        cache: one.cache.clone().into(),
        key: one.key.clone().map(Text::from),
        asked_ns: one.asked_ns,
    };
    CrossRank {
        compiles: List::made(move || model.identified().filter_map(compile)),
        cache: List::made_unless_empty(move || {
            model.caches.iter().map(|one| CacheKey {
                id: id(&one.compile),
                cache: (&one.cache).into(),
                outcome: one.outcome.word().into(),
            })
        }),
        collectives: List::made_unless_empty(move || facts.collectives.iter().map(graph)),
        tensor_meta: List::made_unless_empty(move || facts.tensor_meta.iter().map(graph)),
        execution: execution(report),
        runtime: List::made_unless_empty(move || facts.runtime.iter().map(runtime)),
        parity: List::made_unless_empty(move || report.found.parity.iter().map(parity)),
        configs: last_configs(model),
        names: List::made_unless_empty(move || names(report)),
        inputs: List::made_unless_empty(move || {
            model.compiles.iter().filter(|compile| !compile.inputs.is_empty()).map(inputs)
        }),
        code: List::made_unless_empty(move || {
            let have_ends = model.guards.values().any(|guards| guards.has_end);
            model.compiles.indexed().filter_map(move |(index, one)| code(model, index, one, have_ends))
        }),
        process_groups: List::made_unless_empty(move || facts.in_code.iter().map(calls)),
        cache_keys: List::made_unless_empty(move || model.caches.iter().map(cache_key)),
        cache_stored_ns: List::made_unless_empty(move || model.caches.iter().map(|one| one.stored_ns)),
        cache_folders: List::made_unless_empty(move || facts.cache_folders.iter().map(Text::from)),
        builds: intervals(builds(model)),
        pauses: intervals(pauses(model)),
        world_size: facts.world_size,
        end: end(report),
    }
}

fn compile(compile: &Compile) -> Option<CompileKey<'_>> {
    let function = compile.function.as_ref();
    Some(CompileKey {
        id: id(&compile.id)?,
        function: function.map(|function| (&function.name).into()),
        file: maybe(function.and_then(|function| function.file.as_deref())),
        line: line(function.and_then(|function| function.line)),
    })
}

fn graph(graph: &InGraph<String>) -> Graph<'_> {
    Graph { graph: (&graph.graph).into(), ops: List::made(move || graph.ops.iter().map(Text::from)) }
}

fn runtime(graph: &InGraph<model::Op>) -> Runtime<'_> {
    let op = |op: &'_ crate::model::Op| Op {
        name: op.name.clone().into(),
        kind: op.kind.clone().map(Text::from),
        ns: op.ns,
    };
    Runtime { graph: (&graph.graph).into(), ops: graph.ops.iter().map(op).collect() }
}

/// Scheduled collectives of a graph beside those of its code.
fn parity(graph: &analysis::Parity) -> Parity<'_> {
    Parity {
        compile_id: graph.compile_id.as_deref().map(Id::new),
        scheduled: counts(graph.scheduled.iter()),
        in_code: counts(graph.in_code.iter()),
        missing_waits: graph.missing_waits,
    }
}

/// The last configuration of each name.
fn last_configs(model: &Model) -> Option<Map<'_, Text<'_>>> {
    let records = model.compiles.iter().flat_map(|compile| &compile.metrics);
    let mut last: OrderedMap<&str, (u64, Md5)> = OrderedMap::default();
    for record in records {
        for (name, md5) in record.configs.iter().filter(|(name, _)| *name != "inductor_provenance") {
            let known = last.entry(name).or_insert((record.line, *md5));
            if record.line >= known.0 {
                *known = (record.line, *md5);
            }
        }
    }
    let configs =
        move || last.clone().into_iter().map(|(name, (_, md5))| (name.into(), md5.to_string().into()));
    configs().next().is_some().then(|| Map::made(configs))
}

/// What the reader calls functions that torch calls otherwise, or that a library defines, with the reader's line that leads
/// there. A name that only adds that a function was resumed is not repeated.
pub(crate) fn names<'m>(report: Report<'m>) -> impl Iterator<Item = ReaderName<'m>> + 'm {
    report.model.compiles.indexed().filter_map(move |(index, _)| name(report, index))
}

/// That of the function of a compile.
pub(crate) fn name(report: Report<'_>, index: CompileIndex) -> Option<ReaderName<'_>> {
    let (name, compile) = (report.found.names.at(index)?, report.model.compiles.get(index)?);
    let torch = compile.function.as_ref().map(|function| function.name.as_str());
    let same = torch.is_some_and(|torch| resumed(torch).map_or(torch, |(base, _)| base) == name.title);
    if same && name.called.is_none() {
        return None;
    }
    let called = name.called.as_ref();
    Some(ReaderName {
        id: id(&compile.id)?,
        title: (&*name.title).into(),
        file: maybe(called.and_then(|place| place.file.as_deref())),
        line: line(called.and_then(|place| place.line)),
    })
}

/// The input tensors of a compile's last attempt.
fn inputs(compile: &Compile) -> Inputs<'_> {
    Inputs { compile_id: id(&compile.id), tensors: compile.inputs.iter().map(tensor).collect() }
}

/// Hashes of what a compile captured and guards on.
fn code<'m>(
    model: &'m Model,
    index: CompileIndex,
    compile: &'m Compile,
    have_ends: bool,
) -> Option<CodeKey<'m>> {
    let hash = |hash: u64| Text::from(format!("{hash:016x}"));
    // A tree without the last line that others have is cut off.
    let guards = model.guards.get(&index).filter(|guards| guards.has_end || !have_ends);
    let guards = guards.map(|guards| hash(guards.of_process));
    let graph = compile.graph_print.map(hash);
    (graph.is_some() || guards.is_some()).then_some(())?;
    Some(CodeKey { id: id(&compile.id)?, graph, guards })
}

fn tensor(input: &InputTensor) -> Input<'_> {
    let list = |numbers: &[String]| format!("[{}]", numbers.join(","));
    Input {
        name: (&*input.source).into(),
        dtype: (&*input.tensor.dtype).into(),
        sizes: list(&input.tensor.sizes).into(),
        strides: input.tensor.strides.as_deref().map(|strides| list(strides).into()),
    }
}

fn calls(graph: &InGraph<CodeCall>) -> Calls<'_> {
    let call = |call: &'_ CodeCall| Call {
        operation: call.operation.clone().into(),
        group: call.group.clone().map(Text::from),
    };
    Calls { graph: (&graph.graph).into(), calls: graph.ops.iter().map(call).collect() }
}

fn intervals<'a>(all: Vec<Interval>) -> Option<List<'a, Interval>> {
    (!all.is_empty()).then(|| all.into())
}

fn end(report: Report<'_>) -> Option<End<'_>> {
    let end = report.found.end.as_ref()?;
    let compile = end.compile.and_then(|compile| report.model.compiles.get(compile));
    Some(End {
        event: (&*end.event).into(),
        compile_id: compile.and_then(|compile| id(&compile.id)),
        inside: end.inside,
        phases: end.phases.iter().map(|phase| (&*phase.name).into()).collect(),
        open_s: end.phases.iter().map(|phase| phase.at_least_s).collect(),
    })
}
