//! One pass over the calls of a trace, thread by thread in the order in which they began, with what each launched.
//!
//! A trace has only the begin and duration of each call; the nesting of calls follows from these. Only open calls are
//! kept in memory.

use super::formulas::Formula;
use super::graphs::{Graphs, key_of_call};
use super::launched::{matched_calls, parts_of};
use super::launchers::{Asked, asked};
use super::regions::{RegionKind, Regions};
use super::work::{KernelRun, What, WorkPart, is_written_by_inductor, operator_of};
use crate::limits::TRIED;
use crate::model::{DeviceKernel, DeviceWork, Launch, Operator, OperatorCall, Profile};
use crate::read::generated::kernel_source::without_graph_number;
use std::borrow::Cow;
use std::io;

/// How far a call may seem to outlast the call around it: times in a trace have three decimals.
const ROUNDING_US: f64 = 0.002;

/// Limit on the launches of a CUDA graph that are matched with generated code; a graph of a large model has some thousand.
const LAUNCHES_OF_GRAPH: usize = 1 << 16;

/// What the name starts with under which a backward graph is called.
const BACKWARD: &str = "CompiledFunctionBackward";

/// Walks through a trace and passes each piece of work to `take`. Returns the calls of compiled code.
///
/// # Errors
/// The temporary files of the trace cannot be read.
pub(super) fn walk(
    profile: &Profile,
    graphs: &Graphs,
    take: &mut dyn FnMut(KernelRun),
) -> io::Result<Regions> {
    let (regions, kinds) = Regions::in_profile(profile);
    let kind = |(operator, region)| OperatorKind::new(operator, region, graphs);
    let kinds = profile.operators.iter().zip(kinds).map(kind).collect();
    let mut walk = Walk { profile, graphs, kinds, open: Vec::new(), thread: None, regions, take };
    let launches = if profile.launches.is_empty() { None } else { Some(asked(profile)?) };
    let mut launches = launches.as_ref().map(|launches| launches.iter()).transpose()?;
    let mut next = launches.as_mut().map_or(Ok(None), |launches| launches.next())?;
    let mut calls = profile.calls.iter()?;
    while let Some(call) = calls.next()? {
        walk.enter(&call);
        let Some(launches) = &mut launches else {
            walk.cpu_call(&call);
            continue;
        };
        let is_graph = walk.kind_of(&call).launches_graph;
        let mut of_graph = Vec::new();
        while let Some(Asked { launch, .. }) = next.filter(|asked| asks(asked, &call)) {
            if is_graph && of_graph.len() < LAUNCHES_OF_GRAPH {
                of_graph.push(launch);
            } else {
                walk.launch(&launch, true);
            }
            next = launches.next()?;
        }
        walk.cuda_graph(of_graph);
    }
    walk.close_down_to(0);
    while let (Some(Asked { launch, .. }), Some(launches)) = (next, &mut launches) {
        walk.launch(&launch, false);
        next = launches.next()?;
    }
    Ok(walk.regions)
}

fn asks(asked: &Asked, call: &OperatorCall) -> bool {
    asked.call.is_some_and(|asking| asking.place == call.place)
}

/// What this pass needs to know about an operator.
#[derive(Debug, Default, Clone, Copy)]
struct OperatorKind {
    has_formula: bool,
    /// The graph that it calls by its key, if the log has it.
    graph: Option<usize>,
    region: RegionKind,
    is_backward: bool,
    /// Whether it launches a CUDA graph.
    launches_graph: bool,
    /// Whether it computes two gradients, each in a kernel of its own.
    has_two_gradients: bool,
}

impl OperatorKind {
    fn new(operator: &Operator, region: RegionKind, graphs: &Graphs) -> OperatorKind {
        let formula = Formula::named(&operator.name);
        OperatorKind {
            has_formula: formula.is_some(),
            launches_graph: operator.name == Operator::GRAPH_LAUNCH,
            has_two_gradients: formula.is_some_and(|formula| formula.gradients(operator).is_some()),
            graph: key_of_call(&operator.name).and_then(|key| graphs.with_key(key)),
            region,
            is_backward: operator_of(without_graph_number(&operator.name)).starts_with(BACKWARD),
        }
    }
}

