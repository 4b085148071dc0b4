//! Patterns and texts of rules that are kept in files: a pattern finds named groups, and a text has places for them.

use regex::{Captures, Regex};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// What named groups hold.
pub(super) type Groups = BTreeMap<&'static str, String>;

/// A regular expression of a rule, which is compiled when it is first asked: most rules of a file are never reached.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(text: String) -> Pattern {
        assert!(cfg!(not(test)) || Regex::new(&text).is_ok(), "not a regular expression: {text}");
        Pattern { text, compiled: OnceLock::new() }
    }
}

impl Pattern {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// All that matches in a text: the group of each match, or else the match.
    pub(super) fn all<'t>(&'static self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let all = self.regex().into_iter().flat_map(move |regex| regex.captures_iter(text));
        all.filter_map(|found| Some(found.get(1).or_else(|| found.get(0))?.as_str()))
    }

    /// Whether a text matches, with no group that differs from what is known; adds the others.
    pub(super) fn holds(&'static self, text: &str, known: &mut Groups) -> bool {
        let Some(regex) = self.regex() else { return false };
        regex.captures_iter(text).any(|found| {
            let named = regex.capture_names().flatten();
            let named = named.filter_map(|name| Some((name, found.name(name)?.as_str())));
            let named: Vec<(&str, &str)> = named.filter(|(_, text)| !text.is_empty()).collect();
            let agrees = named.iter().all(|(name, text)| known.get(name).is_none_or(|known| known == text));
            if agrees {
                known.extend(named.into_iter().map(|(name, text)| (name, text.to_owned())));
            }
            agrees
        })
    }
}

/// A text with its `{groups}`, or the words of `{group|words}` for one that is not known; None if there are none.
pub(super) fn filled(text: &str, groups: &Groups) -> Option<String> {
    // Names are ASCII; a pattern without Unicode is compiled faster.
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{((?-u:\w)+)(?:\|([^}]*))?\}").ok());
    let mut is_whole = true;
    let text = PLACE.as_ref()?.replace_all(text, |place: &Captures<'_>| {
        let known = groups.get(&place[1]).map(String::as_str);
        let text = known.or_else(|| Some(place.get(2)?.as_str()));
        is_whole &= text.is_some();
        text.unwrap_or_default().to_owned()
    });
    let text = text.into_owned();
    is_whole.then_some(text)
}
