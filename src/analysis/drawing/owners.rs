//! The module that each operator belongs to: of its weights, of its neighbors on the same lines, or what the nearest
//! operators before and after it have in common.

use super::operators::Operators;
use super::paths::{Parts, Path, in_common, in_common_of_all};
use crate::limits::SAME_NAME;
use fxhash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Modules before or after an operator that are looked at.
const MOST_NEAR: usize = 6;

/// Lines between a weight of a module and another line of the same method.
const SAME_METHOD: u64 = 4;

/// The block of what a forward graph computes only for its backward.
const FOR_BACKWARD: &str = "for backward";

/// Whether an operator is a product with a weight, or looks up rows of one.
fn is_product(op: &str) -> bool {
    op.ends_with("mm")
        || (op.starts_with("conv") && !op.starts_with("convert"))
        || matches!(op, "linear" | "matmul" | "embedding" | "_convolution")
}

/// What is known about an operator.
#[derive(Debug, Clone, PartialEq)]
enum Owner {
    /// The module of its weight, which it is a product with.
    Product(Path),
    /// The module of its weight, or of its neighbors.
    Module(Path),
    Unknown,
}

impl Owner {
    fn path(&self) -> Option<&Path> {
        match self {
            Owner::Product(path) | Owner::Module(path) => Some(path),
            Owner::Unknown => None,
        }
    }
}

/// The state of finding owners.
struct Search<'g> {
    graph: &'g Operators,
    users: Vec<Vec<usize>>,
    owners: Vec<Owner>,
}

/// The path of the block of each operator; `modules` has the modules of inputs, and `given` the paths that are known from
/// elsewhere.
pub(super) fn owners(
    graph: &Operators,
    modules: &[Option<Path>],
    given: Option<Vec<Option<Path>>>,
    parts: &mut Parts,
) -> Vec<Path> {
    let mut search = Search { graph, users: graph.users(), owners: Vec::new() };
    match given {
        Some(given) => {
            search.owners =
                given.into_iter().map(|path| path.map_or(Owner::Unknown, Owner::Module)).collect();
        }
        None => {
            search.of_weights(modules);
            search.around_products();
            search.in_methods();
        }
    }
    let mut paths = search.between(parts);
    search.as_in_other_layers(&mut paths, parts);
    search.only_used_inside(&mut paths, parts);
    search.for_backward(&mut paths, parts);
    paths
}

