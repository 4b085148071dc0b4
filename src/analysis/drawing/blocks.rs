//! The blocks of a drawing: modules inside modules, equal layers once, and blocks that are too large cut into pieces.

use super::operators::Operators;
use super::paths::{Parts, Path};
use crate::trace::{TextHasher, TextMap};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};

/// Boxes in a block; a larger one is cut into pieces.
pub(super) const MOST_BOXES: usize = 400;

/// Operators in a piece of a block that is cut.
const PIECE: usize = 100;

/// Most groups of layers that are moved into the block around them. With more, they keep a block of their own.
const MOST_LAYERS_SHOWN: usize = 12;

/// The share of operators that a block around nearly everything has. It is left out: all is in it.
const NEARLY_ALL: f64 = 0.8;

/// A block while the tree is built.
#[derive(Debug, Default)]
pub(super) struct Branch {
    /// Its name in the block around it: `self_attn`, `layers.0`.
    pub(super) name: String,
    /// Its address: `layers.self_attn`.
    pub(super) id: String,
    pub(super) parent: Option<usize>,
    /// Blocks in it, in the order of their first operators.
    pub(super) children: Vec<usize>,
    /// Operators directly in it.
    pub(super) own: Vec<usize>,
    /// The equal layers that this block represents, itself included; each lists its operators in the same order.
    pub(super) layers: usize,
}

/// The tree of blocks. The root is the first.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) branches: Vec<Branch>,
    /// For each operator the one that is drawn for it: itself, or that of the first of equal layers.
    pub(super) shown: Vec<usize>,
    /// For each operator the layer that it is in, if several are drawn once: the block that is drawn, and its number from 0.
    pub(super) layer: Vec<Option<(usize, usize)>>,
}

impl Tree {
    /// The tree of these paths, one for each operator. `marks` are facts that operators of equal layers must share.
    pub(super) fn of(graph: &Operators, mut paths: Vec<Path>, parts: &Parts, marks: &[u64]) -> Tree {
        without_outermost(&mut paths, parts);
        let mut tree = Tree::default();
        tree.branches.push(Branch { layers: 1, ..Branch::default() });
        let mut of_path: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (at, path) in paths.iter().enumerate() {
            let mut branch = 0;
            for part in path {
                branch = tree.child(&mut of_path, branch, *part, parts);
            }
            if let Some(branch) = tree.branches.get_mut(branch) {
                branch.own.push(at);
            }
        }
        tree.shown = (0..paths.len()).collect();
        tree.layer = vec![None; paths.len()];
        tree.merge_layers(graph, marks);
        tree.lift_layers();
        tree.cut_large(graph);
        tree.give_ids();
        tree
    }

    fn child(
        &mut self,
        of_path: &mut BTreeMap<(usize, u32), usize>,
        parent: usize,
        part: u32,
        parts: &Parts,
    ) -> usize {
        if let Some(known) = of_path.get(&(parent, part)) {
            return *known;
        }
        let at = self.add(parent, parts.name(part).to_owned());
        of_path.insert((parent, part), at);
        at
    }

    fn add(&mut self, parent: usize, name: String) -> usize {
        let at = self.branches.len();
        self.branches.push(Branch { name, parent: Some(parent), layers: 1, ..Branch::default() });
        if let Some(parent) = self.branches.get_mut(parent) {
            parent.children.push(at);
        }
        at
    }

