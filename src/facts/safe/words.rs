//! Words that a redacted report may hold: those of this program and of torch.

use crate::analysis::findings::kinds;
use crate::model::ProblemKind;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The caches that torch looks into.
const CACHES: [&str; 6] = ["fx_graph", "aotautograd", "aot_autograd", "dynamo_pgo", "inductor", "autotune"];

/// Results of lookups that torch words.
const CACHE_REASONS: [&str; 3] = ["full_miss", "guard_miss", "bypassed"];

/// Exceptions of torch and of Python: any other class may be the user's.
const ERRORS: [&str; 34] = [
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BackendCompilerFailed",
    "ConstraintViolationError",
    "CppCompileError",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "FailOnRecompileLimitHit",
    "FakeTensorError",
    "FloatingPointError",
    "GraphBreak",
    "GuardOnDataDependentSymNode",
    "ImportError",
    "IndexError",
    "InductorError",
    "InternalTorchDynamoError",
    "KeyError",
    "LoweringException",
    "MemoryError",
    "NameError",
    "NotImplementedError",
    "ObservedException",
    "OutOfMemoryError",
    "OverflowError",
    "RecompileError",
    "RecompileLimitExceeded",
    "RecursionError",
    "RuntimeError",
    "TorchRuntimeError",
    "TypeError",
    "Unsupported",
    "UserError",
    "ValueError",
];

/// The words of keys whose values this program chooses of a few, whatever the log says.
const CHOSEN: [&str; 27] = [
    "ok",
    "break",
    "empty",
    "error",
    "missing",
    "damaged",
    "warning",
    "info",
    "wasted",
    "avoidable",
    "expected",
    "hit",
    "miss",
    "bypass",
    "forward",
    "backward",
    "runtime",
    "backward_runtime",
    "aot_backward",
    "toolchain",
    "first_use",
    "wait_for_workers",
    "wait_for_process",
    "log",
    "job",
    "compute",
    "collective",
];

/// Metrics of a compile that are counts or durations.
const METRICS: [&str; 32] = [
    "accumulated_cache_size",
    "aot_autograd_cumulative_compile_time_us",
    "aotautograd_local_cache_hit_count",
    "aotautograd_local_cache_miss_count",
    "aotautograd_remote_cache_hit_count",
    "aotautograd_remote_cache_miss_count",
    "backend_compile_time_s",
    "backward_cumulative_compile_time_us",
    "cache_size",
    "code_gen_time_s",
    "duration_us",
    "dynamo_cumulative_compile_time_us",
    "dynamo_time_before_restart_s",
    "entire_frame_compile_time_s",
    "gc_time_us",
    "graph_input_count",
    "graph_node_count",
    "graph_op_count",
    "guard_count",
    "guard_latency_us",
    "inductor_code_gen_cumulative_compile_time_us",
    "inductor_compile_time_s",
    "inductor_cumulative_compile_time_us",
    "inductor_fx_local_cache_hit_count",
    "inductor_fx_local_cache_miss_count",
    "inductor_fx_remote_cache_hit_count",
    "inductor_fx_remote_cache_miss_count",
    "ir_count",
    "num_graph_breaks",
    "shape_env_guard_count",
    "structured_logging_overhead_us",
    "triton_compile_time_us",
];

/// Words of what a trace says of a kernel.
const MEASURED: [&str; 34] = [
    "marks",
    "regions",
    "launches",
    "cpp",
    "triton",
    "extern",
    "eager",
    "inputs",
    "trace",
    "code",
    "kernel",
    "compute",
    "memory",
    "launch",
    "fp64",
    "fp32",
    "tf32",
    "bf16",
    "fp16",
    "fp8",
    "int8",
    "option",
    "forward",
    "backward",
    "inference",
    "cannot be true",
    "check this figure",
    "counts probably wrong",
    "far: room, or launch-bound",
    "far from its limit",
    "near a limit",
    "from the cache",
    "room",
    "too short to judge",
];

/// The entry of a list that equals the text.
fn listed(list: &[&'static str], text: &str) -> Option<&'static str> {
    list.iter().find(|word| **word == text).copied()
}

/// A word that this program chose.
pub fn chosen(text: &str) -> Option<&'static str> {
    listed(&CHOSEN, text)
}

/// A kind of damage.
pub fn problem_kind(text: &str) -> Option<&'static str> {
    ProblemKind::ALL.into_iter().map(ProblemKind::name).find(|name| *name == text)
}

/// A word of what a trace says of a kernel.
pub fn measured(text: &str) -> Option<&'static str> {
    listed(&MEASURED, text)
}

/// The counts and durations among the fields of a metrics record.
pub fn metrics(fields: &str) -> Box<RawValue> {
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(fields).unwrap_or_default();
    let is_number = |value: &&RawValue| value.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let known = METRICS.iter().filter_map(|name| Some((*name, fields.get(name).copied().filter(is_number)?)));
    let known: indexmap::IndexMap<&str, &RawValue> = known.collect();
    serde_json::value::to_raw_value(&known).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// `2.15.0+cu132`: the build of somebody else is cut to the number.
pub fn torch_version(version: &str) -> Option<String> {
    let (number, build) = version.split_once('+').unwrap_or((version, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = number.split('.').take_while(|part| is_number(part)).collect();
    let known = ["cpu", "cu", "rocm", "xpu"].iter().any(|kind| {
        let rest = build.strip_prefix(kind);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    });
    match (parts.is_empty(), known) {
        (true, _) => None,
        (_, true) => Some(format!("{}+{build}", parts.join("."))),
        (_, false) => Some(parts.join(".")),
    }
}

/// The name of a cache.
pub fn cache(name: &str) -> Option<&'static str> {
    listed(&CACHES, name)
}

/// Why a lookup found nothing.
pub fn cache_reason(reason: &str) -> Option<&'static str> {
    listed(&CACHE_REASONS, reason)
}

/// The class of an exception.
pub fn error(class: &str) -> Option<&'static str> {
    listed(&ERRORS, class.rsplit('.').next()?)
}

/// What people call findings of a kind.
pub fn label_of(kind: &str) -> &'static str {
    kinds().find(|one| one.word == kind).map_or("Ranks", |one| one.label)
}