impl Search<'_> {
    /// Operators that read a weight, also through a permutation or a conversion of it.
    fn of_weights(&mut self, modules: &[Option<Path>]) {
        let mut is_weight = vec![false; self.graph.operators.len()];
        // Tied weights: the module that looks up rows is the owner, not the product at the end of the model.
        let mut looked_up: FxHashSet<Path> = FxHashSet::default();
        let mut tied: Vec<usize> = Vec::new();
        for (at, operator) in self.graph.operators.iter().enumerate() {
            let weights = operator.args.iter().filter(|arg| is_weight[**arg]);
            let of_inputs = operator.inputs.iter().filter_map(|input| modules[*input].as_ref());
            let of_args = weights.clone().filter_map(|arg| self.owners[*arg].path());
            let path = in_common_of_all(of_inputs.chain(of_args)).map(<[u32]>::to_vec);
            let owner = match path {
                Some(path) if is_product(&operator.op) => {
                    if operator.op == "embedding" {
                        looked_up.insert(path.clone());
                        Owner::Product(path)
                    } else if looked_up.contains(&path) {
                        tied.extend(weights);
                        Owner::Unknown
                    } else {
                        Owner::Product(path)
                    }
                }
                Some(path) => {
                    is_weight[at] = operator.inputs.iter().all(|input| modules[*input].is_some())
                        && operator.args.iter().all(|arg| is_weight[*arg]);
                    Owner::Module(path)
                }
                None => Owner::Unknown,
            };
            self.owners.push(owner);
        }
        for at in tied {
            self.owners[at] = Owner::Unknown;
        }
    }

    /// Reshapes before and after a product on its line belong to it.
    fn around_products(&mut self) {
        let product = |search: &Self, at: usize, near: usize| match &search.owners[near] {
            Owner::Product(path) if search.is_same_line(near, at) => Some(path.clone()),
            _ => None,
        };
        for at in (0..self.owners.len()).filter(|at| self.graph.operators[*at].quiet) {
            let before = self.graph.operators[at].args.iter().find_map(|arg| product(self, at, *arg));
            self.inherit(at, before.map(Owner::Product));
        }
        for at in (0..self.owners.len()).rev().filter(|at| self.graph.operators[*at].quiet) {
            let same = all_equal(self.users[at].iter().map(|user| product(self, at, *user)));
            self.inherit(at, same.map(Owner::Product));
        }
    }

    fn is_unknown(&self, at: usize) -> bool {
        self.owners[at] == Owner::Unknown
    }

    fn is_same_line(&self, left: usize, right: usize) -> bool {
        let place = |at: usize| self.graph.operators[at].place;
        place(left).is_some() && place(left) == place(right)
    }

    /// The rest of a method whose weight is not used by a product, such as a norm: what comes before and after on its lines.
    fn in_methods(&mut self) {
        let module = |search: &Self, near: usize, first: usize, second: usize| match &search.owners[near] {
            Owner::Module(path) if search.is_same_method(first, second) => Some(path.clone()),
            _ => None,
        };
        for at in (0..self.owners.len()).rev() {
            // Users that no module owns may be anywhere: a forward graph also computes what its backward needs.
            let known = self.users[at].iter().filter(|user| !self.is_unknown(**user));
            let same = all_equal(known.map(|user| module(self, *user, at, *user)));
            self.inherit(at, same.map(Owner::Module));
        }
        for at in 0..self.owners.len() {
            let args = &self.graph.operators[at].args;
            let same = all_equal(args.iter().map(|arg| module(self, *arg, *arg, at)));
            self.inherit(at, same.map(Owner::Module));
        }
    }

    fn inherit(&mut self, at: usize, owner: Option<Owner>) {
        if let (Some(owner), true) = (owner, self.is_unknown(at)) {
            self.owners[at] = owner;
        }
    }

    /// Whether the second operator is on the same line of a function as the first, or just below.
    fn is_same_method(&self, first: usize, second: usize) -> bool {
        let place = |at: usize| self.graph.places.get_index(self.graph.operators[at].place?);
        let (Some(first), Some(second)) = (place(first), place(second)) else { return false };
        first.file == second.file
            && first.function == second.function
            && (first.line..=first.line.saturating_add(SAME_METHOD)).contains(&second.line)
    }

    /// The nearest modules before (`forward`) or after each operator.
    fn near(&self, forward: bool) -> Vec<Vec<Path>> {
        let count = self.owners.len();
        let mut near: Vec<Vec<Path>> = vec![Vec::new(); count];
        for step in 0..count {
            let at = if forward { step } else { count - 1 - step };
            let next = if forward { &self.graph.operators[at].args } else { &self.users[at] };
            // Direct neighbors first: a sum is near all layers before it, and nearest to its own.
            let direct = next.iter().filter_map(|other| self.owners[*other].path());
            let unknown = next.iter().filter(|other| self.is_unknown(**other));
            let mut found: Vec<Path> = Vec::new();
            for path in direct.chain(unknown.flat_map(|other| &near[*other])) {
                if found.len() < MOST_NEAR && !found.contains(path) {
                    found.push(path.clone());
                }
            }
            near[at] = found;
        }
        near
    }

    /// What the nearest modules before and after an operator have in common.
    fn between(&self, parts: &Parts) -> Vec<Path> {
        let (before, after) = (self.near(true), self.near(false));
        let of = |(at, owner): (usize, &Owner)| {
            owner.path().cloned().unwrap_or_else(|| place_between(&before[at], &after[at], parts))
        };
        self.owners.iter().enumerate().map(of).collect()
    }

    /// If other operators of a line are inside of layers, one between blocks is in the layer that it comes from. The sum at
    /// the end of the last layer belongs to that layer, as in the others.
    fn as_in_other_layers(&self, paths: &mut [Path], parts: &Parts) {
        let pattern = |path: &[u32]| -> Vec<Option<u32>> {
            path.iter().map(|part| (!parts.is_number(*part)).then_some(*part)).collect()
        };
        let mut of_place: FxHashMap<usize, BTreeSet<Vec<Option<u32>>>> = FxHashMap::default();
        for (operator, path) in self.graph.operators.iter().zip(paths.iter()) {
            // Up to the number of the layer: operators of a line may be in several modules of it.
            let layer = path.iter().rposition(|part| parts.is_number(*part));
            if let (Some(place), Some(layer)) = (operator.place, layer) {
                let pattern = pattern(path.get(..=layer).unwrap_or_default());
                let patterns = of_place.entry(place).or_default();
                if patterns.len() < SAME_NAME {
                    patterns.insert(pattern);
                }
            }
        }
        let before = self.near(true);
        for (at, operator) in self.graph.operators.iter().enumerate() {
            let patterns =
                operator.place.filter(|_| self.is_unknown(at)).and_then(|place| of_place.get(&place));
            let Some(patterns) = patterns else { continue };
            let near = before[at].iter();
            let layers = near.flat_map(|near| patterns.iter().filter_map(|one| near.get(..one.len())));
            let path = &paths[at];
            let mut inside = layers.filter(|layer| layer.len() > path.len() && layer.starts_with(path));
            if let Some(found) = inside.find(|layer| patterns.contains(&pattern(layer))) {
                paths[at] = found.to_vec();
            }
        }
    }

    /// What only prepares data for one block is inside of it: views, and what is computed from no module's values.
    fn only_used_inside(&self, paths: &mut [Path], parts: &Parts) {
        let before = self.near(true);
        for at in (0..paths.len()).rev() {
            let is_free = before[at].is_empty();
            if !(self.graph.operators[at].quiet || is_free) || !self.is_unknown(at) {
                continue;
            }
            let users = self.users[at].iter().filter(|user| !self.graph.operators[**user].for_backward);
            let same_line = users.clone().any(|user| self.is_same_line(at, *user));
            let source = self.source(at);
            if source != at && !same_line && paths[source] == paths[at] {
                // The end of what its own block computes.
                continue;
            }
            let users = users.map(|user| &paths[*user]);
            let Some(inside) = in_common_of_all(users.clone()) else { continue };
            let mut inside = inside.to_vec();
            leave_list(&mut inside, users, parts);
            // What comes from no module is wherever it is used, and a view of an argument is where the argument is.
            if same_line || is_free || inside.len() > paths[at].len() && inside.starts_with(&paths[at]) {
                paths[at] = inside;
            }
        }
    }

    /// The operator whose data this one only moves.
    fn source(&self, at: usize) -> usize {
        let mut source = at;
        while let Some(arg) = self.graph.operators[source].args.first()
            && self.graph.operators[source].quiet
            && self.is_unknown(source)
        {
            source = *arg;
        }
        source
    }

    /// What a forward graph computes only for its backward is in a block of its own, beside the model.
    fn for_backward(&self, paths: &mut [Path], parts: &mut Parts) {
        let count = self.graph.operators.iter().filter(|operator| operator.for_backward).count();
        if count == 0 || count * 2 > self.graph.operators.len() {
            return;
        }
        let block = parts.number(FOR_BACKWARD);
        for (operator, path) in self.graph.operators.iter().zip(paths.iter_mut()) {
            if operator.for_backward {
                *path = vec![block];
            }
        }
    }
}

