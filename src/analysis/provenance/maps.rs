//! Maps between the lines of a run's texts, from torch's mapping.

use super::CodeKind;
use super::flow::nodes_of_calls;
use super::mapping::{Mapping, label};
use super::run_texts::{CodeOfKind, RunTexts};
use super::source::{KernelStacks, Lines, Place, SourceLine, callers, kernel_stacks};
use crate::read::fx_graph::{GraphText, PlaceComment};
use crate::read::generated::{CodeText, Definition, KernelBody};
use crate::trace::{TextMap, TextSet};
use fxhash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Lines (from 1) to lines of another text, ascending.
pub type LineMap = BTreeMap<u32, Vec<u32>>;

/// The maps between the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LineMaps {
    /// Pre-grad to post-grad graph.
    pub pre_to_post: LineMap,
    /// And back.
    pub post_to_pre: LineMap,
    /// Calls in the Python wrapper to the post-grad graph.
    pub py_code_to_post: LineMap,
    /// And back.
    pub post_to_py_code: LineMap,
    /// Calls in the C++ wrapper to the post-grad graph.
    pub cpp_code_to_post: LineMap,
    /// And back.
    pub post_to_cpp_code: LineMap,
}

/// How many of something are linked. In JSON `[linked, all]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(into = "[usize; 2]")]
pub struct Linked {
    /// The linked ones.
    pub linked: usize,
    /// All.
    pub all: usize,
}

impl From<Linked> for [usize; 2] {
    fn from(count: Linked) -> [usize; 2] {
        [count.linked, count.all]
    }
}

/// How much is linked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Calls of kernels linked to a node or to a line of the program.
    pub kernels: Linked,
    /// Nodes of the post-grad graph, without inputs, linked to a kernel.
    pub nodes: Linked,
}

/// A call of a kernel and what is known about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelCall {
    /// As the code names it.
    pub kernel: String,
    /// Its debug handle, if provenance was on.
    pub handle: Option<String>,
    pub file: CodeKind,
    /// Line of the call, from 1.
    pub line: u32,
    /// Its source, if it is generated.
    pub definition: Option<KernelBody>,
    /// Language of its source; None for calls of libraries.
    pub language: Option<&'static str>,
    /// Nodes of the post-grad graph.
    pub nodes: Vec<String>,
    /// Lines of these nodes, in the post-grad graph.
    pub post: Vec<u32>,
    /// Lines of the program: places in [`Provenance::source`].
    pub source: Vec<usize>,
    /// Nodes of the pre-grad graph that the comment above the call, or above its source, names.
    pub(super) source_nodes: Vec<String>,
}

impl KernelCall {
    /// `extern_kernels.mm:1`, as torch's artifacts name it.
    pub fn label(&self) -> String {
        label(&self.kernel, self.handle.as_deref())
    }
}

/// A node of the post-grad graph that is not linked to a kernel.
#[derive(Debug, Clone)]
pub struct UnmappedNode {
    pub name: String,
    /// Its first line in the graph.
    pub line: u32,
}

/// Where the kernels of a run come from.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// Between lines.
    pub maps: LineMaps,
    /// Calls in the order of the code.
    pub kernels: Vec<KernelCall>,
    /// Lines of the program.
    pub source: Vec<SourceLine>,
    /// How much is linked.
    pub coverage: Coverage,
    /// Nodes that are not linked to a kernel, without inputs.
    pub unmapped: Vec<UnmappedNode>,
    /// Whether torch's mapping has any node.
    pub has_map: bool,
    /// Whether it has kernels.
    pub names_kernels: bool,
    /// Whether the nodes of kernels were inferred from comments and the flow of data instead.
    pub worked_out: bool,
    /// Whether stack traces of kernels are known.
    pub has_stacks: bool,
    /// Whether something was left out because there was too much of it.
    pub cut: bool,
}

/// Limit on the links in a map. A mapping of a graph with 20,000 nodes has about as many links; a hostile one, with many
/// nodes for many kernels, would take quadratic space.
const MOST_LINKS: usize = 500_000;

impl RunTexts {
    /// Connects the texts; a missing one leaves its maps empty.
    pub fn provenance(&self) -> Provenance {
        let pre = self.pre.as_deref().map(GraphText::read).unwrap_or_default();
        let post = self.post.as_deref().map(GraphText::read).unwrap_or_default();
        let mapping = Mapping::read(&self.mappings, self.pre.as_deref());
        let stacks = self.stacks.as_deref().and_then(kernel_stacks).unwrap_or_default();
        let mut found = Provenance {
            has_map: !mapping.kernel_to_post.is_empty() || !mapping.pre_to_post.is_empty(),
            names_kernels: !mapping.kernel_to_post.is_empty(),
            has_stacks: !stacks.is_empty(),
            ..Provenance::default()
        };
        found.kernels = kernels(self, &mapping, &post);
        found.maps(&mapping, &pre, &post);
        found.source_lines(&mapping, &stacks, (&pre, &post));
        found.count(&post);
        found
    }
}

