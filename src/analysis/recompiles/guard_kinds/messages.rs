//! Guards that torch reports as messages: the rows of `messages.toml`.

use crate::analysis::pattern::{Groups, Pattern};
use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::kind::ChangeKind;
use crate::read::expr::as_written;
use crate::trace::TextSet;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Default, Deserialize)]
struct Messages {
    message: Vec<Message>,
}

/// A form of message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    starts: String,
    pattern: Option<Pattern>,
    kind: ChangeKind,
    #[serde(default)]
    kinds: BTreeMap<String, ChangeKind>,
    old: Option<String>,
    new: Option<String>,
    each: Option<Pattern>,
}

/// Reads a message; None if it has no such form.
pub(super) fn read(text: &str) -> Option<Change> {
    static MESSAGES: LazyLock<Messages> =
        LazyLock::new(|| toml::from_str(include_str!("messages.toml")).unwrap_or_default());
    let mut groups = Groups::new();
    let row = MESSAGES.message.iter().find(|row| {
        let pattern = row.pattern.as_ref();
        text.starts_with(&row.starts) && pattern.is_none_or(|pattern| pattern.holds(text, &mut groups))
    })?;
    let of = |name: &str| groups.get(name).map(String::as_str);
    let what = of("what").or(of("device")).and_then(|what| row.kinds.get(what));
    let (old, new) = (of("old").or(row.old.as_deref()), of("new").or(row.new.as_deref()));
    let change = Change::new(what.copied().unwrap_or(row.kind), of("source")).with_values(old, new);
    if change.kind == ChangeKind::DispatchKeys {
        return Some(dispatch_keys(change));
    }
    let is_parameter = text.contains("on a parameter")
        || of("source").is_some_and(|source| source.contains("_parameters[") || source.contains("_buffers["));
    let names = row.each.as_ref().zip(of("source")).map(|(each, list)| each.all(list).map(as_written));
    let names = names.map(|names| names.collect::<Vec<_>>().join(", "));
    Some(Change {
        kind: if is_parameter && change.kind == ChangeKind::Size {
            ChangeKind::ParameterSize
        } else {
            change.kind
        },
        source: names.or(change.source).filter(|source| !source.is_empty()),
        dimension: of("dimension").and_then(|number| number.parse().ok()),
        of_parameter: is_parameter,
        ..change
    })
}

/// `DispatchKeySet(CPU, BackendSelect, AutogradCPU)`: the change is the keys that only one side has, or the device if
/// the keys are for different devices.
fn dispatch_keys(change: Change) -> Change {
    let (was, is) = (keys(change.old.as_deref()), keys(change.new.as_deref()));
    let (gone, came) = (without(&was, &is), without(&is, &was));
    let (from, to) = (device(&was), device(&is));
    let change = Change { old: None, new: None, ..change };
    if from.is_some() && to.is_some() && from != to {
        return Change { kind: ChangeKind::Device, ..change }.with_values(from, to);
    }
    let autocast = |key: &&str| key.starts_with("Autocast");
    let is_autocast = (gone.len() + came.len() > 0) && gone.iter().chain(&came).all(autocast);
    let kind = if is_autocast { ChangeKind::Autocast } else { ChangeKind::DispatchKeys };
    let words = |keys: &[&str]| if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
    let text = format!("dispatch keys gone: {}; new: {}", words(&gone), words(&came));
    let condition = (!was.is_empty() && !is.is_empty()).then_some(text);
    Change { kind, condition, ..change }
}

fn keys(text: Option<&str>) -> Vec<&str> {
    let inside = text.and_then(|text| text.split_once('(')).map_or("", |(_, rest)| rest);
    let inside = inside.trim_end_matches(['.', ')']);
    inside.split(',').map(str::trim).filter(|key| !key.is_empty()).collect()
}

/// The keys that are not among others.
fn without<'t>(keys: &[&'t str], others: &[&'t str]) -> Vec<&'t str> {
    let others: TextSet<&str> = others.iter().copied().collect();
    keys.iter().copied().filter(|key| !others.contains(key)).collect()
}

/// The first key of a dense tensor is its device.
fn device<'t>(keys: &[&'t str]) -> Option<&'t str> {
    let devices = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA PrivateUse1 Meta";
    keys.first().copied().filter(|key| devices.split(' ').any(|device| device == *key))
}
