//! FLOPs of the nodes of a graph that have a formula, for the kernels generated from them, templates included.

use super::formulas::{Formula, Work};
use crate::limits::TRIED;
use crate::model::{InputDims, Operator};
use crate::read::fx_graph::{Statement, annotations};
use crate::read::source_text::arguments;
use crate::trace::TextMap;

#[derive(Debug, Clone)]
pub(in crate::analysis) struct NodeWork {
    /// None if a size is known only at run time.
    pub(in crate::analysis) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
    pub(super) formula: Formula,
    /// Share of the FLOPs of the formula that a mask leaves.
    pub(super) share: f64,
    /// Of the gradients of a convolution's input and of its weight, if it computes both.
    pub(super) gradients: Option<[Work; 2]>,
    /// Whether a mask leaves out some of it, and the log does not say how much.
    pub(super) before_mask: bool,
    /// The type of its first tensor, as graphs name it: `bf16`.
    pub(super) element: Option<String>,
}

/// A tensor as a graph annotates it.
struct Annotated<'g> {
    element: &'g str,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

/// The work of nodes with a formula, by node.
pub(in crate::analysis) fn work_of_nodes(graph: &str) -> TextMap<String, NodeWork> {
    let mut tensors: TextMap<&str, Annotated<'_>> = TextMap::default();
    let mut found = TextMap::default();
    let mut masks = Masks { graph, shares: TextMap::default() };
    for line in graph.lines() {
        for (name, annotated) in annotations(line) {
            if let Some(known) = Annotated::parse(annotated) {
                tensors.insert(name, known);
            }
        }
        let Some(node) = Node::parse(line, &tensors) else { continue };
        let Some(formula) = Formula::named(&node.operator.name) else { continue };
        // What a mask leaves out of flexible attention is in its own graph.
        let share = match node.operator.name.contains("flex_attention") {
            true => masks.share(&node.operator.values),
            false => Some(1.0),
        };
        let Work { flops, bytes } = formula.work(&node.operator);
        let left = share.unwrap_or(1.0);
        let work = NodeWork {
            flops: flops.map(|flops| flops * left),
            bytes,
            formula,
            share: left,
            gradients: formula.gradients(&node.operator),
            before_mask: share.is_none(),
            element: node.element.map(str::to_owned),
        };
        found.insert(node.name.to_owned(), work);
    }
    found
}

impl<'g> Annotated<'g> {
    /// `f32` and `512, 1024` of `f32[512, 1024][1024, 1]cpu`; None if a size is a symbol.
    fn parse(annotation: &'g str) -> Option<Annotated<'g>> {
        let (element, rest) = annotation.split_once('[')?;
        let numbers = |list: &str| arguments(list).iter().map(|size| size.parse().ok()).collect();
        let sizes: Option<Vec<i64>> = numbers(rest);
        let (_, strides) = rest.split_once(']')?;
        let strides: Option<Vec<i64>> = strides.strip_prefix('[').and_then(numbers);
        Some(Annotated { element, sizes: sizes?, strides: strides.unwrap_or_default() })
    }
}

/// A node that calls an operator.
struct Node<'g> {
    name: &'g str,
    /// The type of its first tensor.
    element: Option<&'g str>,
    /// With the sizes of tensor arguments and the values of the others.
    operator: Operator,
}

impl<'g> Node<'g> {
    /// The node that a line defines.
    fn parse(line: &'g str, tensors: &TextMap<&str, Annotated<'g>>) -> Option<Node<'g>> {
        let statement = Statement::read(line)?;
        let (operator, rest) = statement.call()?;
        let mut path = operator.split('.');
        let (space, operator) = (path.next()?, path.next()?);
        let mut found = Operator { name: format!("{space}::{operator}"), ..Operator::default() };
        let mut element = None;
        for argument in arguments(rest).iter().take(TRIED) {
            // Keyword arguments, such as a scale, come last, and no formula needs them.
            if argument.contains(" = ") {
                break;
            }
            let known = tensors.get(argument);
            element = element.or(known.map(|known| known.element));
            found.types.push(known.map(|known| known.element.to_owned()).unwrap_or_default());
            let strides = known.map(|known| known.strides.clone()).unwrap_or_default();
            found.strides.push(InputDims::One(strides));
            found.values.push(if known.is_some() { String::new() } else { (*argument).to_owned() });
            found.dims.push(InputDims::One(known.map(|known| known.sizes.clone()).unwrap_or_default()));
        }
        Some(Node { name: statement.name, element, operator: found })
    }
}

/// The block of `flex_attention` without a mask: larger than any length.
const NO_BLOCK: i64 = 1 << 30;

/// Items of a mask of blocks at least; other tuples among the arguments have fewer.
const LEAST_ITEMS: usize = 6;

/// The masks of flexible attention in a graph.
struct Masks<'g> {
    graph: &'g str,
    /// Of those that were looked up, by name.
    shares: TextMap<String, Option<f64>>,
}

impl Masks<'_> {
    /// The share of all products that attention with these arguments computes: all without a mask, half of them where each
    /// row sees only the columns before it. None for another mask: how much it leaves out is not in the log.
    fn share(&mut self, values: &[String]) -> Option<f64> {
        let masks = values.iter().filter_map(|value| value.strip_prefix('('));
        let mask = masks.map(arguments).find(|items| items.len() >= LEAST_ITEMS)?;
        let [.., rows, columns, name] = mask.as_slice() else { return None };
        let is_absent = |block: &str| block.parse::<i64>().is_ok_and(|block| block >= NO_BLOCK);
        if is_absent(rows) && is_absent(columns) {
            return Some(1.0);
        }
        if let Some(known) = self.shares.get(*name) {
            return *known;
        }
        let is_worth_it = self.shares.len() < TRIED;
        let share = if is_worth_it { share_of_mask(self.graph, name) } else { None };
        self.shares.insert((*name).to_owned(), share);
        share
    }
}

/// Half for a causal mask; None for any other.
fn share_of_mask(graph: &str, name: &str) -> Option<f64> {
    let (_, body) = graph.split_once(&format!("class {name}(torch.nn.Module):"))?;
    let body = body.split("\n\n").next()?;
    // The parameters are batch, head, row and column; what follows are tensors that the mask reads.
    let parameters: Vec<&str> =
        annotations(body.lines().find(|line| line.contains("def forward("))?).map(|(name, _)| name).collect();
    let (row, column) = (parameters.get(2)?, parameters.get(3)?);
    let mut operators = body.lines().filter_map(|line| line.split_once(" = torch.ops.aten."));
    let (_, only) = operators.next().filter(|_| operators.next().is_none())?;
    let (compare, rest) = only.split_once('(')?;
    let compared = arguments(rest);
    let is_causal = match compare.split('.').next()? {
        "ge" | "gt" => compared == [*row, *column],
        "le" | "lt" => compared == [*column, *row],
        _ => false,
    };
    is_causal.then_some(0.5)
}
