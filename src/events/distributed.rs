//! What a rank does together with others: schedules of collectives, tensor metadata, execution order.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{
    AdviceKind, CollectiveCalls, Collectives, Execution, Fields, Form, GraphOps, Op, TensorMeta,
};
use indexmap::IndexMap;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(Distributed)]
}

/// Artifacts that multi-rank comparisons read.
struct Distributed;

impl StructuredLogParser for Distributed {
    fn name(&self) -> &'static str {
        "distributed"
    }

    fn about(&self) -> &'static str {
        "Schedules of collectives, estimated runtimes, tensor metadata and execution order, for comparing ranks."
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "artifact:inductor_collective_schedule",
            "artifact:inductor_runtime_and_tensor_meta",
            "artifact:graph_execution",
            "artifact:inductor_spmd_graph_mismatch",
        ]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let name = event.name.unwrap_or_default();
        let is_text = name == "inductor_spmd_graph_mismatch";
        cx.artifact_of_payload(event, name, if is_text { Form::Text } else { Form::Json });
        let text = event.payload_text().unwrap_or_default();
        let compile = cx.compile_at_hand();
        let graph = cx.here().map(|c| c.folder(event.attempt)).unwrap_or_default();
        match name {
            "inductor_collective_schedule" => {
                let ops = serde_json::from_str(&text)?;
                cx.model().cross_rank.collectives.push(Collectives { graph, compile, ops });
            }
            "inductor_runtime_and_tensor_meta" => {
                let (runtime, tensors) = operations(&text)?;
                cx.model().cross_rank.runtime.push(GraphOps { graph: graph.clone(), ops: runtime });
                cx.model().cross_rank.tensor_meta.push(TensorMeta { graph, ops: tensors });
            }
            "graph_execution" => {
                let order = execution_order(&text)?;
                cx.model().cross_rank.execution.get_or_insert_default().extend(order);
            }
            _ => {
                cx.notice(
                    AdviceKind::SpmdMismatch,
                    "The graphs of the ranks do not match",
                    text.into_owned(),
                );
            }
        }
        Ok(Flow::Handled)
    }
}

/// Operations of a graph: runtimes, and what each returns as `name: dtype[shape]/[stride]`.
fn operations(json: &str) -> anyhow::Result<(Vec<Op>, Vec<String>)> {
    let payload = Fields::parse(json)?;
    let ops: Vec<Fields<'_>> = payload.get("ops").unwrap_or_default();
    let mut tensors = Vec::with_capacity(ops.len());
    let mut runtime = Vec::with_capacity(ops.len());
    for op in &ops {
        let name = op.text("name").unwrap_or_default();
        let outputs: Vec<Fields<'_>> = op.get("outputs").unwrap_or_default();
        let outputs: Vec<String> = outputs.iter().map(output).collect();
        tensors.push(format!("{name}: {}", outputs.join(", ")));
        runtime.push(Op { name, kind: op.text("type"), ns: op.number("estimated_runtime_ns") });
    }
    Ok((runtime, tensors))
}

fn output(output: &Fields<'_>) -> String {
    let compact = |field| output.raw(field).map_or("?".to_owned(), |v| v.get().split_whitespace().collect());
    format!(
        "{}{}/{}",
        output.text("dtype").unwrap_or_else(|| "?".to_owned()),
        compact("shape"),
        compact("stride")
    )
}

/// `{"graph_execution_order": [{"compile_id": "0/1"}, ..]}`, or torch 2.9's `{"graph": "graph_0"}`.
fn execution_order(json: &str) -> anyhow::Result<Vec<Execution>> {
    let payload = Fields::parse(json)?;
    let order: Vec<Fields<'_>> = payload.get("graph_execution_order").unwrap_or_default();
    Ok(order.iter().map(|graph| Execution { compile_id: graph.text("compile_id") }).collect())
}

impl RankContext<'_> {
    /// Counts the calls of collectives in generated code, comments left out.
    pub(super) fn collectives_in_code(&mut self, code: &str) {
        const FAMILY: &str = "torch.ops._c10d_functional.";
        if !code.contains(FAMILY) {
            return;
        }
        let mut calls: IndexMap<String, u64> = IndexMap::new();
        for line in code.lines().filter(|l| !l.trim_start().starts_with('#')) {
            for (at, _) in line.match_indices(FAMILY) {
                let rest = line.get(at..).unwrap_or_default();
                if let Some((call, _)) = rest.split_once('(')
                    && call.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_')
                {
                    *calls.entry(call.to_owned()).or_default() += 1;
                }
            }
        }
        let compile = self.compile_at_hand();
        self.model().cross_rank.in_code.push(CollectiveCalls { compile, calls });
    }
}
