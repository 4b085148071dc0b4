//! What became of a symbolic size.

use crate::model::{Specialization, Symbol, SymbolGuard};

/// What became of a symbol.
#[derive(Debug, Clone, Copy)]
pub enum Fate<'m> {
    /// It may still take any value that its guards allow.
    Dynamic,
    /// It was fixed to one value.
    Fixed(&'m Specialization),
    /// It was found equal to another symbol or expression.
    Equal(&'m Specialization),
    /// Only the data tells its value.
    Unbacked,
}

impl Fate<'_> {
    /// One word, by which a list is filtered: `dynamic`, `fixed`, `equal`, `unbacked`.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Dynamic => "dynamic",
            Fate::Fixed(_) => "fixed",
            Fate::Equal(_) => "equal",
            Fate::Unbacked => "unbacked",
        }
    }
}

/// A symbol with all that concerns it in the same attempt of the same compile.
#[derive(Debug)]
pub struct SymbolFate<'m> {
    /// The symbol.
    pub symbol: &'m Symbol,
    /// How many records made it: torch repeats some.
    pub made: usize,
    /// Guards that name it.
    pub guards: Vec<&'m SymbolGuard>,
    /// What became of it.
    pub fate: Fate<'m>,
    /// Whether a guard keeps it within what 32-bit indices reach.
    pub narrow: bool,
}
