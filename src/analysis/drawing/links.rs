//! Edges between the blocks and operators of a drawing. An edge runs between two boxes of one block; what comes from outside
//! of a block enters it at a port with a name, and what leaves it goes out at its lower side.

use super::blocks::Tree;
use super::operators::{Operators, Value};
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// A box of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A value from outside of the graph.
    Input(usize),
    Operator(usize),
    /// A block, which may be drawn open.
    Block(usize),
}

/// Names of ports in a block; the rest share one.
const MOST_PORTS: usize = 10;

/// Inputs of the graph that are drawn.
const MOST_INPUTS: usize = 12;

/// Edges in a block; the panel names the rest.
const MOST_EDGES: usize = 4_000;

/// What comes from the layer before, in layers that are drawn once.
const LAYER_BEFORE: &str = "the layer before";

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

/// The links of each block of a tree.
pub(super) fn links(graph: &Operators, tree: &Tree) -> Vec<Links> {
    let mut maker = Maker::of(graph, tree);
    let later = maker.layer_inputs();
    for (at, operator) in graph.all.iter().enumerate() {
        if tree.shown.get(at) != Some(&at) {
            continue;
        }
        for (order, value) in operator.reads.iter().enumerate() {
            let later = later.contains(&(at, order));
            match value {
                Value::Operator(arg) => maker.connect(*arg, at, later),
                Value::Input(input) => maker.connect_input(*input, at, later),
            }
        }
        // Values that a forward graph also returns for its backward would lead out of everywhere.
        if operator.returned && maker.users.get(at).is_some_and(Vec::is_empty) {
            maker.leave(at, None);
        }
    }
    maker.links
}

struct Maker<'g> {
    graph: &'g Operators,
    tree: &'g Tree,
    users: Vec<Vec<usize>>,
    /// For each operator that is drawn: its block.
    block_of: Vec<usize>,
    links: Vec<Links>,
    /// The place of each box in the items of its block.
    places: FxHashMap<Item, usize>,
}

