//! The configuration of a module, as labels with values.

use crate::model::{VllmEvent, VllmFact};
use crate::report::doc::{Cell, Fact};

/// Labels of the fields that vLLM writes today; other fields keep their names.
const LABELS: [(&str, &str); 15] = [
    ("model", "Model"),
    ("prefix", "Module"),
    ("mode", "Mode"),
    ("backend", "Backend"),
    ("custom_ops", "Custom operators"),
    ("splitting_ops", "Cut at"),
    ("cudagraph_mode", "CUDA graphs"),
    ("compile_sizes", "Single sizes"),
    ("compile_ranges_split_points", "Ranges end at"),
    ("compile_ranges_endpoints", "Ranges end at"),
    ("use_inductor_graph_partition", "Inductor cuts the graph"),
    ("inductor_passes", "Inductor passes"),
    ("enabled_passes", "vLLM passes"),
    ("dynamic_shapes_type", "Dynamic shapes"),
    ("dynamic_shapes_evaluate_guards", "Evaluate guards"),
];

/// The fields as facts; None if it is no configuration.
pub(super) fn facts<'m>(config: &'m VllmEvent) -> Option<Vec<Fact<'m>>> {
    let VllmFact::Config(fields) = &config.fact else { return None };
    let label = |key: &str| LABELS.iter().find(|(field, _)| *field == key).map(|(_, label)| *label);
    let fact = |(key, text): &'m (String, String)| match label(key) {
        Some(label) => Fact::new(label, value(text)),
        None => Fact::new(key.clone(), value(text)),
    };
    Some(fields.iter().map(fact).collect())
}

/// `VLLM_COMPILE` for `CompilationMode.VLLM_COMPILE`, in full on hover; words for true, false and null.
fn value(text: &str) -> Cell<'_> {
    match text {
        "" | "null" | "None" => return "none".into(),
        "true" | "True" => return "yes".into(),
        "false" | "False" => return "no".into(),
        _ => {}
    }
    match text.split_once('.') {
        Some((class, member))
            if is_name(class) && is_name(member) && !class.starts_with(char::is_lowercase) =>
        {
            Cell::Titled(text.into(), Box::new(Cell::Code(member.into())))
        }
        _ => Cell::Code(text.into()),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
