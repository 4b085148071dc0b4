//! `performance` of a log's report: what a trace of torch.profiler measured.

use super::define::facts;
use super::safe::{
    dropped, file_text, graph_id, id_texts, inside, kernel, kernels, maybe_kernel, measured_word, number,
    numbers, types,
};
use super::text::{List, Text};
use crate::model::InputDims;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, IntoDeserializer, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes microseconds with the three decimals that traces have, so that sums do not show how floats are added.
fn thousandths<S: Serializer>(us: &(impl Copy + Into<Option<f64>>), to: S) -> Result<S::Ok, S::Error> {
    let us: Option<f64> = (*us).into();
    us.map(|us| (us * 1e3).round() / 1e3).serialize(to)
}

/// Reads a word; None also for one that only another version knows.
fn known<'de, D: Deserializer<'de>, W: DeserializeOwned>(from: D) -> Result<Option<W>, D::Error> {
    let word: Option<Text<'de>> = Option::deserialize(from)?;
    Ok(word.and_then(|word| {
        let word: value::StrDeserializer<'_, value::Error> = (*word).into_deserializer();
        W::deserialize(word).ok()
    }))
}

// A redacted report has these as they are: no text of a log can get into them.
numbers!(StepsFrom, ClockFrom, Backend, FigureFrom, Bound, DeviceTime);

/// What the steps of a trace were counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepsFrom {
    /// The marks of torch.profiler.
    Marks,
    /// The calls of compiled code.
    Regions,
}

/// Who says at which clock a device ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClockFrom {
    /// The user, by `--clock`.
    Option,
    /// The trace.
    Trace,
}

/// Who wrote a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Backend {
    /// Inductor, in Triton.
    Triton,
    /// Inductor, in C++.
    Cpp,
    /// A library, called by compiled code.
    Extern,
    /// Anything outside of compiled code.
    Eager,
}

/// The source of FLOPs or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FigureFrom {
    /// The trace states them.
    Trace,
    /// Buffers of the generated code, or nodes of the graph.
    Code,
    /// Loads and stores in the source of a generated kernel.
    Kernel,
    /// Shapes of the operator's inputs.
    Inputs,
}

/// What bounds a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Bound {
    /// Memory bandwidth.
    Memory,
    /// Compute units.
    Compute,
    /// Starting it takes most of its time.
    Launch,
}

facts! {
    /// What a trace of torch.profiler measured. Times are microseconds, GB are 1e9 bytes, TFLOP are 1e12. Unknown is null, never
    /// 0.
    struct Performance<'a> {
        /// What can be gained, and how busy the device was, in words.
        #[serde(default)]
        summary: Text<'a> => dropped,
        /// The most notable findings of the trace, at most five.
        #[serde(default)]
        stands_out: List<'a, StandsOut<'a>> => inside,
        /// What to know beside the figures: the limits of the device, what was matched, what makes the times uncertain.
        #[serde(default)]
        notes: List<'a, Text<'a>> => dropped,
        /// The trace.
        #[serde(default)]
        trace: Trace<'a> => inside,
        /// The device that it was recorded on.
        #[serde(default)]
        device: Device<'a> => inside,
        /// What the device did.
        time: DeviceTime => number,
        /// Kernels, longest first.
        kernels: List<'a, Kernel<'a>> => inside,
        /// Operators by shapes and dtypes of their inputs.
        ops: List<'a, Operator<'a>> => inside,
        /// Compiled code.
        #[serde(default)]
        regions: List<'a, Region<'a>> => inside,
        /// Lines of the program.
        #[serde(default)]
        lines: List<'a, LineTime<'a>> => inside,
        /// Launches that belong to no compile.
        #[serde(default)]
        unjoined: Unjoined<'a> => inside,
    }
}

facts! {
    /// Something that stands out.
    struct StandsOut<'a> {
        /// In a word or two: `Far from its limit`.
        label: Text<'a> => dropped,
        /// The finding or the fact in one sentence.
        text: Text<'a> => dropped,
        /// Why, and what to do next.
        reason: Option<Text<'a>> => dropped,
        /// Microseconds of the device.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        us: Option<f64> => number,
        /// Whether these are what could be gained at most.
        at_most: bool => number,
    }
}

facts! {
    /// A trace.
    #[derive(Debug, Clone)]
    struct Trace<'a> {
        /// Its file.
        file: Text<'a> => super::safe::trace_name,
        /// Launches of kernels.
        launches: u64 => number,
        /// Steps of the program that it covers: those that torch.profiler marked, or the calls of compiled code.
        /// Null if nothing tells.
        #[serde(default)]
        #[schemars(range(min = 1))]
        steps: Option<u64> => number,
        /// What the steps were counted by.
        #[serde(default, deserialize_with = "known")]
        steps_from: Option<StepsFrom> => number,
        /// When the first began.
        #[serde(serialize_with = "thousandths")]
        first_us: Option<f64> => dropped,
        /// When the last ended.
        #[serde(serialize_with = "thousandths")]
        last_us: Option<f64> => dropped,
        /// Rank that wrote it.
        rank: Option<i64> => number,
        /// What is damaged.
        damaged: Option<Text<'a>> => super::safe::damaged,
    }
}

