//! Maps and sets that are keyed by texts of a log.

use std::collections::{HashMap, HashSet};

/// A map whose keys are, or contain, texts or numbers that a log chose, such as process ids.
///
/// Its hasher has a random seed, so a log cannot be written in a way that makes all its keys collide. The hasher of
/// `fxhash` is faster and is kept for ids that this program assigns: a hundred thousand chosen keys would cost it a
/// minute. For the same reason the order of iteration differs from run to run: nothing may reach the report in that order.
/// Where the order matters, use `IndexMap` with its default hasher.
pub type TextMap<K, V> = HashMap<K, V>;

/// A set of texts or numbers that a log chose; see [`TextMap`].
pub type TextSet<T> = HashSet<T>;

/// Adds to a list that has one item in most logs, such as the metrics of a compile: a first `push` would make room for four.
pub(crate) fn push_mostly_one<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}
