//! CUDA graphs that were asked for: not recorded, of a part of the code only, recorded for each of many sizes, or on a CPU.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, ON_CONSOLE, Severity, Value};
use super::kind::KindOfFinding;
use super::on_device::at;
use super::rules::{About, Text, Told};
use crate::analysis::names::function_words;
use crate::analysis::on_device::{CudaGraphs, Obstacle, Operation};
use crate::analysis::run_console::{place_of, told};
use crate::analysis::user_place::UserPlace;
use crate::limits::NAMED;
use crate::model::sentence::{code, count, quoted, sentence};
use crate::model::words::{duration, headline};
use crate::model::{Compile, CompileIndex, ConsoleGraphs, Model, SeenObstacle, Sentence};
use indexmap::{IndexMap, IndexSet};

/// Recordings of one compile from which their number is worth a word.
const MANY_RECORDINGS: usize = 8;

pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (index, of) in basis.on_device.iter() {
        if let Some(graphs) = &of.cuda_graphs {
            let mut of_compile: Vec<Finding> = Vec::new();
            of_compile.extend(skipped(basis.model, index, graphs));
            of_compile.extend(skip_on_console(basis.model, index, graphs, &of_compile));
            of_compile.extend(split(basis.model, index, graphs));
            of_compile.extend(sizes(basis.model, index, graphs));
            let told = graphs.seen.as_ref().map(told).unwrap_or_default();
            if !told.is_empty() {
                of_compile.iter_mut().for_each(|one| one.fact(ON_CONSOLE, Value::Prose(told.join("; "))));
            }
            found.extend(of_compile);
        }
    }
    found.extend(refused(basis.model));
    found.extend(apart(&basis.on_device.apart));
    found.extend(on_cpu(basis.model));
    found
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
            Sentence::list(inputs.iter().take(NAMED).map(|name| code(name.as_str()).into()).collect());
        let many = graphs.written.len();
        let written = match inputs.first() {
            Some(_) if many == 1 => sentence!["input ", names, " is written in place"],
            Some(_) if many <= NAMED => sentence!["inputs ", names, " are written in place"],
            _ => sentence![count(many, "input is", "inputs are"), " written in place"],
        };
        let title = sentence!["No CUDA graph of ", function, ": ", written];
        let mut found = Finding::new(KindOfFinding::CudaGraphSkipped, Severity::Warning, title);
        let name = inputs.first().map_or("cache", |name| name.as_str());
        found.say("written", &[("name", name)]);
        at(&mut found, model, index, first, &graphs.written);
        return Some(found);
    }
    // With parts, what cannot be recorded is outside of them.
    let first = graphs.outside.first().filter(|_| graphs.parts == 0)?;
    let title = sentence!["No CUDA graph of ", function, ": ", obstacle(first).plain().unwrap_or_default()];
    let mut found = Finding::new(KindOfFinding::CudaGraphSkipped, Severity::Warning, title);
    found.say("outside", &[]);
    found.advise_all(obstacle(first).advice());
    at(&mut found, model, index, first, &graphs.outside);
    Some(found)
}

/// What torch skipped while the model ran, where only the console says why: in this version's words.
fn skip_on_console(
    model: &Model,
    index: CompileIndex,
    graphs: &CudaGraphs,
    known: &[Finding],
) -> Option<Finding> {
    let seen = graphs.seen.as_ref().filter(|_| known.is_empty())?;
    let first = seen.skipped.first()?;
    // Up to which compile metrics have the reason, the log has a finding of it.
    let is_in_log = model.compiles.get(index)?.metrics.iter().any(|record| {
        record.facts.cudagraph_skip_reason.as_deref().is_some_and(|reason| reason.contains(&first.reason))
    });
    (!is_in_log).then(|| {
        let function = function_words(model, index).unwrap_or_else(|| "the function".into());
        let title = match graphs.recordings {
            0 => sentence!["No CUDA graph of ", function, ": ", quoted(&*first.reason)],
            _ => sentence!["A part of ", function, " runs without CUDA graph: ", quoted(&*first.reason)],
        };
        let mut found = of_skip(title, first);
        found.compiles = vec![index];
        found
    })
}

fn of_skip(title: Sentence, first: &SeenObstacle) -> Finding {
    let mut found = Finding::new(KindOfFinding::CudaGraphSkipped, Severity::Warning, title);
    match () {
        () if first.reason.starts_with("mutated inputs") => found.say("written", &[("name", "cache")]),
        () if first.reason.starts_with("cpu device") || first.reason.starts_with("multiple devices") => {
            found.say("on_host", &[]);
        }
        () => {}
    }
    found.say("skipped", &[]);
    found.place = place_of(first);
    found.count = first.count;
    found
}

/// What the console says of CUDA graphs, where nothing says of which compile.
fn apart(seen: &ConsoleGraphs) -> Vec<Finding> {
    let skipped = seen.skipped.first();
    let skipped =
        skipped.map(|first| of_skip(sentence!["CUDA graphs were skipped: ", quoted(&*first.reason)], first));
    let sizes = (seen.sizes.len() >= MANY_RECORDINGS).then(|| {
        let title = sentence![seen.recordings, " CUDA graphs were recorded, one for each size of an input"];
        Finding::new(KindOfFinding::CudaGraphSizes, Severity::Warning, title)
    });
    let mut found: Vec<Finding> = skipped.into_iter().chain(sizes).collect();
    found.iter_mut().for_each(|one| one.fact(ON_CONSOLE, Value::Prose(told(seen).join("; "))));
    found
}

