//! How to read a report, for a first visit: ids, statuses and phases in one line that unfolds. Each term leads to its
//! gloss.

use crate::analysis::Stage;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::stacks::{StatusWords, statuses};
use crate::report::words::phases::stage_words;

#[derive(Serialize)]
struct Primer {
    id: String,
    statuses: Vec<StatusWords>,
    /// Whether the terms have a gloss in this report.
    attempts: bool,
    breaks: bool,
    recompiles: bool,
    phases: Vec<Phase>,
    split_for_ddp: bool,
}

#[derive(Serialize)]
struct Phase {
    name: &'static str,
    anchor: String,
    about: &'static str,
}

/// The anchor of a word in the glossary: `word-inductor-passes`.
pub(crate) fn anchor(word: &str) -> String {
    format!("word-{}", word.to_lowercase().replace(' ', "-"))
}

pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    let Some(first) = model.identified().next() else { return Ok(()) };
    let wrote = |beginning: &str| {
        let mut artifacts = model.compiles.iter().flat_map(|compile| &compile.artifacts);
        artifacts.any(|artifact| artifact.name.starts_with(beginning))
    };
    let broken = model.compiles.iter().any(|compile| compile.graph_breaks > 0);
    let of_compiler = |stage: &Stage| !matches!(stage, Stage::Caches | Stage::Metrics | Stage::Other);
    let phase = |stage| {
        let (name, about) = stage_words(stage);
        Phase { name, anchor: anchor(name), about }
    };
    let primer = Primer {
        id: first.label(),
        statuses: statuses(view.report),
        attempts: broken || !model.restarts.is_empty(),
        breaks: broken || !model.failures.is_empty(),
        recompiles: !model.recompiles.is_empty(),
        phases: Stage::ALL.into_iter().filter(of_compiler).map(phase).collect(),
        split_for_ddp: wrote("optimize_ddp_split"),
    };
    Ok(write_line(out, &view.render("primer", &primer)?)?)
}
