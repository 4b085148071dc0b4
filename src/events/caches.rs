//! Caches: lookups, their results, and the reasons.

use super::context::cache_and_outcome;
use super::{Event, Flow, RankContext};
use crate::model::{CacheLookup, Fields, Form};
use crate::trace::strict_json;
use std::borrow::Cow;

pub(super) fn parse_caches(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let Some((cache, outcome)) = event.name.and_then(cache_and_outcome) else { return Ok(Flow::Ignored) };
    let artifact = cx.artifact_of_payload(event, event.name.unwrap_or_default(), Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let is_whole = event.payload.is_some_and(|payload| payload.text.is_some() && payload.at.intact);
    let json = if is_whole { strict_json(&text) } else { Cow::Borrowed("{}") };
    // The hundreds of components of the key remain in the file.
    let (fields, garbled) = match Fields::parse(&json) {
        Ok(fields) => (fields, None),
        Err(error) => (Fields::default(), Some(error)),
    };
    let status = match (fields.text("cache_status_detailed"), fields.text("cache_status_guard_expr")) {
        (Some(status), Some(guard)) => Some(format!("{status}: {guard}")),
        (status, guard) => status.or(guard),
    };
    let saved_ns = fields.number("time_saved_ns").or(fields.number("time_saved_ms").map(|ms| ms * 1e6));
    let asked_ns: Option<u64> = fields.get("cache_event_time");
    let taken_ns: Option<u64> = fields.get("time_taken_ns");
    let lookup = CacheLookup {
        compile: event.compile_id.cloned(),
        attempt: event.attempt,
        cache: cache.to_owned(),
        outcome,
        key: fields.text("key"),
        reason: fields.text("cache_bypass_reason").or(status),
        saved_ns,
        asked_ns,
        stored_ns: asked_ns.zip(taken_ns).map(|(asked, taken)| asked.saturating_add(taken)),
        artifact: artifact.place,
    };
    cx.model().caches.push(lookup);
    cx.settings_in_key(&text);
    garbled.map_or(Ok(Flow::Handled), |error| Err(error.into()))
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
            let known = &mut compile.on_device.settings;
            known.cudagraphs |= cudagraphs;
            known.max_autotune = max_autotune.or(known.max_autotune);
            known.tf32 = tf32.or(known.tf32);
        }
        if cudagraphs {
            self.model().inductor.cudagraphs = Some(true);
        }
    }
}
