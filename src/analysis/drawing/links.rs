//! Edges between the blocks and operators of a drawing. An edge runs between two boxes of one block; what comes from outside
//! of a block enters it at a port with a name, and what leaves it goes out at its lower side.

use super::blocks::{Item, Links, Tree};
use super::operators::{Operators, Value};
use crate::limits::{FIRST, KEPT_OF_ONE, SHORT_LIST};
use fxhash::{FxHashMap, FxHashSet};

/// What comes from the layer before, in layers that are drawn once.
const LAYER_BEFORE: &str = "the layer before";

/// The links of each block of a tree.
pub(super) fn links(graph: &Operators, tree: &Tree) -> Vec<Links> {
    let mut maker = Maker::new(graph, tree);
    let users = graph.users();
    let later = maker.layer_inputs();
    for (at, operator) in graph.operators.iter().enumerate() {
        if tree.shown[at] != at {
            continue;
        }
        for (order, value) in operator.reads.iter().enumerate() {
            let layers = tree.layer[at].map(|(layers, _)| layers).filter(|_| later.contains(&(at, order)));
            maker.connect(*value, at, layers);
        }
        // Values that a forward graph also returns for its backward would lead out of everywhere.
        if operator.returned && users[at].is_empty() {
            maker.leave(at, None);
        }
    }
    maker.links
}

struct Maker<'g> {
    graph: &'g Operators,
    tree: &'g Tree,
    /// For each operator that is drawn: its block.
    block_of: Vec<usize>,
    links: Vec<Links>,
    /// The place of each box in the items of its block.
    places: FxHashMap<Item, usize>,
}

