//! What the metrics records of a compile say about its graph, and links to each record.

use crate::model::{Compile, MetricsKind, MetricsRecord};
use crate::report::doc::{Cell, Fact, own};
use crate::report::kit::formats::count;
use crate::report::kit::markup::{fold, long_text};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::words::metrics::GRAPH;

/// The record whose times the page of the compile shows: the last forward record, else the last.
pub(super) fn main_record(compile: &Compile) -> Option<&MetricsRecord> {
    let records = &compile.metrics;
    records.iter().rfind(|m| m.kind == MetricsKind::Forward).or(records.last())
}

/// What a kind of record measures.
pub(super) fn title(kind: MetricsKind) -> &'static str {
    match kind {
        MetricsKind::Forward => "Forward compile",
        MetricsKind::Backward | MetricsKind::AotBackward => "Backward compile",
        MetricsKind::Runtime => "While the model ran",
        MetricsKind::BackwardRuntime => "While the backward ran",
    }
}

/// What a record measures, its time, and how many fields it has.
pub(super) fn about(record: &MetricsRecord) -> String {
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
pub(super) fn of_graph<'m>(subject: ShownCompile<'m>) -> Vec<Fact<'m>> {
    let Some(fields) = subject.metrics else { return Vec::new() };
    let counts = GRAPH.iter().filter(|(field, ..)| !IN_HEAD.contains(field));
    let counts = counts.filter_map(|(field, title, _)| {
        let number = fields.number(field).filter(|number| *number != 0.0)?;
        Some(Fact::new(*title, own(count(number))))
    });
    let mut facts: Vec<_> = counts.collect();
    for (field, title) in [
        ("compliant_custom_ops", "Custom operators"),
        ("non_compliant_ops", "Custom operators, not compliant"),
    ] {
        let ops = fields.get::<Vec<String>>(field).unwrap_or_default();
        if !ops.is_empty() {
            let ops = ops.into_iter().map(|op| Cell::Code(op.into()));
            facts.push(Fact::new(title, Cell::Beside(ops.collect(), ", ")));
        }
    }
    facts
}

/// A long text folded behind `words`, and its size.
pub(super) fn folded(words: &str, value: &str) -> Html {
    let size = match value.trim().lines().count() {
        0 | 1 => counted(value.chars().count(), "character", "characters"),
        lines => counted(lines, "line", "lines"),
    };
    let summary = Html::joined([Html::content(words), soft(Html::escaped(&size))], " ");
    fold(&summary, &long_text(value.trim_matches('\n')))
}
