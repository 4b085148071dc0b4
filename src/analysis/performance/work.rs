//! What a trace recorded, as pieces of work: each is a kernel's run, with the operator and the graph that it belongs to.

/// A run of a kernel: a launch on a device, or, in a trace of a CPU, a call that computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) what: What,
    /// Its place in the trace's launches, in a trace of a CPU in its calls.
    pub(super) place: u32,
    pub(super) begin_us: f64,
    pub(super) dur_us: f64,
    /// The operator whose call asked for it: the outermost one with a formula, else the innermost.
    pub(super) operator: Slot,
    /// Whether that call asked for nothing before this.
    pub(super) first_of_call: bool,
    /// Whether it is the longest of what that call asked for: it does the operator's work, others prepare or finish it.
    pub(super) longest_of_call: bool,
    /// The graph whose code asked for it, and the call in that code.
    pub(super) graph: Slot,
    pub(super) code_call: Slot,
    /// The innermost call of compiled code around it, as [`Regions`](super::regions::Regions) counts them.
    pub(super) region: Slot,
    /// Whether compiled code asked for it.
    pub(super) compiled: bool,
}

impl Piece {
    /// A run of which only that is known.
    pub(super) fn of(what: What) -> Piece {
        Piece {
            what,
            place: 0,
            begin_us: 0.0,
            dur_us: 0.0,
            operator: Slot::NONE,
            first_of_call: false,
            longest_of_call: false,
            graph: Slot::NONE,
            code_call: Slot::NONE,
            region: Slot::NONE,
            compiled: false,
        }
    }
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
    /// A kernel of the device: its place in the list of the trace.
    Device(u32),
    /// An operator that computed on the CPU: its place in the list of the trace.
    Cpu(u32),
}

/// How the wrapper of a graph begins in a trace; the cache key of the graph follows.
pub(super) const GRAPH: &str = "## Call CompiledFxGraph ";
/// How calls of compiled code begin; the compile id follows.
pub(super) const REGION: &str = "Torch-Compiled Region: ";

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
