//! Infers what each kernel computes from the flow of data, if the log does not say it.
//!
//! torch records the nodes of kernels only while provenance is on, and up to 2.7 only for Triton. But graph and wrapper
//! describe the same computation. A call of an operator and its node have the same inputs, so the nodes in the buffers
//! around such a call are known; a generated kernel computes the nodes between the buffers that it reads and writes.

pub(super) mod graph;
pub(super) mod names;
mod solve;

use super::CodeKind;
use crate::read::fx_graph::GraphText;
use crate::read::generated::CodeText;
use crate::read::generated::kernel_source::sources;
use crate::trace::TextSet;
use fxhash::FxHashMap;
use graph::FlowGraph;
use solve::Solver;

/// The nodes of calls in the wrapper, by file and line, for calls that could be connected.
pub(super) fn nodes_of_calls(
    post: Option<(&str, &GraphText<'_>)>,
    files: &[CodeText<'_>],
) -> FxHashMap<(CodeKind, u32), Vec<String>> {
    let wrapper = files.iter().find(|file| !file.calls.is_empty());
    let (Some((text, post)), Some(wrapper)) = (post, wrapper) else { return FxHashMap::default() };
    let graph = FlowGraph::read(text, post);
    let sources = files.iter().flat_map(|file| sources(file.text, &file.definitions)).collect();
    let inputs: TextSet<&str> =
        (0..).zip(&graph.nodes).filter(|(at, _)| graph.is_given(*at)).map(|(_, node)| node.name).collect();
    let statements = wrapper.statements(&sources, &inputs);
    let found = Solver::new(&graph).solve(&statements);
    let names = |nodes: Vec<usize>| {
        nodes.into_iter().filter_map(|at| graph.nodes.get(at)).map(|node| node.name.to_owned()).collect()
    };
    found.into_iter().map(|(line, nodes)| ((wrapper.kind, line), names(nodes))).collect()
}
