//! The facts by which a rank is compared: lists that are made from its report.json.

use super::places::{Places, place};
use crate::analysis::{calls_only, resumed};
use crate::facts::ranks::{
    Alarm, Aspect, FactValue, FunctionFact, GraphId, GraphRuntime, OpenPhase, RankEnd, RankOneOffs,
    RankSummary, ReaderName, Schedule, Sequence, SlowCompile, Step, TextId, Texts,
};
use crate::facts::{self as log, Compile, Id, LogReport, RankParity, Text, setting_value};
use crate::limits::{IN_HEAD, KEPT_OF_ONE, LIST, SHOWN};
use crate::model::{CompilerPart, Fields, Status, stable};
use crate::read::exception::{quoted_exception, raised_in_backend};
use crate::read::fx_graph::short_operation;
use crate::trace::{TextMap, TextSet, instant};
use fxhash::FxHashSet;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Findings about a rank as a whole that a reader of the job should know.
const ALARMS: [&str; 4] = ["worker_death", "worker_stall", "spmd_mismatch", "notice"];

/// Seconds from which on the time of a phase that was open says something.
const LEAST_OPEN_S: f64 = 0.001;

/// The graphs whose operations are kept in full, by a hash of them.
#[derive(Default)]
pub(super) struct GraphsInFull(pub TextSet<[u8; 16]>);

/// Reads the facts of a rank's report; those about each graph are in [`graph_lists`](super::graph_lists).
pub(super) struct FactReader<'t, 'r> {
    pub texts: &'t mut Texts,
    pub in_full: &'t mut GraphsInFull,
    pub report: &'r LogReport<'r>,
    pub places: &'r Places<'r>,
}

