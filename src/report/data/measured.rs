//! `performance` of report.json: what a trace of torch.profiler tells.

use crate::analysis::performance::{
    Backend, Bound, ClockFrom, FigureFrom, LineTime, MeasuredKernel, MeasuredOperator, MeasuredRegion,
    Performance, ProgramLine, Rates, StepsFrom, Tuning,
};
use crate::facts;
use crate::facts::{
    Device, DeviceTime, Implausible, Json, Kernel, List, Operator, Performance as Measured, Region, Text,
    Trace, Unjoined, maybe,
};
use crate::model::InputDims;
use crate::model::words::plain;
use crate::report::kit::formats::UNKNOWN;
use crate::report::subject::Report;
use crate::report::words::performance::notes::notes;
use crate::report::words::performance::stands_out::{StandsOut, stands_out};
use crate::report::words::performance::{doubt, figures, sentence_of};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;

/// The whole object.
pub(super) fn performance<'m>(report: Report<'m>, found: &'m Performance) -> Measured<'m> {
    let time = &found.time;
    Measured {
        summary: plain(&sentence_of(found)).into(),
        stands_out: List::made(move || standing_out(report, found)),
        notes: notes(report, found).into_iter().map(|note| Text::from(plain(&note))).collect(),
        trace: Trace {
            file: (&found.file).into(),
            launches: found.launches as u64,
            steps: found.steps.map(|steps| steps.count),
            steps_from: found.steps.map(|steps| {
                Text::from(match steps.from {
                    StepsFrom::Marks => "marks",
                    StepsFrom::Regions => "regions",
                })
            }),
            first_us: found.span_us.map(|span| decimals(span.0)),
            last_us: found.span_us.map(|span| decimals(span.1)),
            rank: found.rank.and_then(|rank| i64::try_from(rank).ok()),
            damaged: maybe(found.damaged.as_deref()),
        },
        device: Device {
            name: maybe(found.device.as_deref()),
            entry: found.peaks.as_ref().map(|peaks| peaks.name.to_string().into()),
            clock_mhz: found.clock.map(|clock| clock.mhz),
            clock_from: found.clock.map(|clock| match clock.from {
                ClockFrom::Option => Text::from("option"),
                ClockFrom::Trace => Text::from("trace"),
            }),
            corrected: found.corrected,
        },
        time: DeviceTime {
            wall_us: decimals(time.wall_us),
            busy_us: decimals(time.busy_us),
            compiled_us: decimals(time.compiled_us),
            eager_us: decimals(time.eager_us),
            communication_us: decimals(time.communication_us),
            exposed_communication_us: decimals(time.exposed_communication_us),
            copy_us: decimals(time.copy_us),
            idle_us: decimals(time.idle_us),
        },
        kernels: List::made(move || found.kernels.iter().map(kernel)),
        ops: List::made(move || found.operators.iter().map(operator)),
        regions: List::made(move || found.regions.iter().map(region)),
        lines: List::made(move || found.lines.iter().map(line)),
        unjoined: Unjoined {
            launches: found.unjoined.launches as u64,
            us: decimals(found.unjoined.us),
            names: texts(&found.unjoined.names),
        },
    }
}

fn standing_out<'m>(
    report: Report<'m>,
    found: &'m Performance,
) -> impl Iterator<Item = facts::StandsOut<'m>> {
    stands_out(report, found).into_iter().map(|one| match one {
        StandsOut::Finding(finding) => {
            let reasons: Vec<&str> = finding.detail.as_deref().into_iter().chain(finding.hints()).collect();
            let kernel = finding.topic_entry.and_then(|place| found.kernels.get(place));
            facts::StandsOut {
                label: finding.kind.label.into(),
                text: plain(&format!("{}.", finding.title.text())).into(),
                reason: (!reasons.is_empty()).then(|| plain(&reasons.join(" ")).into()),
                us: kernel.map(|kernel| decimals(kernel.sum_us)),
                at_most: false,
            }
        }
        StandsOut::Entry(entry) => facts::StandsOut {
            label: entry.label.into(),
            text: plain(&entry.sentence).into(),
            reason: Some(plain(&entry.reason).into()),
            us: entry.cost.map(|cost| decimals(cost.us)),
            at_most: entry.cost.is_some_and(|cost| cost.at_most),
        },
    })
}

fn texts(all: &[String]) -> List<'_, Text<'_>> {
    all.iter().map(Text::from).collect()
}

/// Microseconds with the three decimals that traces have, so that sums do not show how floats are added.
fn decimals(us: f64) -> f64 {
    (us * 1e3).round() / 1e3
}

fn kernel(kernel: &MeasuredKernel) -> Kernel<'_> {
    let (rates, device) = (&kernel.rates, kernel.device.as_ref());
    Kernel {
        name: (&kernel.name).into(),
        backend: backend(kernel.backend).into(),
        operator: maybe(kernel.operator()),
        input_dims: kernel.inputs.iter().map(dims).collect(),
        direction: maybe(kernel.direction.as_deref()),
        count: kernel.count as u64,
        sum_us: decimals(kernel.sum_us),
        mean_us: decimals(kernel.mean_us),
        median_us: decimals(kernel.median_us),
        min_us: decimals(kernel.min_us),
        max_us: decimals(kernel.max_us),
        flops: kernel.flops.map(|(flops, _)| flops),
        bytes: kernel.bytes.map(|(bytes, _)| bytes),
        flops_from: kernel.flops.map(|(_, from)| figure_from(from).into()),
        bytes_from: kernel.bytes.map(|(_, from)| figure_from(from).into()),
        tflops: rates.tflops,
        gbps: rates.gbps,
        share_of_peak: rates.share_of_peak,
        share_of_bandwidth: rates.share_of_bandwidth,
        computes_in: kernel.computes_in.map(Text::from),
        bound: rates.bound.map(|of| bound(of).into()),
        reached: rates.reached(),
        gain_us: kernel.gain_us(),
        verdict: Some(figures::verdict(kernel)).filter(|words| *words != UNKNOWN).map(Text::from),
        plausible: implausible(rates),
        from_cache: rates.is_from_cache(),
        compile_ids: texts(&kernel.compile_ids),
        lines: kernel.lines.iter().map(place).collect(),
        estimated_us: kernel.estimated_us,
        ratio_to_estimate: kernel.ratio_to_estimate(),
        tuning: kernel.tuning.as_ref().map(tuning),
        registers: device.and_then(|device| device.registers),
        spills: device.and_then(|device| device.spills),
        shared_memory: device.and_then(|device| device.shared_memory),
        occupancy: device.and_then(|device| device.occupancy).filter(|percent| *percent > 0.0),
    }
}

