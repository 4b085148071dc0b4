//! The module of each node of a graph: Dynamo names parameters after the modules that own them.

use crate::analysis::provenance::{GraphText, KernelCall, LineMaps, Node, SourceLine};
use crate::analysis::source_text::is_word;
use crate::trace::{TextMap, TextSet};
use std::collections::BTreeSet;

/// What follows the path of the module in the name of a parameter.
const OWNED: [&str; 2] = ["_parameters_", "_buffers_"];

/// Modules of the nodes of a post-grad graph, by node.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeModules(TextMap<String, NodeModule>);

/// A node's module, and its line of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NodeModule {
    file: String,
    line: u64,
    /// `self.blocks.0.up`
    module: String,
}

impl NodeModules {
    /// For a graph made from a pre-grad graph, whose nodes name parameters.
    pub(super) fn of_forward(pre: &str, post: &str, maps: &LineMaps) -> NodeModules {
        let graph = GraphText::read(pre);
        let of_nodes = modules_of(&graph, pre, |name, _| module_of_parameter(name));
        let by_line: fxhash::FxHashMap<u32, &NodeModule> = graph
            .nodes
            .iter()
            .filter_map(|node| Some((node, of_nodes.get(node.name)?)))
            .flat_map(|(node, module)| node.lines.iter().map(move |line| (*line, module)))
            .collect();
        let mut found = NodeModules::default();
        for node in GraphText::read(post).nodes {
            let pre_lines = node.lines.iter().filter_map(|line| maps.post_to_pre.get(line)).flatten();
            let mut modules = pre_lines.filter_map(|line| by_line.get(line));
            if let Some(first) = modules.next()
                && modules.all(|module| module.module == first.module)
            {
                found.0.insert(node.name.to_owned(), (*first).clone());
            }
        }
        found
    }

    /// For a backward graph, whose inputs from the forward graph have the names of that graph's nodes.
    pub(super) fn of_backward(post: &str, forward: &NodeModules) -> NodeModules {
        let graph = GraphText::read(post);
        let saved = |name: &str, node: &Node<'_>| {
            let known = forward.0.get(name)?;
            let same_line = node.place.is_some_and(|at| at.file == known.file && at.line == known.line);
            same_line.then(|| known.module.clone())
        };
        NodeModules(modules_of(&graph, post, saved))
    }

    /// The modules for which a call computes the lines of the program.
    pub(super) fn of_call<'n>(&'n self, call: &KernelCall, sources: &'n [SourceLine]) -> ModulesOfCall<'n> {
        let mut found = ModulesOfCall::default();
        for node in call.nodes.iter().filter_map(|name| self.0.get(name)) {
            found.by_line.entry((&node.file, node.line)).or_default().insert(&node.module);
        }
        // The line of such a node is in a library, and the line of the call is where the program called the library.
        let lines = call.source.iter().filter_map(|at| sources.get(*at));
        let lines: TextSet<(&str, u64)> = lines.map(|line| (line.file.as_str(), line.line)).collect();
        let of_libraries = found.by_line.iter().filter(|(place, _)| !lines.contains(place));
        let of_libraries: BTreeSet<&str> = of_libraries.flat_map(|(_, modules)| modules).copied().collect();
        found.of_libraries = of_libraries.into_iter().take(MOST_MODULES).collect();
        found
    }
}

/// Modules of lines of a library that are counted for one line of the program.
const MOST_MODULES: usize = 64;

/// The modules for which a call computes.
#[derive(Default)]
pub(super) struct ModulesOfCall<'n> {
    by_line: TextMap<(&'n str, u64), BTreeSet<&'n str>>,
    of_libraries: BTreeSet<&'n str>,
}

impl ModulesOfCall<'_> {
    /// The distinct modules for which it computes a line.
    pub(super) fn at(&self, line: &SourceLine) -> Vec<String> {
        let modules = self.by_line.get(&(line.file.as_str(), line.line)).unwrap_or(&self.of_libraries);
        modules.iter().map(|module| (*module).to_owned()).collect()
    }
}

/// Modules of the nodes of a graph. `named` gives the module for a name in the definition of a node.
///
/// Consecutive nodes of one line are one visit of that line. Nodes without a module of their own get the path that the
/// others of the visit share: `gelu(self.up(x))` belongs to the block of `up`.
fn modules_of(
    graph: &GraphText<'_>,
    text: &str,
    named: impl Fn(&str, &Node<'_>) -> Option<String>,
) -> TextMap<String, NodeModule> {
    let lines: Vec<&str> = text.split('\n').collect();
    let own = |node: &Node<'_>| -> Option<String> {
        let line = lines.get((*node.lines.first()? as usize).checked_sub(1)?)?;
        let (_, definition) = line.split_once(" = ")?;
        // The rest of the line lists values that are no longer needed.
        let definition = definition.split(";  ").next().unwrap_or_default();
        let mut modules = names_in(definition).filter_map(|name| named(name, node));
        let first = modules.next()?;
        Some(modules.fold(first, |all, one| in_common(&all, &one)))
    };
    let nodes: Vec<&Node<'_>> = graph.nodes.iter().filter(|node| node.place.is_some()).collect();
    let mut found = TextMap::default();
    for visit in nodes.chunk_by(|left, right| place_of(left) == place_of(right)) {
        let modules: Vec<Option<String>> = visit.iter().map(|node| own(node)).collect();
        let shared = modules.iter().flatten().cloned().reduce(|all, one| in_common(&all, &one));
        for (node, module) in visit.iter().zip(modules) {
            let module = module.or_else(|| shared.clone()).filter(|module| module.contains('.'));
            if let (Some(place), Some(module)) = (node.place, module) {
                let module = NodeModule { file: place.file.to_owned(), line: place.line, module };
                found.insert(node.name.to_owned(), module);
            }
        }
    }
    found
}