impl<'r> FactReader<'_, 'r> {
    /// All facts by which the rank is compared.
    pub fn fill(&mut self, summary: &mut RankSummary) {
        let (report, places) = (self.report, self.places);
        let cross = &report.cross_rank;
        self.reader_names();
        let lists = [
            (Aspect::Functions, Some(self.compile_ids())),
            (Aspect::GraphBreaks, Some(self.graph_breaks())),
            (Aspect::Recompiles, Some(self.recompiles())),
            (Aspect::Failures, Some(self.failures())),
            (Aspect::Status, Some(self.status())),
            (Aspect::Ops, Some(self.operation_counts())),
            (Aspect::Cache, self.caches()),
            (Aspect::Collectives, Some(self.collectives())),
            (Aspect::TensorMeta, self.outputs()),
            (Aspect::Inputs, self.inputs()),
            (Aspect::Graphs, self.texts_of(|code| code.graph.as_deref())),
            (Aspect::Guards, self.texts_of(|code| code.guards.as_deref())),
            (Aspect::ProcessGroups, Some(self.process_groups())),
            (Aspect::CacheKeys, self.cache_keys()),
            (Aspect::ExecOrder, self.execution()),
            (Aspect::Settings, self.config()),
        ];
        let facts =
            lists.into_iter().filter_map(|(aspect, steps)| Some((aspect, self.texts.sequence(steps?))));
        let mut facts: Vec<(Aspect, Sequence)> = facts.collect();
        facts.sort_by_key(|(aspect, _)| *aspect);
        summary.facts = facts.into();
        summary.cached = self.cached();
        summary.keys = self.key_lookups();
        summary.broken = self.broken();
        let bare = identified(self.report).filter(|(_, compile)| compile.is_bare());
        let mut bare: Vec<TextId> = bare.map(|(id, _)| self.texts.add(id)).collect();
        bare.sort_unstable();
        summary.bare = self.texts.names(bare);
        summary.slowest = slowest(report, places);
        summary.provenance = provenance(report);
        summary.one_offs = one_offs(&report.compile_time);
        summary.schedules = self.schedules();
        summary.parts_us = log::parts_us(&self.report.compile_time.parts);
        summary.runtime = self.runtime();
        summary.scheduled = cross.parity.as_deref().map(<[_]>::len);
        let odd = cross.parity.iter().flatten().filter(|graph| graph.differs());
        summary.parity = odd.map(|graph| parity(summary.number, graph)).collect();
        summary.alarms = self.alarms();
        summary.end = self.end();
        summary.world_size = cross.world_size;
        summary.pauses = cross.pauses.as_deref().unwrap_or_default().into();
        let folders = cross.cache_folders.iter().flatten().map(|folder| self.texts.add(folder)).collect();
        summary.cache_folders = self.texts.names(folders);
    }

    /// The compile as all ranks know it.
    pub fn graph(&self, compile: Option<&str>) -> Option<GraphId> {
        self.places.graph(compile?)
    }

    /// A fact about a graph, by the id of its compile.
    pub fn step(&mut self, compile: Option<&str>, value: FactValue) -> Step {
        let graph = self.graph(compile);
        Step { compile: self.texts.add_maybe(compile), graph, value: Some(value), note: None }
    }

    /// What the reader calls the functions of the rank's compiles.
    fn reader_names(&mut self) {
        for name in self.report.cross_rank.names.iter().flatten() {
            let Some(graph) = self.places.graph(&name.id) else { continue };
            let title = self.texts.add(&name.title);
            let called = place(self.texts, name.file.as_deref(), name.line);
            self.texts.name_graph(graph, ReaderName { title, called });
        }
    }

    fn compile_ids(&mut self) -> Vec<Step> {
        let report = self.report;
        let compiles = report.cross_rank.compiles.iter().map(|compile| {
            let name = self.texts.add_maybe(compile.function.as_deref());
            let place = place(self.texts, compile.file.as_deref(), compile.line);
            let id = self.texts.add(&compile.id);
            let mut step = self
                .step(Some(&compile.id), FactValue::Compiled { id, function: FunctionFact { name, place } });
            step.value = step.value.filter(|_| name.is_some());
            // Ids begin anew after `torch._dynamo.reset()`.
            let times = self.places.times_compiled(&compile.id).clamp(1, KEPT_OF_ONE);
            std::iter::repeat_n(step, times)
        });
        compiles.flatten().collect()
    }

    fn graph_breaks(&mut self) -> Vec<Step> {
        let report = self.report;
        let breaks = report.graph_breaks.iter().map(|one| {
            // A function that only calls another one, as modules are called, is not where the program breaks.
            let is_wrapper = |frame: &log::StackFrame<'_>| {
                frame
                    .file
                    .as_deref()
                    .is_some_and(|file| calls_only(frame.name.as_deref().unwrap_or_default(), file))
            };
            let own = one.user_stack.iter().rev().find(|frame| !is_wrapper(frame));
            let own = own.filter(|_| one.user_stack.last().is_some_and(is_wrapper));
            let (file, line) = own.map_or((&one.file, one.line), |frame| (&frame.file, frame.line));
            let place = place(self.texts, file.as_deref(), line);
            let reason = self.texts.add(&stable(&one.reason));
            let first = one.compile_ids.iter().flatten().next();
            let value = FactValue::Break { place, reason, times: one.count };
            // What names the thing that breaks says more than torch's reason.
            let names_it = |title: &&str| title.contains('`');
            let note = self.texts.add_maybe(one.title.as_deref().filter(names_it));
            Step { note, ..self.step(first.map(|id| &**id), value) }
        });
        let mut steps: Vec<Step> = breaks.collect();
        // Code behind a break was compiled, also where the log lacks the break.
        let names = || {
            identified(report)
                .filter_map(|(id, one)| Some((id, one, one.function.as_ref()?.name.as_deref()?)))
        };
        let broken = names().filter(|(_, one, _)| one.graph_breaks > 0);
        let broken: TextSet<&str> =
            broken.map(|(.., name)| resumed(name).map_or(name, |(base, _)| base)).collect();
        let behind = names().filter_map(|(.., name)| Some(resumed(name)?.0));
        let mut lacking: TextSet<&str> = behind.filter(|base| !broken.contains(base)).collect();
        let lacking: Vec<&str> =
            names().filter(|(.., name)| lacking.remove(name)).map(|(id, ..)| id).collect();
        steps.extend(lacking.into_iter().map(|id| self.gap(id)));
        steps
    }

    fn recompiles(&mut self) -> Vec<Step> {
        let (report, places) = (self.report, self.places);
        let recompiles = report.recompiles.iter().map(|one| {
            let id = one.compile_id.as_deref();
            let function = places.defined(self.texts, id, one.function.as_deref());
            let closest = one.change.as_ref().and_then(|change| change.against.as_deref());
            let is_closest =
                |reason: &&log::Reason<'_>| closest.is_some() && reason.against.as_deref() == closest;
            let first = one.reasons.iter().find(is_closest).or(one.reasons.first());
            let others =
                one.reasons.iter().filter(|reason| first.is_none_or(|first| !std::ptr::eq(first, *reason)));
            let guards = first.into_iter().chain(others).map(|reason| {
                let guard = reason.guard.as_deref().filter(|guard| !guard.is_empty());
                self.texts.add(&stable(guard.unwrap_or(&reason.text)))
            });
            let guards = guards.collect();
            let frame = first.and_then(|reason| reason.user_stack.iter().next_back());
            let place = frame.and_then(|frame| place(self.texts, frame.file.as_deref(), frame.line));
            let value = FactValue::Recompiled { function, guards: self.texts.add_list(guards), place };
            self.step(id, value)
        });
        let mut steps: Vec<Step> = recompiles.collect();
        // A version that follows another was compiled for a reason, also where the log lacks it.
        let told: TextSet<&str> =
            report.recompiles.iter().filter_map(|one| one.compile_id.as_deref()).collect();
        let is_later = |id: &str| id.rsplit_once('/').is_some_and(|(_, version)| version != "0");
        let lacking = identified(report).map(|(id, _)| id).filter(|id| is_later(id) && !told.contains(id));
        steps.extend(lacking.map(|id| self.gap(id)));
        steps
    }

    /// A compile of which the log does not say what the list is about.
    fn gap(&mut self, id: &str) -> Step {
        Step { compile: Some(self.texts.add(id)), graph: self.places.graph(id), value: None, note: None }
    }

    /// The list in the order of the job's graphs, with a gap for each compile of which it says nothing.
    pub fn with_gaps(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        steps.extend(self.gaps(&steps, |_, _| false));
        in_order(steps)
    }

    /// A gap for each compile of which a list says nothing, unless that says that there is nothing.
    pub fn gaps(&mut self, steps: &[Step], has_none: impl Fn(&str, &Compile<'_>) -> bool) -> Vec<Step> {
        let told: FxHashSet<GraphId> = steps.iter().filter_map(|step| step.graph).collect();
        let lacking = identified(self.report).filter(|(id, compile)| {
            self.places.graph(id).is_some_and(|graph| !told.contains(&graph)) && !has_none(id, compile)
        });
        lacking.map(|(id, _)| self.gap(id)).collect()
    }

    fn failures(&mut self) -> Vec<Step> {
        let (report, places) = (self.report, self.places);
        // At the limit of recompilations the program goes on without compiling, unless it is set to fail there.
        let at_limit = report.recompiles.iter().filter(|one| one.at_limit);
        let at_limit: TextSet<&str> = at_limit.filter_map(|one| one.compile_id.as_deref()).collect();
        let goes_on = |one: &&log::Failure<'_>| {
            one.compile_id.as_deref().is_some_and(|id| at_limit.contains(id)) && *one.error == *"Unsupported"
        };
        let failures = report.failures.iter().filter(|one| !goes_on(one)).map(|one| {
            let id = one.compile_id.as_deref();
            let reason = one.reason.as_deref().unwrap_or_default();
            let quoted = quoted_exception(reason).or_else(|| raised_in_backend(reason));
            let message =
                quoted.as_ref().map(|quoted| quoted.message).or_else(|| reason.trim().lines().next());
            let message = message.map(stable);
            let error = quoted.map_or(&*one.error, |quoted| quoted.class);
            let value = FactValue::Failed {
                error: self.texts.add(error.rsplit('.').next().unwrap_or_default()),
                function: places.defined(self.texts, id, None),
                place: place(self.texts, one.file.as_deref(), one.line),
                message: self.texts.add_maybe(message.as_deref()),
                is_backward: one.kind.contains("backward"),
            };
            self.step(id, value)
        });
        failures.collect()
    }

    /// How each compile ended, where that is recorded.
    fn status(&mut self) -> Vec<Step> {
        self.of_each_compile(|texts, compile| {
            let is_known = *compile.status != *Status::Missing.word();
            is_known.then(|| FactValue::Status(texts.add(&compile.status)))
        })
    }

    /// How many operations each compile captured.
    fn operation_counts(&mut self) -> Vec<Step> {
        self.of_each_compile(|_, compile| {
            let forward = compile.metrics.iter().rev().filter(|record| *record.kind == *"forward");
            let fields = forward.filter_map(|record| Fields::parse(record.fields.get()).ok());
            fields.filter_map(|fields| fields.count("graph_op_count")).next().map(FactValue::Operations)
        })
    }

    /// A fact of each compile. Nobody knows what the compile that the log ends in would have come to.
    fn of_each_compile(&mut self, of: impl Fn(&mut Texts, &Compile<'_>) -> Option<FactValue>) -> Vec<Step> {
        let unfinished = self.unfinished();
        let steps = identified(self.report).map(|(id, compile)| {
            let value = of(self.texts, compile).filter(|_| unfinished != Some(id));
            Step { value, ..self.gap(id) }
        });
        in_order(steps.collect())
    }

    /// The compile that the log ends in.
    fn unfinished(&self) -> Option<&'r str> {
        let end = self.report.cross_rank.end.as_ref().filter(|end| end.inside)?;
        end.compile_id.as_deref()
    }

    fn end(&mut self) -> Option<RankEnd> {
        let end = self.report.cross_rank.end.as_ref()?;
        let phases: Vec<TextId> = end.phases.iter().map(|phase| self.texts.add(phase)).collect();
        let timed = phases.iter().zip(&end.open_s).rev().find(|(_, seconds)| **seconds >= LEAST_OPEN_S);
        let timed = timed.map(|(name, seconds)| OpenPhase { name: *name, at_least_s: *seconds });
        Some(RankEnd {
            time_us: self.report.log.last_time.as_deref().and_then(instant),
            event: self.texts.add(&end.event),
            compile: self.texts.add_maybe(end.compile_id.as_deref()),
            inside: end.inside,
            phases: self.texts.names(phases),
            timed,
        })
    }

    /// Results of cache lookups, sorted by cache within a compile, because the order of the lookups depends on their
    /// results.
    fn caches(&mut self) -> Option<Vec<Step>> {
        let mut order: TextMap<Option<&str>, usize> = TextMap::default();
        let lookups = self.report.cross_rank.cache.as_ref()?;
        let mut lookups: Vec<_> = lookups
            .iter()
            .map(|lookup| {
                let next = order.len();
                (*order.entry(lookup.id.as_deref()).or_insert(next), lookup)
            })
            .collect();
        lookups.sort_by_key(|(order, lookup)| (*order, &*lookup.cache));
        let steps = lookups.into_iter().map(|(_, lookup)| {
            let (cache, outcome) = (self.texts.add(&lookup.cache), self.texts.add(&lookup.outcome));
            self.step(lookup.id.as_deref(), FactValue::Lookup { cache, outcome })
        });
        let steps = steps.collect();
        Some(self.with_gaps(steps))
    }

    /// Compiles with a cache hit: torch then records no schedule, no sizes and no runtimes.
    fn cached(&self) -> Arc<[GraphId]> {
        let lookups = self.report.cross_rank.cache.iter().flatten();
        let hits = lookups.filter(|lookup| &*lookup.outcome == "hit");
        let graphs = hits.filter_map(|lookup| self.places.graph(lookup.id.as_deref()?));
        let mut graphs: Vec<GraphId> = graphs.collect();
        graphs.sort_unstable();
        graphs.dedup();
        graphs.into()
    }

    /// Compiles that a graph break split.
    fn broken(&self) -> Arc<[GraphId]> {
        let broken = identified(self.report).filter(|(_, compile)| compile.graph_breaks > 0);
        let mut graphs: Vec<GraphId> = broken.filter_map(|(id, _)| self.places.graph(id)).collect();
        graphs.sort_unstable();
        graphs.into()
    }

    fn execution(&mut self) -> Option<Vec<Step>> {
        let report = self.report;
        // What is said of a compile's first run serves its later ones, which a long order does not repeat.
        let mut notes: TextMap<Option<&str>, Option<TextId>> = TextMap::default();
        let positions = report.cross_rank.execution.as_ref()?.iter().map(|position| {
            let id = position.compile_id.as_deref();
            let graph = self.graph(id);
            let note = *notes
                .entry(id)
                .or_insert_with(|| execution_note(position).map(|note| self.texts.add(&note)));
            Step { compile: self.texts.add_maybe(id), graph, value: graph.map(FactValue::Executed), note }
        });
        Some(positions.collect())
    }

    /// Each setting, by name.
    fn config(&mut self) -> Option<Vec<Step>> {
        let report = self.report;
        let mut steps = Vec::new();
        for (config, md5) in report.cross_rank.configs.as_ref()? {
            let settings = report
                .configs
                .get(&**md5)
                .and_then(|raw| serde_json::from_str::<BTreeMap<Text<'_>, &RawValue>>(raw.get()).ok());
            let config = self.texts.add(config);
            match settings {
                Some(settings) => steps.extend(settings.iter().map(|(name, value)| {
                    let (name, value) = (self.texts.add(name), self.texts.add(&setting_value(value)));
                    self.step(None, FactValue::Setting { config, name, value })
                })),
                None => {
                    let md5 = self.texts.add(md5);
                    steps.push(self.step(None, FactValue::HashedConfig { config, md5 }));
                }
            }
        }
        Some(steps)
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
            let folder = self.texts.add(&graph.graph);
            self.texts.runtime(GraphRuntime::new(folder, names, graph.ops.iter().map(|op| op.ns)))
        });
        Some(graphs.collect())
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        let findings = self.report.findings.iter().filter(|one| ALARMS.contains(&&*one.kind));
        let alarms = findings
            .map(|one| Alarm { kind: self.texts.add(&one.kind), title: self.texts.add(&stable(&one.title)) });
        alarms.collect()
    }
}

