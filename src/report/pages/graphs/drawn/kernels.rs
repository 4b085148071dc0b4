//! The kernels of a drawing, with links to their calls and bodies.

use crate::analysis::drawing::{Drawing, Kernel};
use crate::analysis::provenance::Provenance;
use crate::report::kit::formats::micros;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::measured::calls_of;
use crate::report::kit::provenance_anchors::kernel_anchors;
use crate::report::kit::view::View;
use serde::Serialize;

/// A kernel as the page and its script know it.
#[derive(Debug, Serialize)]
pub(super) struct KernelLinks {
    pub(super) name: String,
    /// How many operators it computes.
    pub(super) operators: usize,
    /// Its call in the generated code: the line, and its address.
    pub(super) call: (u32, Option<String>),
    /// Its body: the first line, and its address.
    pub(super) body: Option<(u32, Option<String>)>,
    /// The linked panes, at this kernel.
    pub(super) panes: Option<String>,
    /// What a trace measured, over all its runs: in words, and in microseconds.
    pub(super) time: Option<String>,
    #[serde(skip)]
    pub(super) us: Option<f64>,
}

/// The kernels of a drawing.
pub(super) fn kernel_links(
    view: View<'_>,
    run: Option<&Run<'_>>,
    found: Option<&Provenance>,
    drawing: &Drawing,
) -> Vec<KernelLinks> {
    let (Some(run), Some(found)) = (run, found) else { return Vec::new() };
    let anchors = kernel_anchors(found);
    let panes = run.href(view);
    let code = |file, line| {
        run.address_of_line(view.report, file, line).map(|address| view.href_with_anchor(&address))
    };
    let timed = calls_of(view.report, run);
    let link = |kernel: &Kernel| {
        let (file, line) = kernel.call;
        let body = kernel.definition;
        let body = body.map(|body| (body.first, code(body.file, body.first)));
        let anchor = anchors.get(kernel.place);
        let of_kernel = timed.iter().filter(|call| call.place == kernel.place);
        let us = of_kernel.map(|call| call.sum_us).reduce(|all, us| all + us);
        KernelLinks {
            name: kernel.name.clone(),
            operators: kernel.operators,
            call: (line, code(file, line)),
            body,
            panes: panes.as_ref().zip(anchor).map(|(page, anchor)| format!("{page}#{anchor}")),
            time: us.map(micros),
            us,
        }
    };
    drawing.kernels.iter().map(link).collect()
}
