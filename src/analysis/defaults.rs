//! torch's default settings by version, as recorded by `defaults/record.py`, and how the settings of a log compare.

use super::configs::Settings;
use crate::trace::{TextMap, compact_json, ordered_json};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The recording: for each version, its differences from the version before.
const RECORDED: &str = include_str!("defaults/defaults.json");

/// Borrows from the recording: it has a thousand settings, and a report needs each once.
#[derive(Deserialize)]
struct Version {
    torch: &'static str,
    #[serde(borrow)]
    settings: TextMap<&'static str, TextMap<&'static str, &'static RawValue>>,
    #[serde(borrow)]
    gone: TextMap<&'static str, Vec<&'static str>>,
    #[serde(borrow)]
    machine: TextMap<&'static str, BTreeSet<&'static str>>,
}

/// The default settings of one version of torch.
#[derive(Debug, Clone, Default)]
pub struct Defaults {
    /// The version of torch that they were recorded from.
    pub torch: &'static str,
    /// How that version was chosen.
    pub choice: Choice,
    /// Settings by field of the metrics.
    kinds: TextMap<&'static str, Kind>,
    /// The settings of the adjacent recorded version, which the log's version may also have.
    next: TextMap<&'static str, Kind>,
}

/// How the version to compare a log with was chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// The version of the log.
    #[default]
    Same,
    /// The latest recorded version before the log's.
    NearestBelow,
    /// The log does not name its version: the version whose settings match the log best.
    BySettings,
}

#[derive(Debug, Clone, Default)]
struct Kind {
    /// Values as JSON.
    settings: TextMap<&'static str, &'static RawValue>,
    machine: BTreeSet<&'static str>,
}

/// How the value of a setting compares with torch's default.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    Default,
    /// Another value; with the default as JSON.
    Changed(String),
    /// Unknown, because torch computes the default from the machine, or sets it while it compiles.
    OfMachine,
    /// No default is recorded: that version has no such setting, or no meaningful default.
    Unknown,
}

impl Defaults {
    /// The defaults to compare `settings` (by field) with. `torch` is the version that the log names. None if every recorded
    /// version is newer than the log's.
    pub fn for_log(torch: Option<&str>, settings: &[(&str, &Settings)]) -> Option<Defaults> {
        match torch.and_then(number) {
            Some(wanted) => Defaults::for_version(wanted),
            None => {
                let all = all();
                let fits =
                    |(_, one): &(usize, &Defaults)| (Reverse(one.misfits(settings)), number(one.torch));
                let (at, likest) = all.iter().enumerate().max_by_key(fits)?;
                // A version between two recorded ones matches the later one, but may have defaults of the earlier one.
                let before = at.checked_sub(1).and_then(|before| all.get(before));
                let next = before.map(|before| before.kinds.clone()).unwrap_or_default();
                let likest = Defaults { choice: Choice::BySettings, next, ..likest.clone() };
                (!settings.is_empty()).then_some(likest)
            }
        }
    }

    /// The defaults of a version, or of the latest recorded one before it.
    fn for_version(wanted: (u32, u32)) -> Option<Defaults> {
        // Versions are recorded in order.
        let is_reached = |version: &Version| number(version.torch).is_some_and(|own| own <= wanted);
        let (mut nearest, mut versions) = (Defaults::default(), recorded().into_iter().peekable());
        while let Some(version) = versions.next_if(is_reached) {
            nearest = nearest.followed_by(version);
        }
        if number(nearest.torch)? == wanted {
            return Some(nearest);
        }
        let next = versions.next().map(|version| nearest.clone().followed_by(version).kinds);
        Some(Defaults { choice: Choice::NearestBelow, next: next.unwrap_or_default(), ..nearest })
    }

