//! The kernels of a drawing, with links to their calls and bodies.

use crate::analysis::drawing::{Drawing, Kernel};
use crate::analysis::provenance::{CodeKind, InductorRun, Provenance};
use crate::model::Compile;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::paths;
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
}

/// The kernels of a drawing.
pub(super) fn kernel_links(
    view: View<'_>,
    compile: &Compile,
    run: Option<&Run<'_>>,
    found: Option<&Provenance>,
    drawing: &Drawing,
) -> Vec<KernelLinks> {
    let (Some(run), Some(found)) = (run, found) else { return Vec::new() };
    let anchors = kernel_anchors(found);
    let panes = run.href(view);
    let link = |kernel: &Kernel| {
        let (file, line) = kernel.call;
        let body = kernel
            .definition
            .map(|body| (body.first, code_href(view, compile, &run.run, (body.file, body.first))));
        let anchor = anchors.get(kernel.place);
        KernelLinks {
            name: kernel.name.clone(),
            operators: kernel.operators,
            call: (line, code_href(view, compile, &run.run, (file, line))),
            body,
            panes: panes.as_ref().zip(anchor).map(|(page, anchor)| format!("{page}#{anchor}")),
        }
    };
    drawing.kernels.iter().map(link).collect()
}

/// The address of a line of generated code; None if it is in no file of the run.
fn code_href(
    view: View<'_>,
    compile: &Compile,
    run: &InductorRun,
    (kind, line): (CodeKind, u32),
) -> Option<String> {
    let file = run.code.iter().find(|file| file.kind == kind)?;
    let artifact = compile.artifacts.get(file.artifact)?;
    let page = view.href(&paths::artifact(compile, artifact, view.report.settings));
    Some(if view.report.settings.plain_text { page } else { format!("{page}#L{line}") })
}
