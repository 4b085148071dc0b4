//! How compiled code uses a device: operators on the CPU, and products of float32 matrices without TF32.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, ON_CONSOLE, Severity, Value};
use super::kind::KindOfFinding;
use super::recompiles::is_of_device;
use crate::analysis::on_device::Operation;
use crate::analysis::user_place::UserPlace;
use crate::limits::NAMED;
use crate::model::sentence::{code, count, own, sentence};
use crate::model::words::{counted, duration};
use crate::model::{CompileIndex, Model, Sentence};
use indexmap::{IndexMap, IndexSet};

/// FLOPs of a compile's float32 products from which TF32 is a gain that can be felt: 0.2 ms on a large device.
const MANY_FLOPS: f64 = 1e10;

pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    found.extend(on_host(basis));
    found.extend(float32_products(basis));
    found
}

/// Operators on the CPU, one finding for each line, with the build of their C++ kernels. A recompile for another device has a
/// finding that says so.
fn on_host(basis: Basis<'_>) -> Vec<Finding> {
    let mut lines: IndexMap<UserPlace, Vec<OnHost<'_>>> = IndexMap::new();
    for (index, of) in basis.on_device.iter().filter(|(index, _)| !is_of_device(basis.chains, *index)) {
        let Some(first) = of.on_host.iter().find(|one| one.is_own()).or(of.on_host.first()) else { continue };
        let one = OnHost { compile: index, first, all: &of.on_host, splits: of.cuda_graphs.is_some() };
        lines.entry(first.place.clone()).or_default().push(one);
    }
    lines.into_values().filter_map(|same| on_host_at(basis, &same)).collect()
}

/// The operators of a compile that run on the CPU.
struct OnHost<'o> {
    compile: CompileIndex,
    /// The operation that the title names.
    first: &'o Operation,
    all: &'o [Operation],
    /// Whether CUDA graphs were asked for.
    splits: bool,
}

fn on_host_at(basis: Basis<'_>, same: &[OnHost<'_>]) -> Option<Finding> {
    let one = same.first()?;
    let input = one.all.iter().find_map(|operation| operation.input.as_ref());
    let (operators, verb) = operators(one.all);
    let title = match input {
        Some(input) => sentence!["Input ", code(input), " is on the CPU, and so is what is computed from it"],
        None => sentence![operators.clone(), verb, " on the CPU, in a program for the GPU"],
    };
    let on_device = basis.on_device;
    let built_us: f64 = same.iter().map(|one| on_device.cpp_us(one.compile)).sum();
    let severity = if built_us > 0.0 { Severity::Warning } else { Severity::Info };
    let mut found = Finding::new(KindOfFinding::HostOperator, severity, title);
    let mut detail = format!("{}{verb} on the CPU; the program uses a GPU.", operators.text());
    if built_us > 0.0 {
        let time = duration(built_us);
        detail.push_str(&format!(
            " Building C++ for it took {time}, with the checks of the compiler before the first build."
        ));
    }
    detail.push_str(if one.splits { " It also splits the CUDA graph." } else { "" });
    found.explain(detail);
    match input {
        Some(input) if is_name(input) => found.say("named_input", &[("input", input)]),
        Some(input) => found.say("input", &[("input", input)]),
        None => found.say("computed", &[]),
    }
    at(&mut found, basis.model, one.compile, one.first, one.all);
    found.compiles = same.iter().map(|one| one.compile).collect();
    found.count = same.len() as u64;
    for compile in found.compiles.clone() {
        let kernels_us = on_device.cpp_kernels_us(compile);
        let trials_us = on_device.cpp_us(compile) - kernels_us;
        for (work, us) in
            [(Work::OneOff, trials_us), (Work::Compile, kernels_us)].into_iter().filter(|(_, us)| *us > 0.0)
        {
            found.claim(Claim::avoidable(work, vec![compile], "of building C++ for the CPU").at_most(us));
        }
    }
    Some(found)
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// One finding about all float32 products of the log that could use TF32.
fn float32_products(basis: Basis<'_>) -> Option<Finding> {
    let of: Vec<_> = basis.on_device.iter().filter(|(_, of)| !of.float32.is_empty()).collect();
    let operations: Vec<Operation> = of.iter().flat_map(|(_, of)| of.float32.iter().cloned()).collect();
    let first = operations.iter().find(|one| one.is_own()).or(operations.first())?;
    let flops = of.iter().map(|(_, of)| of.float32_flops).fold(0.0, f64::max);
    let severity = if flops >= MANY_FLOPS { Severity::Warning } else { Severity::Info };
    let products = count(operations.len(), "product", "products");
    let title = sentence![products, " of float32 matrices may not use TF32"];
    let mut found = Finding::new(KindOfFinding::Float32Products, severity, title);
    let index = of.first().map(|(index, _)| *index)?;
    at(&mut found, basis.model, index, first, &operations);
    found.compiles = of.iter().map(|(index, _)| *index).collect();
    found.count = operations.len() as u64;
    let hints = basis.model.console.iter().flat_map(|console| &console.hints);
    if let Some(hint) = hints.into_iter().find(|hint| hint.text.starts_with("TensorFloat32 tensor cores")) {
        found.fact(ON_CONSOLE, Value::Prose(hint.text.clone()));
    }
    Some(found)
}

/// The operators, each once, with what they do: `aten.mul` and `aten.sum`, run.
fn operators(operations: &[Operation]) -> (Sentence, &'static str) {
    let names: IndexSet<&str> = operations.iter().map(|one| one.operator.as_str()).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| own(format!("{more} more")).into());
    let verb = if names.len() == 1 { " runs" } else { " run" };
    (Sentence::list(names.into_iter().take(NAMED).map(|name| code(name).into()).chain(more).collect()), verb)
}

/// Says where a finding about operations of a compile is: at the user's line, else where the user calls the function.
pub(super) fn at(
    found: &mut Finding,
    model: &Model,
    index: CompileIndex,
    first: &Operation,
    all: &[Operation],
) {
    found.place = if first.is_own() { first.place.clone() } else { UserPlace::of_call(model, index) };
    let places: IndexSet<String> = all
        .iter()
        .filter_map(|one| {
            Some(format!(
                "{}:{}  {}",
                one.place.file.as_ref()?,
                one.place.line?,
                one.place.loc.as_deref().unwrap_or_default()
            ))
        })
        .collect();
    if places.len() > 1 || (!first.is_own() && !places.is_empty()) {
        let more = places.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| format!("and {}", counted(more, "more line", "more lines")));
        found.fact("Lines", Value::Code(places.into_iter().take(NAMED).chain(more).collect()));
    }
    found.compiles = vec![index];
}
