//! Maps and sets that are keyed by texts of a log.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Deref;

/// A map whose keys are, or contain, texts or numbers that a log chose, such as process ids.
///
/// Its hasher has a random seed, so a log cannot be written in a way that makes all its keys collide; the one of the standard
/// library, which also withstands who can measure a running program, took 3 % of the time of a log of many compiles. The
/// hasher of `fxhash` is faster and is kept for ids that this program assigns: a hundred thousand chosen keys would cost
/// it a minute. For the same reason the order of iteration differs from run to run: nothing may reach the report in that order.
/// Where the order matters, use [`OrderedMap`].
pub type TextMap<K, V> = HashMap<K, V, RandomState>;

/// A [`TextMap`] that gives its keys in the order in which they came.
pub type OrderedMap<K, V> = IndexMap<K, V, RandomState>;

/// A set of texts or numbers that a log chose; see [`TextMap`].
pub type TextSet<T> = HashSet<T, RandomState>;

/// Hashes texts of a log of which only the hash is kept, since there are too many of them: two texts with one hash of 64
/// bits count as one. Its seed is random too, so a log cannot contain chosen collisions; the hasher of the standard library took 2 % of
/// the time of a log.
pub type TextHasher = foldhash::quality::RandomState;

/// Adds to a list that has one item in most logs, such as the metrics of a compile: a first `push` would make room for four.
pub(crate) fn push_mostly_one<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// The one copy of a value that a log repeats: that in the set, where an equal one is there.
pub(crate) fn shared<K, V>(known: &mut TextSet<K>, value: V) -> K
where
    K: Deref<Target: Hash + Eq> + Borrow<K::Target> + From<V> + Clone + Hash + Eq,
    V: Borrow<K::Target>,
{
    if let Some(same) = known.get(value.borrow()) {
        return same.clone();
    }
    let shared = K::from(value);
    known.insert(shared.clone());
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn no_log_can_foresee_where_a_map_puts_its_texts() {
        // With 90,000 names that one known hasher took for one, a log of 5 MB took 49 seconds.
        let hash = |map: &TextMap<&str, u64>| map.hasher().hash_one("torch");
        assert_ne!(hash(&TextMap::default()), hash(&TextMap::default()));
        let hash = |set: &TextSet<&str>| set.hasher().hash_one("torch");
        assert_ne!(hash(&TextSet::default()), hash(&TextSet::default()));
    }
}
