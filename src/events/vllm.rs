//! vLLM: which modules it compiled, in which pieces, and what its passes did to each graph.

use super::{ArtifactId, Event, Flow, RankContext};
use crate::model::{Fields, Form, VllmEvent, VllmFact, VllmPart, VllmPass, VllmStart, lenient};
use crate::trace::strict_json;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many fields of one event are kept; vLLM writes about fifteen.
const MOST_FIELDS: usize = 100;

/// How many characters of a field's value are kept: a long list of operators is a single text.
const LONGEST_VALUE: usize = 4_000;

/// How many parts of a split graph are kept: a model of 80 layers has 161.
const MOST_PARTS: usize = 1_000;

/// How many operators of a part are named.
const MOST_OPERATORS: usize = 3;

/// Artifacts: configurations, starts of pieces, outcomes.
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
    let empty = || match name {
        "vllm_compilation_config" => VllmFact::Config(Vec::new()),
        "vllm_piecewise_compile_start" => VllmFact::Start(VllmStart::default()),
        "vllm_compile_event" => VllmFact::Compiled(String::new()),
        _ => VllmFact::Other,
    };
    let read = match name {
        "vllm_compilation_config" => config(&text).map(VllmFact::Config),
        "vllm_piecewise_compile_start" => start(&text).map(VllmFact::Start),
        "vllm_compile_event" => compiled(&text).map(VllmFact::Compiled),
        _ => Ok(VllmFact::Other),
    };
    // An event that cannot be read did happen, and it marks where the next piece begins.
    let (fact, error) = match read {
        Ok(fact) => (fact, None),
        Err(error) => (empty(), Some(error)),
    };
    cx.vllm(event, id, fact);
    error.map_or(Ok(Flow::Handled), |error| Err(error.into()))
}

/// `graph_dump`: the split graph, the graph of each part, the graph at each pass, patterns.
pub(super) fn parse_graphs(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = event.name.unwrap_or_default();
    let fact = graph(name, &event.payload_text().unwrap_or_default());
    let own_folder = !matches!(fact, VllmFact::Pass(_) | VllmFact::Patterns(_));
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
fn graph(name: &str, text: &str) -> VllmFact {
    let after = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    };
    if name == "vllm_piecewise_split_graph" {
        VllmFact::Split(parts(text))
    } else if name.starts_with("vllm_post_grad") {
        VllmFact::Pass(pass(after("vllm_post_grad").unwrap_or(name)))
    } else if name.starts_with("vllm_patterns") {
        VllmFact::Patterns(after("vllm_patterns").unwrap_or(name).to_owned())
    } else if name.starts_with("vllm_submod_") || name.starts_with("vllm_subgraph_") {
        VllmFact::Graph(name.trim_start_matches("vllm_").to_owned())
    } else {
        VllmFact::Other
    }
}

/// `0.NoOpEliminationPass.before`: order and stage may be missing.
fn pass(name: &str) -> VllmPass {
    let (order, rest) = match name.split_once('.') {
        Some((first, rest)) => (first.parse().ok(), rest),
        None => (None, name),
    };
    let rest = if order.is_some() { rest } else { name };
    match rest.split_once('.') {
        Some((name, stage)) => VllmPass { order, name: name.to_owned(), stage: Some(stage.to_owned()) },
        None => VllmPass { order, name: rest.to_owned(), stage: None },
    }
}

