//! The kernels of spans on the chart.
//!
//! Autotuning events name their kernel; those of the C++ compiler do not. If kernels are built one at a time, they are
//! built in the order in which the generated code defines them.

use crate::analysis::CPP_BUILD;
use crate::limits::READ_TOGETHER;
use crate::model::{Compile, CompileIndex, Content, Form, Language, Model, TraceSpan};
use crate::report::kit::code_text::kernel_defined;
use crate::report::subject::Report;
use fxhash::FxHashMap;
use std::sync::Arc;

/// The phase that loads generated code and thereby builds its kernels.
const LOAD: &str = "PyCodeCache.load_by_key_path";

/// The artifact with the generated code.
const OUTPUT_CODE: &str = "inductor_output_code";

/// The kernels of spans, as far as known, by the span's place in the model.
pub(crate) fn kernels_built(report: Report<'_>) -> anyhow::Result<FxHashMap<usize, Arc<str>>> {
    let mut known = report.model.span_kernels.clone();
    let mut left = READ_TOGETHER;
    let mut is_first = true;
    for (compile, builds) in builds(report.model) {
        let Some(of) = report.model.compiles.get(compile) else { continue };
        let kernels = defined(report, of, &mut left)?;
        if is_known_by_order(report.model, &builds, kernels.len(), is_first) {
            let skipped = builds.len() - kernels.len();
            known.extend(builds.into_iter().skip(skipped).zip(kernels));
        }
        is_first = false;
    }
    Ok(known)
}

/// Whether builds and kernels correspond in order. Before its first kernel, a process builds compiler checks and a
/// header. If there are fewer builds than kernels, a cache had some of them.
fn is_known_by_order(model: &Model, builds: &[usize], kernels: usize, is_first: bool) -> bool {
    let spans: Vec<&TraceSpan> = builds.iter().filter_map(|&index| model.spans.get(index)).collect();
    let is_serial = spans.is_sorted_by(|one, next| one.end_us <= next.start_us);
    let fits = builds.len() == kernels || (is_first && builds.len() > kernels);
    is_serial && kernels > 0 && fits
}

/// Builds of kernels by compile, in the order of the log.
fn builds(model: &Model) -> Vec<(CompileIndex, Vec<usize>)> {
    let mut all: Vec<(CompileIndex, Vec<usize>)> = Vec::new();
    for (index, span) in model.spans.iter().enumerate().filter(|(_, span)| *span.name == *CPP_BUILD) {
        let above = span.parent().and_then(|parent| model.spans.get(parent));
        let compile = span.compile.or_else(|| above.and_then(|above| above.compile));
        let (Some(compile), Some(_)) = (compile, above.filter(|above| *above.name == *LOAD)) else {
            continue;
        };
        match all.iter_mut().rev().find(|(of, _)| *of == compile) {
            Some((_, builds)) => builds.push(index),
            None => all.push((compile, vec![index])),
        }
    }
    all
}

/// The C++ kernels that the generated code of a compile defines, in order.
fn defined(report: Report<'_>, compile: &Compile, left: &mut u64) -> anyhow::Result<Vec<Arc<str>>> {
    let mut kernels = Vec::new();
    for artifact in compile.artifacts.iter().filter(|artifact| artifact.name.starts_with(OUTPUT_CODE)) {
        let Content::Payload(at, Form::Code(Language::Python)) = &artifact.content else { continue };
        let Some(rest) = left.checked_sub(at.text_len) else { return Ok(Vec::new()) };
        *left = rest;
        let text = report.payload(at)?;
        let lines = text.lines().filter(|line| line.contains(" = async_compile.cpp"));
        kernels.extend(lines.filter_map(|line| kernel_defined(line, Language::Python)).map(Arc::from));
    }
    Ok(kernels)
}
