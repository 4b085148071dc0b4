//! torch's default settings by version, as `defaults/record.py` recorded them, and how the settings of a log compare.

use super::configs::Settings;
use crate::trace::TextMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What the script recorded: of each version what it has otherwise than the version before.
const RECORDED: &str = include_str!("defaults/defaults.json");

/// Nothing is copied out of the file: it holds a thousand settings, and a report asks for each once.
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
    /// The torch that they were recorded from.
    pub torch: &'static str,
    /// How that torch was chosen.
    pub choice: Choice,
    /// Settings by the field of the metrics that holds them.
    kinds: TextMap<&'static str, Kind>,
    /// Those of the recorded version on the other side of the log's, which it may have as well.
    next: TextMap<&'static str, Kind>,
}

/// How the version was chosen whose defaults a log is compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// It is the version of the log.
    #[default]
    Same,
    /// It is the nearest recorded version below that of the log.
    NearestBelow,
    /// The log does not name its torch: of all versions this one has the settings that the log has.
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
    /// It is the default.
    Default,
    /// It is not: the default as JSON.
    Changed(String),
    /// torch computes the default from the machine, or sets it while it compiles, so nobody knows.
    OfMachine,
    /// No default is recorded: torch had no such setting, or writes none that says anything.
    Unknown,
}

impl Defaults {
    /// The defaults to compare settings with (by the field that holds them). `torch` is the version that the log names.
    /// None where every recorded version is newer than the log's.
    pub fn for_log(torch: Option<&str>, settings: &[(&str, &Settings)]) -> Option<Defaults> {
        match torch.and_then(number) {
            Some(wanted) => Defaults::for_version(wanted),
            None => {
                let all = all();
                let fits =
                    |(_, one): &(usize, &Defaults)| (Reverse(one.misfits(settings)), number(one.torch));
                let (at, likest) = all.iter().enumerate().max_by_key(fits)?;
                // A version between two recorded ones is taken for the later of them, and may have the older's defaults.
                let before = at.checked_sub(1).and_then(|before| all.get(before));
                let next = before.map(|before| before.kinds.clone()).unwrap_or_default();
                let likest = Defaults { choice: Choice::BySettings, next, ..likest.clone() };
                (!settings.is_empty()).then_some(likest)
            }
        }
    }

    /// Those of a version, or of the nearest recorded one below it.
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

    /// The defaults of the version that was recorded after this one.
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

    /// How many settings only the log or only this version has.
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
        // torch's private settings change with every version, without anybody having set them.
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

/// The JSON of a value without space between its tokens.
fn compact(value: &RawValue) -> String {
    let compact = serde_json::from_str::<Value>(value.get()).map(|value| value.to_string());
    compact.unwrap_or_else(|_| value.get().to_owned())
}

/// Whether two values, as JSON, are the same; torch writes the members of a set in any order.
fn same(one: &str, other: &str) -> bool {
    // Nearly all settings are.
    if one == other {
        return true;
    }
    match (serde_json::from_str(one), serde_json::from_str(other)) {
        (Ok(Value::Array(one)), Ok(Value::Array(other))) if one != other => {
            let sorted = |list: &[Value]| {
                let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
                texts.sort_unstable();
                texts
            };
            sorted(&one) == sorted(&other)
        }
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// What was recorded of each version, oldest first.
fn recorded() -> Vec<Version> {
    // The file is ours; a test reads it.
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

    fn for_torch(torch: &str) -> Defaults {
        Defaults::for_log(Some(torch), &[]).unwrap()
    }

    #[test]
    fn a_version_has_its_own_defaults_and_those_that_did_not_change_since_older_ones() {
        let (old, new) = (for_torch("2.6.0"), for_torch("2.15.0+cu132"));
        assert_eq!((old.torch, old.choice), ("2.6.0+cu124", Choice::Same));
        assert_eq!(new.against("dynamo_config", "assume_static_by_default", "true"), Against::Default);
        assert_eq!(
            new.against("dynamo_config", "assume_static_by_default", "false"),
            Against::Changed("true".to_owned())
        );
        // Named otherwise since 2.7.
        assert_eq!(old.against("dynamo_config", "recompile_limit", "8"), Against::Unknown);
        assert_eq!(new.against("dynamo_config", "recompile_limit", "9"), Against::Changed("8".to_owned()));
        assert_eq!(old.against("dynamo_config", "cache_size_limit", "8"), Against::Default);
        assert_eq!(
            old.against("inductor_config", "max_autotune", "true"),
            Against::Changed("false".to_owned())
        );
        assert_eq!(old.against("no_config", "a", "1"), Against::Unknown);
    }

    #[test]
    fn what_depends_on_the_machine_is_never_called_changed() {
        for torch in ["2.6.0", "2.8.0", "2.15.0"] {
            let defaults = for_torch(torch);
            let threads = defaults.against("inductor_config", "compile_threads", "77");
            assert_eq!(threads, Against::OfMachine, "{torch}");
        }
    }

    #[test]
    fn a_version_that_is_not_recorded_is_compared_with_the_nearest_below() {
        // Between two versions it may have the default of either.
        let between = for_torch("2.7.1");
        assert_eq!((between.torch, between.choice), ("2.6.0+cu124", Choice::NearestBelow));
        let pgo = |value| between.against("dynamo_config", "automatic_dynamic_local_pgo", value);
        assert_eq!((pgo("false"), pgo("true")), (Against::Default, Against::Default));
        let newer = for_torch("2.99.1");
        assert_eq!((newer.torch, newer.choice), ("2.15.0+cu132", Choice::NearestBelow));
        assert!(Defaults::for_log(Some("1.13.0"), &[]).is_none());
        assert!(Defaults::for_log(None, &[]).is_none());
    }

    #[test]
    fn a_log_that_does_not_name_its_torch_is_known_by_its_settings() {
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
    fn a_set_is_the_same_in_any_order() {
        assert!(same(r#"["a", "b"]"#, r#"["b","a"]"#));
        assert!(!same(r#"["a", "b"]"#, r#"["b", "b"]"#));
    }

    #[test]
    fn a_default_is_named_without_the_spaces_that_torch_writes() {
        let defaults = for_torch("2.6.0");
        let Against::Changed(default) =
            defaults.against("dynamo_config", "_autograd_backward_strict_mode_banned_ops", "[]")
        else {
            panic!("it is not the default");
        };
        assert!(default.starts_with(r#"["stride","requires_grad""#), "{default}");
    }
}
