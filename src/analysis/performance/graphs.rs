//! The graphs of the log, by the keys under which a trace refers to them, with the calls of their code in order.

use super::estimates::{ReadPayload, estimated_runtimes};
use super::footprint::{MOST_PIECES_TOGETHER, bytes_of_call};
use super::formulas::{Formula, Work};
use super::node_flops::{NodeWork, work_of_nodes};
use super::work::GRAPH;
use crate::analysis::provenance::{CodeKind, InductorRun, KernelCall, Provenance, RunTexts, inductor_runs};
use crate::facts::LineTime;
use crate::model::{ArtifactIndex, CacheLookup, Compile, CompileIndex, InputDims, Model, Operator, Profile};
use crate::read::generated::kernel_source::{KernelSource, KernelSources, sources};
use crate::read::generated::tensors::{TensorCall, tensor_calls};
use crate::read::generated::{definitions, operator};
use crate::trace::{TextMap, TextSet};
use fxhash::FxHashMap;
use std::hash::Hash;

/// A line's share of the time of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineShare {
    /// Place in [`Graphs::lines`].
    pub(super) line: usize,
    /// From 0 to 1.
    pub(super) share: f64,
}

/// A call of a kernel in generated code.
#[derive(Debug, Clone, Default)]
pub(super) struct CodeCall {
    /// Its name in traces: `aten::addmm`, `cpp_fused_add_0`, `triton_poi_fused_add_0`.
    pub(super) name: String,
    /// Another name in traces: a template of C++ is recorded as `gemm_m96n256k128_kernel`.
    pub(super) recorded: Option<String>,
    /// Whether Inductor generated its source.
    pub(super) generated: bool,
    pub(super) work: Work,
    /// Of the gradients of a convolution's input and of its weight, if it computes both.
    pub(super) gradients: Option<[Work; 2]>,
    /// What a template computes, of the inputs that a trace says, and the share of it that a mask leaves.
    pub(super) template: Option<(Formula, f64)>,
    /// Whether a mask leaves out some of the FLOPs, and the log does not say how much.
    pub(super) before_mask: bool,
    pub(super) has_atomics: bool,
    /// The place of the first call of the same kernel with the same work.
    pub(super) alike: usize,
    /// The type of the tensors that it multiplies, as graphs name it.
    pub(super) element: Option<String>,
    pub(super) lines: Vec<LineShare>,
    /// Inductor's estimate of its time, microseconds.
    pub(super) estimated_us: Option<f64>,
}

impl CodeCall {
    /// A call that computes this product, in a kernel that Inductor generated or in a library.
    fn of_product(product: Option<&NodeWork>, generated: bool) -> CodeCall {
        let template = product.filter(|_| generated);
        CodeCall {
            generated,
            gradients: product.and_then(|product| product.gradients),
            template: template.map(|product| (product.formula.of_template(), product.share)),
            before_mask: product.is_some_and(|product| product.before_mask),
            element: product.and_then(|product| product.element.clone()),
            ..CodeCall::default()
        }
    }

    /// Whether a trace has another name than the code. A kernel of the program has its own name in a trace.
    pub(super) fn is_recorded_otherwise(&self) -> bool {
        self.recorded.is_some() && self.name.starts_with("cpp_")
    }
}

/// A graph that Inductor compiled.
pub(super) struct Graph {
    pub(super) compile: CompileIndex,
    /// Attempt of the compile, and number of the run in it, from 1.
    pub(super) run: (u32, usize),
    /// `forward`, `backward` or `inference`, if the code says so.
    pub(super) direction: Option<String>,
    pub(super) calls: Vec<CodeCall>,
    /// Places of the calls by name, ascending.
    pub(super) by_name: TextMap<String, Vec<usize>>,
}

impl Graph {
    /// The first call of that name with the same work.
    fn alike(&self, name: &str, work: &Work) -> Option<usize> {
        let earlier = self.by_name.get(name)?.iter().filter_map(|at| self.calls.get(*at));
        earlier.filter(|call| call.work == *work).map(|call| call.alike).next()
    }
}

/// All graphs of the log.
#[derive(Default)]
pub(super) struct Graphs {
    pub(super) graphs: Vec<Graph>,
    /// The graph of each cache key.
    by_key: TextMap<String, usize>,
    /// The graph that was not cached, by the id of its compile, or of all compiles, and by whether it is a backward; None if
    /// there are several.
    without_key: TextMap<(Option<String>, bool), Option<usize>>,
    /// Whether products of `float` may use tf32, from the guards of all compiles, if they agree.
    tf32: Option<bool>,
    /// The graph that defines each generated kernel; None if several do.
    by_kernel: TextMap<String, Option<usize>>,
    /// The graph whose code names each file of a Triton kernel; None if several do.
    by_file: TextMap<String, Option<usize>>,
    pub(super) lines: Vec<LineTime<'static>>,
    /// Place of each line in `lines`.
    places: TextMap<(String, u64), usize>,
}

