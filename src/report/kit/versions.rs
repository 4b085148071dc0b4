//! The versions of torch, Python, CUDA and Triton that a log names.

use crate::limits::CELL;
use crate::report::doc::{Cell, Fact, log};
use crate::report::kit::formats::clipped;
use crate::report::subject::Report;

/// Metrics fields with a version.
const VERSIONS: [(&str, &str); 3] =
    [("Python", "python_version"), ("CUDA", "cuda_version"), ("Triton", "triton_version")];

/// The versions of torch, Python, CUDA and Triton, as labels and values.
pub(crate) fn versions<'m>(report: Report<'m>) -> anyhow::Result<Vec<Fact<'m>>> {
    let torch = report.model.torch.as_ref().map_or("not recorded".into(), |torch| {
        let commit = torch.commit.as_deref().map_or_else(String::new, |c| format!(", commit {c}"));
        log(format!("{}{commit}", torch.version))
    });
    let mut facts = vec![Fact::new("torch", torch)];
    let records = report.model.compiles.iter().flat_map(|c| &c.metrics);
    let Some(last) = records.max_by_key(|m| m.line) else {
        facts.push(Fact::new("Python, CUDA, Triton", "not recorded: metrics records contain them".into()));
        return Ok(facts);
    };
    let found = report.with_metrics(last, |fields| {
        VERSIONS.map(|(_, key)| fields.text(key).map(|text| clipped(text.trim(), CELL).0.to_owned()))
    })?;
    facts.extend(VERSIONS.into_iter().zip(found).map(|((label, _), version)| match version {
        Some(text) if text.is_empty() => Fact::new(label, "none".into()),
        version => Fact::new(label, Cell::maybe(version, log)),
    }));
    Ok(facts)
}
