//! The facts of a compile that readers look for first.

use crate::analysis::OneOffKind;
use crate::analysis::caches::saved_us;
use crate::model::{Metrics, MetricsKind, MetricsRecord};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::caches;
use crate::report::pages::compile::metrics::{main_record, of_graph};
use crate::report::pages::compile::subject::ShownCompile;

/// Labels with their values.
type Facts = Vec<(&'static str, Html)>;

/// What was compiled: captured operators, guards, caches, attempts.
pub(crate) fn left(view: View<'_>, subject: ShownCompile<'_>) -> Facts {
    let mut facts = Facts::new();
    let outcome = subject.compile.outcome();
    facts.extend(outcome.and_then(captured).map(|text| ("Captured", text.into())));
    facts.extend(guards(subject, outcome).map(|text| ("Guards", text.into())));
    facts.extend(caches::answers(view, subject).map(|text| ("Caches", text)));
    facts.extend(caches::versions(subject).map(|text| ("Version", text)));
    let attempts: Vec<String> = subject.compile.attempts.iter().map(|a| a.number.to_string()).collect();
    if let Some((last, before @ [first, ..])) = attempts.split_last() {
        let discarded = match before {
            [_] => format!("attempt {first}"),
            several => format!("attempts {}", several.join(", ")),
        };
        let text = format!("{} ({discarded} discarded, attempt {last} kept)", attempts.len());
        facts.push(("Attempts", text.into()));
    }
    if subject.compile.occurrences > 1 {
        let times = whole(subject.compile.occurrences);
        let text = format!("{times} under this id: torch._dynamo.reset() restarts the numbering of frames");
        facts.push(("Compiled", text.into()));
    }
    facts.extend(of_graph(view, subject));
    let skipped = outcome.and_then(|m| m.cudagraph_skip_reason.as_deref()).filter(|r| !r.is_empty());
    facts.extend(skipped.map(|reason| ("No CUDA graph", view.folded(reason, false))));
    let graphs = view.report.found.on_device.cuda_graphs(subject.index);
    facts.extend(graphs.map(|graphs| ("CUDA graphs", graphs.words().into())));
    if subject.compile.id.is_none() {
        facts.push(("Records", whole(subject.compile.records).into()));
    }
    facts
}

fn captured(facts: &Metrics) -> Option<String> {
    let counts = [
        (facts.graph_op_count, "op", "ops"),
        (facts.graph_node_count, "node", "nodes"),
        (facts.graph_input_count, "input", "inputs"),
    ];
    let counts = counts.into_iter().filter_map(|(n, one, many)| Some(counted(n?, one, many)));
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

fn guards(subject: ShownCompile<'_>, outcome: Option<&Metrics>) -> Option<String> {
    let leaf = subject.compile.guard_conditions;
    let torch = outcome.and_then(|m| m.guard_count);
    let cost = outcome.and_then(|m| m.guard_latency_us).map(|us| format!(", {} per call", micros(us)));
    let count = match (leaf, torch) {
        (Some(leaf), Some(torch)) if leaf != torch => {
            format!("{} ({} by torch's count)", counted(leaf, "condition", "conditions"), whole(torch))
        }
        (leaf, torch) => counted(leaf.or(torch)?, "condition", "conditions"),
    };
    Some(count + &cost.unwrap_or_default())
}

/// One-off work of the process, and waiting, that happened during this compile.
fn one_offs(view: View<'_>, subject: ShownCompile<'_>) -> Option<String> {
    let all = &view.report.found.one_offs;
    let of = all.iter().skip(all.partition_point(|one| one.compile < subject.index));
    let of = of.take_while(|one| one.compile == subject.index);
    let mut sums: Vec<(OneOffKind, f64)> = Vec::new();
    for one in of {
        match sums.last_mut().filter(|(kind, _)| *kind == one.kind) {
            Some((_, us)) => *us += one.us,
            None => sums.push((one.kind, one.us)),
        }
    }
    let parts: Vec<String> =
        sums.iter().map(|(kind, us)| format!("{} {}", micros(*us), kind.words())).collect();
    (!parts.is_empty()).then(|| format!("{}; not charged to any finding", parts.join(", ")))
}

/// How it was compiled: when, from where, at what cost.
pub(crate) fn right(view: View<'_>, subject: ShownCompile<'_>) -> Facts {
    let mut facts = Facts::new();
    facts.extend(started(subject).map(|text| ("Started", text)));
    let backward = subject.compile.metrics.iter();
    let backward = backward.filter(|m| matches!(m.kind, MetricsKind::Backward | MetricsKind::AotBackward));
    let (count, us) = backward.fold((0, 0.0), |(n, us), m| (n + 1, us + m.total_us().unwrap_or(0.0)));
    if count > 0 {
        let times = if count > 1 { format!(", {count} times") } else { String::new() };
        facts.push(("Backward", format!("compiled in {}{times}", micros(us)).into()));
    }
    facts.extend(one_offs(view, subject).map(|text| ("Includes", text.into())));
    facts.extend(called_from(view, subject).map(|html| ("Called from", html)));
    facts.extend(parameters(subject).map(|text| ("Parameters", text.into())));
    let sum = |of: fn(&MetricsRecord) -> Option<f64>| {
        let known = subject.compile.metrics.iter().filter_map(of);
        known.filter(|us| us.is_finite() && *us > 0.0).fold(0.0, |sum, us| sum + us)
    };
    let costs = [
        ("Discarded", sum(|m| m.facts.wasted_us), " in attempts before the last"),
        ("Saved", saved_us(&view.report.found.saved, subject.index).unwrap_or_default(), " by caches"),
        ("While running", sum(MetricsRecord::tuned_at_run_time_us), " of autotuning"),
        ("While running", sum(MetricsRecord::cudagraphs_at_run_time_us), " of CUDA graphs"),
    ];
    for (label, us, words) in costs.into_iter().filter(|(_, us, _)| *us > 0.0) {
        facts.push((label, (micros(us) + words).into()));
    }
    facts
}

/// When the first record was written; the absolute time on hover.
pub(crate) fn started(subject: ShownCompile<'_>) -> Option<Html> {
    let model = subject.report.model;
    let stamp = subject.compile.first?;
    let at = model.time(Some(stamp)).unwrap_or_default();
    let into = model.first.and_then(|first| {
        let us = model.clock.epoch_us(stamp)? - model.clock.epoch_us(first)?;
        let into = format!("{} into the log", micros(us as f64));
        Some(if us <= 0 { "at the start of the log".to_owned() } else { into })
    });
    let took = subject.compile.compile_us().map(|us| format!(", took {}", micros(us)));
    let text = format!("{}{}", into.as_deref().unwrap_or(&at), took.unwrap_or_default());
    Some(titled(&at, text))
}

/// The frame of the reader's own code that called the compiled function.
fn called_from(view: View<'_>, subject: ShownCompile<'_>) -> Option<Html> {
    let (_, callers) = subject.compile.stack.as_deref()?.split_last()?;
    let frame = callers.get(view.innermost_own(callers)?)?;
    let place = view.place(Some(view.file(frame)), frame.line);
    let code = frame.loc.as_deref().filter(|loc| !loc.is_empty()).map(|loc| view.code(loc));
    Some(Html::joined([view.function(&frame.name), place].into_iter().chain(code), " "))
}

/// `2,532,867 in 201 tensors, 10.1 MB`, from the last forward record.
fn parameters(subject: ShownCompile<'_>) -> Option<String> {
    // The main record is a forward record if there is one.
    let fields = subject.metrics?;
    main_record(subject.compile).filter(|main| main.kind == MetricsKind::Forward)?;
    let numel = fields.number("param_numel")?;
    let tensors = fields.count("param_count").map(|n| format!(" in {}", counted(n, "tensor", "tensors")));
    let size = fields.number("param_bytes").map(|size| format!(", {}", bytes(size)));
    let numel = crate::report::kit::formats::count(numel);
    Some(format!("{numel}{}{}", tensors.unwrap_or_default(), size.unwrap_or_default()))
}