facts! {
    /// A device.
    #[derive(Debug, Clone)]
    struct Device<'a> {
        /// As the trace names it.
        name: Option<Text<'a>> => dropped,
        /// The entry of the table of devices that its limits come from.
        entry: Option<Text<'a>> => dropped,
        /// The clock that it ran at.
        clock_mhz: Option<f64> => dropped,
        /// Where that clock stands.
        #[serde(default, deserialize_with = "known")]
        clock_from: Option<ClockFrom> => number,
        /// Whether its limits are corrected for that clock.
        corrected: bool => number,
    }
}

/// What a device did. Time that several streams share counts once in each field.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DeviceTime {
    /// From the begin of the first run on the device to the end of the last; of a trace of a CPU, from the first to the
    /// last event.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub wall_us: f64,
    /// It worked.
    #[serde(serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub busy_us: f64,
    /// In compiled code.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub compiled_us: f64,
    /// In eager code.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub eager_us: f64,
    /// In collectives.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub communication_us: f64,
    /// In collectives while nothing else ran.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub exposed_communication_us: f64,
    /// Copies.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub copy_us: f64,
    /// Nothing ran.
    #[serde(default, serialize_with = "thousandths")]
    #[schemars(range(min = 0))]
    pub idle_us: f64,
}

facts! {
    /// A kernel.
    struct Kernel<'a> {
        /// Its name.
        name: Text<'a> => kernel,
        /// What made it; null for one of a library of which the trace does not say what launched it.
        #[serde(default, deserialize_with = "known")]
        backend: Option<Backend> => number,
        /// The operator that launched it, if it was one and the kernel has another name.
        #[serde(default)]
        operator: Option<Text<'a>> => maybe_kernel,
        /// Sizes of that operator's inputs; of a list of tensors, those of each. Empty if unknown.
        #[serde(default)]
        #[schemars(extend("items" = {"type": "array"}))]
        input_dims: List<'a, InputDims> => number,
        /// Of the graph that calls it.
        #[serde(default)]
        #[schemars(extend("enum" = ["forward", "backward", "inference", null]))]
        direction: Option<Text<'a>> => measured_word,
        /// How often it ran.
        #[schemars(range(min = 1))]
        count: u64 => number,
        /// All runs.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        sum_us: f64 => number,
        /// One run.
        #[serde(default, serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        mean_us: f64 => number,
        /// One run.
        #[serde(default, serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        median_us: f64 => number,
        /// The shortest run.
        #[serde(default, serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        min_us: f64 => number,
        /// The longest run.
        #[serde(default, serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        max_us: f64 => number,
        /// Floating-point operations of a run.
        #[serde(default)]
        #[schemars(range(min = 0))]
        flops: Option<f64> => number,
        /// Bytes that a run moves.
        #[serde(default)]
        #[schemars(range(min = 0))]
        bytes: Option<f64> => number,
        /// What `flops` comes from.
        #[serde(default, deserialize_with = "known")]
        flops_from: Option<FigureFrom> => number,
        /// What `bytes` comes from.
        #[serde(default, deserialize_with = "known")]
        bytes_from: Option<FigureFrom> => number,
        /// TFLOP per second.
        #[schemars(range(min = 0))]
        tflops: Option<f64> => number,
        /// GB per second.
        #[schemars(range(min = 0))]
        gbps: Option<f64> => number,
        /// Of the device's peak of `computes_in`.
        #[serde(default)]
        #[schemars(range(min = 0))]
        share_of_peak: Option<f64> => number,
        /// Of the device's memory bandwidth.
        #[serde(default)]
        #[schemars(range(min = 0))]
        share_of_bandwidth: Option<f64> => number,
        /// Share of its ceiling: the smaller of the peak and of what the bandwidth allows at its FLOPs per byte.
        #[serde(default)]
        #[schemars(range(min = 0))]
        reached: Option<f64> => number,
        /// Microseconds that all runs at the ceiling would save: an upper bound. Null where a figure is unknown or doubtful.
        #[serde(default)]
        #[schemars(range(min = 0))]
        gain_us: Option<f64> => number,
        /// The type whose peak the share is of; float is tf32 only if the kernel's name or the log says so.
        #[serde(default)]
        computes_in: Option<Text<'a>> => measured_word,
        /// What limits it.
        #[serde(default, deserialize_with = "known")]
        bound: Option<Bound> => number,
        /// How close it comes to its limit, or what is wrong with its figures, in words.
        #[serde(default)]
        verdict: Option<Text<'a>> => measured_word,
        /// Whether the bytes of a launch fit into the cache of the device, and came from there.
        #[serde(default)]
        from_cache: bool => number,
        /// Why a figure is implausible.
        #[serde(default)]
        plausible: Option<Implausible<'a>> => dropped,
        /// The compiles that it belongs to.
        #[serde(default)]
        compile_ids: List<'a, Text<'a>> => id_texts,
        /// Lines of the program that it comes from.
        #[serde(default)]
        lines: List<'a, ProgramLine<'a>> => inside,
        /// What Inductor expected a run to take.
        #[serde(default)]
        #[schemars(range(min = 0))]
        estimated_us: Option<f64> => number,
        /// The mean run over the estimate.
        #[serde(default)]
        #[schemars(range(min = 0))]
        ratio_to_estimate: Option<f64> => number,
        /// Of a Triton kernel: what the log says of the search for a configuration, and which ones the trace shows.
        #[serde(default)]
        tuning: Option<Box<Tuning<'a>>> => dropped,
        /// Of a thread.
        #[serde(default)]
        registers: Option<u64> => number,
        /// Registers of a thread that spilled to memory.
        #[serde(default)]
        spills: Option<u64> => number,
        /// Bytes of a block.
        #[serde(default)]
        shared_memory: Option<u64> => number,
        /// Per cent, as the trace estimates it.
        #[serde(default)]
        #[schemars(range(min = 0))]
        occupancy: Option<f64> => number,
    }
}