    /// The defaults of the next recorded version.
    fn followed_by(mut self, version: Version) -> Defaults {
        for (kind, names) in &version.gone {
            let of = self.kinds.entry(kind).or_default();
            names.iter().for_each(|name| {
                of.settings.remove(name);
            });
        }
        for (kind, settings) in version.settings {
            self.kinds.entry(kind).or_default().settings.extend(settings);
        }
        for (kind, machine) in version.machine {
            self.kinds.entry(kind).or_default().machine = machine;
        }
        self.torch = version.torch;
        self
    }

    /// Number of settings that only the log or only this version has.
    fn misfits(&self, settings: &[(&str, &Settings)]) -> usize {
        let of = |(kind, settings): &(&str, &Settings)| {
            let Some(own) = self.kinds.get(*kind) else { return settings.len() };
            let unknown = settings.keys().filter(|name| !own.settings.contains_key(name.as_str())).count();
            let lacking = own.settings.keys().filter(|name| !settings.contains_key(**name)).count();
            unknown + lacking
        };
        settings.iter().map(of).sum()
    }

    /// How a value (as JSON) of a setting compares with its default.
    pub fn against(&self, field: &str, name: &str, value: &str) -> Against {
        let Some(kind) = self.kinds.get(field) else { return Against::Unknown };
        let Some(default) = kind.settings.get(name) else { return Against::Unknown };
        // torch's private settings change with every version, even if nobody sets them.
        if self.choice != Choice::Same && name.starts_with('_') {
            return Against::Unknown;
        }
        let next = self.next.get(field).and_then(|next| next.settings.get(name));
        match [Some(default), next].into_iter().flatten().any(|default| same(value, default.get())) {
            true => Against::Default,
            false if kind.machine.contains(name) => Against::OfMachine,
            false => Against::Changed(compact(default)),
        }
    }
}

/// The JSON of a value without spaces between tokens.
fn compact(value: &RawValue) -> String {
    compact_json(value.get()).unwrap_or_else(|| value.get().to_owned())
}

/// Whether two JSON values are the same; torch writes sets in any order.
pub(super) fn same(one: &str, other: &str) -> bool {
    // Nearly all settings are equal as they are written.
    one == other || ordered_json(one).is_some_and(|one| ordered_json(other) == Some(one))
}

/// The recorded versions, oldest first.
fn recorded() -> Vec<Version> {
    // A test reads the file, so that it is valid.
    let recorded: TextMap<&str, Version> = serde_json::from_str(RECORDED).unwrap_or_default();
    let mut versions: Vec<Version> = recorded.into_values().collect();
    versions.sort_by_key(|version| number(version.torch));
    versions
}

/// All recorded versions, oldest first, each with all its settings.
fn all() -> Vec<Defaults> {
    let filled = recorded().into_iter().scan(Defaults::default(), |before, version| {
        *before = before.clone().followed_by(version);
        Some(before.clone())
    });
    filled.collect()
}

/// `(2, 8)` of `2.8.0+cu128`: settings change between such versions.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', '+']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_a_version_is_recognized_by_its_settings() {
        for one in all() {
            let texts = one.kinds.iter().map(|(kind, of)| {
                let settings =
                    of.settings.iter().map(|(name, value)| (name.to_string(), value.get().to_owned()));
                (*kind, settings.collect::<Settings>())
            });
            let texts: Vec<(&str, Settings)> = texts.collect();
            let settings: Vec<(&str, &Settings)> =
                texts.iter().map(|(kind, settings)| (*kind, settings)).collect();
            let found = Defaults::for_log(None, &settings).unwrap();
            assert_eq!((found.torch, found.choice), (one.torch, Choice::BySettings));
        }
    }

    #[test]
    fn a_default_is_shown_without_the_spaces_that_torch_writes() {
        let defaults = Defaults::for_log(Some("2.6.0"), &[]).unwrap();
        let Against::Changed(default) =
            defaults.against("dynamo_config", "_autograd_backward_strict_mode_banned_ops", "[]")
        else {
            panic!("it is not the default");
        };
        assert!(default.starts_with(r#"["stride","requires_grad""#), "{default}");
    }
}
