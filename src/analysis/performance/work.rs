//! What a trace recorded, as pieces of work: each is a kernel's run, with the operator and the graph that it belongs to.

use super::formulas::Formula;
use super::graphs::Graphs;
use super::tree::CallTree;
use crate::model::{DeviceWork, Launch, Operator, Profile};
use fxhash::FxHashMap;

/// A run of a kernel: a launch on a device, or, in a trace of a CPU, a call that computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) what: What,
    /// Its place in the trace's launches, in a trace of a CPU in its calls.
    pub(super) place: u32,
    pub(super) begin_us: f64,
    pub(super) dur_us: f64,
    /// The operator's call with a formula, else the innermost one, that asked for it.
    pub(super) operator: Slot,
    /// The graph whose code asked for it, and the call in that code.
    pub(super) graph: Slot,
    pub(super) code_call: Slot,
    /// Whether compiled code asked for it.
    pub(super) compiled: bool,
}

/// A place in a list, or none, in four bytes: a trace has millions of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slot(u32);

impl Slot {
    pub(super) const NONE: Slot = Slot(u32::MAX);

    pub(super) fn of(place: Option<usize>) -> Slot {
        place.and_then(|place| u32::try_from(place).ok()).map_or(Slot::NONE, Slot)
    }

    pub(super) fn get(self) -> Option<usize> {
        (self != Slot::NONE).then_some(self.0 as usize)
    }
}

/// What ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A kernel of the device: its place in [`Profile::kernels`].
    Device(u32),
    /// An operator that computed on the CPU: its place in [`Profile::operators`].
    Cpu(u32),
}

/// How the wrapper of a graph begins in a trace; the cache key of the graph follows.
pub(super) const GRAPH: &str = "## Call CompiledFxGraph ";
/// How calls of compiled code begin; the compile id follows.
pub(super) const REGION: &str = "Torch-Compiled Region: ";

/// Reads the pieces of a trace.
pub(super) struct Pieces<'p> {
    profile: &'p Profile,
    tree: &'p CallTree<'p>,
    graphs: &'p Graphs,
    /// By operator: its formula, its graph, whether it is a call of compiled code.
    kinds: Vec<Kind>,
    /// How far the code of a graph was followed in one of its calls.
    at: FxHashMap<u32, usize>,
    /// The call in the code to which each call below a graph was found to belong.
    matched: FxHashMap<u32, Option<usize>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    formula: Option<Formula>,
    /// It calls a graph, whose place is known where the log has it.
    calls_graph: bool,
    graph: Option<usize>,
    is_region: bool,
    annotation: bool,
}

impl<'p> Pieces<'p> {
    pub(super) fn of(profile: &'p Profile, tree: &'p CallTree<'p>, graphs: &'p Graphs) -> Vec<Piece> {
        let kind = |operator: &crate::model::Operator| {
            let key = operator.name.strip_prefix(GRAPH).map(|rest| rest.trim_end_matches('#').trim());
            Kind {
                formula: Formula::of(&operator.name),
                calls_graph: key.is_some(),
                graph: key.and_then(|key| graphs.with_key(key)),
                is_region: operator.name.starts_with(REGION),
                annotation: operator.annotation,
            }
        };
        let kinds = profile.operators.iter().map(kind).collect();
        let (at, matched) = (FxHashMap::default(), FxHashMap::default());
        let mut reader = Pieces { profile, tree, graphs, kinds, at, matched };
        if profile.launches.is_empty() { reader.of_cpu() } else { reader.of_device() }
    }

    fn kind(&self, call: u32) -> Kind {
        let operator = self.profile.calls.get(call as usize).map(|call| call.operator as usize);
        operator.and_then(|at| self.kinds.get(at)).copied().unwrap_or_default()
    }

    /// The launches in the order in which they were asked for, as far as the trace tells.
    fn of_device(&mut self) -> Vec<Piece> {
        let mut asked: Vec<(f64, &Launch, Option<u32>, u32)> =
            Vec::with_capacity(self.profile.launches.len());
        for (place, launch) in (0..).zip(&self.profile.launches) {
            let launcher = self.tree.launcher(launch);
            let begun = launcher.and_then(|call| self.profile.calls.get(call as usize));
            asked.push((begun.map_or(launch.begin_us, |call| call.begin_us), launch, launcher, place));
        }
        asked.sort_by(|left, right| {
            let by_correlation = left.1.correlation.cmp(&right.1.correlation);
            left.0.total_cmp(&right.0).then(by_correlation).then(left.1.begin_us.total_cmp(&right.1.begin_us))
        });
        asked.into_iter().map(|(_, launch, launcher, place)| self.launch(launch, launcher, place)).collect()
    }

