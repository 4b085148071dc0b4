//! The versions of torch, Python, CUDA and Triton that a log names.

use crate::limits::CELL;
use crate::report::kit::formats::{UNKNOWN, clipped};
use crate::report::kit::html::Html;
use crate::report::kit::view::View;

/// Metrics fields with a version.
const VERSIONS: [(&str, &str); 3] =
    [("Python", "python_version"), ("CUDA", "cuda_version"), ("Triton", "triton_version")];

/// The versions of torch, Python, CUDA and Triton, as labels and values.
pub(crate) fn versions(view: View<'_>) -> anyhow::Result<Vec<(&'static str, Html)>> {
    let report = view.report;
    let torch = match &report.model.torch {
        Some(torch) => {
            let commit = torch.commit.as_deref().map_or_else(String::new, |c| format!(", commit {c}"));
            format!("{}{commit}", torch.version)
        }
        None => "not recorded".to_owned(),
    };
    let mut facts = vec![("torch", Html::escaped(&torch))];
    let records = report.model.compiles.iter().flat_map(|c| &c.metrics);
    let Some(last) = records.max_by_key(|m| m.line) else {
        facts.push(("Python, CUDA, Triton", Html::escaped("not recorded: metrics records contain them")));
        return Ok(facts);
    };
    let found = report.with_metrics(last, |fields| VERSIONS.map(|(_, key)| fields.text(key)))?;
    for ((label, _), version) in VERSIONS.into_iter().zip(found) {
        let text = match version.as_deref().map(str::trim) {
            Some("") => "none".to_owned(),
            Some(text) => clipped(text, CELL).0.to_owned(),
            None => UNKNOWN.to_owned(),
        };
        facts.push((label, Html::escaped(&text)));
    }
    Ok(facts)
}
