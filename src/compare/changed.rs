//! Which functions have other graphs or other code: their texts are read as far as that takes no noticeable time.

use super::rows::{Comparison, FunctionLine, LogComparison, Topic};
use super::texts::ComparedCompile;
use crate::analysis::two_columns::same_text;
use std::collections::BTreeSet;

/// Bytes of all files that are read to find out which differ. More are compared only where rows say that they do.
const MOST_BYTES: u64 = 48 << 20;

/// Functions that have a page.
const MOST_FUNCTIONS: usize = 40;

/// What two compiles look like beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Same,
    Unreadable,
    OneSided,
    Differ,
}

impl Look {
    /// Reads the texts of both sides, and counts the bytes.
    fn of(compile: &ComparedCompile, bytes: &mut u64) -> Look {
        let mut look = Look::Same;
        for text in compile.texts() {
            let (Some(a), Some(b)) = (text.a, text.b) else {
                look = look.max(Look::OneSided);
                continue;
            };
            let (Some(of_a), Some(of_b)) = (&compile.a, &compile.b) else { continue };
            match (of_a.read(a), of_b.read(b)) {
                (Ok(a), Ok(b)) => {
                    *bytes += (a.len() + b.len()) as u64;
                    if !same_text(&a, &b) {
                        return Look::Differ;
                    }
                }
                _ => look = look.max(Look::Unreadable),
            }
        }
        look
    }
}

/// A function that has a page with its graphs and code side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedFunction<'c> {
    /// Rank of its log.
    pub rank: Option<u64>,
    /// The function.
    pub line: &'c FunctionLine,
}

/// The functions whose graphs or code differ.
#[derive(Debug, Default)]
pub(crate) struct ChangedFunctions<'c> {
    /// Those that have a page: first those that rows are about, then by the difference of their times.
    pub functions: Vec<ChangedFunction<'c>>,
    /// How many more functions rows say to differ; these have no page.
    pub left_out: usize,
    /// Functions that were not looked at, since that would have taken too long.
    pub unread: usize,
}

impl<'c> ChangedFunctions<'c> {
    /// Reads graphs and code of the functions that both sides have.
    pub fn of(comparison: &'c Comparison) -> ChangedFunctions<'c> {
        let mut found = ChangedFunctions::default();
        let mut bytes = 0;
        for log in &comparison.logs {
            let named = named(comparison, log);
            let (first, rest): (Vec<&FunctionLine>, Vec<&FunctionLine>) =
                log.functions.iter().partition(|line| named.contains(&line.id));
            for line in first.into_iter().chain(rest) {
                found.add(log.rank, line, (named.contains(&line.id), &mut bytes));
            }
        }
        found
    }

    fn add(&mut self, rank: Option<u64>, line: &'c FunctionLine, (named, bytes): (bool, &mut u64)) {
        let has_texts = line.compared.iter().any(|compile| !compile.texts().is_empty());
        let on_both = !line.a.is_empty() && !line.b.is_empty();
        if !has_texts || !on_both {
            return;
        }
        if self.functions.len() >= MOST_FUNCTIONS || (!named && *bytes > MOST_BYTES) {
            *(if named { &mut self.left_out } else { &mut self.unread }) += 1;
            return;
        }
        let both = line.compared.iter().filter(|one| one.a.is_some() && one.b.is_some());
        let differ = named || both.map(|one| Look::of(one, bytes)).any(|look| look > Look::Unreadable);
        if differ {
            self.functions.push(ChangedFunction { rank, line });
        }
    }

    /// The place of a function's page among all, from 0.
    pub fn place(&self, rank: Option<u64>, id: usize) -> Option<usize> {
        self.functions.iter().position(|one| one.rank == rank && one.line.id == id)
    }
}

/// The functions of a log whose graphs or code differ as rows say.
fn named(comparison: &Comparison, log: &LogComparison) -> BTreeSet<usize> {
    let is_named = |topic: Topic| matches!(topic, Topic::Operators | Topic::Kernels | Topic::Inputs);
    let rows =
        comparison.rows.iter().filter(|row| is_named(row.topic) && row.ranks.first().copied() == log.rank);
    rows.filter_map(|row| row.function).collect()
}
