//! The verdict on a log as plain text.

use crate::analysis::AHEAD_OF_TIME;
use crate::analysis::findings::{KindOfFinding, Severity};
use crate::facts::safe::error_named;
use crate::facts::{Function, LogReport};
use crate::model::words::counted;
use crate::report::subject::Report;
use crate::trace::{STDIN, TextMap};
use std::collections::BTreeSet;

/// What console output does not have, and how to record it.
pub(crate) const CONSOLE: &str =
    "Read from console output: no times, graphs or code; record with TORCH_TRACE=DIR for those.";

/// What to do where nothing was recorded, in Markdown.
pub(crate) fn how_to_record(report: Report<'_>) -> &'static str {
    match report.model.log.file == STDIN {
        true => {
            "The command before the pipe printed nothing to standard output. Torch prints what `TORCH_LOGS` shows to standard \
             error: `program 2>&1 | tlparse -`. Logs of `TORCH_TRACE` are files: `tlparse DIR`."
        }
        false => {
            "Set `TORCH_TRACE` before the program imports torch, and let it reach a `torch.compile` call."
        }
    }
}

/// What was compiled and what went wrong, in one sentence.
pub(crate) fn sentence(report: Report<'_>) -> String {
    let model = report.model;
    if model.log.records == 0 {
        let what = if model.log.file == STDIN { "standard input was empty" } else { "the log is empty" };
        return format!("Nothing was recorded: {what}.");
    }
    let counts = Counts {
        compiles: model.identified().count(),
        functions: report.found.functions.len(),
        libraries: report.found.builds.libraries(),
        seconds: Some(report.found.time.total_s),
        failures: model.failures.len(),
        graph_breaks: model.graph_breaks.len(),
        recompiles: model.recompiles.len(),
        is_without_results: report
            .found
            .findings
            .iter()
            .any(|one| one.kind == KindOfFinding::MissingMetrics && one.severity == Severity::Info),
        is_console: model.log.console.is_some(),
    };
    format!("{}{}", report.ended().unwrap_or_default(), counts.sentence())
}

/// The same sentence from the facts about a log, of which redaction may have dropped names.
pub(crate) fn sentence_of_facts<'a>(log: &'a LogReport<'_>) -> String {
    // Records without a compile id are an entry of the list, but not a compilation.
    let compiles = || log.compiles.iter().filter_map(|one| Some((one.id.as_deref()?, one.function.as_ref())));
    let frame = |id: &'a str| id.rsplit_once('/').map_or(id, |(frame, _)| frame);
    let is_named = |function: &&Function<'_>| function.name.is_some();
    // Beyond the recompile limit only the frame has the function's name.
    let named: TextMap<&str, &Function<'_>> =
        compiles().filter_map(|(id, function)| Some((frame(id), function.filter(is_named)?))).collect();
    let functions = compiles().map(|(id, function)| {
        match function.filter(is_named).or_else(|| named.get(frame(id)).copied()) {
            Some(function) => (function.name.as_deref(), function.file.as_deref(), function.line),
            None => (Some(frame(id)), None, None),
        }
    });
    let libraries = log.compile_time.phases.iter().filter(|phase| phase.name.starts_with(AHEAD_OF_TIME));
    let counts = Counts {
        compiles: compiles().count(),
        functions: functions.collect::<BTreeSet<_>>().len(),
        libraries: libraries.map(|phase| phase.count as usize).sum(),
        seconds: log.compile_time.total_s,
        failures: log.failures.len(),
        graph_breaks: log.graph_breaks.len(),
        recompiles: log.recompiles.len(),
        is_without_results: log.findings.iter().any(|one| {
            &*one.kind == KindOfFinding::MissingMetrics.word() && &*one.severity == Severity::Info.word()
        }),
        is_console: log.log.console.is_some(),
    };
    let ended = log.console.as_ref().and_then(|console| console.exceptions.last());
    let ended = ended
        .filter(|last| !last.went_on)
        .map(|last| format!("The program raised {}. ", error_named(&last.error)));
    format!("{}{}", ended.unwrap_or_default(), counts.sentence())
}

/// What the sentence counts.
struct Counts {
    compiles: usize,
    functions: usize,
    /// Models that were built ahead of time.
    libraries: usize,
    /// Seconds of compile time, if known.
    seconds: Option<f64>,
    failures: usize,
    graph_breaks: usize,
    recompiles: usize,
    /// Whether torch does not write how compiles ended.
    is_without_results: bool,
    /// The log was made of console output: what it does not name is not known.
    is_console: bool,
}

impl Counts {
    fn sentence(&self) -> String {
        let what = match self.libraries {
            libraries @ 1.. if self.compiles == 0 => {
                format!("{} compiled ahead of time", counted(libraries, "model", "models"))
            }
            _ => format!(
                "{} of {}",
                counted(self.compiles, "compilation", "compilations"),
                counted(self.functions, "function", "functions"),
            ),
        };
        if self.is_without_results {
            let again = counted(self.recompiles, "recompilation", "recompilations");
            return format!("{what}: {again}; failures and graph breaks are not recorded.");
        }
        if self.is_console {
            let named = [
                (self.failures, "failure", "failures"),
                (self.graph_breaks, "distinct graph break", "distinct graph breaks"),
                (self.recompiles, "recompilation", "recompilations"),
            ];
            let named = named.into_iter().filter(|(number, ..)| *number > 0);
            let named: Vec<String> = named.map(|(number, one, many)| counted(number, one, many)).collect();
            return match named.is_empty() {
                true if self.compiles == 0 => {
                    "The console output names no graph break or recompilation.".to_owned()
                }
                true => format!("The console output names {what}, and no graph break or recompilation."),
                false if self.compiles == 0 => format!("The console output names {}.", named.join(", ")),
                false => format!("The console output names {what}: {}.", named.join(", ")),
            };
        }
        // A log without metrics, as of an export, does not say how long it took.
        let seconds = self.seconds.filter(|seconds| *seconds > 0.0);
        format!(
            "{what}{}: {}, {}, {}.",
            seconds.map(|seconds| format!(" in {seconds:.2} s")).unwrap_or_default(),
            counted(self.failures, "failure", "failures"),
            counted(self.graph_breaks, "distinct graph break", "distinct graph breaks"),
            counted(self.recompiles, "recompilation", "recompilations"),
        )
    }
}
