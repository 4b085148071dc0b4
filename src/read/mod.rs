//! Texts that torch writes, each read in one place. Pure and total: any text gives a value or None, within bounds of depth
//! and length. What a text means for the program is for `events` and `analysis` to say.

pub mod element_type;
pub mod exception;
pub mod expr;
pub mod fx_graph;
pub mod generated;
pub mod guard_tree;
pub mod source_text;

#[cfg(test)]
mod tests;