facts! {
    /// Why a figure is implausible.
    struct Implausible<'a> {
        /// In words.
        why: Text<'a> => dropped,
    }
}

facts! {
    /// The search for a configuration of a Triton kernel.
    struct Tuning<'a> {
        /// How it went.
        state: Option<Text<'a>> => dropped,
        /// Configurations that were tried.
        candidates: Option<u64> => number,
        /// Time to compile them.
        #[schemars(range(min = 0))]
        compile_us: Option<f64> => number,
        /// The configuration that the log names.
        in_log: Option<Text<'a>> => dropped,
        /// Configurations that the trace shows.
        ran: List<'a, Text<'a>> => dropped,
    }
}

facts! {
    /// A line of the program.
    struct ProgramLine<'a> {
        /// File.
        file: Text<'a> => file_text,
        /// Line.
        line: u64 => number,
    }
}

facts! {
    /// An operator with shapes and dtypes of its inputs.
    struct Operator<'a> {
        /// Its name.
        op: Text<'a> => kernel,
        /// Sizes of each input; of a list of tensors, those of each.
        #[schemars(extend("items" = {"type": "array"}))]
        input_dims: List<'a, InputDims> => number,
        /// Dtype of each input.
        input_types: List<'a, Text<'a>> => types,
        /// How often it was called.
        #[schemars(range(min = 1))]
        count: u64 => number,
        /// Floating-point operations of a call.
        #[serde(default)]
        #[schemars(range(min = 0))]
        flops: Option<f64> => number,
        /// Bytes that a call moves.
        #[serde(default)]
        #[schemars(range(min = 0))]
        bytes: Option<f64> => number,
        /// Microseconds in its kernels, all calls.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        kernel_us_sum: f64 => number,
        /// TFLOP per second.
        #[schemars(range(min = 0))]
        tflops: Option<f64> => number,
        /// TB per second.
        #[schemars(range(min = 0))]
        tbps: Option<f64> => number,
    }
}

facts! {
    /// Calls of compiled code.
    struct Region<'a> {
        /// The compile.
        compile_id: Text<'a> => graph_id,
        /// How many.
        #[schemars(range(min = 1))]
        calls: u64 => number,
        /// All calls.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        sum_us: f64 => number,
        /// The first call.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        first_us: f64 => number,
        /// The median call.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        median_us: f64 => number,
        /// The median of all calls but the first.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        later_median_us: Option<f64> => number,
        /// Of all calls: checking guards before them.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        guards_us: Option<f64> => number,
        /// Of all calls: within graphs that Inductor compiled.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        graphs_us: Option<f64> => number,
        /// Of all calls: outside of graphs, operators and other compiled code.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        wrapper_us: Option<f64> => number,
    }
}

facts! {
    /// Time of a line of the program.
    #[derive(Clone)]
    struct LineTime<'a> {
        /// File.
        file: Text<'a> => file_text,
        /// Line.
        line: u64 => number,
        /// Source text.
        code: Option<Text<'a>> => dropped,
        /// On the device.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        us: f64 => number,
        /// Its kernels.
        kernels: List<'a, Text<'a>> => kernels,
    }
}

facts! {
    /// Launches that belong to no compile.
    #[derive(Debug, Clone)]
    struct Unjoined<'a> {
        /// How many.
        launches: u64 => number,
        /// What they took.
        #[serde(serialize_with = "thousandths")]
        #[schemars(range(min = 0))]
        us: f64 => number,
        /// Their kernels.
        names: List<'a, Text<'a>> => kernels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_another_version_is_unknown_and_all_else_is_read() {
        let json = r#"{"name": "k", "backend": "pallas", "count": 2, "sum_us": 1.5, "flops": null, "flops_from": "code",
            "tflops": null, "gbps": null, "bound": "cache"}"#;
        let kernel: Kernel<'_> = serde_json::from_str(json).unwrap();
        assert_eq!((kernel.backend, kernel.bound, kernel.count), (None, None, 2));
        assert_eq!(kernel.flops_from, Some(FigureFrom::Code));
    }
}
