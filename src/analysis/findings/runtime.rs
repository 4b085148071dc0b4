//! What costs time beside compiling: restarts, work while the model runs, CUDA graphs, guards.

use super::{Finding, Kind, Severity, Value, breaks, counted, defined_at, function_of};
use crate::model::Model;
use indexmap::IndexMap;

/// Microseconds of guard checks on each call that are worth a word. A call of a compiled function costs 10 to 50 us
/// anyway; half a millisecond is more than most kernels take, and is paid on every call.
const SLOW_GUARDS_US: f64 = 500.0;

/// All of them.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(restarts(model));
    found.extend(skipped_cudagraphs(model));
    found.extend(runtime_work(model));
    found.extend(slow_guards(model));
    found
}

/// Restarts of compiles whose graph did not break: those are told with the break.
fn restarts(model: &Model) -> Option<Finding> {
    let mut compiles: Vec<usize> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut count = 0;
    for one in &model.restarts {
        let Some(&index) = model.by_id.get(&one.compile) else { continue };
        let broke = model.compiles.get(index).is_some_and(|c| c.graph_breaks > 0);
        if broke {
            continue;
        }
        count += 1;
        if !compiles.contains(&index) {
            compiles.push(index);
        }
        let first = super::prose::first_line(&one.reason);
        if !reasons.contains(&first) {
            reasons.push(first);
        }
    }
    if compiles.is_empty() {
        return None;
    }
    let title = format!("Tracing of {} began anew", counted(compiles.len(), "compile", "compiles"));
    let mut found = Finding::new(Kind::Restart, Severity::Warning, title);
    found.detail = Some(
        "Dynamo found out on the way that it has to trace differently; the work until then was thrown away."
            .to_owned(),
    );
    found.costs(breaks::wasted(model, &compiles), "of tracing thrown away".to_owned(), Vec::new());
    found.count = count;
    found.fact("Reasons", Value::Code(reasons));
    found.place = compiles.first().map(|&index| defined_at(model, index)).unwrap_or_default();
    found.compiles = compiles;
    Some(found)
}

/// One finding a reason why no CUDA graph was recorded.
fn skipped_cudagraphs(model: &Model) -> Vec<Finding> {
    let mut reasons: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (index, compile) in model.compiles.iter().enumerate() {
        for reason in compile.metrics.iter().filter_map(|m| m.facts.cudagraph_skip_reason.as_deref()) {
            let compiles = reasons.entry(reason.trim()).or_default();
            if compiles.last() != Some(&index) {
                compiles.push(index);
            }
        }
    }
    let found = reasons.into_iter().filter(|(reason, _)| !reason.is_empty()).map(|(reason, compiles)| {
        let first = super::prose::first_line(reason);
        let mut found = Finding::new(
            Kind::CudagraphSkip,
            Severity::Warning,
            format!("No CUDA graph was recorded: {first}"),
        );
        found.detail = Some(
            "Without a CUDA graph each kernel is launched on its own, which costs time in every call."
                .to_owned(),
        );
        found.fact("Reason in the log", Value::Prose(reason.to_owned()));
        found.count = compiles.len() as u64;
        found.place = compiles.first().map(|&index| defined_at(model, index)).unwrap_or_default();
        found.compiles = compiles;
        found
    });
    found.collect()
}

/// Autotuning and recording of CUDA graphs while the model ran.
fn runtime_work(model: &Model) -> Option<Finding> {
    let of = |index: &usize| -> f64 {
        let compile = model.compiles.get(*index);
        let records = compile.into_iter().flat_map(|c| &c.metrics);
        records.filter_map(|m| m.facts.runtime_us).filter(|us| us.is_finite()).sum()
    };
    let compiles: Vec<usize> = (0..model.compiles.len()).filter(|index| of(index) > 0.0).collect();
    if compiles.is_empty() {
        return None;
    }
    let title = "Kernels were autotuned, or CUDA graphs recorded, while the model ran".to_owned();
    let mut found = Finding::new(Kind::RuntimeCost, Severity::Warning, title);
    found.detail = Some("The first calls of the compiled code paid for it; later ones do not.".to_owned());
    let what = "of autotuning and recording CUDA graphs at run time".to_owned();
    found.costs(compiles.iter().map(of).sum(), what, Vec::new());
    found.count = compiles.len() as u64;
    found.place = compiles.first().map(|&index| defined_at(model, index)).unwrap_or_default();
    found.compiles = compiles;
    Some(found)
}

/// Functions whose guards take long to check. What a call costs is no compile time, so it is not among the seconds lost.
fn slow_guards(model: &Model) -> Vec<Finding> {
    let mut slow: IndexMap<String, Vec<(usize, f64)>> = IndexMap::new();
    for (index, compile) in model.compiles.iter().enumerate() {
        let latency = compile.outcome().and_then(|facts| facts.guard_latency_us);
        if let Some(us) = latency.filter(|us| *us >= SLOW_GUARDS_US) {
            let function = function_of(model, index).unwrap_or_else(|| "a function".to_owned());
            slow.entry(function.trim_end_matches(',').to_owned()).or_default().push((index, us));
        }
    }
    let found = slow.into_iter().filter_map(|(function, versions)| {
        let (slowest, us) = versions.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let title = format!("Checking the guards of {function} takes {us:.0} us in every call");
        let mut one = Finding::new(Kind::SlowGuards, Severity::Info, title);
        one.reason = "slow guards".to_owned();
        let count = model.compiles.get(slowest).and_then(|c| c.outcome()?.guard_count);
        one.detail =
            count.map(|n| format!("{n} guards are checked before the compiled code may run, in each version."));
        one.hints = vec![
            "Guards that cannot fail in your program can be skipped: `torch.compile(.., options={\"guard_filter_fn\": ..})`. \
             A guard that is skipped and does fail gives wrong results."
                .to_owned(),
        ];
        one.count = versions.len() as u64;
        one.place = defined_at(model, slowest);
        one.compiles = versions.into_iter().map(|(index, _)| index).collect();
        Some(one)
    });
    found.collect()
}
