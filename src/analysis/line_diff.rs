//! Two texts compared line by line, for a short account of what changed.

use crate::trace::TextMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines that differ between their common beginning and end up to which they are compared in order: the time that takes
/// grows with the square. Beyond, only which lines are in one text is told.
const MOST_ORDERED: usize = 3_000;

/// What changed from one text to another.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LineDiff {
    /// Lines that are gone.
    pub removed: usize,
    /// Lines that came.
    pub added: usize,
    /// The first of both, in order: whether it came, and its text.
    pub lines: Vec<(bool, String)>,
    /// False where the texts were too long to be compared in order: a line that only moved is not told then.
    pub ordered: bool,
}

/// Compares two texts; white space at the ends of lines does not count. Keeps `most` lines.
pub fn line_diff(old: &str, new: &str, most: usize) -> LineDiff {
    let (old, new) = (lines(old), lines(new));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let old = old.get(..old.len() - end).unwrap_or_default();
    let new = new.get(..new.len() - end).unwrap_or_default();
    let ordered = old.len() + new.len() <= MOST_ORDERED;
    let changed = if ordered { in_order(old, new) } else { as_sets(old, new) };
    let mut diff = LineDiff { ordered, ..LineDiff::default() };
    for (came, line) in changed {
        *(if came { &mut diff.added } else { &mut diff.removed }) += 1;
        if diff.lines.len() < most {
            diff.lines.push((came, line.to_owned()));
        }
    }
    diff
}

/// A row of two texts side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideRow<'t> {
    /// Both texts have the line: its number in each, from 1.
    Both(usize, usize, &'t str),
    /// Only the first has it.
    OnlyFirst(usize, &'t str),
    /// Only the second has it.
    OnlySecond(usize, &'t str),
}

/// Two texts side by side, line by line; None where they are too long to be compared in order.
pub fn side_by_side<'t>(first: &'t str, second: &'t str) -> Option<Vec<SideRow<'t>>> {
    let (first, second) = (lines(first), lines(second));
    if first.len() + second.len() > MOST_ORDERED {
        return None;
    }
    let mut rows = Vec::new();
    let numbered = |lines: &[&'t str], from: usize, len: usize| -> Vec<(usize, &'t str)> {
        let range = lines.iter().enumerate().skip(from).take(len);
        range.map(|(index, line)| (index + 1, *line)).collect()
    };
    for op in capture_diff_slices(Algorithm::Myers, &first, &second) {
        let (old, new) = (op.old_range(), op.new_range());
        let old = numbered(&first, old.start, old.len());
        let new = numbered(&second, new.start, new.len());
        if matches!(op, DiffOp::Equal { .. }) {
            rows.extend(old.iter().zip(&new).map(|(a, b)| SideRow::Both(a.0, b.0, a.1)));
        } else {
            rows.extend(old.into_iter().map(|(number, line)| SideRow::OnlyFirst(number, line)));
            rows.extend(new.into_iter().map(|(number, line)| SideRow::OnlySecond(number, line)));
        }
    }
    Some(rows)
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

fn in_order<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(bool, &'t str)> {
    let mut changed = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        changed.extend(old.get(op.old_range()).unwrap_or_default().iter().map(|line| (false, *line)));
        changed.extend(new.get(op.new_range()).unwrap_or_default().iter().map(|line| (true, *line)));
    }
    changed
}

/// Lines that one text has more often than the other.
fn as_sets<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(bool, &'t str)> {
    let mut counts: TextMap<&str, i64> = TextMap::default();
    new.iter().for_each(|line| *counts.entry(line).or_default() += 1);
    let mut changed = Vec::new();
    for line in old {
        let count = counts.entry(line).or_default();
        *count -= 1;
        if *count < 0 {
            changed.push((false, *line));
        }
    }
    for line in new.iter().rev() {
        let count = counts.entry(line).or_default();
        if *count > 0 {
            *count -= 1;
            changed.push((true, *line));
        }
    }
    let removed = changed.iter().take_while(|(came, _)| !came).count();
    if let Some(added) = changed.get_mut(removed..) {
        added.reverse();
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_stand_side_by_side_with_the_numbers_of_each() {
        let rows = side_by_side("a\nb\nd\n", "a\nc\nc\nd").unwrap();
        assert_eq!(
            rows,
            [
                SideRow::Both(1, 1, "a"),
                SideRow::OnlyFirst(2, "b"),
                SideRow::OnlySecond(2, "c"),
                SideRow::OnlySecond(3, "c"),
                SideRow::Both(3, 4, "d"),
            ]
        );
        assert!(side_by_side(&"x\n".repeat(4_000), "").is_none());
    }

    #[test]
    fn only_lines_that_changed_are_told() {
        let diff = line_diff("a\nb  \nc\nd\n", "a\nb\nx\nd\ne\n\n", 10);
        assert_eq!((diff.removed, diff.added, diff.ordered), (1, 2, true));
        let lines: Vec<_> = diff.lines.iter().map(|(came, line)| (*came, line.as_str())).collect();
        assert_eq!(lines, [(false, "c"), (true, "x"), (true, "e")]);
        assert_eq!(line_diff("a\n", "a", 10), LineDiff { ordered: true, ..LineDiff::default() });
    }

    #[test]
    fn long_texts_are_compared_without_order_and_few_lines_are_kept() {
        let old: String = (0..20_000).map(|n| format!("old {n}\nsame {n}\n")).collect();
        let new: String = (0..20_000).map(|n| format!("same {n}\nnew {n}\n")).collect();
        let diff = line_diff(&old, &new, 5);
        assert_eq!((diff.removed, diff.added, diff.ordered, diff.lines.len()), (20_000, 20_000, false, 5));
        assert_eq!(diff.lines[0], (false, "old 0".to_owned()));
    }
}
