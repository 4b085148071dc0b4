//! A graph as a drawing: modules as nested blocks, equal layers once, and operators inside, with their positions.
//!
//! The result has no markup. Blocks come from the names of weights, from the lines of the program and from torch's maps
//! between graphs; see `owners`.

mod blocks;
mod choice;
mod graph;
mod layered;
mod links;
mod operators;
mod owners;
mod paths;
mod sheets;
#[cfg(test)]
mod tests;

pub use blocks::{Block, Item};
pub use choice::{DrawnGraph, DrawnGraphs, MOST_DRAWINGS, NotDrawn};
pub use graph::{Drawing, GraphTexts, Kernel};
pub use operators::{Operator, Place};
pub use sheets::{Level, Sheet, SheetPiece};
