//! What vLLM says about its own compilation, event by event.

use super::CompileIndex;
use crate::trace::Stamp;

/// One event of vLLM, in the order of the log.
#[derive(Debug, Clone)]
pub struct VllmEvent {
    pub compile: CompileIndex,
    pub attempt: u32,
    /// Its file: an index into the artifacts of the compile.
    pub artifact: usize,
    pub stamp: Stamp,
    pub fact: VllmFact,
}

/// What an event of vLLM says.
#[derive(Debug, Clone)]
pub enum VllmFact {
    /// `vllm_compilation_config`: vLLM's backend is called for a module. Fields in the order of the log.
    Config(Vec<(String, String)>),
    /// `vllm_piecewise_compile_start`: a subgraph is compiled for a range of sizes or for one size.
    Start(VllmStart),
    /// `vllm_compile_event`: `fresh_compile` or `aot_cache_hit`.
    Compiled(String),
    /// `vllm_piecewise_split_graph`: the parts into which the graph of a module was cut, in order.
    Split(Vec<VllmPart>),
    /// `vllm_submod_0`, older `vllm_subgraph_0`: the graph of a part, by its name without `vllm_`.
    Graph(String),
    /// `vllm_post_grad[.<order>].<pass>[.<stage>]`: the graph at a pass.
    Pass(VllmPass),
    /// `vllm_patterns.<pass>`: what a pass looks for.
    Patterns,
    /// Any other event whose name begins with `vllm_`.
    Other,
}

/// The start of a compile of a subgraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VllmStart {
    /// `piecewise_index`: which of the subgraphs that are compiled, from 0.
    pub index: Option<u64>,
    /// `submod_name`
    pub submodule: Option<String>,
    /// `total_piecewise_compiles`: how many subgraphs are compiled.
    pub total: Option<u64>,
    /// `compile_range_start`: the smallest size.
    pub from: Option<i64>,
    /// `compile_range_end`: the largest size.
    pub to: Option<i64>,
    pub single: Option<bool>,
    pub cudagraph: Option<bool>,
    /// Fields that this version does not know.
    pub more: Vec<(String, String)>,
}

/// A part of a split graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VllmPart {
    /// `submod_0`
    pub name: String,
    pub calls: usize,
    /// The first operators that it calls, each once: `aten.mm`.
    pub operators: Vec<String>,
}

/// A pass, as the name of its graph has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VllmPass {
    pub order: Option<u64>,
    pub name: String,
    /// The moment, if the name says it: `before`, `after`.
    pub stage: Option<String>,
}