impl Graphs {
    /// Reads the code of every graph.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub(super) fn read(model: &Model, read: ReadPayload<'_>) -> anyhow::Result<Graphs> {
        let mut tf32 = model.guards.values().filter_map(|guards| guards.allow_tf32);
        let first = tf32.next().filter(|first| tf32.all(|other| other == *first));
        let mut found = Graphs { tf32: first, ..Graphs::default() };
        let mut lookups: Vec<&CacheLookup> =
            model.caches.iter().filter(|one| one.cache == "fx_graph").collect();
        lookups.sort_by_key(|lookup| lookup.artifact);
        for (index, compile) in model.compiles.indexed() {
            for run in inductor_runs(model, compile) {
                let place = found.graphs.len();
                let mut is_cached = false;
                for key in keys_of(&lookups, index, &run) {
                    found.by_key.entry(key.to_owned()).or_insert(place);
                    is_cached = true;
                }
                let graph = found.graph(index, (compile, &run), read)?;
                if let Some(id) = compile.id.as_ref().filter(|_| !is_cached) {
                    let is_backward = graph.direction.as_deref() == Some("backward");
                    for of in [Some(id.to_string()), None] {
                        only(&mut found.without_key, (of, is_backward), place);
                    }
                }
                for call in graph.calls.iter().filter(|call| call.generated) {
                    for name in std::iter::once(&call.name).chain(&call.recorded) {
                        only(&mut found.by_kernel, name.clone(), place);
                    }
                }
                found.graphs.push(graph);
            }
        }
        Ok(found)
    }

    /// The graph with that cache key.
    pub(super) fn with_key(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The only graph without a key in a compile, or else of all compiles, that is a backward or that is not.
    pub(super) fn without_key(&self, compile: Option<&str>, backward: bool) -> Option<usize> {
        self.without_key.get(&(compile.map(str::to_owned), backward)).copied().flatten()
    }

    /// How many graphs a trace calls, if none of them is in this log although it has graphs with keys: it is of another run.
    pub(super) fn foreign(&self, profile: &Profile) -> Option<usize> {
        let names = profile.operators.iter().filter_map(|operator| key_of_call(&operator.name));
        let keys: TextSet<&str> = names.collect();
        let is_known = keys.iter().any(|key| self.by_key.contains_key(*key));
        (!keys.is_empty() && !self.by_key.is_empty() && !is_known).then_some(keys.len())
    }

    pub(super) fn call(&self, graph: Option<usize>, call: Option<usize>) -> Option<&CodeCall> {
        self.graphs.get(graph?)?.calls.get(call?)
    }

    /// The only graph that defines this generated kernel.
    pub(super) fn with_kernel(&self, kernel: &str) -> Option<usize> {
        self.by_kernel.get(kernel).copied().flatten()
    }

    /// Whether products of `float` in a graph may use tf32, from the guards of its compile; outside of graphs from the guards
    /// of all compiles, if they agree.
    pub(super) fn may_use_tf32(&self, model: &Model, graph: Option<usize>) -> Option<bool> {
        let compile = graph.and_then(|graph| self.graphs.get(graph)).map(|graph| graph.compile);
        compile.and_then(|compile| model.guards.get(&compile)?.allow_tf32).or(self.tf32)
    }

    /// The only graph whose code names this file of a Triton kernel.
    pub(super) fn with_file(&self, file: &str) -> Option<usize> {
        self.by_file.get(file).copied().flatten()
    }

    fn graph(
        &mut self,
        compile: CompileIndex,
        (owner, run): (&Compile, &InductorRun),
        read: ReadPayload<'_>,
    ) -> anyhow::Result<Graph> {
        let texts = RunTexts::read(owner, run, read)?;
        let known = texts.provenance();
        let code = wrapper_of(&texts);
        let lines = known.kernels.iter().map(|call| (call.line, call.kernel.as_str()));
        let files = texts.code.iter();
        let sources: KernelSources<'_> =
            files.flat_map(|file| sources(&file.text, &definitions(&file.text, file.kind))).collect();
        let calls = tensor_calls(code, texts.post.as_deref(), &sources, lines);
        let mut pieces_left = MOST_PIECES_TOGETHER;
        let work = texts.post.as_deref().map(work_of_nodes).unwrap_or_default();
        for file in kernel_files(code) {
            only(&mut self.by_file, file.to_owned(), self.graphs.len());
        }
        let estimates = estimated_runtimes(owner, run, read)?;
        let mut graph = Graph {
            compile,
            run: (run.attempt, run.order),
            direction: run.direction().map(str::to_owned),
            calls: Vec::new(),
            by_name: TextMap::default(),
        };
        let of_nodes = lines_of_nodes(&known);
        let mut products = TextSet::default();
        for (place, call) in known.kernels.iter().enumerate() {
            let name = name_in_trace(&call.kernel);
            let source = sources.get(call.kernel.as_str());
            let recorded = source.and_then(|source| source.recorded.clone()).filter(|other| *other != name);
            let of_code = calls.get(&call.line);
            let computes = computes_product(call, source);
            let product = computes.then(|| product_of(call, &work, &mut products)).flatten();
            let (own, product) = product.unzip();
            let own = own.or_else(|| own_node(call, &name));
            for name in std::iter::once(&name).chain(&recorded) {
                graph.by_name.entry(name.clone()).or_default().push(place);
            }
            let work = Work {
                flops: product.and_then(|product| product.flops).or_else(|| flops_of_call(&name, of_code?)),
                bytes: of_code
                    .and_then(|of_code| bytes_of_call(of_code, &mut pieces_left))
                    .or_else(|| product?.bytes),
            };
            graph.calls.push(CodeCall {
                work,
                alike: graph.alike(&name, &work).unwrap_or(place),
                has_atomics: source.is_some_and(|source| source.has_atomics),
                lines: self.shares(&known, &of_nodes, call, own),
                estimated_us: estimates.get(&call.kernel).map(|of| of.ns / f64::from(of.calls) / 1e3),
                recorded,
                name,
                ..CodeCall::of_product(product, call.language.is_some())
            });
        }
        Ok(graph)
    }

    /// The lines of a call. A library computes the lines of its own node, a template those of its
    /// product; what else was fused into the call is nothing beside that. Otherwise nodes have equal shares, and each line has
    /// the shares of its nodes.
    fn shares(
        &mut self,
        known: &Provenance,
        of_nodes: &LinesOfNodes<'_>,
        call: &KernelCall,
        own: Option<&str>,
    ) -> Vec<LineShare> {
        let mut nodes: FxHashMap<usize, usize> = FxHashMap::default();
        for line in call.nodes.iter().filter_map(|node| of_nodes.get(node.as_str())).flatten() {
            *nodes.entry(*line).or_default() += 1;
        }
        let own =
            own.and_then(|own| of_nodes.get(own)).filter(|own| own.iter().any(|at| call.source.contains(at)));
        let lines = call.source.iter().filter(|at| own.is_none_or(|own| own.contains(at)));
        let weighted: Vec<(usize, f64)> = lines
            .filter_map(|at| Some((*at, known.source.get(*at)?)))
            .map(|(at, line)| {
                let nodes = nodes.get(&at).copied().unwrap_or_default();
                (self.line(&line.file, line.line, line.code.as_deref()), nodes.max(1) as f64)
            })
            .collect();
        let all: f64 = weighted.iter().map(|(_, nodes)| nodes).sum();
        weighted.into_iter().map(|(line, nodes)| LineShare { line, share: nodes / all }).collect()
    }

    /// The place of a line in `lines`, to which it is added if necessary.
    fn line(&mut self, file: &str, line: u64, code: Option<&str>) -> usize {
        *self.places.entry((file.to_owned(), line)).or_insert_with(|| {
            let (file, code) = (file.to_owned().into(), code.map(|code| code.to_owned().into()));
            self.lines.push(LineTime { file, line, code, ..LineTime::default() });
            self.lines.len() - 1
        })
    }
}

