//! Configurations of a log: how they differ, and which settings affect the report.

use crate::model::words::words_of;
use crate::trace::OrderedMap;
use indexmap::IndexMap;
use std::sync::LazyLock;

/// The settings of a configuration: names and values as JSON.
pub type Settings = OrderedMap<String, String>;

/// A setting that differs between configurations of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing<'c> {
    pub name: &'c str,
    /// Each value (None if it is missing) with the places of the configurations that have it.
    pub values: Vec<(Option<&'c str>, Vec<usize>)>,
}

/// Settings that differ between these configurations, in order of first appearance.
pub fn differing<'c>(configs: &[&'c Settings]) -> Vec<Differing<'c>> {
    if configs.len() < 2 {
        return Vec::new();
    }
    let mut names: IndexMap<&str, ()> = IndexMap::new();
    for config in configs {
        names.extend(config.keys().map(|name| (name.as_str(), ())));
    }
    let of = |name: &'c str| {
        let mut values: IndexMap<Option<&str>, Vec<usize>> = IndexMap::new();
        for (index, config) in configs.iter().enumerate() {
            values.entry(config.get(name).map(String::as_str)).or_default().push(index);
        }
        (values.len() > 1).then(|| Differing { name, values: values.into_iter().collect() })
    };
    names.into_keys().filter_map(of).collect()
}

/// A setting that changes what is compiled, cached or reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notable {
    /// Field of the metrics that contains it.
    pub kind: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// Settings that explain most surprises, by topic.
pub static NOTABLE: LazyLock<Vec<Notable>> = LazyLock::new(|| {
    let of = |(setting, about): (&'static str, &'static str)| {
        let (kind, name) = setting.split_once(' ')?;
        Some(Notable { kind, name, about })
    };
    words_of(include_str!("configs.txt")).into_iter().filter_map(of).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_notable_setting_is_listed_twice() {
        for (index, notable) in NOTABLE.iter().enumerate() {
            assert!(NOTABLE[..index].iter().all(|n| (n.kind, n.name) != (notable.kind, notable.name)));
        }
    }
}