    fn launch(&mut self, launch: &Launch, launcher: Option<u32>, place: u32) -> Piece {
        let mut piece = Piece {
            what: What::Device(launch.kernel),
            place,
            begin_us: launch.begin_us,
            dur_us: launch.dur_us,
            operator: launcher.map_or(Slot::NONE, |call| Slot(self.operator_of(call))),
            compiled: false,
            graph: Slot::NONE,
            code_call: Slot::NONE,
        };
        let kernel = self.profile.kernels.get(launch.kernel as usize);
        if let Some(call) = launcher {
            self.place(&mut piece, call, kernel.map(|kernel| kernel.name.as_str()));
        }
        // An older torch names no graph; the file of a generated kernel or its name may still be one graph's alone.
        if let Some(kernel) =
            kernel.filter(|kernel| piece.graph == Slot::NONE && kernel.kind == DeviceWork::Kernel)
            && let Some(graph) = launcher
                .and_then(|call| self.graphs.with_file(self.operator(call)?.triton.as_ref()?.file.as_ref()?))
                .or_else(|| self.graphs.with_kernel(&kernel.name))
        {
            piece.compiled = true;
            piece.graph = Slot::of(Some(graph));
            piece.code_call = Slot::of(self.only_call(graph, &kernel.name));
        }
        piece
    }

    /// The call of an operator that stands for a launch: the outermost with a formula, else the innermost.
    fn operator_of(&self, launcher: u32) -> u32 {
        let with_formula = self.tree.chain(launcher).filter(|call| self.kind(*call).formula.is_some());
        with_formula.last().unwrap_or(launcher)
    }

    /// Finds the graph around a call, and the call of its code.
    fn place(&mut self, piece: &mut Piece, call: u32, kernel: Option<&str>) {
        let mut below = None;
        for at in self.tree.chain(call) {
            let kind = self.kind(at);
            if kind.calls_graph {
                piece.compiled = true;
                piece.graph = Slot::of(kind.graph);
                if let Some(graph) = kind.graph {
                    piece.code_call = Slot::of(match below {
                        Some(below) => self.code_call_of(graph, at, below),
                        None => kernel.and_then(|kernel| self.next_call(graph, at, kernel)),
                    });
                }
                return;
            }
            if kind.is_region {
                piece.compiled = true;
                return;
            }
            below = Some(at);
        }
    }

    /// The call in a graph's code that one of the calls directly below the graph is.
    fn code_call_of(&mut self, graph: usize, wrapper: u32, below: u32) -> Option<usize> {
        if let Some(known) = self.matched.get(&below) {
            return *known;
        }
        let name = self.name(below).to_owned();
        let found = self.next_call(graph, wrapper, without_graph_number(&name));
        self.matched.insert(below, found);
        found
    }

    /// The next call of that name in a graph's code, behind those that were met in this run of it.
    fn next_call(&mut self, graph: usize, wrapper: u32, name: &str) -> Option<usize> {
        let places = self.graphs.graphs.get(graph)?.by_name.get(name)?;
        let at = self.at.entry(wrapper).or_insert(0);
        let next = places.get(places.partition_point(|place| place < at)..)?.first().copied()?;
        *at = next + 1;
        Some(next)
    }

    fn only_call(&self, graph: usize, name: &str) -> Option<usize> {
        match self.graphs.graphs.get(graph)?.by_name.get(name)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn operator(&self, call: u32) -> Option<&'p Operator> {
        let operator = self.profile.calls.get(call as usize)?.operator;
        self.profile.operators.get(operator as usize)
    }

    fn name(&self, call: u32) -> &'p str {
        self.operator(call).map_or("", |operator| operator.name.as_str())
    }

    /// In a trace of a CPU: the calls directly below a graph, and elsewhere the outermost operators.
    fn of_cpu(&mut self) -> Vec<Piece> {
        let tree = self.tree;
        tree.order().filter_map(|call| self.cpu_call(call)).collect()
    }

    fn cpu_call(&mut self, at: u32) -> Option<Piece> {
        let call = *self.profile.calls.get(at as usize)?;
        if !is_work(self.name(at)) || self.kind(at).annotation {
            return None;
        }
        let mut piece = Piece {
            what: What::Cpu(call.operator),
            place: at,
            begin_us: call.begin_us,
            dur_us: call.dur_us,
            operator: Slot(at),
            compiled: false,
            graph: Slot::NONE,
            code_call: Slot::NONE,
        };
        // What an operator calls is a part of it.
        let inside_another = |around: u32| {
            let kind = self.kind(around);
            !kind.annotation && is_work(self.name(around))
        };
        if self.tree.chain(at).skip(1).any(inside_another) {
            return None;
        }
        self.place(&mut piece, at, None);
        if piece.graph == Slot::NONE
            && let name = without_graph_number(self.name(at)).to_owned()
            && let Some(graph) = self.graphs.with_kernel(&name)
        {
            piece.compiled = true;
            piece.graph = Slot::of(Some(graph));
            piece.code_call = Slot::of(self.only_call(graph, &name));
        }
        Some(piece)
    }
}

/// Whether an operator of a trace computes: one of a library, or a kernel of generated C++.
pub(super) fn is_work(name: &str) -> bool {
    let library = name.split_once("::").is_some_and(|(space, rest)| {
        let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        !space.is_empty() && plain(space) && plain(rest) && space != "autograd"
    });
    library || is_cpp_kernel(name)
}

/// `graph_0_cpp_fused_add_0`
pub(super) fn is_cpp_kernel(name: &str) -> bool {
    without_graph_number(name).starts_with("cpp_fused_")
}

/// `cpp_fused_add_0` of `graph_0_cpp_fused_add_0`.
pub(super) fn without_graph_number(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("graph_") else { return name };
    let kernel = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if kernel.len() == rest.len() { name } else { kernel.strip_prefix('_').unwrap_or(name) }
}
