//! The list of measured kernels.

use super::subject::{Subject, linked};
use crate::analysis::performance::{MeasuredKernel, Performance};
use crate::facts::{Backend, Kernel, Tuning};
use crate::limits::{IN_ROW, KERNEL_IN_LIST, LONG_TABLE, NAMED_BRIEFLY};
use crate::model::{input_words, kernel_family, short_kernel};
use crate::report::doc::{Block, Cell, Filter, Listing, Others, Rows, Section, log, text};
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::links::{kernel_of_code_anchor, measured_kernel_anchor};
use crate::report::kit::prelude::*;
use crate::report::lists::figures_of_kernels;
use crate::report::words::performance::figures;
use crate::trace::CompileId;
use fxhash::FxHashMap;
use std::ops::Deref;

/// A row of the list.
struct Measured<'m> {
    kernel: &'m MeasuredKernel,
    /// Its row among the kernels of the generated code.
    in_code: Option<String>,
}

impl Deref for Measured<'_> {
    type Target = Kernel<'static>;

    fn deref(&self) -> &Kernel<'static> {
        self.kernel
    }
}

const HOW_TO_RECORD: &str = "The trace contains no kernel runs. On a GPU, record it with `ProfilerActivity.CUDA`; on a CPU, \
    set `torch._inductor.config.cpp.enable_kernel_profile = True` before compiling, so that generated C++ kernels appear \
    by name.";

pub(super) fn section(kernels: Listing<'_>) -> Block<'_> {
    let blocks = match kernels.count() {
        0 => vec![Block::Paragraph(Cell::Prose(HOW_TO_RECORD.into()))],
        _ => return Block::List(kernels),
    };
    Block::Section(Section::new("kernels", "Kernels", blocks))
}

/// One row per kernel, graph and shapes, by time: all of them, or those that took longest, without anchors.
pub(super) fn kernels<'m>(
    subject: &'m Subject<'m>,
    found: &'m Performance,
    id: &'static str,
    most: usize,
) -> Listing<'m> {
    let in_code = rows_in_code(subject, found);
    let rows = found.kernels.iter().zip(in_code).map(|(kernel, in_code)| Measured { kernel, in_code });
    let rows = rows.take(most);
    let longest_us = found.kernels.first().map_or(0.0, |kernel| kernel.sum_us);
    let kinds = [Backend::Triton, Backend::Cpp, Backend::Extern, Backend::Eager];
    let words = kinds.map(|kind| (figures::word(kind), figures::label(kind))).to_vec();
    let rows = Rows::of(rows.collect::<Vec<_>>()).text("Operator, sizes and kernel", name).mono();
    figures_of_kernels(rows, longest_us)
        .text("Verdict", verdict)
        .compile("Graph", move |row| graph(subject, row))
        .text("Lines", move |row| {
            subject.lines(row.lines.iter().map(|line| (&*line.file, line.line)), IN_ROW)
        })
        .about("one row per kernel, graph and input shapes of its operator; by time")
        .filtered(Filter { hint: "Filter by name or line", words }, |row| {
            row.backend.map_or("", figures::word).into()
        })
        .anchored(move |at, _| (most == usize::MAX).then(|| measured_kernel_anchor(at)))
        .first(LONG_TABLE, Others::InFacts("kernels"))
        .listing(id, "Kernels", "")
}

/// The row of each measured kernel among those of the generated code.
fn rows_in_code(subject: &Subject<'_>, found: &Performance) -> Vec<Option<String>> {
    let place_of = |(place, run): (usize, &Run<'_>)| {
        let compile = subject.report.model.by_id.get(&run.compile.id)?;
        Some(((*compile, (run.run.attempt, run.run.order)), place))
    };
    let runs: FxHashMap<_, usize> = subject.runs.iter().enumerate().filter_map(place_of).collect();
    let mut rows = vec![None; found.kernels.len()];
    // The first call of a kernel comes first.
    for call in found.calls.iter().rev() {
        if let (Some(run), Some(row)) = (runs.get(&(call.compile, call.run)), rows.get_mut(call.kernel)) {
            *row = Some(format!("#{}", kernel_of_code_anchor(*run, call.first)));
        }
    }
    rows
}