    /// All operators of a branch, each with its path below the branch.
    fn below(&self, branch: usize) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut open = vec![(branch, String::new())];
        while let Some((at, path)) = open.pop() {
            let Some(branch) = self.branches.get(at) else { continue };
            found.extend(branch.own.iter().map(|own| (path.clone(), *own)));
            let child = |child: &usize| Some((*child, format!("{path}.{}", self.branches.get(*child)?.name)));
            open.extend(branch.children.iter().filter_map(child));
        }
        found
    }

    /// Draws neighboring layers with the same operators once.
    fn merge_layers(&mut self, graph: &Operators, marks: &[u64]) {
        // Outer layers first: layers inside of layers are merged in the one that is drawn.
        let mut at = 0;
        while at < self.branches.len() {
            let is_merged_away = self.is_merged_away(at);
            let numbered = self.numbered_children(at);
            at += 1;
            if numbered.len() < 2 || is_merged_away {
                continue;
            }
            let hasher = TextHasher::default();
            let layers: Vec<Layer> = numbered
                .into_iter()
                .map(|(number, branch)| self.layer_of(number, branch, (graph, marks), &hasher))
                .collect();
            for run in
                layers.chunk_by(|left, right| left.number + 1 == right.number && left.equal == right.equal)
            {
                if let [first, others @ ..] = run
                    && !others.is_empty()
                {
                    self.merge(first, others);
                }
            }
        }
    }

    fn is_merged_away(&self, at: usize) -> bool {
        let mut branch = self.branches.get(at);
        while let Some(one) = branch {
            if one.layers == 0 {
                return true;
            }
            branch = one.parent.and_then(|parent| self.branches.get(parent));
        }
        false
    }

    /// The children whose names are numbers, ascending.
    fn numbered_children(&self, at: usize) -> Vec<(u64, usize)> {
        let children = self.branches.get(at).map(|branch| branch.children.as_slice()).unwrap_or_default();
        let number = |child: &usize| Some((self.branches.get(*child)?.name.parse::<u64>().ok()?, *child));
        let mut numbered: Vec<(u64, usize)> = children.iter().filter_map(number).collect();
        numbered.sort_unstable();
        numbered
    }

    fn layer_of(
        &self,
        number: u64,
        branch: usize,
        (graph, marks): (&Operators, &[u64]),
        hasher: &TextHasher,
    ) -> Layer {
        let mut operators = self.below(branch);
        let key = |(path, at): &(String, usize)| {
            let operator = graph.all.get(*at);
            let facts = operator.map(|operator| (operator.op.clone(), operator.shape.clone()));
            (path.clone(), facts, marks.get(*at).copied())
        };
        operators.sort_by_cached_key(|one| (key(one), one.1));
        let mut state = hasher.build_hasher();
        for one in &operators {
            key(one).hash(&mut state);
        }
        let operators: Vec<usize> = operators.into_iter().map(|(_, at)| at).collect();
        Layer { number, branch, equal: (operators.len(), state.finish()), operators }
    }

    fn merge(&mut self, first: &Layer, others: &[Layer]) {
        for (order, layer) in std::iter::once(first).chain(others).enumerate() {
            for (shown, at) in first.operators.iter().zip(&layer.operators) {
                if let Some(place) = self.shown.get_mut(*at) {
                    *place = *shown;
                }
                if let Some(place) = self.layer.get_mut(*at) {
                    *place = Some((first.branch, order));
                }
            }
        }
        let last = others.last().map_or(first.number, |layer| layer.number);
        let away: Vec<usize> = others.iter().map(|layer| layer.branch).collect();
        for branch in &away {
            if let Some(branch) = self.branches.get_mut(*branch) {
                branch.layers = 0;
            }
        }
        if let Some(branch) = self.branches.get_mut(first.branch) {
            branch.layers = 1 + others.len();
            branch.name = format!("{}–{last}", first.number);
            let parent = branch.parent;
            if let Some(parent) = parent.and_then(|parent| self.branches.get_mut(parent)) {
                parent.children.retain(|child| !away.contains(child));
            }
        }
    }

    /// Moves layers into the block that contains their list: `layers 0–3` instead of `layers` containing `0–3`.
    fn lift_layers(&mut self) {
        for at in (1..self.branches.len()).rev() {
            let Some(list) = self.branches.get(at).filter(|branch| branch.layers > 0) else { continue };
            let Some(parent) = list.parent else { continue };
            let is_layer = |child: &usize| {
                let name = self.branches.get(*child).map(|child| child.name.as_str()).unwrap_or_default();
                name.starts_with(|c: char| c.is_ascii_digit())
            };
            let few = (1..=MOST_LAYERS_SHOWN).contains(&list.children.len());
            if !few || !list.children.iter().all(is_layer) {
                continue;
            }
            let (name, children, own) = (list.name.clone(), list.children.clone(), list.own.clone());
            for child in &children {
                if let Some(child) = self.branches.get_mut(*child) {
                    let between = if child.layers > 1 { ' ' } else { '.' };
                    child.name = format!("{name}{between}{}", child.name);
                    child.parent = Some(parent);
                }
            }
            if let Some(list) = self.branches.get_mut(at) {
                list.children.clear();
                list.own.clear();
                list.layers = 0;
            }
            if let Some(parent) = self.branches.get_mut(parent) {
                parent.own.extend(own);
                parent.own.sort_unstable();
                let place = parent.children.iter().position(|child| *child == at);
                if let Some(place) = place {
                    parent.children.splice(place..=place, children);
                }
            }
        }
    }

    /// Cuts blocks with too many operators: by line of the program, then by number.
    fn cut_large(&mut self, graph: &Operators) {
        for at in 0..self.branches.len() {
            let own = self.branches.get(at).map(|branch| branch.own.clone()).unwrap_or_default();
            if own.len() <= MOST_BOXES {
                continue;
            }
            let rest = self.cut_by_line(at, &own, graph);
            if rest.len() <= PIECE {
                continue;
            }
            if let Some(branch) = self.branches.get_mut(at) {
                branch.own.clear();
            }
            for piece in rest.chunks(PIECE) {
                self.add_piece(at, piece);
            }
        }
        // A block of very many lines, or of very many pieces.
        let mut at = 0;
        while at < self.branches.len() {
            let children = self.branches.get(at).map(|branch| branch.children.clone()).unwrap_or_default();
            if children.len() > MOST_BOXES {
                self.group(at, &children);
            }
            at += 1;
        }
    }

    /// Puts each line with several operators into a block of its own, and returns the operators that are left.
    fn cut_by_line(&mut self, at: usize, own: &[usize], graph: &Operators) -> Vec<usize> {
        let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for operator in own {
            if let Some(place) = graph.all.get(*operator).and_then(|operator| operator.place) {
                lines.entry(place).or_default().push(*operator);
            }
        }
        lines.retain(|_, operators| operators.len() > 1 && operators.len() <= MOST_BOXES);
        let mut moved: Vec<usize> = Vec::new();
        for (place, operators) in lines {
            let line = graph.places.get_index(place).map(|place| place.line).unwrap_or_default();
            let line = self.add(at, format!("line {line}"));
            moved.extend(&operators);
            if let Some(line) = self.branches.get_mut(line) {
                line.own = operators;
            }
        }
        moved.sort_unstable();
        let rest: Vec<usize> = own.iter().copied().filter(|one| moved.binary_search(one).is_err()).collect();
        if let Some(branch) = self.branches.get_mut(at) {
            branch.own.clone_from(&rest);
        }
        rest
    }

    fn add_piece(&mut self, at: usize, piece: &[usize]) {
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return };
        let name = format!("operators {}–{}", first + 1, last + 1);
        let branch = self.add(at, name);
        if let Some(branch) = self.branches.get_mut(branch) {
            branch.own = piece.to_vec();
        }
    }

    /// Groups the blocks in a block by hundreds.
    fn group(&mut self, at: usize, children: &[usize]) {
        if let Some(branch) = self.branches.get_mut(at) {
            branch.children.clear();
        }
        for (order, group) in children.chunks(PIECE).enumerate() {
            let from = order * PIECE;
            let branch = self.add(at, format!("blocks {}–{}", from + 1, from + group.len()));
            for child in group {
                if let Some(child) = self.branches.get_mut(*child) {
                    child.parent = Some(branch);
                }
            }
            if let Some(branch) = self.branches.get_mut(branch) {
                branch.children = group.to_vec();
            }
        }
    }

    /// Gives each block an address that no other has: `layers.self_attn`, without the numbers of layers drawn once.
    fn give_ids(&mut self) {
        let mut taken: TextMap<String, usize> = TextMap::default();
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Some(branch) = self.branches.get(at) else { continue };
            let parent = branch.parent.and_then(|parent| self.branches.get(parent));
            let around = parent.map(|parent| parent.id.clone()).unwrap_or_default();
            let own = match branch.layers > 1 {
                true => branch.name.rsplit_once(' ').map_or(branch.name.as_str(), |(list, _)| list),
                false => branch.name.as_str(),
            };
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '–');
            let own = own.replace(' ', "-").replace(|c: char| !is_plain(c) && c != '-', "_");
            let mut id = if around.is_empty() { own } else { format!("{around}.{own}") };
            let times = taken.entry(id.clone()).or_insert(0);
            *times += 1;
            if *times > 1 {
                id = format!("{id}~{times}");
            }
            open.extend(&branch.children);
            if let Some(branch) = self.branches.get_mut(at) {
                branch.id = if at == 0 { String::new() } else { id };
            }
        }
    }
}

/// A layer that may be equal to the next.
struct Layer {
    number: u64,
    branch: usize,
    /// How many operators it has, and a hash of them.
    equal: (usize, u64),
    /// In an order that equal layers share.
    operators: Vec<usize>,
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
