//! What the script knows about the boxes of a drawing: data in JSON, without markup.

use super::kernels::KernelLinks;
use crate::analysis::drawing::{Drawing, Item};
use crate::limits::{IN_ROW, KEPT_OF_ONE};
use crate::report::kit::view::View;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
pub(super) struct Facts<'d> {
    /// Name of the whole graph.
    root: &'d str,
    /// The viewer of graphs at this graph; the line is appended: `graphs.html#13-L`.
    text: String,
    blocks: BTreeMap<usize, BlockFacts<'d>>,
    operators: BTreeMap<usize, OperatorFacts<'d>>,
    /// Name, size and weight.
    inputs: BTreeMap<usize, (&'d str, &'d str, &'d str)>,
    /// Lines of the program: file, line, text, address.
    places: BTreeMap<usize, (&'d str, u64, &'d str, Option<String>)>,
    kernels: &'d [KernelLinks],
    /// Names of operators of further equal layers, with the one that is drawn.
    others: BTreeMap<&'d str, usize>,
}

#[derive(Serialize)]
struct BlockFacts<'d> {
    id: &'d str,
    name: &'d str,
    about: String,
    parent: Option<usize>,
    /// Operators in one layer, and the layers that it is drawn for.
    each: usize,
    times: usize,
    /// The first lines, and how many there are.
    places: (&'d [usize], usize),
    weights: (&'d [usize], usize),
    kernels: &'d [usize],
}

#[derive(Serialize)]
struct OperatorFacts<'d> {
    name: &'d str,
    op: &'d str,
    shape: &'d str,
    place: Option<usize>,
    line: u32,
    from: Vec<usize>,
    inputs: &'d [usize],
    kernels: &'d [usize],
    block: usize,
}

fn first(list: &[usize]) -> (&[usize], usize) {
    (list.get(..IN_ROW).unwrap_or(list), list.len())
}

/// The facts about these boxes.
pub(super) fn facts<'d>(
    view: View<'_>,
    drawing: &'d Drawing,
    drawn: &BTreeSet<Item>,
    (root, text, kernels): (&'d str, String, &'d [KernelLinks]),
) -> Facts<'d> {
    let mut facts = Facts {
        root,
        text,
        blocks: BTreeMap::new(),
        operators: BTreeMap::new(),
        inputs: BTreeMap::new(),
        places: BTreeMap::new(),
        kernels,
        others: BTreeMap::new(),
    };
    for (at, block) in drawing.blocks.iter().enumerate() {
        if at != 0 && !drawn.contains(&Item::Block(at)) {
            continue;
        }
        facts.blocks.insert(
            at,
            BlockFacts {
                id: &block.id,
                name: &block.name,
                about: drawing.about(block),
                parent: block.parent,
                each: drawing.each(block),
                times: block.times,
                places: first(&block.places),
                weights: first(&block.weights),
                kernels: &block.kernels,
            },
        );
        let operators = block.links.items.iter().filter(|item| drawn.contains(item));
        for item in operators {
            if let Item::Operator(operator) = item {
                facts.add_operator(drawing, *operator, at);
            }
        }
    }
    facts.add_what_is_named(view, drawing);
    facts
}

impl<'d> Facts<'d> {
    fn add_operator(&mut self, drawing: &'d Drawing, at: usize, block: usize) {
        let Some(operator) = drawing.operators.get(at) else { return };
        let shown = |arg: &usize| drawing.operators.get(*arg).map(|arg| arg.shown);
        self.operators.insert(
            at,
            OperatorFacts {
                name: &operator.name,
                op: &operator.op,
                shape: &operator.shape,
                place: operator.place,
                line: operator.line,
                from: operator.args.iter().filter_map(shown).collect(),
                inputs: &operator.inputs,
                kernels: &operator.kernels,
                block,
            },
        );
    }

    /// Adds the lines and inputs that blocks and operators name, and the names of operators that are drawn only once.
    fn add_what_is_named(&mut self, view: View<'_>, drawing: &'d Drawing) {
        let of_blocks = self.blocks.values();
        let places = of_blocks.clone().flat_map(|block| block.places.0.iter().copied());
        let places: BTreeSet<usize> =
            places.chain(self.operators.values().filter_map(|one| one.place)).collect();
        for at in places {
            let Some(place) = drawing.places.get(at) else { continue };
            // The panel is narrow.
            let file = place.file.rsplit(['/', '\\']).next().unwrap_or(&place.file);
            let href = view.source_href(&place.file, Some(place.line));
            self.places.insert(at, (file, place.line, &place.code, href));
        }
        let inputs = of_blocks.flat_map(|block| block.weights.0.iter().copied());
        let inputs: BTreeSet<usize> =
            inputs.chain(self.operators.values().flat_map(|one| one.inputs.iter().copied())).collect();
        for at in inputs.into_iter().take(KEPT_OF_ONE) {
            let Some(input) = drawing.inputs.get(at) else { continue };
            self.inputs.insert(at, (&input.name, &input.shape, &input.weight));
        }
        let others = drawing.operators.iter().enumerate().filter(|(at, one)| one.shown != *at);
        let others = others.filter(|(_, one)| self.operators.contains_key(&one.shown));
        self.others = others.take(KEPT_OF_ONE).map(|(_, one)| (one.name.as_str(), one.shown)).collect();
    }
}
