//! Meanings of the fields of metrics records.

use crate::model::Fields;

/// A time of a metrics record.
pub(crate) struct TimeField {
    /// Field in microseconds.
    micros: &'static str,
    /// Older field for the same time, and the microseconds per unit.
    legacy: Option<(&'static str, f64)>,
    /// Its label.
    pub(crate) title: &'static str,
    /// Its nesting depth: a deeper time is part of the one above it.
    pub(crate) depth: usize,
    pub(crate) meaning: &'static str,
    /// Whether it is outside of the compiler's phases.
    pub(crate) aside: bool,
}

impl TimeField {
    /// Whether it is the total of the record.
    pub(crate) fn is_whole(&self) -> bool {
        self.micros == "duration_us"
    }

    pub(crate) fn read(&self, fields: &Fields<'_>) -> Option<(f64, &'static str)> {
        let new = fields.number(self.micros).map(|us| (us, self.micros));
        new.or_else(|| {
            let (field, unit) = self.legacy?;
            Some((fields.number(field)? * unit, field))
        })
    }
}

const fn time(micros: &'static str, title: &'static str, meaning: &'static str) -> TimeField {
    TimeField { micros, legacy: None, title, depth: 0, meaning, aside: false }
}

impl TimeField {
    const fn under(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    const fn aside(mut self) -> Self {
        self.aside = true;
        self
    }

    const fn once(mut self, field: &'static str, unit: f64) -> Self {
        self.legacy = Some((field, unit));
        self
    }
}

/// Seconds and milliseconds in microseconds.
const S: f64 = 1e6;
const MS: f64 = 1e3;

/// All times, each followed by its nested times.
pub(crate) const TIMES: [TimeField; 23] = [
    time("duration_us", "Whole record", "from the first to the last event of this record")
        .once("elapsed_time", S),
    time(
        "dynamo_cumulative_compile_time_us",
        "Entire frame",
        "Dynamo and everything it calls: tracing, guards, backend",
    )
    .once("entire_frame_compile_time_s", S),
    time(
        "aot_autograd_cumulative_compile_time_us",
        "Backend",
        "AOTAutograd and below: graphs of forward and backward",
    )
    .once("backend_compile_time_s", S)
    .under(1),
    time("pre_grad_pass_time_us", "Pre-grad passes", "rewrites before the backward is derived").under(2),
    time("joint_graph_pass_time_us", "Joint passes", "rewrites of forward and backward together").under(2),
    time("inductor_cumulative_compile_time_us", "Inductor", "lowering, scheduling and code generation")
        .once("inductor_compile_time_s", S)
        .under(2),
    time("post_grad_pass_time_us", "Post-grad passes", "rewrites of the graph that is lowered").under(3),
    time(
        "inductor_code_gen_cumulative_compile_time_us",
        "Code generation",
        "writing, building and loading the code",
    )
    .once("code_gen_time_s", S)
    .under(3),
    time("triton_compile_time_us", "Triton", "building Triton kernels").under(4),
    time(
        "compile_time_autotune_time_us",
        "Autotuning",
        "benchmarking kernel configurations during \
        compilation",
    )
    .under(4),
    time(
        "backward_cumulative_compile_time_us",
        "Backward",
        "compiling the backward graph, when it first runs",
    ),
    time(
        "runtime_triton_autotune_time_us",
        "Autotuning at run time",
        "benchmarking kernels while the model ran",
    ),
    time("runtime_cudagraphify_time_us", "Recording CUDA graphs", "while the model ran"),
    time(
        "dynamo_compile_time_before_restart_us",
        "Before restarts",
        "work discarded when tracing was restarted",
    )
    .once("dynamo_time_before_restart_s", S),
    time("gc_time_us", "Garbage collection", "Python's collector, run by torch after compiling"),
    time("structured_logging_overhead_us", "Writing this log", "included in the times above")
        .once("structured_logging_overhead_s", S)
        .aside(),
    time(
        "remote_fx_graph_cache_get_time_us",
        "Reading the remote cache",
        "loading compiled code from another machine",
    )
    .once("remote_fx_graph_cache_get_time_ms", MS)
    .aside(),
    time(
        "remote_fx_graph_cache_put_time_us",
        "Writing the remote cache",
        "storing compiled code on another machine",
    )
    .once("remote_fx_graph_cache_put_time_ms", MS)
    .aside(),
    time("pgo_get_remote_code_state_time_us", "Reading remembered sizes", "from another machine").aside(),
    time("pgo_put_remote_code_state_time_us", "Writing remembered sizes", "to another machine").aside(),
    time("remote_cache_time_saved_us", "Saved by caches", "time that producing the cached result took")
        .once("remote_cache_time_saved_s", S),
    time(
        "distributed_ephemeral_timeout_us",
        "Longer timeout",
        "added to collectives because cache hits put ranks out of step",
    )
    .aside(),
    time("cuda_synchronize_time_us", "Waiting for the GPU", "to separate times").aside(),
];

/// Counts that describe the graph: field, label, meaning.
pub(crate) const GRAPH: [(&str, &str, &str); 10] = [
    ("graph_op_count", "Operators", "calls in the graph that Dynamo captured; 0: nothing was compiled"),
    ("graph_node_count", "Nodes", "calls, inputs, outputs and attributes"),
    ("graph_input_count", "Inputs", "placeholders, sizes included"),
    ("ir_count", "IR nodes", "operations after lowering in Inductor"),
    ("guard_count", "Guards", "as counted by torch"),
    ("shape_env_guard_count", "Shape guards", "conditions on symbolic sizes"),
    ("param_count", "Parameters", "tensors of the module"),
    ("param_numel", "Parameter elements", "over all parameters"),
    ("param_bytes", "Parameter bytes", "over all parameters"),
    ("num_graph_breaks", "Graph breaks so far", "of the whole process, not of this frame"),
];

/// Meanings of other fields.
const OTHERS: [(&str, &str); 44] = [
    ("compile_id", "frame/compile, without the attempt"),
    ("frame_key", "number of the frame in the process"),
    ("co_name", "compiled function"),
    ("co_filename", "its file"),
    ("co_firstlineno", "its first line"),
    ("stack_trace", "stack that led to the compile"),
    ("cache_size", "compiled versions of this function that exist already; default limit 8"),
    ("accumulated_cache_size", "the same, over all objects that share the code; default limit 256"),
    ("fail_type", "exception that ended the compile"),
    ("fail_reason", "its text"),
    ("fail_user_frame_filename", "user's file in which it failed"),
    ("fail_user_frame_lineno", "line in it"),
    ("exception_stack_trace", "traceback of the failure"),
    ("restart_reasons", "why tracing was restarted"),
    ("recompile_reason", "which guard of an earlier compile failed"),
    ("recompile_user_contexts", "what the program's own hooks said about this recompile"),
    ("tensorify_float_attempt", "floats of the graph were to become tensors, so that they stay dynamic"),
    ("tensorify_float_success", "floats became tensors, or were made constants by tracing again"),
    ("tensorify_float_failure", "operators that need a float as it is: it becomes a constant"),
    ("has_guarded_code", "whether Dynamo kept compiled code; false: the frame runs as it is"),
    ("compliant_custom_ops", "custom operators that follow torch's rules"),
    ("non_compliant_ops", "custom operators that do not"),
    ("cudagraph_skip_reason", "why no CUDA graph was recorded"),
    ("guard_latency_us", "time to check all guards, per call"),
    ("graph_node_shapes", "sizes of the values in the graph"),
    ("is_forward", "a forward or a backward compile"),
    ("is_runtime", "work while the model ran"),
    ("start_time", "seconds since 1970"),
    ("start_time_us", "microseconds since 1970"),
    ("end_time_us", "microseconds since 1970"),
    ("log_format_version", "version of these fields"),
    ("specialize_float", "floats are constants"),
    ("feature_usage", "enabled features"),
    ("num_triton_bundles", "bundles of kernels stored with a cache entry"),
    ("triton_kernel_compile_times_us", "slowest kernels with their compile times"),
    ("config_suppress_errors", "failures fall back to eager"),
    ("config_inline_inbuilt_nn_modules", "modules of torch are traced into"),
    ("inductor_fx_local_cache_hit_count", "local FX graph cache: hit"),
    ("inductor_fx_local_cache_miss_count", "local FX graph cache: miss"),
    ("inductor_fx_remote_cache_hit_count", "remote FX graph cache: hit"),
    ("inductor_fx_remote_cache_miss_count", "remote FX graph cache: miss"),
    ("aotautograd_local_cache_hit_count", "local AOTAutograd cache: hit"),
    ("aotautograd_local_cache_miss_count", "local AOTAutograd cache: miss"),
    ("inductor_provenance", "kernels with their source lines"),
];

/// All known fields with their meanings.
pub(crate) fn glosses() -> impl Iterator<Item = (&'static str, &'static str)> {
    let times = TIMES.iter().flat_map(|time| {
        let legacy = time.legacy.map(|(field, _)| field);
        legacy.into_iter().chain([time.micros]).map(|field| (field, time.meaning))
    });
    OTHERS.into_iter().chain(GRAPH.into_iter().map(|(field, _, meaning)| (field, meaning))).chain(times)
}

/// Older fields that repeat a newer one in another unit.
pub(crate) fn older<'f>(fields: &'f Fields<'_>) -> Vec<&'f str> {
    let pairs = TIMES.iter().filter_map(|time| time.legacy.map(|(field, unit)| (field, unit, time.micros)));
    let is_same = |(older, unit, newer): &(&str, f64, &str)| {
        let us = |field: &str, unit: f64| fields.number(field).map(|time| time * unit);
        us(older, *unit).zip(us(newer, 1.0)).is_some_and(|(a, b)| (a - b).abs() <= ROUNDING_US)
    };
    let same: Vec<&str> = pairs
        .chain([("start_time", S, "start_time_us")])
        .filter(is_same)
        .map(|(older, _, _)| older)
        .collect();
    fields.iter().map(|(field, _)| field).filter(|field| same.contains(field)).collect()
}

/// Largest rounding difference in microseconds: torch truncates the newer fields.
const ROUNDING_US: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_an_old_log_is_in_microseconds_too() {
        let fields = Fields::parse(r#"{"entire_frame_compile_time_s": 1.5, "gc_time_us": 7}"#).unwrap();
        let read: Vec<_> = TIMES.iter().filter_map(|t| t.read(&fields)).collect();
        assert_eq!(read, [(1.5e6, "entire_frame_compile_time_s"), (7.0, "gc_time_us")]);
    }

    #[test]
    fn a_time_in_another_unit_is_told_from_another_time() {
        let fields = |text| Fields::parse(text).unwrap();
        let same = fields(
            r#"{"code_gen_time_s": 6.330584, "start_time": 1795151329.136549,
            "inductor_code_gen_cumulative_compile_time_us": 6330584, "start_time_us": 1795151329136549}"#,
        );
        assert_eq!(older(&same), ["code_gen_time_s", "start_time"]);
        let other =
            fields(r#"{"code_gen_time_s": 6.3, "inductor_code_gen_cumulative_compile_time_us": 6330584}"#);
        assert!(older(&other).is_empty());
        assert!(older(&fields(r#"{"code_gen_time_s": 6.330584}"#)).is_empty());
    }

    #[test]
    fn fields_are_explained() {
        let meaning = |field: &str| glosses().find(|(name, _)| *name == field).map(|(_, meaning)| meaning);
        assert!(meaning("guard_latency_us").unwrap().contains("per call"));
        let newer = meaning("aot_autograd_cumulative_compile_time_us");
        assert!(newer.is_some() && meaning("backend_compile_time_s") == newer);
        assert_eq!(meaning("new_field"), None);
    }
}