/// A graph of the rank whose code does not call the collectives that were scheduled.
fn parity(rank: u64, graph: &log::Parity<'_>) -> RankParity<'static> {
    let counts = |all: &BTreeMap<Text<'_>, u64>| {
        all.iter().map(|(name, count)| (name.owned().into(), *count)).collect()
    };
    RankParity {
        rank: Some(rank),
        compile_id: graph.compile_id.as_deref().map(|id| Id::new(id.to_owned())),
        scheduled: counts(&graph.scheduled),
        in_code: counts(&graph.in_code),
        missing_waits: graph.missing_waits,
    }
}

/// What a cache answered for a graph that ran, and its collectives.
fn execution_note(position: &log::Execution<'_>) -> Option<String> {
    let cache = position.cache.as_ref().map(|outcome| format!("cache {}", &**outcome));
    let schedule = position.schedule.as_ref().map(|operations| {
        let shown: Vec<&str> =
            operations.iter().take(SHOWN).map(|operation| short_operation(operation)).collect();
        let more = operations.len() - shown.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    });
    let note: Vec<String> = cache.into_iter().chain(schedule).collect();
    (!note.is_empty()).then(|| note.join(": "))
}

/// The list in the order of the job's graphs.
pub(super) fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| step.graph);
    steps
}

