//! `performance` of report.json: what a trace of torch.profiler tells.

use crate::analysis::performance::{
    Backend, Bound, FigureFrom, Judgement, LineTime, MeasuredKernel, MeasuredOperator, MeasuredRegion,
    Performance, ProgramLine, Rates, Tuning,
};
use crate::model::InputDims;
use serde_json::{Value, json};

/// The whole object.
pub(crate) fn measured(found: &Performance) -> Value {
    let time = &found.time;
    json!({
        "trace": {
            "file": found.file,
            "launches": found.launches,
            "first_us": found.span_us.map(|span| decimals(span.0)),
            "last_us": found.span_us.map(|span| decimals(span.1)),
            "rank": found.rank,
            "damaged": found.damaged,
        },
        "device": {
            "name": found.device,
            "entry": found.peaks.as_ref().map(|peaks| &peaks.name),
            "clock_mhz": found.clock_mhz,
            "corrected": found.corrected,
        },
        "time": {
            "wall_us": decimals(time.wall_us),
            "busy_us": decimals(time.busy_us),
            "compiled_us": decimals(time.compiled_us),
            "eager_us": decimals(time.eager_us),
            "communication_us": decimals(time.communication_us),
            "exposed_communication_us": decimals(time.exposed_communication_us),
            "copy_us": decimals(time.copy_us),
            "idle_us": decimals(time.idle_us),
        },
        "kernels": found.kernels.iter().map(kernel).collect::<Vec<_>>(),
        "ops": found.operators.iter().map(operator).collect::<Vec<_>>(),
        "regions": found.regions.iter().map(region).collect::<Vec<_>>(),
        "lines": found.lines.iter().map(line).collect::<Vec<_>>(),
        "unjoined": {
            "launches": found.unjoined.launches,
            "us": decimals(found.unjoined.us),
            "names": found.unjoined.names,
        },
    })
}

/// Microseconds with the three decimals that traces have, so that sums do not show how floats are added.
fn decimals(us: f64) -> f64 {
    (us * 1e3).round() / 1e3
}

fn kernel(kernel: &MeasuredKernel) -> Value {
    let rates = &kernel.rates;
    json!({
        "name": kernel.name,
        "backend": backend(kernel.backend),
        "count": kernel.count,
        "sum_us": decimals(kernel.sum_us),
        "mean_us": decimals(kernel.mean_us),
        "median_us": decimals(kernel.median_us),
        "min_us": decimals(kernel.min_us),
        "max_us": decimals(kernel.max_us),
        "flops": kernel.flops.map(|(flops, _)| flops),
        "bytes": kernel.bytes.map(|(bytes, _)| bytes),
        "flops_from": kernel.flops.map(|(_, from)| figure_from(from)),
        "bytes_from": kernel.bytes.map(|(_, from)| figure_from(from)),
        "tflops": rates.tflops,
        "gbps": rates.gbps,
        "share_of_peak": rates.share_of_peak,
        "share_of_bandwidth": rates.share_of_bandwidth,
        "computes_in": kernel.computes_in,
        "bound": rates.bound.map(bound),
        "plausible": implausible(rates),
        "compile_ids": kernel.compile_ids,
        "lines": kernel.lines.iter().map(place).collect::<Vec<_>>(),
        "estimated_us": kernel.estimated_us,
        "ratio_to_estimate": kernel.ratio_to_estimate(),
        "tuning": kernel.tuning.as_ref().map(tuning),
        "registers": kernel.device.as_ref().and_then(|device| device.registers),
        "spills": kernel.device.as_ref().and_then(|device| device.spills),
        "shared_memory": kernel.device.as_ref().and_then(|device| device.shared_memory),
        "occupancy": kernel.device.as_ref().and_then(|device| device.occupancy),
    })
}

