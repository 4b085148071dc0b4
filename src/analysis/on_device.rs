//! How compiled code runs on a device, as far as the log proves it: CUDA graphs, operators that run on the CPU, and
//! products of float32 matrices.

use super::build_spans::{Build, BuildPurpose};
use super::device_questions::{PRODUCTS, has_tf32, uses_gpu, with_questions};
use super::guard_texts::{DeviceTexts, GuardTexts};
use super::names::parameter_name;
use super::one_offs::{OneOff, OneOffKind};
use super::own_code::is_library;
use super::performance::work_of_nodes;
use super::run_console::{place_of, told};
use super::spans::Spans;
use super::user_place::UserPlace;
use crate::limits::TRIED;
use crate::model::words::{counted, duration};
use crate::model::{Compile, CompileIndex, ConsoleGraphs, Model, SeenObstacle, TextFrame, TraceSpan};
use crate::read::expr::as_written;
use crate::read::fx_graph::{GraphText, Node, PlaceComment};
use crate::read::source_text::{arguments, symbols};
use crate::trace::TextMap;
use indexmap::IndexMap;

/// What the log proves about each compile whose work on a device raises a question.
#[derive(Debug, Default)]
pub struct OnDevice {
    /// Whether the program runs on a GPU.
    pub uses_gpu: bool,
    of: IndexMap<CompileIndex, CompileOnDevice>,
    /// What the console says of CUDA graphs of no compile in particular.
    pub apart: ConsoleGraphs,
}

/// What is known of one compile.
#[derive(Debug, Default)]
pub struct CompileOnDevice {
    /// Its CUDA graphs, where they were asked for.
    pub cuda_graphs: Option<CudaGraphs>,
    /// Operators that run on the CPU.
    pub on_host: Vec<Operation>,
    /// Products of float32 matrices on a device that could use TF32 for them, and may not.
    pub float32: Vec<Operation>,
    /// The FLOPs of these products.
    pub float32_flops: f64,
    /// Microseconds of building C++ in it: its kernels, and checks of the compiler before the first of the process.
    cpp_us: f64,
    /// Microseconds of its kernels alone.
    cpp_kernels_us: f64,
}

/// What became of the CUDA graphs of a compile that asks for them.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct CudaGraphs {
    /// Parts of the generated code that can be recorded.
    pub parts: u32,
    /// Recordings in the log.
    pub recordings: usize,
    /// Microseconds that they took.
    pub us: f64,
    /// Inputs that are written in place and may have another address in the next call.
    pub written: Vec<Operation>,
    /// Operations that no CUDA graph can hold.
    pub outside: Vec<Operation>,
    /// Whether a dimension is dynamic, so that each of its sizes needs a recording.
    pub is_dynamic: bool,
    /// What the console of the same run says.
    pub seen: Option<ConsoleGraphs>,
}

/// What an operation means for a CUDA graph.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// It runs on the CPU.
    OnHost,
    /// It copies between devices.
    Copy,
    /// Only the data tells the size of its result.
    UnknownSize,
    /// It can be part of one.
    #[default]
    None,
}

/// An operation of a graph.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Operation {
    /// As torch calls it: `aten.mul`.
    pub operator: String,
    /// Where the program asks for it; empty if the log does not say.
    pub place: UserPlace,
    /// The input that it is about, as the user calls it.
    pub input: Option<String>,
    /// Why it cannot be part of a CUDA graph.
    pub obstacle: Obstacle,
}

/// The span of one recording.
const RECORDING: &str = "CUDAGraphNode.record";

/// Operators that need no kernel.
const VIEWS: &str =
    "alias as_strided detach expand permute reshape select slice split squeeze t transpose unsqueeze view";

