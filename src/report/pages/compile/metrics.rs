//! What the metrics records of a compile say about its graph, and links to each record.

use crate::limits::{CELL, PARAGRAPH};
use crate::model::{Compile, MetricsKind, MetricsRecord};
use crate::report::kit::formats::count;
use crate::report::kit::markup::{fold, long_text};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::words::metrics::GRAPH;

/// The record whose times the page of the compile shows: the last forward record, else the last.
pub(crate) fn main_record(compile: &Compile) -> Option<&MetricsRecord> {
    let records = &compile.metrics;
    records.iter().rfind(|m| m.kind == MetricsKind::Forward).or(records.last())
}

/// What a kind of record measures.
pub(crate) fn title(kind: MetricsKind) -> &'static str {
    match kind {
        MetricsKind::Forward => "Forward compile",
        MetricsKind::Backward | MetricsKind::AotBackward => "Backward compile",
        MetricsKind::Runtime => "While the model ran",
        MetricsKind::BackwardRuntime => "While the backward ran",
    }
}

/// What a record measures, its time, and how many fields it has.
pub(crate) fn about(record: &MetricsRecord) -> String {
    let time = record.total_us().map(|us| format!(", {}", micros(us))).unwrap_or_default();
    format!("{}{time}, {}", title(record.kind), counted(record.facts.set_fields, "field", "fields"))
}

/// Counts that the head of the page shows in its own words.
const IN_HEAD: [&str; 7] = [
    "graph_op_count",
    "graph_node_count",
    "graph_input_count",
    "guard_count",
    "param_count",
    "param_numel",
    "param_bytes",
];

/// Further counts of the graph, and custom operators, as labels and values.
pub(crate) fn of_graph(view: View<'_>, subject: ShownCompile<'_>) -> Vec<(&'static str, Html)> {
    let Some(fields) = subject.metrics else { return Vec::new() };
    let counts = GRAPH.iter().filter(|(field, ..)| !IN_HEAD.contains(field));
    let counts = counts.filter_map(|(field, title, _)| {
        let number = fields.number(field).filter(|number| *number != 0.0)?;
        Some((*title, Html::escaped(&count(number))))
    });
    let mut facts: Vec<(&str, Html)> = counts.collect();
    for (field, title) in [
        ("compliant_custom_ops", "Custom operators"),
        ("non_compliant_ops", "Custom operators, not compliant"),
    ] {
        let ops = fields.get::<Vec<String>>(field).unwrap_or_default();
        if !ops.is_empty() {
            facts.push((title, Html::joined(ops.iter().map(|op| view.code(op)), ", ")));
        }
    }
    facts
}

/// Code or text, folded behind its first line if it has more than `most` lines.
pub(crate) fn lines(value: &str, most: usize) -> Html {
    let one_line = !value.trim().contains('\n');
    if one_line && value.len() <= PARAGRAPH {
        return Html::escaped(value);
    }
    if value.lines().count() <= most && value.len() <= PARAGRAPH {
        return text(value);
    }
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    folded(&format!("{} …", clipped(first, CELL).0), value)
}

/// A long text folded behind `words`, and its size.
pub(crate) fn folded(words: &str, value: &str) -> Html {
    let size = match value.trim().lines().count() {
        0 | 1 => counted(value.chars().count(), "character", "characters"),
        lines => counted(lines, "line", "lines"),
    };
    let summary = Html::joined([Html::content(words), soft(Html::escaped(&size))], " ");
    fold(&summary, &text(value))
}

/// Text of several lines as it is.
pub(crate) fn text(text: &str) -> Html {
    let text = Html::escaped(text.trim_matches('\n'));
    long_text(&text)
}
