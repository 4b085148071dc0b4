//! Meanings of the fields of metrics records.

use crate::model::Fields;
use crate::model::words::words_of;
use serde::Deserialize;
use std::sync::LazyLock;

/// A time of a metrics record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeField {
    /// Field in microseconds.
    micros: &'static str,
    /// Older field for the same time, and the microseconds per unit.
    #[serde(default)]
    legacy: Option<(&'static str, f64)>,
    /// Its label.
    pub(crate) title: &'static str,
    /// Its nesting depth: a deeper time is part of the one above it.
    #[serde(default)]
    pub(crate) depth: usize,
    pub(crate) meaning: &'static str,
    /// Whether it is outside of the compiler's phases.
    #[serde(default)]
    pub(crate) aside: bool,
}

impl TimeField {
    /// Whether it is the total of the record.
    pub(crate) fn is_whole(&self) -> bool {
        self.micros == "duration_us"
    }

    pub(crate) fn read(&self, fields: &Fields<'_>) -> Option<(f64, &'static str)> {
        let new = fields.number(self.micros).map(|us| (us, self.micros));
        new.or_else(|| {
            let (field, unit) = self.legacy?;
            Some((fields.number(field)? * unit, field))
        })
    }
}

/// All times, each followed by its nested times.
pub(crate) static TIMES: LazyLock<Vec<TimeField>> =
    LazyLock::new(|| serde_json::from_str(include_str!("times.json")).unwrap_or_default());

/// Counts that describe the graph: field, label, meaning.
pub(crate) const GRAPH: [(&str, &str, &str); 10] = [
    ("graph_op_count", "Operators", "calls in the graph that Dynamo captured; 0: nothing was compiled"),
    ("graph_node_count", "Nodes", "calls, inputs, outputs and attributes"),
    ("graph_input_count", "Inputs", "placeholders, sizes included"),
    ("ir_count", "IR nodes", "operations after lowering in Inductor"),
    ("guard_count", "Guards", "as counted by torch"),
    ("shape_env_guard_count", "Shape guards", "conditions on symbolic sizes"),
    ("param_count", "Parameters", "tensors of the module"),
    ("param_numel", "Parameter elements", "over all parameters"),
    ("param_bytes", "Parameter bytes", "over all parameters"),
    ("num_graph_breaks", "Graph breaks so far", "of the whole process, not of this frame"),
];

/// Meanings of other fields.
static OTHERS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| words_of(include_str!("metrics.txt")));

/// All known fields with their meanings.
pub(crate) fn glosses() -> impl Iterator<Item = (&'static str, &'static str)> {
    let times = TIMES.iter().flat_map(|time| {
        let legacy = time.legacy.map(|(field, _)| field);
        legacy.into_iter().chain([time.micros]).map(|field| (field, time.meaning))
    });
    OTHERS.iter().copied().chain(GRAPH.into_iter().map(|(field, _, meaning)| (field, meaning))).chain(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_an_old_log_is_in_microseconds_too() {
        let fields = Fields::parse(r#"{"entire_frame_compile_time_s": 1.5, "gc_time_us": 7}"#).unwrap();
        let read: Vec<_> = TIMES.iter().filter_map(|t| t.read(&fields)).collect();
        assert_eq!(read, [(1.5e6, "entire_frame_compile_time_s"), (7.0, "gc_time_us")]);
    }

    #[test]
    fn fields_are_explained() {
        assert!(TIMES.first().is_some_and(TimeField::is_whole), "all times are read");
        let meaning = |field: &str| glosses().find(|(name, _)| *name == field).map(|(_, meaning)| meaning);
        assert!(meaning("guard_latency_us").unwrap().contains("per call"));
        let newer = meaning("aot_autograd_cumulative_compile_time_us");
        assert!(newer.is_some() && meaning("backend_compile_time_s") == newer);
        assert_eq!(meaning("new_field"), None);
    }
}
