//! What a trace recorded, as pieces of work: each is one run of a kernel, with its operator and graph.

use crate::model::Launch;
use crate::read::generated::kernel_source::without_graph_number;
use crate::read::generated::operator;
use crate::read::source_text::is_word;
use std::borrow::Cow;

/// A run of a kernel: a launch on a device, or, in a trace of a CPU, a call that computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelRun {
    pub(super) what: What,
    /// Its place among the launches of the trace; in a trace of a CPU, among the calls.
    pub(super) place: u32,
    pub(super) begin_us: f64,
    pub(super) dur_us: f64,
    /// The operator whose call launched it: the outermost one with a formula, otherwise the innermost.
    pub(super) operator: Option<u32>,
    /// The innermost call around the launch, by its place in the trace: the one that launched it.
    pub(super) launched_by: Option<u32>,
    /// Whether that call launched nothing before this.
    pub(super) first_of_call: bool,
    /// What it does of the work of that call.
    pub(super) part: WorkPart,
    /// The graph whose code launched it.
    pub(super) graph: Option<usize>,
    pub(super) code_call: Option<usize>,
    /// Whether compiled code launched it.
    pub(super) compiled: bool,
    /// Whether a CUDA graph launched it, without its operators.
    pub(super) in_cuda_graph: bool,
}

/// What a launch does of the work of the operator that made it, where that made several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum WorkPart {
    /// All of it.
    #[default]
    All,
    /// The gradient of the input of a convolution.
    InputGradient,
    WeightGradient,
    /// It prepares or finishes what another launch does.
    Helper,
}

impl KernelRun {
    /// A run outside of compiled code, the only one of its call.
    pub(super) fn new(
        what: What,
        place: u32,
        begin_us: f64,
        dur_us: f64,
        operator: Option<u32>,
    ) -> KernelRun {
        KernelRun {
            what,
            place,
            begin_us,
            dur_us,
            operator,
            launched_by: None,
            first_of_call: true,
            part: WorkPart::All,
            graph: None,
            code_call: None,
            compiled: false,
            in_cuda_graph: false,
        }
    }
}

impl KernelRun {
    /// A launch of a kernel on the device.
    pub(super) fn launched(launch: &Launch, operator: Option<u32>) -> KernelRun {
        KernelRun::new(What::Device(launch.kernel), launch.place, launch.begin_us, launch.dur_us, operator)
    }
}

/// What ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A kernel of the device: its place in the list of the trace.
    Device(u32),
    /// An operator that computed on the CPU: its place in the list of the trace.
    Cpu(u32),
}

/// How many runs there were, and how long they took together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Runs {
    pub(super) count: usize,
    pub(super) us: f64,
}

impl Runs {
    pub(super) fn add(&mut self, us: f64) {
        self.count += 1;
        self.us += us;
    }
}

/// Prefix of calls of a graph in a trace; the cache key of the graph follows.
pub(super) const GRAPH: &str = "## Call CompiledFxGraph ";
/// Prefix of calls of compiled code; the compile id follows.
pub(super) const REGION: &str = "Torch-Compiled Region: ";

/// Whether only compiled code can have launched a kernel: `triton_poi_fused_add_0`.
pub(super) fn is_written_by_inductor(kernel: &str) -> bool {
    kernel.starts_with("triton_") && kernel.contains("_fused_")
}

/// Whether an operator of a trace computes: one of a library, or a kernel of generated C++.
pub(super) fn is_work(name: &str) -> bool {
    let library = name.split_once("::").is_some_and(|(space, rest)| {
        let plain = |text: &str| text.chars().all(|c| is_word(c) || c == '.');
        !space.is_empty() && plain(space) && plain(rest) && space != "autograd"
    });
    library || is_cpp_kernel(name) || name.starts_with(FROM_CPP)
}

/// What the names of the functions start with that a C++ wrapper calls for operators.
const FROM_CPP: &str = "aoti_torch_";

/// The operator that a C++ wrapper calls: `aten::addmm` for `aoti_torch_cpu_addmm_out`. Other names stay as they are.
pub(super) fn operator_of(name: &str) -> Cow<'_, str> {
    match operator(name).filter(|_| name.starts_with(FROM_CPP)) {
        Some((space, operator)) => Cow::Owned(format!("{space}::{operator}")),
        None => Cow::Borrowed(name),
    }
}

/// `graph_0_cpp_fused_add_0`; a template is `graph_1_gemm_m96n256k128_kernel`.
pub(super) fn is_cpp_kernel(name: &str) -> bool {
    let kernel = without_graph_number(name);
    kernel.starts_with("cpp_fused_") || (kernel.len() < name.len() && kernel.ends_with("kernel"))
}
