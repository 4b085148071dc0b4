//! What a rank is compared by: lists of texts, made from its report.json.

use super::read::Reader;
use super::wire::{Compile, CompileTime, Graph, Report, Text};
use crate::analysis::PARTS;
use crate::events::typed_metrics;
use crate::model::{
    CollectiveCounts, Fact, Fields, GraphRuntime, Metrics, MetricsKind, RankSummary, Step, TextId,
};
use fxhash::FxHashMap;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Findings about a rank as a whole that a reader of the job should know.
const ALARMS: [&str; 4] = ["worker_death", "worker_stall", "spmd_mismatch", "notice"];

/// Bytes of text beyond which a graph whose operations no rank before had is known by a hash of them: a thousand ranks, each
/// with sizes of its own, would fill the memory otherwise.
const MOST_TEXT: usize = 32 << 20;

/// Digits in a row that can only be an address or the id of an object: these differ between processes that do the same.
const ADDRESS_DIGITS: usize = 11;

/// Where compiles and graphs of a report belong.
struct Places<'r> {
    /// Id of a compile by folder.
    ids: FxHashMap<&'r str, &'r str>,
    /// Compile by id.
    compiles: FxHashMap<&'r str, &'r Compile<'r>>,
}

impl<'r> Places<'r> {
    fn of(report: &'r Report<'r>) -> Places<'r> {
        let mut places = Places { ids: FxHashMap::default(), compiles: FxHashMap::default() };
        for compile in &report.compiles {
            let Some(id) = compile.id.as_deref() else { continue };
            places.compiles.insert(id, compile);
            places.ids.extend(compile.attempts.iter().map(|attempt| (&*attempt.dir, id)));
        }
        places
    }

    /// The name of a compile's function.
    fn function(&self, id: Option<&str>) -> Option<&'r str> {
        self.compiles.get(id?)?.function.as_ref()?.name.as_deref()
    }

    /// `forward (model.py:20)`: the function of a compile and where it is defined.
    fn defined(&self, id: Option<&str>, name: Option<&str>) -> String {
        let function = id.and_then(|id| self.compiles.get(id)).and_then(|c| c.function.as_ref());
        let name = name.or_else(|| function.and_then(|f| f.name.as_deref())).unwrap_or("a function");
        match function.and_then(|f| Some((f.file.as_deref()?, f.line))) {
            Some((file, line)) => format!("{name} ({})", place(Some(file), line).unwrap_or_default()),
            None => name.to_owned(),
        }
    }
}