impl OnDevice {
    /// Draws the conclusions.
    pub(super) fn of_log(spans: &Spans<'_>, texts: &GuardTexts, one_offs: &[OneOff]) -> OnDevice {
        let model = spans.model;
        let mut found = OnDevice { uses_gpu: uses_gpu(model), ..OnDevice::default() };
        let has_tf32 = has_tf32(model);
        for index in with_questions(model) {
            let (Some(compile), Some(texts)) = (model.compiles.get(index), texts.on_device(index)) else {
                continue;
            };
            let graphs: Vec<Graph<'_>> =
                texts.lowered.iter().map(|text| Graph::read(text, texts, compile)).collect();
            let outside: Vec<Operation> = graphs.iter().flat_map(Graph::outside).collect();
            let on_host = outside.iter().filter(|one| one.obstacle == Obstacle::OnHost).cloned();
            let mut of = CompileOnDevice { on_host: on_host.collect(), ..CompileOnDevice::default() };
            if has_tf32 && compile.on_device.settings.tf32 == Some(false) {
                of.float32 = graphs.iter().flat_map(Graph::float32_products).collect();
                of.float32_flops = graphs.iter().map(Graph::float32_flops).sum();
            }
            of.cuda_graphs = compile.on_device.settings.cudagraphs.then(|| CudaGraphs {
                parts: compile.on_device.parts,
                written: graphs.iter().flat_map(|graph| graph.written(texts)).collect(),
                outside,
                is_dynamic: graphs.iter().any(Graph::is_dynamic),
                ..CudaGraphs::default()
            });
            found.of.insert(index, of);
        }
        found.add_recordings(model);
        found.add_console(model);
        found.add_builds(spans, one_offs);
        found
    }

    /// The compiles with what is known of each, in the order of the log.
    pub fn iter(&self) -> impl Iterator<Item = (CompileIndex, &CompileOnDevice)> {
        self.of.iter().map(|(index, of)| (*index, of))
    }

    /// The CUDA graphs of a compile that asked for them.
    pub fn cuda_graphs(&self, compile: CompileIndex) -> Option<&CudaGraphs> {
        self.of.get(&compile)?.cuda_graphs.as_ref()
    }

    /// Whether operators of a compile run on the CPU, though the program runs on a GPU.
    pub fn runs_on_host(&self, compile: CompileIndex) -> bool {
        self.of.get(&compile).is_some_and(|of| !of.on_host.is_empty())
    }

    /// Microseconds of building C++ in a compile, with the checks of the compiler before the first kernel.
    pub fn cpp_us(&self, compile: CompileIndex) -> f64 {
        self.of.get(&compile).map_or(0.0, |of| of.cpp_us)
    }

    /// Microseconds of building kernels in C++.
    pub fn cpp_kernels_us(&self, compile: CompileIndex) -> f64 {
        self.of.get(&compile).map_or(0.0, |of| of.cpp_kernels_us)
    }

    fn add_builds(&mut self, spans: &Spans<'_>, one_offs: &[OneOff]) {
        let kernels = |build: &&Build<'_>| matches!(build.purpose, BuildPurpose::Kernel { .. });
        for build in spans.builds.iter().filter(kernels) {
            let Some(of) = self.of.get_mut(&build.compile).filter(|_| build.is_cpp()) else { continue };
            of.cpp_kernels_us += (build.span.end_us - build.span.start_us).max(0.0);
        }
        for (index, of) in &mut self.of {
            let trials =
                one_offs.iter().filter(|one| one.compile == *index && one.kind == OneOffKind::Toolchain);
            of.cpp_us = of.cpp_kernels_us + trials.map(|one| one.us).sum::<f64>();
        }
    }

    /// What a console says belongs to the compile that it names, or else to the one whose line it names, or to the only one.
    fn add_console(&mut self, model: &Model) {
        let all = model.console.iter().flat_map(|console| &console.graphs);
        for seen in all.filter(|seen| seen.were_asked_for()) {
            if let Some(&index) = seen.compile.as_ref().and_then(|id| model.by_id.get(&Some(id.clone()))) {
                self.seen(Some(index)).absorb(seen.clone());
                continue;
            }
            let mut left = seen.clone();
            for one in std::mem::take(&mut left.skipped) {
                let index = self.compile_at(model, &one);
                self.seen(index).skipped.push(one);
            }
            let asked = self.asked();
            self.seen(asked.first().copied().filter(|_| asked.len() == 1)).absorb(left);
        }
        for graphs in self.of.values_mut().filter_map(|of| of.cuda_graphs.as_mut()) {
            let recorded = graphs.seen.as_ref().map_or(0, |seen| seen.recordings);
            graphs.recordings = graphs.recordings.max(usize::try_from(recorded).unwrap_or(usize::MAX));
        }
    }

    /// What the console says of a compile, or of none.
    fn seen(&mut self, index: Option<CompileIndex>) -> &mut ConsoleGraphs {
        let Some(index) = index else { return &mut self.apart };
        let graphs = self.of.entry(index).or_default().cuda_graphs.get_or_insert_default();
        graphs.seen.get_or_insert_default()
    }

