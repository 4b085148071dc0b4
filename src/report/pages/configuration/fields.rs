//! What the fields of metrics records mean, once for the records of all compiles.

use crate::limits::SEARCHED;
use crate::report::doc::{Block, Fact, Section};
use crate::report::subject::Report;
use crate::report::words::metrics::glosses;
use crate::trace::TextSet;
use indexmap::IndexMap;

/// Fields with self-explanatory names, and ends of such names.
const CLEAR: [&str; 8] = [
    "co_name",
    "co_filename",
    "co_firstlineno",
    "stack_trace",
    "start_time",
    "log_format_version",
    "specialize_float",
    "config_suppress_errors",
];
const CLEAR_ENDS: [&str; 2] = ["_cache_hit_count", "_cache_miss_count"];

/// Known fields that are set in the log's metrics, grouped by meaning.
pub(crate) fn found(report: Report<'_>) -> anyhow::Result<IndexMap<&'static str, Vec<&'static str>>> {
    let clear = |name: &str| CLEAR.contains(&name) || CLEAR_ENDS.iter().any(|end| name.ends_with(end));
    let mut unseen: IndexMap<&str, &str> =
        glosses().filter(|(name, meaning)| !meaning.is_empty() && !clear(name)).collect();
    let mut set: TextSet<&str> = TextSet::default();
    let records = report.model.compiles.iter().flat_map(|compile| &compile.metrics);
    for record in records.take(SEARCHED) {
        report.with_metrics(record, |fields| {
            unseen.retain(|name, _| {
                let known = fields.raw(name).is_some_and(|value| value.get() != "null");
                if known {
                    set.insert(name);
                }
                !known
            });
        })?;
    }
    let mut found: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (name, meaning) in glosses().filter(|(name, _)| set.contains(name)) {
        found.entry(meaning).or_default().push(name);
    }
    Ok(found)
}

pub(crate) fn section<'m>(fields: &IndexMap<&'static str, Vec<&'static str>>) -> Option<Block<'m>> {
    let count = fields.values().map(Vec::len).sum::<usize>();
    let about = "what torch records about each compile, without self-explanatory fields";
    let facts = fields.iter().map(|(meaning, names)| Fact::new(names.join(" "), (*meaning).into())).collect();
    let blocks = vec![Block::More { summary: "What each means".into(), blocks: vec![Block::Facts(facts)] }];
    let section = Section::new("fields", "Fields of the metrics", blocks).about(about).counted(count);
    (!fields.is_empty()).then_some(Block::Section(section))
}