impl Provenance {
    fn maps(&mut self, mapping: &Mapping, pre: &GraphText<'_>, post: &GraphText<'_>) {
        let mut python: TextMap<String, Vec<u32>> = TextMap::default();
        let mut cpp: TextMap<String, Vec<u32>> = TextMap::default();
        for call in &self.kernels {
            let calls = if call.file == CodeKind::Python { &mut python } else { &mut cpp };
            let name = if mapping.handles { call.label() } else { call.kernel.clone() };
            calls.entry(name).or_default().push(call.line);
        }
        let pre = |name: &str| pre.lines(name);
        let post = |name: &str| post.lines(name);
        let python = |name: &str| python.get(name).map(Vec::as_slice).unwrap_or_default();
        let cpp = |name: &str| cpp.get(name).map(Vec::as_slice).unwrap_or_default();
        let cut = &mut self.cut;
        self.maps = LineMaps {
            pre_to_post: lines(&mapping.pre_to_post, pre, post, cut),
            post_to_pre: lines(&mapping.post_to_pre, post, pre, cut),
            py_code_to_post: lines(&mapping.kernel_to_post, python, post, cut),
            post_to_py_code: lines(&mapping.post_to_kernel, post, python, cut),
            cpp_code_to_post: lines(&mapping.kernel_to_post, cpp, post, cut),
            post_to_cpp_code: lines(&mapping.post_to_kernel, post, cpp, cut),
        };
        if !self.names_kernels {
            self.map_calls();
        }
    }

    /// Maps between calls and nodes if torch's mapping has no kernels.
    fn map_calls(&mut self) {
        let mut room = MOST_LINKS;
        for call in self.kernels.iter().filter(|call| !call.post.is_empty()) {
            let maps = &mut self.maps;
            let (forth, back) = match call.file {
                CodeKind::Python => (&mut maps.py_code_to_post, &mut maps.post_to_py_code),
                _ => (&mut maps.cpp_code_to_post, &mut maps.post_to_cpp_code),
            };
            if call.post.len() > room {
                self.cut = true;
                break;
            }
            room -= call.post.len();
            forth.entry(call.line).or_default().extend(&call.post);
            call.post.iter().for_each(|node| back.entry(*node).or_default().push(call.line));
            self.worked_out = true;
        }
        let LineMaps { py_code_to_post, post_to_py_code, cpp_code_to_post, post_to_cpp_code, .. } =
            &mut self.maps;
        let maps = [py_code_to_post, post_to_py_code, cpp_code_to_post, post_to_cpp_code];
        for lines in maps.into_iter().flat_map(BTreeMap::values_mut) {
            lines.sort_unstable();
            lines.dedup();
        }
    }

    /// The lines of the program: from the stack traces of kernels, and from the comments in both graphs.
    fn source_lines(
        &mut self,
        mapping: &Mapping,
        stacks: &KernelStacks,
        (pre, post): (&GraphText<'_>, &GraphText<'_>),
    ) {
        let own = OwnPlaces::new(self, mapping, stacks, post);
        let mut lines = Lines::default();
        for node in &pre.nodes {
            if let Some(line) = lines.of_node(node, &own.pre) {
                line.pre.extend(&node.lines);
            }
        }
        for node in &post.nodes {
            if let Some(line) = lines.of_node(node, &own.post) {
                line.nodes.push(node.name.to_owned());
                line.post.extend(&node.lines);
            }
        }
        self.add_kernels(&mut lines, mapping, stacks, (pre, post));
        self.source = lines.sorted();
        for (at, line) in self.source.iter().enumerate() {
            for call in &line.calls {
                self.kernels[*call].source.push(at);
            }
        }
    }

