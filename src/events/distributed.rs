//! What a rank does together with the others: schedules of collectives, tensor metadata, execution order.

use super::{Event, Flow, RankContext};
use crate::model::{AdviceKind, CodeCall, Fields, Form, InGraph, Op};

pub(super) fn parse_distributed(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = event.name.unwrap_or_default();
    let is_text = name == "inductor_spmd_graph_mismatch";
    cx.artifact_of_payload(event, name, if is_text { Form::Text } else { Form::Json });
    let text = event.payload_text().unwrap_or_default();
    let (compile, graph) = (cx.compile_at_hand(), cx.folder());
    match name {
        "inductor_collective_schedule" => {
            let ops = serde_json::from_str(&text)?;
            cx.model().cross_rank.collectives.push(InGraph { compile, graph, ops });
        }
        "inductor_runtime_and_tensor_meta" => {
            let (ops, returned) = operations(&text)?;
            cx.model().cross_rank.runtime.push(InGraph { compile, graph: graph.clone(), ops });
            cx.model().cross_rank.tensor_meta.push(InGraph { compile, graph, ops: returned });
        }
        "graph_execution" => {
            let order = execution_order(&text)?;
            cx.model().cross_rank.execution.get_or_insert_default().extend(order);
        }
        _ => {
            cx.notice(AdviceKind::SpmdMismatch, "The graphs of the ranks do not match", text.into_owned());
        }
    }
    Ok(Flow::Handled)
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
fn execution_order(json: &str) -> anyhow::Result<Vec<Option<String>>> {
    let payload = Fields::parse(json)?;
    let order: Vec<Fields<'_>> = payload.get("graph_execution_order").unwrap_or_default();
    Ok(order.iter().map(|graph| graph.text("compile_id").filter(|id| !id.is_empty())).collect())
}

impl RankContext<'_> {
    /// Notes the calls of collectives in generated code; comments are ignored.
    pub(super) fn collectives_in_code(&mut self, code: &str) {
        if !code.contains(FAMILY) {
            return;
        }
        self.world_size_in(code);
        let lines = code.lines().filter(|line| !line.trim_start().starts_with('#'));
        let ops = lines.flat_map(calls_in).collect();
        let (compile, graph) = (self.compile_at_hand(), self.folder());
        self.model().cross_rank.in_code.push(InGraph { compile, graph, ops });
    }
}

impl RankContext<'_> {
    /// Notes how many ranks the default process group has, where a text calls a collective that says so.
    pub(super) fn world_size_in(&mut self, text: &str) {
        if !text.contains("_c10d_functional.") {
            return;
        }
        let size = text.lines().filter_map(world_size).max();
        let known = &mut self.model().cross_rank.world_size;
        *known = (*known).max(size);
    }
}

/// Collectives that take the size of their group, right before its name.
const SIZED: [&str; 2] = ["all_gather_into_tensor", "reduce_scatter_tensor"];

/// The size of the default process group in a call: `all_gather_into_tensor(buf0, 4, '0')`.
pub(super) fn world_size(line: &str) -> Option<u64> {
    let call = SIZED.iter().find_map(|name| line.split_once(name))?.1;
    let before = ["'0')", "\"0\")"].iter().find_map(|group| call.split_once(group))?.0;
    before.trim_end().strip_suffix(',')?.rsplit(',').next()?.trim().parse().ok()
}

/// The namespaces of torch's collectives.
const FAMILY: &str = "torch.ops._c10d_functional.";

/// The collectives that a line of code calls.
pub(super) fn calls_in(line: &str) -> impl Iterator<Item = CodeCall> {
    line.match_indices(FAMILY).filter_map(|(at, _)| {
        let (operation, arguments) = line.get(at..)?.split_once('(')?;
        let is_name = operation.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
        is_name
            .then(|| CodeCall { operation: operation.to_owned(), group: process_group(operation, arguments) })
    })
}

/// The name of the process group, which is the last argument of every collective but a wait: `buf1, 'sum', '0')`.
fn process_group(operation: &str, arguments: &str) -> Option<String> {
    if operation.contains("wait_tensor") {
        return None;
    }
    let arguments = arguments.split(')').next()?;
    let last = arguments.rsplit(',').next()?.trim();
    let quoted = |quote: char| last.strip_prefix(quote)?.strip_suffix(quote);
    quoted('\'').or_else(|| quoted('"')).map(str::to_owned)
}
