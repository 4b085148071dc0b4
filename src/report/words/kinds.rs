//! Names and meanings of the kinds of findings, for readers outside of a report.

use crate::analysis::findings::KindOfFinding;
use crate::model::capital;
use crate::model::words::words_of;
use std::sync::LazyLock;

static KINDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| words_of(include_str!("kinds.txt")));

/// The meaning of all other kinds, which are about jobs.
const OF_A_JOB: &str = "The ranks of a job do different things, or one of them differs from the others.";

/// The label of a kind; falls back to its word for kinds of other programs.
pub(crate) fn label(word: &str) -> String {
    let label = KindOfFinding::of_log(word).map(|kind| kind.label().to_owned());
    label.unwrap_or_else(|| capital(&word.replace('_', " ")))
}

/// The meaning of a kind.
pub(crate) fn about(word: &str) -> &'static str {
    KINDS.iter().find(|(kind, _)| *kind == word).map_or(OF_A_JOB, |(_, about)| about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_finding_about_a_log_is_explained_in_a_sentence() {
        for kind in KindOfFinding::of_logs() {
            assert_ne!(about(kind.word()), OF_A_JOB, "{kind:?}");
        }
        assert!(KINDS.is_sorted_by_key(|(word, _)| *word));
        assert!(KINDS.iter().all(|(_, about)| about.ends_with('.') && !about.contains("  ")));
    }
}
