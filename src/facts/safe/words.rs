//! Words that a redacted report may hold: those of this program and of torch.

use crate::model::words::lines_of;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The caches that torch looks into.
pub const CACHES: [&str; 6] =
    ["fx_graph", "aotautograd", "aot_autograd", "dynamo_pgo", "inductor", "autotune"];

/// Results of lookups that torch words.
pub const CACHE_REASONS: [&str; 3] = ["full_miss", "guard_miss", "bypassed"];

/// Exceptions of torch and of Python: any other class may be the user's.
pub static ERRORS: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("errors.txt")));

/// The words of keys whose values this program chooses of a few, whatever the log says.
pub static CHOSEN: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("chosen.txt")));

/// Metrics of a compile that are counts or durations.
static METRICS: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("metrics.txt")));

/// Words of what a trace says of a kernel.
pub static MEASURED: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("measured.txt")));

/// The entry of a list that equals the text.
pub fn listed(list: &[&'static str], text: &str) -> Option<&'static str> {
    list.iter().find(|word| **word == text).copied()
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
