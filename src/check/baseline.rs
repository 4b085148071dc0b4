//! The baseline: a file of known items, to be kept in git and reviewed as a diff.

use super::budget::IN_BASELINE;
use crate::compare::items::Item;
use crate::facts::Identity;
use crate::output::write_text;
use anyhow::bail;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The version of the file format.
const VERSION: u64 = 1;

/// Comment at the top of the file.
const HEAD: &str = "# Known items: tlparse check fails only on what is not listed here.\n\
                    # Written by tlparse check LOG --baseline FILE --update-baseline. Removing an entry makes it fail again.\n\n";

/// Known items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// How often each is known.
    known: BTreeMap<Identity, u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u64,
    #[serde(default)]
    known: Vec<BaselineEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    file: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    function: String,
    reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: u64,
}

fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(count: &u64) -> bool {
    *count == 1
}

impl Baseline {
    /// Reads a baseline file.
    ///
    /// # Errors
    /// It is not a baseline file of this version.
    pub fn parse(text: &str) -> anyhow::Result<Baseline> {
        let file: BaselineFile = toml::from_str(text).map_err(|error| {
            anyhow::anyhow!("it is not a baseline: {}", error.to_string().trim_end().replace('\n', "\n  "))
        })?;
        if file.version != VERSION {
            bail!(
                "its version is {}, and this program reads version {VERSION}; write it again with --update-baseline",
                file.version
            );
        }
        let mut known = BTreeMap::new();
        for BaselineEntry { kind, file, function, reason, source, count } in file.known {
            *known.entry(Identity { kind, file, function, reason, source }).or_insert(0) += count;
        }
        Ok(Baseline { known })
    }

    /// The text of its file: sorted, one value per line.
    ///
    /// # Errors
    /// A text cannot be written as TOML.
    pub fn text(&self) -> anyhow::Result<String> {
        let entry = |(identity, count): (&Identity, &u64)| {
            let Identity { kind, file, function, reason, source } = identity.clone();
            BaselineEntry { kind, file, function, reason, source, count: *count }
        };
        let file = BaselineFile { version: VERSION, known: self.known.iter().map(entry).collect() };
        Ok(format!("{HEAD}{}", toml::to_string(&file)?))
    }

    /// Writes its file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        write_text(path, &self.text()?)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds the items of a log. Each log is checked on its own, so counts are the maximum over logs.
    pub(super) fn add_log<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        let mut counts: BTreeMap<&Identity, u64> = BTreeMap::new();
        for item in items.filter(|item| IN_BASELINE.contains(&item.aspect)) {
            *counts.entry(&item.identity).or_default() += 1;
        }
        for (identity, count) in counts {
            let known = self.known.entry(identity.clone()).or_default();
            *known = count.max(*known);
        }
    }

    /// Splits the items of a log into the new ones and the number of known ones.
    pub(super) fn divide<'i>(&self, items: &'i [Item]) -> (Vec<&'i Item>, usize) {
        let mut left = self.known.clone();
        let mut known = 0;
        let mut new = Vec::new();
        for item in items {
            match left.get_mut(&item.identity).filter(|_| IN_BASELINE.contains(&item.aspect)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    known += 1;
                }
                _ => new.push(item),
            }
        }
        (new, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(reason: &str) -> Identity {
        Identity {
            kind: "graph_break".to_owned(),
            file: "net.py".to_owned(),
            function: "forward".to_owned(),
            reason: reason.to_owned(),
            source: "print(\"x\\y\")".to_owned(),
        }
    }

    #[test]
    fn a_baseline_is_sorted_and_reads_back_unchanged() {
        let known = BTreeMap::from([(identity("b \"quoted\""), 2), (identity("a"), 1)]);
        let baseline = Baseline { known };
        let text = baseline.text().unwrap();
        assert_eq!(Baseline::parse(&text).unwrap(), baseline, "{text}");
        assert!(text.find("\"a\"").unwrap() < text.find("quoted").unwrap(), "{text}");
        assert_eq!(text.matches("[[known]]").count(), 2, "{text}");
        assert_eq!(text.matches("count =").count(), 1, "a count of 1 goes without saying: {text}");
    }

    #[test]
    fn an_empty_baseline_is_a_file_too() {
        let text = Baseline::default().text().unwrap();
        assert!(Baseline::parse(&text).unwrap().is_empty(), "{text}");
    }

    #[test]
    fn other_files_are_not_baselines() {
        assert!(Baseline::parse("failures = 0").unwrap_err().to_string().contains("not a baseline"));
        assert!(Baseline::parse("version = 2").unwrap_err().to_string().contains("version is 2"));
    }
}
