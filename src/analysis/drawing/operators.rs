//! The operators of a printed graph: what each one computes and reads, and the line of the program that it comes from.

use crate::model::words::shortened;
use crate::read::fx_graph::{GraphText, Node, Statement, annotations, place_comment};
use crate::read::source_text::is_word;
use crate::trace::TextMap;
use indexmap::IndexSet;

/// Operators that are read; the largest recorded graph has 6,000. Those beyond are counted.
const MOST_OPERATORS: usize = 50_000;

/// Values that an operator reads; `cat` of many layers has some hundred.
const MOST_ARGUMENTS: usize = 256;

/// Characters that are kept of a name, of a file's path, and of a line of source.
const LONGEST_NAME: usize = 80;
const LONGEST_PATH: usize = 400;
/// Dynamo's names of parameters contain all modules around them.
const LONGEST_INPUT: usize = 1_000;
const LONGEST_CODE: usize = 160;

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

#[derive(Debug, Clone, Default)]
pub(super) struct Operator {
    pub(super) name: String,
    /// What it computes: `mul`.
    pub(super) op: String,
    pub(super) shape: String,
    /// Its line in the graph, from 1.
    pub(super) line: u32,
    /// Operators that it reads; each stands before it.
    pub(super) args: Vec<usize>,
    /// Inputs that it reads.
    pub(super) inputs: Vec<usize>,
    /// Both, in the order of its arguments.
    pub(super) reads: Vec<Value>,
    /// Its place in [`Operators::places`].
    pub(super) place: Option<usize>,
    /// Whether the graph returns it.
    pub(super) returned: bool,
    /// Whether a forward graph computes it only for its backward.
    pub(super) for_backward: bool,
}

/// The outermost graph of a text.
#[derive(Debug, Default)]
pub(super) struct Operators {
    pub(super) all: Vec<Operator>,
    pub(super) inputs: Vec<Input>,
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
        let lines: Vec<&str> = text.split('\n').collect();
        let types = types_of_inputs(text);
        let functions = functions(&lines);
        let for_backward = for_backward(&lines);
        let mut found = Operators::default();
        let mut known: TextMap<&str, Value> = TextMap::default();
        for node in GraphText::read(text).nodes {
            if node.scope != 0 || found.all.len() >= MOST_OPERATORS {
                found.left_out += usize::from(!node.placeholder);
                continue;
            }
            if node.placeholder {
                known.insert(node.name, Value::Input(found.inputs.len()));
                let shape = types.get(node.name).map(|text| short_shape(text)).unwrap_or_default();
                found.inputs.push(Input { name: clip(node.name, LONGEST_INPUT), shape, ..Input::default() });
                continue;
            }
            let line = node.lines.first().copied().unwrap_or_default();
            let text = lines.get((line as usize).saturating_sub(1)).copied().unwrap_or_default();
            let definition = Statement::read(text).unwrap_or_default();
            // `l_x_ = L_x_` is another name of an input.
            if let Some(input @ Value::Input(_)) = known.get(definition.value).copied() {
                known.insert(node.name, input);
                continue;
            }
            let mut operator = found.operator(&node, line, &definition, (&known, &functions));
            operator.for_backward = for_backward.get((line as usize).saturating_sub(1)) == Some(&true);
            known.insert(node.name, Value::Operator(found.all.len()));
            found.all.push(operator);
        }
        found.mark_returned(&lines, &known);
        found
    }

    fn operator(
        &mut self,
        node: &Node<'_>,
        line: u32,
        definition: &Statement<'_>,
        (known, functions): (&TextMap<&str, Value>, &Functions<'_>),
    ) -> Operator {
        let mut operator = Operator {
            name: clip(node.name, LONGEST_NAME),
            op: clip(operator(definition.value), LONGEST_NAME),
            shape: short_shape(definition.annotation),
            line,
            ..Operator::default()
        };
        for name in names_in(definition.value) {
            let Some(value) = known.get(name).copied() else { continue };
            if operator.reads.len() >= MOST_ARGUMENTS || operator.reads.contains(&value) {
                continue;
            }
            operator.reads.push(value);
            match value {
                Value::Input(at) => operator.inputs.push(at),
                Value::Operator(at) => operator.args.push(at),
            }
        }
        operator.place = node.place.map(|place| {
            let function = functions.get(&(place.file, place.line)).copied().unwrap_or_default();
            let place = Place {
                file: clip(place.file, LONGEST_PATH),
                line: place.line,
                function: clip(function, LONGEST_NAME),
                code: clip(place.code.unwrap_or_default(), LONGEST_CODE),
            };
            self.places.insert_full(place).0
        });
        operator
    }

    fn mark_returned(&mut self, lines: &[&str], known: &TextMap<&str, Value>) {
        // Nested graphs follow the outermost one.
        let Some(line) = lines.iter().find_map(|line| line.trim_start().strip_prefix("return ")) else {
            return;
        };
        for name in names_in(line) {
            if let Some(Value::Operator(at)) = known.get(name)
                && let Some(operator) = self.all.get_mut(*at)
            {
                operator.returned = true;
            }
        }
    }

    /// For each operator those that read it.
    pub(super) fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![Vec::new(); self.all.len()];
        for (at, operator) in self.all.iter().enumerate() {
            for arg in &operator.args {
                if let Some(users) = users.get_mut(*arg) {
                    users.push(at);
                }
            }
        }
        users
    }

    pub(super) fn place(&self, operator: &Operator) -> Option<&Place> {
        self.places.get_index(operator.place?)
    }
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
        return SIGNS.iter().find(|(one, _)| *one == sign).map_or("get_attr", |(_, name)| name);
    }
    let mut parts = callee.split('.');
    match callee.starts_with("torch.ops.") {
        true => parts.nth(3).unwrap_or(callee),
        false => parts.next_back().unwrap_or(callee),
    }
}