/// Compiles that have an id, with it.
fn identified<'r>(report: &'r LogReport<'r>) -> impl Iterator<Item = (&'r str, &'r Compile<'r>)> {
    report.compiles.iter().filter_map(|compile| Some((compile.id.as_deref()?, compile)))
}

/// The compiles that took longest, each with the part of the compiler that took most of its time.
fn slowest(report: &LogReport<'_>, places: &Places<'_>) -> Box<[SlowCompile]> {
    let compiles = identified(report).filter_map(|(id, compile)| {
        let seconds = compile.time.seconds.filter(|seconds| *seconds > 0.0)?;
        let parts = compile.time.parts.iter().map(|part| (part.name.as_deref(), part.seconds));
        let most = parts.max_by(|one, other| one.1.total_cmp(&other.1));
        let (name, part_s) = most.unwrap_or_default();
        let part = CompilerPart::named(name);
        Some(SlowCompile { graph: places.graph(id)?, seconds, part, part_s })
    });
    let mut compiles: Vec<SlowCompile> = compiles.collect();
    compiles.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    compiles.truncate(IN_HEAD);
    compiles.into()
}

/// What fell into the compiles by chance, as the rank's report has it.
fn one_offs(time: &log::CompileTime<'_>) -> RankOneOffs {
    let sum = |kind: &str| time.one_offs.iter().filter(|one| &*one.kind == kind).map(|one| one.seconds).sum();
    RankOneOffs { toolchain_s: sum("toolchain"), waiting_s: sum("wait_for_process") }
}

/// What torch records of a compile where provenance is on.
const MAPPINGS: &str = "inductor_provenance_tracking_node_mappings";

/// The pages about the first compiles with such a record, of which some map nothing and then have no page.
fn provenance(report: &LogReport<'_>) -> Vec<String> {
    let of = report.compiles.iter().filter_map(|compile| {
        let mapped = compile.artifacts.iter().find(|one| *one.name == *MAPPINGS)?;
        let attempt = compile.attempts.iter().find(|one| Some(one.attempt) == mapped.attempt)?;
        Some(format!("provenance_tracking_{}.html", &*attempt.dir))
    });
    of.take(LIST).collect()
}