/// The operator with its shapes, below it the kernel and what the trace says about its launch.
fn name<'r>(row: &'r Measured<'_>) -> Cell<'r> {
    let kernel = row.kernel;
    let named = linked(log(short_kernel(kernel.shown_name(), KERNEL_IN_LIST)), row.in_code.clone());
    let (first, below) = match kernel.operator.as_deref() {
        Some(operator) => (log(operator).strong(), Some(named)),
        None if kernel.called.is_some() => (named, Some(log(format!("recorded as {}", kernel.name)))),
        None => (named, not_in_trace(kernel).map(log)),
    };
    let launch = Some(launch(kernel)).filter(|words| !words.is_empty()).map(log);
    let tf32 = kernel.is_tf32_by_speed.then(|| "faster than FP32 can be, so TF32 was on".into());
    let second: Vec<_> = below.into_iter().chain(launch).chain(tf32).collect();
    let inputs = log(input_words(&kernel.input_dims)).class("soft");
    let mut lines = vec![Cell::Beside(vec![first, inputs], " ")];
    if !second.is_empty() {
        lines.push(Cell::Beside(second, " · ").class("small").titled(&*kernel.name));
    }
    Cell::Stacked(lines).class("kernel-name")
}

/// The judgement, and on hover why a figure is to be doubted.
fn verdict<'r>(row: &'r Measured<'_>) -> Cell<'r> {
    let verdict = text(&row.verdict);
    match (&verdict, &row.plausible) {
        (Cell::Unknown, _) => verdict,
        (_, Some(doubt)) => verdict.titled(&*doubt.why).class(figures::flag(row.kernel)),
        (_, None) => verdict.class(figures::flag(row.kernel)),
    }
}

fn graph<'r>(subject: &'r Subject<'_>, kernel: &'r Kernel<'_>) -> Cell<'r> {
    let id = kernel.compile_ids.first().and_then(|id| CompileId::parse(id));
    match subject.report.model.compile(id.as_ref()) {
        Some(compile) if id.is_some() => {
            let direction = kernel.direction.as_deref().unwrap_or_default();
            Cell::Compile { compile, after: format!(" {direction}") }
        }
        _ => Cell::known_ids(kernel.compile_ids.iter().map(|id| &**id)),
    }
}

/// What a library's kernel computes, by its name, as the trace does not have the operator that launched it.
fn not_in_trace(kernel: &MeasuredKernel) -> Option<String> {
    let family = kernel_family(&kernel.name).filter(|_| kernel.operators.is_empty())?;
    Some(format!("{family}, operator not in the trace"))
}

/// `512 registers, 48 KB of shared memory, occupancy about 25 %; 4 configurations to try at the first call`: facts without
/// advice, as their cost is part of what was measured.
fn launch(kernel: &Kernel<'_>) -> String {
    let mut words = Vec::new();
    words.extend(kernel.registers.map(|registers| format!("{registers} registers")));
    words.extend(kernel.spills.map(|spills| format!("{spills} of them spilled")));
    let shared = kernel.shared_memory.filter(|shared| *shared > 0);
    words.extend(shared.map(|shared| format!("{} of shared memory", bytes(shared as f64))));
    words.extend(kernel.occupancy.map(|occupancy| format!("occupancy about {occupancy}\u{a0}%")));
    let tuning = kernel.tuning.as_deref().map(tuning).unwrap_or_default();
    let parts = [words.join(", "), tuning];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// How the configuration of a Triton kernel was chosen, and which one ran.
fn tuning(tuning: &Tuning<'_>) -> String {
    let candidates = tuning.candidates.map(|count| counted(count, "configuration", "configurations"));
    let search = match (tuning.state.as_deref(), candidates) {
        (Some("hit"), _) => Some("configuration found in the cache".to_owned()),
        (Some("miss"), Some(candidates)) => Some(format!("{candidates} to try at the first call")),
        (Some("miss"), None) => Some("tuned at the first call".to_owned()),
        (Some("only 1 config"), _) => Some("one configuration, nothing to tune".to_owned()),
        (Some("force_disabled"), _) => Some("tuning switched off".to_owned()),
        (Some(other), _) => Some(format!("tuning: {other}")),
        (None, candidates) => candidates,
    };
    let compiled = tuning.compile_us.map(|us| format!("compiled in {}", micros(us)));
    let ran: Vec<&str> = tuning.ran.iter().take(NAMED_BRIEFLY).map(|one| &**one).collect();
    let ran = match ran.is_empty() {
        true => tuning.in_log.as_ref().map(|chosen| format!("the log names {chosen}")),
        false => Some(format!("ran with {}", ran.join(" and with "))),
    };
    [search, compiled, ran].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
