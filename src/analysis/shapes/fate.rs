//! What became of a symbolic size.

use crate::model::{Specialization, Symbol, SymbolGuard};

/// What became of a symbol.
#[derive(Debug, Clone, Copy)]
pub enum Fate<'m> {
    /// It may take any value that its guards allow.
    Dynamic,
    /// It was fixed to one value.
    Fixed(&'m Specialization),
    /// It was found equal to another symbol or expression.
    Equal(&'m Specialization),
    /// Its value is known only at run time.
    Unbacked,
}

impl Fate<'_> {
    /// The word for filters: `dynamic`, `fixed`, `equal`, `unbacked`.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Dynamic => "dynamic",
            Fate::Fixed(_) => "fixed",
            Fate::Equal(_) => "equal",
            Fate::Unbacked => "unbacked",
        }
    }
}

/// A symbol with everything about it in the same attempt of the same compile.
#[derive(Debug)]
pub struct SymbolFate<'m> {
    pub symbol: &'m Symbol,
    /// Number of its records: torch repeats some.
    pub made: usize,
    /// Guards that contain it.
    pub guards: Vec<&'m SymbolGuard>,
    /// What became of it.
    pub fate: Fate<'m>,
    /// Whether a guard limits it to the range of 32-bit indices.
    pub narrow: bool,
}
