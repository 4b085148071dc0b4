//! All families of parsers that are built in.

use super::parser::StructuredLogParser;
use super::{
    artifact, breaks, caches, chromium, distributed, dynamo, export, fallback, graphs, guards, inductor,
    links, metrics, side_effects, symbols, tensors, troubles, vllm, workers,
};

/// The parsers of one family.
pub(super) type Family = fn() -> Vec<Box<dyn StructuredLogParser>>;

/// All families. Of two parsers whose keys match an event equally well, the earlier one is asked first.
pub(super) const FAMILIES: &[Family] = &[
    dynamo::parsers,
    guards::parsers,
    breaks::parsers,
    side_effects::parsers,
    symbols::parsers,
    tensors::parsers,
    graphs::parsers,
    inductor::parsers,
    caches::parsers,
    metrics::parsers,
    chromium::parsers,
    distributed::parsers,
    workers::parsers,
    troubles::parsers,
    export::parsers,
    vllm::parsers,
    links::parsers,
    artifact::parsers,
    fallback::parsers,
];
