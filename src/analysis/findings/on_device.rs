//! How compiled code uses a device: CUDA graphs that were not recorded or hold only a part, operators on the CPU, and
//! products of float32 matrices without TF32.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Advice, Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use super::recompiles::is_of_device;
use crate::analysis::names::function_words;
use crate::analysis::on_device::{CudaGraphs, Obstacle, Operation};
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::{code, count, own, sentence};
use crate::model::words::{counted, duration};
use crate::model::{CompileIndex, Model, Sentence};
use indexmap::IndexSet;

/// What concerns a device.
pub(super) const FAMILY: Family = Family {
    kinds: &[&HOST_OPERATOR, &CUDA_GRAPH_SKIPPED, &CUDA_GRAPH_SPLIT, &CUDA_GRAPH_SIZES, &FLOAT32_PRODUCTS],
    of_log,
};

/// An operator of a program on a GPU runs on the CPU.
pub(super) static HOST_OPERATOR: KindOfFinding = KindOfFinding {
    topic: Some(Topic::Time),
    charged: ChargeOrder::Specialization,
    ..of("host_operator", "Operator on the CPU")
};

/// CUDA graphs were asked for, and none was recorded.
static CUDA_GRAPH_SKIPPED: KindOfFinding = of("cuda_graph_skipped", "No CUDA graph");

/// A CUDA graph holds only a part of the compiled code.
static CUDA_GRAPH_SPLIT: KindOfFinding = of("cuda_graph_split", "CUDA graph in parts");

/// A CUDA graph was recorded for each of many sizes.
static CUDA_GRAPH_SIZES: KindOfFinding =
    KindOfFinding { charged: ChargeOrder::Specialization, ..of("cuda_graph_sizes", "Many CUDA graphs") };

/// Products of float32 matrices do not use TF32.
static FLOAT32_PRODUCTS: KindOfFinding = of("float32_products", "float32 without TF32");

const fn of(word: &'static str, label: &'static str) -> KindOfFinding {
    KindOfFinding { records: &["inductor_post_grad_graph"], ..KindOfFinding::of(word, label) }
}

/// Recordings of one compile from which their number is worth a word.
const MANY_RECORDINGS: usize = 8;

/// Lines and names that are listed.
const LISTED: usize = 8;

/// FLOPs of a compile's float32 products from which TF32 is a gain that can be felt: 0.2 ms on a large device.
const MANY_FLOPS: f64 = 1e10;

fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (index, of) in basis.on_device.iter() {
        found.extend(on_host(basis, index, &of.on_host));
        if let Some(graphs) = &of.cuda_graphs {
            found.extend(skipped(basis.model, index, graphs));
            found.extend(split(basis.model, index, graphs));
            found.extend(sizes(basis.model, index, graphs));
        }
    }
    found.extend(float32_products(basis));
    found
}