/// An open call.
#[derive(Default)]
struct Frame {
    place: u32,
    operator: u32,
    ends_us: f64,
    kind: OperatorKind,
    /// The graph that it calls.
    graph: Option<usize>,
    /// The outermost open call with a formula, possibly this one.
    with_formula: Option<usize>,
    /// Whether this call or one around it computes.
    computes: bool,
    /// The innermost call with a kind around what this one makes, possibly this one: its place among the open calls.
    marked: Option<usize>,
    /// The compiled code around it, possibly this one.
    in_region: Option<u32>,
    /// The innermost graph within that code, possibly this one: its place among the open calls.
    in_graph: Option<usize>,
    /// Whether this call or one around it is a backward pass.
    is_backward: bool,
    /// For a call of a graph: how far its code has been followed.
    code_at: usize,
    /// For a call directly inside a graph: the matching call in the code, once it was looked for.
    code_call: Option<Option<usize>>,
    /// What it launched so far.
    launched: Vec<KernelRun>,
}

struct Walk<'p, 't> {
    profile: &'p Profile,
    graphs: &'p Graphs,
    /// By operator.
    kinds: Vec<OperatorKind>,
    /// Open calls, the outermost first.
    open: Vec<Frame>,
    thread: Option<u32>,
    regions: Regions,
    take: &'t mut dyn FnMut(KernelRun),
}

