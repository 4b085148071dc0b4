//! A folded glossary of the words on these pages.

use crate::analysis::{Producers, Stage};
use crate::report::kit::prelude::*;
use crate::report::words::phases::stage_words;
use crate::trace::TextSet;

#[derive(Serialize)]
struct Glossary {
    /// Which words the report uses; all of them for an empty log, whose page explains what a report would contain.
    attempts: bool,
    breaks: bool,
    recompiles: bool,
    sizes: bool,
    /// Whether compiled autograd captured a backward pass, and whether DDP's optimizer split a graph.
    captured_backward: bool,
    split_for_ddp: bool,
    stages: Vec<StageOf>,
}

#[derive(Serialize)]
struct StageOf {
    name: &'static str,
    anchor: String,
    about: &'static str,
    products: &'static str,
}

/// The anchor of a word in the glossary: `word-inductor-passes`.
fn anchor(word: &str) -> String {
    format!("word-{}", word.to_lowercase().replace(' ', "-"))
}

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = view.report.model.log.records == 0;
    let mut met = TextSet::default();
    for compile in &view.report.model.compiles {
        let producers = Producers::of(compile);
        met.extend(compile.artifacts.iter().map(|artifact| producers.place(&artifact.name).0));
    }
    // Of any log the phases of the compiler are told.
    let of_compiler = |stage: &Stage| *stage <= Stage::CodeGeneration;
    let is_told = |stage: &Stage| of_compiler(stage) || all || met.contains(stage);
    let stages = Stage::ALL.into_iter().filter(|stage| *stage != Stage::Other && is_told(stage));
    let stages = stages.map(|stage| {
        let (name, about) = stage_words(stage);
        StageOf { name, anchor: anchor(name), about, products: products(stage) }
    });
    let model = view.report.model;
    let broken = model.compiles.iter().any(|compile| compile.graph_breaks > 0);
    let wrote = |beginning: &str| {
        let mut artifacts = model.compiles.iter().flat_map(|compile| &compile.artifacts);
        all || artifacts.any(|artifact| artifact.name.starts_with(beginning))
    };
    let glossary = Glossary {
        attempts: all || broken || !model.restarts.is_empty(),
        breaks: all || broken || !model.failures.is_empty(),
        recompiles: all || !model.recompiles.is_empty(),
        sizes: all || !model.shapes.symbols.is_empty() || !model.shapes.specializations.is_empty(),
        captured_backward: wrote("compiled_autograd_graph"),
        split_for_ddp: wrote("optimize_ddp_split"),
        stages: stages.collect(),
    };
    Ok(write_line(out, &view.render("glossary", &glossary)?)?)
}

/// What a phase writes to the log.
fn products(stage: Stage) -> &'static str {
    match stage {
        Stage::Dynamo => "dynamo_output_graph, guards, reasons of graph breaks and recompilations, errors",
        Stage::AotAutograd => "aot_joint_graph with its forward and backward graphs, or aot_inference_graph",
        Stage::InductorPasses => {
            "the graph before and after its passes; fx_graph_runnable, the graph as a program"
        }
        Stage::CodeGeneration => {
            "inductor_output_code, a standalone Python program (python file.py); which line became which kernel"
        }
        Stage::Caches => {
            "one record per lookup, with its key: hit, miss, or bypass if no cache could be used"
        }
        Stage::Metrics => "compilation_metrics, one per attempt that ended and one per backward graph",
        Stage::Other => "",
    }
}
