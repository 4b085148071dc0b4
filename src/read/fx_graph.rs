//! Graphs as torch prints them: the lines that define each node, and the line of the program that it comes from.

use super::source_text::{is_word, last_word};
use crate::limits::SAME_NAME;
use crate::trace::TextMap;

/// A line of the program, from a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlaceComment<'t> {
    pub file: &'t str,
    /// Line, from 1.
    pub line: u64,
    pub function: Option<&'t str>,
    /// Text of that line.
    pub code: Option<&'t str>,
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'t> {
    /// Its name, unique in its class.
    pub name: &'t str,
    /// The type of its value, `f32[2][1]cpu`; empty if the graph has none.
    pub annotation: &'t str,
    /// What is computed, as in [`Statement::value`]; empty for an input.
    pub value: &'t str,
    /// Lines that define it, from 1.
    pub lines: Vec<u32>,
    /// Whether it is an input.
    pub placeholder: bool,
    /// Number of its class block; 0 is the outermost.
    pub scope: u32,
    /// The comment above it.
    pub place: Option<PlaceComment<'t>>,
}

impl<'t> Node<'t> {
    /// The operator that it calls, `aten.mul.Tensor`, and the text behind its opening bracket.
    pub fn call(&self) -> Option<(&'t str, &'t str)> {
        self.value.strip_prefix("torch.ops.")?.split_once('(')
    }
}

/// A statement of a graph: `mul: "f32[2][1]cpu" = torch.ops.aten.mul.Tensor(a, b);  a = None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statement<'t> {
    /// What it defines.
    pub name: &'t str,
    /// The type of its value, `f32[2][1]cpu`; empty if it has none.
    pub annotation: &'t str,
    /// What is computed, without the values that are no longer needed.
    pub value: &'t str,
}

impl<'t> Statement<'t> {
    /// Reads a line of a graph.
    pub fn read(line: &'t str) -> Option<Statement<'t>> {
        let (head, value) = line.split_once(" = ")?;
        let (name, annotation) = head.split_once(": \"").unwrap_or((head, ""));
        let value = value.split(";  ").next().unwrap_or(value).trim().trim_end_matches(';');
        let annotation = annotation.split('"').next().unwrap_or_default();
        Some(Statement { name: name.trim(), annotation, value })
    }

    /// Whether it only gives another value a name: `l_x_ = L_x_`.
    pub fn is_name(&self) -> bool {
        self.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    }

    /// The operator that is called, `aten.mul.Tensor`, and the text behind its opening bracket.
    pub fn call(&self) -> Option<(&'t str, &'t str)> {
        self.value.strip_prefix("torch.ops.")?.split_once('(')
    }
}

/// `torch.ops._c10d_functional.all_reduce_.default` is `all_reduce_`.
pub fn short_operation(operation: &str) -> &str {
    let name = operation.strip_suffix(".default").unwrap_or(operation);
    name.rsplit('.').next().unwrap_or(name)
}

/// The names that a text annotates, with their annotations: `addmm` and `f32[512, 1024][1024, 1]cpu` of
/// `addmm: "f32[512, 1024][1024, 1]cpu" = ..`.
pub fn annotations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(": \"").filter_map(|(at, _)| {
        let name = last_word(text.get(..at)?);
        Some((name, text.get(at + 3..)?.split('"').next()?))
    })
}

/// The names of values in an expression: neither `mul` of `torch.ops.aten.mul.Tensor(..)` nor `dim` of `dim = 0`.
pub fn names_in(expression: &str) -> impl Iterator<Item = &str> {
    let mut rest = expression;
    std::iter::from_fn(move || {
        loop {
            let from = rest.get(rest.find(is_word)?..)?;
            let end = from.find(|c: char| !is_word(c) && c != '.').unwrap_or(from.len());
            let (word, after) = from.split_at_checked(end)?;
            rest = after;
            if !after.starts_with(" = ") {
                return Some(word.split('.').next().unwrap_or(word));
            }
        }
    })
}

/// What the outermost graph of a text returns, `(getitem, None)`, if it returns anything.
pub fn returned(text: &str) -> Option<&str> {
    // Nested graphs follow the outermost one.
    text.split('\n').find_map(|line| line.trim_start().strip_prefix("return "))
}

/// The nodes of a graph's text.
#[derive(Debug, Default)]
pub struct GraphText<'t> {
    /// In the order of the text.
    pub nodes: Vec<Node<'t>>,
    by_name: TextMap<&'t str, Vec<usize>>,
    in_scope: TextMap<(u32, &'t str), usize>,
}

impl<'t> GraphText<'t> {
    /// Reads the output of `print_readable`.
    pub fn read(text: &'t str) -> GraphText<'t> {
        let mut reader = GraphReader::default();
        for (number, line) in (1..).zip(text.split('\n')) {
            reader.line(number, line);
        }
        reader.graph
    }

    /// The node of that name in the outermost class, or the only one of that name.
    ///
    /// torch's maps name nodes without their class, but nested graphs reuse names.
    pub fn node(&self, name: &str) -> Option<&Node<'t>> {
        let all = self.by_name.get(name)?;
        let outermost = all.iter().filter_map(|at| self.nodes.get(*at)).find(|node| node.scope == 0);
        outermost.or_else(|| match all.as_slice() {
            [only] => self.nodes.get(*only),
            _ => None,
        })
    }

    /// Lines that define that name.
    pub fn lines(&self, name: &str) -> &[u32] {
        self.node(name).map(|node| node.lines.as_slice()).unwrap_or_default()
    }
}