    /// The compile whose CUDA graphs were skipped for what a line does: the one whose log says the same of that line, or whose
    /// function it is in, or the only one.
    fn compile_at(&self, model: &Model, one: &SeenObstacle) -> Option<CompileIndex> {
        let at = place_of(one);
        let asked = self.asked();
        let says_it = |index: &CompileIndex| {
            let obstacles = self.cuda_graphs(*index).into_iter().flat_map(CudaGraphs::obstacles);
            obstacles.into_iter().any(|(_, known)| {
                known.place.line.is_some() && (&known.place.file, known.place.line) == (&at.file, at.line)
            })
        };
        let has_function = |index: &CompileIndex| {
            let function = model.compiles.get(*index).and_then(|compile| compile.function.as_deref());
            function.is_some_and(|function| {
                let is_its = |frame: &TextFrame| {
                    frame.function == function.name && Some(&frame.file) == function.file.as_ref()
                };
                one.stack.iter().any(is_its)
            })
        };
        let unrecorded = |index: &CompileIndex| self.cuda_graphs(*index).is_some_and(|of| of.recordings == 0);
        let found = asked.iter().find(|index| says_it(index));
        let of_function =
            || asked.iter().filter(|index| has_function(index)).max_by_key(|index| unrecorded(index));
        found.or_else(of_function).or(asked.first().filter(|_| asked.len() == 1)).copied()
    }

    /// The compiles that asked for CUDA graphs.
    pub fn asked(&self) -> Vec<CompileIndex> {
        self.of.iter().filter(|(_, of)| of.cuda_graphs.is_some()).map(|(index, _)| *index).collect()
    }

    /// A recording names no compile, but torch writes metrics of the call right after it, which do.
    fn add_recordings(&mut self, model: &Model) {
        let mut calls: Vec<(f64, CompileIndex)> = Vec::new();
        for (index, compile) in model.compiles.indexed() {
            let records = compile.metrics.iter().filter(|record| record.kind.is_runtime());
            calls.extend(records.filter_map(|record| Some((record.facts.end_us?, index))));
        }
        calls.sort_by(|one, other| one.0.total_cmp(&other.0));
        let asked = self.asked();
        let only = asked.first().copied().filter(|_| asked.len() == 1);
        let is_recording = |span: &&TraceSpan| &*span.name == RECORDING;
        for span in model.spans.iter().filter(is_recording) {
            let after = calls.partition_point(|(end_us, _)| *end_us < span.end_us);
            let compile = span.compile.or(only).or_else(|| Some(calls.get(after)?.1));
            let graphs = compile.and_then(|compile| self.of.get_mut(&compile)?.cuda_graphs.as_mut());
            if let Some(graphs) = graphs {
                graphs.recordings += 1;
                graphs.us += (span.end_us - span.start_us).max(0.0);
            }
        }
    }
}

/// A graph that Inductor generated code for, with what its nodes are about.
struct Graph<'t> {
    text: &'t str,
    graph: GraphText<'t>,
    /// The user's names of its inputs in order; empty where they are unknown, as in a backward.
    inputs: Vec<Option<String>>,
}

impl<'t> Graph<'t> {
    fn read(text: &'t str, texts: &DeviceTexts, compile: &Compile) -> Graph<'t> {
        let mut graph = Graph { text, graph: GraphText::read(text), inputs: Vec::new() };
        graph.inputs = graph.names_of_inputs(texts, compile);
        graph
    }

    fn nodes(&self) -> impl Iterator<Item = &Node<'t>> {
        self.graph.nodes.iter().filter(|node| node.scope == 0)
    }

    /// Whether its inputs are those of the captured graph: a backward has results of its forward among them.
    fn is_forward(&self) -> bool {
        self.inputs().all(|node| ["arg", "primals_"].iter().any(|begin| node.name.starts_with(begin)))
    }

