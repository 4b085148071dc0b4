//! Differences between the guards of two compiles of one function.

use super::two_columns::words;
use crate::limits::LONGEST_NAME;
use crate::read::expr::as_written;
use regex::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::sync::LazyLock;

/// Guards compared per side. Comparing lists that share nothing takes quadratic time.
const MOST_GUARDS: usize = 6_000;

/// Lines kept of a difference.
const MOST_LINES: usize = 60;

/// Addresses, object ids and torch's running numbers, which differ from run to run.
const COUNTED: &str = "0x[0-9a-fA-F]{4,}|[0-9]{12,}(?:_c[0-9]+)?|(?<name>__builtins_dict___)[0-9]+";

/// Their pattern, compiled once: that takes longer than comparing two short trees.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(COUNTED).ok());

/// Which side a line of a difference is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both: the variable that the guards below it check.
    Both,
    /// Only the older compile.
    Old,
    /// Only the newer compile.
    New,
}

/// Part of a guard's text, and whether it differs.
pub type GuardPiece = (String, bool);

/// A guard that only one side has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub side: Side,
    /// Its text in pieces, marked where they differ from the other side's guard.
    pub pieces: Vec<GuardPiece>,
}

/// The difference of two lists of guards.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GuardDiff {
    /// The lines to show.
    pub lines: Vec<DiffLine>,
    /// Differing guards that are not shown.
    pub left_out: usize,
    /// Guards that both have.
    pub equal: usize,
    /// Guards that one side has alone.
    pub differing: usize,
}

/// A guard to compare, without addresses and ids.
struct Guard {
    /// Levels of the tree above it.
    depth: usize,
    text: String,
}

/// Compares the texts of two `dynamo_cpp_guards_str` trees, or two lists of guards with one per line. What mentions
/// `wanted`, a variable as the user writes it, comes first. None if either side has too many.
pub fn guard_diff(old: &str, new: &str, wanted: Option<&str>) -> Option<GuardDiff> {
    let address = ADDRESS.as_ref()?;
    let (old, new) = (guards(old, address), guards(new, address));
    if old.len() > MOST_GUARDS || new.len() > MOST_GUARDS {
        return None;
    }
    let texts = |guards: &[Guard]| guards.iter().map(|g| g.text.clone()).collect::<Vec<_>>();
    let (old_texts, new_texts) = (texts(&old), texts(&new));
    let mut diff = GuardDiff::default();
    let mut hunks = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts) {
        if let DiffOp::Equal { len, .. } = op {
            diff.equal += len;
            continue;
        }
        let parent = parent(&new, op.new_range().start).or_else(|| parent(&old, op.old_range().start));
        let was = old_texts.get(op.old_range()).unwrap_or_default();
        let is = new_texts.get(op.new_range()).unwrap_or_default();
        hunks.push(Hunk { parent: parent.unwrap_or_default(), was, is });
    }
    if let Some(wanted) = wanted {
        hunks.sort_by_cached_key(|hunk| !hunk.texts().any(|text| as_written(text).contains(wanted)));
    }
    let mut above = String::new();
    let mut room = MOST_LINES;
    for hunk in hunks {
        diff.differing += hunk.texts().count();
        let lines = if room > 0 { hunk.lines(room, wanted) } else { Vec::new() };
        diff.left_out += hunk.texts().count() - lines.len();
        room -= lines.len();
        if !lines.is_empty() && hunk.parent != above {
            above = hunk.parent;
            diff.lines.push(DiffLine { side: Side::Both, pieces: vec![(above.clone(), false)] });
        }
        diff.lines.extend(lines);
    }
    Some(diff)
}

/// Adjacent guards that differ.
struct Hunk<'t> {
    parent: String,
    was: &'t [String],
    is: &'t [String],
}

impl<'t> Hunk<'t> {
    fn texts(&self) -> impl Iterator<Item = &'t String> + use<'t> {
        self.was.iter().chain(self.is)
    }

    /// Its lines, at most `room`; if it has more, lines that mention `wanted` come first.
    fn lines(&self, room: usize, wanted: Option<&str>) -> Vec<DiffLine> {
        if self.texts().count() <= room {
            return changed(self.was, self.is);
        }
        let mentions = |text: &str| wanted.is_some_and(|wanted| as_written(text).contains(wanted));
        let mut lines = changed(self.was, self.is);
        lines.sort_by_cached_key(|line| !line.pieces.iter().any(|(text, _)| mentions(text)));
        lines.truncate(room);
        lines
    }
}

/// The guards of a text in order; a line of a tree is `| | +- KIND: text`.
fn guards(text: &str, address: &Regex) -> Vec<Guard> {
    let is_guard = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && line != "TREE_GUARD_MANAGER:" && !line.starts_with("Guard latency = ")
    };
    let read = |line: &str| {
        let (tree, text) = line.split_once("+- ").unwrap_or(("", line));
        let is_tree = tree.bytes().all(|b| b == b'|' || b == b' ');
        let (depth, text) = if is_tree { (tree.matches('|').count(), text) } else { (0, line) };
        // torch pads guards to a column that depends on the length of the list.
        let text = match text.split_once("  # ") {
            Some((guard, source)) => format!("{}  # {}", guard.trim_end(), source.trim()),
            None => text.trim().to_owned(),
        };
        let text = text.chars().take(LONGEST_NAME).collect::<String>();
        Guard { depth, text: address.replace_all(&text, "${name}…").into_owned() }
    };
    text.lines().filter(is_guard).map(read).collect()
}