/// The state of reading a text.
#[derive(Default)]
struct GraphReader<'t> {
    graph: GraphText<'t>,
    /// Indentation and number of open classes.
    classes: Vec<(usize, u32)>,
    known_classes: u32,
    place: Option<PlaceComment<'t>>,
    /// The signature being read, if it continues on the next line.
    signature: Option<Signature>,
}

#[derive(Default)]
struct Signature {
    depth: usize,
    quote: Option<char>,
    /// Whether a name can begin here.
    at_name: bool,
}

impl<'t> GraphReader<'t> {
    fn line(&mut self, number: u32, line: &'t str) {
        if let Some(signature) = self.signature.take() {
            return self.parameters(number, line, signature);
        }
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(comment) = text.strip_prefix('#') {
            self.comment(comment);
        } else if text.starts_with("class ") && text.trim_end().ends_with(':') {
            self.class(indent);
        } else if let Some(rest) = text.strip_prefix("def forward(") {
            let signature = Signature { depth: 1, quote: None, at_name: true };
            self.parameters(number, rest, signature);
        } else {
            self.statement(number, text);
        }
    }

    fn class(&mut self, indent: usize) {
        self.classes.retain(|(outer, _)| *outer < indent);
        // The first class is the graph itself.
        self.classes.push((indent, self.known_classes));
        self.known_classes += 1;
        self.place = None;
    }

    fn comment(&mut self, comment: &'t str) {
        if comment.contains("No stacktrace found") {
            self.place = None;
        } else if let Some(place) = place_comment(comment) {
            self.place = Some(place);
        }
    }

    fn statement(&mut self, number: u32, text: &'t str) {
        // `a, b, = fx_pytree.tree_flatten_spec(..)` defines inputs; earlier lines have only their types.
        if let Some((names, _)) = text.split_once("= fx_pytree.") {
            for name in names.split(',').map(str::trim) {
                self.define(number, Statement { name, ..Statement::default() }, true);
            }
            return;
        }
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        let (Some(name), Some(rest)) = (text.get(..end), text.get(end..)) else { return };
        let typed = rest.starts_with(':');
        if typed && !rest.contains(" = ") {
            // Types of inputs: `a: "f32[2]"; b: "i64[3]"; `.
            for (name, kind) in text.split(';').filter_map(|piece| piece.split_once(':')) {
                self.define(number, typed_name(name.trim(), kind.trim_start()), true);
            }
        } else if typed || rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==") {
            let statement = Statement::read(text).unwrap_or_default();
            self.define(number, Statement { name, ..statement }, false);
        }
    }

    fn parameters(&mut self, number: u32, text: &'t str, mut signature: Signature) {
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
            if let (Some(from), false) = (start, is_word(c)) {
                let name = text.get(from..at).unwrap_or_default();
                if name != "self" {
                    let behind = text.get(at..).unwrap_or_default();
                    let kind = behind.strip_prefix(": ").unwrap_or_default();
                    self.define(number, typed_name(name, kind), true);
                }
                start = None;
                signature.at_name = false;
            }
            match (signature.quote, c) {
                (Some(quote), c) if c == quote => signature.quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => signature.quote = Some(c),
                (None, '(' | '[' | '{') => signature.depth += 1,
                (None, ')' | ']' | '}') => signature.depth -= 1,
                (None, ',') if signature.depth == 1 => signature.at_name = true,
                (None, c) if signature.at_name && start.is_none() && is_word(c) => start = Some(at),
                _ => {}
            }
            if signature.depth == 0 {
                return;
            }
        }
        self.signature = Some(signature);
    }

    fn define(&mut self, line: u32, statement: Statement<'t>, placeholder: bool) {
        let Statement { name, annotation, value } = statement;
        if name.is_empty() || name == "return" || !name.chars().all(is_word) {
            return;
        }
        let scope = self.classes.last().map_or(0, |(_, number)| *number);
        if let Some(node) =
            self.graph.in_scope.get(&(scope, name)).and_then(|at| self.graph.nodes.get_mut(*at))
        {
            if node.lines.len() < SAME_NAME {
                node.lines.push(line);
            }
            return;
        }
        let index = self.graph.nodes.len();
        let place = if placeholder { None } else { self.place };
        self.graph.nodes.push(Node { name, annotation, value, lines: vec![line], placeholder, scope, place });
        self.graph.in_scope.insert((scope, name), index);
        self.graph.by_name.entry(name).or_default().push(index);
    }
}

/// An input with its type, which a graph has in quotes.
fn typed_name<'t>(name: &'t str, quoted: &'t str) -> Statement<'t> {
    let annotation = quoted.strip_prefix('"').and_then(|text| text.split('"').next()).unwrap_or_default();
    Statement { name, annotation, ..Statement::default() }
}

/// Reads `File: /app/x.py:19 in forward, code: y = f(x)`, anywhere in a comment.
pub fn place_comment(comment: &str) -> Option<PlaceComment<'_>> {
    let (_, rest) = comment.split_once("File: ")?;
    let (head, code) = match rest.split_once(", code: ") {
        Some((head, code)) => (head, Some(code.trim())),
        None => (rest.trim(), None),
    };
    let (place, function) =
        head.rsplit_once(" in ").map_or((head, None), |(place, function)| (place, Some(function.trim())));
    let (file, line) = place.rsplit_once(':')?;
    Some(PlaceComment { file, line: line.trim().parse().ok()?, function, code })
}
