//! Functions whose graphs or code differ. Their texts are read up to a limit.

use super::rows::{Comparison, FunctionLine};
use super::texts::ComparedCompile;
use crate::analysis::two_columns::same_text;
use crate::facts::Aspect;
use crate::limits::{READ_TOGETHER, SHOWN};
use std::collections::{BTreeMap, BTreeSet};

/// Result of comparing the texts of two compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Same,
    Unreadable,
    OneSided,
    Differ,
}

impl Look {
    /// Compares the texts of both sides and counts the bytes.
    fn new(compile: &ComparedCompile, bytes: &mut u64) -> Look {
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

/// A function with a page that shows its graphs and code side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedFunction<'c> {
    /// Rank of its log.
    pub rank: Option<u64>,
    pub line: &'c FunctionLine,
}

/// The functions whose graphs or code differ.
#[derive(Debug, Default)]
pub(crate) struct ChangedFunctions<'c> {
    /// Functions with a page: first those that rows name, then by time difference.
    pub functions: Vec<ChangedFunction<'c>>,
    /// Number of functions that rows name but that have no page.
    pub left_out: usize,
    /// Number of functions that were not compared, to limit the time.
    pub unread: usize,
}

impl<'c> ChangedFunctions<'c> {
    /// Reads graphs and code of the functions that both sides have.
    pub fn of(comparison: &'c Comparison) -> ChangedFunctions<'c> {
        let mut found = ChangedFunctions::default();
        let mut bytes = 0;
        let named = named(comparison);
        let none = BTreeSet::new();
        for log in &comparison.logs {
            let named = named.get(&log.rank).unwrap_or(&none);
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
        if self.functions.len() >= SHOWN || (!named && *bytes > READ_TOGETHER) {
            *(if named { &mut self.left_out } else { &mut self.unread }) += 1;
            return;
        }
        let both = line.compared.iter().filter(|one| one.a.is_some() && one.b.is_some());
        let differ = named || both.map(|one| Look::new(one, bytes)).any(|look| look > Look::Unreadable);
        if differ {
            self.functions.push(ChangedFunction { rank, line });
        }
    }

    /// Index of a function's page.
    pub fn place(&self, rank: Option<u64>, id: usize) -> Option<usize> {
        self.functions.iter().position(|one| one.rank == rank && one.line.id == id)
    }
}

/// The functions of each rank whose graphs or code differ according to rows.
fn named(comparison: &Comparison) -> BTreeMap<Option<u64>, BTreeSet<usize>> {
    let is_named = |aspect: Aspect| matches!(aspect, Aspect::Graphs | Aspect::Kernels | Aspect::Inputs);
    let mut named: BTreeMap<Option<u64>, BTreeSet<usize>> = BTreeMap::new();
    for row in comparison.rows.iter().filter(|row| is_named(row.aspect)) {
        named.entry(row.ranks.first().copied()).or_default().extend(row.function);
    }
    named
}