/// Operators on the CPU, with the build of their C++ kernel. A recompile for the device tells it itself.
fn on_host(basis: Basis<'_>, index: CompileIndex, operations: &[Operation]) -> Option<Finding> {
    let first = operations.iter().find(|one| one.is_own()).or(operations.first())?;
    if is_of_device(basis.chains, index) {
        return None;
    }
    let model = basis.model;
    let input = operations.iter().find_map(|one| one.input.as_ref());
    let title = match input {
        Some(input) => sentence!["Input ", code(input), " is on the CPU, and so is what is computed from it"],
        None => sentence![operators(operations), " runs on the CPU, in a program for the GPU"],
    };
    let build_us = basis.on_device.cpp_us(index);
    let severity = if build_us > 0.0 { Severity::Warning } else { Severity::Info };
    let mut found = Finding::new(&HOST_OPERATOR, severity, title);
    let built = match build_us > 0.0 {
        true => format!(
            " Its C++ kernel had to be built, which took {} with the checks of the compiler.",
            duration(build_us)
        ),
        false => String::new(),
    };
    let operators = operators(operations).text();
    found.explain(format!("{operators} runs on the CPU; all else of the program is on a GPU.{built} Such an operator also splits CUDA graphs."));
    found.advise(match input {
        Some(input) => Advice {
            text: format!("Put `{input}` on the device where it is made, once."),
            code: is_name(input).then(|| format!("{input} = {input}.cuda()")),
            ..Advice::default()
        },
        None => "Keep the value on the device: compute it with torch there, and move it to the CPU outside of compiled code."
            .into(),
    });
    found.claim(Claim::avoidable(Work::OneOff, vec![index], "of building C++ for the CPU").at_most(build_us));
    let kernels_us = basis.on_device.cpp_kernels_us(index);
    found.claim(
        Claim::avoidable(Work::Compile, vec![index], "of building C++ for the CPU").at_most(kernels_us),
    );
    at(&mut found, model, index, first, operations);
    Some(found)
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// No CUDA graph, where the log shows why.
fn skipped(model: &Model, index: CompileIndex, graphs: &CudaGraphs) -> Option<Finding> {
    if graphs.recordings > 0 {
        return None;
    }
    let function = function_words(model, index).unwrap_or_else(|| "the function".into());
    if let Some(first) = graphs.written.first() {
        let inputs: IndexSet<&String> = graphs.written.iter().filter_map(|one| one.input.as_ref()).collect();
        let names =
            Sentence::list(inputs.iter().take(LISTED).map(|name| code(name.as_str()).into()).collect());
        let many = graphs.written.len();
        let written = match inputs.first() {
            Some(_) if many == 1 => sentence!["input ", names, " is written in place"],
            Some(_) if many <= LISTED => sentence!["inputs ", names, " are written in place"],
            _ => sentence![count(many, "input is", "inputs are"), " written in place"],
        };
        let title = sentence!["No CUDA graph of ", function, ": ", written];
        let mut found = Finding::new(&CUDA_GRAPH_SKIPPED, Severity::Warning, title);
        found.explain(
            "CUDA graphs were asked for, and none was recorded. A CUDA graph writes to the addresses that it was recorded with, \
             so torch skips it where an input is written that may be another tensor in the next call.",
        );
        let name = inputs.first().map_or("cache", |name| name.as_str());
        found.advise(Advice {
            text: format!(
                "Tell torch that the tensor stays the same, and pass the same one in each call: before the first call, mark \
                 `{name}` with `mark_static_address`. Or make it a buffer of the module (`register_buffer`)."
            ),
            code: Some(format!("torch._dynamo.mark_static_address({name})")),
            ..Advice::default()
        });
        at(&mut found, model, index, first, &graphs.written);
        return Some(found);
    }
    // With parts, what cannot be recorded is outside of them.
    let first = graphs.outside.first().filter(|_| graphs.parts == 0)?;
    let title = sentence!["No CUDA graph of ", function, ": ", obstacle(first)];
    let mut found = Finding::new(&CUDA_GRAPH_SKIPPED, Severity::Warning, title);
    found.explain("CUDA graphs were asked for, and none was recorded.");
    found.advise(cure(first));
    at(&mut found, model, index, first, &graphs.outside);
    Some(found)
}

/// A CUDA graph that does not hold all of the compiled code.
fn split(model: &Model, index: CompileIndex, graphs: &CudaGraphs) -> Option<Finding> {
    let first = graphs.outside.first().filter(|_| graphs.parts > 0)?;
    let function = function_words(model, index).unwrap_or_else(|| "the function".into());
    let parts = count(graphs.parts as usize, "part", "parts");
    let title = sentence!["The CUDA graph of ", function, " holds only ", parts, " of it: ", obstacle(first)];
    // Operators on the CPU have a finding of their own, which says what they cost.
    let is_told = graphs.outside.iter().all(|one| one.obstacle != Obstacle::UnknownSize)
        && graphs.outside.iter().any(|one| one.obstacle == Obstacle::OnHost);
    let severity = if is_told { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(&CUDA_GRAPH_SPLIT, severity, title);
    found.explain("What is not part of a CUDA graph is launched kernel by kernel, in every call.");
    found.advise(cure(first));
    at(&mut found, model, index, first, &graphs.outside);
    Some(found)
}

/// What keeps an operation out of CUDA graphs.
fn obstacle(one: &Operation) -> Sentence {
    let operator = code(one.operator.as_str());
    match (one.obstacle, &one.input) {
        (Obstacle::OnHost, Some(input)) => {
            sentence![operator, " runs on the CPU, where ", code(input), " is"]
        }
        (Obstacle::UnknownSize, _) => {
            sentence!["only the data tells the size of what ", operator, " returns"]
        }
        (Obstacle::Copy, _) => sentence![operator, " copies between devices"],
        _ => sentence![operator, " runs on the CPU"],
    }
}

fn cure(one: &Operation) -> Advice {
    match (one.obstacle, &one.input) {
        (Obstacle::UnknownSize, _) => {
            "Use an operator whose result has a known size, such as `torch.where` with three \
             arguments or a mask, or move this line out of the compiled function."
                .into()
        }
        (_, Some(input)) => format!("Put `{input}` on the device where it is made, once.").into(),
        _ => "Keep the value on the device, or move this line out of the compiled function.".into(),
    }
}

/// A recording for each of many sizes.
fn sizes(model: &Model, index: CompileIndex, graphs: &CudaGraphs) -> Option<Finding> {
    if !graphs.is_dynamic || graphs.recordings < MANY_RECORDINGS {
        return None;
    }
    let function = function_words(model, index).unwrap_or_else(|| "the function".into());
    let title = sentence![
        graphs.recordings,
        " CUDA graphs of ",
        function,
        " were recorded, one for each size of an input"
    ];
    let mut found = Finding::new(&CUDA_GRAPH_SIZES, Severity::Warning, title);
    found.explain(format!(
        "A CUDA graph is recorded for each size of a dynamic dimension, and each keeps its own memory. Recording took {}.",
        duration(graphs.us)
    ));
    found.advise("Pad the inputs to multiples, such as 16, so that fewer sizes occur. Each call then pays for the padding.");
    found.advise(Advice {
        text: "Or record no CUDA graph for dynamic sizes.".to_owned(),
        code: Some("torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True".to_owned()),
        ..Advice::default()
    });
    found
        .claim(Claim::avoidable(Work::AtRunTime, vec![index], "of recording CUDA graphs").at_most(graphs.us));
    found.count = graphs.recordings as u64;
    found.place = UserPlace::of_call(model, index);
    found.compiles = vec![index];
    Some(found)
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
    let mut found = Finding::new(&FLOAT32_PRODUCTS, severity, title);
    found.explain(
        "The device has matrix units for TF32, which multiply float32 matrices several times as fast, with 10 instead of 23 bits \
         of the fraction. torch leaves them off unless it is told otherwise.",
    );
    found.advise(Advice {
        text: "Allow TF32, if the model can do with its precision: this changes the results.".to_owned(),
        code: Some("torch.set_float32_matmul_precision(\"high\")".to_owned()),
        promise: Some(
            "5.4 times as fast for products of 4,096 by 4,096, forward and backward, on an H200".to_owned(),
        ),
        ..Advice::default()
    });
    let index = of.first().map(|(index, _)| *index)?;
    at(&mut found, basis.model, index, first, &operations);
    found.compiles = of.iter().map(|(index, _)| *index).collect();
    found.count = operations.len() as u64;
    Some(found)
}

/// The operators, each once, in a sentence.
fn operators(operations: &[Operation]) -> Sentence {
    let names: IndexSet<&str> = operations.iter().map(|one| one.operator.as_str()).collect();
    let more = names.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| own(format!("{more} more")).into());
    Sentence::list(names.into_iter().take(LISTED).map(|name| code(name).into()).chain(more).collect())
}

/// Says where a finding about operations of a compile is: at the user's line, else where the user calls the function.
fn at(found: &mut Finding, model: &Model, index: CompileIndex, first: &Operation, all: &[Operation]) {
    found.place = if first.is_own() { first.place.clone() } else { UserPlace::of_call(model, index) };
    let places: IndexSet<String> = all
        .iter()
        .filter_map(|one| {
            Some(format!("{}:{}  {}", one.place.file.as_ref()?, one.place.line?, one.place.loc.as_deref()?))
        })
        .collect();
    if places.len() > 1 || !first.is_own() {
        let more = places.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| format!("and {}", counted(more, "more line", "more lines")));
        found.fact("Lines", Value::Code(places.into_iter().take(LISTED).chain(more).collect()));
    }
    found.compiles = vec![index];
}
