//! Inductor's estimates of the time that a kernel takes.

use crate::analysis::provenance::InductorRun;
use crate::limits::LARGEST_ARTIFACT;
use crate::model::{Compile, Content, Fields, lenient};
use crate::trace::{PayloadRef, TextMap};
use serde::Deserialize;

/// Reads the text of a payload.
pub type ReadPayload<'a> = &'a dyn Fn(&PayloadRef) -> anyhow::Result<String>;

/// The estimates for all calls of one kernel in one graph.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Nanoseconds of all calls.
    pub ns: f64,
    /// How many calls.
    pub calls: u32,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default, deserialize_with = "lenient")]
    name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    estimated_runtime_ns: Option<f64>,
}

/// Estimates by kernel, from the run's own `inductor_runtime_and_tensor_meta`. Inductor writes 0 for kernels of a CPU,
/// which is not an estimate.
///
/// # Errors
/// The log can no longer be read.
pub fn estimated_runtimes(
    compile: &Compile,
    run: &InductorRun,
    read: ReadPayload<'_>,
) -> anyhow::Result<TextMap<String, Estimate>> {
    let mut found: TextMap<String, Estimate> = TextMap::default();
    let artifacts = compile.artifacts.get(run.artifacts.clone()).unwrap_or_default();
    let artifact = artifacts.iter().find(|artifact| &*artifact.name == "inductor_runtime_and_tensor_meta");
    let Some(Content::Payload(at, _)) = artifact.map(|artifact| &artifact.content) else { return Ok(found) };
    if at.text_len > LARGEST_ARTIFACT {
        return Ok(found);
    }
    let text = read(at)?;
    let operations: Option<Vec<Operation>> = Fields::parse(&text).ok().and_then(|fields| fields.get("ops"));
    for operation in operations.unwrap_or_default() {
        let ns = operation.estimated_runtime_ns.filter(|ns| *ns > 0.0);
        if let (Some(name), Some(ns)) = (operation.name, ns) {
            let known = found.entry(name).or_default();
            known.ns += ns;
            known.calls += 1;
        }
    }
    Ok(found)
}
