//! Estimated runtimes of a graph's operations.

use super::ids::TextId;
use std::sync::Arc;

/// A graph's operations with their estimated runtimes.
#[derive(Debug, Clone)]
pub struct GraphRuntime {
    /// The graph: folder of its compile.
    pub graph: TextId,
    /// Operations in order. Ranks that run the same graph share the list, whatever it costs them.
    pub names: Arc<[TextId]>,
    /// Nanoseconds of each; no number where the log has none.
    pub ns: Box<[f64]>,
}

impl GraphRuntime {
    /// Operations with their nanoseconds, where the log has them.
    pub fn ops(&self) -> impl Iterator<Item = (TextId, Option<f64>)> {
        self.names.iter().copied().zip(self.ns.iter().map(|ns| (!ns.is_nan()).then_some(*ns)))
    }

    fn bits(&self) -> impl Iterator<Item = u64> {
        self.ns.iter().map(|ns| ns.to_bits())
    }
}

/// Equal where every bit is: this is how copies are found, not how numbers are compared.
impl PartialEq for GraphRuntime {
    fn eq(&self, other: &Self) -> bool {
        self.graph == other.graph && self.names == other.names && self.bits().eq(other.bits())
    }
}

impl Eq for GraphRuntime {}

impl std::hash::Hash for GraphRuntime {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.graph, &self.names).hash(state);
        self.bits().for_each(|bits| bits.hash(state));
    }
}
