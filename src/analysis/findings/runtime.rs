//! Costs other than compiling: restarts, work at run time, guards.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::cuda_graphs::has_many_sizes;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::names::FunctionWords;
use crate::analysis::run_time::{RunTime, at_run_time};
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::{count, own, sentence};
use crate::model::words::headline;
use crate::model::{CompileIndex, Model, Sentence};
use indexmap::{IndexMap, IndexSet};

/// Microseconds of guard checks per call from which they are reported. Calling a compiled function costs 10 to 50 us
/// anyway; half a millisecond is more than most kernels take.
const SLOW_GUARDS_US: f64 = 500.0;

/// All of them.
pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let model = basis.model;
    let mut found = Vec::new();
    found.extend(restarts(model));
    found.extend(runtime_work(basis));
    found.extend(slow_guards(model));
    found
}

/// Restarts of compiles without a graph break; a break's own restart is part of its finding.
fn restarts(model: &Model) -> Option<Finding> {
    let mut compiles: IndexSet<CompileIndex> = IndexSet::new();
    let mut reasons: IndexSet<String> = IndexSet::new();
    let mut restarts = 0;
    for one in &model.restarts {
        let Some(&index) = model.by_id.get(&one.compile) else { continue };
        let broke = model.compiles.get(index).is_some_and(|c| c.graph_breaks > 0);
        if broke {
            continue;
        }
        restarts += 1;
        compiles.insert(index);
        reasons.insert(headline(&one.reason));
    }
    if compiles.is_empty() {
        return None;
    }
    let (compiles, reasons) = (Vec::from_iter(compiles), Vec::from_iter(reasons));
    let title = sentence!["Tracing of ", count(compiles.len(), "compile", "compiles"), " was restarted"];
    // With only an internal exception as the reason, the program could not have avoided the restart.
    let by_itself = reasons.iter().all(|reason| is_own_exception(reason));
    let severity = if by_itself { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(KindOfFinding::Restart, severity, title);
    let claim = if by_itself { Claim::expected } else { Claim::wasted };
    found.claim(claim(Work::Discarded, compiles.clone(), "of tracing thrown away".to_owned()));
    if by_itself {
        found.say("by_itself", &[]);
    }
    found.count = restarts;
    found.fact("Reasons", Value::Code(reasons));
    found.place = compiles.first().map(|&index| UserPlace::of_definition(model, index)).unwrap_or_default();
    found.compiles = compiles;
    Some(found)
}

/// `<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>`, which torch 2.6 writes in place of a reason.
fn is_own_exception(reason: &str) -> bool {
    reason.starts_with("<class 'torch._dynamo.exc.")
}

/// Tuning, and work on CUDA graphs, while the model ran: one finding each.
fn runtime_work(basis: Basis<'_>) -> impl Iterator<Item = Finding> {
    let of = at_run_time(basis.model);
    let of = |us: fn(&RunTime) -> f64| -> Vec<(CompileIndex, f64)> {
        of.iter().map(|(index, of)| (*index, us(of))).filter(|(_, us)| *us > 0.0).collect()
    };
    let tuned = of(|of| of.tuning_us);
    let mut graphs = of(|of| of.cudagraphs_us);
    graphs.retain(|(index, _)| !has_many_sizes(basis.on_device.cuda_graphs(*index)));
    let recordings =
        |(index, _): &(CompileIndex, f64)| basis.on_device.cuda_graphs(*index).map_or(0, |of| of.recordings);
    let recordings: usize = graphs.iter().map(recordings).sum();
    let recorded = count(recordings, "CUDA graph was", "CUDA graphs were");
    let tuning = at_first_calls(
        basis.model,
        sentence!["Kernels were autotuned while the model ran"],
        "of autotuning at run time",
        tuned,
    );
    let graphs = match recordings {
        // torch sets up a graph and may still skip it.
        0 => at_first_calls(
            basis.model,
            sentence!["CUDA graphs were set up while the model ran; the log shows no recording"],
            "of setting up CUDA graphs",
            graphs,
        ),
        _ => at_first_calls(
            basis.model,
            sentence![recorded, " recorded while the model ran"],
            "of recording CUDA graphs",
            graphs,
        ),
    };
    tuning.into_iter().chain(graphs)
}

/// The finding about work of compiles, with its microseconds, at the first calls of their code.
fn at_first_calls(
    model: &Model,
    title: Sentence,
    what: &str,
    of: Vec<(CompileIndex, f64)>,
) -> Option<Finding> {
    let first = of.first()?.0;
    let mut found = Finding::new(KindOfFinding::RuntimeCost, Severity::Warning, title);
    for (index, us) in &of {
        found.claim(Claim::expected(Work::AtRunTime, vec![*index], what).at_most(*us));
    }
    found.count = of.len() as u64;
    found.place = UserPlace::of_definition(model, first);
    found.compiles = of.into_iter().map(|(index, _)| index).collect();
    Some(found)
}

/// A compiled version, with how long its guards took when torch measured them.
struct Measured {
    compile: CompileIndex,
    guard_us: f64,
}

/// A function with its versions.
struct MeasuredFunction {
    function: Sentence,
    versions: Vec<Measured>,
}

/// Microseconds that a guard takes at most; typical are 0.2 to 2.
const GUARD_US: f64 = 5.0;

/// Functions whose guards take long to check. This is run time, so it is not counted as lost compile time. torch measures
/// the guards of a version once, so the median over the versions of a function counts.
fn slow_guards(model: &Model) -> Vec<Finding> {
    let words = FunctionWords::of(model);
    let mut functions: IndexMap<String, MeasuredFunction> = IndexMap::new();
    for (index, compile) in model.compiles.indexed() {
        let latency = compile.outcome().and_then(|facts| facts.guard_latency_us);
        if let Some(guard_us) = latency.filter(|us| us.is_finite()) {
            let function = words.at(index).unwrap_or_else(|| "a function".into());
            let known = functions.entry(function.text());
            let known = known.or_insert_with(|| MeasuredFunction { function, versions: Vec::new() });
            known.versions.push(Measured { compile: index, guard_us });
        }
    }
    functions.into_values().filter_map(|measured| slow(model, measured)).collect()
}

fn slow(model: &Model, measured: MeasuredFunction) -> Option<Finding> {
    let MeasuredFunction { function, mut versions } = measured;
    versions.sort_by(|a, b| a.guard_us.total_cmp(&b.guard_us));
    let median = versions.get((versions.len() - 1) / 2)?;
    let guards = model.compiles.get(median.compile).and_then(|compile| compile.outcome()?.guard_count);
    let is_noise = guards.is_some_and(|guards| median.guard_us > guards as f64 * GUARD_US);
    if median.guard_us < SLOW_GUARDS_US || is_noise {
        return None;
    }
    let time = own(format!("{:.0} us", median.guard_us));
    let title = sentence!["Checking the guards of ", function, " takes ", time, " in every call"];
    let mut one = Finding::new(KindOfFinding::SlowGuards, Severity::Info, title);
    one.reason = "slow guards".to_owned();
    let measured = match versions.len() {
        1 => "torch measured it once.".to_owned(),
        count => format!("The median of {count} versions."),
    };
    let checked = guards.map(|n| format!(" {n} guards are checked before the compiled code may run."));
    one.detail = Some(format!("{measured}{}", checked.unwrap_or_default()));
    one.count = versions.len() as u64;
    one.place = UserPlace::of_definition(model, median.compile);
    one.concern(versions.iter().map(|version| version.compile));
    Some(one)
}
