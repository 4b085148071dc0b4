//! `report.json` of a log to the facts that are compared.

use super::recording::{
    Break, Compile, Failure, Function, Launched, LogRun, Measured, Parts, Recompile, STRIDES, Setting,
};
use super::wire::{self, LogReport, Text};
use crate::model::words::headline;
use crate::model::{Fields, stable};
use crate::trace::{CompileId, TextMap};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a text that is compared and shown; what differs only behind them is taken for equal.
const LONGEST: usize = 2_000;

/// Characters of a name, a path or the shapes of an operator.
const LONGEST_NAME: usize = 300;

/// Configurations by their fields in a metrics record, with what they are called.
const CONFIGS: [(&str, &str); 4] = [
    ("dynamo_config", "dynamo"),
    ("inductor_config", "inductor"),
    ("functorch_config", "functorch"),
    ("compiler_config", "compiler"),
];

/// All facts of a log.
pub(super) fn log_run(report: &LogReport<'_>) -> LogRun {
    let by_compile = Facts::of(report);
    let functions = functions(report, &by_compile);
    let mut places: TextMap<&str, (usize, Option<f64>)> = TextMap::default();
    for (place, function) in functions.iter().enumerate() {
        places.extend(function.compiles.iter().map(|one| (one.id.as_str(), (place, one.seconds))));
    }
    let at = |id: &Option<Text<'_>>| id.as_ref().and_then(|id| places.get(&*id.0).copied());
    let recompiles = report.recompiles.iter().map(|one| {
        let known = at(&one.compile_id);
        Recompile {
            compile: one.compile_id.as_ref().map(Text::owned),
            function: known.map(|(place, _)| place),
            name: names(one.function.as_ref()).unwrap_or_default(),
            guards: one.reasons.iter().map(guard).collect(),
            seconds: known.and_then(|(_, seconds)| seconds),
        }
    });
    let failures = report.failures.iter().map(|one| {
        let known = at(&one.compile_id);
        Failure {
            compile: one.compile_id.as_ref().map(Text::owned),
            function: known.map(|(place, _)| place),
            error: one.error.0.rsplit('.').next().unwrap_or_default().to_owned(),
            message: short(&headline(&stable(one.reason.as_ref().map_or("", |reason| &*reason.0)))),
            file: names(one.file.as_ref()),
            line: one.line,
            seconds: known.and_then(|(_, seconds)| seconds),
        }
    });
    LogRun {
        file: report.log.file.owned(),
        rank: report.log.rank,
        folder: String::new(),
        torch: report.torch.as_ref().and_then(|torch| torch.version.as_ref()).map(Text::owned),
        records: report.log.records,
        first_time: report.log.first_time.as_ref().map(Text::owned),
        total_s: report.compile_time.total_s,
        parts: by_compile.whole,
        recompiles: recompiles.collect(),
        failures: failures.collect(),
        breaks: report.graph_breaks.iter().map(graph_break).collect(),
        settings: settings(report),
        measured: report.performance.as_ref().map(measured),
        functions,
    }
}

/// The first characters of a text.
fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// The first characters of a name.
fn name(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}

fn names(text: Option<&Text<'_>>) -> Option<String> {
    text.map(|text| name(&text.0))
}

/// What the report lists apart from its compiles, by compile id.
struct Facts<'r> {
    whole: Parts,
    lookups: TextMap<&'r str, BTreeMap<String, Vec<String>>>,
    inputs: Option<TextMap<&'r str, BTreeMap<String, String>>>,
    one_offs: TextMap<&'r str, Vec<&'r wire::OneOff<'r>>>,
}

