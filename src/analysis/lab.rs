//! Which advice was tried, and under which versions of torch it came out well.
//!
//! `lab/` has a program for each kind of advice. `lab/run.py` runs it before and after the advice under a given torch, and
//! writes what it found to `lab.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What each kind says, made once: the table has only the versions.
static TRIED: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let table: BTreeMap<&str, &str> = serde_json::from_str(include_str!("lab.json")).unwrap_or_default();
    table.into_iter().map(|(kind, versions)| (kind, words(kind, versions))).collect()
});

fn words(kind: &str, versions: &str) -> String {
    match kind.split_once('.') {
        Some((program, fix)) => format!("{versions} (lab/{program}.py, FIX={fix})"),
        None => format!("{versions} (lab/{kind}.py)"),
    }
}

/// The versions of torch, the newest first, under which an advice of the lab came out well, and its program:
/// `2.15, 2.8 (lab/print_call.py, FIX=3)` for `print_call.3`. `print_call` is about all that this program states.
pub(in crate::analysis) fn tried(kind: &str) -> Option<&'static str> {
    TRIED.get(kind).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_tried_under_the_versions_that_the_lab_recorded() {
        let versions = tried("batch_size").unwrap();
        assert!(versions.starts_with("2.15, "), "{versions}");
        assert!(versions.ends_with("(lab/batch_size.py)"), "{versions}");
        assert_eq!(tried("no such kind"), None);
    }

    #[test]
    fn a_switch_that_an_older_torch_lacks_was_not_tried_there() {
        assert_eq!(tried("print_call.5"), Some("2.15 (lab/print_call.py, FIX=5)"));
        assert!(tried("print_call.3").is_some_and(|versions| versions.contains("2.8")));
    }
}
