//! Caches: lookups, their results, and the reasons.

use super::{Event, Flow, RankContext, Stateless, StructuredLogParser};
use crate::model::{CacheLookup, Form, Outcome, lenient};
use serde::Deserialize;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(Stateless {
        name: "caches",
        about: "Hits, misses and bypasses of the compile caches, with key and reason.",
        keys: &["artifact:*_cache_hit", "artifact:*_cache_miss", "artifact:*_cache_bypass"],
        parse: parse_caches,
    })]
}

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
fn parse_caches(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
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
    // `mode="reduce-overhead"` is in no configuration of the log: Inductor applies it for one graph only.
    if event.payload_text().is_some_and(|text| text.contains(WITH_CUDA_GRAPHS)) {
        cx.model().inductor.cudagraphs = Some(true);
    }
    garbled.map_or(Ok(Flow::Handled), Err)
}

/// How a component of a cache key says that CUDA graphs were asked for.
const WITH_CUDA_GRAPHS: &str = "inductor_config[triton.cudagraphs]: True";

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
