//! The facts of a compile that readers look for first.

use crate::analysis::OneOffKind;
use crate::analysis::caches::saved_us;
use crate::model::{Metrics, MetricsKind, MetricsRecord};
use crate::report::doc::{Cell, Fact, log, own};
use crate::report::kit::formats::{bytes, count, counted, micros, whole};
use crate::report::pages::compile::caches;
use crate::report::pages::compile::metrics::{main_record, of_graph};
use crate::report::pages::compile::subject::ShownCompile;

/// What came of it: captured operators, guards, caches, attempts.
pub(super) fn of_result<'m>(subject: ShownCompile<'m>) -> Vec<Fact<'m>> {
    let mut facts = Vec::new();
    let outcome = subject.compile.outcome();
    facts.extend(outcome.and_then(captured).map(|text| Fact::new("Captured", own(text))));
    facts.extend(guards(subject).map(|text| Fact::new("Guards", own(text))));
    facts.extend(caches::answers(subject).map(|answers| Fact::new("Caches", answers)));
    facts.extend(caches::versions(subject).map(|text| Fact::new("Version", text)));
    let attempts: Vec<String> = subject.compile.attempts.iter().map(|a| a.number.to_string()).collect();
    if let Some((last, before @ [first, ..])) = attempts.split_last() {
        let discarded = match before {
            [_] => format!("attempt {first}"),
            several => format!("attempts {}", several.join(", ")),
        };
        let text = format!("{} ({discarded} discarded, attempt {last} kept)", attempts.len());
        facts.push(Fact::new("Attempts", own(text)));
    }
    if subject.compile.occurrences > 1 {
        let times = whole(subject.compile.occurrences);
        let text = format!("{times} under this id: torch._dynamo.reset() restarts the numbering of frames");
        facts.push(Fact::new("Compiled", own(text)));
    }
    facts.extend(of_graph(subject));
    facts.extend(parameters(subject).map(|text| Fact::new("Parameters", own(text))));
    let skipped = outcome.and_then(|m| m.cudagraph_skip_reason.as_deref()).filter(|r| !r.is_empty());
    facts.extend(skipped.map(|reason| Fact::new("No CUDA graph", log(reason))));
    let graphs = subject.report.found.on_device.cuda_graphs(subject.index);
    facts.extend(graphs.map(|graphs| Fact::new("CUDA graphs", own(graphs.words()))));
    if subject.compile.id.is_none() {
        facts.push(Fact::new("Records", own(whole(subject.compile.records))));
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

/// How many guards, as everywhere in the report, and what they cost.
fn guards(subject: ShownCompile<'_>) -> Option<String> {
    let count = counted(subject.guards()?, "condition", "conditions");
    let cost = subject.compile.outcome().and_then(|m| m.guard_latency_us);
    Some(count + &cost.map(|us| format!(", {} per call", micros(us))).unwrap_or_default())
}

/// One-off work of the process, and waiting, that happened during this compile.
fn one_offs(subject: ShownCompile<'_>) -> Option<String> {
    let all = &subject.report.found.one_offs;
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

/// When it was compiled, and what its time was spent on.
pub(super) fn of_time<'m>(subject: ShownCompile<'m>) -> Vec<Fact<'m>> {
    let mut facts = Vec::new();
    facts.extend(started(subject).map(|at| Fact::new("Started", at)));
    let backward = subject.compile.metrics.iter();
    let backward = backward.filter(|m| matches!(m.kind, MetricsKind::Backward | MetricsKind::AotBackward));
    let (count, us) = backward.fold((0, 0.0), |(n, us), m| (n + 1, us + m.total_us().unwrap_or(0.0)));
    if count > 0 {
        let times = if count > 1 { format!(", {count} times") } else { String::new() };
        let time = if us > 0.0 { format!("compiled in {}", micros(us)) } else { "compiled".to_owned() };
        facts.push(Fact::new("Backward", own(time + &times)));
    }
    facts.extend(one_offs(subject).map(|text| Fact::new("Includes", own(text))));
    let sum = |of: fn(&MetricsRecord) -> Option<f64>| {
        let known = subject.compile.metrics.iter().filter_map(of);
        known.filter(|us| us.is_finite() && *us > 0.0).fold(0.0, |sum, us| sum + us)
    };
    // torch counts the time of an only attempt that failed as time before a restart, too.
    let restarted = subject.compile.attempts.len() > 1;
    let costs = [
        (
            "Discarded",
            if restarted { sum(|m| m.facts.wasted_us) } else { 0.0 },
            " in attempts before the last",
        ),
        ("Saved", saved_us(&subject.report.found.saved, subject.index).unwrap_or_default(), " by caches"),
        ("While running", sum(MetricsRecord::tuned_at_run_time_us), " of autotuning"),
        ("While running", sum(MetricsRecord::cudagraphs_at_run_time_us), " of CUDA graphs"),
    ];
    let costs = costs.into_iter().filter(|(_, us, _)| *us > 0.0);
    facts.extend(costs.map(|(label, us, words)| Fact::new(label, own(micros(us) + words))));
    facts
}

/// When the first record was written; the absolute time on hover.
pub(super) fn started<'m>(subject: ShownCompile<'m>) -> Option<Cell<'m>> {
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
    Some(Cell::Titled(at.into(), Box::new(own(text))))
}

/// `2,532,867 in 201 tensors, 10.1 MB`, from the last forward record.
fn parameters(subject: ShownCompile<'_>) -> Option<String> {
    // The main record is a forward record if there is one.
    let fields = subject.metrics?;
    main_record(subject.compile).filter(|main| main.kind == MetricsKind::Forward)?;
    let numel = fields.number("param_numel")?;
    let tensors = fields.count("param_count").map(|n| format!(" in {}", counted(n, "tensor", "tensors")));
    let size = fields.number("param_bytes").map(|size| format!(", {}", bytes(size)));
    let numel = count(numel);
    Some(format!("{numel}{}{}", tensors.unwrap_or_default(), size.unwrap_or_default()))
}
