//! A layer that one graph holds many times: compiled alone, it would be compiled once.

use super::basis::{Basis, Family};
use super::finding::{Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use crate::analysis::user_place::{UserPlace, function_words};
use crate::model::words::{counted, duration};
use crate::model::{CompileIndex, RepeatedLines};

/// Repeated layers.
pub(super) const FAMILY: Family = Family { kinds: &[&REPEATED_LAYERS], of_log };

/// A graph holds a layer many times.
static REPEATED_LAYERS: KindOfFinding = KindOfFinding {
    topic: Some(Topic::Time),
    records: &["dynamo_output_graph"],
    ..KindOfFinding::of("repeated_layers", "Repeated layers")
};

/// Microseconds of a compile from which compiling the layer alone is worth a change.
const LEAST_US: f64 = 5e6;

/// A compile with the layer that its graph repeats.
struct Repeating<'m> {
    compile: CompileIndex,
    lines: &'m RepeatedLines,
    us: f64,
}

/// One finding per layer: the same lines in several compiles are told with the longest.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let of = |(compile, one): (CompileIndex, &'_ crate::model::Compile)| {
        Some((compile, one.compile_us().filter(|us| *us >= LEAST_US)?))
    };
    let mut repeating: Vec<Repeating<'_>> = Vec::new();
    for (compile, us) in model.compiles.indexed().filter_map(of) {
        let Some(lines) = model.compiles.get(compile).and_then(|one| one.repeated.as_ref()) else { continue };
        repeating.push(Repeating { compile, lines, us });
    }
    repeating.sort_by(|one, other| other.us.total_cmp(&one.us));
    let mut found: Vec<Finding> = Vec::new();
    for Repeating { compile, lines, us } in repeating {
        let place = UserPlace::of_frame(&lines.first);
        if let Some(known) = found.iter_mut().find(|known| known.place == place) {
            known.compiles.push(compile);
            continue;
        }
        let function = function_words(model, compile).unwrap_or_else(|| "one graph".to_owned());
        let function = function.trim_end_matches(',').to_owned();
        let title = format!(
            "A layer is repeated {} times in the graph of {function}, which took {} to compile",
            lines.times,
            duration(us)
        );
        found.push(Finding { place, compiles: vec![compile], ..finding(title, lines) });
    }
    found
}

fn finding(title: String, lines: &RepeatedLines) -> Finding {
    let mut found = Finding::new(&REPEATED_LAYERS, Severity::Info, title);
    let number = counted(lines.lines, "line stands", "lines stand");
    found.detail = Some(format!(
        "{number} {} times each in the graph; `{}` has the first of them. Compiled as one graph, each copy is compiled \
         anew.",
        lines.times, lines.first.function
    ));
    found.hints = vec![
        "Compile the layer instead of the whole model (regional compilation): call `layer.compile()` on each of these \
         layers, or put `torch.compile` on the layer's `forward`. The first layer is compiled, the others use its code."
            .to_owned(),
    ];
    found.fact("Times", Value::Prose(lines.times.to_string()));
    found
}
