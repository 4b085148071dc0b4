//! The operators of a printed graph: what each one computes and reads, and the line of the program that it comes from.

use crate::limits::{LONGEST_NAME, PARAGRAPH, QUOTE, SEARCHED, SHORT_LINE};
use crate::model::words::shortened;
use crate::read::fx_graph::{GraphText, Node, names_in, returned};
use crate::read::source_text::is_word;
use crate::trace::TextMap;
use indexmap::IndexSet;

/// Operators that are read; the largest recorded graph has 6,000. Those beyond are counted.
const MOST_OPERATORS: usize = 50_000;

/// A line of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    pub function: String,
    /// Its text; empty if the graph does not quote it.
    pub code: String,
}

/// A value that comes from outside of the graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    /// Its name in the graph.
    pub name: String,
    /// Its type and size: `f32[2, 24]`.
    pub shape: String,
    /// The parameter or buffer that it is: `layers.0.norm.weight`; empty for other inputs.
    pub weight: String,
}

/// An operator, and what a drawing adds to what the graph says.
#[derive(Debug, Clone, Default)]
pub struct Operator {
    /// Its name in the graph.
    pub name: String,
    /// What it computes: `mul`.
    pub op: String,
    /// Type and size; empty if the graph does not say.
    pub shape: String,
    /// Its line in the graph, from 1.
    pub line: u32,
    /// Operators that it reads; each stands before it.
    pub args: Vec<usize>,
    /// Inputs that it reads.
    pub inputs: Vec<usize>,
    /// Both, in the order of its arguments.
    pub(super) reads: Vec<Value>,
    /// Its place in [`Operators::places`].
    pub place: Option<usize>,
    /// Whether the graph returns it.
    pub(super) returned: bool,
    /// Whether a forward graph computes it only for its backward.
    pub(super) for_backward: bool,
    /// Whether it only moves or reshapes data.
    pub quiet: bool,
    /// Kernels that compute it.
    pub kernels: Vec<usize>,
    /// The operator that is drawn for it: itself, or that of the first of equal layers.
    pub shown: usize,
}

/// The outermost graph of a text.
#[derive(Debug, Default)]
pub(super) struct Operators {
    pub(super) operators: Vec<Operator>,
    pub(super) inputs: Vec<Input>,
    /// Lines of the program.
    pub(super) places: IndexSet<Place>,
    /// Operators of nested graphs, and operators beyond the limit.
    pub(super) left_out: usize,
}

/// What a name in a definition means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// An input of the graph.
    Input(usize),
    Operator(usize),
}

impl Operators {
    /// Reads the output of `print_readable`.
    pub(super) fn read(text: &str) -> Operators {
        let graph = GraphText::read(text);
        let for_backward = for_backward(text);
        // Comments of one place need not all name its function.
        let mut functions: TextMap<(&str, u64), &str> = TextMap::default();
        for place in graph.nodes.iter().filter_map(|node| node.place) {
            if let Some(function) = place.function {
                functions.entry((place.file, place.line)).or_insert(function);
            }
        }
        let mut found = Operators::default();
        let mut known: TextMap<&str, Value> = TextMap::default();
        for node in &graph.nodes {
            if node.scope != 0 || found.operators.len() >= MOST_OPERATORS {
                found.left_out += usize::from(!node.placeholder);
                continue;
            }
            if node.placeholder {
                known.insert(node.name, Value::Input(found.inputs.len()));
                // Only a signature is trusted to have the types of all inputs.
                let shape = if node.lines.len() == 1 { short_shape(node.annotation) } else { String::new() };
                found.inputs.push(Input { name: clip(node.name, LONGEST_NAME), shape, ..Input::default() });
                continue;
            }
            // `l_x_ = L_x_` is another name of an input.
            if let Some(input @ Value::Input(_)) = known.get(node.value).copied() {
                known.insert(node.name, input);
                continue;
            }
            let mut operator = Operator::read(node, &known);
            let before = operator.line.checked_sub(1);
            operator.for_backward = before.is_some_and(|at| for_backward.get(at as usize) == Some(&true));
            operator.place = node.place.map(|place| {
                let function = functions.get(&(place.file, place.line)).copied().unwrap_or_default();
                let place = Place {
                    file: clip(place.file, PARAGRAPH),
                    line: place.line,
                    function: clip(function, QUOTE),
                    code: clip(place.code.unwrap_or_default(), SHORT_LINE),
                };
                found.places.insert_full(place).0
            });
            known.insert(node.name, Value::Operator(found.operators.len()));
            found.operators.push(operator);
        }
        for name in returned(text).into_iter().flat_map(names_in) {
            if let Some(Value::Operator(at)) = known.get(name) {
                found.operators[*at].returned = true;
            }
        }
        found
    }

