//! The configuration of a module, as labels with values.

use crate::model::{VllmEvent, VllmFact};
use crate::report::kit::html::Html;
use crate::report::kit::markup::Element;
use crate::report::kit::view::View;

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

/// Two columns of facts.
pub(crate) fn facts(view: View<'_>, config: &VllmEvent) -> Option<[Html; 2]> {
    let VllmFact::Config(fields) = &config.fact else { return None };
    let label = |key: &str| LABELS.iter().find(|(field, _)| *field == key).map(|(_, label)| *label);
    let facts: Vec<(&str, Html)> =
        fields.iter().map(|(key, text)| (label(key).unwrap_or(key), value(view, text))).collect();
    if facts.is_empty() {
        return None;
    }
    let (left, right) = facts.split_at(facts.len().div_ceil(2));
    Some([view.facts(left.to_vec()), view.facts(right.to_vec())])
}

/// `VLLM_COMPILE` for `CompilationMode.VLLM_COMPILE`, in full on hover; words for true, false and null.
fn value(view: View<'_>, text: &str) -> Html {
    match text {
        "" | "null" | "None" => return Html::escaped("none"),
        "true" | "True" => return Html::escaped("yes"),
        "false" | "False" => return Html::escaped("no"),
        _ => {}
    }
    match text.split_once('.') {
        Some((class, member))
            if is_name(class) && is_name(member) && !class.starts_with(char::is_lowercase) =>
        {
            Element::new("code").title(text).around(member)
        }
        _ => view.folded(text, true),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