/// Notes that a graph has a key; one that several have leads to none.
fn only<K: Eq + Hash>(known: &mut TextMap<K, Option<usize>>, key: K, graph: usize) {
    let known = known.entry(key).or_insert(Some(graph));
    *known = known.filter(|known| *known == graph);
}

/// The key of the graph that an operator of a trace calls.
pub(super) fn key_of_call(name: &str) -> Option<&str> {
    name.strip_prefix(GRAPH).map(|rest| rest.trim_end_matches('#').trim())
}

/// The places of the lines of each node.
type LinesOfNodes<'p> = TextMap<&'p str, Vec<usize>>;

fn lines_of_nodes(known: &Provenance) -> LinesOfNodes<'_> {
    let mut found = LinesOfNodes::default();
    for (at, line) in known.source.iter().enumerate() {
        for node in &line.nodes {
            let lines = found.entry(node.as_str()).or_default();
            lines.extend((lines.last() != Some(&at)).then_some(at));
        }
    }
    found
}

/// Cache keys of the code of a run, from all lookups in the order of their artifacts.
fn keys_of<'m>(
    lookups: &[&'m CacheLookup],
    compile: CompileIndex,
    run: &InductorRun,
) -> impl Iterator<Item = &'m str> {
    let place = |at: usize| lookups.partition_point(|one| one.artifact < ArtifactIndex::new(compile, at));
    let of_run = lookups.get(place(run.artifacts.start)..place(run.artifacts.end)).unwrap_or_default();
    of_run.iter().filter_map(|lookup| lookup.key.as_deref())
}

