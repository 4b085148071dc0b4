//! The blocks of a drawing: modules inside modules, equal layers once, and blocks that are too large cut into pieces.

use super::operators::Operators;
use super::paths::{Parts, Path};
use crate::trace::TextMap;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// Boxes in a block; a larger one is cut into pieces.
pub(super) const MOST_BOXES: usize = 400;

/// Operators in a piece of a block that is cut.
const PIECE: usize = 100;

/// Most groups of layers that are moved into the block around them. With more, they keep a block of their own.
const MOST_LAYERS_SHOWN: usize = 12;

/// The share of operators that a block around nearly everything has. It is left out: all is in it.
const NEARLY_ALL: f64 = 0.8;

/// A box of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A value from outside of the graph.
    Input(usize),
    Operator(usize),
    /// A block, which may be drawn open.
    Block(usize),
}

/// The boxes of a block and what connects them.
#[derive(Debug, Default)]
pub struct Links {
    /// In the order of their first operators.
    pub items: Vec<Item>,
    /// Between places in `items`.
    pub edges: BTreeSet<(usize, usize)>,
    /// What comes from outside of the block, and the places in `items` that it leads to.
    pub ports: IndexMap<String, BTreeSet<usize>>,
    /// Places in `items` whose values are used outside of the block.
    pub exits: BTreeSet<usize>,
}

/// A block: a module, equal layers, or a piece of one that was cut.
#[derive(Debug, Default)]
pub struct Block {
    /// Its address: `layers.self_attn`; empty for the whole graph.
    pub id: String,
    /// Its name in the block around it: `self_attn`, `layers.0`.
    pub name: String,
    /// The block around it.
    pub parent: Option<usize>,
    /// Blocks in it, in the order of their first operators.
    pub(super) children: Vec<usize>,
    /// Operators directly in it.
    pub(super) own: Vec<usize>,
    /// Its boxes and edges.
    pub links: Links,
    /// Its operators, with those of all equal layers.
    pub total: usize,
    /// How many equal layers it represents, itself included, each with its operators in the same order; 1 for every other
    /// block.
    pub layers: usize,
    /// Layers that it is drawn for, with those around it.
    pub times: usize,
    /// Lines of the program: places in the list of the drawing, in the order of the graph.
    pub places: Vec<usize>,
    /// Weights that it reads: places among the inputs of the drawing.
    pub weights: Vec<usize>,
    /// Kernels that compute its operators.
    pub kernels: Vec<usize>,
}

/// The tree of blocks. The root is the first.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) blocks: Vec<Block>,
    /// For each operator the one that is drawn for it: itself, or that of the first of equal layers.
    pub(super) shown: Vec<usize>,
    /// For each operator the layer that it is in, if several are drawn once: the block that is drawn, and its number from 0.
    pub(super) layer: Vec<Option<(usize, usize)>>,
}

impl Tree {
    /// The tree of these paths, one for each operator.
    pub(super) fn new(graph: &Operators, mut paths: Vec<Path>, parts: &Parts) -> Tree {
        without_outermost(&mut paths, parts);
        let mut tree = Tree {
            blocks: vec![Block { layers: 1, ..Block::default() }],
            shown: (0..paths.len()).collect(),
            layer: vec![None; paths.len()],
        };
        let mut of_path: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (at, path) in paths.iter().enumerate() {
            let mut block = 0;
            for part in path {
                let known = of_path.entry((block, *part));
                block = *known.or_insert_with(|| tree.add(block, parts.name(*part).to_owned()));
            }
            tree.blocks[block].own.push(at);
        }
        // Layers differ in how they are fused with their neighbors, which a drawing with kernels shows.
        if graph.operators.iter().all(|operator| operator.kernels.is_empty()) {
            tree.merge_layers(graph);
        }
        tree.lift_layers();
        tree.cut_large(graph);
        tree.give_ids();
        tree
    }

    fn add(&mut self, parent: usize, name: String) -> usize {
        let at = self.blocks.len();
        self.blocks.push(Block { name, parent: Some(parent), layers: 1, ..Block::default() });
        self.blocks[parent].children.push(at);
        at
    }

