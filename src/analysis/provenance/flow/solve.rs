//! Follows the data through graph and wrapper at once.

use super::graph::{FlowGraph, FlowKind};
use super::names::{is_complete, leaves_out, names};
use crate::limits::{SEARCHED, TRIED};
use crate::read::generated::memory::{Statement, WrapperCall};
use crate::trace::{TextMap, TextSet};
use fxhash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// The contents of a buffer from one write to the next.
#[derive(Debug, Default)]
struct Content {
    /// The node whose value it is.
    node: Option<usize>,
    /// Steps that wrote it; several if each wrote a part.
    writers: Vec<usize>,
    /// Inputs and results of operators that it was computed from; None if unknown.
    sources: Option<BTreeSet<usize>>,
    in_parts: bool,
}

/// A call, with what it reads and writes.
#[derive(Debug)]
struct Step<'t> {
    line: u32,
    /// Its name, if it is a generated kernel.
    kernel: Option<&'t str>,
    /// Places in [`Solver::contents`].
    reads: Vec<usize>,
    writes: Vec<usize>,
}

/// Limit on the nodes visited in total, so that no log takes quadratic time.
const MOST_VISITS: usize = 4_000_000;

pub(super) struct Solver<'g, 't> {
    graph: &'g FlowGraph<'t>,
    by_operator: TextMap<&'t str, VecDeque<usize>>,
    /// Computed nodes by the nodes whose memory they use.
    users: FxHashMap<usize, VecDeque<usize>>,
    /// Nodes computed by calls of operators.
    taken: FxHashSet<usize>,
    contents: Vec<Content>,
    /// The memory of each name.
    memory: TextMap<&'t str, usize>,
    /// By memory: its current contents.
    holds: Vec<usize>,
    /// Names of parts of a buffer.
    parts: TextSet<&'t str>,
    steps: Vec<Step<'t>>,
    outputs: Vec<Option<usize>>,
    visits: usize,
}