/// What `--augment` adds to the `args` of a run of a kernel, under the names that they have in report.json. What is not
/// known is left out.
#[derive(Serialize)]
struct FiguresOfRun<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    flops: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flops_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tflops: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gbps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share_of_peak: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share_of_bandwidth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plausible: Option<Implausible<'static>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compile_id: Option<&'m str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<facts::ProgramLine<'m>>,
    name: &'m str,
    /// FLOPs under the name that PyTorch's own script gives and reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_flop: Option<f64>,
    /// Bytes in GB (1e9), under the name of that script.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_num_gb: Option<f64>,
}

/// The same for the call that made the launch.
#[derive(Serialize)]
struct FiguresOfCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_flop: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_num_gb: Option<f64>,
}

/// What `--augment` adds to the `args` of the call that launched a kernel, as the JSON of an object.
pub(crate) fn figures_of_call(kernel: &MeasuredKernel) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&FiguresOfCall {
        kernel_flop: kernel.flops.map(|(flops, _)| flops),
        kernel_num_gb: kernel.bytes.map(|(bytes, _)| bytes / 1e9),
    })
}

/// The figures of a run as the JSON of an object.
pub(crate) fn figures_of_run(kernel: &MeasuredKernel, rates: &Rates) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&FiguresOfRun {
        flops: kernel.flops.map(|(flops, _)| flops),
        flops_from: kernel.flops.map(|(_, from)| figure_from(from)),
        bytes: kernel.bytes.map(|(bytes, _)| bytes),
        bytes_from: kernel.bytes.map(|(_, from)| figure_from(from)),
        tflops: rates.tflops,
        gbps: rates.gbps,
        share_of_peak: rates.share_of_peak,
        share_of_bandwidth: rates.share_of_bandwidth,
        bound: rates.bound.map(bound),
        plausible: implausible(rates),
        compile_id: kernel.compile_ids.first().map(String::as_str),
        lines: kernel.lines.iter().map(place).collect(),
        // That script skips launches without a name here, and fails for those of no length.
        name: &kernel.name,
        kernel_flop: kernel.flops.map(|(flops, _)| flops).filter(|_| rates.tflops.is_some()),
        kernel_num_gb: kernel.bytes.map(|(bytes, _)| bytes / 1e9).filter(|_| rates.gbps.is_some()),
    })
}

fn tuning(tuning: &Tuning) -> facts::Tuning<'_> {
    facts::Tuning {
        state: maybe(tuning.state.as_deref()),
        candidates: tuning.candidates,
        compile_us: tuning.compile_us,
        in_log: maybe(tuning.in_log.as_deref()),
        ran: texts(&tuning.ran),
    }
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
        FigureFrom::Kernel => "kernel",
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

fn implausible(rates: &Rates) -> Option<Implausible<'static>> {
    doubt(rates).map(|why| Implausible { why: why.into() })
}

fn operator(operator: &MeasuredOperator) -> Operator<'_> {
    let per_us = |amount: Option<f64>| {
        let calls = operator.count as f64;
        amount.filter(|_| operator.sum_us > 0.0).map(|amount| amount * calls / operator.sum_us / 1e6)
    };
    Operator {
        op: (&operator.name).into(),
        input_dims: operator.dims.iter().map(dims).collect(),
        input_types: texts(&operator.types),
        count: operator.count as u64,
        flops: operator.flops,
        bytes: operator.bytes,
        kernel_us_sum: decimals(operator.sum_us),
        tflops: per_us(operator.flops),
        tbps: per_us(operator.bytes),
    }
}

fn dims(input: &InputDims) -> Json<'static> {
    let raw = match input {
        InputDims::One(sizes) => to_raw_value(sizes),
        InputDims::List(list) => to_raw_value(list),
    };
    raw.map_or_else(|error| Json::Failed(error.into()), |raw| Json::Text(Cow::Owned(raw)))
}

fn region(region: &MeasuredRegion) -> Region<'_> {
    Region {
        compile_id: (&region.compile_id).into(),
        calls: region.calls as u64,
        sum_us: decimals(region.sum_us),
        first_us: decimals(region.first_us),
        median_us: decimals(region.median_us),
        later_median_us: region.later_median_us.map(decimals),
        guards_us: region.guards_us.map(decimals),
        graphs_us: region.graphs_us.map(decimals),
        wrapper_us: region.wrapper_us.map(decimals),
    }
}

fn place(line: &ProgramLine) -> facts::ProgramLine<'_> {
    facts::ProgramLine { file: (&line.file).into(), line: number(line.line) }
}

fn number(line: u64) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}

fn line(time: &LineTime) -> facts::LineTime<'_> {
    facts::LineTime {
        file: (&time.line.file).into(),
        line: number(time.line.line),
        code: maybe(time.line.code.as_deref()),
        us: decimals(time.us),
        kernels: texts(&time.kernels),
    }
}