    /// Draws neighboring layers with the same operators once.
    fn merge_layers(&mut self, graph: &Operators) {
        // Outer layers first: layers inside of layers are merged in the one that is drawn.
        for at in 0..self.blocks.len() {
            let mut around = std::iter::successors(Some(at), |at| self.blocks[*at].parent);
            let numbered = self.numbered_children(at);
            if numbered.len() < 2 || around.any(|block| self.blocks[block].layers == 0) {
                continue;
            }
            let layers: Vec<Layer<'_>> =
                numbered.into_iter().map(|(number, block)| self.layer_of(number, block, graph)).collect();
            for run in layers.chunk_by(Layer::is_before_equal) {
                if let [first, others @ ..] = run
                    && !others.is_empty()
                {
                    self.merge(first, others);
                }
            }
        }
    }

    /// The children whose names are numbers, ascending.
    fn numbered_children(&self, at: usize) -> Vec<(u64, usize)> {
        let number = |child: &usize| Some((self.blocks[*child].name.parse::<u64>().ok()?, *child));
        let mut numbered: Vec<(u64, usize)> = self.blocks[at].children.iter().filter_map(number).collect();
        numbered.sort_unstable();
        numbered
    }

    fn layer_of<'g>(&self, number: u64, block: usize, graph: &'g Operators) -> Layer<'g> {
        let mut operators = Vec::new();
        let mut open = vec![(block, String::new())];
        while let Some((at, path)) = open.pop() {
            let block = &self.blocks[at];
            operators.extend(block.own.iter().map(|at| {
                let operator = &graph.operators[*at];
                LayerOperator { path: path.clone(), op: &operator.op, shape: &operator.shape, at: *at }
            }));
            let child = |child: &usize| (*child, format!("{path}.{}", self.blocks[*child].name));
            open.extend(block.children.iter().map(child));
        }
        operators.sort();
        Layer { number, block, operators }
    }

    fn merge(&mut self, first: &Layer<'_>, others: &[Layer<'_>]) {
        for (order, layer) in std::iter::once(first).chain(others).enumerate() {
            for (shown, one) in first.operators.iter().zip(&layer.operators) {
                self.shown[one.at] = shown.at;
                self.layer[one.at] = Some((first.block, order));
            }
        }
        for layer in others {
            self.blocks[layer.block].layers = 0;
        }
        let last = others.last().map_or(first.number, |layer| layer.number);
        let block = &mut self.blocks[first.block];
        block.layers = 1 + others.len();
        block.name = format!("{}–{last}", first.number);
        if let Some(parent) = block.parent {
            let is_away = |child: &usize| others.iter().any(|layer| layer.block == *child);
            self.blocks[parent].children.retain(|child| !is_away(child));
        }
    }

    /// Moves layers into the block that contains their list: `layers 0–3` instead of `layers` containing `0–3`.
    fn lift_layers(&mut self) {
        for at in (1..self.blocks.len()).rev() {
            let list = &self.blocks[at];
            let is_layer = |child: &usize| self.blocks[*child].name.starts_with(|c: char| c.is_ascii_digit());
            let few = (1..=MOST_LAYERS_SHOWN).contains(&list.children.len());
            let (Some(parent), true) = (list.parent, few && list.layers > 0) else { continue };
            if !list.children.iter().all(is_layer) {
                continue;
            }
            let list = &mut self.blocks[at];
            list.layers = 0;
            let (name, children, own) = (list.name.clone(), take(&mut list.children), take(&mut list.own));
            for child in &children {
                let child = &mut self.blocks[*child];
                let between = if child.layers > 1 { ' ' } else { '.' };
                child.name = format!("{name}{between}{}", child.name);
                child.parent = Some(parent);
            }
            let parent = &mut self.blocks[parent];
            parent.own.extend(own);
            parent.own.sort_unstable();
            if let Some(place) = parent.children.iter().position(|child| *child == at) {
                parent.children.splice(place..=place, children);
            }
        }
    }

    /// Cuts blocks with too many operators: by line of the program, then by number.
    fn cut_large(&mut self, graph: &Operators) {
        for at in 0..self.blocks.len() {
            if self.blocks[at].own.len() <= MOST_BOXES {
                continue;
            }
            self.cut_by_line(at, graph);
            if self.blocks[at].own.len() > PIECE {
                for piece in take(&mut self.blocks[at].own).chunks(PIECE) {
                    let name = format!("operators {}–{}", piece[0] + 1, piece[piece.len() - 1] + 1);
                    let block = self.add(at, name);
                    self.blocks[block].own = piece.to_vec();
                }
            }
        }
        // A block of very many lines, or of very many pieces.
        let mut at = 0;
        while at < self.blocks.len() {
            if self.blocks[at].children.len() > MOST_BOXES {
                self.group(at);
            }
            at += 1;
        }
    }

    /// Puts each line with several operators into a block of its own.
    fn cut_by_line(&mut self, at: usize, graph: &Operators) {
        let own = take(&mut self.blocks[at].own);
        let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for operator in &own {
            if let Some(place) = graph.operators[*operator].place {
                lines.entry(place).or_default().push(*operator);
            }
        }
        lines.retain(|_, operators| operators.len() > 1 && operators.len() <= MOST_BOXES);
        let moved = |operator: &usize| {
            graph.operators[*operator].place.is_some_and(|place| lines.contains_key(&place))
        };
        self.blocks[at].own = own.into_iter().filter(|operator| !moved(operator)).collect();
        for (place, operators) in lines {
            let line = graph.places.get_index(place).map(|place| place.line).unwrap_or_default();
            let line = self.add(at, format!("line {line}"));
            self.blocks[line].own = operators;
        }
    }

    /// Groups the blocks in a block by hundreds.
    fn group(&mut self, at: usize) {
        for (order, group) in take(&mut self.blocks[at].children).chunks(PIECE).enumerate() {
            let from = order * PIECE;
            let block = self.add(at, format!("blocks {}–{}", from + 1, from + group.len()));
            group.iter().for_each(|child| self.blocks[*child].parent = Some(block));
            self.blocks[block].children = group.to_vec();
        }
    }

    /// Gives each block an address that no other has: `layers.self_attn`, without the numbers of layers drawn once.
    fn give_ids(&mut self) {
        let mut taken: TextMap<String, usize> = [(String::new(), 1)].into_iter().collect();
        let mut open = self.blocks[0].children.clone();
        while let Some(at) = open.pop() {
            let block = &self.blocks[at];
            open.extend(&block.children);
            let around = block.parent.map(|parent| self.blocks[parent].id.as_str()).unwrap_or_default();
            let own = match block.layers > 1 {
                true => block.name.rsplit_once(' ').map_or(block.name.as_str(), |(list, _)| list),
                false => block.name.as_str(),
            };
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '–');
            let own = own.replace(' ', "-").replace(|c: char| !is_plain(c) && c != '-', "_");
            let mut id = if around.is_empty() { own } else { format!("{around}.{own}") };
            let times = taken.entry(id.clone()).or_insert(0);
            *times += 1;
            if *times > 1 {
                id = format!("{id}~{times}");
            }
            self.blocks[at].id = id;
        }
    }
}