    /// For each operator those that read it.
    pub(super) fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![Vec::new(); self.operators.len()];
        for (at, operator) in self.operators.iter().enumerate() {
            operator.args.iter().for_each(|arg| users[*arg].push(at));
        }
        users
    }

    pub(super) fn is_weight(&self, input: usize) -> bool {
        !self.inputs[input].weight.is_empty()
    }
}

impl Operator {
    /// What a graph says of a node.
    fn read(node: &Node<'_>, known: &TextMap<&str, Value>) -> Operator {
        let op = clip(operator(node.value), QUOTE);
        let mut found = Operator {
            name: clip(node.name, QUOTE),
            quiet: is_quiet(&op),
            op,
            shape: short_shape(node.annotation),
            line: node.lines[0],
            ..Operator::default()
        };
        for value in names_in(node.value).filter_map(|name| known.get(name).copied()) {
            if found.reads.len() >= SEARCHED || found.reads.contains(&value) {
                continue;
            }
            found.reads.push(value);
            match value {
                Value::Input(at) => found.inputs.push(at),
                Value::Operator(at) => found.args.push(at),
            }
        }
        found
    }
}

/// Operators that only move, reshape or convert data.
const QUIET: &str = "reshape view _unsafe_view permute transpose t unsqueeze squeeze expand slice select getitem get_attr \
                     clone alias contiguous detach as_strided split split_with_sizes flatten convert_element_type";

fn is_quiet(op: &str) -> bool {
    QUIET.split(' ').any(|quiet| quiet == op)
}

/// The first characters of a text of the log.
pub(super) fn clip(text: &str, most: usize) -> String {
    shortened(text, most).into_owned()
}

/// `mul`, `getitem`, `add` for `a + b`.
fn operator(expression: &str) -> &str {
    let end = expression.find(|c: char| !is_word(c) && c != '.').unwrap_or(expression.len());
    let (callee, rest) = expression.split_at_checked(end).unwrap_or_default();
    if rest.starts_with('[') {
        return "getitem";
    }
    if !rest.starts_with('(') {
        let sign = rest.split_whitespace().next().unwrap_or_default();
        let mut pairs = SIGNS.split(", ");
        return pairs.find_map(|pair| pair.strip_prefix(sign)?.strip_prefix(' ')).unwrap_or("get_attr");
    }
    let mut parts = callee.split('.');
    match callee.starts_with("torch.ops.") {
        true => parts.nth(3).unwrap_or(callee),
        false => parts.next_back().unwrap_or(callee),
    }
}

/// Python's operators, and what FX calls them.
const SIGNS: &str = "+ add, - sub, * mul, / div, // floordiv, % mod, ** pow, @ matmul, == eq, != ne, < lt, > gt, \
                     <= le, >= ge, & and, | or";

/// `f32[2, 24]` of `f32[2, 24][24, 1]cpu`.
fn short_shape(text: &str) -> String {
    let end = text.find(']').map_or(text.len(), |end| end + 1);
    clip(text.get(..end).unwrap_or(text), QUOTE)
}

/// For each line of the graph whether the comment above it says that it belongs to the backward of another node.
fn for_backward(text: &str) -> Vec<bool> {
    let mut current = false;
    let of_line = |line: &str| {
        let text = line.trim_start();
        if text.starts_with('#') && text.contains("File: ") {
            current = text.contains("Backward of forward node");
        }
        current
    };
    text.split('\n').map(of_line).collect()
}