/// A CUDA graph that does not hold all of the compiled code.
fn split(model: &Model, index: CompileIndex, graphs: &CudaGraphs) -> Option<Finding> {
    let function = function_words(model, index).unwrap_or_else(|| "the function".into());
    let begin = sentence!["The CUDA graph of ", function, " does not hold all of it: "];
    let Some(first) = graphs.outside.first().filter(|_| graphs.parts > 0) else {
        // What the console names, and the log does not show.
        let seen = graphs.seen.as_ref().filter(|seen| seen.parts > 0)?;
        let first = seen.outside.first()?;
        let title = sentence![begin, code(&*first.operator), " (", quoted(&*first.reason), ")"];
        let mut found = Finding::new(KindOfFinding::CudaGraphSplit, Severity::Warning, title);
        (found.place, found.compiles) = (place_of(first), vec![index]);
        return Some(found);
    };
    let title = sentence![begin, obstacle(first).plain().unwrap_or_default()];
    // Operators on the CPU have a finding of their own, which says what they cost.
    let is_told = graphs.outside.iter().all(|one| one.obstacle != Obstacle::UnknownSize)
        && graphs.outside.iter().any(|one| one.obstacle == Obstacle::OnHost);
    let severity = if is_told { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(KindOfFinding::CudaGraphSplit, severity, title);
    found.advise_all(obstacle(first).advice());
    at(&mut found, model, index, first, &graphs.outside);
    Some(found)
}

/// What keeps an operation out of CUDA graphs.
fn obstacle(one: &Operation) -> Told<'static> {
    let input = one.input.iter().map(|input| ("input", input.clone()));
    Told {
        about: About::Obstacle,
        texts: [(Text::Record, format!("{:?}", one.obstacle))].into(),
        names: input.chain([("operation", one.operator.clone())]).collect(),
        ..Told::default()
    }
}

/// Whether a CUDA graph was recorded for each of many sizes, which is a finding of its own.
pub(super) fn has_many_sizes(graphs: Option<&CudaGraphs>) -> bool {
    graphs.is_some_and(|graphs| {
        let seen = graphs.seen.as_ref().map_or(0, |seen| seen.sizes.len());
        graphs.is_dynamic && graphs.recordings >= MANY_RECORDINGS || seen >= MANY_RECORDINGS
    })
}

/// A recording for each of many sizes.
fn sizes(model: &Model, index: CompileIndex, graphs: &CudaGraphs) -> Option<Finding> {
    has_many_sizes(Some(graphs)).then_some(())?;
    let function = function_words(model, index).unwrap_or_else(|| "the function".into());
    let title = sentence![
        graphs.recordings,
        " CUDA graphs of ",
        function,
        " were recorded, one for each size of an input"
    ];
    let mut found = Finding::new(KindOfFinding::CudaGraphSizes, Severity::Warning, title);
    if graphs.us > 0.0 {
        found.say("recorded", &[("time", &duration(graphs.us))]);
    }
    found
        .claim(Claim::avoidable(Work::AtRunTime, vec![index], "of recording CUDA graphs").at_most(graphs.us));
    found.count = graphs.recordings as u64;
    found.place = UserPlace::of_call(model, index);
    found.compiles = vec![index];
    Some(found)
}

/// One finding per reason why no CUDA graph was recorded.
fn refused(model: &Model) -> Vec<Finding> {
    let mut reasons: IndexMap<&str, Vec<CompileIndex>> = IndexMap::new();
    for (index, compile) in model.compiles.indexed() {
        for reason in compile.metrics.iter().filter_map(|m| m.facts.cudagraph_skip_reason.as_deref()) {
            let compiles = reasons.entry(reason.trim()).or_default();
            if compiles.last() != Some(&index) {
                compiles.push(index);
            }
        }
    }
    let found = reasons.into_iter().filter(|(reason, _)| !reason.is_empty()).map(|(reason, compiles)| {
        let title = sentence!["No CUDA graph was recorded: ", quoted(headline(reason))];
        let mut found = Finding::new(KindOfFinding::CudagraphSkip, Severity::Warning, title);
        found.fact("Reason in the log", Value::Prose(reason.to_owned()));
        found.count = compiles.len() as u64;
        found.place =
            compiles.first().map(|&index| UserPlace::of_definition(model, index)).unwrap_or_default();
        found.compiles = compiles;
        found
    });
    found.collect()
}

/// One finding where the setting is on, inputs are known and none of them is on a GPU.
fn on_cpu(model: &Model) -> Option<Finding> {
    if model.inductor.cudagraphs != Some(true) || !on_cpu_only(model) {
        return None;
    }
    let title = "CUDA graphs were requested, but none was made: everything runs on the CPU";
    let mut found = Finding::new(KindOfFinding::CudagraphsOnCpu, Severity::Info, title);
    let compiled = |(index, compile): (CompileIndex, &Compile)| {
        compile.metrics.iter().any(|record| record.facts.inductor_us.is_some()).then_some(index)
    };
    found.compiles = model.compiles.indexed().filter_map(compiled).collect();
    Some(found)
}

/// Whether the log names devices of inputs, and all of them are the CPU.
fn on_cpu_only(model: &Model) -> bool {
    let mut devices = model.inputs().map(|(_, input)| input.tensor.device.as_str()).peekable();
    devices.peek().is_some() && devices.all(|device| device.starts_with("cpu"))
}