impl<'g> Maker<'g> {
    fn new(graph: &'g Operators, tree: &'g Tree) -> Maker<'g> {
        let block_of = block_of(tree);
        let mut maker = Maker { graph, tree, block_of, links: Vec::new(), places: FxHashMap::default() };
        let mut first_of: Vec<usize> = vec![usize::MAX; tree.blocks.len()];
        for (at, block) in tree.blocks.iter().enumerate() {
            if let Some(first) = block.own.iter().min() {
                chain(tree, at).for_each(|block| first_of[block] = first_of[block].min(*first));
            }
        }
        let inputs = maker.drawn_inputs();
        for (at, block) in tree.blocks.iter().enumerate() {
            let own = block.own.iter().filter(|own| tree.shown[**own] == **own);
            let mut items: Vec<(usize, Item)> = own.map(|own| (*own, Item::Operator(*own))).collect();
            items.extend(block.children.iter().map(|child| (first_of[*child], Item::Block(*child))));
            items.sort_unstable();
            let before = inputs.iter().filter(|_| at == 0).map(|input| Item::Input(*input));
            let items: Vec<Item> = before.chain(items.into_iter().map(|(_, item)| item)).collect();
            maker.places.extend(items.iter().copied().zip(0..));
            maker.links.push(Links { items, ..Links::default() });
        }
        maker
    }

    /// Inputs that are no weights, in the order of their first use.
    fn drawn_inputs(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for input in self.graph.operators.iter().flat_map(|operator| &operator.inputs) {
            if !self.graph.is_weight(*input) && found.len() < SHORT_LIST && !found.contains(input) {
                found.push(*input);
            }
        }
        found
    }

    /// The box of an operator, and those around it, from the inside to the root, each with its block and its place there.
    fn boxes(&self, shown: usize) -> Vec<Boxed> {
        let mut item = Item::Operator(shown);
        let mut found = Vec::new();
        for block in chain(self.tree, self.block_of[shown]) {
            found.push(Boxed { block, item, place: self.places.get(&item).copied() });
            item = Item::Block(block);
        }
        found
    }

    /// Arguments of layers that come from the layer before: drawn operators, and the places among their arguments. Such
    /// values leave the layer at its lower side.
    fn layer_inputs(&mut self) -> FxHashSet<(usize, usize)> {
        let tree = self.tree;
        let mut found = FxHashSet::default();
        for (at, operator) in self.graph.operators.iter().enumerate() {
            let Some((block, layer)) = tree.layer[at].filter(|(_, layer)| *layer > 0) else { continue };
            for (order, value) in operator.reads.iter().enumerate() {
                let Value::Operator(arg) = value else { continue };
                if tree.layer[*arg].is_some_and(|(of, before)| of == block && before < layer) {
                    found.insert((tree.shown[at], order));
                    self.leave(tree.shown[*arg], Some(block));
                }
            }
        }
        found
    }

    /// Notes that a value leaves the blocks around it, up to and with this one.
    fn leave(&mut self, shown: usize, outermost: Option<usize>) {
        for Boxed { block, place, .. } in self.boxes(shown) {
            if block == 0 {
                break;
            }
            self.links[block].exits.extend(place);
            if Some(block) == outermost {
                break;
            }
        }
    }

    /// Connects a value with an operator that is drawn. `layers` are those in which it comes from the layer before, but in
    /// the first.
    fn connect(&mut self, value: Value, at: usize, layers: Option<usize>) {
        let to = self.boxes(at);
        let (block, source) = match value {
            Value::Input(input) if self.graph.is_weight(input) => return,
            Value::Input(input) => (0, Item::Input(input)),
            Value::Operator(arg) => {
                let from = self.boxes(self.tree.shown[arg]);
                let shared = |one: &Boxed| to.iter().any(|other| other.block == one.block);
                let Some(common) = from.iter().position(shared) else { return };
                for Boxed { block, place, .. } in &from[..common] {
                    self.links[*block].exits.extend(*place);
                }
                (from[common].block, from[common].item)
            }
        };
        let inside_layers = layers.is_some_and(|layers| to.iter().any(|one| one.block == layers));
        let name = match source {
            Item::Input(at) => &self.graph.inputs[at].name,
            Item::Operator(at) => &self.graph.operators[at].name,
            Item::Block(at) => &self.tree.blocks[at].name,
        };
        let label = if inside_layers { format!("{name}, then {LAYER_BEFORE}") } else { name.clone() };
        self.enter(&to, (block, source), label);
    }

    /// Draws the edge in the block where source and operator are in different boxes, and a port in each block below it.
    fn enter(&mut self, to: &[Boxed], (block, source): (usize, Item), label: String) {
        let source = self.places.get(&source).copied();
        for Boxed { block: around, place, .. } in to {
            let Some(place) = *place else { continue };
            let links = &mut self.links[*around];
            if *around == block {
                if let Some(source) = source.filter(|source| *source != place)
                    && links.edges.len() < KEPT_OF_ONE
                {
                    links.edges.insert((source, place));
                }
                return;
            }
            let full = links.ports.len() >= FIRST && !links.ports.contains_key(&label);
            let label = if full { "others" } else { &label };
            links.ports.entry(label.to_owned()).or_default().insert(place);
        }
    }
}

/// A box in a block.
struct Boxed {
    block: usize,
    item: Item,
    /// Its place among the items of the block; None if it is not drawn.
    place: Option<usize>,
}

/// A block and those around it, to the root.
pub(super) fn chain(tree: &Tree, block: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(block), |at| tree.blocks[*at].parent)
}

/// For each operator its block.
fn block_of(tree: &Tree) -> Vec<usize> {
    let mut found = vec![0; tree.shown.len()];
    for (at, block) in tree.blocks.iter().enumerate() {
        block.own.iter().for_each(|own| found[*own] = at);
    }
    found
}

/// How many operators each block has, with those of all equal layers.
pub(super) fn totals(tree: &Tree) -> Vec<usize> {
    let block_of = block_of(tree);
    let mut totals = vec![0; tree.blocks.len()];
    for shown in &tree.shown {
        chain(tree, block_of[*shown]).for_each(|around| totals[around] += 1);
    }
    totals
}
