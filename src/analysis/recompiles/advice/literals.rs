//! How the graphs of versions that were compiled for different numbers differ.

use crate::read::expr::{TokenKind, tokens};

/// Bytes of a graph that is compared; graphs of large models are not.
const LARGEST_GRAPH: usize = 2 << 20;

/// What the graphs of two versions have in common, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// They do not differ in numbers alone.
    Other,
    /// They differ in numbers alone.
    Alike,
    /// They differ in the value alone, as an operand of arithmetic.
    Direct,
}

/// The values that two versions were compiled for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'v> {
    /// Of the one version.
    pub one: &'v str,
    pub other: &'v str,
    /// Whether numbers that differ from the values by the same amount stand for them, too.
    pub is_shifted: bool,
}

impl Values<'_> {
    /// Whether the numbers in the graphs are these values.
    fn are(&self, one: &str, other: &str) -> bool {
        let difference =
            |number: &str, value: &str| number.parse::<i64>().ok()?.checked_sub(value.parse::<i64>().ok()?);
        let shift = difference(one, self.one);
        one == self.one && other == self.other
            || self.is_shifted && shift.is_some() && shift == difference(other, self.other)
    }
}

/// A part of a graph.
#[derive(Debug, PartialEq, Eq)]
enum GraphPiece {
    Number(String),
    Other(String),
}

/// A graph without comments and annotations.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operations {
    pieces: Vec<GraphPiece>,
}

impl Operations {
    /// Reads a captured graph. None if it is too large.
    pub fn parse(graph: &str) -> Option<Operations> {
        if graph.len() > LARGEST_GRAPH {
            return None;
        }
        let mut pieces = Vec::new();
        for line in graph.lines() {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            let found = tokens(line);
            let mut found = found.iter().peekable();
            while let Some(token) = found.next() {
                // `mul: "f32[4]" = x * 3`: the annotation is no operation.
                if token.is(":") && found.peek().is_some_and(|next| next.kind == TokenKind::Text) {
                    found.next();
                    continue;
                }
                pieces.push(match token.kind {
                    TokenKind::Number => GraphPiece::Number(token.text.to_owned()),
                    _ => GraphPiece::Other(token.text.to_owned()),
                });
            }
        }
        Some(Operations { pieces })
    }

    /// How it compares with the graph of another version.
    pub fn likeness(&self, other: &Operations, values: Values<'_>) -> Likeness {
        if self.pieces.len() != other.pieces.len() {
            return Likeness::Other;
        }
        let mut is_direct = true;
        for (at, pair) in self.pieces.iter().zip(&other.pieces).enumerate() {
            match pair {
                (one, two) if one == two => {}
                (GraphPiece::Number(one), GraphPiece::Number(two)) => {
                    is_direct &= values.are(one, two) && self.is_operand(at);
                }
                _ => return Likeness::Other,
            }
        }
        if is_direct { Likeness::Direct } else { Likeness::Alike }
    }

    /// Whether a number is added to something, or multiplies it.
    fn is_operand(&self, at: usize) -> bool {
        let is_sign = |at: Option<usize>| {
            let piece = at.and_then(|at| self.pieces.get(at));
            matches!(piece, Some(GraphPiece::Other(text)) if ["+", "-", "*", "/", "//", "**", "%"].contains(&text.as_str()))
        };
        is_sign(at.checked_sub(1)) || is_sign(at.checked_add(1))
    }
}
