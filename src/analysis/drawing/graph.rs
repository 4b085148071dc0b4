//! A graph as a drawing: its operators, the blocks that they are in, and the kernels that compute them.

use super::blocks::{Block, Tree};
use super::links;
use super::operators::{Input, Operator, Operators, Place, clip};
use super::owners::owners;
use super::paths::{Parts, Path, in_common_of_all, modules_of_inputs};
use crate::analysis::provenance::{CodeKind, KernelBody, Provenance};
use crate::trace::TextMap;
use fxhash::FxHashMap;
use std::collections::BTreeSet;

/// The texts that a drawing is made of.
#[derive(Debug, Clone, Copy)]
pub struct GraphTexts<'t> {
    /// The graph that is drawn.
    pub graph: &'t str,
    /// The graph that Dynamo captured, whose inputs have the names of parameters.
    pub captured: Option<&'t str>,
    /// The graph before AOTAutograd, with the maps of the run.
    pub origins: Option<(&'t str, &'t Provenance)>,
}

/// A call of a kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// As the code names it.
    pub name: String,
    /// Operators that it computes.
    pub operators: usize,
    /// The file and line of its call.
    pub call: (CodeKind, u32),
    /// Its source, if it is generated.
    pub definition: Option<KernelBody>,
    /// Its place among the kernels of the run.
    pub place: usize,
}

/// A graph as a drawing.
#[derive(Debug, Default)]
pub struct Drawing {
    /// All operators of the outermost graph.
    pub operators: Vec<Operator>,
    /// What comes from outside.
    pub inputs: Vec<Input>,
    /// Lines of the program.
    pub places: Vec<Place>,
    /// Blocks; the first is the whole graph.
    pub blocks: Vec<Block>,
    /// Kernels in the order of their calls; empty unless torch wrote which operators they compute.
    pub kernels: Vec<Kernel>,
    /// Operators of nested graphs, which are not drawn.
    pub left_out: usize,
}

impl Drawing {
    /// Reads the texts, and finds blocks and edges.
    pub fn of(texts: &GraphTexts<'_>) -> Drawing {
        let mut graph = Operators::read(texts.graph);
        let mut parts = Parts::default();
        let captured = texts.captured.map(Operators::read);
        let modules = modules_of_inputs(&mut graph, captured.as_ref(), &mut parts);
        let given = texts.origins.and_then(|(pre, found)| of_origins(&graph, pre, found, &mut parts));
        let paths = owners(&graph, &modules, given, &mut parts);
        // Without torch's own map, kernels are a guess, which a drawing would show as a fact.
        let known = texts.origins.filter(|(_, found)| found.names_kernels);
        let kernels = known.map(|(_, found)| kernels(&mut graph, found)).unwrap_or_default();
        let mut tree = Tree::new(&graph, paths, &parts);
        fill(&graph, &mut tree);
        let Tree { blocks, shown, .. } = tree;
        for (operator, shown) in graph.operators.iter_mut().zip(shown) {
            operator.shown = shown;
        }
        let Operators { operators, inputs, places, left_out } = graph;
        Drawing { operators, inputs, places: places.into_iter().collect(), blocks, kernels, left_out }
    }

    /// The operators of one of the layers that a block represents.
    pub fn each(&self, block: &Block) -> usize {
        block.total / block.times.max(1)
    }
}

/// The kernels of the run. Each operator learns which of them compute it.
fn kernels(graph: &mut Operators, found: &Provenance) -> Vec<Kernel> {
    let names = graph.operators.iter().enumerate().map(|(at, operator)| (operator.name.clone(), at));
    let by_name: TextMap<String, usize> = names.collect();
    let mut kernels = Vec::new();
    for (place, call) in found.kernels.iter().enumerate() {
        let nodes: BTreeSet<usize> =
            call.nodes.iter().filter_map(|name| by_name.get(name).copied()).collect();
        if nodes.is_empty() {
            continue;
        }
        nodes.iter().for_each(|at| graph.operators[*at].kernels.push(kernels.len()));
        kernels.push(Kernel {
            name: clip(&call.kernel, 120),
            operators: nodes.len(),
            call: (call.file, call.line),
            definition: call.definition,
            place,
        });
    }
    kernels
}

/// Adds to each block its boxes and edges, and what its operators have.
fn fill(graph: &Operators, tree: &mut Tree) {
    let totals = links::totals(tree);
    let mut facts: Vec<[BTreeSet<usize>; 3]> = tree.blocks.iter().map(|_| Default::default()).collect();
    for (at, block) in tree.blocks.iter().enumerate() {
        for around in links::chain(tree, at) {
            let [places, weights, kernels] = &mut facts[around];
            for operator in block.own.iter().map(|own| &graph.operators[*own]) {
                places.extend(operator.place);
                weights.extend(operator.inputs.iter().filter(|at| graph.is_weight(**at)));
                kernels.extend(&operator.kernels);
            }
        }
    }
    let all = links::links(graph, tree).into_iter().zip(totals).zip(facts);
    for (at, ((links, total), facts)) in all.enumerate() {
        let around = tree.blocks[at].parent.filter(|parent| *parent < at);
        let around = around.map_or(1, |parent| tree.blocks[parent].times);
        let block = &mut tree.blocks[at];
        (block.links, block.total, block.times) = (links, total, around * block.layers.max(1));
        [block.places, block.weights, block.kernels] = facts.map(|one| one.into_iter().collect());
    }
}

/// The paths of operators by the nodes of the graph before AOTAutograd that they come from; None without such a map.
fn of_origins(
    graph: &Operators,
    pre: &str,
    found: &Provenance,
    parts: &mut Parts,
) -> Option<Vec<Option<Path>>> {
    if found.maps.post_to_pre.is_empty() {
        return None;
    }
    let mut origins = Operators::read(pre);
    let modules = modules_of_inputs(&mut origins, None, parts);
    let paths = owners(&origins, &modules, None, parts);
    let by_line: FxHashMap<u32, usize> =
        origins.operators.iter().enumerate().map(|(at, one)| (one.line, at)).collect();
    let origins_of = |line: u32| {
        let lines = found.maps.post_to_pre.get(&line).map(Vec::as_slice).unwrap_or_default();
        lines.iter().filter_map(|line| by_line.get(line).copied())
    };
    let path_of = |operator: &Operator| {
        let paths = origins_of(operator.line).filter_map(|origin| paths.get(origin));
        in_common_of_all(paths).map(<[u32]>::to_vec)
    };
    Some(graph.operators.iter().map(path_of).collect())
}
