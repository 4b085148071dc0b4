//! Which advice was tried, and under which versions of torch it came out well.
//!
//! `lab/` has a program for each kind of advice. `lab/run.py` runs it before and after the advice under a given torch, and
//! writes what it found to `lab.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static TRIED: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| serde_json::from_str(include_str!("lab.json")).unwrap_or_default());

/// The versions of torch, the newest first, under which a kind of the lab came out well: `2.15, 2.8` for `print_call`.
/// `print_call.5` is about its advice with that FIX alone.
pub(in crate::analysis) fn tried(kind: &str) -> Option<&'static str> {
    TRIED.get(kind).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_tried_under_the_versions_that_the_lab_recorded() {
        let versions = tried("batch_size").unwrap();
        assert!(versions.starts_with("2.15"), "{versions}");
        assert_eq!(tried("no such kind"), None);
    }

    #[test]
    fn a_switch_that_an_older_torch_lacks_was_not_tried_there() {
        assert_eq!(tried("print_call.5"), Some("2.15"));
        assert!(tried("print_call.3").is_some_and(|versions| versions.contains("2.8")));
    }
}