/// The variable that a guard of a tree checks: the `source=..` of the manager above it.
fn parent(guards: &[Guard], at: usize) -> Option<String> {
    let depth = guards.get(at)?.depth;
    let above = guards.get(..at)?.iter().rev().find(|g| g.depth < depth)?;
    let (_, source) = above.text.split_once("source=")?;
    Some(source.split(", accessed_by=").next().unwrap_or(source).to_owned())
}

/// Lines for replaced guards. If both sides have the same number, each is compared with its counterpart.
fn changed(old: &[String], new: &[String]) -> Vec<DiffLine> {
    let whole = |side: Side| move |text: &String| DiffLine { side, pieces: vec![(text.clone(), false)] };
    if old.len() != new.len() {
        return old.iter().map(whole(Side::Old)).chain(new.iter().map(whole(Side::New))).collect();
    }
    let pairs = old.iter().zip(new).flat_map(|(old, new)| {
        let (was, is) = words_that_differ(old, new);
        [DiffLine { side: Side::Old, pieces: was }, DiffLine { side: Side::New, pieces: is }]
    });
    pairs.collect()
}

/// Both texts in pieces, with the differing ones marked.
fn words_that_differ(old: &str, new: &str) -> (Vec<GuardPiece>, Vec<GuardPiece>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (was, is) = (words(old, is_word), words(new, is_word));
    let (mut old_pieces, mut new_pieces) = (Vec::new(), Vec::new());
    for op in capture_diff_slices(Algorithm::Myers, &was, &is) {
        let differs = !matches!(op, DiffOp::Equal { .. });
        let sides = [(&mut old_pieces, &was, op.old_range()), (&mut new_pieces, &is, op.new_range())];
        for (pieces, words, range) in sides {
            let text = words.get(range).unwrap_or_default().concat();
            if !text.is_empty() {
                pieces.push((text, differs));
            }
        }
    }
    (old_pieces, new_pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- GLOBAL_STATE: ___check_global_state()\n\
        | +- GuardManager: source=L['x'], accessed_by=A(key='x', i=0)\n\
        | | +- TENSOR_MATCH: check_tensor(L['x'], size=[3, 4], stride=[4, 1])  # return x  # a.py:8 in f\n\
        | | +- ID_MATCH: ___check_obj_id(L['x'], 94506458411648)   # return x  # a.py:8 in f\n\nGuard latency = 82.89 us\n";

    fn shown(diff: &GuardDiff) -> Vec<String> {
        let line = |line: &DiffLine| {
            let piece =
                |(text, differs): &(String, bool)| if *differs { format!("<{text}>") } else { text.clone() };
            let sign = match line.side {
                Side::Both => ' ',
                Side::Old => '-',
                Side::New => '+',
            };
            format!("{sign} {}", line.pieces.iter().map(piece).collect::<String>())
        };
        diff.lines.iter().map(line).collect()
    }

    #[test]
    fn only_the_words_that_differ_are_marked_below_the_variable() {
        let new = OLD.replace("[3, 4]", "[3, 6]").replace("[4, 1]", "[6, 1]").replace("82.89", "7");
        let diff = guard_diff(OLD, &new, None).unwrap();
        assert_eq!(
            shown(&diff),
            [
                "  L['x']",
                "- TENSOR_MATCH: check_tensor(L['x'], size=[3, <4>], stride=[<4>, 1])  # return x  # a.py:8 in f",
                "+ TENSOR_MATCH: check_tensor(L['x'], size=[3, <6>], stride=[<6>, 1])  # return x  # a.py:8 in f",
            ]
        );
        assert_eq!((diff.equal, diff.differing, diff.left_out), (4, 2, 0));
    }

    #[test]
    fn addresses_ids_and_padding_are_no_difference() {
        let new = OLD
            .replace("94506458411648", "140043332985424")
            .replace(")   # return", ")              # return");
        let diff = guard_diff(OLD, &new, None).unwrap();
        assert_eq!((diff.lines.len(), diff.differing), (0, 0));
    }

    #[test]
    fn what_is_beyond_the_bound_is_counted() {
        let guard = |n: usize| format!("| +- EQUALS_MATCH: L['k{n}'] == {n}\n| +- TYPE_MATCH: t\n");
        let same = "| +- TYPE_MATCH: t\n".repeat(200);
        let many: String = (0..200).map(guard).collect();
        let diff = guard_diff(&same, &many, Some("k150")).unwrap();
        assert_eq!((diff.equal, diff.differing, diff.left_out), (200, 200, 140));
        assert!(diff.lines[0].pieces[0].0.contains("k150"), "what failed comes first");
        let more: String = (0..=MOST_GUARDS).map(|n| format!("k == {n}\n")).collect();
        assert_eq!(guard_diff("", &more, None), None);
    }
}
