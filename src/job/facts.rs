//! What a rank is compared by: lists of facts, made from its report.json.

use super::places::{Places, place};
use super::stable::stable;
use super::tensors;
use super::wire::{Compile, Graph, Report, Text};
use crate::analysis::Parts;
use crate::analysis::job::short_operation;
use crate::events::typed_metrics;
use crate::model::{
    Alarm, CollectiveCounts, Fact, FactValue, Fields, FunctionFact, GraphRuntime, Metrics, MetricsKind,
    OperationCount, RankSummary, Schedule, Step, TextId, Texts,
};
use fxhash::{FxHashMap, FxHashSet};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Findings about a rank as a whole that a reader of the job should know.
const ALARMS: [&str; 4] = ["worker_death", "worker_stall", "spmd_mismatch", "notice"];

/// Bytes of text beyond which a graph whose operations no rank before had is known by a hash of them: a thousand ranks, each
/// with sizes of its own, would fill the memory otherwise.
const MOST_TEXT: usize = 32 << 20;

/// The graphs whose operations are kept in full, by a hash of them.
#[derive(Default)]
pub(super) struct GraphsInFull(FxHashSet<[u8; 16]>);

/// Reads everything that the rank is compared by.
pub(super) fn add_facts(
    texts: &mut Texts,
    in_full: &mut GraphsInFull,
    report: &Report<'_>,
    summary: &mut RankSummary,
) {
    let places = Places::of(report);
    FactReader { texts, in_full, report, places: &places }.fill(summary);
}

struct FactReader<'t, 'r> {
    texts: &'t mut Texts,
    in_full: &'t mut GraphsInFull,
    report: &'r Report<'r>,
    places: &'r Places<'r>,
}

