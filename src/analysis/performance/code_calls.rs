//! Time per call in generated code.

use super::graphs::Graphs;
use super::measured::{MeasuredCall, Performance};
use super::work::{Piece, Runs};
use fxhash::{FxBuildHasher, FxHashMap};
use indexmap::IndexMap;

/// A call in generated code, and the row of its runs in the table of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CallKey {
    graph: usize,
    call: usize,
    row: usize,
}

/// The runs of each call.
#[derive(Default)]
pub(super) struct CallTimes(IndexMap<CallKey, Runs, FxBuildHasher>);

impl CallTimes {
    /// Counts a run of the kernel in that row.
    pub(super) fn add(&mut self, piece: &Piece, row: usize) {
        if let Some((graph, call)) = piece.graph.zip(piece.code_call) {
            self.0.entry(CallKey { graph, call, row }).or_default().add(piece.dur_us);
        }
    }

    /// Graph, call, row and microseconds of each.
    pub(super) fn sums(&self) -> impl Iterator<Item = (usize, usize, usize, f64)> + '_ {
        self.0.iter().map(|(key, runs)| (key.graph, key.call, key.row, runs.us))
    }

    /// Adds the calls. `order` has the row of each kernel, in the order of the table.
    pub(super) fn fill(
        mut self,
        graphs: &Graphs,
        order: impl Iterator<Item = usize>,
        found: &mut Performance,
    ) {
        let kernels: FxHashMap<usize, usize> = order.enumerate().map(|(place, row)| (row, place)).collect();
        self.0.sort_keys();
        for (key, Runs { count, us: sum_us }) in self.0 {
            let Some(graph) = graphs.graphs.get(key.graph) else { continue };
            let kernel = kernels.get(&key.row).copied().unwrap_or_default();
            let name = graph.calls.get(key.call).map(|call| &call.name);
            let first = name.and_then(|name| graph.by_name.get(name)?.first().copied());
            found.calls.push(MeasuredCall {
                compile: graph.compile,
                run: graph.run,
                place: key.call,
                first: first.unwrap_or(key.call),
                kernel,
                count,
                sum_us,
            });
        }
    }
}
