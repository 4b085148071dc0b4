//! The post-grad graph as data flow: the operands of each node.

use crate::read::fx_graph::{GraphText, Node, names_in, returned};
use crate::trace::TextMap;

/// A node of the graph.
#[derive(Debug)]
pub struct FlowNode<'t> {
    pub name: &'t str,
    /// Name of its operator, without library and overload: `mm`.
    pub operator: &'t str,
    /// Nodes that it is computed from, in the order of its arguments.
    pub operands: Vec<usize>,
    pub kind: FlowKind,
}

/// How a node relates to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowKind {
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
pub struct FlowGraph<'t> {
    /// In the order of the text, so that operands come first.
    pub nodes: Vec<FlowNode<'t>>,
    pub by_name: TextMap<&'t str, usize>,
    /// What the graph returns; None for anything but a node.
    pub outputs: Vec<Option<usize>>,
}

/// Operators that only view memory in another way.
const VIEWS: &str = "_reshape_alias _unsafe_view alias as_strided chunk detach diagonal expand flatten lift_fresh movedim \
                     permute reshape select slice split split_with_sizes squeeze t transpose unbind unfold unsqueeze view \
                     view_as_complex view_as_real wait_tensor";

impl<'t> FlowGraph<'t> {
    pub fn read(text: &'t str, known: &GraphText<'t>) -> FlowGraph<'t> {
        let mut graph = FlowGraph::default();
        for node in known.nodes.iter().filter(|node| node.scope == 0) {
            let kind = if node.placeholder { FlowKind::Input } else { FlowKind::Constant };
            let given = FlowNode { name: node.name, operator: "", operands: Vec::new(), kind };
            let computed = graph.computed(node);
            graph.by_name.insert(node.name, graph.nodes.len());
            graph.nodes.push(computed.unwrap_or(given));
        }
        let around = ['(', ')', '[', ']', ' '];
        let items = returned(text).map(|items| items.trim_matches(around)).unwrap_or_default();
        let names = items.split(',').map(|item| item.trim_matches(around)).filter(|name| !name.is_empty());
        graph.outputs = names.map(|name| graph.by_name.get(name).copied()).collect();
        graph
    }

    /// A node that is computed from others.
    fn computed(&self, node: &Node<'t>) -> Option<FlowNode<'t>> {
        let (name, value) = (node.name, node.value);
        let called = value.find(['(', '[']).and_then(|end| value.split_at_checked(end));
        let (target, arguments) = called.unwrap_or((value, ""));
        if value.is_empty() || target.starts_with("self.") {
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
            _ if VIEWS.split(' ').any(|view| view == operator) => FlowKind::View,
            _ => FlowKind::Computed,
        };
        Some(FlowNode { name, operator, operands, kind })
    }

    /// The node whose memory this one uses: itself unless it is a view or a copy.
    pub fn base(&self, mut at: usize) -> usize {
        loop {
            let node = &self.nodes[at];
            let from = match node.kind {
                FlowKind::View => node.operands.first(),
                FlowKind::Copy => node.operands.get(1),
                FlowKind::Input | FlowKind::Constant | FlowKind::Computed => None,
            };
            // Operands come before what is computed from them.
            match from.filter(|from| **from < at) {
                Some(from) => at = *from,
                None => return at,
            }
        }
    }

    /// Whether the node exists before anything is computed.
    pub fn is_given(&self, at: usize) -> bool {
        matches!(self.nodes[at].kind, FlowKind::Input | FlowKind::Constant)
    }

    /// The views between an operand and its base.
    pub fn views_of(&self, mut at: usize) -> Vec<usize> {
        let mut views = Vec::new();
        while self.nodes[at].kind == FlowKind::View {
            views.extend((self.nodes[at].operator != "getitem").then_some(at));
            match self.nodes[at].operands.first().filter(|from| **from < at) {
                Some(from) => at = *from,
                None => break,
            }
        }
        views
    }

    /// The bases of the operands of a node.
    pub fn operand_bases(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.nodes[at].operands.iter().map(|operand| self.base(*operand))
    }
}