impl<'r> Facts<'r> {
    fn of(report: &'r LogReport<'r>) -> Facts<'r> {
        let mut facts = Facts {
            whole: Parts::default(),
            lookups: TextMap::default(),
            inputs: report.cross_rank.inputs.as_ref().map(|all| inputs(all)),
            one_offs: TextMap::default(),
        };
        for lookup in &report.caches {
            let Some(id) = &lookup.compile_id else { continue };
            let of_compile = facts.lookups.entry(&id.0).or_default();
            of_compile.entry(lookup.cache.owned()).or_default().push(lookup.outcome.owned());
        }
        let toolchain: Vec<&wire::OneOff<'_>> =
            report.compile_time.one_offs.iter().filter(|one| one.kind.0 == "toolchain").collect();
        facts.whole = parts(&report.compile_time.parts, &toolchain);
        for one in toolchain {
            let Some(id) = &one.compile_id else { continue };
            facts.one_offs.entry(&id.0).or_default().push(one);
        }
        facts
    }
}

/// The parts as the report has them, with the trial of the C++ compiler as a part of its own.
fn parts(listed: &[wire::Part<'_>], toolchain: &[&wire::OneOff<'_>]) -> Parts {
    let mut parts = Parts::default();
    for part in listed.iter().filter(|part| part.seconds.is_finite()) {
        parts.add(part.name.as_ref().map_or("", |name| &name.0), part.seconds);
    }
    for one in toolchain.iter().filter(|one| one.seconds.is_finite() && one.in_graph_s.is_finite()) {
        parts.add("C++ toolchain, once", one.seconds);
        parts.add("Code generation", -one.in_graph_s);
        parts.add("Kernel builds", one.in_graph_s - one.seconds);
    }
    parts.without(&Parts::default())
}

/// Names, dtypes, sizes and strides of the input tensors, by compile.
fn inputs<'r>(all: &'r [wire::Inputs<'r>]) -> TextMap<&'r str, BTreeMap<String, String>> {
    let described = |input: &wire::Input<'_>| {
        let strides = input.strides.as_ref().map(|strides| format!("{STRIDES}{}", strides.0));
        (
            name(&input.name.0),
            name(&format!("{}{}{}", input.dtype.0, input.sizes.0, strides.unwrap_or_default())),
        )
    };
    let known = all.iter().filter_map(|inputs| Some((&*inputs.compile_id.as_ref()?.0, inputs)));
    known.map(|(id, inputs)| (id, inputs.tensors.iter().map(described).collect())).collect()
}

/// The functions of a log in the order in which they first appear. Compiles that tell no function stand under the frame of
/// their id.
fn functions(report: &LogReport<'_>, facts: &Facts<'_>) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut known: TextMap<(&str, &str, Option<u64>), usize> = TextMap::default();
    for compile in &report.compiles {
        let Some(id) = &compile.id else { continue };
        let frame = id.0.rsplit_once('/').map_or(&*id.0, |(frame, _)| frame);
        let key = match &compile.function {
            Some(f) => (&*f.name.0, f.file.as_ref().map_or("", |file| &*file.0), f.line),
            None => (frame, "", None),
        };
        let place = *known.entry(key).or_insert_with(|| {
            let function = compile.function.as_ref();
            functions.push(Function {
                name: function.map_or_else(|| format!("frame {frame}"), |f| name(&f.name.0)),
                file: names(function.and_then(|f| f.file.as_ref())),
                line: function.and_then(|f| f.line),
                compiles: Vec::new(),
            });
            functions.len() - 1
        });
        if let Some(function) = functions.get_mut(place) {
            function.compiles.push(compile_of(compile, id, facts));
        }
    }
    functions
}

fn compile_of(compile: &wire::Compile<'_>, id: &Text<'_>, facts: &Facts<'_>) -> Compile {
    let forward = compile.metrics.iter().rev().find(|record| record.kind.0 == "forward");
    let fields = forward.and_then(|record| Fields::parse(record.fields.get()).ok()).unwrap_or_default();
    let one_offs = facts.one_offs.get(&*id.0).map(Vec::as_slice).unwrap_or_default();
    Compile {
        id: id.owned(),
        folder: folder(compile, id),
        status: compile.status.owned(),
        seconds: compile.time.seconds.filter(|seconds| seconds.is_finite()),
        parts: parts(&compile.time.parts, one_offs),
        operators: fields.count("graph_op_count"),
        guards: fields.count("guard_count"),
        kernels: compile.kernels.iter().map(|(kernel, count)| (name(&kernel.0), *count)).collect(),
        inputs: facts.inputs.as_ref().map(|all| all.get(&*id.0).cloned().unwrap_or_default()),
        lookups: facts.lookups.get(&*id.0).cloned().unwrap_or_default(),
    }
}

