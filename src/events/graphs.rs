//! Graphs of every stage: files that are shown as they are.

use super::program_lines::{captured_lines, graph_lines};
use super::repeats::repeated_lines;
use super::{Event, Flow, RankContext};
use crate::model::{Form, GraphSizes, Language, Readable, hash_stable};
use crate::read::fx_graph::Statement;
use serde_json::value::RawValue;
use std::hash::Hasher;

pub(super) fn parse_output_graph(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.key, Form::Text);
    let text = event.payload_text().unwrap_or_default();
    cx.world_size_in(&text);
    let lines = graph_lines(&text);
    let repeated = repeated_lines(&text, &lines);
    let captured = captured_lines(&lines, &mut cx.model().program_lines);
    let print = graph_print(&text);
    if let Some(compile) = cx.here() {
        compile.graph_print = print;
        compile.sections.retain(|section| section.id != "graph-sizes");
        compile.graph_sizes = GraphSizes::default();
        compile.captured = captured;
        compile.repeated = repeated.map(Box::new);
    }
    let fields = event.fields();
    let Some(sizes) = fields.get::<crate::model::Fields<'_>>("sizes") else { return Ok(Flow::Handled) };
    let sizes: GraphSizes = sizes.iter().map(|(value, size)| (value, size.get().replace('"', ""))).collect();
    // It has no rows of its own: the pages show the sizes.
    cx.table("graph-sizes");
    if let Some(compile) = cx.here() {
        compile.graph_sizes = sizes;
    }
    Ok(Flow::Handled)
}

/// A hash of the statements of a graph, equal for ranks that captured the same; None where the text ends before the graph does.
fn graph_print(text: &str) -> Option<u64> {
    let is_whole = text.lines().any(|line| line.trim_start().starts_with("return "));
    let mut print = fxhash::FxHasher64::default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    // Ranks may take the same inputs in another order.
    for statement in lines.filter_map(Statement::read).filter(|statement| !statement.is_name()) {
        for part in [statement.name, statement.annotation, statement.value] {
            hash_stable(part, &mut print);
            print.write_u8(0);
        }
    }
    is_whole.then(|| print.finish())
}

/// Events whose payload is a graph and whose key is its name.
pub(super) fn parse_graph(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = match event.name {
        Some(name) => format!("{}_{name}", event.key),
        None => event.key.to_owned(),
    };
    cx.artifact_of_payload(event, &name, Form::Text);
    Ok(Flow::Handled)
}

pub(super) fn parse_graph_dump(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = event.name.unwrap_or("graph_dump");
    let id = cx.artifact_of_payload(event, name, Form::Text);
    if is_cpp(event.fields().raw("type"), name) {
        cx.readable(id, Readable::Code(Language::Cpp));
    }
    Ok(Flow::Handled)
}

fn is_cpp(kind: Option<&RawValue>, name: &str) -> bool {
    kind.is_some_and(|kind| kind.get() == "\"cpp\"") || name == "inductor_aot_code"
}
