//! Two texts compared line by line, in order, in nearly linear time.

use crate::model::stable;
use crate::read::source_text::is_word;
use crate::trace::TextMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// Limit on the lines that are compared by the shortest list of edits, which takes quadratic time. Longer blocks are first
/// cut at lines that occur once in both texts.
const MOST_LINES: usize = 3_000;

/// The same for a block between two such lines.
const MOST_LINES_BETWEEN: usize = 600;

/// Limits on the bytes of a pair of lines, and on the words of a line, that are compared word by word.
const LONGEST_PAIR: usize = 8_000;
const MOST_WORDS: usize = 800;

/// A line with its number, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its number in its text.
    pub number: usize,
    pub text: &'t str,
}

/// A row of two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnRow<'t> {
    /// The line of the first text; None if only the second has the line.
    pub left: Option<Line<'t>>,
    /// The line of the second text.
    pub right: Option<Line<'t>>,
    /// Whether both are the same line.
    pub equal: bool,
}

/// Two texts side by side.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns<'t> {
    /// The rows, from the first line to the last.
    pub rows: Vec<ColumnRow<'t>>,
    /// Lines that only the first text has.
    pub removed: usize,
    /// Lines that only the second has.
    pub added: usize,
    /// Whether the texts were too long to find the smallest number of changes.
    pub rough: bool,
}

/// Compares two texts. Trailing white space and addresses of objects do not count.
pub fn two_columns<'t>(first: &'t str, second: &'t str) -> Columns<'t> {
    let (first, second) = (lines(first), lines(second));
    let mut names = Names::default();
    let old: Vec<usize> = first.iter().map(|line| names.name(line)).collect();
    let new: Vec<usize> = second.iter().map(|line| names.name(line)).collect();
    let mut found = Found::default();
    found.compare(&old, &new);
    let mut columns = Columns { rough: found.rough, ..Columns::default() };
    let line = |lines: &[&'t str], at: usize| lines.get(at).map(|text| Line { number: at + 1, text });
    for Block { old, new, equal } in found.blocks {
        if !equal {
            columns.removed += old.len();
            columns.added += new.len();
        }
        for at in 0..old.len().max(new.len()) {
            let of = |lines: &[&'t str], range: &Range<usize>| {
                (at < range.len()).then(|| line(lines, range.start + at)).flatten()
            };
            let (left, right) = (of(&first, &old), of(&second, &new));
            columns.rows.push(ColumnRow { left, right, equal });
        }
    }
    columns
}

/// Whether two texts are the same except for trailing white space and addresses of objects.
pub fn same_text(first: &str, second: &str) -> bool {
    let (first, second) = (lines(first), lines(second));
    let same = |(one, other): (&&str, &&str)| one == other || stable(one) == stable(other);
    first.len() == second.len() && first.iter().zip(&second).all(same)
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Numbers for lines, which are faster to compare: equal lines have the same number.
#[derive(Default)]
struct Names(TextMap<String, usize>);

impl Names {
    fn name(&mut self, line: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(stable(line)).or_insert(next)
    }
}

/// Lines of both texts that are equal, or that replace each other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    old: Range<usize>,
    new: Range<usize>,
    equal: bool,
}

/// The blocks of both texts, from beginning to end.
#[derive(Default)]
struct Found {
    blocks: Vec<Block>,
    rough: bool,
}

impl Found {
    fn push(&mut self, old: Range<usize>, new: Range<usize>, equal: bool) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(last) if last.equal == equal => (last.old.end, last.new.end) = (old.end, new.end),
            _ => self.blocks.push(Block { old, new, equal }),
        }
    }

    fn compare(&mut self, old: &[usize], new: &[usize]) {
        let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let rest = old.len().min(new.len()) - start;
        let backward = old.iter().rev().zip(new.iter().rev()).take(rest);
        let end = backward.take_while(|(one, other)| one == other).count();
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        self.push(0..start, 0..start, true);
        self.middle((old, start..old_end), (new, start..new_end), MOST_LINES);
        self.push(old_end..old.len(), new_end..new.len(), true);
    }

    /// Compares a block of both texts, cut at landmarks if it has more than `most` lines.
    fn middle(
        &mut self,
        (old, of_old): (&[usize], Range<usize>),
        (new, of_new): (&[usize], Range<usize>),
        most: usize,
    ) {
        let (before, after) = (slice(old, &of_old), slice(new, &of_new));
        if before.is_empty() || after.is_empty() {
            return self.push(of_old, of_new, false);
        }
        if before.len() + after.len() <= most {
            for op in capture_diff_slices(Algorithm::Myers, before, after) {
                let (old, new) = (op.old_range(), op.new_range());
                let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
                let equal = matches!(op, DiffOp::Equal { .. });
                self.push(moved(old, of_old.start), moved(new, of_new.start), equal);
            }
            return;
        }
        self.rough = true;
        let (mut from_old, mut from_new) = (of_old.start, of_new.start);
        // A block between two landmarks has no landmarks.
        let landmarks = if most == MOST_LINES { landmarks(before, after) } else { Vec::new() };
        if landmarks.is_empty() {
            return self.push(of_old, of_new, false);
        }
        for (one, other) in landmarks {
            let (one, other) = (of_old.start + one, of_new.start + other);
            self.middle((old, from_old..one), (new, from_new..other), MOST_LINES_BETWEEN);
            self.push(one..one + 1, other..other + 1, true);
            (from_old, from_new) = (one + 1, other + 1);
        }
        self.middle((old, from_old..of_old.end), (new, from_new..of_new.end), MOST_LINES_BETWEEN);
    }
}