/// The folder of the compile's page. It follows from the id: a path from a file that may come from anywhere is not used.
fn folder(compile: &wire::Compile<'_>, id: &Text<'_>) -> String {
    let first = compile.attempts.iter().find(|attempt| attempt.attempt == 0).or(compile.attempts.first());
    let made = CompileId::parse(&id.0).map(|id| id.folder(0));
    made.filter(|made| first.is_none_or(|first| first.attempt != 0 || first.dir.0 == *made))
        .unwrap_or_default()
}

fn graph_break(one: &wire::GraphBreak<'_>) -> Break {
    let here = one.user_stack.iter().rev().find(|frame| frame.line == one.line && frame.file == one.file);
    let loc = here.and_then(|frame| frame.loc.as_ref()).map(|loc| loc.0.trim().to_owned());
    Break {
        reason: short(&stable(&one.reason.0)),
        file: names(one.file.as_ref()),
        line: one.line,
        loc: loc.filter(|loc| !loc.is_empty()),
        compiles: one.compile_ids.iter().flatten().map(Text::owned).collect(),
        count: one.count,
    }
}

/// The guard of a reason as all versions of torch write it: `x` for `L['x']`.
fn guard(reason: &wire::Reason<'_>) -> String {
    let guard = reason.guard.as_ref().filter(|guard| !guard.0.is_empty()).unwrap_or(&reason.text);
    let text = guard.0.split("  # ").next().unwrap_or_default().trim();
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("L['") {
        plain.push_str(before);
        match after.split_once("']") {
            Some((name, after)) => {
                plain.push_str(name);
                rest = after;
            }
            None => {
                plain.push_str("L['");
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    short(&stable(&plain))
}

/// All values of each setting that some compile was made with.
fn settings(report: &LogReport<'_>) -> BTreeMap<Setting, BTreeSet<String>> {
    let mut used: BTreeSet<(&'static str, String)> = BTreeSet::new();
    for record in report.compiles.iter().flat_map(|compile| &compile.metrics) {
        let Ok(fields) = Fields::parse(record.fields.get()) else { continue };
        for (field, name) in CONFIGS {
            used.extend(fields.text(field).map(|md5| (name, md5)));
        }
    }
    let mut settings: BTreeMap<Setting, BTreeSet<String>> = BTreeMap::new();
    for (config, md5) in used {
        let Some(value) = report.configs.get(&Text(md5.as_str().into())) else { continue };
        let Ok(fields) = Fields::parse(value.get()) else { continue };
        for (key, value) in fields.iter() {
            let setting = Setting { config: config.to_owned(), name: name(key) };
            settings.entry(setting).or_default().insert(setting_value(value));
        }
    }
    settings
}

fn setting_value(value: &RawValue) -> String {
    short(&stable(value.get()))
}

fn measured(found: &wire::Performance<'_>) -> Measured {
    let kernels = found.kernels.iter().map(|kernel| Launched {
        name: name(&kernel.name.0),
        shapes: String::new(),
        count: kernel.count,
        sum_us: kernel.sum_us,
        tflops: kernel.tflops,
        gbps: kernel.gbps,
    });
    let operators = found.ops.iter().map(|operator| {
        let dims: Vec<&str> = operator.input_dims.iter().map(|dims| dims.get()).collect();
        let types: BTreeSet<&str> =
            operator.input_types.iter().map(|text| &*text.0).filter(|text| !text.is_empty()).collect();
        let types: Vec<&str> = types.into_iter().collect();
        Launched {
            name: name(&operator.op.0),
            shapes: name(&format!("{} {}", dims.join(" "), types.join(" "))),
            count: operator.count,
            sum_us: operator.kernel_us_sum,
            tflops: operator.tflops,
            gbps: operator.tbps.map(|tbps| tbps * 1e3),
        }
    });
    Measured { busy_us: found.time.busy_us, kernels: kernels.collect(), operators: operators.collect() }
}