impl<'g> Maker<'g> {
    fn of(graph: &'g Operators, tree: &'g Tree) -> Maker<'g> {
        let mut maker = Maker {
            graph,
            tree,
            users: graph.users(),
            block_of: vec![0; graph.all.len()],
            links: Vec::new(),
            places: FxHashMap::default(),
        };
        let mut first_of: Vec<usize> = vec![usize::MAX; tree.branches.len()];
        for (at, branch) in tree.branches.iter().enumerate() {
            for own in &branch.own {
                if let Some(block) = maker.block_of.get_mut(*own) {
                    *block = at;
                }
                for block in chain(tree, at) {
                    if let Some(first) = first_of.get_mut(block) {
                        *first = (*first).min(*own);
                    }
                }
            }
        }
        let inputs = maker.drawn_inputs();
        for (at, branch) in tree.branches.iter().enumerate() {
            let first = |child: usize| first_of.get(child).copied().unwrap_or_default();
            let own = branch.own.iter().filter(|own| tree.shown.get(**own) == Some(own));
            let mut items: Vec<(usize, Item)> = own.map(|own| (*own, Item::Operator(*own))).collect();
            items.extend(branch.children.iter().map(|child| (first(*child), Item::Block(*child))));
            items.sort_unstable();
            let before = inputs.iter().filter(|_| at == 0).map(|input| Item::Input(*input));
            let items: Vec<Item> = before.chain(items.into_iter().map(|(_, item)| item)).collect();
            items.iter().enumerate().for_each(|(place, item)| _ = maker.places.insert(*item, place));
            maker.links.push(Links { items, ..Links::default() });
        }
        maker
    }

    /// Inputs that are no weights, in the order of their first use.
    fn drawn_inputs(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for input in self.graph.all.iter().flat_map(|operator| &operator.inputs) {
            let is_weight = self.graph.inputs.get(*input).is_none_or(|input| !input.weight.is_empty());
            if !is_weight && found.len() < MOST_INPUTS && !found.contains(input) {
                found.push(*input);
            }
        }
        found
    }

    /// The box of an operator, and those around it, from the inside to the root.
    fn boxes(&self, shown: usize) -> Vec<(usize, Item)> {
        let block = self.block_of.get(shown).copied().unwrap_or_default();
        let mut item = Item::Operator(shown);
        let mut found = Vec::new();
        for around in chain(self.tree, block) {
            found.push((around, item));
            item = Item::Block(around);
        }
        found
    }

    fn shown(&self, at: usize) -> usize {
        self.tree.shown.get(at).copied().unwrap_or(at)
    }

    fn layer(&self, at: usize) -> Option<(usize, usize)> {
        self.tree.layer.get(at).copied().flatten()
    }

    fn place(&self, item: Item) -> Option<usize> {
        self.places.get(&item).copied()
    }

    /// Arguments of layers that come from the layer before: drawn operators, and the places among their arguments. Such
    /// values leave the layer at its lower side.
    fn layer_inputs(&mut self) -> FxHashSet<(usize, usize)> {
        let mut found = FxHashSet::default();
        for (at, operator) in self.graph.all.iter().enumerate() {
            let Some((block, layer)) = self.layer(at).filter(|(_, layer)| *layer > 0) else { continue };
            for (order, value) in operator.reads.iter().enumerate() {
                let Value::Operator(arg) = value else { continue };
                let before = self.layer(*arg).is_some_and(|(of, before)| of == block && before < layer);
                if before {
                    found.insert((self.shown(at), order));
                    self.leave(self.shown(*arg), Some(block));
                }
            }
        }
        found
    }

    /// Notes that a value leaves the blocks around it, up to and with this one.
    fn leave(&mut self, shown: usize, outermost: Option<usize>) {
        for (block, item) in self.boxes(shown) {
            if block == 0 {
                break;
            }
            let place = self.place(item);
            if let (Some(place), Some(links)) = (place, self.links.get_mut(block)) {
                links.exits.insert(place);
            }
            if Some(block) == outermost {
                break;
            }
        }
    }

    /// Connects a value with an operator that is drawn.
    fn connect(&mut self, arg: usize, at: usize, later_layers: bool) {
        let shown = self.shown(arg);
        let (from, to) = (self.boxes(shown), self.boxes(at));
        let Some((block, source)) =
            from.iter().find(|(block, _)| to.iter().any(|(of, _)| of == block)).copied()
        else {
            return;
        };
        for (around, item) in from.iter().take_while(|(around, _)| *around != block) {
            let place = self.place(*item);
            if let (Some(place), Some(links)) = (place, self.links.get_mut(*around)) {
                links.exits.insert(place);
            }
        }
        let name = self.name(source);
        let layered = self.layer(at).map(|(layers, _)| layers).filter(|_| later_layers);
        self.enter(&to, (block, source), &name, layered);
    }

    fn connect_input(&mut self, input: usize, at: usize, later_layers: bool) {
        let Some(one) = self.graph.inputs.get(input).filter(|one| one.weight.is_empty()) else { return };
        let name = one.name.clone();
        let to = self.boxes(at);
        let layered = self.layer(at).map(|(layers, _)| layers).filter(|_| later_layers);
        self.enter(&to, (0, Item::Input(input)), &name, layered);
    }

    /// Draws the edge in the block where source and operator are in different boxes, and a port in each block below it.
    fn enter(
        &mut self,
        to: &[(usize, Item)],
        (block, source): (usize, Item),
        name: &str,
        layered: Option<usize>,
    ) {
        let source = self.place(source);
        let inside_layers = layered.filter(|layers| to.iter().any(|(around, _)| around == layers));
        for (around, item) in to {
            let place = self.place(*item);
            let (Some(place), Some(links)) = (place, self.links.get_mut(*around)) else { continue };
            if *around == block {
                if let Some(source) = source.filter(|source| *source != place)
                    && links.edges.len() < MOST_EDGES
                {
                    links.edges.insert((source, place));
                }
                return;
            }
            let label = match inside_layers {
                Some(_) => format!("{name}, then {LAYER_BEFORE}"),
                None => name.to_owned(),
            };
            let full = links.ports.len() >= MOST_PORTS && !links.ports.contains_key(&label);
            let label = if full { "others".to_owned() } else { label };
            links.ports.entry(label).or_default().insert(place);
        }
    }

    fn name(&self, item: Item) -> String {
        match item {
            Item::Input(at) => self.graph.inputs.get(at).map(|input| input.name.clone()),
            Item::Operator(at) => self.graph.all.get(at).map(|operator| operator.name.clone()),
            Item::Block(at) => self.tree.branches.get(at).map(|branch| branch.name.clone()),
        }
        .unwrap_or_default()
    }
}

/// A block and those around it, to the root.
pub(super) fn chain(tree: &Tree, block: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(block), |at| tree.branches.get(*at)?.parent)
}

/// How many operators each block has, with those of all equal layers.
pub(super) fn totals(graph: &Operators, tree: &Tree) -> Vec<usize> {
    let mut direct: BTreeMap<usize, usize> = BTreeMap::new();
    let mut block_of = vec![0; graph.all.len()];
    for (at, branch) in tree.branches.iter().enumerate() {
        branch.own.iter().for_each(|own| block_of[*own] = at);
    }
    for shown in &tree.shown {
        *direct.entry(block_of.get(*shown).copied().unwrap_or_default()).or_default() += 1;
    }
    let mut totals = vec![0; tree.branches.len()];
    for (block, count) in direct {
        chain(tree, block).for_each(|around| totals[around] += count);
    }
    totals
}