/// The classes inside the printed module, with the operators that each calls.
fn parts(text: &str) -> Vec<VllmPart> {
    let mut parts: Vec<VllmPart> = Vec::new();
    for line in text.lines() {
        let inner = line.trim_start();
        if let Some(rest) = inner.strip_prefix("class ")
            && inner.len() < line.len()
        {
            if parts.len() == MOST_PARTS {
                break;
            }
            let name = rest.split(['(', ':']).next().unwrap_or(rest).to_owned();
            parts.push(VllmPart { name, ..VllmPart::default() });
        } else if let (Some(part), Some(call)) = (parts.last_mut(), operator(inner)) {
            part.calls += 1;
            if part.operators.len() < MOST_OPERATORS && !part.operators.contains(&call) {
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

fn config(json: &str) -> serde_json::Result<Vec<(String, String)>> {
    Ok(Fields::parse(json)?.iter().take(MOST_FIELDS).map(|(key, value)| field(key, value)).collect())
}

fn field(key: &str, value: &RawValue) -> (String, String) {
    let text = serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned());
    let kept = |text: &str| text.chars().take(LONGEST_VALUE).collect();
    (kept(key), kept(&text))
}

/// `vllm_piecewise_compile_start` as vLLM writes it.
#[derive(Deserialize)]
struct Start {
    #[serde(default, deserialize_with = "lenient")]
    piecewise_index: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    submod_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    total_piecewise_compiles: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    compile_range_start: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    compile_range_end: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    is_single_size: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    is_cudagraph_capture_size: Option<bool>,
}

/// The fields of [`Start`].
const KNOWN: [&str; 7] = [
    "piecewise_index",
    "submod_name",
    "total_piecewise_compiles",
    "compile_range_start",
    "compile_range_end",
    "is_single_size",
    "is_cudagraph_capture_size",
];

fn start(json: &str) -> serde_json::Result<VllmStart> {
    let wire: Start = serde_json::from_str(json)?;
    let fields = Fields::parse(json)?;
    // A known field with a value of another type than expected is shown unchanged.
    let taken = [
        wire.piecewise_index.is_some(),
        wire.submod_name.is_some(),
        wire.total_piecewise_compiles.is_some(),
        wire.compile_range_start.is_some(),
        wire.compile_range_end.is_some(),
        wire.is_single_size.is_some(),
        wire.is_cudagraph_capture_size.is_some(),
    ];
    let is_taken = |key: &str| KNOWN.iter().zip(taken).any(|(known, taken)| *known == key && taken);
    let more = fields.iter().filter(|(key, _)| !is_taken(key)).take(MOST_FIELDS);
    Ok(VllmStart {
        index: wire.piecewise_index,
        submodule: wire.submod_name.map(|name| name.chars().take(LONGEST_VALUE).collect()),
        total: wire.total_piecewise_compiles,
        from: wire.compile_range_start,
        to: wire.compile_range_end,
        single: wire.is_single_size,
        cudagraph: wire.is_cudagraph_capture_size,
        more: more.map(|(key, value)| field(key, value)).collect(),
    })
}

fn compiled(json: &str) -> serde_json::Result<String> {
    #[derive(Deserialize)]
    struct Compiled {
        #[serde(default, deserialize_with = "lenient", rename = "type")]
        kind: Option<String>,
    }
    let wire: Compiled = serde_json::from_str(json)?;
    Ok(wire.kind.unwrap_or_default().chars().take(LONGEST_VALUE).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_graph_tells_order_pass_and_stage() {
        let read = |name: &str| match graph(name, "") {
            VllmFact::Pass(pass) => (pass.order, pass.name, pass.stage),
            other => panic!("{other:?}"),
        };
        let text = |text: &str| text.to_owned();
        assert_eq!(read("vllm_post_grad.0.NoOpPass"), (Some(0), text("NoOpPass"), None));
        assert_eq!(
            read("vllm_post_grad.12.FusionPass.before"),
            (Some(12), text("FusionPass"), Some(text("before")))
        );
        assert_eq!(read("vllm_post_grad.FusionPass.after"), (None, text("FusionPass"), Some(text("after"))));
        assert_eq!(read("vllm_post_grad"), (None, text(""), None));
        assert!(matches!(graph("vllm_patterns.P", ""), VllmFact::Patterns(pass) if pass == "P"));
        assert!(matches!(graph("vllm_submod_7", ""), VllmFact::Graph(name) if name == "submod_7"));
        assert!(matches!(graph("vllm_new", ""), VllmFact::Other));
    }

    #[test]
    fn a_split_graph_has_the_classes_inside_it_with_their_operators() {
        let text = "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        \
            submod_0 = self.submod_0(x);  x = None\n    class submod_0(torch.nn.Module):\n        \
            def forward(self, x: \"f32[3]\"):\n            # File: a.py:1 in f, code: y = g(x)\n            \
            a: \"f32[3, 16]\" = torch._C._nn.linear(x);  x = None\n            b = a.relu()\n            c = b.relu()\n\
            \x20   class submod_1(torch.nn.Module):\n            d = torch.ops.vllm.attention(c)\n";
        let parts = parts(text);
        let shown: Vec<_> = parts.iter().map(|p| (p.name.as_str(), p.calls, p.operators.join(" "))).collect();
        assert_eq!(
            shown,
            [("submod_0", 3, "_C._nn.linear relu".to_owned()), ("submod_1", 1, "vllm.attention".to_owned())]
        );
    }

    #[test]
    fn fields_that_are_unknown_or_of_another_type_are_kept_as_they_stand() {
        let start = start(r#"{"piecewise_index": 0, "submod_name": 7, "new": [1, 2]}"#).unwrap();
        assert_eq!((start.index, start.submodule), (Some(0), None));
        let more: Vec<_> = start.more.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(more, [("submod_name", "7"), ("new", "[1, 2]")]);
        let config = config(r#"{"model": "m", "compile_sizes": "4, 8", "x": false}"#).unwrap();
        assert_eq!(config[1], ("compile_sizes".to_owned(), "4, 8".to_owned()));
        assert_eq!(config[2].1, "false");
        assert!(super::config("[]").is_err());
    }
}
