//! Estimated runtimes of a graph's operations.

use super::ids::TextId;
use std::sync::Arc;

/// A graph's operations with their estimated runtimes. Compared bit by bit, so that identical copies are found.
#[derive(PartialEq, Eq, Hash)]
pub struct GraphRuntime {
    /// The graph: folder of its compile.
    pub graph: TextId,
    /// Operations in order. Ranks that run the same graph share the list, however long each operation takes.
    pub names: Arc<[TextId]>,
    /// The bits of the nanoseconds of each.
    ns: Box<[u64]>,
}

impl GraphRuntime {
    /// Of the nanoseconds of each operation; None where the log has none.
    pub fn new(graph: TextId, names: Arc<[TextId]>, ns: impl Iterator<Item = Option<f64>>) -> GraphRuntime {
        GraphRuntime { graph, names, ns: ns.map(|ns| ns.unwrap_or(f64::NAN).to_bits()).collect() }
    }

    /// Operations with their nanoseconds, where the log has them.
    pub fn ops(&self) -> impl Iterator<Item = (TextId, Option<f64>)> {
        let ns = self.ns.iter().map(|bits| Some(f64::from_bits(*bits)).filter(|ns| !ns.is_nan()));
        self.names.iter().copied().zip(ns)
    }
}
