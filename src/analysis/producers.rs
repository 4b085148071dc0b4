//! Other producers of artifacts than torch, recognized by a prefix that their names share.

use super::Stage;
use crate::model::Compile;
use crate::model::words::lines_of;
use crate::trace::TextMap;
use std::sync::LazyLock;

/// First words of torch's names for artifacts.
static TORCH: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("producers.txt")));

/// Suffixes of torch's names that can begin with anything: passes, bytecode, caches.
const TORCH_ENDINGS: &[&str] = &[
    "_pre_grad",
    "_post_grad",
    "_fused",
    "_BYTECODE",
    "_cache_hit",
    "_cache_miss",
    "_cache_bypass",
    "_cache_hash",
    "_cache_pickle_failure",
    "_code_state",
    "_ITERATIVE_RECOMPUTE_ERROR",
];

/// Longest prefix that counts as a name.
const LONGEST: usize = 40;

/// The producers other than torch among the files of a compile.
#[derive(Debug, Default)]
pub struct Producers<'m> {
    names: TextMap<&'m str, usize>,
}

impl<'m> Producers<'m> {
    /// Counts names by their first word. At least two files with the same prefix make a producer.
    pub fn of(compile: &'m Compile) -> Self {
        let mut names: TextMap<&str, usize> = TextMap::default();
        for artifact in &compile.artifacts {
            if let Some(word) = first_word(&artifact.name)
                && is_foreign(&artifact.name)
            {
                *names.entry(word).or_default() += 1;
            }
        }
        names.retain(|_, count| *count > 1);
        Producers { names }
    }

    /// The producer of the artifact; None if it is torch or unknown.
    pub fn producer<'n>(&self, name: &'n str) -> Option<&'n str> {
        first_word(name).filter(|word| self.names.contains_key(word))
    }

    /// Where a file is listed: its phase, or its producer after all phases.
    pub fn place<'n>(&self, name: &'n str) -> (Stage, Option<&'n str>) {
        match self.producer(name) {
            Some(producer) => (Stage::Other, Some(producer)),
            None => (Stage::named(name), None),
        }
    }
}

/// Whether the name is not one of torch's.
pub fn is_foreign(name: &str) -> bool {
    first_word(name).is_some() && !TORCH_ENDINGS.iter().any(|end| name.ends_with(end))
}

/// The first word of a name, unless it is one of torch's.
fn first_word(name: &str) -> Option<&str> {
    let end = name.find(|c: char| !c.is_ascii_alphanumeric())?;
    let word = name.get(..end)?;
    let named =
        word.len() > 1 && word.len() <= LONGEST && word.starts_with(|c: char| c.is_ascii_alphabetic());
    (named && TORCH.binary_search(&word).is_err()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_torch_are_in_order() {
        assert!(TORCH.is_sorted());
    }
}
