//! The interface of upstream's library, version 0.4.8, for programs that were written against it: the same names, signatures
//! and files. What is behind them is the library of this crate.

mod metadata;
mod own_files;
pub mod parsers;

pub(crate) use own_files::with_own_files;
pub use own_files::{ParseConfig, ParseOutput};