    /// Adds each call of a kernel to the lines that it computes.
    fn add_kernels(
        &mut self,
        lines: &mut Lines,
        mapping: &Mapping,
        stacks: &KernelStacks,
        (pre, post): (&GraphText<'_>, &GraphText<'_>),
    ) {
        let mut places =
            post.nodes.iter().filter_map(|node| node.place).map(|place| (place.file, place.line));
        let first = places.next();
        let mut room = MOST_LINKS;
        let only = self.kernels.len() == 1 || places.all(|place| Some(place) == first);
        for (index, call) in self.kernels.iter().enumerate() {
            let add = |line: &mut SourceLine| {
                if line.calls.last() != Some(&index) {
                    line.calls.push(index);
                    line.kernels.push(call.label());
                }
            };
            let stacks = stacks.get(&call.label()).or_else(|| stacks.get(&call.kernel));
            if let Some(stacks) = stacks.filter(|stacks| !stacks.is_empty()) {
                room = room.saturating_sub(stacks.len());
                self.cut |= room == 0;
                stacks.iter().take(room).for_each(|stack| {
                    lines.of_stack(stack).map(add);
                });
                continue;
            }
            let places = call.nodes.iter().filter_map(|name| post.node(name)?.place);
            let mut places: Vec<PlaceComment<'_>> = places.collect();
            // torch counts what was computed for an operator's inputs among its sources.
            let commented =
                call.nodes.is_empty() || call.language.is_none() && mapping.kernel_to_post.is_empty();
            if call.nodes.is_empty() && only {
                // The only kernel computes the whole graph, or the graph comes from a single line.
                let most = if self.kernels.len() == 1 { usize::MAX } else { 1 };
                places = post.nodes.iter().filter_map(|node| node.place).take(most).collect();
            } else if commented {
                places.extend(call.source_nodes.iter().filter_map(|name| pre.node(name)?.place));
            }
            if places.is_empty() {
                places.extend(call.nodes.iter().find_map(|name| place_between(name, pre, post)));
            }
            places.iter().for_each(|place| add(lines.of_comment(place)));
        }
    }

    fn count(&mut self, post: &GraphText<'_>) {
        let named: TextSet<&str> =
            self.kernels.iter().flat_map(|call| call.nodes.iter().map(String::as_str)).collect();
        let all = || post.nodes.iter().filter(|node| !node.placeholder);
        let unmapped = all().filter(|node| !named.contains(node.name));
        self.unmapped =
            unmapped.map(|node| UnmappedNode { name: node.name.to_owned(), line: node.lines[0] }).collect();
        let kernels = self.kernels.iter().filter(|call| !call.post.is_empty() || !call.source.is_empty());
        let nodes = all().count();
        self.coverage = Coverage {
            kernels: Linked { linked: kernels.count(), all: self.kernels.len() },
            nodes: Linked { linked: nodes - self.unmapped.len(), all: nodes },
        };
    }
}

/// The place of a node that torch made of several, which leaves it without a stack (`addmm` of a product and a sum): in the
/// program, what it computes follows the node before it. Not in a backward, which has another order.
fn place_between<'t>(name: &str, pre: &GraphText<'t>, post: &GraphText<'_>) -> Option<PlaceComment<'t>> {
    let nodes =
        post.nodes.split(|node| node.name == name).next().filter(|nodes| nodes.len() < post.nodes.len())?;
    if post.nodes.iter().any(|node| node.placeholder && node.name.starts_with("tangents_")) {
        return None;
    }
    let before = nodes.iter().rev().find_map(|node| node.place);
    let is_there = |place: PlaceComment<'_>| {
        before.is_some_and(|before| (before.file, before.line) == (place.file, place.line))
    };
    let last = pre.nodes.iter().rposition(|node| node.place.is_some_and(is_there));
    if before.is_some() && last.is_none() {
        return None;
    }
    pre.nodes.iter().skip(last.map_or(0, |last| last + 1)).find_map(|node| node.place)
}

/// Lines of the program for nodes whose comment has a line of a library, by node. Comments have only the innermost frame;
/// the stacks of kernels have its callers.
#[derive(Default)]
struct OwnPlaces {
    pre: TextMap<String, Place>,
    post: TextMap<String, Place>,
}

impl OwnPlaces {
    fn new(found: &Provenance, mapping: &Mapping, stacks: &KernelStacks, post: &GraphText<'_>) -> OwnPlaces {
        let mut own = OwnPlaces::default();
        let mut seen = FxHashSet::default();
        for call in &found.kernels {
            let label = call.label();
            let Some(stacks) = stacks.get(&label).filter(|_| seen.insert(label)) else { continue };
            let callers = callers(stacks);
            for name in &call.nodes {
                let place = post.node(name).and_then(|node| node.place);
                let caller = place.and_then(|place| callers.get(&(place.file.to_owned(), place.line)));
                if let Some(Some(caller)) = caller {
                    own.post.insert(name.clone(), caller.clone());
                }
            }
        }
        // A node before AOTAutograd became some of these; its other results have the same line.
        for (name, others) in &mapping.pre_to_post {
            own.pre.extend(agreed(others, &own.post).map(|place| (name.clone(), place)));
        }
        for (name, others) in &mapping.post_to_pre {
            if !own.post.contains_key(name) {
                own.post.extend(agreed(others, &own.pre).map(|place| (name.clone(), place)));
            }
        }
        own
    }
}