impl<'p> Walk<'p, '_> {
    /// Opens a call, after closing those that ended before it.
    fn enter(&mut self, call: &OperatorCall) {
        if self.thread != Some(call.thread) {
            self.close_down_to(0);
            self.thread = Some(call.thread);
            self.regions.next_thread();
        }
        let end = call.begin_us + call.dur_us;
        let ended = |frame: &Frame| {
            frame.ends_us <= call.begin_us + ROUNDING_US && call.dur_us > 0.0
                || frame.ends_us + ROUNDING_US < end
        };
        let ended = self.open.iter().rev().take_while(|frame| ended(frame)).count();
        self.close_down_to(self.open.len() - ended);
        let kind = self.kind_of(call);
        let (here, nothing) = (self.open.len(), Frame::default());
        let around = self.open.last().unwrap_or(&nothing);
        let is_marked = kind.region != RegionKind::Other;
        if is_marked {
            let marked = around.marked.and_then(|at| self.open.get(at)).map(|marked| marked.kind.region);
            self.regions.call(kind.region, marked, self.open.last().map(|around| around.place), call);
        }
        let is_graph = kind.region == RegionKind::Graph;
        let (in_region, in_graph) = match kind.region {
            RegionKind::Region(region) => (Some(region), None),
            RegionKind::Graph => (around.in_region, Some(here)),
            _ => (around.in_region, around.in_graph),
        };
        let frame = Frame {
            marked: if is_marked { Some(here) } else { around.marked },
            in_region,
            in_graph,
            is_backward: around.is_backward || kind.is_backward,
            place: call.place,
            operator: call.operator,
            ends_us: end,
            kind,
            graph: kind.graph.or_else(|| self.graph_without_key()).filter(|_| is_graph),
            with_formula: around.with_formula.or(kind.has_formula.then_some(here)),
            computes: around.computes || kind.region == RegionKind::Operator,
            ..Frame::default()
        };
        self.open.push(frame);
    }

    /// The graph of a call without a key, as torch did not cache it: the only one of that kind in the compile whose code calls
    /// it. A backward is called outside of any region.
    fn graph_without_key(&self) -> Option<usize> {
        let around = self.open.last();
        let region = around.and_then(|around| self.regions.id(around.in_region?));
        let is_backward = region.is_none() && around.is_some_and(|around| around.is_backward);
        self.graphs.without_key(region, is_backward)
    }

    fn kind_of(&self, call: &OperatorCall) -> OperatorKind {
        self.kinds.get(call.operator as usize).copied().unwrap_or_default()
    }

    fn close_down_to(&mut self, count: usize) {
        while self.open.len() > count {
            let Some(frame) = self.open.pop() else { return };
            self.share_out(frame.launched, frame.kind.has_two_gradients);
        }
    }

    /// Passes on the launches of an operator, each with what it does of the operator's work.
    fn share_out(&mut self, launched: Vec<KernelRun>, has_two_gradients: bool) {
        let kernels: Vec<Option<&DeviceKernel>> =
            launched.iter().map(|piece| self.kernel_of(piece)).collect();
        let parts = parts_of(&launched, &kernels, has_two_gradients);
        for (piece, part) in launched.into_iter().zip(parts) {
            (self.take)(KernelRun { part, ..piece });
        }
    }

    fn kernel_of(&self, piece: &KernelRun) -> Option<&'p DeviceKernel> {
        match piece.what {
            What::Device(kernel) => self.profile.kernels.get(kernel as usize),
            What::Cpu(_) => None,
        }
    }

    /// The launches of a CUDA graph. It replays what the code of the graph around it launched, in the same order, but names no
    /// operator: generated kernels are known by their names, and what lies between two of them are the calls of libraries
    /// there.
    fn cuda_graph(&mut self, mut launches: Vec<Launch>) {
        launches.sort_by(|left, right| left.begin_us.total_cmp(&right.begin_us));
        let Some(innermost) = self.open.last() else { return };
        let (launched_by, in_region, in_graph) = (innermost.place, innermost.in_region, innermost.in_graph);
        let wrapper = in_graph.and_then(|at| self.open.get(at));
        let (graph, from) = (wrapper.and_then(|frame| frame.graph), wrapper.map_or(0, |frame| frame.code_at));
        let piece = |launch: &Launch| KernelRun {
            launched_by: Some(launched_by),
            in_cuda_graph: true,
            compiled: in_region.is_some() || in_graph.is_some(),
            graph,
            ..KernelRun::launched(launch, None)
        };
        let pieces: Vec<KernelRun> = launches.iter().map(piece).collect();
        let Some(code) = graph.and_then(|graph| self.graphs.graphs.get(graph)) else {
            return pieces.into_iter().for_each(|piece| self.only_graph_of(piece));
        };
        let kernels: Vec<Option<&DeviceKernel>> = pieces.iter().map(|piece| self.kernel_of(piece)).collect();
        let matched = matched_calls(code, from, &kernels);
        if let (Some(last), Some(frame)) =
            (matched.iter().flatten().max(), in_graph.and_then(|at| self.open.get_mut(at)))
        {
            frame.code_at = last + 1;
        }
        let mut of_call: Vec<KernelRun> = Vec::new();
        for (piece, code_call) in pieces.into_iter().zip(matched) {
            let piece = KernelRun { code_call, ..piece };
            if of_call.first().is_some_and(|first| first.code_call != code_call) {
                self.share_out_call(std::mem::take(&mut of_call));
            }
            of_call.push(piece);
        }
        self.share_out_call(of_call);
    }

    /// The same for launches of one call in generated code.
    fn share_out_call(&mut self, launched: Vec<KernelRun>) {
        let Some(first) = launched.first() else { return };
        let call = self.graphs.call(first.graph, first.code_call);
        if call.is_none() {
            return launched.into_iter().for_each(|piece| (self.take)(piece));
        }
        self.share_out(launched, call.is_some_and(|call| call.gradients.is_some()));
    }

    /// A launch without a known graph, which the name of a generated kernel may tell.
    fn only_graph_of(&mut self, mut piece: KernelRun) {
        if let Some(kernel) = self.kernel_of(&piece) {
            self.only_graph(&mut piece, self.graphs.with_kernel(&kernel.name), &kernel.name);
        }
        (self.take)(piece);
    }

    /// A launch; `was_asked_for` says whether the innermost open call made it.
    fn launch(&mut self, launch: &Launch, was_asked_for: bool) {
        let around = self.open.len().checked_sub(1).filter(|_| was_asked_for);
        let asking = around.and_then(|at| self.open.get(at)?.with_formula.or(Some(at)));
        let kernel = self.profile.kernels.get(launch.kernel as usize);
        let operator = asking.and_then(|at| Some(self.open.get(at)?.operator));
        let mut piece = KernelRun::launched(launch, operator);
        piece.launched_by = around.and_then(|at| Some(self.open.get(at)?.place));
        if around.is_some() {
            self.place(&mut piece, kernel.map(|kernel| kernel.name.as_str()));
        }
        // Older versions of torch name no graph, but the file or name of a generated kernel may belong to a single graph.
        if let Some(kernel) =
            kernel.filter(|kernel| piece.graph.is_none() && kernel.kind == DeviceWork::Kernel)
        {
            let operator = around.and_then(|at| self.open.get(at)).map(|frame| frame.operator as usize);
            let triton = operator.and_then(|at| self.profile.operators.get(at)?.triton.as_ref());
            let file = triton.and_then(|triton| triton.file.as_ref());
            let graph = file.and_then(|file| self.graphs.with_file(file));
            let graph = graph.or_else(|| self.graphs.with_kernel(&kernel.name));
            self.only_graph(&mut piece, graph, &kernel.name);
        }
        piece.compiled |= kernel.is_some_and(|kernel| is_written_by_inductor(&kernel.name));
        let Some(frame) = asking.and_then(|at| self.open.get_mut(at)) else {
            return (self.take)(piece);
        };
        piece.first_of_call = frame.launched.is_empty();
        if frame.launched.len() < TRIED {
            frame.launched.push(piece);
        } else {
            (self.take)(KernelRun { part: WorkPart::Helper, ..piece });
        }
    }

    /// A call in a trace of a CPU. It counts if it is directly inside a graph, or an outermost operator elsewhere.
    fn cpu_call(&mut self, call: &OperatorCall) {
        let around = self.open.len().checked_sub(2).and_then(|at| self.open.get(at));
        // Calls made by an operator are part of it.
        let inside_another = around.is_some_and(|around| around.computes);
        let computes = self.open.last().is_some_and(|frame| frame.computes);
        if inside_another || !computes {
            return;
        }
        let (what, operator) = (What::Cpu(call.operator), Some(call.operator));
        let mut piece = KernelRun::new(what, call.place, call.begin_us, call.dur_us, operator);
        self.place(&mut piece, None);
        if piece.graph.is_none() {
            let name = self.code_name(call.operator);
            self.only_graph(&mut piece, self.graphs.with_kernel(&name), &name);
        }
        (self.take)(piece);
    }

    fn only_graph(&self, piece: &mut KernelRun, graph: Option<usize>, kernel: &str) {
        let Some(graph) = graph else { return };
        piece.compiled = true;
        piece.graph = Some(graph);
        let places = self.graphs.graphs.get(graph).and_then(|graph| graph.by_name.get(kernel));
        if let Some([only]) = places.map(Vec::as_slice) {
            piece.code_call = Some(*only);
        }
    }

    /// The name of an operator as generated code has it.
    fn code_name(&self, operator: u32) -> Cow<'p, str> {
        let name = self.profile.operators.get(operator as usize).map_or("", |operator| &operator.name);
        operator_of(without_graph_number(name))
    }

    /// Finds the compiled code and the graph around the innermost open call, and the call of the graph's code.
    fn place(&mut self, piece: &mut KernelRun, kernel: Option<&str>) {
        let Some(innermost) = self.open.last() else { return };
        let in_graph = innermost.in_graph;
        piece.compiled |= innermost.in_region.is_some() || in_graph.is_some();
        if let Some(at) = in_graph {
            piece.graph = self.open.get(at).and_then(|frame| frame.graph);
            piece.code_call = piece.graph.and_then(|graph| self.code_call(graph, at, kernel));
        }
    }

    /// The call in the graph's code that matches the open call directly inside the graph; for a launch by the graph itself,
    /// the next call of that kernel.
    fn code_call(&mut self, graph: usize, at: usize, kernel: Option<&str>) -> Option<usize> {
        let Some(below) = self.open.get(at + 1) else { return self.next_call(graph, at, kernel?) };
        if let Some(known) = below.code_call {
            return known;
        }
        let name = self.code_name(below.operator);
        let found = self.next_call(graph, at, &name);
        if let Some(below) = self.open.get_mut(at + 1) {
            below.code_call = Some(found);
        }
        found
    }

    /// The next call of that name in the graph's code, after those seen in this run of it.
    fn next_call(&mut self, graph: usize, at: usize, name: &str) -> Option<usize> {
        let places = self.graphs.graphs.get(graph)?.by_name.get(name)?;
        let wrapper = self.open.get_mut(at)?;
        let from = places.partition_point(|place| *place < wrapper.code_at);
        let next = places.get(from..)?.first().copied()?;
        wrapper.code_at = next + 1;
        Some(next)
    }
}