impl<'g, 't> Solver<'g, 't> {
    pub(super) fn new(graph: &'g FlowGraph<'t>) -> Solver<'g, 't> {
        let mut by_operator: TextMap<&'t str, VecDeque<usize>> = TextMap::default();
        let mut users: FxHashMap<usize, VecDeque<usize>> = FxHashMap::default();
        for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.kind == FlowKind::Computed) {
            by_operator.entry(node.operator).or_default().push_back(at);
            for base in graph.operand_bases(at) {
                users.entry(base).or_default().push_back(at);
            }
        }
        Solver {
            graph,
            by_operator,
            users,
            taken: FxHashSet::default(),
            contents: Vec::new(),
            memory: TextMap::default(),
            holds: Vec::new(),
            parts: TextSet::default(),
            steps: Vec::new(),
            outputs: Vec::new(),
            visits: 0,
        }
    }

    /// The nodes of each call that could be connected, by its line.
    pub(super) fn solve<'s: 't>(mut self, statements: &'s [Statement<'t>]) -> FxHashMap<u32, Vec<usize>> {
        for statement in statements {
            match statement {
                Statement::Alias { to, from, part } => {
                    let memory = self.memory_of(from);
                    self.memory.insert(to, memory);
                    if *part {
                        self.parts.insert(to)
                    } else {
                        self.parts.remove(to)
                    };
                }
                Statement::Fresh(name) => self.fresh(name),
                Statement::Call(call) => self.call(call),
                Statement::Return(items) => {
                    self.outputs = items.iter().map(|name| name.map(|name| self.content_of(name))).collect();
                }
                Statement::Output(name) => {
                    let content = self.content_of(name);
                    self.outputs.push(Some(content));
                }
            }
        }
        self.name_results();
        self.regions()
    }

    fn fresh(&mut self, name: &'t str) {
        self.memory.insert(name, self.holds.len());
        self.parts.remove(name);
        let node = self.graph.by_name.get(name).copied().filter(|at| self.graph.is_given(*at));
        let sources = Some(node.into_iter().collect());
        self.contents.push(Content { node, sources, ..Content::default() });
        self.holds.push(self.contents.len() - 1);
    }

    fn memory_of(&mut self, name: &'t str) -> usize {
        if !self.memory.contains_key(name) {
            self.fresh(name);
        }
        self.memory[name]
    }

    fn content_of(&mut self, name: &'t str) -> usize {
        let memory = self.memory_of(name);
        self.holds[memory]
    }

    fn call(&mut self, call: &WrapperCall<'t>) {
        let step = self.steps.len();
        let reads: Vec<usize> = call.reads.iter().map(|name| self.content_of(name)).collect();
        let node = call.operator.and_then(|operator| self.node_of_call(operator, &reads));
        let mut sources = match (node, call.operator) {
            (Some(node), _) => Some([node].into_iter().collect()),
            (None, Some(_)) => None,
            (None, None) => self.sources(&reads),
        };
        sources.take_if(|sources| sources.len() > SEARCHED);
        let writes = call.writes.iter().map(|name| self.write(step, name, (node, &sources))).collect();
        if let Some(node) = node {
            self.take(node);
            self.name_operands(node, &reads);
        }
        let kernel = call.operator.is_none().then_some(call.kernel);
        self.steps.push(Step { line: call.line, kernel, reads, writes });
    }

    /// Records that a step writes the memory of a name; returns the new contents.
    fn write(
        &mut self,
        step: usize,
        name: &'t str,
        (node, sources): (Option<usize>, &Option<BTreeSet<usize>>),
    ) -> usize {
        let memory = self.memory_of(name);
        let now = self.holds[memory];
        let part = self.parts.contains(name);
        let content = &mut self.contents[now];
        if part && (content.in_parts || content.writers.is_empty() && content.node.is_none()) {
            content.in_parts = true;
            content.writers.push(step);
            match (&mut content.sources, sources) {
                (Some(known), Some(more)) => known.extend(more),
                (known, _) => *known = None,
            }
            return now;
        }
        let content = Content { node, writers: vec![step], sources: sources.clone(), in_parts: part };
        self.contents.push(content);
        self.holds[memory] = self.contents.len() - 1;
        self.holds[memory]
    }

    /// Notes that a call computes a node. The lists of nodes to try drop those at their beginning that are taken: calls come
    /// in about the order of the nodes, and each would look at all nodes before its own.
    fn take(&mut self, node: usize) {
        self.taken.insert(node);
        let prune = |list: &mut VecDeque<usize>| {
            while list.front().is_some_and(|first| self.taken.contains(first)) {
                list.pop_front();
            }
        };
        self.by_operator.get_mut(self.graph.nodes[node].operator).into_iter().for_each(prune);
        for base in self.graph.operand_bases(node) {
            self.users.get_mut(&base).into_iter().for_each(prune);
        }
    }

    /// What all of these were computed from; None if one of them is unknown.
    fn sources(&self, contents: &[usize]) -> Option<BTreeSet<usize>> {
        let mut all = BTreeSet::new();
        for at in contents {
            all.extend(self.contents[*at].sources.as_ref()?);
        }
        Some(all)
    }

    fn known(&self, contents: &[usize]) -> impl Iterator<Item = usize> {
        contents.iter().filter_map(|at| self.contents[*at].node)
    }

    /// The node that a call of an operator computes: one with its inputs that no other call computed.
    fn node_of_call(&mut self, operator: &str, reads: &[usize]) -> Option<usize> {
        let known: Vec<usize> = self.known(reads).collect();
        let rarest = known.iter().filter_map(|node| self.users.get(node)).min_by_key(|users| users.len());
        let all = self.by_operator.get(operator);
        let candidates = rarest.filter(|_| !known.is_empty()).or(all)?;
        let graph = self.graph;
        let fits = |at: &usize| {
            if !is_same(graph.nodes[*at].operator, operator) || self.taken.contains(at) {
                return false;
            }
            let inputs: FxHashSet<usize> = graph.operand_bases(*at).collect();
            known.iter().all(|node| inputs.contains(node))
        };
        let tried: Vec<usize> = candidates.iter().copied().filter(fits).take(TRIED).collect();
        let sources = self.sources(reads);
        let held: FxHashSet<usize> = known.into_iter().collect();
        tried.into_iter().find(|at| {
            let operands: Vec<usize> = graph.operand_bases(*at).collect();
            sources.as_ref().is_none_or(|sources| self.comes_from(&operands, &held, sources))
        })
    }

    /// Whether nodes are computed only from these sources.
    fn comes_from(&mut self, nodes: &[usize], held: &FxHashSet<usize>, sources: &BTreeSet<usize>) -> bool {
        let mut open = nodes.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(at) = open.pop() {
            if held.contains(&at) || sources.contains(&at) || !seen.insert(at) {
                continue;
            }
            self.visits += 1;
            let input = self.graph.nodes[at].kind == FlowKind::Input;
            if input || self.taken.contains(&at) || self.visits > MOST_VISITS {
                return false;
            }
            open.extend(self.graph.operand_bases(at));
        }
        true
    }

    /// The buffers that a call reads contain the operands of its node.
    fn name_operands(&mut self, node: usize, reads: &[usize]) {
        let operands: Vec<usize> = self.graph.operand_bases(node).collect();
        if operands.len() == reads.len() {
            for (content, operand) in reads.iter().zip(operands) {
                self.name(*content, operand);
            }
        }
    }

    fn name(&mut self, content: usize, node: usize) {
        let computed = !self.graph.is_given(node) && !self.taken.contains(&node);
        let content = &mut self.contents[content];
        if computed && !content.writers.is_empty() {
            content.node.get_or_insert(node);
        }
    }

    /// The wrapper returns what the graph returns, and inputs end up with what the graph copies to them.
    fn name_results(&mut self) {
        let graph = self.graph;
        if self.outputs.len() == graph.outputs.len() {
            for (content, node) in std::mem::take(&mut self.outputs).into_iter().zip(&graph.outputs) {
                if let (Some(content), Some(node)) = (content, node) {
                    self.name(content, graph.base(*node));
                }
            }
        }
        for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.kind == FlowKind::Copy) {
            let to = node.operands.first().map(|to| graph.nodes[graph.base(*to)].name);
            if let Some(memory) = to.and_then(|to| self.memory.get(to)) {
                self.name(self.holds[*memory], graph.base(at));
            }
        }
    }

    /// The nodes of each step.
    fn regions(mut self) -> FxHashMap<u32, Vec<usize>> {
        let steps = std::mem::take(&mut self.steps);
        let regions = self.widest(&steps);
        let mut found = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            let nodes: BTreeSet<usize> = match step.kernel {
                Some(kernel) => self.named(kernel, (at, step), &steps, &regions),
                None => self.known(&step.writes).collect(),
            };
            if !nodes.is_empty() {
                found.insert(step.line, nodes.into_iter().collect());
            }
        }
        found
    }

    /// All that each kernel may compute. The last kernels come first, because the result of a kernel that only another kernel
    /// reads is found from what that one needs.
    fn widest(&mut self, steps: &[Step<'t>]) -> Vec<Region> {
        let mut readers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            step.reads.iter().for_each(|content| readers.entry(*content).or_default().push(at));
        }
        let mut regions: Vec<Region> = steps.iter().map(|_| Region::default()).collect();
        for (at, step) in steps.iter().enumerate().rev().filter(|(_, step)| step.kernel.is_some()) {
            let mut region = Region { held: self.known(&step.reads).collect(), ..Region::default() };
            let mut sources = self.sources(&step.reads).unwrap_or_default();
            sources.extend(&region.held);
            self.find_roots(step, &sources, &mut region);
            region.nodes = self.between(&region, |_| true);
            if region.nodes.is_empty() {
                let unknown = step.writes.iter().filter_map(|content| readers.get(content)).flatten();
                let later = unknown.filter(|reader| **reader > at);
                let later: BTreeSet<usize> =
                    later.flat_map(|reader| &regions[*reader].nodes).copied().collect();
                region.nodes = self.computable(&later, &sources);
            }
            regions[at] = region;
        }
        regions
    }

    /// What a kernel computes, with the views in it. If it reads unknown results of other kernels, the names of the kernels
    /// may say which of them computes a node.
    fn named(
        &mut self,
        kernel: &str,
        (at, step): (usize, &Step<'t>),
        steps: &[Step<'t>],
        regions: &[Region],
    ) -> BTreeSet<usize> {
        let graph = self.graph;
        let region = &regions[at];
        let operator = |at: &usize| graph.nodes[*at].operator;
        let all = with_views(graph, &region.nodes);
        let contents = step.reads.iter().map(|at| &self.contents[*at]);
        let unknown = contents.filter(|content| content.node.is_none()).flat_map(|content| &content.writers);
        let before: Vec<usize> = unknown.copied().filter(|before| *before != at).collect();
        if before.is_empty() && !region.roots.is_empty() {
            return all;
        }
        let is_complete = is_complete(kernel, all.iter().map(operator));
        let of_others = |node: &usize| {
            let theirs = before.iter().filter(|at| regions[**at].nodes.contains(node));
            let mut names_of_theirs = theirs.filter_map(|at| steps[*at].kernel);
            names_of_theirs.any(|other| names(other, operator(node)) && leaves_out(kernel, operator(node)))
        };
        let within = |node: usize| {
            let left_out = is_complete && !names(kernel, operator(&node));
            !left_out && !of_others(&node)
        };
        let kept = match region.roots.is_empty() {
            true => region.nodes.iter().copied().filter(|at| within(*at)).collect(),
            false => self.between(region, within),
        };
        if kept.is_empty() { all } else { with_views(graph, &kept) }
    }

    /// Collects the nodes that a kernel writes. If several kernels wrote a node together, this one computed the parts that
    /// come from its own inputs.
    fn find_roots(&mut self, step: &Step<'_>, sources: &BTreeSet<usize>, region: &mut Region) {
        for at in &step.writes {
            let content = &self.contents[*at];
            let Some(root) = content.node.filter(|node| !region.held.contains(node)) else { continue };
            if content.writers.len() > 1 {
                region.shared.insert(root);
                let parts: Vec<usize> = self.graph.operand_bases(root).collect();
                let own = parts.into_iter().filter(|part| self.comes_from(&[*part], &region.held, sources));
                region.roots.extend(own);
            } else {
                region.roots.push(root);
            }
        }
    }

    /// The nodes between what a kernel reads and what it writes, as far as `within` allows.
    fn between(&mut self, region: &Region, within: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let mut found = region.shared.clone();
        let mut open = region.roots.clone();
        while let Some(at) = open.pop() {
            let outside = self.graph.is_given(at) || self.taken.contains(&at) || region.held.contains(&at);
            self.visits += 1;
            if !outside && within(at) && self.visits <= MOST_VISITS && found.insert(at) {
                open.extend(self.graph.operand_bases(at));
            }
        }
        found
    }

    /// The nodes that can be computed from these sources, without those computed from constants alone.
    fn computable(&mut self, nodes: &BTreeSet<usize>, sources: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut constants = BTreeSet::new();
        let mut found = BTreeSet::new();
        for at in nodes {
            self.visits += 1;
            if self.visits > MOST_VISITS {
                break;
            }
            let own = |base: &usize| sources.contains(base) || found.contains(base);
            let constant =
                |base: &usize| self.graph.nodes[*base].kind == FlowKind::Constant || constants.contains(base);
            let bases: Vec<usize> = self.graph.operand_bases(*at).collect();
            if bases.iter().all(constant) {
                constants.insert(*at);
            } else if bases.iter().all(|base| own(base) || constant(base)) {
                found.insert(*at);
            }
        }
        found
    }
}

/// What a kernel may compute.
#[derive(Debug, Default)]
struct Region {
    /// Nodes that it writes.
    roots: Vec<usize>,
    /// Nodes that it writes together with other kernels.
    shared: BTreeSet<usize>,
    /// Nodes that it reads.
    held: FxHashSet<usize>,
    nodes: BTreeSet<usize>,
}

/// Nodes with the views between them and their operands.
fn with_views(graph: &FlowGraph<'_>, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
    let operands = nodes.iter().flat_map(|at| &graph.nodes[*at].operands);
    operands.flat_map(|at| graph.views_of(*at)).chain(nodes.iter().copied()).collect()
}

/// Whether an operator in the wrapper is the operator of a node.
fn is_same(node: &str, called: &str) -> bool {
    node == called || node == "addmm" && called == "bias_addmm"
}
