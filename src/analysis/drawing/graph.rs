//! A graph as a drawing: its operators, the blocks that they are in, and the kernels that compute them.

use super::blocks::Tree;
use super::links::{self, Links};
use super::operators::{self, Input, Operators, Place};
use super::owners::{is_quiet, owners};
use super::paths::{Parts, Path, in_common_of_all, modules_of_inputs};
use crate::analysis::provenance::{CodeKind, KernelBody, Provenance};
use crate::trace::TextMap;
use fxhash::FxHashMap;
use std::collections::BTreeSet;

/// Operators of a graph that is drawn with its operators; of a larger one, only the modules are.
pub const MOST_DRAWN: usize = 5_000;

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

#[derive(Debug, Clone)]
pub struct Operator {
    /// Its name in the graph.
    pub name: String,
    /// What it computes.
    pub op: String,
    /// Type and size; empty if the graph does not say.
    pub shape: String,
    /// Its line in the graph, from 1.
    pub line: u32,
    /// Its place in [`Drawing::places`].
    pub place: Option<usize>,
    /// Operators that it reads.
    pub args: Vec<usize>,
    /// Inputs that it reads.
    pub inputs: Vec<usize>,
    /// Kernels that compute it.
    pub kernels: Vec<usize>,
    /// The operator that is drawn for it: itself, or that of the first of equal layers.
    pub shown: usize,
    /// Whether it only moves or reshapes data.
    pub quiet: bool,
}

#[derive(Debug, Default)]
pub struct Block {
    /// Its address: `layers.self_attn`; empty for the whole graph.
    pub id: String,
    /// Its name in the block around it.
    pub name: String,
    /// The block around it.
    pub parent: Option<usize>,
    /// Its boxes and edges.
    pub links: Links,
    /// Its operators, with those of all equal layers.
    pub total: usize,
    /// How many equal layers it represents; 1 for every other block.
    pub layers: usize,
    /// Layers that it is drawn for, with those around it.
    pub times: usize,
    /// Lines of the program: places in [`Drawing::places`], in the order of the graph.
    pub places: Vec<usize>,
    /// Weights that it reads: places in [`Drawing::inputs`].
    pub weights: Vec<usize>,
    /// Kernels that compute its operators.
    pub kernels: Vec<usize>,
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
        let mut drawing = Drawing { left_out: graph.left_out, ..Drawing::default() };
        let kernels = drawing.take_kernels(&graph, texts.origins.map(|(_, found)| found));
        let tree = Tree::of(&graph, paths, &parts, &marks(&kernels));
        drawing.take_blocks(&graph, &tree, &kernels);
        drawing.take_operators(graph, &tree, kernels);
        drawing
    }

    /// The kernels of the run, and for each operator those that compute it.
    fn take_kernels(&mut self, graph: &Operators, found: Option<&Provenance>) -> Vec<Vec<usize>> {
        let mut of_operators = vec![Vec::new(); graph.all.len()];
        // Without torch's own map, kernels are a guess, which a drawing would show as a fact.
        let Some(found) = found.filter(|found| found.names_kernels) else { return of_operators };
        let names = graph.all.iter().enumerate().map(|(at, operator)| (operator.name.as_str(), at));
        let by_name: TextMap<&str, usize> = names.collect();
        for (place, call) in found.kernels.iter().enumerate() {
            let nodes: BTreeSet<usize> =
                call.nodes.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect();
            if nodes.is_empty() {
                continue;
            }
            for at in &nodes {
                if let Some(kernels) = of_operators.get_mut(*at) {
                    kernels.push(self.kernels.len());
                }
            }
            self.kernels.push(Kernel {
                name: operators::clip(&call.kernel, 120),
                operators: nodes.len(),
                call: (call.file, call.line),
                definition: call.definition,
                place,
            });
        }
        of_operators
    }

    fn take_blocks(&mut self, graph: &Operators, tree: &Tree, kernels: &[Vec<usize>]) {
        let totals = links::totals(graph, tree);
        let mut facts: Vec<[BTreeSet<usize>; 3]> = tree.branches.iter().map(|_| Default::default()).collect();
        for (at, branch) in tree.branches.iter().enumerate() {
            for block in links::chain(tree, at) {
                let Some([places, weights, of_kernels]) = facts.get_mut(block) else { continue };
                for own in &branch.own {
                    let Some(operator) = graph.all.get(*own) else { continue };
                    places.extend(operator.place);
                    let is_weight =
                        |at: &&usize| graph.inputs.get(**at).is_some_and(|one| !one.weight.is_empty());
                    weights.extend(operator.inputs.iter().filter(is_weight));
                    of_kernels.extend(kernels.get(*own).into_iter().flatten());
                }
            }
        }
        let links = links::links(graph, tree);
        for ((branch, links), (total, facts)) in
            tree.branches.iter().zip(links).zip(totals.into_iter().zip(facts))
        {
            let [places, weights, kernels] = facts.map(|one| one.into_iter().collect());
            let around = branch.parent.and_then(|parent| self.blocks.get(parent));
            let times = around.map_or(1, |parent| parent.times) * branch.layers.max(1);
            self.blocks.push(Block {
                id: branch.id.clone(),
                name: branch.name.clone(),
                parent: branch.parent,
                links,
                total,
                layers: branch.layers,
                times,
                places,
                weights,
                kernels,
            });
        }
    }

    fn take_operators(&mut self, graph: Operators, tree: &Tree, kernels: Vec<Vec<usize>>) {
        let all = graph.all.into_iter().zip(kernels).zip(&tree.shown);
        self.operators = all
            .map(|((one, kernels), shown)| Operator {
                quiet: is_quiet(&one.op),
                name: one.name,
                op: one.op,
                shape: one.shape,
                line: one.line,
                place: one.place,
                args: one.args,
                inputs: one.inputs,
                kernels,
                shown: *shown,
            })
            .collect();
        self.inputs = graph.inputs;
        self.places = graph.places.into_iter().collect();
    }

    /// The operators of one of the layers that a block represents.
    pub fn each(&self, block: &Block) -> usize {
        block.total / block.times.max(1)
    }
}

/// What equal layers must share beside their operators: nothing without kernels. With kernels each operator has a mark of
/// its own, because layers differ in how they are fused with their neighbors.
fn marks(kernels: &[Vec<usize>]) -> Vec<u64> {
    let known = kernels.iter().any(|kernels| !kernels.is_empty());
    kernels.iter().zip(0..).map(|(_, at)| if known { at } else { 0 }).collect()
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
        origins.all.iter().enumerate().map(|(at, one)| (one.line, at)).collect();
    let origins_of = |line: u32| {
        let lines = found.maps.post_to_pre.get(&line).map(Vec::as_slice).unwrap_or_default();
        lines.iter().filter_map(|line| by_line.get(line).copied())
    };
    let path_of = |operator: &operators::Operator| {
        let paths = origins_of(operator.line).filter_map(|origin| paths.get(origin));
        in_common_of_all(paths).map(<[u32]>::to_vec)
    };
    Some(graph.all.iter().map(path_of).collect())
}