    fn inputs(&self) -> impl Iterator<Item = &Node<'t>> {
        self.nodes().filter(|node| node.placeholder)
    }

    /// Those of the captured graph, whose inputs are in the same order, if this graph has the same inputs.
    fn names_of_inputs(&self, texts: &DeviceTexts, compile: &Compile) -> Vec<Option<String>> {
        let captured = GraphText::read(texts.captured.as_deref().unwrap_or_default());
        let captured: Vec<_> = captured
            .nodes
            .iter()
            .filter(|node| node.placeholder && node.scope == 0)
            .map(|node| node.name)
            .collect();
        if !self.is_forward() || captured.len() != self.inputs().count() {
            return Vec::new();
        }
        let sources: TextMap<String, &str> =
            compile.inputs.iter().map(|input| (name_in_graph(&input.source), &*input.source)).collect();
        let user = |source: &&str| parameter_name(source).unwrap_or_else(|| as_written(source));
        captured.into_iter().map(|name| sources.get(name).map(user)).collect()
    }

    fn node(&self, name: &str) -> Option<&Node<'t>> {
        self.graph.node(name).filter(|node| node.scope == 0)
    }

    /// The values that a node is computed from.
    fn arguments(&self, node: &Node<'t>) -> impl Iterator<Item = &Node<'t>> {
        let all = node.call().map(|(_, rest)| arguments(rest)).unwrap_or_default();
        all.into_iter().filter_map(|argument| self.node(argument))
    }

    fn tensors_of(&self, node: &Node<'t>) -> impl Iterator<Item = &Node<'t>> {
        self.arguments(node).filter(|node| device(node.annotation).is_some())
    }

    fn operation(&self, node: &Node<'t>, obstacle: Obstacle) -> Operation {
        let operator = operator(node).unwrap_or_default();
        let place = node.place.or_else(|| self.arguments(node).find_map(|argument| argument.place));
        Operation {
            operator: operator.rsplit_once('.').map_or(operator, |(name, _)| name).to_owned(),
            place: place.map(user_place).unwrap_or_default(),
            input: None,
            obstacle,
        }
    }

    /// The input on the CPU that a node gets its tensor from, as the user calls it.
    fn input_on_host(&self, node: &Node<'t>) -> Option<String> {
        let mut at = node;
        for _ in 0..TRIED {
            if at.placeholder {
                let place = self.inputs().position(|input| input.name == at.name)?;
                return self.inputs.get(place)?.clone();
            }
            at = self.tensors_of(at).find(|from| device(from.annotation) == Some(HOST))?;
        }
        None
    }

    /// Operations that no CUDA graph can hold.
    fn outside(&self) -> Vec<Operation> {
        let of = |node: &Node<'t>| {
            let obstacle = self.obstacle(node);
            (obstacle != Obstacle::None)
                .then(|| Operation { input: self.input_on_host(node), ..self.operation(node, obstacle) })
        };
        self.nodes().filter_map(of).collect()
    }

    fn obstacle(&self, node: &Node<'t>) -> Obstacle {
        let Some(operator) = operator(node) else { return Obstacle::None };
        let base = operator.split('.').nth(1).unwrap_or_default();
        let own = device(node.annotation);
        let unknown = |tensor: &str| symbols(tensor, 1).filter(|symbol| symbol.starts_with('u')).count();
        if own.is_some_and(|own| {
            self.tensors_of(node).next().is_some_and(|from| device(from.annotation) != Some(own))
        }) && (base.contains("copy") || base == "device_put")
        {
            return Obstacle::Copy;
        }
        if unknown(node.annotation) > 0 && !self.arguments(node).any(|of| unknown(of.annotation) > 0) {
            return Obstacle::UnknownSize;
        }
        // A constant that is made on the CPU becomes part of the kernels that read it.
        let computes = self.tensors_of(node).next().is_some() && !VIEWS.split(' ').any(|view| view == base);
        if own == Some(HOST) && computes { Obstacle::OnHost } else { Obstacle::None }
    }

    /// Products of float32 matrices on the device.
    fn float32_nodes(&self) -> impl Iterator<Item = &Node<'t>> {
        self.nodes().filter(|node| {
            let product =
                operator(node).and_then(|operator| operator.strip_prefix("aten.")?.strip_suffix(".default"));
            product.is_some_and(|product| PRODUCTS.contains(&product))
                && node.annotation.starts_with("f32[")
                && device(node.annotation).is_some_and(|device| device.starts_with("cuda"))
        })
    }

    fn float32_products(&self) -> Vec<Operation> {
        self.float32_nodes().map(|node| self.operation(node, Obstacle::None)).collect()
    }

    fn float32_flops(&self) -> f64 {
        let work = work_of_nodes(self.text);
        self.float32_nodes().filter_map(|node| work.get(node.name)?.flops).sum()
    }

    fn is_dynamic(&self) -> bool {
        self.inputs().any(|node| symbols(node.annotation, 1).any(|symbol| symbol.starts_with('s')))
    }

    /// Inputs on the device that are written in place and need not have the same address in the next call.
    fn written(&self, texts: &DeviceTexts) -> Vec<Operation> {
        let metadata = texts.metadata.as_deref().map(Mutations::read).unwrap_or_default();
        if metadata.inputs != self.inputs().count() || !self.is_forward() {
            return Vec::new();
        }
        let of = |at: &usize| {
            let input = self.inputs().nth(*at).filter(|input| device(input.annotation) != Some(HOST))?;
            let writes = |node: &&Node<'t>| {
                let Some((operator, rest)) = node.call() else { return false };
                operator.split('.').nth(1).is_some_and(|base| base.ends_with('_'))
                    && arguments(rest).first() == Some(&input.name)
            };
            let written = self.nodes().find(writes).map(|node| self.operation(node, Obstacle::None));
            let name = self.inputs.get(*at).cloned().flatten();
            Some(Operation { input: name, ..written.unwrap_or_default() })
        };
        metadata.moving.iter().filter_map(of).collect()
    }
}

