//! The words of these pages, explained; folded away.

use super::directory::stage_words;
use crate::analysis::Stage;
use crate::report::parts::View;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Glossary {
    stages: Vec<StageOf>,
}

#[derive(Serialize)]
struct StageOf {
    name: &'static str,
    about: &'static str,
    products: &'static str,
}

pub(super) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let stages = Stage::ALL.into_iter().filter(|stage| *stage != Stage::Other).map(|stage| {
        let (name, about) = stage_words(stage);
        StageOf { name, about, products: products(stage) }
    });
    let glossary = Glossary { stages: stages.collect() };
    writeln!(out, "{}", view.render("glossary", &glossary)?.as_str())?;
    Ok(())
}

/// What a phase writes into the log.
fn products(stage: Stage) -> &'static str {
    match stage {
        Stage::Dynamo => {
            "the captured graph (dynamo_output_graph), the guards (dynamo_cpp_guards_str), the bytecode before and \
             after, reasons of graph breaks and recompilations, errors"
        }
        Stage::AotAutograd => {
            "the joint graph of forward and backward, then the two apart (aot_forward_graph, aot_backward_graph), or \
             one graph for inference (aot_inference_graph)"
        }
        Stage::InductorPasses => {
            "the graph before and after each group of passes (pre-grad, joint, post-grad), and the graph as a program \
             that runs by itself (fx_graph_runnable)"
        }
        Stage::CodeGeneration => {
            "the generated Python with its C++ or Triton kernels (inductor_output_code), and which line of the model \
             became which kernel (inductor_provenance_tracking)"
        }
        Stage::Caches => {
            "one record a lookup, with its key: hit, miss, or bypass where the cache could not be asked"
        }
        Stage::Metrics => {
            "one record an attempt that came to an end (compilation_metrics), and one a backward graph"
        }
        Stage::Other => "",
    }
}
