//! Graphs of every stage: files that are shown as they are.

use super::repeats::repeated_lines;
use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Column, Form, GraphSizes, Language, Readable};
use serde_json::value::RawValue;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(OutputGraph), Box::new(Graph), Box::new(GraphDump)]
}

/// `dynamo_output_graph`: what Dynamo captured, with the sizes of its values.
struct OutputGraph;

const SIZE_COLUMNS: [Column; 2] = [Column::text("Value"), Column::text("Size")];

impl StructuredLogParser for OutputGraph {
    fn name(&self) -> &'static str {
        "dynamo_output_graph"
    }

    fn about(&self) -> &'static str {
        "The graph that Dynamo captured, with the size of each value."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["dynamo_output_graph"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        cx.artifact_of_payload(event, event.key, Form::Text);
        let repeated = event.payload_text().and_then(|text| repeated_lines(&text));
        if let Some(compile) = cx.here() {
            compile.sections.retain(|section| section.id != "graph-sizes");
            compile.graph_sizes = GraphSizes::default();
            compile.repeated = repeated.map(Box::new);
        }
        let fields = event.fields();
        let Some(sizes) = fields.get::<crate::model::Fields<'_>>("sizes") else { return Ok(Flow::Handled) };
        let sizes: GraphSizes =
            sizes.iter().map(|(value, size)| (value, size.get().replace('"', ""))).collect();
        // It has no rows of its own: the pages show the sizes.
        cx.section("graph-sizes", "Sizes in the captured graph", "value by value", &SIZE_COLUMNS);
        if let Some(compile) = cx.here() {
            compile.graph_sizes = sizes;
        }
        Ok(Flow::Handled)
    }
}

/// Events whose payload is a graph and whose key is its name.
struct Graph;

impl StructuredLogParser for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn about(&self) -> &'static str {
        "A graph of AOTAutograd, Inductor, compiled autograd or the DDP optimizer, as a file."
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "optimize_ddp_split_graph",
            "optimize_ddp_split_child",
            "compiled_autograd_graph",
            "aot_joint_graph*",
            "aot_forward_graph*",
            "aot_backward_graph*",
            "aot_inference_graph",
            "aot_saved_tensors_hooks_*",
            "inductor_pre_grad_graph",
            "inductor_post_grad_graph",
        ]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let name = match event.name {
            Some(name) => format!("{}_{name}", event.key),
            None => event.key.to_owned(),
        };
        cx.artifact_of_payload(event, &name, Form::Text);
        Ok(Flow::Handled)
    }
}

/// `graph_dump`: code of AOTInductor and graphs of other programs, under their own names.
struct GraphDump;

impl StructuredLogParser for GraphDump {
    fn name(&self) -> &'static str {
        "graph_dump"
    }

    fn about(&self) -> &'static str {
        "Graphs and code that a producer dumps under a name of its own; C++ also as a highlighted page."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["graph_dump"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let name = event.name.unwrap_or("graph_dump");
        let id = cx.artifact_of_payload(event, name, Form::Text);
        if is_cpp(event.fields().raw("type"), name) {
            cx.readable(id, Readable::Code(Language::Cpp));
        }
        Ok(Flow::Handled)
    }
}

fn is_cpp(kind: Option<&RawValue>, name: &str) -> bool {
    kind.is_some_and(|kind| kind.get() == "\"cpp\"") || name == "inductor_aot_code"
}