/// `aten.mul.Tensor`; None for an input or a constant.
fn operator<'t>(node: &Node<'t>) -> Option<&'t str> {
    node.call().map(|(operator, _)| operator)
}

/// The CPU, in the annotation of a tensor.
const HOST: &str = "cpu";

/// `cuda:0` of `f32[64, 256][256, 1]cuda:0`.
fn device(tensor: &str) -> Option<&str> {
    tensor.rsplit_once(']').map(|(_, device)| device).filter(|device| !device.is_empty())
}

/// What Dynamo calls an input in its graph: `L_k_cache_` of `L['k_cache']`.
fn name_in_graph(source: &str) -> String {
    let mut name = String::with_capacity(source.len());
    for c in source.chars() {
        match c.is_ascii_alphanumeric() {
            true => name.push(c),
            false if name.ends_with('_') => {}
            false => name.push('_'),
        }
    }
    name
}

fn user_place(comment: PlaceComment<'_>) -> UserPlace {
    UserPlace {
        file: Some(comment.file.to_owned()),
        line: Some(comment.line),
        loc: comment.code.map(str::to_owned),
        function: None,
    }
}

/// What AOTAutograd knows of inputs that are written.
#[derive(Debug, Default)]
struct Mutations {
    inputs: usize,
    /// Places of inputs that are written and that need not have the same address in each call.
    moving: Vec<usize>,
}

impl Mutations {
    /// Reads `ViewAndMutationMeta(input_info=[InputAliasInfo(..), ..], .., static_input_indices=[0], ..)`.
    fn read(text: &str) -> Mutations {
        let inputs = text.split("output_info=").next().unwrap_or_default();
        let fixed = text.split_once("static_input_indices=[").and_then(|(_, rest)| rest.split(']').next());
        let fixed: Vec<usize> =
            fixed.unwrap_or_default().split(',').filter_map(|index| index.trim().parse().ok()).collect();
        let infos: Vec<&str> = inputs.split("InputAliasInfo(").skip(1).collect();
        let written = infos.iter().enumerate().filter(|(_, info)| info.contains("mutates_data=True"));
        let moving = written.map(|(at, _)| at).filter(|at| !fixed.contains(at)).collect();
        Mutations { inputs: infos.len(), moving }
    }
}

impl CudaGraphs {
    /// What keeps this compile, or a part of it, out of CUDA graphs, each with a word for it.
    pub fn obstacles(&self) -> impl Iterator<Item = (&'static str, &Operation)> {
        let word = |one: &Operation| match one.obstacle {
            Obstacle::OnHost => "on_cpu",
            Obstacle::Copy => "copy",
            Obstacle::UnknownSize => "unknown_size",
            Obstacle::None => "input_written",
        };
        self.written.iter().chain(&self.outside).map(move |one| (word(one), one))
    }

    /// What the log proves, in a few words: `asked for, 2 parts, recorded 60 times, 3.1 s`.
    pub fn words(&self) -> String {
        let parts = counted(self.parts as usize, "part", "parts");
        let recorded = match self.recordings {
            0 => "no recording in the log".to_owned(),
            times if self.us > 0.0 => {
                format!("recorded {}, {}", counted(times, "time", "times"), duration(self.us))
            }
            times => format!("recorded {}", counted(times, "time", "times")),
        };
        let parts = if self.parts == 0 { String::new() } else { format!("{parts}, ") };
        let told = self.seen.as_ref().map(told).filter(|told| !told.is_empty());
        let seen = told.map(|told| format!("; on the console: {}", told.join("; ")));
        format!("asked for, {parts}{recorded}{}", seen.unwrap_or_default())
    }
}

impl Operation {
    /// Whether the place is a line of the user's own program.
    pub fn is_own(&self) -> bool {
        self.place.file.as_deref().is_some_and(|file| !is_library(file))
    }
}
