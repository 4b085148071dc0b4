//! The line that is printed about a compile that has just ended.

use super::Function;

/// A compile of a program that still runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileNews {
    /// As torch writes it; `-` without one.
    pub id: String,
    /// `ok`, `break`, `error`, `empty` or `missing`, as far as the log goes.
    pub status: &'static str,
    /// What was compiled.
    pub function: Option<Function>,
    /// How long it took, where its record says so.
    pub seconds: Option<f64>,
    /// Why an earlier compile of the function could not be used, and how many reasons there are.
    pub recompiled: Option<(String, usize)>,
    /// Its graph breaks.
    pub breaks: u64,
    /// The reason of the first of them.
    pub first_break: Option<String>,
    /// Why it failed.
    pub failure: Option<String>,
}