/// A layer that may be equal to the next.
struct Layer<'g> {
    number: u64,
    block: usize,
    /// In an order that equal layers share.
    operators: Vec<LayerOperator<'g>>,
}

/// An operator of a layer, with the path of its block in the layer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LayerOperator<'g> {
    path: String,
    op: &'g str,
    shape: &'g str,
    at: usize,
}

impl Layer<'_> {
    /// What equal layers share.
    fn facts(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.operators.iter().map(|one| (one.path.as_str(), one.op, one.shape))
    }

    fn is_before_equal(&self, other: &Layer<'_>) -> bool {
        self.number + 1 == other.number && self.facts().eq(other.facts())
    }
}

/// Removes the modules around nearly everything: `model.layers.0` becomes `layers.0`.
fn without_outermost(paths: &mut [Path], parts: &Parts) {
    loop {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for path in paths.iter() {
            if let [first, _, ..] = path.as_slice() {
                *counts.entry(*first).or_default() += 1;
            }
        }
        let Some((most, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return };
        let is_list = |path: &Path| {
            path.first() == Some(&most) && path.get(1).is_some_and(|second| parts.is_number(*second))
        };
        // A list of layers keeps its name.
        if (count as f64) < NEARLY_ALL * paths.len() as f64 || paths.iter().any(is_list) {
            return;
        }
        for path in paths.iter_mut().filter(|path| path.first() == Some(&most)) {
            path.remove(0);
        }
    }
}
