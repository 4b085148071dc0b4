//! What the fields of metrics records mean, once for the records of all compiles.

use crate::limits::SEARCHED;
use crate::report::kit::markup::more;
use crate::report::kit::prelude::*;
use crate::report::words::metrics::glosses;
use crate::trace::TextSet;
use indexmap::IndexMap;

/// The anchor.
pub(crate) const ID: &str = "fields";

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

pub(crate) fn write(
    view: View<'_>,
    out: &mut dyn Write,
    fields: &IndexMap<&'static str, Vec<&'static str>>,
) -> anyhow::Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let count = fields.values().map(Vec::len).sum::<usize>();
    let about = "what torch records about each compile, without self-explanatory fields";
    view.open_section(out, (ID, "Fields of the metrics", about), Some(whole(count)), Html::default())?;
    let facts = fields.iter().map(|(meaning, names)| (names.join(" "), Html::escaped(meaning)));
    write_line(out, &more("What each means", &view.facts(facts)))?;
    Ok(close_section(out)?)
}
