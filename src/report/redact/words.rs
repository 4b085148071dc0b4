//! Words that a redacted report may hold: those of this program and of torch.

use crate::analysis::findings::kinds;
use crate::report::words::phases::is_known_phase;
use serde_json::Value;

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
pub const METRICS: [&str; 32] = [
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

/// Kinds of damage of a log; `integrity` counts each.
pub const DAMAGE: [&str; 8] = [
    "bad_prefix",
    "bad_json",
    "bad_payload_md5",
    "truncated",
    "non_utf8",
    "other_rank",
    "parser_errors",
    "unresolved_strings",
];

/// A number or a truth value; anything else is unknown.
pub fn number(value: &Value) -> Value {
    if value.is_number() || value.is_boolean() { value.clone() } else { Value::Null }
}

/// A word that this program chose.
pub fn chosen(value: &Value) -> Value {
    match one_of(value, &CHOSEN) {
        Value::Null => one_of(value, &DAMAGE),
        word => word,
    }
}

/// One of these words.
fn one_of(value: &Value, words: &[&str]) -> Value {
    value.as_str().filter(|text| words.contains(text)).map_or(Value::Null, Value::from)
}

/// A compile id, of numbers and their separators only.
pub fn compile_id(value: &Value) -> Value {
    let is_plain =
        |id: &&str| id.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'!' | b'_' | b'-'));
    value.as_str().filter(is_plain).map_or(Value::Null, Value::from)
}

/// The ids of a list.
pub fn compile_ids(value: &Value, key: &str) -> Value {
    list(value, key).iter().map(compile_id).collect::<Vec<_>>().into()
}

/// The entries of a list.
pub fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// `gb0059`: a number of torch's catalog of graph breaks.
pub fn catalog_number(value: &Value) -> Option<&str> {
    let digits = |id: &&str| id.strip_prefix("gb").is_some_and(|rest| is_number(rest) && rest.len() <= 6);
    value.as_str().filter(digits)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `2.15.0+cu132`: what is built by somebody else is cut to the number.
pub fn torch_version(value: &Value) -> Value {
    let Some(version) = value.as_str() else { return Value::Null };
    let (number, build) = version.split_once('+').unwrap_or((version, ""));
    let parts: Vec<&str> = number.split('.').take_while(|part| is_number(part)).collect();
    let known = ["cpu", "cu", "rocm", "xpu"].iter().any(|kind| {
        let rest = build.strip_prefix(kind);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    });
    match (parts.is_empty(), known) {
        (true, _) => Value::Null,
        (_, true) => format!("{}+{build}", parts.join(".")).into(),
        (_, false) => parts.join(".").into(),
    }
}

/// The name of a cache.
pub fn cache(value: &Value) -> Option<&str> {
    value.as_str().filter(|name| CACHES.contains(name))
}

/// Why a lookup found nothing.
pub fn cache_reason(value: &Value) -> Value {
    one_of(value, &CACHE_REASONS)
}

/// The class of an exception.
pub fn error(value: &Value) -> Option<&str> {
    let class = value.as_str()?.rsplit('.').next()?;
    ERRORS.contains(&class).then_some(class)
}

/// A phase of the compiler.
pub fn phase(value: &Value) -> Option<&str> {
    value.as_str().filter(|name| is_known_phase(name))
}

/// A part of the compiler: this program names them.
pub fn part(value: &Value) -> Value {
    let known = |name: &&str| crate::analysis::PARTS.contains(name);
    value.as_str().filter(known).map_or(Value::Null, Value::from)
}

/// The kind of a finding: this program names it, of a log or of a job.
pub fn finding_kind(value: &Value) -> &str {
    let is_word =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') && word.len() < 60;
    value.as_str().filter(is_word).unwrap_or("finding")
}

/// What people call findings of a kind.
pub fn label_of(kind: &str) -> &'static str {
    kinds().find(|one| one.word == kind).map_or("Ranks", |one| one.label)
}
