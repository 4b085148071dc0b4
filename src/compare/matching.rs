//! Matches functions, breaks and compiles of several logs, never by compile id.

use crate::limits::TRIED;
use crate::trace::TextMap;

/// A thing by its index in each log that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matched {
    /// One entry per log.
    pub places: Vec<Option<usize>>,
    /// Index of the loosest key that matched it; 0 if only one log has it.
    pub key: usize,
    /// Whether several things had that key and were matched by their order.
    pub by_order: bool,
}

impl Matched {
    /// Its index in a log.
    pub fn at(&self, log: usize) -> Option<usize> {
        self.places.get(log).copied().flatten()
    }
}

/// Two things with the same key match; None if the key does not apply to a thing.
pub(super) type Key<'k, T> = &'k dyn Fn(usize, &T) -> Option<String>;

/// Matches the lists of all logs by the first key, the rest by the second key, and so on. Several things with the same key
/// are matched in order. The time is linear in the number of things.
pub(super) fn matched<T>(lists: &[&[T]], keys: &[Key<'_, T>]) -> Vec<Matched> {
    matched_closest(lists, keys, &|_, _| 0)
}

/// The same, but several things with the same key are matched by `closeness`, the highest first; equals are matched in
/// order.
pub(super) fn matched_closest<T>(
    lists: &[&[T]],
    keys: &[Key<'_, T>],
    closeness: &dyn Fn(&T, &T) -> usize,
) -> Vec<Matched> {
    let mut rows: Vec<Matched> = Vec::new();
    for (log, list) in lists.iter().enumerate() {
        let mut places: Vec<Option<usize>> = vec![None; list.len()];
        for (looseness, key) in keys.iter().enumerate() {
            let mut waiting: TextMap<String, Waiting> = TextMap::default();
            for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.at(log).is_none()) {
                if let Some(text) = key_of(lists, row, key) {
                    waiting.entry(text).or_default().places.push(place);
                }
            }
            for (index, thing) in list.iter().enumerate() {
                let is_open = places.get(index).is_some_and(Option::is_none);
                let Some(text) = key(log, thing).filter(|_| is_open) else { continue };
                let Some(known) = waiting.get_mut(&text) else { continue };
                known.wanted.push(index);
            }
            for known in waiting.into_values().filter(|known| !known.wanted.is_empty()) {
                let several = known.places.len() > 1 || known.wanted.len() > 1;
                let rate = |index: usize, row: usize| {
                    let of_row = rows.get(row).and_then(|row| first_of(lists, row));
                    list.get(index).zip(of_row).map_or(0, |(thing, other)| closeness(thing, other))
                };
                for (index, found) in known.pairs(rate) {
                    if let Some(place) = places.get_mut(index) {
                        *place = Some(found);
                    }
                    if let Some(row) = rows.get_mut(found) {
                        row.join(log, index, (looseness, several));
                    }
                }
            }
        }
        for (index, _) in places.iter().enumerate().filter(|(_, place)| place.is_none()) {
            let mut row = Matched { places: vec![None; lists.len()], key: 0, by_order: false };
            row.join(log, index, (0, false));
            rows.push(row);
        }
    }
    rows
}

/// Rows with the same key that a log may have too.
#[derive(Default)]
struct Waiting {
    places: Vec<usize>,
    /// Things of the log with the key.
    wanted: Vec<usize>,
}

impl Waiting {
    /// Things of the log, each with its row.
    fn pairs(&self, rate: impl Fn(usize, usize) -> usize) -> Vec<(usize, usize)> {
        let in_order = || self.wanted.iter().copied().zip(self.places.iter().copied()).collect();
        if self.places.len().max(self.wanted.len()) > TRIED {
            return in_order();
        }
        let all = self.wanted.iter().flat_map(|index| self.places.iter().map(|row| (*index, *row)));
        let mut rated: Vec<(usize, (usize, usize))> =
            all.map(|(index, row)| (rate(index, row), (index, row))).collect();
        if rated.iter().all(|(rating, _)| *rating == 0) {
            return in_order();
        }
        rated.sort_by_key(|(rating, _)| std::cmp::Reverse(*rating));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (_, pair) in rated {
            if !pairs.iter().any(|known| known.0 == pair.0 || known.1 == pair.1) {
                pairs.push(pair);
            }
        }
        pairs
    }
}

impl Matched {
    /// Adds the index of the thing in a log, and how it was matched.
    fn join(&mut self, log: usize, index: usize, (key, several): (usize, bool)) {
        if let Some(slot) = self.places.get_mut(log) {
            *slot = Some(index);
        }
        if key >= self.key {
            self.by_order = several || (self.by_order && key == self.key);
            self.key = key;
        }
    }
}

/// The key of a row in the first log that has it.
fn key_of<T>(lists: &[&[T]], row: &Matched, key: &Key<'_, T>) -> Option<String> {
    let log = row.places.iter().position(Option::is_some)?;
    key(log, first_of(lists, row)?)
}

/// The thing of the first log that has it.
fn first_of<'l, T>(lists: &[&'l [T]], row: &Matched) -> Option<&'l T> {
    let (log, index) = row.places.iter().enumerate().find_map(|(log, index)| Some((log, (*index)?)))?;
    lists.get(log)?.get(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_key_matches_what_the_first_one_leaves_and_the_rest_stays_single() {
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
    fn it_is_known_by_which_key_a_thing_was_found_and_whether_its_order_decided() {
        let a = [("f", 1), ("g", 2), ("h", 3), ("h", 4)];
        let b = [("f", 1), ("g", 7), ("h", 8), ("h", 9)];
        let exact = |_: usize, one: &(&str, i32)| Some(format!("{} {}", one.0, one.1));
        let name = |_: usize, one: &(&str, i32)| Some(one.0.to_owned());
        let rows = matched(&[&a, &b], &[&exact, &name]);
        let how: Vec<(usize, bool)> = rows.iter().map(|row| (row.key, row.by_order)).collect();
        assert_eq!(how, [(0, false), (1, false), (1, true), (1, true)]);
    }

    #[test]
    fn of_several_the_closest_are_matched_and_the_order_decides_among_equals() {
        let (a, b) = ([[1024, 1024], [2048, 1024]], [[2048, 1025], [1024, 1025]]);
        let key = |_: usize, _: &[i32; 2]| Some(String::new());
        let equal = |one: &[i32; 2], other: &[i32; 2]| usize::from(one[0] == other[0]);
        let pairs = |rows: Vec<Matched>| -> Vec<(Option<usize>, Option<usize>)> {
            rows.iter().map(|row| (row.at(0), row.at(1))).collect()
        };
        let closest = matched_closest(&[&a, &b], &[&key], &equal);
        assert!(closest.iter().all(|row| row.by_order), "that these are the same is a guess");
        assert_eq!(pairs(closest), [(Some(0), Some(1)), (Some(1), Some(0))]);
        assert_eq!(pairs(matched(&[&a, &b], &[&key])), [(Some(0), Some(0)), (Some(1), Some(1))]);
    }

    #[test]
    fn a_thing_of_the_third_log_is_found_again_where_the_first_lacks_it() {
        let lists: [&[&str]; 3] = [&["x"], &["x", "y"], &["y", "y"]];
        let key = |_: usize, one: &&str| Some((*one).to_owned());
        let rows = matched(&lists, &[&key]);
        let rows: Vec<Vec<Option<usize>>> = rows.into_iter().map(|row| row.places).collect();
        assert_eq!(
            rows,
            [vec![Some(0), Some(0), None], vec![None, Some(1), Some(0)], vec![None, None, Some(1)]]
        );
    }
}
