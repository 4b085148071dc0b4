//! Which advice was tried, and under which versions of torch it came out well.
//!
//! `lab/` has a program for each kind of advice. `lab/run.py` runs it before and after the advice under a given torch, and
//! writes what it found to `lab.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The versions of each kind, and after a semicolon what an advice of it came to.
static TRIED: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| serde_json::from_str(include_str!("lab.json")).unwrap_or_default());

/// An advice that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The program and its FIX: `print_call.3`; `print_call` is about all that this program states.
    pub kind: &'static str,
    /// The versions of torch under which it came out well, the newest first: `2.15, 2.8`.
    pub on: &'static str,
    /// What became of that program under the newest of them: `2 compiles became 1, 1 graph break went`; may be empty.
    pub outcome: &'static str,
}

impl Tried {
    /// The versions of torch under which it came out well, the newest first.
    pub fn versions(self) -> impl Iterator<Item = &'static str> {
        self.on.split(", ")
    }
}

/// Under which versions of torch an advice of the lab came out well; None if under none.
pub(in crate::analysis) fn tried(kind: &str) -> Option<Tried> {
    let (kind, text) = TRIED.get_key_value(kind)?;
    let (on, outcome) = text.split_once("; ").unwrap_or((text, ""));
    Some(Tried { kind, on, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_tried_under_the_versions_that_the_lab_recorded() {
        assert!(tried("batch_size").unwrap().on.starts_with("2.15, "));
        assert_eq!(tried("no such kind"), None);
    }

    #[test]
    fn a_switch_that_an_older_torch_lacks_was_not_tried_there() {
        assert_eq!(tried("print_call.5").unwrap().on, "2.15");
        assert!(tried("print_call.3").unwrap().versions().any(|version| version == "2.8"));
    }

    #[test]
    fn what_an_advice_came_to_is_told_in_numbers() {
        assert_eq!(tried("print_call.3").unwrap().outcome, "2 compiles became 1, 1 graph break went");
    }
}
