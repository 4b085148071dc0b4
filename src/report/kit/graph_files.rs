//! The graphs of a compile: their files, which ones belong together, and links to them.

use crate::analysis::{GraphPair, graph_pairs, is_foreign};
use crate::model::{Artifact, Compile, Content, Form};
use crate::report::doc::{Cell, own};
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::trace::PayloadRef;
use fxhash::{FxHashMap, FxHashSet};

/// Link to the viewer of a compile's graphs; None if it has no graphs.
pub(crate) fn graphs_href(view: View<'_>, compile: &Compile) -> Option<String> {
    has_graphs(compile).then(|| view.href(&paths::graphs_page(compile)))
}

/// Link to the drawing of a compile's graph, with words that say if another compile has the same graph; None if it has no
/// drawing.
pub(crate) fn drawn_link(view: View<'_>, compile: &Compile) -> Option<(String, String)> {
    let index = view.report.model.by_id.get(&compile.id)?;
    let shown = view.report.drawn_graphs().shown_for(*index)?;
    let of = view.report.model.compiles.get(shown)?;
    let words = match shown == *index {
        true => "Graph, drawn".to_owned(),
        false => format!("Graph, drawn (the same as of {})", of.label()),
    };
    Some((view.href(&paths::drawn_page(of)), words))
}

/// Whether a compile has graphs.
pub(crate) fn has_graphs(compile: &Compile) -> bool {
    // Most graphs are recognized by name, without searching for pairs.
    let is_known = |artifact: &Artifact| {
        matches!(artifact.content, Content::Payload(_, Form::Text)) && is_graph(&artifact.name)
    };
    compile.artifacts.iter().any(is_known) || !graphs(compile).is_empty()
}

/// Link to the comparison of two files of a compile.
pub(crate) fn pair_href(view: View<'_>, compile: &Compile, before: u32, after: u32) -> String {
    format!("{}#a={before}&b={after}", view.href(&paths::graphs_page(compile)))
}

/// For each file with a predecessor, by index: that nothing changed, or a link to the comparison.
pub(crate) fn compared(view: View<'_>, compile: &Compile) -> FxHashMap<usize, Cell<'static>> {
    let file = |at: usize| {
        let artifact = compile.artifacts.get(at)?;
        match &artifact.content {
            Content::Payload(payload, _) => Some((artifact, payload.md5)),
            _ => None,
        }
    };
    // If two files precede the same one, the nearer comes last.
    let pairs = pairs(compile).into_iter().filter_map(|pair| {
        let ((before, old), (after, new)) = (file(pair.before)?, file(pair.after)?);
        let link = match old == new {
            true => own(format!("equal to {}", before.number)).small(),
            false => {
                Cell::from("what changed").at(Some(pair_href(view, compile, before.number, after.number)))
            }
        };
        Some((pair.after, link))
    });
    pairs.collect()
}

/// Pairs whose files are texts.
pub(crate) fn pairs(compile: &Compile) -> Vec<GraphPair> {
    let is_text = |at: usize| {
        let content = compile.artifacts.get(at).map(|artifact| &artifact.content);
        matches!(content, Some(Content::Payload(_, Form::Text)))
    };
    let mut pairs = graph_pairs(&compile.artifacts);
    pairs.retain(|pair| is_text(pair.before) && is_text(pair.after));
    pairs
}

/// The graphs of a compile in log order, which is the compiler's, with their indices. Pairs of texts before and after a
/// step are included, whatever they contain.
pub(crate) fn graphs(compile: &Compile) -> Vec<(usize, &Artifact, PayloadRef)> {
    let paired: FxHashSet<usize> =
        pairs(compile).into_iter().flat_map(|pair| [pair.before, pair.after]).collect();
    let graph = |(index, artifact): (usize, &'_ Artifact)| match &artifact.content {
        Content::Payload(at, Form::Text) => {
            let foreign = artifact.graph && is_foreign(&artifact.name) && !is_pattern(&artifact.name);
            (is_graph(&artifact.name) || foreign || paired.contains(&index)).then_some(*at)
        }
        _ => None,
    };
    let all = compile.artifacts.iter().enumerate();
    all.filter_map(|(index, artifact)| Some((index, artifact, graph((index, artifact))?))).collect()
}

/// Indices of the files that the viewer shows, ascending.
pub(crate) fn shown_files(compile: &Compile) -> Vec<usize> {
    graphs(compile).into_iter().map(|(index, ..)| index).collect()
}

/// Whether a text is a pattern of a vLLM pass: Python, but not a graph of this compile.
fn is_pattern(name: &str) -> bool {
    name.starts_with("vllm_patterns")
}

/// Whether an artifact of this name is a graph printed by torch.
fn is_graph(name: &str) -> bool {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| name.starts_with(begin));
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    // Facts about a graph, but not the graph itself.
    if name.contains("metadata") || name.contains("sync_decision") {
        return false;
    }
    begins(&[
        "dynamo_output_graph",
        "aot_joint_graph",
        "aot_forward_graph",
        "aot_backward_graph",
        "aot_inference_graph",
        "aot_saved_tensors_hooks_",
        "compiled_autograd_graph",
        "optimize_ddp_split_",
        "inductor_pre_grad_graph",
        "inductor_post_grad_graph",
        "vllm_piecewise_split_graph",
        "vllm_submod_",
        "vllm_subgraph_",
        "vllm_post_grad",
        "before_activation_quantization",
        "after_activation_quantization",
        "make_fx_fail_partial",
        "min_cut_failed_fx_graph",
        "before_recompile_",
        "after_recompile_",
    ]) || begins(&["before_", "after_"]) && ends(&["_graph"])
        || ends(&["_pre_grad", "_post_grad"])
}

/// The text without trailing blank lines and the `# graph id: 139..` that torch appends to some graphs.
pub(crate) fn without_id(text: &str) -> &str {
    let text = text.trim_end();
    let (rest, last) = text.rsplit_once('\n').unwrap_or(("", text));
    match last.trim_start().strip_prefix("# graph id: ") {
        Some(id) if id.bytes().all(|b| b.is_ascii_digit()) => rest.trim_end(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_known_by_their_names() {
        for name in [
            "dynamo_output_graph",
            "before_pre_grad_graph",
            "aot_forward_graph",
            "inductor_post_grad_graph",
            "fuse_ops_post_grad",
            "vllm_post_grad.0.NoOpEliminationPass",
            "optimize_ddp_split_child_submod_0",
        ] {
            assert!(is_graph(name), "{name}");
        }
        for name in
            ["aot_forward_graph_fw_metadata", "fx_graph_runnable", "graph_execution", "vllm_patterns.x"]
        {
            assert!(!is_graph(name), "{name}");
        }
    }

    #[test]
    fn the_id_below_a_graph_is_no_part_of_it() {
        assert_eq!(without_id("class G:\n    x\n\n # graph id: 140035623722960"), "class G:\n    x");
        assert_eq!(without_id("class G:\n    x\n"), "class G:\n    x");
        assert_eq!(without_id("# graph id: x"), "# graph id: x");
        assert_eq!(without_id(" # graph id: 7"), "");
    }
}
