//! Strings of a forked process: torch inherits the table but not the file, so only the parent's log defines them.

use crate::limits::TRIED;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::discover::sibling_logs;
use super::envelope::Envelope;
use super::header::for_each_header;
use super::prefix::LocalTime;
use super::source::Source;

/// Looks in the other logs of the folder for strings that this log uses but does not define.
///
/// `first` is the time of the process's first record, `needed` its unresolved numbers, `own_first` the smallest
/// number it defined itself: larger ones cannot be inherited. A log qualifies as the parent's when it began before
/// and had defined all the needed strings by then. Where qualifying logs disagree, a string stays unknown. Logs that
/// cannot be read are passed over.
pub fn strings_from_siblings(
    log: &Source,
    first: LocalTime,
    needed: &[i64],
    own_first: Option<i64>,
) -> Vec<(i64, String)> {
    let mut needed: Vec<i64> =
        needed.iter().copied().filter(|id| *id >= 0 && own_first.is_none_or(|own| *id < own)).collect();
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() {
        return Vec::new();
    }
    let mut agreed: Option<HashMap<i64, String>> = None;
    for table in tables_beside(log, first).flat_map(Tables::into_values) {
        if needed.iter().any(|id| !table.contains_key(id)) {
            continue;
        }
        match &mut agreed {
            None => agreed = Some(table),
            Some(agreed) => agreed.retain(|id, text| table.get(id) == Some(text)),
        }
    }
    let mut agreed = agreed.unwrap_or_default();
    needed.into_iter().filter_map(|id| Some((id, agreed.remove(&id)?))).collect()
}

type Tables = HashMap<u64, HashMap<i64, String>>;

/// The string tables of each log beside this one that can be read.
fn tables_beside(log: &Source, end: LocalTime) -> Box<dyn Iterator<Item = Tables> + '_> {
    if let Some(siblings) = log.stored_siblings() {
        return Box::new(siblings.take(TRIED).filter_map(move |log| tables_before(log, end).ok()));
    }
    let tables = move |path: PathBuf| File::open(path).and_then(|file| tables_before(file, end)).ok();
    Box::new(sibling_logs(log.path()).into_iter().take(TRIED).filter_map(tables))
}

/// The string tables, by process, that a log had built up before a time.
fn tables_before(log: impl Read, end: LocalTime) -> io::Result<Tables> {
    let mut tables = Tables::new();
    for_each_header(log, |prefix, json| {
        if prefix.time >= end {
            return ControlFlow::Break(());
        }
        if let Some((id, text)) = definition(json) {
            tables.entry(prefix.pid).or_default().insert(id, text);
        }
        ControlFlow::Continue(())
    })?;
    Ok(tables)
}

/// The number and the text of `{"str": ["text", 7]}`.
fn definition(json: &str) -> Option<(i64, String)> {
    if !json.starts_with("{\"str\":") {
        return None;
    }
    let envelope = Envelope::parse(json).ok()?;
    let (_, value) = envelope.events.first()?;
    let (text, id): (String, i64) = serde_json::from_str(value.get()).ok()?;
    Some((id, text))
}
