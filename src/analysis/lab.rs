//! Which advice was tried, and under which versions of torch it came out well.
//!
//! `lab/` has a program for each kind of advice. `lab/run.py` runs it before and after the advice under a given torch, and
//! writes what it found to `lab.json`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// The versions of each kind.
static TRIED: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| serde_json::from_str(include_str!("lab.json")).unwrap_or_default());

/// An advice that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The program and its FIX: `print_call.3`; `print_call` is about all that this program states.
    pub kind: &'static str,
    /// The versions of torch, the newest first, separated by commas.
    versions: &'static str,
}

impl Tried {
    /// The versions of torch under which it came out well, the newest first.
    pub fn versions(self) -> impl Iterator<Item = &'static str> {
        self.versions.split(", ")
    }
}

/// In words: `2.15, 2.8 (lab/print_call.py, FIX=3)`.
impl fmt::Display for Tried {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind.split_once('.') {
            Some((program, fix)) => write!(to, "{} (lab/{program}.py, FIX={fix})", self.versions),
            None => write!(to, "{} (lab/{}.py)", self.versions, self.kind),
        }
    }
}

/// Under which versions of torch an advice of the lab came out well; None if under none.
pub(in crate::analysis) fn tried(kind: &str) -> Option<Tried> {
    TRIED.get_key_value(kind).map(|(kind, versions)| Tried { kind, versions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_tried_under_the_versions_that_the_lab_recorded() {
        let versions = tried("batch_size").unwrap().to_string();
        assert!(versions.starts_with("2.15, "), "{versions}");
        assert!(versions.ends_with("(lab/batch_size.py)"), "{versions}");
        assert_eq!(tried("no such kind"), None);
    }

    #[test]
    fn a_switch_that_an_older_torch_lacks_was_not_tried_there() {
        assert_eq!(tried("print_call.5").unwrap().to_string(), "2.15 (lab/print_call.py, FIX=5)");
        assert!(tried("print_call.3").unwrap().versions().any(|version| version == "2.8"));
    }
}
