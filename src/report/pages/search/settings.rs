//! Settings of torch with their values; those switched off come last.

use crate::limits::{LONG_TABLE, SHORT_NAME};
use crate::report::kit::formats::clipped;
use crate::report::kit::log_settings::{self, OFF};
use crate::report::kit::search_index::{IndexWriter, write_text};
use crate::report::subject::Report;
use std::borrow::Cow;
use std::io::Write;

/// Bytes of names per entry: an entry is written whole or not at all.
const NAMES: usize = 500;

/// Settings of one module with equal values, or with values of their own.
struct Group<'m> {
    /// The module: `Inductor`.
    of: &'static str,
    /// Link to their section.
    href: String,
    /// Their common value; None if each name is followed by its own.
    value: Option<&'static str>,
    /// `recompile_limit = 8`; only the name if the group has a common value.
    names: Vec<Cow<'m, str>>,
}

/// Writes the settings of the most used configuration of each kind: `["Inductor", href, value or null, [names]]`.
pub(crate) fn write(report: Report<'_>, index: &mut IndexWriter<'_>) -> anyhow::Result<()> {
    index.list("settings")?;
    let groups = groups(report)?;
    let (own, shared): (Vec<&Group<'_>>, Vec<&Group<'_>>) =
        groups.iter().partition(|group| group.value.is_none());
    let mut json = Vec::new();
    for group in own.into_iter().chain(shared) {
        let mut names = group.names.as_slice();
        while !names.is_empty() {
            let mut bytes = 0;
            let fits = |name: &&Cow<'_, str>| {
                bytes += name.len();
                bytes <= NAMES
            };
            let (some, rest) = names.split_at(names.iter().take_while(fits).count().max(1));
            entry(&mut json, group, some)?;
            match index.entry(&json)? {
                true => index.rows += some.len(),
                false => index.dropped += some.len(),
            }
            names = rest;
        }
    }
    Ok(())
}

fn entry(json: &mut Vec<u8>, group: &Group<'_>, names: &[Cow<'_, str>]) -> anyhow::Result<()> {
    json.clear();
    json.push(b'[');
    write_text(json, group.of);
    json.push(b',');
    write_text(json, &group.href);
    match group.value {
        Some(value) => write!(json, ",\"{value}\",[")?,
        None => json.extend_from_slice(b",null,["),
    }
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            json.push(b',');
        }
        write_text(json, name);
    }
    json.extend_from_slice(b"]]");
    Ok(())
}

fn groups(report: Report<'_>) -> anyhow::Result<Vec<Group<'_>>> {
    let mut groups = Vec::new();
    for kind in log_settings::kinds(report)? {
        let Some(config) = kind.configs.first() else { continue };
        let href = format!("configuration.html#{}", kind.id);
        let group = |value, names| Group { of: kind.title, href: href.clone(), value, names };
        let has_value = |value: &String| !OFF.contains(&value.as_str());
        let own = config.settings.iter().filter(|(_, value)| has_value(value));
        let own = own.map(|(name, value)| [name, " = ", clipped(value, SHORT_NAME).0].concat().into());
        groups.push(group(None, own.take(LONG_TABLE).collect()));
        for value in OFF {
            let names = config.settings.iter().filter(|(_, of)| *of == value);
            groups.push(group(
                Some(value),
                names.map(|(name, _)| name.as_str().into()).take(LONG_TABLE).collect(),
            ));
        }
    }
    Ok(groups)
}