/// Python's operators, and what FX calls them.
const SIGNS: [(&str, &str); 16] = [
    ("+", "add"),
    ("-", "sub"),
    ("*", "mul"),
    ("/", "div"),
    ("//", "floordiv"),
    ("%", "mod"),
    ("**", "pow"),
    ("@", "matmul"),
    ("==", "eq"),
    ("!=", "ne"),
    ("<", "lt"),
    (">", "gt"),
    ("<=", "le"),
    (">=", "ge"),
    ("&", "and"),
    ("|", "or"),
];

/// The names of values in an expression: neither `mul` of `torch.ops.aten.mul.Tensor(..)` nor `dim` of `dim = 0`.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_word)?;
            let from = rest.get(start..)?;
            let end = from.find(|c: char| !is_word(c) && c != '.').unwrap_or(from.len());
            let (word, after) = from.split_at_checked(end)?;
            rest = after;
            if !after.starts_with(" = ") {
                return Some(word.split('.').next().unwrap_or(word));
            }
        }
    })
}

/// `f32[2, 24]` of `f32[2, 24][24, 1]cpu`.
fn short_shape(text: &str) -> String {
    let end = text.find(']').map_or(text.len(), |end| end + 1);
    clip(text.get(..end).unwrap_or(text), LONGEST_NAME)
}

/// The types in the signature of a graph, `a: "f32[2]"`, by name.
fn types_of_inputs(text: &str) -> TextMap<&str, &str> {
    let Some((_, signature)) = text.split_once("def forward(") else { return TextMap::default() };
    annotations(signature.split("):").next().unwrap_or_default()).collect()
}

/// For each line of the graph whether the comment above it says that it belongs to the backward of another node.
fn for_backward(lines: &[&str]) -> Vec<bool> {
    let mut current = false;
    let of_line = |line: &&str| {
        let text = line.trim_start();
        if text.starts_with('#') && text.contains("File: ") {
            current = text.contains("Backward of forward node");
        }
        current
    };
    lines.iter().map(of_line).collect()
}

/// The function that each line of the program is in.
type Functions<'t> = TextMap<(&'t str, u64), &'t str>;

fn functions<'t>(lines: &[&'t str]) -> Functions<'t> {
    let mut functions = Functions::default();
    for place in lines.iter().filter_map(|line| place_comment(line.trim_start().strip_prefix('#')?)) {
        if let Some(function) = place.function {
            functions.entry((place.file, place.line)).or_insert(function);
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "class GraphModule(torch.nn.Module):\n    \
        def forward(self, L_x_: \"f32[3, 5][5, 1]cpu\", L_w_: \"f32[5][1]cpu\"):\n        l_x_ = L_x_\n\n        \
        # File: /a/x.py:6 in f, code: y = sin(x) * w\n        \
        sin: \"f32[3, 5][5, 1]cpu\" = torch.sin(l_x_);  l_x_ = None\n        \
        mul: \"f32[3, 5][5, 1]cpu\" = sin * L_w_;  L_w_ = None\n        \
        mean = torch.ops.aten.mean.dim(mul, [1], keepdim = True, sin = 0)\n        \
        getitem: \"f32[3]\" = mean[0]\n        return (getitem,)\n";

    #[test]
    fn operators_have_what_they_compute_and_read() {
        let found = Operators::read(TEXT);
        let all: Vec<_> = found
            .all
            .iter()
            .map(|one| (one.name.as_str(), one.op.as_str(), one.args.as_slice(), one.inputs.as_slice()))
            .collect();
        assert_eq!(
            all,
            [
                ("sin", "sin", &[][..], &[0][..]),
                ("mul", "mul", &[0], &[1]),
                ("mean", "mean", &[1], &[]),
                ("getitem", "getitem", &[2], &[])
            ]
        );
        assert_eq!(found.all[0].shape, "f32[3, 5]");
        assert_eq!(found.inputs[1].shape, "f32[5]");
        let place = found.place(&found.all[1]).unwrap();
        assert_eq!((place.line, place.function.as_str()), (6, "f"));
        assert!(found.all[3].returned && !found.all[2].returned);
    }

    #[test]
    fn operators_of_nested_graphs_are_only_counted() {
        let text = format!(
            "{TEXT}\n    class inner(torch.nn.Module):\n        def forward(self, a):\n            b = a + 1\n"
        );
        let found = Operators::read(&text);
        assert_eq!((found.all.len(), found.left_out), (4, 1));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(clip("grüße", 3), "grü…");
        assert_eq!(clip("grüße", 5), "grüße");
    }
}
