//! Caches: lookups, their results, and the reasons.

use super::{Event, Flow, RankContext};
use crate::model::{CacheLookup, Form, Outcome, lenient};
use serde::Deserialize;

/// What is read of a cache's artifact. The hundreds of components of its key remain in the file.
#[derive(Deserialize, Default)]
struct Wire {
    #[serde(default, deserialize_with = "lenient")]
    key: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_status_detailed: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_status_guard_expr: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_event_time: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    time_saved_ns: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    time_saved_ms: Option<f64>,
}

/// Artifacts called `<cache>_cache_hit`, `_miss` and `_bypass`.
pub(super) fn parse_caches(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let Some((cache, outcome)) = event.name.and_then(cache_and_outcome) else { return Ok(Flow::Ignored) };
    let artifact = cx.artifact_of_payload(event, event.name.unwrap_or_default(), Form::Json);
    let wire: anyhow::Result<Wire> = match event.payload {
        Some(payload) if payload.text.is_some() && payload.at.intact => event.payload_json(),
        _ => Ok(Wire::default()),
    };
    let (wire, garbled) = wire.map_or_else(|error| (Wire::default(), Some(error)), |wire| (wire, None));
    let reason =
        wire.cache_bypass_reason.or(match (wire.cache_status_detailed, wire.cache_status_guard_expr) {
            (Some(status), Some(guard)) => Some(format!("{status}: {guard}")),
            (status, guard) => status.or(guard),
        });
    let lookup = CacheLookup {
        compile: event.compile_id.cloned(),
        attempt: event.attempt,
        cache: cache.to_owned(),
        outcome,
        key: wire.key,
        reason,
        saved_ns: wire.time_saved_ns.or(wire.time_saved_ms.map(|ms| ms * 1e6)),
        asked_ns: wire.cache_event_time,
        artifact: artifact.place,
    };
    cx.model().caches.push(lookup);
    cx.settings_in_key(&event.payload_text().unwrap_or_default());
    garbled.map_or(Ok(Flow::Handled), Err)
}

/// How a component of a cache key says that CUDA graphs were asked for.
const WITH_CUDA_GRAPHS: &str = "inductor_config[triton.cudagraphs]: True";

/// How one begins that says whether kernels were chosen by measuring.
const MAX_AUTOTUNE: &str = "inductor_config[max_autotune]: ";

/// How the component begins that says whether products of float32 matrices may use TF32: `('none', True, True)`, and
/// `(False, True, True)` up to torch 2.8.
const MATMUL_SETTINGS: &str = "cuda_matmul_settings: (";

impl RankContext<'_> {
    /// Notes settings of the compile at hand that its cache key has.
    fn settings_in_key(&mut self, text: &str) {
        let cudagraphs = text.contains(WITH_CUDA_GRAPHS);
        let max_autotune = text.split_once(MAX_AUTOTUNE).map(|(_, rest)| rest.starts_with("True"));
        let precision = text.split_once(MATMUL_SETTINGS).and_then(|(_, rest)| rest.split([',', ')']).next());
        let tf32 = precision.and_then(|precision| match precision.trim_matches('\'') {
            "tf32" | "True" => Some(true),
            "none" | "ieee" | "False" => Some(false),
            _ => None,
        });
        if let Some(compile) = self.here() {
            compile.on_device.cudagraphs |= cudagraphs;
            compile.on_device.max_autotune = max_autotune.or(compile.on_device.max_autotune);
            compile.on_device.tf32 = tf32.or(compile.on_device.tf32);
        }
        if cudagraphs {
            self.model().inductor.cudagraphs = Some(true);
        }
    }
}

/// `fx_graph_cache_miss` as `fx_graph` and miss.
fn cache_and_outcome(name: &str) -> Option<(&str, Outcome)> {
    let (cache, outcome) = name.rsplit_once("_cache_")?;
    let outcome = match outcome {
        "hit" => Outcome::Hit,
        "miss" => Outcome::Miss,
        "bypass" => Outcome::Bypass,
        _ => return None,
    };
    Some((cache, outcome))
}
