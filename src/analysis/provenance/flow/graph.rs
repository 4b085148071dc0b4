//! The post-grad graph as data flow: the operands of each node.

use crate::read::fx_graph::{GraphText, Statement};
use crate::read::source_text::is_word;
use crate::trace::TextMap;

/// A node of the graph.
#[derive(Debug)]
pub(super) struct FlowNode<'t> {
    pub(super) name: &'t str,
    /// Name of its operator, without library and overload: `mm`.
    pub(super) operator: &'t str,
    /// Nodes that it is computed from, in the order of its arguments.
    pub(super) operands: Vec<usize>,
    pub(super) kind: FlowKind,
}

/// How a node relates to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowKind {
    /// An input of the graph.
    Input,
    /// A constant of the module; a kernel may have its value in its code.
    Constant,
    /// A view of its first operand.
    View,
    /// Writes its second operand into its first.
    Copy,
    /// Computes a new value.
    Computed,
}

/// The nodes of the outermost graph.
#[derive(Debug, Default)]
pub(super) struct FlowGraph<'t> {
    /// In the order of the text, so that operands come first.
    pub(super) nodes: Vec<FlowNode<'t>>,
    pub(super) by_name: TextMap<&'t str, usize>,
    /// What the graph returns; None for anything but a node.
    pub(super) outputs: Vec<Option<usize>>,
}

/// Operators that only view memory in another way.
const VIEWS: [&str; 27] = [
    "_reshape_alias",
    "_unsafe_view",
    "alias",
    "as_strided",
    "chunk",
    "detach",
    "diagonal",
    "expand",
    "flatten",
    "lift_fresh",
    "movedim",
    "permute",
    "reshape",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "t",
    "transpose",
    "unbind",
    "unfold",
    "unsqueeze",
    "view",
    "view_as_complex",
    "view_as_real",
    "wait_tensor",
];

impl<'t> FlowGraph<'t> {
    pub(super) fn read(text: &'t str, known: &GraphText<'t>) -> FlowGraph<'t> {
        let lines: Vec<&'t str> = text.split('\n').collect();
        let line = |number: u32| (number as usize).checked_sub(1).and_then(|at| lines.get(at)).copied();
        let mut graph = FlowGraph::default();
        for node in known.nodes.iter().filter(|node| node.scope == 0) {
            let definition = node.lines.last().and_then(|number| line(*number));
            let read = definition.filter(|_| !node.placeholder).and_then(|line| graph.node(node.name, line));
            let kind = if node.placeholder { FlowKind::Input } else { FlowKind::Constant };
            let given = FlowNode { name: node.name, operator: "", operands: Vec::new(), kind };
            graph.by_name.insert(node.name, graph.nodes.len());
            graph.nodes.push(read.unwrap_or(given));
        }
        let last = lines.iter().find_map(|line| line.trim_start().strip_prefix("return "));
        let items = last.map(|items| items.trim_matches(['(', ')', '[', ']', ' '])).unwrap_or_default();
        let names = items.split(',').map(|item| item.trim_matches(['(', ')', '[', ']', ' ']));
        graph.outputs =
            names.filter(|name| !name.is_empty()).map(|name| graph.by_name.get(name).copied()).collect();
        graph
    }

    /// The node that a statement defines.
    fn node(&self, name: &'t str, line: &'t str) -> Option<FlowNode<'t>> {
        let value = Statement::read(line)?.value;
        let called = value.find(['(', '[']).and_then(|end| value.split_at_checked(end));
        let (target, arguments) = called.unwrap_or((value, ""));
        if target.starts_with("self.") {
            return None;
        }
        if let (Some(from), true) = (self.by_name.get(target), arguments.starts_with('[')) {
            return Some(FlowNode { name, operator: "getitem", operands: vec![*from], kind: FlowKind::View });
        }
        let operator = target.strip_prefix("torch.ops.").and_then(|path| path.split('.').nth(1));
        let operator = operator.unwrap_or_else(|| target.rsplit('.').next().unwrap_or(target));
        let operands = names_in(arguments).filter_map(|name| self.by_name.get(name).copied()).collect();
        let kind = match operator {
            "copy_" => FlowKind::Copy,
            _ if VIEWS.binary_search(&operator).is_ok() => FlowKind::View,
            _ => FlowKind::Computed,
        };
        Some(FlowNode { name, operator, operands, kind })
    }

    /// The node whose memory this one uses: itself unless it is a view or a copy.
    pub(super) fn base(&self, mut at: usize) -> usize {
        while let Some(node) = self.nodes.get(at) {
            let from = match node.kind {
                FlowKind::View => node.operands.first(),
                FlowKind::Copy => node.operands.get(1),
                FlowKind::Input | FlowKind::Constant | FlowKind::Computed => None,
            };
            // Operands come before what is computed from them.
            match from.filter(|from| **from < at) {
                Some(from) => at = *from,
                None => break,
            }
        }
        at
    }

    /// Whether the node exists before anything is computed.
    pub(super) fn is_given(&self, at: usize) -> bool {
        self.nodes.get(at).is_some_and(|node| matches!(node.kind, FlowKind::Input | FlowKind::Constant))
    }

    /// The views between an operand and its base.
    pub(super) fn views_of(&self, mut at: usize) -> Vec<usize> {
        let mut views = Vec::new();
        while let Some(node) = self.nodes.get(at).filter(|node| node.kind == FlowKind::View) {
            views.extend((node.operator != "getitem").then_some(at));
            match node.operands.first().filter(|from| **from < at) {
                Some(from) => at = *from,
                None => break,
            }
        }
        views
    }

    /// The bases of the operands of a node.
    pub(super) fn operand_bases(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let operands = self.nodes.get(at).map(|node| node.operands.as_slice()).unwrap_or_default();
        operands.iter().map(|operand| self.base(*operand))
    }
}

