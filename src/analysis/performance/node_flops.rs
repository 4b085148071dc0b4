//! FLOPs of the nodes of a graph that have a formula, for the kernels generated from them, templates included.

use super::formulas::Formula;
use crate::analysis::source_text::{arguments, is_word};
use crate::model::{InputDims, Operator};
use crate::trace::TextMap;

/// FLOPs by node, for nodes with a formula and known sizes.
pub(super) fn flops_of_nodes(graph: &str) -> TextMap<String, f64> {
    let mut sizes: TextMap<&str, Vec<i64>> = TextMap::default();
    let mut found = TextMap::default();
    for line in graph.lines() {
        for (name, annotated) in annotations(line) {
            if let Some(known) = sizes_of(annotated) {
                sizes.insert(name, known);
            }
        }
        if let Some((name, operator)) = node(line, &sizes)
            && let Some(formula) = Formula::of(&operator.name)
            && let Some(flops) = formula.work(&operator).flops
        {
            found.insert(name.to_owned(), flops);
        }
    }
    found
}

/// The names that a text annotates, with their annotations: `addmm` and `f32[512, 1024][1024, 1]cpu` of
/// `addmm: "f32[512, 1024][1024, 1]cpu" = ..`.
pub(super) fn annotations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(": \"").filter_map(|(at, _)| {
        let name = text.get(..at)?.rsplit(|c| !is_word(c)).next()?;
        Some((name, text.get(at + 3..)?.split('"').next()?))
    })
}

/// `512, 1024` of `f32[512, 1024][1024, 1]cpu`; None if a size is a symbol.
fn sizes_of(annotated: &str) -> Option<Vec<i64>> {
    let (_, rest) = annotated.split_once('[')?;
    rest.contains(']').then(|| arguments(rest).iter().map(|size| size.parse().ok()).collect())?
}

/// The node that a line defines, as a call of its operator: the sizes of tensor arguments and the values of the others.
fn node<'l>(line: &'l str, sizes: &TextMap<&str, Vec<i64>>) -> Option<(&'l str, Operator)> {
    let (left, right) = line.trim().split_once(" = torch.ops.aten.")?;
    let name = left.split(':').next()?.trim();
    let (operator, rest) = right.split_once('(')?;
    let operator = operator.split('.').next()?;
    let mut found = Operator { name: format!("aten::{operator}"), ..Operator::default() };
    for argument in arguments(rest).iter().take(MOST_ARGUMENTS) {
        // Keyword arguments, such as a scale, come last, and no formula needs them.
        if argument.contains(" = ") {
            break;
        }
        let known = sizes.get(argument);
        found.values.push(if known.is_some() { String::new() } else { (*argument).to_owned() });
        found.dims.push(InputDims::One(known.cloned().unwrap_or_default()));
    }
    Some((name, found))
}

/// Limit on the arguments read per operator; operators with a formula have fewer than twenty.
const MOST_ARGUMENTS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_in_a_graph_have_flops_and_other_nodes_have_none() {
        let graph = r#"
    def forward(self, primals_1: "f32[1024][1]cpu", primals_2: "f32[8, 16][16, 1]cpu", primals_3: "f32[s0, 16]"):
        permute: "f32[16, 4][1, 16]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0])
        mm: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_2, permute);  permute = None
        mm_1: "f32[s0, 4]" = torch.ops.aten.mm.default(primals_3, permute)
"#;
        let found = flops_of_nodes(graph);
        assert_eq!(found.len(), 1, "a symbolic size leaves the work unknown: {found:?}");
        assert_eq!(found["mm"], 2.0 * 8.0 * 16.0 * 4.0);
    }

    #[test]
    fn convolutions_and_attention_have_their_settings_from_the_graph() {
        let graph = r#"
        x: "f32[2, 8, 16, 16]" = torch.ops.aten.clone.default(a)
        w: "f32[32, 4, 3, 3]" = torch.ops.aten.clone.default(b)
        convolution: "f32[2, 32, 8, 8]" = torch.ops.aten.convolution.default(x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 2);  w = None
        back = torch.ops.aten.convolution_backward.default(convolution, x, w, [0], [2, 2], [1, 1], [1, 1], False, [0, 0], 2, [False, True, False])
        q: "f32[1, 4, 8, 16]" = torch.ops.aten.clone.default(c)
        attention = torch.ops.aten._scaled_dot_product_flash_attention.default(q, q, q, 0.0, True, scale = 0.25)
"#;
        let found = flops_of_nodes(graph);
        let forward = 2.0 * 2.0 * 32.0 * 4.0 * 9.0 * 64.0;
        assert_eq!(found["convolution"], forward);
        assert_eq!(found["back"], forward, "only the gradient of the weight is asked for");
        assert_eq!(found["attention"], 0.5 * 2.0 * 4.0 * 8.0 * 8.0 * 32.0, "causal is half");
    }
}
