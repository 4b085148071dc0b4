//! The kernels of a log and the source lines that they come from.

use crate::analysis::performance::MeasuredCall;
use crate::analysis::provenance::{CodeKind, KernelBody};
use crate::model::TritonKernel;
use indexmap::IndexMap;

/// A kernel of a graph.
pub(crate) struct Kernel {
    /// The place of its run.
    pub(crate) run: usize,
    pub(crate) name: String,
    /// The language of its source; None for a library kernel.
    pub(crate) language: Option<&'static str>,
    /// Lines that call it.
    pub(crate) calls: usize,
    pub(crate) first: CallPlace,
    /// Its source; None for a library kernel, and where the log does not hold it.
    pub(crate) body: Option<KernelBody>,
    /// Nodes of the post-grad graph, over all calls.
    pub(crate) nodes: usize,
    /// Source lines: places in [`Kernels::lines`].
    pub(crate) lines: Vec<usize>,
    pub(crate) tuning: Option<Box<TritonKernel>>,
    /// Nanoseconds that Inductor expects, over all calls.
    pub(crate) runtime_ns: Option<f64>,
    /// The place of its first call among those of its run.
    pub(crate) first_place: usize,
    /// What a trace measured, over all calls.
    pub(crate) measured: CallsTime,
}

#[derive(Clone)]
pub(crate) struct CallPlace {
    /// Its anchor on the page of the run.
    pub(crate) anchor: String,
    /// File and line of the generated code.
    pub(crate) file: CodeKind,
    pub(crate) line: u32,
}

/// A kernel that a source line became.
pub(crate) struct LineKernel {
    /// Its place in [`Kernels::kernels`].
    pub(crate) kernel: usize,
    /// Its first call for this line.
    pub(crate) call: CallPlace,
    /// The anchor of the line on the page of the run.
    pub(crate) source: String,
}

/// A source line.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) code: Option<String>,
    /// In the order of the log.
    pub(crate) kernels: Vec<LineKernel>,
    /// Runs in which the line became some of the kernels whose lines are unknown, and how many of those there are.
    pub(crate) perhaps: Vec<(usize, usize)>,
}

/// The kernels of the log.
#[derive(Default)]
pub(crate) struct Kernels {
    /// In the order of the log.
    pub(crate) kernels: Vec<Kernel>,
    /// Source lines that became kernels, by file and line.
    pub(crate) lines: IndexMap<(String, u64), Line>,
    /// The lines in display order: the program's own first, by file and line.
    pub(crate) order: Vec<usize>,
    /// The position of each line in that order.
    pub(crate) places: Vec<usize>,
    /// Runs without provenance data.
    pub(crate) without_data: usize,
}

/// Total time of several calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CallsTime {
    /// Number of runs.
    pub count: usize,
    /// Microseconds.
    pub sum_us: f64,
    /// The row of the first call on the page of measured kernels.
    pub kernel: Option<usize>,
}

impl CallsTime {
    pub fn add(&mut self, call: &MeasuredCall) {
        self.count += call.count;
        self.sum_us += call.sum_us;
        self.kernel = self.kernel.or(Some(call.kernel));
    }
}