impl<'r> FactReader<'_, 'r> {
    fn fill(&mut self, summary: &mut RankSummary) {
        let cross = &self.report.cross_rank;
        let mut lists = vec![
            (Fact::CompileIds, self.compile_ids()),
            (Fact::GraphBreaks, self.graph_breaks()),
            (Fact::Recompiles, self.recompiles()),
            (Fact::Failures, self.failures()),
            (Fact::Status, self.status()),
            (Fact::Ops, self.operation_counts()),
        ];
        if cross.cache.is_some() {
            lists.push((Fact::Cache, self.caches()));
            summary.cached = self.cached();
        }
        if let Some(graphs) = &cross.collectives {
            lists.push((Fact::Collectives, self.graphs(graphs, collective)));
        }
        if let Some(graphs) = &cross.tensor_meta {
            lists.push((Fact::TensorMeta, self.graphs(graphs, output)));
        }
        lists.extend(cross.execution.as_ref().map(|_| (Fact::ExecOrder, self.execution())));
        lists.extend(cross.configs.as_ref().map(|_| (Fact::Config, self.config())));
        let facts = lists.into_iter().map(|(fact, steps)| (fact, self.texts.sequence(steps)));
        summary.facts = facts.collect();
        summary.schedules = self.schedules();
        summary.parts_us = parts(&self.report.compiles);
        summary.runtime = self.runtime();
        summary.parity = self.parity();
        summary.alarms = self.alarms();
    }

    fn step(&mut self, compile: Option<&str>, value: FactValue) -> Step {
        Step { compile: self.texts.add_maybe(compile), value: Some(value), note: None }
    }

    fn compile_ids(&mut self) -> Vec<Step> {
        let report = self.report;
        let compiles = report.cross_rank.compiles.iter().map(|compile| {
            let name = self.texts.add_maybe(compile.function.as_deref());
            let place = place(self.texts, compile.file.as_deref(), compile.line);
            let id = self.texts.add(&compile.id);
            self.step(Some(&compile.id), FactValue::Compiled { id, function: FunctionFact { name, place } })
        });
        compiles.collect()
    }

    fn graph_breaks(&mut self) -> Vec<Step> {
        let report = self.report;
        let breaks = report.graph_breaks.iter().map(|one| {
            let place = place(self.texts, one.file.as_deref(), one.line);
            let reason = self.texts.add(&stable(&one.reason));
            let first = one.compile_ids.iter().flatten().next();
            let value = FactValue::Break { place, reason, times: one.count };
            self.step(first.map(|id| &**id), value)
        });
        breaks.collect()
    }

    fn recompiles(&mut self) -> Vec<Step> {
        let (report, places) = (self.report, self.places);
        let recompiles = report.recompiles.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let function = places.defined(self.texts, id, one.function.as_deref());
            let guards = one.reasons.iter().map(|reason| {
                let guard = reason.guard.as_deref().filter(|guard| !guard.is_empty());
                self.texts.add(&stable(guard.unwrap_or(&reason.text)))
            });
            let guards = guards.collect();
            let value = FactValue::Recompiled { function, guards: self.texts.add_list(guards) };
            self.step(id, value)
        });
        recompiles.collect()
    }

    fn failures(&mut self) -> Vec<Step> {
        let (report, places) = (self.report, self.places);
        let failures = report.failures.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let message = one.reason.as_deref().and_then(|reason| reason.trim().lines().next()).map(stable);
            let value = FactValue::Failed {
                error: self.texts.add(one.error.rsplit('.').next().unwrap_or_default()),
                function: places.defined(self.texts, id, None),
                place: place(self.texts, one.file.as_deref(), one.line),
                message: self.texts.add_maybe(message.as_deref()),
            };
            self.step(id, value)
        });
        failures.collect()
    }

    /// How each compile ended.
    fn status(&mut self) -> Vec<Step> {
        let identified = identified(self.report);
        let status = identified.map(|(id, compile)| {
            let status = FactValue::Status(self.texts.add(&compile.status));
            self.step(Some(id), status)
        });
        status.collect()
    }

    /// How many operations each compile captured.
    fn operation_counts(&mut self) -> Vec<Step> {
        let identified = identified(self.report);
        let counts = identified.map(|(id, compile)| {
            let forward = compile.metrics.iter().rev().filter_map(metrics);
            let forward = forward.filter(|(kind, _)| *kind == MetricsKind::Forward);
            let count = forward.filter_map(|(_, metrics)| metrics.graph_op_count).next();
            self.step(Some(id), FactValue::Operations(count))
        });
        counts.collect()
    }

    /// Answers of caches, those of one compile together and by cache: the order in which caches are asked depends on what
    /// they answer.
    fn caches(&mut self) -> Vec<Step> {
        let mut order: FxHashMap<Option<&str>, usize> = FxHashMap::default();
        let lookups = self.report.cross_rank.cache.iter().flatten();
        let mut lookups: Vec<_> = lookups
            .map(|lookup| {
                let next = order.len();
                (*order.entry(lookup.id.as_deref()).or_insert(next), lookup)
            })
            .collect();
        lookups.sort_by_key(|(order, lookup)| (*order, &*lookup.cache));
        let steps = lookups.into_iter().map(|(_, lookup)| {
            let id = lookup.id.as_deref();
            let value = FactValue::Lookup {
                id: self.texts.add_maybe(id),
                cache: self.texts.add(&lookup.cache),
                outcome: self.texts.add(&lookup.outcome),
            };
            self.step(id, value)
        });
        steps.collect()
    }

    /// Compiles of which a cache had a graph: torch then records no schedule, no sizes and no runtimes for it.
    fn cached(&mut self) -> Arc<[TextId]> {
        let lookups = self.report.cross_rank.cache.iter().flatten();
        let hits = lookups.filter(|lookup| &*lookup.outcome == "hit");
        let hits = hits.filter_map(|lookup| lookup.id.as_deref());
        let mut ids: Vec<TextId> = hits.map(|id| self.texts.add(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into()
    }

    /// Operations of graphs, one after the other.
    fn graphs(
        &mut self,
        graphs: &'r [Graph<'r, Text<'r>>],
        value: fn(&mut Texts, TextId, &str) -> FactValue,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        for graph in graphs {
            let name = self.places.compile_of(&graph.graph);
            let id = self.texts.add(name);
            let mut hash = md5::Context::new();
            graph.ops.iter().for_each(|op| hash.consume(format!("{}\n", &**op)));
            let md5 = hash.finalize();
            if self.texts.bytes() > MOST_TEXT && !self.in_full.0.contains(&md5.0) {
                let md5 = self.texts.add(&format!("{md5:x}"));
                let count = graph.ops.len() as u64;
                steps.push(self.step(Some(name), FactValue::Hashed { graph: id, count, md5 }));
                continue;
            }
            self.in_full.0.insert(md5.0);
            for operation in &graph.ops {
                let value = value(self.texts, id, operation);
                steps.push(self.step(Some(name), value));
            }
        }
        steps
    }

    fn execution(&mut self) -> Vec<Step> {
        let (report, places) = (self.report, self.places);
        let positions = report.cross_rank.execution.iter().flatten().map(|position| {
            let Some(id) = position.compile_id.as_deref() else {
                return Step { compile: None, value: None, note: None };
            };
            let function = self.texts.add_maybe(places.function_name(id));
            let value = FactValue::Executed { id: self.texts.add(id), function };
            let cache = position.cache.as_ref().map(|outcome| format!("cache {}", &**outcome));
            let schedule = position.schedule.as_ref().map(|ops| {
                let ops: Vec<&str> = ops.iter().map(|op| short_operation(op)).collect();
                ops.join(", ")
            });
            let note: Vec<String> = cache.into_iter().chain(schedule).collect();
            let note = (!note.is_empty()).then(|| self.texts.add(&note.join(": ")));
            Step { note, ..self.step(Some(id), value) }
        });
        positions.collect()
    }

    /// Each setting, by name.
    fn config(&mut self) -> Vec<Step> {
        let report = self.report;
        let mut steps = Vec::new();
        for (config, md5) in report.cross_rank.configs.iter().flatten() {
            let settings = report
                .configs
                .get(&**md5)
                .and_then(|raw| serde_json::from_str::<BTreeMap<Text<'_>, &RawValue>>(raw.get()).ok());
            let config = self.texts.add(config);
            match settings {
                Some(settings) => steps.extend(settings.iter().map(|(name, value)| {
                    let (name, value) = (self.texts.add(name), self.texts.add(&stable(value.get())));
                    self.step(None, FactValue::Setting { config, name, value })
                })),
                None => {
                    let md5 = self.texts.add(md5);
                    steps.push(self.step(None, FactValue::HashedConfig { config, md5 }));
                }
            }
        }
        steps
    }

    fn schedules(&mut self) -> Vec<Schedule> {
        let graphs = self.report.cross_rank.collectives.iter().flatten().map(|graph| {
            let operations = graph.ops.iter().map(|op| self.texts.add(op)).collect();
            Schedule { graph: self.texts.add(&graph.graph), operations: self.texts.names(operations) }
        });
        graphs.collect()
    }

    fn runtime(&mut self) -> Option<Vec<Arc<GraphRuntime>>> {
        let graphs = self.report.cross_rank.runtime.as_ref()?.iter().map(|graph| {
            let names = graph.ops.iter().map(|op| self.texts.add(&op.name)).collect();
            let names = self.texts.names(names);
            let ns = graph.ops.iter().map(|op| op.ns.unwrap_or(f64::NAN)).collect();
            let graph = GraphRuntime { graph: self.texts.add(&graph.graph), names, ns };
            self.texts.graph(graph)
        });
        Some(graphs.collect())
    }

    fn parity(&mut self) -> Option<Vec<CollectiveCounts>> {
        let graphs = self.report.cross_rank.parity.as_ref()?.iter().map(|graph| CollectiveCounts {
            scheduled: self.counts(&graph.scheduled),
            in_code: self.counts(&graph.in_code),
            compile: self.texts.add_maybe(graph.compile_id.as_deref()),
            missing_waits: graph.missing_waits,
        });
        Some(graphs.collect())
    }

    fn counts(&mut self, counts: &BTreeMap<Text<'_>, u64>) -> Vec<OperationCount> {
        let counts = counts.iter();
        counts.map(|(op, count)| OperationCount { operation: self.texts.add(op), count: *count }).collect()
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        let findings = self.report.findings.iter().filter(|one| ALARMS.contains(&&*one.kind));
        let alarms = findings
            .map(|one| Alarm { kind: self.texts.add(&one.kind), title: self.texts.add(&stable(&one.title)) });
        alarms.collect()
    }
}

/// Compiles that have an id, with it.
fn identified<'r>(report: &'r Report<'r>) -> impl Iterator<Item = (&'r str, &'r Compile<'r>)> {
    report.compiles.iter().filter_map(|compile| Some((compile.id.as_deref()?, compile)))
}

fn collective(texts: &mut Texts, graph: TextId, operation: &str) -> FactValue {
    FactValue::Collective { graph, operation: texts.add(operation) }
}

fn output(texts: &mut Texts, graph: TextId, operation: &str) -> FactValue {
    let (name, outputs) = tensors::outputs(texts, operation);
    FactValue::Output { graph, operation: texts.add(name), outputs: texts.add_tensors(outputs) }
}

/// The numbers of a metrics record.
fn metrics(record: &super::wire::Metrics<'_>) -> Option<(MetricsKind, Metrics)> {
    let fields = Fields::parse(record.fields.get()).ok()?;
    Some((MetricsKind::of_word(&record.kind)?, typed_metrics(&fields)))
}

/// Microseconds in each part of the compiler.
fn parts(compiles: &[Compile<'_>]) -> [f64; 4] {
    let records = compiles.iter().flat_map(|compile| &compile.metrics).filter_map(metrics);
    records.fold(Parts::default(), |sum, (kind, facts)| sum.plus(Parts::of_metrics(kind, &facts))).0
}
