//! The outcome of an export in a sentence.

use crate::analysis::{Export, ExportOutcome};
use crate::model::ExportKind;
use crate::report::kit::formats::counted;
use crate::report::subject::Report;

/// A counted item of the sentence: the count, its noun, and its class.
pub(crate) struct Clause {
    pub before: &'static str,
    pub counted: String,
    pub class: &'static str,
    pub after: &'static str,
}

/// Problems, most serious first.
pub(crate) fn clauses(export: &Export) -> Vec<Clause> {
    let kernels =
        export.count(ExportKind::MissingFakeKernel) + export.count(ExportKind::MismatchedFakeKernel);
    let exported = export.outcome == ExportOutcome::WithFailures;
    let all = [
        (ExportKind::Undecided, "", ("expression", "expressions"), "err", " could not be decided"),
        (ExportKind::Stopped, "", ("export", "exports"), "err", " stopped early"),
        (ExportKind::MissingFakeKernel, "", ("fake kernel", "fake kernels"), "err", " missing or wrong"),
        (
            ExportKind::Assumed,
            "correct only if ",
            ("assumption about the data", "assumptions about the data"),
            "warn",
            "",
        ),
        (ExportKind::GuardEvaluated, "", ("guard on sizes", "guards on sizes"), "warn", " evaluated"),
    ];
    let clause = all.into_iter().filter_map(|(kind, before, (one, many), class, after)| {
        let count = if kind == ExportKind::MissingFakeKernel { kernels } else { export.count(kind) };
        let single = count == 1;
        let (before, after) = match (kind, exported) {
            (ExportKind::Assumed, true) => (before, if single { " holds" } else { " hold" }),
            (ExportKind::Assumed, false) => ("", if single { " was made" } else { " were made" }),
            (ExportKind::MissingFakeKernel, _) if single => (before, " is missing or wrong"),
            (ExportKind::MissingFakeKernel, _) => (before, " are missing or wrong"),
            (ExportKind::GuardEvaluated, _) if single => (before, " was evaluated"),
            (ExportKind::GuardEvaluated, _) => (before, " were evaluated"),
            _ => (before, after),
        };
        (count > 0).then(|| Clause { before, counted: counted(count, one, many), class, after })
    });
    clause.collect()
}

/// The sentence or its beginning, and whether the problems follow.
pub(crate) fn opening(export: &Export) -> (&'static str, bool) {
    match export.outcome {
        ExportOutcome::WithFailures if export.retry.is_some() => ("Exported on the second try, but ", true),
        ExportOutcome::Clean => ("Exported without failures or assumptions about the data.", false),
        ExportOutcome::WithFailures => ("Exported, but ", true),
        ExportOutcome::Unfinished => ("Not every export in this log finished.", false),
        ExportOutcome::Failed => ("No exported program: ", true),
        ExportOutcome::Begun => {
            ("An export began, but this log has no program: the export failed or was interrupted.", false)
        }
        ExportOutcome::Unknown => ("This log does not record whether export succeeded.", false),
    }
}

/// The same in plain text, for the terminal.
pub(crate) fn sentence_of(report: Report<'_>) -> String {
    let export = &report.found.export;
    let listed: Vec<String> = clauses(export)
        .into_iter()
        .map(|clause| format!("{}{}{}", clause.before, clause.counted, clause.after))
        .collect();
    match opening(export) {
        (opening, true) => format!("{opening}{}.", listed.join(", and ")),
        (opening, false) => opening.to_owned(),
    }
}
