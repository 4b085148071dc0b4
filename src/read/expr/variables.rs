//! Variables as the user writes them, and their sizes in symbolic conditions: `x.size()[0] == 2*y.size()[0]`.

use super::tokens::{Token, TokenKind, tokens};
use crate::limits::KEPT_OF_ONE;

/// Dictionaries of a module whose items are attributes of the module.
const PARTS: [&str; 4] = ["_modules", "_parameters", "_buffers", "__dict__"];

/// A variable as the user writes it: `L['x'].y` is `x.y`, `G['N']` is `N`, `c._modules['layers']._modules['0']` is
/// `c.layers[0]`; an item by its place among the keys, `d[list(dict.keys(d))[0]]`, is `d[key 0]`. Everything else is unchanged.
pub fn as_written(text: &str) -> String {
    let text = text.trim();
    let found = tokens(text);
    let mut written = String::with_capacity(text.len());
    let (mut copied, mut is_attribute) = (0, false);
    for (at, first) in found.iter().enumerate() {
        if first.start < copied {
            continue;
        }
        if let Some([.., number, _, close]) = place_of_key(found.get(at..).unwrap_or_default()) {
            written.extend([text.get(copied..first.end()).unwrap_or_default(), "key ", number.text]);
            copied = close.start;
        }
        let is_scope = !is_attribute && (first.is("L") || first.is("G"));
        is_attribute = first.is(".");
        let lookup = match found.get(at + 1..).unwrap_or_default() {
            lookup if is_scope => lookup,
            [part, lookup @ ..] if is_attribute && PARTS.contains(&part.text) => lookup,
            _ => continue,
        };
        let [open, key, close, ..] = lookup else { continue };
        let quoted = key.text.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"']));
        let Some(key) = quoted.filter(|_| key.kind == TokenKind::Text && open.is("[") && close.is("]"))
        else {
            continue;
        };
        let (before, after) = match (is_scope, is_identifier(key)) {
            (true, true) => ("", ""),
            (false, true) => (".", ""),
            // The key of an item of a `ModuleList`.
            (false, false) if !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()) => ("[", "]"),
            _ => continue,
        };
        written.extend([text.get(copied..first.start).unwrap_or_default(), before, key, after]);
        copied = close.end();
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    written
}

/// An item that is named by its place among the keys, `[list(dict.keys(d))[0]]`, up to its closing bracket.
fn place_of_key<'f, 't>(found: &'f [Token<'t>]) -> Option<&'f [Token<'t>]> {
    let [open, list, _, dict, dot, keys, rest @ ..] = found else { return None };
    let is_keys = open.is("[") && list.is("list") && dict.is("dict") && dot.is(".") && keys.is("keys");
    let mut tokens = is_keys.then_some(rest)?.iter().take(KEPT_OF_ONE);
    rest.get(..=tokens.position(|token| token.is("]") && token.depth == open.depth)?)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A size, stride or offset of a tensor in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeOf<'t> {
    /// The tensor as torch writes it: `L['x']`.
    pub source: &'t str,
    pub property: Property,
    /// The dimension, if the property has one.
    pub dimension: Option<u64>,
}

/// A property of a tensor in a symbolic condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// `x.size()[0]`
    Size,
    /// `x.stride()[0]`
    Stride,
    /// `x.storage_offset()`
    StorageOffset,
}

impl SizeOf<'_> {
    /// The tensor as the user writes it.
    pub fn tensor(&self) -> String {
        as_written(self.source)
    }

    /// As a user writes it: `x.shape[0]`, `x.stride(0)`, `x.storage_offset()`.
    pub fn written(&self) -> String {
        let (tensor, dimension) = (self.tensor(), self.dimension.unwrap_or_default());
        match self.property {
            Property::Size => format!("{tensor}.shape[{dimension}]"),
            Property::Stride => format!("{tensor}.stride({dimension})"),
            Property::StorageOffset => format!("{tensor}.storage_offset()"),
        }
    }
}

/// A condition with the sizes in it.
#[derive(Debug, PartialEq, Eq)]
pub struct SizeCondition<'t> {
    /// The distinct sizes, in order.
    pub sizes: Vec<SizeOf<'t>>,
    /// The condition as a user writes it.
    pub written: String,
}

/// Reads the sizes, strides and offsets in an expression.
pub fn size_condition(text: &str) -> SizeCondition<'_> {
    let mut found = tokens(text);
    found.truncate(KEPT_OF_ONE);
    let mut sizes: Vec<SizeOf<'_>> = Vec::new();
    let mut written = String::new();
    let mut copied = 0;
    for (at, dot) in found.iter().enumerate() {
        let Some(asked) = asked(found.get(at..).unwrap_or_default()) else { continue };
        let start = variable_start(&found, at);
        if start < copied || start == dot.start {
            continue;
        }
        let size = asked.of_source(text.get(start..dot.start).unwrap_or_default());
        written.push_str(text.get(copied..start).unwrap_or_default());
        written.push_str(&size.written());
        copied = found.get(at + asked.tokens - 1).map_or(copied, Token::end);
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    SizeCondition { sizes, written: as_written(&written) }
}

/// `L['x'].size()[0]` as `x.shape[0]`.
pub fn size_as_written(source: &str) -> String {
    size_condition(source).written
}

/// What is asked of the tensor in front of it: `.size()[0]`.
pub(super) struct Asked {
    property: Property,
    dimension: Option<u64>,
    /// How many tokens ask for it.
    pub tokens: usize,
}

impl Asked {
    pub fn of_source<'t>(&self, source: &'t str) -> SizeOf<'t> {
        SizeOf { source, property: self.property, dimension: self.dimension }
    }
}

/// Reads `.size()[0]`, `.shape[0]`, `.stride()[0]` or `.storage_offset()` at the start of these tokens.
pub(super) fn asked(found: &[Token<'_>]) -> Option<Asked> {
    let [dot, name, rest @ ..] = found else { return None };
    let called = || match rest {
        [open, close, rest @ ..] if open.is("(") && close.is(")") => Some(rest),
        _ => None,
    };
    let (property, rest) = match name.text {
        _ if !dot.is(".") => return None,
        "size" => (Property::Size, called()?),
        "shape" => (Property::Size, rest),
        "stride" => (Property::Stride, called()?),
        "storage_offset" => {
            return called().map(|_| Asked { property: Property::StorageOffset, dimension: None, tokens: 4 });
        }
        _ => return None,
    };
    let [left, number, right, after @ ..] = rest else { return None };
    let dimension = number.text.parse().ok().filter(|_| left.is("[") && right.is("]"))?;
    Some(Asked { property, dimension: Some(dimension), tokens: found.len() - after.len() })
}

/// Start of the variable whose attribute follows at the token `at`: `L['x']` in `2*L['x'].size()`.
fn variable_start(found: &[Token<'_>], at: usize) -> usize {
    let Some(dot) = found.get(at) else { return 0 };
    let mut start = dot.start;
    for token in found.get(..at).unwrap_or_default().iter().rev() {
        let is_inside = token.depth > dot.depth;
        let is_part = token.end() == start && (token.kind != TokenKind::Operator || token.is("."));
        if token.depth < dot.depth || !(is_inside || is_part) {
            break;
        }
        start = token.start;
    }
    start
}