/// The product that a call computes, by its nodes: the first that no call before it computes. What is fused behind a product
/// names the products that it came from, too.
fn product_of<'w>(
    call: &'w KernelCall,
    work: &'w TextMap<String, NodeWork>,
    computed: &mut TextSet<String>,
) -> Option<(&'w str, &'w NodeWork)> {
    let products = || call.nodes.iter().filter(|node| work.contains_key(*node));
    let node = products().find(|node| !computed.contains(*node)).or_else(|| products().next())?;
    computed.insert(node.clone());
    Some((node, work.get(node)?))
}

/// Whether a call computes the product that it names: a kernel that copies an input of a product names it, too, but only a
/// template computes it.
fn computes_product(call: &KernelCall, source: Option<&KernelSource>) -> bool {
    let is_template = || match source {
        Some(source) => source.is_template,
        None => call.kernel.starts_with("triton_tem_"),
    };
    call.language.is_none() || is_template()
}

/// The node that the call of a library computes: the last one that is named like its operator.
fn own_node<'c>(call: &'c KernelCall, name: &str) -> Option<&'c str> {
    let (_, operator) = name.split_once("::").filter(|_| call.language.is_none())?;
    let is_own = |node: &&String| node.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_') == operator;
    call.nodes.iter().rev().find(is_own).map(String::as_str)
}

/// The wrapper, in Python or else in C++.
fn wrapper_of(texts: &RunTexts) -> &str {
    let of_kind = |kind: CodeKind| texts.code.iter().find(|file| file.kind == kind);
    let wrapper = of_kind(CodeKind::Python).or_else(|| of_kind(CodeKind::Cpp));
    wrapper.map_or("", |file| &file.text)
}

/// The name in traces of what the code calls: `aten::mm` for `extern_kernels.mm` and `torch.ops.aten.mm.default`.
pub(super) fn name_in_trace(kernel: &str) -> String {
    operator(kernel).map_or_else(|| kernel.to_owned(), |(space, name)| format!("{space}::{name}"))
}

/// Base names of the files with Triton kernels: `# kernel path: /tmp/torchinductor_me/h4/ch4l.py`.
pub(super) fn kernel_files(code: &str) -> impl Iterator<Item = &str> {
    let paths = code.lines().filter_map(|line| line.trim().strip_prefix("# kernel path:"));
    paths.filter_map(|path| path.trim().rsplit(['/', '\\']).next()).filter(|file| !file.is_empty())
}

/// Arguments of a convolution after its tensors, in the order of its operator.
const CONVOLUTION: [&str; 6] = ["stride", "padding", "dilation", "transposed", "output_padding", "groups"];

/// FLOPs of a library's operator, from the sizes of its tensors and from its keyword arguments.
pub(super) fn flops_of_call(name: &str, call: &TensorCall) -> Option<f64> {
    let formula = Formula::named(name)?;
    let inputs = call.arguments.iter().filter(|argument| !argument.is_out);
    let dims: Option<Vec<InputDims>> =
        inputs.map(|argument| argument.tensor.sizes.clone().map(InputDims::One)).collect();
    let mut operator = Operator { name: name.to_owned(), dims: dims?, ..Operator::default() };
    if formula.name == "aten::convolution" {
        // The work of a convolution depends on its settings.
        let setting = |name: &str| {
            let (_, value) = call.settings.iter().find(|(known, _)| known == name)?;
            Some(value.replace('(', "[").replace(",)", "]").replace(')', "]"))
        };
        let settings: Option<Vec<String>> = CONVOLUTION.iter().map(|name| setting(name)).collect();
        operator.dims.truncate(2);
        operator.values = vec![String::new(); 3];
        operator.values.extend(settings?);
    } else if !formula.is_product {
        // The tensors do not say whether attention is causal, or which gradients are wanted.
        return None;
    }
    formula.work(&operator).flops
}
