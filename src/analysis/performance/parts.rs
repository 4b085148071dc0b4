//! Time per call in generated code, and from that per line of the program, by its callers and by module.

use super::graphs::Graphs;
use super::measured::{LinePart, MeasuredCall, Performance};
use super::work::{Piece, Runs};
use crate::model::CompileIndex;
use fxhash::{FxBuildHasher, FxHashMap};
use indexmap::IndexMap;
use std::collections::BTreeSet;

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

/// What parts of a line have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PartKey {
    line: usize,
    compile: CompileIndex,
    chain: usize,
    module: Option<usize>,
    backward: bool,
}

#[derive(Default)]
struct PartTime {
    us: f64,
    own_us: f64,
    kernels: BTreeSet<usize>,
}

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

    /// Adds the calls, and the parts of lines. `order` has the row of each kernel, in the order of the table.
    pub(super) fn fill(
        mut self,
        graphs: &Graphs,
        order: impl Iterator<Item = usize>,
        found: &mut Performance,
    ) {
        let kernels: FxHashMap<usize, usize> = order.enumerate().map(|(place, row)| (row, place)).collect();
        self.0.sort_keys();
        let mut parts: IndexMap<PartKey, PartTime> = IndexMap::new();
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
            let compile = graph.compile;
            let backward = graph.direction.as_deref() == Some("backward");
            for part in graph.calls.get(key.call).map(|call| call.parts.as_slice()).unwrap_or_default() {
                let (line, chain, module) = (part.line, part.chain, part.module);
                let time = parts.entry(PartKey { line, compile, chain, module, backward }).or_default();
                time.us += part.share * sum_us;
                time.own_us += if part.alone { part.share * sum_us } else { 0.0 };
                time.kernels.insert(kernel);
            }
        }
        let mut of_lines: FxHashMap<usize, Vec<LinePart>> = FxHashMap::default();
        for (key, time) in parts {
            let callers = graphs.chains.get_index(key.chain).into_iter().flatten();
            let callers = callers.filter_map(|line| graphs.lines.get(*line).cloned());
            of_lines.entry(key.line).or_default().push(LinePart {
                compile: key.compile,
                callers: callers.collect(),
                module: key.module.and_then(|module| graphs.modules.get_index(module).cloned()),
                backward: key.backward,
                us: time.us,
                own_us: time.own_us,
                kernels: time.kernels.into_iter().collect(),
            });
        }
        for line in &mut found.lines {
            let place = graphs.place_of(&line.line);
            line.parts = place.and_then(|place| of_lines.remove(&place)).unwrap_or_default();
        }
    }
}