/// The place shared by all of these that have one.
fn agreed(names: &[String], known: &TextMap<String, Place>) -> Option<Place> {
    let mut places = names.iter().filter_map(|name| known.get(name));
    let first = places.next()?;
    places.all(|place| place == first).then(|| first.clone())
}

/// Names of one side to names of the other, as lines.
fn lines<'l>(
    names: &BTreeMap<String, Vec<String>>,
    from: impl Fn(&str) -> &'l [u32],
    to: impl Fn(&str) -> &'l [u32],
    cut: &mut bool,
) -> LineMap {
    let mut map: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut room = MOST_LINKS;
    'names: for (name, others) in names {
        let from = from(name);
        if from.is_empty() {
            continue;
        }
        let others: Vec<u32> = others.iter().flat_map(|other| to(other)).copied().take(room + 1).collect();
        for line in from {
            if others.len() > room {
                // Looking further would cost as much again for each name.
                *cut = true;
                break 'names;
            }
            room -= others.len();
            if !others.is_empty() {
                map.entry(*line).or_default().extend(&others);
            }
        }
    }
    map.into_iter().map(|(line, others)| (line, others.into_iter().collect())).collect()
}

/// The calls of all files, with their nodes from the mapping, otherwise from the comment above the kernel's source,
/// otherwise from the flow of data.
fn kernels(texts: &RunTexts, mapping: &Mapping, post: &GraphText<'_>) -> Vec<KernelCall> {
    let files = files(texts, mapping);
    let flow = match mapping.kernel_to_post.is_empty() {
        true => nodes_of_calls(texts.post.as_deref().map(|text| (text, post)), &files),
        false => FxHashMap::default(),
    };
    let all = files.iter().rev().flat_map(|file| &file.definitions);
    let definitions: TextMap<&str, &Definition<'_>> = all.map(|one| (one.kernel, one)).collect();
    let mut found = Vec::new();
    let mut called = TextSet::default();
    // Many calls of one handle with many nodes would need the product of both.
    let mut room = MOST_LINKS;
    for (file, call) in files.iter().flat_map(|file| file.calls.iter().map(move |call| (file.kind, call))) {
        let definition = definitions.get(call.kernel).copied();
        let mapped = mapping.nodes(call).filter(|nodes| nodes.len() <= room);
        room -= mapped.map_or(0, Vec::len);
        // The comment above a kernel's source is that of its first call.
        let described = definition.filter(|_| called.insert(call.kernel));
        let fragment = || described.map(|definition| owned(definition.fragment.iter()));
        let flown = || flow.get(&(file, call.line)).cloned();
        // The launch of a kernel of the program has the same name in all graphs; its flow of data ends at its buffers.
        let is_launch =
            |name: &&&str| name.starts_with("triton_kernel_wrapper_") && post.node(name).is_some();
        let launch = || owned(call.source_nodes.iter().filter(is_launch));
        let has_any = |nodes: &Vec<String>| !nodes.is_empty();
        let told = mapped.cloned().or_else(|| fragment().filter(has_any));
        let nodes = told.or_else(|| Some(launch()).filter(has_any)).or_else(flown).unwrap_or_default();
        let lines: BTreeSet<u32> = nodes.iter().flat_map(|name| post.lines(name)).copied().collect();
        let source_nodes = match described {
            Some(definition) if call.source_nodes.is_empty() => &definition.source_nodes,
            _ => &call.source_nodes,
        };
        found.push(KernelCall {
            kernel: call.kernel.to_owned(),
            handle: call.handle.map(str::to_owned),
            file,
            line: call.line,
            definition: definition.map(|definition| definition.body),
            language: definition.map(|definition| definition.language),
            nodes,
            post: lines.into_iter().collect(),
            source: Vec::new(),
            source_nodes: owned(source_nodes.iter()),
        });
    }
    found
}

fn owned<'n>(names: impl Iterator<Item = &'n &'n str>) -> Vec<String> {
    names.map(ToString::to_string).collect()
}

/// The files of generated code. All of them know the kernels of the mapping and of later files.
fn files<'t>(texts: &'t RunTexts, mapping: &'t Mapping) -> Vec<CodeText<'t>> {
    let of_mapping = mapping.kernel_to_post.keys().filter(|_| !mapping.handles);
    let mut known: Vec<&str> = of_mapping.map(String::as_str).collect();
    let mut files = Vec::new();
    // Kernels of the C++ wrapper are defined in a later file.
    for CodeOfKind { kind, text } in texts.code.iter().rev() {
        let code = CodeText::read(text, *kind, &known);
        known.extend(code.definitions.iter().map(|definition| definition.kernel));
        files.push(code);
    }
    files.reverse();
    files
}
