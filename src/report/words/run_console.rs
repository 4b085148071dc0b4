//! What the console of a run adds to its log, in one sentence.

use crate::analysis::run_console::told;
use crate::limits::NAMED_BRIEFLY;
use crate::model::words::counted;
use crate::model::{Compile, ConsoleGraphs};
use crate::report::kit::formats::and_more;
use crate::report::subject::Report;

/// None where no console was given, or where nothing beyond an exception is on it.
pub(crate) fn sentence(report: Report<'_>) -> Option<String> {
    let console = report.model.console.as_ref()?;
    let on_device = &report.found.on_device;
    let seen = on_device.iter().filter_map(|(index, of)| {
        let label = report.model.compiles.get(index).map(Compile::label)?;
        of_graphs(&format!(" of {label}"), of.cuda_graphs.as_ref()?.seen.as_ref()?)
    });
    let mut parts: Vec<String> = seen.chain(of_graphs("", &on_device.apart)).collect();
    let more = and_more(parts.len(), NAMED_BRIEFLY);
    parts.truncate(NAMED_BRIEFLY);
    if let Some(last) = parts.last_mut() {
        last.push_str(&more);
    }
    if parts.is_empty() && !console.graphs.is_empty() {
        parts.push("no CUDA graphs: torch was not asked for any".to_owned());
    }
    let hints: u64 = console.hints.iter().map(|hint| hint.count).sum();
    parts.extend((hints > 0).then(|| counted(hints, "hint on performance", "hints on performance")));
    (!parts.is_empty()).then(|| format!("On the console: {}.", parts.join("; ")))
}

fn of_graphs(label: &str, seen: &ConsoleGraphs) -> Option<String> {
    let told = told(seen);
    (!told.is_empty()).then(|| format!("CUDA graphs{label}: {}", told.join(", ")))
}
