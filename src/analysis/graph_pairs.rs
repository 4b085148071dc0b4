//! Graphs before and after a change: the files of a compile that are worth comparing.

use crate::limits::SHORT_NAME;
use crate::model::Artifact;
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// Two files of a compile: a graph before and after something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphPair {
    /// Index of the file before.
    pub before: usize,
    /// Index of the file after.
    pub after: usize,
    /// What happened between them.
    pub what: String,
}

/// Names of torch's graphs before and after something that follow no pattern.
const NAMED: [(&str, &str); 4] = [
    ("before_post_grad_graph", "inductor_post_grad_graph"),
    ("inductor_pre_grad_graph", "after_pre_grad_graph"),
    ("compiled_autograd_graph_pre_reordering", "compiled_autograd_graph"),
    ("dynamo_output_graph", "optimize_ddp_split_graph"),
];

/// Words for before and after, anywhere in a name.
const WORDS: [(&str, &str); 2] = [("before", "after"), ("pre", "post")];

/// Files that begin another graph: passes are not compared with graphs before them.
const BEGINNINGS: [&str; 5] = [
    "vllm_piecewise_compile_start",
    "aot_forward_graph",
    "aot_backward_graph",
    "aot_inference_graph",
    "aot_joint_graph",
];

/// The pairs among the files of a compile, in log order.
pub fn graph_pairs(artifacts: &[Artifact]) -> Vec<GraphPair> {
    let mut pairs = Vec::new();
    // The last file that waits for a counterpart, by attempt and the counterpart's name.
    let mut waiting: FxHashMap<u32, TextMap<String, usize>> = FxHashMap::default();
    // The last graph before a pass, by attempt and kind of pass.
    let mut passes: FxHashMap<u32, FxHashMap<PairSide, usize>> = FxHashMap::default();
    for (at, artifact) in artifacts.iter().enumerate() {
        let (name, attempt) = (&*artifact.name, artifact.attempt);
        if BEGINNINGS.contains(&name) {
            passes.remove(&attempt);
        }
        if name == BEGINNINGS[0] {
            waiting.remove(&attempt);
        }
        let waiting = waiting.entry(attempt).or_default();
        let passes = passes.entry(attempt).or_default();
        if let Some(before) = waiting.remove(name) {
            let what = happened(artifacts.get(before).map_or("", |b| &*b.name));
            pairs.push(GraphPair { before, after: at, what });
        }
        for counterpart in counterparts(name) {
            waiting.insert(counterpart, at);
        }
        for side in begun(name) {
            passes.insert(*side, at);
        }
        let Some((side, pass)) = pass(name) else { continue };
        // The graph before a pass is the one after the previous pass.
        if let Some(before) = passes.insert(side, at)
            && !pass.ends_with(".before")
        {
            pairs.push(GraphPair { before, after: at, what: shortened(pass) });
        }
    }
    pairs.sort_by_key(|pair| (pair.after, pair.before));
    pairs.dedup_by_key(|pair| (pair.after, pair.before));
    pairs
}

/// Possible names of the counterpart of this file.
fn counterparts(name: &str) -> Vec<String> {
    let named = NAMED.iter().filter(|(before, _)| *before == name).map(|(_, after)| (*after).to_owned());
    // `*_pre_grad` and `pre_grad_graph` say when a pass runs.
    let plain = |word: &str| word != "pre" || !(name.contains("pre_grad") || name.contains("post_grad"));
    let words = WORDS.iter().filter(|(before, _)| plain(before));
    named.chain(words.filter_map(|(before, after)| with_word(name, before, after))).collect()
}

/// The name with the first such word replaced; None if it has none.
fn with_word(name: &str, from: &str, to: &str) -> Option<String> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    let fits = |at: &usize| {
        let (head, tail) = (name.get(..*at).unwrap_or(""), name.get(at + from.len()..).unwrap_or(""));
        is_edge(head.chars().next_back()) && is_edge(tail.chars().next())
    };
    let at = name.match_indices(from).map(|(at, _)| at).find(fits)?;
    Some(format!("{}{to}{}", name.get(..at)?, name.get(at + from.len()..)?))
}

/// When a pass runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum PairSide {
    PreGrad,
    PostGrad,
    Vllm,
}

/// The series of passes that begin with a graph of this name.
fn begun(name: &str) -> &'static [PairSide] {
    match name {
        "before_pre_grad_graph" | "inductor_pre_grad_graph" => &[PairSide::PreGrad],
        "before_post_grad_graph" => &[PairSide::PostGrad, PairSide::Vllm],
        _ => &[],
    }
}

/// The pass after which a graph of this name was printed, and when the pass runs.
fn pass(name: &str) -> Option<(PairSide, &str)> {
    if let Some(pass) = name.strip_prefix("vllm_post_grad") {
        return Some((PairSide::Vllm, pass.trim_start_matches('.')));
    }
    let pre = name.strip_suffix("_pre_grad").map(|pass| (PairSide::PreGrad, pass));
    pre.or_else(|| name.strip_suffix("_post_grad").map(|pass| (PairSide::PostGrad, pass)))
}

/// What happened after a file of this name: `pre grad` of `before_pre_grad_graph`.
fn happened(before: &str) -> String {
    let words = before.split(['_', '.']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.filter(|word| !matches!(*word, "before" | "graph")).collect();
    shortened(&if words.is_empty() { before.to_owned() } else { words.join(" ") })
}

fn shortened(text: &str) -> String {
    text.chars().take(SHORT_NAME).collect()
}