fn place_of<'t>(node: &Node<'t>) -> Option<(&'t str, u64)> {
    node.place.map(|place| (place.file, place.line))
}

/// The names of values in an expression; `mul` of `torch.ops.aten.mul.Tensor(..)` is not one.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| !is_word(c) && c != '.');
    pieces.map(|piece| piece.split('.').next().unwrap_or_default()).filter(|name| !name.is_empty())
}

/// `self.blocks.0.up` of `l_self_modules_blocks_modules_0_modules_up_parameters_weight_`.
fn module_of_parameter(name: &str) -> Option<String> {
    let path = name.strip_prefix("l_").or_else(|| name.strip_prefix("L_"))?;
    let end = OWNED.iter().filter_map(|owned| path.rfind(owned)).max()?;
    let path = path.get(..end)?;
    (!path.is_empty()).then(|| path.replace("_modules_", "."))
}

/// `self.blocks.0` of `self.blocks.0.up` and `self.blocks.0.norm`.
fn in_common(left: &str, right: &str) -> String {
    let same = left.split('.').zip(right.split('.')).take_while(|(left, right)| left == right);
    same.map(|(part, _)| part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRE: &str = "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_):\n        \
        # File: /a/x.py:6 in forward, code: h = gelu(self.up(x))\n        \
        linear = torch._C._nn.linear(l_x_, l_self_modules_blocks_modules_0_modules_up_parameters_weight_)\n        \
        h = torch._C._nn.gelu(linear);  linear = None\n        \
        # File: /a/x.py:7 in forward, code: return self.down(h)\n        \
        linear_1 = torch._C._nn.linear(h, l_self_modules_blocks_modules_0_modules_down_parameters_weight_)\n        \
        # File: /a/x.py:6 in forward, code: h = gelu(self.up(x))\n        \
        linear_2 = torch._C._nn.linear(linear_1, l_self_modules_blocks_modules_1_modules_up_parameters_weight_)\n        \
        # File: /a/x.py:9 in forward, code: return x.relu()\n        \
        relu = linear_2.relu()\n";

    fn modules(name: &str, found: &TextMap<String, NodeModule>) -> Option<String> {
        found.get(name).map(|node| node.module.clone())
    }

    #[test]
    fn a_node_belongs_to_the_module_of_its_parameter_or_of_its_neighbors_on_the_line() {
        let graph = GraphText::read(PRE);
        let found = modules_of(&graph, PRE, |name, _| module_of_parameter(name));
        assert_eq!(modules("linear", &found).as_deref(), Some("self.blocks.0.up"));
        assert_eq!(modules("h", &found).as_deref(), Some("self.blocks.0.up"));
        assert_eq!(modules("linear_1", &found).as_deref(), Some("self.blocks.0.down"));
        assert_eq!(modules("linear_2", &found).as_deref(), Some("self.blocks.1.up"));
        assert_eq!(modules("relu", &found), None);
    }

    #[test]
    fn a_backward_node_belongs_to_the_module_of_the_saved_values_of_its_line() {
        let saved =
            |line, module: &str| NodeModule { file: "/a/x.py".to_owned(), line, module: module.to_owned() };
        let forward = [
            ("mul", saved(6, "self.blocks.3.norm")),
            ("addmm", saved(6, "self.blocks.0.up")),
            ("add_3", saved(7, "self.blocks.0.down")),
        ];
        let forward = forward.into_iter().map(|(name, module)| (name.to_owned(), module)).collect();
        let post = "class GraphModule(torch.nn.Module):\n    def forward(self, addmm, add_3, tangents_1):\n        \
            # File: /a/x.py:6 in forward, code: h = gelu(self.up(x))\n        \
            mul_9 = torch.ops.aten.mul.Tensor(tangents_1, addmm)\n        \
            mm = torch.ops.aten.mm.default(mul_9, add_3)\n";
        let found = NodeModules::of_backward(post, &NodeModules(forward));
        assert_eq!(modules("mul_9", &found.0).as_deref(), Some("self.blocks.0.up"));
        assert_eq!(modules("mm", &found.0).as_deref(), Some("self.blocks.0.up"), "add_3 is of another line");
    }

    #[test]
    fn operators_are_not_values() {
        let names: Vec<&str> = names_in("torch.ops.aten.mul.Tensor(view_9, 0.5)").collect();
        assert_eq!(names, ["torch", "view_9", "0"]);
    }

    #[test]
    fn only_names_of_parameters_and_buffers_have_a_module() {
        assert_eq!(module_of_parameter("l_x_"), None);
        assert_eq!(module_of_parameter("primals_1"), None);
        let head = module_of_parameter("l_self_modules_head_buffers_mask_");
        assert_eq!(head.as_deref(), Some("self.head"));
    }
}
