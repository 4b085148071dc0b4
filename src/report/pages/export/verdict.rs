//! The outcome of the export, in a sentence.

use crate::analysis::{Export, ExportOutcome, Retry};
use crate::model::{CompileIndex, ExportKind};
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, paragraph, paragraph_below, write_line};
use crate::report::kit::paths;
use crate::report::kit::reasons::first_line;
use crate::report::kit::view::View;
use crate::report::words::export::clauses;
use crate::report::words::export::opening;
use std::io::Write;

pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let export = &view.report.found.export;
    write_line(out, &view.verdict(sentence(view, export), notes(view, export))?)?;
    if let Some(retry) = export.retry {
        write_retry(view, retry, out)?;
    }
    match export.outcome {
        ExportOutcome::Begun | ExportOutcome::Unknown => write_unknown(view, out),
        _ => Ok(()),
    }
}

fn sentence(view: View<'_>, export: &Export) -> Html {
    let linked = clauses(export).into_iter().map(|clause| {
        let counted = Element::new("a").class(clause.class).href("#failures").around(clause.counted);
        Html::joined([clause.before.into(), counted, clause.after.into()], "")
    });
    let listed = Html::joined(linked, ", and ");
    match opening(export) {
        (opening, true) => Html::joined([Html::escaped(opening), listed, Html::escaped(".")], ""),
        (opening, false) => view.prose(opening),
    }
}

fn notes(view: View<'_>, export: &Export) -> Vec<Html> {
    let has = |kind| export.count(kind) > 0;
    let mut notes = Vec::new();
    if has(ExportKind::Assumed) {
        notes.push(
            "Draft export ran the model with real tensors and followed the data at each decision. \
            `torch.export` stops at such a decision.",
        );
    }
    if has(ExportKind::MissingFakeKernel) || has(ExportKind::MismatchedFakeKernel) {
        notes.push(
            "Export never runs operators: fake kernels compute the shapes and dtypes of results. For \
            missing or wrong fake kernels, draft export ran the real operator.",
        );
    }
    if export.outcome == ExportOutcome::Clean {
        notes.push(
            "Every operator has a fake kernel, and no line of the model depends on data. If you used \
            `torch.export.draft_export()`, you can return to `torch.export.export()`.",
        );
    }
    if export.outcome == ExportOutcome::Failed {
        notes.push("The log has no `exported_program`: the export did not finish.");
    }
    if export.outcome == ExportOutcome::Unknown {
        notes.push(
            "It has neither an exported program nor a reason for failure: with `TORCH_TRACE`, \
            `torch.export` records neither.",
        );
    }
    let mut notes: Vec<Html> = notes.into_iter().map(|note| view.prose(note)).collect();
    let facts = &view.report.model.export;
    if facts.started.len() > facts.programs.len() && !facts.programs.is_empty() {
        let began = counted(facts.started.len(), "export", "exports");
        let ended = counted(facts.programs.len(), "program", "programs");
        notes.push(Html::escaped(&format!(
            "{began} began and {ended} finished: one failed, or was interrupted."
        )));
    }
    notes
}

/// A first try that violated a constraint.
fn write_retry(view: View<'_>, retry: Retry, out: &mut dyn Write) -> anyhow::Result<()> {
    let pill = |index: CompileIndex| view.report.model.compiles.get(index).map(|compile| view.pill(compile));
    let (from, to) = (pill(retry.failed).unwrap_or_default(), pill(retry.succeeded).unwrap_or_default());
    let about = "a size that was declared dynamic was not";
    view.open_section(out, ("retry", "Exported on the second try", about), None, Html::default())?;
    let rest = " violated a constraint of `dynamic_shapes`. The failures have the id of the first try, and \
        the program has the id of the second: export dropped the constraint and started again, so a size \
        declared dynamic may be fixed in the program.";
    let pieces = ["Exported as ".into(), to, ", after ".into(), from, " ".into(), view.prose(rest)];
    paragraph(out, Html::joined(pieces, ""))?;
    let advice = "Let export choose for the dimension: `dynamic_shapes={\"x\": {0: \
        torch.export.Dim.AUTO}}`, or declare the range that the model supports with `Dim(\"n\", min=.., \
        max=..)`.";
    let (words, url) = crate::report::pages::export::advice::DIMS;
    write_line(out, &Element::new("p").class("advice space-above").around(view.prose(advice)))?;
    paragraph_below(out, view.log_link(words, url))?;
    close_section(out)?;
    Ok(())
}

fn write_unknown(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    let about = "how to record an export, and what this log contains";
    view.open_section(out, ("record", "Record it", about), None, Html::default())?;
    let landing = view.href_of(paths::landing(view.report.settings));
    let compiles = counted(model.identified().count(), "compile id", "compile ids");
    let records = counted(model.log.records, "record", "records");
    let holds = view.link(&landing, &format!("{records}, {compiles}"));
    let again = "with `TORCH_DTRACE=dir`, which records the program and each expression, or with \
        `torch.export.draft_export`, which writes its own log file and prints its path";
    let mut facts = vec![("Run again", view.prose(again)), ("In this log", holds)];
    if let Some(first) = model.failures.first() {
        // A failed strict export records only metrics of its compilation, which do not mention export.
        let failed = counted(model.failures.len(), "failed compilation", "failed compilations");
        let link = view.link(&view.href_of("failures_and_restarts.html"), &failed);
        let reason = first_line(first.reason.as_deref().unwrap_or(&first.error));
        let words = Html::escaped(": one may be that of the export; the first says ");
        facts.push(("Failures", Html::joined([link, words, view.folded(&reason, true)], "")));
    }
    write_line(out, &view.facts(facts))?;
    close_section(out)?;
    Ok(())
}