/// `file:line`, as the report has them.
fn place(file: Option<&str>, line: Option<i64>) -> Option<String> {
    let file = file?;
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

impl Reader<'_> {
    /// Everything that the rank is compared by.
    pub(super) fn add_facts(&mut self, report: &Report<'_>, summary: &mut RankSummary) {
        let places = Places::of(report);
        let cross = &report.cross_rank;
        let [status, ops] = self.compiles(report);
        let mut lists = vec![
            (Fact::CompileIds, self.compile_ids(report)),
            (Fact::GraphBreaks, self.graph_breaks(report)),
            (Fact::Recompiles, self.recompiles(report, &places)),
            (Fact::Failures, self.failures(report, &places)),
            (Fact::Status, status),
            (Fact::Ops, ops),
        ];
        if cross.cache.is_some() {
            lists.push((Fact::Cache, self.caches(report)));
            summary.cached = self.cached(report);
        }
        lists.extend(cross.collectives.as_ref().map(|g| (Fact::Collectives, self.graphs(g, &places))));
        lists.extend(cross.tensor_meta.as_ref().map(|g| (Fact::TensorMeta, self.graphs(g, &places))));
        lists.extend(cross.execution.as_ref().map(|_| (Fact::ExecOrder, self.execution(report, &places))));
        lists.extend(cross.configs.as_ref().map(|_| (Fact::Config, self.config(report))));
        let facts = lists.into_iter().map(|(fact, steps)| (fact, self.texts.sequence(steps)));
        summary.facts = facts.collect();
        summary.schedules = self.schedules(report);
        summary.parts_us = parts(&report.compile_time);
        summary.runtime = self.runtime(report);
        summary.parity = self.parity(report);
        summary.alarms = self.alarms(report);
    }

    fn step(&mut self, compile: Option<&str>, value: &str) -> Step {
        let compile = compile.map(|id| self.texts.add(id));
        Step { compile, value: Some(self.texts.add(value)), note: None }
    }

    fn compile_ids(&mut self, report: &Report<'_>) -> Vec<Step> {
        let compiles = report.cross_rank.compiles.iter().map(|compile| {
            let name = compile.1.as_deref().unwrap_or("unknown function");
            let at = place(compile.2.as_deref(), compile.3).map(|at| format!(" at {at}"));
            self.step(Some(&compile.0), &format!("{} {name}{}", &*compile.0, at.unwrap_or_default()))
        });
        compiles.collect()
    }

    fn graph_breaks(&mut self, report: &Report<'_>) -> Vec<Step> {
        let breaks = report.graph_breaks.iter().map(|one| {
            let at = place(one.file.as_deref(), one.line).map(|at| format!("{at}: ")).unwrap_or_default();
            let times = if one.count > 1 { format!(" ({} times)", one.count) } else { String::new() };
            let first = one.compile_ids.iter().flatten().next();
            self.step(first.map(|id| &**id), &format!("{at}{}{times}", stable(&one.reason)))
        });
        breaks.collect()
    }

    fn recompiles(&mut self, report: &Report<'_>, places: &Places<'_>) -> Vec<Step> {
        let recompiles = report.recompiles.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let guard = |r: &super::wire::Reason<'_>| {
                stable(r.guard.as_deref().filter(|guard| !guard.is_empty()).unwrap_or(&r.text))
            };
            let guards: Vec<String> = one.reasons.iter().map(guard).collect();
            let function = places.defined(id, one.function.as_deref());
            self.step(id, &format!("{function}: {}", guards.join("; ")))
        });
        recompiles.collect()
    }

    fn failures(&mut self, report: &Report<'_>, places: &Places<'_>) -> Vec<Step> {
        let failures = report.failures.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let error = one.error.rsplit('.').next().unwrap_or_default();
            let at = place(one.file.as_deref(), one.line).map(|at| format!(" at {at}")).unwrap_or_default();
            let why = one.reason.as_deref().and_then(|reason| reason.trim().lines().next()).map(stable);
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            self.step(id, &format!("{error} in {}{at}{why}", places.defined(id, None)))
        });
        failures.collect()
    }

    /// How each compile ended, and how many operations it captured.
    fn compiles(&mut self, report: &Report<'_>) -> [Vec<Step>; 2] {
        let (mut status, mut ops) = (Vec::new(), Vec::new());
        for compile in &report.compiles {
            let Some(id) = compile.id.as_deref() else { continue };
            status.push(self.step(Some(id), &compile.status));
            let metrics = compile.metrics.iter().rev().filter_map(metrics);
            let count =
                metrics.filter(|(kind, _)| *kind == MetricsKind::Forward).find_map(|(_, m)| m.graph_op_count);
            ops.push(self.step(Some(id), &count.map_or_else(|| "–".to_owned(), |count| count.to_string())));
        }
        [status, ops]
    }

    /// Answers of caches, those of one compile together and by cache: the order in which caches are asked depends on what
    /// they answer.
    fn caches(&mut self, report: &Report<'_>) -> Vec<Step> {
        let mut order: FxHashMap<Option<&str>, usize> = FxHashMap::default();
        let lookups = report.cross_rank.cache.iter().flatten();
        let mut lookups: Vec<_> = lookups
            .map(|lookup| {
                let next = order.len();
                (*order.entry(lookup.0.as_deref()).or_insert(next), lookup)
            })
            .collect();
        lookups.sort_by_key(|(order, lookup)| (*order, &*lookup.1));
        let steps = lookups.into_iter().map(|(_, lookup)| {
            let id = lookup.0.as_deref();
            self.step(id, &format!("{} {} {}", id.unwrap_or("no id"), &*lookup.1, &*lookup.2))
        });
        steps.collect()
    }

    /// Compiles of which a cache had a graph: torch then records no schedule, no sizes and no runtimes for it.
    fn cached(&mut self, report: &Report<'_>) -> std::sync::Arc<[TextId]> {
        let lookups = report.cross_rank.cache.iter().flatten();
        let hits = lookups.filter(|lookup| &*lookup.2 == "hit").filter_map(|lookup| lookup.0.as_deref());
        let mut ids: Vec<TextId> = hits.map(|id| self.texts.add(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into()
    }

    /// Operations of graphs, one after the other.
    fn graphs(&mut self, graphs: &[Graph<'_, Text<'_>>], places: &Places<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        for graph in graphs {
            let id = places.ids.get(&*graph.graph).copied().unwrap_or(&*graph.graph);
            let values: Vec<String> = graph.ops.iter().map(|op| format!("{id} {}", &**op)).collect();
            if self.texts.bytes() > MOST_TEXT && values.iter().any(|value| self.texts.find(value).is_none()) {
                let mut hash = md5::Context::new();
                values.iter().for_each(|value| hash.consume(format!("{value}\n")));
                let value = format!("{id} {} operations, md5 {:x}", values.len(), hash.finalize());
                steps.push(self.step(Some(id), &value));
                continue;
            }
            steps.extend(values.iter().map(|value| self.step(Some(id), value)));
        }
        steps
    }

    fn execution(&mut self, report: &Report<'_>, places: &Places<'_>) -> Vec<Step> {
        let positions = report.cross_rank.execution.iter().flatten().map(|position| {
            let Some(id) = position.compile_id.as_deref() else {
                return Step { compile: None, value: None, note: None };
            };
            let function = places.function(Some(id)).unwrap_or("unknown function");
            let mut step = self.step(Some(id), &format!("{id} {function}"));
            let cache = position.cache.as_ref().map(|outcome| format!("cache {}", &**outcome));
            let schedule = position.schedule.as_ref().map(|ops| {
                let ops: Vec<&str> = ops.iter().map(|op| short_op(op)).collect();
                ops.join(", ")
            });
            let note: Vec<String> = cache.into_iter().chain(schedule).collect();
            step.note = (!note.is_empty()).then(|| self.texts.add(&note.join(": ")));
            step
        });
        positions.collect()
    }

    /// Each setting, by name.
    fn config(&mut self, report: &Report<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        for (name, md5) in report.cross_rank.configs.iter().flatten() {
            let settings = report
                .configs
                .get(&**md5)
                .and_then(|raw| serde_json::from_str::<BTreeMap<Text<'_>, &RawValue>>(raw.get()).ok());
            match settings {
                Some(settings) => steps.extend(settings.iter().map(|(key, value)| {
                    self.step(None, &format!("{name}.{} = {}", &**key, stable(value.get()), name = &**name))
                })),
                None => steps.push(self.step(None, &format!("{} {}", &**name, &**md5))),
            }
        }
        steps
    }

    fn schedules(&mut self, report: &Report<'_>) -> Vec<(TextId, crate::model::Sequence)> {
        let graphs = report.cross_rank.collectives.iter().flatten().map(|graph| {
            let ops = graph.ops.iter().map(|op| self.step(None, op)).collect();
            (self.texts.add(&graph.graph), self.texts.sequence(ops))
        });
        graphs.collect()
    }

    fn runtime(&mut self, report: &Report<'_>) -> Option<Vec<std::sync::Arc<GraphRuntime>>> {
        let graphs = report.cross_rank.runtime.as_ref()?.iter().map(|graph| {
            let names = graph.ops.iter().map(|op| self.texts.add(&op.name)).collect();
            let names = self.texts.names(names);
            let ns = graph.ops.iter().map(|op| op.ns.unwrap_or(f64::NAN)).collect();
            let graph = GraphRuntime { graph: self.texts.add(&graph.graph), names, ns };
            self.texts.graph(graph)
        });
        Some(graphs.collect())
    }

    fn parity(&mut self, report: &Report<'_>) -> Option<Vec<CollectiveCounts>> {
        let graphs = report.cross_rank.parity.as_ref()?.iter().map(|graph| {
            let mut counts = |ops: &BTreeMap<Text<'_>, u64>| -> Vec<(TextId, u64)> {
                ops.iter().map(|(op, count)| (self.texts.add(op), *count)).collect()
            };
            CollectiveCounts {
                scheduled: counts(&graph.scheduled),
                in_code: counts(&graph.in_code),
                compile: graph.compile_id.as_deref().map(|id| self.texts.add(id)),
                missing_waits: graph.missing_waits,
            }
        });
        Some(graphs.collect())
    }

    fn alarms(&mut self, report: &Report<'_>) -> Vec<(TextId, TextId)> {
        let findings = report.findings.iter().filter(|one| ALARMS.contains(&&*one.kind));
        findings.map(|one| (self.texts.add(&one.kind), self.texts.add(&stable(&one.title)))).collect()
    }
}

/// The numbers of a metrics record.
fn metrics(record: &super::wire::Metrics<'_>) -> Option<(MetricsKind, Metrics)> {
    let fields = Fields::parse(record.fields.get()).ok()?;
    Some((MetricsKind::of_word(&record.kind)?, typed_metrics(&fields)))
}

/// Microseconds in each part of the compiler, as the rank's report splits its time.
fn parts(time: &CompileTime<'_>) -> [f64; PARTS.len()] {
    let of = |name: &str| {
        time.parts
            .iter()
            .filter(|part| part.name.as_deref() == Some(name))
            .map(|part| part.seconds * 1e6)
            .sum()
    };
    PARTS.map(of)
}

/// `torch.ops._c10d_functional.all_reduce_.default` is `all_reduce_`.
fn short_op(op: &str) -> &str {
    let name = op.strip_suffix(".default").unwrap_or(op);
    name.rsplit('.').next().unwrap_or(name)
}

/// The text without what differs between processes that do the same: addresses and ids of objects.
fn stable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        kept.push_str(before);
        let hex = digits.strip_prefix("0x");
        let (run, least) = match hex {
            Some(hex) => (hex, 6),
            None => (digits, ADDRESS_DIGITS),
        };
        let is_digit = |c: char| if hex.is_some() { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        let length = run.find(|c: char| !is_digit(c)).unwrap_or(run.len());
        let end = digits.len() - run.len() + length;
        let (number, after) = digits.split_at(end);
        kept.push_str(if length >= least { "…" } else { number });
        rest = after;
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_equal_processes_is_left_out_of_a_value() {
        assert_eq!(stable("___check_obj_id(L['f'], 94506458411648)"), "___check_obj_id(L['f'], …)");
        assert_eq!(stable("<f at 0x7f9c1234abcd> of 12"), "<f at …> of 12");
        assert_eq!(stable("size 16, seed 0x1f, 3é4"), "size 16, seed 0x1f, 3é4");
    }

    #[test]
    fn an_operation_is_known_by_its_last_name() {
        assert_eq!(short_op("torch.ops._c10d_functional.all_reduce_.default"), "all_reduce_");
        assert_eq!(short_op("op0"), "op0");
    }
}
