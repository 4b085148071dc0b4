//! Sizes, strides and offsets in symbolic conditions: `x.size()[0] == 2*y.size()[0]`.

use super::expression::as_written;
use super::tokens::{Token, TokenKind, tokens};

/// A size, stride or offset in a symbolic condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SizeOf {
    /// The tensor as the user writes it.
    pub tensor: String,
    /// Which property.
    pub property: Property,
    /// The dimension, if the property has one.
    pub dimension: Option<u64>,
}

/// A property of a tensor in a symbolic condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    /// `x.size()[0]`
    Size,
    /// `x.stride()[0]`
    Stride,
    /// `x.storage_offset()`
    StorageOffset,
}

impl SizeOf {
    /// As a user writes it: `x.shape[0]`, `x.stride(0)`, `x.storage_offset()`.
    pub fn written(&self) -> String {
        let tensor = &self.tensor;
        match (self.property, self.dimension) {
            (Property::Size, Some(dimension)) => format!("{tensor}.shape[{dimension}]"),
            (Property::Size, None) => format!("{tensor}.shape"),
            (Property::Stride, Some(dimension)) => format!("{tensor}.stride({dimension})"),
            (Property::Stride, None) => format!("{tensor}.stride()"),
            (Property::StorageOffset, _) => format!("{tensor}.storage_offset()"),
        }
    }
}

/// A condition with the sizes in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SizeCondition {
    /// The distinct sizes, in order.
    pub sizes: Vec<SizeOf>,
    /// The condition as a user writes it.
    pub written: String,
}

/// Tokens of a text in which sizes are looked for, each by going back to the beginning of its variable.
const MOST_TOKENS: usize = 4_000;

/// Reads the sizes, strides and offsets in an expression.
pub(super) fn size_condition(text: &str) -> SizeCondition {
    let mut found = tokens(text);
    found.truncate(MOST_TOKENS);
    let mut sizes: Vec<SizeOf> = Vec::new();
    let mut written = String::new();
    let mut copied = 0;
    for at in 0..found.len() {
        let Some((property, dimension, end)) = property_at(&found, at) else { continue };
        let dot = found.get(at).map_or(0, |dot| dot.start);
        let start = variable_start(&found, at);
        if start < copied || start == dot {
            continue;
        }
        let tensor = as_written(text.get(start..dot).unwrap_or_default());
        let size = SizeOf { tensor, property, dimension };
        written.push_str(text.get(copied..start).unwrap_or_default());
        written.push_str(&size.written());
        copied = end;
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    SizeCondition { sizes, written: as_written(&written) }
}

/// `L['x'].size()[0]` as `x.shape[0]`.
pub(in crate::analysis) fn size_as_written(source: &str) -> String {
    size_condition(source).written
}

/// Reads `.size()[0]`, whose dot is the token `at`; also returns where it ends in the text.
fn property_at(found: &[Token<'_>], at: usize) -> Option<(Property, Option<u64>, usize)> {
    let [dot, name, rest @ ..] = found.get(at..)? else { return None };
    if !dot.is(".") {
        return None;
    }
    match (name.text, rest) {
        ("size", [open, close, left, number, right, ..]) if is_call(open, close) => {
            Some((Property::Size, Some(index(left, number, right)?), right.end()))
        }
        ("stride", [open, close, left, number, right, ..]) if is_call(open, close) => {
            Some((Property::Stride, Some(index(left, number, right)?), right.end()))
        }
        ("shape", [left, number, right, ..]) => {
            Some((Property::Size, Some(index(left, number, right)?), right.end()))
        }
        ("storage_offset", [open, close, ..]) if is_call(open, close) => {
            Some((Property::StorageOffset, None, close.end()))
        }
        _ => None,
    }
}

fn is_call(open: &Token<'_>, close: &Token<'_>) -> bool {
    open.is("(") && close.is(")")
}

fn index(left: &Token<'_>, number: &Token<'_>, right: &Token<'_>) -> Option<u64> {
    number.text.parse().ok().filter(|_| left.is("[") && right.is("]"))
}

/// Start of the variable whose attribute follows at the token `at`: `L['x']` in `2*L['x'].size()`.
fn variable_start(found: &[Token<'_>], at: usize) -> usize {
    let Some(dot) = found.get(at) else { return 0 };
    let mut start = dot.start;
    for token in found.get(..at).unwrap_or_default().iter().rev() {
        let is_inside = token.depth > dot.depth;
        let touches = is_inside || token.end() == start;
        let is_part = token.kind != TokenKind::Operator || token.is(".");
        if token.depth < dot.depth || !touches || !(is_inside || is_part) {
            break;
        }
        start = token.start;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_a_condition_name_their_tensor_and_dimension() {
        let read = size_condition("L['x'].size()[0] == 2*L['y'].size()[1]");
        assert_eq!(read.written, "x.shape[0] == 2*y.shape[1]");
        assert_eq!(read.sizes.iter().map(|s| s.tensor.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(read.sizes.iter().map(|s| s.dimension).collect::<Vec<_>>(), [Some(0), Some(1)]);
        let read = size_condition("(args[0].size()[0] % 8) == 0");
        assert_eq!((read.sizes.len(), read.written.as_str()), (1, "(args[0].shape[0] % 8) == 0"));
        let read = size_condition("Eq(Mod(self.buf.storage_offset(), 4), 0)");
        assert_eq!(read.sizes[0].tensor, "self.buf");
        assert_eq!(read.written, "Eq(Mod(self.buf.storage_offset(), 4), 0)");
        let read = size_condition("f(a, b).x.size()[0] > y.stride()[1]");
        assert_eq!(read.sizes[0].tensor, "f(a, b).x");
        assert_eq!(read.sizes[1].written(), "y.stride(1)");
        assert_eq!(size_condition("k == 2").sizes, []);
    }
}
