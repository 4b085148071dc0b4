//! The verdict on a log as plain text.

use crate::model::words::counted;
use crate::report::subject::Report;

/// What was compiled and what went wrong, in one sentence.
pub(crate) fn sentence(report: Report<'_>) -> String {
    let model = report.model;
    if model.log.records == 0 {
        return "Nothing was recorded: the log is empty.".to_owned();
    }
    let compiles = model.identified().count();
    let seconds = report.found.time.total_s;
    let of = counted(report.found.functions.len(), "function", "functions");
    let what = match report.found.builds.libraries() {
        libraries @ 1.. if compiles == 0 => {
            format!("{} compiled ahead of time", counted(libraries, "model", "models"))
        }
        _ => format!("{} of {of}", counted(compiles, "compilation", "compilations")),
    };
    format!(
        "{what} in {seconds:.2} s: {}, {}, {}.",
        counted(model.failures.len(), "failure", "failures"),
        counted(model.graph_breaks.len(), "distinct graph break", "distinct graph breaks"),
        counted(model.recompiles.len(), "recompilation", "recompilations"),
    )
}
