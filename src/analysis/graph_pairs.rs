//! Graphs before and after a change: the files of a compile that are worth comparing.

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

/// Limit on the characters of `what`.
const LONGEST: usize = 60;

/// The pairs among the files of a compile, in log order.
pub fn graph_pairs(artifacts: &[Artifact]) -> Vec<GraphPair> {
    let mut pairs = Vec::new();
    // The last file that waits for a counterpart, by attempt and the counterpart's name.
    let mut waiting: FxHashMap<u32, TextMap<String, usize>> = FxHashMap::default();
    // The last graph before a pass, by attempt and kind of pass.
    let mut passes: FxHashMap<u32, FxHashMap<Side, usize>> = FxHashMap::default();
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
enum Side {
    PreGrad,
    PostGrad,
    Vllm,
}

/// The series of passes that begin with a graph of this name.
fn begun(name: &str) -> &'static [Side] {
    match name {
        "before_pre_grad_graph" | "inductor_pre_grad_graph" => &[Side::PreGrad],
        "before_post_grad_graph" => &[Side::PostGrad, Side::Vllm],
        _ => &[],
    }
}

/// The pass after which a graph of this name was printed, and when the pass runs.
fn pass(name: &str) -> Option<(Side, &str)> {
    if let Some(pass) = name.strip_prefix("vllm_post_grad") {
        return Some((Side::Vllm, pass.trim_start_matches('.')));
    }
    let pre = name.strip_suffix("_pre_grad").map(|pass| (Side::PreGrad, pass));
    pre.or_else(|| name.strip_suffix("_post_grad").map(|pass| (Side::PostGrad, pass)))
}

/// What happened after a file of this name: `pre grad` of `before_pre_grad_graph`.
fn happened(before: &str) -> String {
    let words = before.split(['_', '.']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.filter(|word| !matches!(*word, "before" | "graph")).collect();
    shortened(&if words.is_empty() { before.to_owned() } else { words.join(" ") })
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(names: &[&str]) -> Vec<(usize, usize, String)> {
        let artifact = |name: &&str| Artifact::named(*name, 0);
        let artifacts: Vec<Artifact> = names.iter().map(artifact).collect();
        graph_pairs(&artifacts).into_iter().map(|pair| (pair.before, pair.after, pair.what)).collect()
    }

    #[test]
    fn before_and_after_are_words_anywhere_in_a_name() {
        let found = pairs(&[
            "before_joint_graph",
            "after_joint_graph",
            "autoparallel_before_sharding",
            "thunder.pre.fusion",
            "autoparallel_after_sharding",
            "thunder.post.fusion",
            "pre_decomp_comms",
            "post_decomp_comms",
            "prefix_beforehand",
            "prefix_afterhand",
        ]);
        let found: Vec<_> = found.iter().map(|(a, b, what)| (*a, *b, what.as_str())).collect();
        assert_eq!(
            found,
            [
                (0, 1, "joint"),
                (2, 4, "autoparallel sharding"),
                (3, 5, "thunder pre fusion"),
                (6, 7, "pre decomp comms")
            ]
        );
    }

    #[test]
    fn the_counterpart_belongs_to_the_last_beginning() {
        assert_eq!(
            pairs(&["before_joint_graph", "before_joint_graph", "after_joint_graph", "after_joint_graph"]),
            [(1, 2, "joint".to_owned())]
        );
    }

    #[test]
    fn a_pass_is_compared_with_the_graph_before_it() {
        let found = pairs(&[
            "before_pre_grad_graph",
            "batch_linear_pre_grad",
            "fuse_pre_grad",
            "after_pre_grad_graph",
            "aot_inference_graph",
            "before_post_grad_graph",
            "vllm_post_grad.0.NoOp.before",
            "vllm_post_grad.0.NoOp.after",
            "split_cat_post_grad",
            "inductor_post_grad_graph",
            "vllm_piecewise_compile_start",
            "vllm_post_grad.0.NoOp",
            "inductor_post_grad_graph",
        ]);
        let found: Vec<_> = found.iter().map(|(a, b, what)| (*a, *b, what.as_str())).collect();
        assert_eq!(
            found,
            [
                (0, 1, "batch_linear"),
                (1, 2, "fuse"),
                (0, 3, "pre grad"),
                (6, 7, "vllm post grad 0 NoOp"),
                (5, 8, "split_cat"),
                (5, 9, "post grad"),
            ]
        );
    }
}
