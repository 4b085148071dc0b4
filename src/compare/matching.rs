//! Finds the same thing in several logs: a function, a break, a compile. Never by compile id.

use crate::trace::TextMap;
use std::collections::VecDeque;

/// A thing by its place in each log that has it: one entry per log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matched(pub Vec<Option<usize>>);

impl Matched {
    /// Its place in the log of that number.
    pub fn at(&self, log: usize) -> Option<usize> {
        self.0.get(log).copied().flatten()
    }
}

/// What two things must have in common to be the same; None where this says nothing about a thing.
pub(super) type Key<'k, T> = &'k dyn Fn(usize, &T) -> Option<String>;

/// Matches the lists of all logs: what has the same first key is the same, then of the rest what has the same second key,
/// and so on; among several with the same key, the first of a log is the first of the others. The time is linear in the
/// number of things.
pub(super) fn matched<T>(lists: &[&[T]], keys: &[Key<'_, T>]) -> Vec<Matched> {
    let mut rows: Vec<Matched> = Vec::new();
    for (log, list) in lists.iter().enumerate() {
        let mut places: Vec<Option<usize>> = vec![None; list.len()];
        for key in keys {
            let mut waiting: TextMap<String, VecDeque<usize>> = TextMap::default();
            for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.at(log).is_none()) {
                if let Some(text) = key_of(lists, row, key) {
                    waiting.entry(text).or_default().push_back(place);
                }
            }
            for (index, thing) in list.iter().enumerate() {
                let Some(place) = places.get_mut(index).filter(|place| place.is_none()) else { continue };
                let found = key(log, thing).and_then(|text| waiting.get_mut(&text)?.pop_front());
                let Some(found) = found else { continue };
                *place = Some(found);
                if let Some(slot) = rows.get_mut(found).and_then(|row| row.0.get_mut(log)) {
                    *slot = Some(index);
                }
            }
        }
        for (index, _) in places.iter().enumerate().filter(|(_, place)| place.is_none()) {
            let mut row = vec![None; lists.len()];
            if let Some(slot) = row.get_mut(log) {
                *slot = Some(index);
            }
            rows.push(Matched(row));
        }
    }
    rows
}

/// The key of a row: that of the first log that has it.
fn key_of<T>(lists: &[&[T]], row: &Matched, key: &Key<'_, T>) -> Option<String> {
    let (log, index) = row.0.iter().enumerate().find_map(|(log, index)| Some((log, (*index)?)))?;
    key(log, lists.get(log)?.get(index)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_key_leaves_the_next_one_matches_and_the_rest_stands_alone() {
        let a = [("f", 1), ("f", 5), ("g", 9)];
        let b = [("f", 5), ("f", 2), ("h", 9)];
        let exact = |_: usize, one: &(&str, i32)| Some(format!("{} {}", one.0, one.1));
        let name = |_: usize, one: &(&str, i32)| Some(one.0.to_owned());
        let rows = matched(&[&a, &b], &[&exact, &name]);
        let pairs: Vec<(Option<usize>, Option<usize>)> =
            rows.iter().map(|row| (row.at(0), row.at(1))).collect();
        assert_eq!(pairs, [(Some(0), Some(1)), (Some(1), Some(0)), (Some(2), None), (None, Some(2))]);
    }

    #[test]
    fn a_thing_of_the_third_log_is_found_again_where_the_first_lacks_it() {
        let lists: [&[&str]; 3] = [&["x"], &["x", "y"], &["y", "y"]];
        let key = |_: usize, one: &&str| Some((*one).to_owned());
        let rows = matched(&lists, &[&key]);
        let rows: Vec<Vec<Option<usize>>> = rows.into_iter().map(|row| row.0).collect();
        assert_eq!(
            rows,
            [vec![Some(0), Some(0), None], vec![None, Some(1), Some(0)], vec![None, None, Some(1)]]
        );
    }
}