/// What `--augment` adds to the `args` of a run of a kernel, under the names that they have in report.json. What is not
/// known is left out.
pub(crate) fn figures_of_run(kernel: &MeasuredKernel, rates: &Rates) -> Vec<(&'static str, Value)> {
    let lines: Vec<Value> = kernel.lines.iter().map(place).collect();
    let known = [
        ("flops", kernel.flops.map(|(flops, _)| json!(flops))),
        ("flops_from", kernel.flops.map(|(_, from)| json!(figure_from(from)))),
        ("bytes", kernel.bytes.map(|(bytes, _)| json!(bytes))),
        ("bytes_from", kernel.bytes.map(|(_, from)| json!(figure_from(from)))),
        ("tflops", rates.tflops.map(|rate| json!(rate))),
        ("gbps", rates.gbps.map(|rate| json!(rate))),
        ("share_of_peak", rates.share_of_peak.map(|share| json!(share))),
        ("share_of_bandwidth", rates.share_of_bandwidth.map(|share| json!(share))),
        ("bound", rates.bound.map(|of| json!(bound(of)))),
        ("plausible", implausible(rates)),
        ("compile_id", kernel.compile_ids.first().map(|id| json!(id))),
        ("lines", (!lines.is_empty()).then(|| json!(lines))),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn tuning(tuning: &Tuning) -> Value {
    json!({
        "state": tuning.state,
        "candidates": tuning.candidates,
        "compile_us": tuning.compile_us,
        "in_log": tuning.in_log,
        "ran": tuning.ran,
    })
}

/// The word for who wrote a kernel.
fn backend(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "triton",
        Backend::Cpp => "cpp",
        Backend::Extern => "extern",
        Backend::Eager => "eager",
    }
}

fn figure_from(from: FigureFrom) -> &'static str {
    match from {
        FigureFrom::Trace => "trace",
        FigureFrom::Code => "code",
        FigureFrom::Inputs => "inputs",
    }
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::Compute => "compute",
        Bound::Launch => "launch",
    }
}

/// Why a figure is not to be believed; null where nothing speaks against it.
fn implausible(rates: &Rates) -> Option<Value> {
    let why = match rates.judgement? {
        Judgement::Impossible => "more than the device can do",
        Judgement::CountsProbablyWrong => "under 1 % of both limits: the counted work is probably wrong",
        Judgement::Far | Judgement::Near => return None,
    };
    Some(json!({ "why": why }))
}

fn operator(operator: &MeasuredOperator) -> Value {
    let per_us = |amount: Option<f64>| {
        let calls = operator.count as f64;
        amount.filter(|_| operator.sum_us > 0.0).map(|amount| amount * calls / operator.sum_us / 1e6)
    };
    let dims = |input: &InputDims| match input {
        InputDims::One(sizes) => json!(sizes),
        InputDims::List(list) => json!(list),
    };
    json!({
        "op": operator.name,
        "input_dims": operator.dims.iter().map(dims).collect::<Vec<_>>(),
        "input_types": operator.types,
        "count": operator.count,
        "flops": operator.flops,
        "bytes": operator.bytes,
        "kernel_us_sum": decimals(operator.sum_us),
        "tflops": per_us(operator.flops),
        "tbps": per_us(operator.bytes),
    })
}

fn region(region: &MeasuredRegion) -> Value {
    json!({
        "compile_id": region.compile_id,
        "calls": region.calls,
        "sum_us": decimals(region.sum_us),
        "first_us": decimals(region.first_us),
        "median_us": decimals(region.median_us),
        "later_median_us": region.later_median_us.map(decimals),
        "guards_us": region.guards_us.map(decimals),
        "graphs_us": region.graphs_us.map(decimals),
        "wrapper_us": region.wrapper_us.map(decimals),
    })
}

fn place(line: &ProgramLine) -> Value {
    json!({ "file": line.file, "line": line.line })
}

fn line(time: &LineTime) -> Value {
    json!({
        "file": time.line.file,
        "line": time.line.line,
        "code": time.line.code,
        "us": decimals(time.us),
        "kernels": time.kernels,
    })
}