/// The names in a piece of code, without those of keyword arguments and of attributes.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut before = '(';
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_word)?;
            before = rest.get(..start)?.chars().next_back().unwrap_or(before);
            rest = rest.get(start..)?;
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end)?;
            rest = after;
            let attribute = before == '.';
            before = name.chars().next_back().unwrap_or(before);
            if !attribute && !after.starts_with('.') && !after.starts_with(" = ") {
                return Some(name);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_computed_from_the_nodes_among_its_arguments() {
        let text = "class G(torch.nn.Module):\n    def forward(self, a: \"f32[2]\", w: \"f32[2]\"):\n        \
                    permute: \"f32[2]\" = torch.ops.aten.permute.default(w, [1, 0]);  w = None\n        \
                    mm: \"f32[2]\" = torch.ops.aten.mm.default(a, permute);  permute = None\n        \
                    sort = torch.ops.aten.sort.stable(mm, stable = False, dim = 0)\n        \
                    getitem: \"f32[2]\" = sort[0];  sort = None\n        \
                    copy_: \"f32[2]\" = torch.ops.aten.copy_.default(a, getitem);  a = copy_ = None\n        \
                    return (getitem, None, mm)\n";
        let graph = FlowGraph::read(text, &GraphText::read(text));
        let named = |at: usize| graph.nodes[at].name;
        let at = |name: &str| graph.by_name[name];
        let mm = &graph.nodes[at("mm")];
        assert_eq!((mm.operator, mm.kind), ("mm", FlowKind::Computed));
        assert_eq!(mm.operands.iter().map(|at| named(*at)).collect::<Vec<_>>(), ["a", "permute"]);
        assert_eq!(graph.operand_bases(at("mm")).map(named).collect::<Vec<_>>(), ["a", "w"]);
        assert_eq!(named(graph.base(at("getitem"))), "sort");
        assert_eq!(named(graph.base(at("copy_"))), "sort");
        assert!(graph.is_given(at("w")) && !graph.is_given(at("mm")));
        assert_eq!(graph.views_of(at("permute")), [at("permute")]);
        assert_eq!(graph.outputs, [Some(at("getitem")), None, Some(at("mm"))]);
    }

    #[test]
    fn the_operators_of_views_are_sorted_so_that_they_are_found() {
        assert!(VIEWS.is_sorted());
    }
}