fn slice<'l>(lines: &'l [usize], range: &Range<usize>) -> &'l [usize] {
    lines.get(range.clone()).unwrap_or_default()
}

/// The longest sequence of lines that occur once in both lists, in order: places in the first and the second.
fn landmarks(before: &[usize], after: &[usize]) -> Vec<(usize, usize)> {
    let (once_before, once_after) = (once(before), once(after));
    let known = before.iter().enumerate().filter_map(|(place, line)| {
        let is_once = once_before.get(line).is_some_and(Option::is_some);
        is_once.then_some(())?;
        Some((place, (*once_after.get(line)?)?))
    });
    // Patience sorting: the top of each pile, and the top of the pile to the left when each place was added.
    let shared: Vec<(usize, usize)> = known.collect();
    let mut tops: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(shared.len());
    let second = |at: &usize| shared.get(*at).map_or(0, |(_, after)| *after);
    for (at, (_, after)) in shared.iter().enumerate() {
        let pile = tops.partition_point(|top| second(top) < *after);
        below.push(pile.checked_sub(1).and_then(|pile| tops.get(pile)).copied());
        match tops.get_mut(pile) {
            Some(top) => *top = at,
            None => tops.push(at),
        }
    }
    let mut chain = Vec::new();
    let mut next = tops.last().copied();
    while let Some(at) = next {
        chain.extend(shared.get(at).copied());
        next = below.get(at).copied().flatten();
    }
    chain.reverse();
    chain
}

/// The place of each line that occurs once in a list; None for the others.
fn once(lines: &[usize]) -> std::collections::BTreeMap<usize, Option<usize>> {
    let mut places = std::collections::BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        places.entry(*line).and_modify(|known| *known = None).or_insert(Some(place));
    }
    places
}

/// A line in pieces, each with whether the other line lacks it. A single piece if the two have little in common.
pub fn changed_words<'t>(line: &'t str, other: &str) -> Vec<(bool, &'t str)> {
    let whole = vec![(false, line)];
    if line.len() + other.len() > LONGEST_PAIR {
        return whole;
    }
    let (words, others) = (words(line, is_word), words(other, is_word));
    if words.len().max(others.len()) > MOST_WORDS {
        return whole;
    }
    let mut pieces: Vec<(bool, &str)> = Vec::new();
    let mut equal = 0;
    let mut end = 0;
    for op in capture_diff_slices(Algorithm::Myers, &words, &others) {
        let length: usize = words.get(op.old_range()).unwrap_or_default().iter().map(|word| word.len()).sum();
        let changed = !matches!(op, DiffOp::Equal { .. });
        let Some(piece) = line.get(end..end + length).filter(|piece| !piece.is_empty()) else { continue };
        equal += if changed { 0 } else { length };
        end += length;
        pieces.push((changed, piece));
    }
    if equal * 2 <= line.len().max(other.len()) { whole } else { pieces }
}

/// The words of a line, and the characters between them one by one.
pub(super) fn words(line: &str, is_word: fn(char) -> bool) -> Vec<&str> {
    let pieces = line.split_inclusive(|c| !is_word(c)).flat_map(|piece| {
        let sign = piece.chars().next_back().filter(|c| !is_word(*c)).map_or(0, char::len_utf8);
        let (word, sign) = piece.split_at(piece.len() - sign);
        [word, sign]
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_lines_that_occur_once_in_both() {
        let text = |changed: &str| -> String {
            (0..5_000).map(|n| format!("{}\nline {n}\n", if n % 2 == 0 { "same" } else { changed })).collect()
        };
        let (old, new) = (text("old"), text("new"));
        let columns = two_columns(&old, &new);
        assert_eq!((columns.removed, columns.added, columns.rough), (2_500, 2_500, true));
        assert_eq!(columns.rows.len(), 10_000);
        let nothing_shared: String = (0..4_000).map(|n| format!("other {n}\n")).collect();
        let columns = two_columns(&old, &nothing_shared);
        assert_eq!((columns.removed, columns.added), (10_000, 4_000));
    }
}