/// The path that all have, if each has one and there is at least one.
fn all_equal(mut paths: impl Iterator<Item = Option<Path>>) -> Option<Path> {
    let first = paths.next()??;
    paths.all(|path| path.as_ref() == Some(&first)).then_some(first)
}

/// The block between the modules before and after an operator.
fn place_between(before: &[Path], after: &[Path], parts: &Parts) -> Path {
    let mut best: (usize, u64, Path) = Default::default();
    for (from, to) in before.iter().flat_map(|from| after.iter().map(move |to| (from, to))) {
        let common = in_common(from, to);
        // Between two layers: the end of the first. A sum is after all earlier layers, too.
        let number = |path: &Path| path.get(common.len()).and_then(|part| parts.name(*part).parse().ok());
        let layer: Option<u64> = number(to).and_then(|_| number(from));
        let path = from.get(..common.len() + usize::from(layer.is_some())).unwrap_or(common);
        let order = (path.len(), layer.unwrap_or(u64::MAX));
        if order > (best.0, best.1) {
            best = (order.0, order.1, path.to_vec());
        }
    }
    if !before.is_empty() && !after.is_empty() {
        return best.2;
    }
    // At the beginning or at the end: beside the module, not in it.
    let all = before.iter().chain(after);
    let mut common = in_common_of_all(all.clone()).map(<[u32]>::to_vec).unwrap_or_default();
    if all.clone().any(|path| *path == common) {
        common.pop();
    }
    leave_list(&mut common, all, parts);
    common
}

/// Between layers is no place: what several layers use is beside their list.
fn leave_list<'p>(common: &mut Path, paths: impl Iterator<Item = &'p Path> + Clone, parts: &Parts) {
    let is_list = |common: &Path| {
        let next = |path: &Path| path.get(common.len()).is_some_and(|part| parts.is_number(*part));
        paths.clone().any(next)
    };
    while is_list(common) && common.pop().is_some() {}
}
