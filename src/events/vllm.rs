//! vLLM: which modules it compiled, in which pieces, and what its passes did to each graph.

use super::values::shown;
use super::{ArtifactId, Event, Flow, RankContext};
use crate::limits::{LISTED, LONG_LIST, LONGEST_VALUE, NAMED_BRIEFLY};
use crate::model::{Fields, Form, VllmEvent, VllmFact, VllmPart, VllmPass, VllmStart};
use crate::trace::strict_json;
use serde_json::value::RawValue;

pub(super) fn parse_artifacts(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = event.name.unwrap_or_default();
    let json = event.fields().text("encoding").is_none_or(|encoding| encoding == "json");
    let form = if json { Form::Json } else { Form::Text };
    let id = cx.artifact_of_payload(event, name, form);
    if name == "vllm_compilation_config" {
        // Upstream writes it twice, under two numbers.
        cx.artifact_of_payload(event, name, form);
    }
    let text = event.payload_text().unwrap_or_default();
    let text = strict_json(&text);
    // An event that cannot be read did happen, and it marks where the next piece begins.
    let (fields, error) = match Fields::parse(&text) {
        Ok(fields) => (fields, None),
        Err(error) => (Fields::default(), Some(error)),
    };
    let fact = match name {
        "vllm_compilation_config" => VllmFact::Config(listed(fields.iter())),
        "vllm_piecewise_compile_start" => VllmFact::Start(start(&fields)),
        "vllm_compile_event" => VllmFact::Compiled(kept(&fields.text("type").unwrap_or_default())),
        _ => VllmFact::Other,
    };
    let error = error.filter(|_| !matches!(fact, VllmFact::Other));
    cx.vllm(event, id, fact);
    error.map_or(Ok(Flow::Handled), |error| Err(error.into()))
}

pub(super) fn parse_graphs(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = event.name.unwrap_or_default();
    let fact = graph(name, &event.payload_text().unwrap_or_default());
    let own_folder = !matches!(fact, VllmFact::Pass(_) | VllmFact::Patterns);
    let id = match event.payload {
        // Upstream keeps these under their hash only, and scripts look for them there.
        Some(payload) if !own_folder => cx.listed_payload(payload, name),
        _ => cx.artifact_of_payload(event, name, Form::Text),
    };
    cx.vllm(event, id, fact);
    Ok(Flow::Handled)
}

impl RankContext<'_> {
    fn vllm(&mut self, event: &Event<'_>, id: ArtifactId, fact: VllmFact) {
        let (compile, artifact) = (id.place.compile, id.place.place());
        let (attempt, stamp) = (self.attempt, event.stamp);
        self.model().vllm.push(VllmEvent { compile, attempt, artifact, stamp, fact });
    }
}

/// Which kind of graph has that name.
pub(super) fn graph(name: &str, text: &str) -> VllmFact {
    let after = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    };
    if name == "vllm_piecewise_split_graph" {
        VllmFact::Split(parts(text))
    } else if name.starts_with("vllm_post_grad") {
        VllmFact::Pass(pass(after("vllm_post_grad").unwrap_or(name)))
    } else if name.starts_with("vllm_patterns") {
        VllmFact::Patterns
    } else if name.starts_with("vllm_submod_") || name.starts_with("vllm_subgraph_") {
        VllmFact::Graph(name.trim_start_matches("vllm_").to_owned())
    } else {
        VllmFact::Other
    }
}

/// `0.NoOpEliminationPass.before`: order and stage may be missing.
fn pass(name: &str) -> VllmPass {
    let numbered = name.split_once('.').and_then(|(order, rest)| Some((order.parse().ok()?, rest)));
    let (order, rest) = numbered.map_or((None, name), |(order, rest)| (Some(order), rest));
    let (name, stage) = rest.split_once('.').map_or((rest, None), |(name, stage)| (name, Some(stage)));
    VllmPass { order, name: name.to_owned(), stage: stage.map(str::to_owned) }
}

/// The classes inside the printed module, with the operators that each calls.
pub(super) fn parts(text: &str) -> Vec<VllmPart> {
    let mut parts: Vec<VllmPart> = Vec::new();
    for line in text.lines() {
        let inner = line.trim_start();
        if let Some(rest) = inner.strip_prefix("class ")
            && inner.len() < line.len()
        {
            if parts.len() == LISTED {
                break;
            }
            let name = rest.split(['(', ':']).next().unwrap_or(rest).to_owned();
            parts.push(VllmPart { name, ..VllmPart::default() });
        } else if let (Some(part), Some(call)) = (parts.last_mut(), operator(inner)) {
            part.calls += 1;
            if part.operators.len() < NAMED_BRIEFLY && !part.operators.contains(&call) {
                part.operators.push(call);
            }
        }
    }
    parts
}

/// The operator that a line of a graph calls: `aten.mm` of `mm = torch.ops.aten.mm(x, y)`, `relu` of `r = x.relu()`.
fn operator(line: &str) -> Option<String> {
    if line.starts_with(['#', '"']) || line.starts_with("def ") || line.starts_with("return") {
        return None;
    }
    // An annotation may hold anything but ` = `.
    let (_, call) = line.split_once(" = ")?;
    let (call, _) = call.split_once('(')?;
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if call.is_empty() || !call.chars().all(plain) {
        return None;
    }
    let short = call.strip_prefix("torch.ops.").or_else(|| call.strip_prefix("torch."));
    let short = short.or_else(|| call.rsplit_once('.').map(|(_, method)| method)).unwrap_or(call);
    Some(short.chars().take(80).collect())
}

/// Fields as the log has them.
pub(super) fn listed<'f>(fields: impl Iterator<Item = (&'f str, &'f RawValue)>) -> Vec<(String, String)> {
    fields.take(LONG_LIST).map(|(key, value)| (kept(key), kept(&shown(value)))).collect()
}

fn kept(text: &str) -> String {
    text.chars().take(LONGEST_VALUE).collect()
}

/// `vllm_piecewise_compile_start`
pub(super) fn start(fields: &Fields<'_>) -> VllmStart {
    let mut start = VllmStart {
        index: fields.get("piecewise_index"),
        submodule: fields.text("submod_name").map(|name| kept(&name)),
        total: fields.get("total_piecewise_compiles"),
        from: fields.get("compile_range_start"),
        to: fields.get("compile_range_end"),
        single: fields.get("is_single_size"),
        cudagraph: fields.get("is_cudagraph_capture_size"),
        more: Vec::new(),
    };
    // A known field with a value of another type than expected is shown unchanged.
    let is_read = |key: &str| match key {
        "piecewise_index" => start.index.is_some(),
        "submod_name" => start.submodule.is_some(),
        "total_piecewise_compiles" => start.total.is_some(),
        "compile_range_start" => start.from.is_some(),
        "compile_range_end" => start.to.is_some(),
        "is_single_size" => start.single.is_some(),
        "is_cudagraph_capture_size" => start.cudagraph.is_some(),
        _ => false,
    };
    start.more = listed(fields.iter().filter(|(key, _)| !is_read(key)));
    start
}
