//! The outcome of the export, in a sentence.

use crate::analysis::{ExportOutcome, Retry};
use crate::model::{CompileIndex, ExportKind};
use crate::report::doc::{Block, Cell, Fact, Section, own};
use crate::report::kit::formats::counted;
use crate::report::kit::reasons::first_line;
use crate::report::kit::{links, paths};
use crate::report::subject::Report;
use crate::report::words::export::{clauses, opening};

pub(super) fn blocks<'m>(report: Report<'m>) -> Vec<Block<'m>> {
    let export = &report.found.export;
    let mut blocks = vec![Block::Verdict { sentence: sentence(report), notes: notes(report) }];
    blocks.extend(export.retry.map(|retry| Block::Section(retried(report, retry))));
    if matches!(export.outcome, ExportOutcome::Begun | ExportOutcome::Unknown) {
        blocks.push(Block::Section(unknown(report)));
    }
    blocks
}

fn sentence<'m>(report: Report<'m>) -> Cell<'m> {
    let export = &report.found.export;
    let (opening, is_begun) = opening(export);
    if !is_begun {
        return Cell::Prose(opening.into());
    }
    let linked = clauses(export).into_iter().map(|clause| {
        let counted = own(clause.counted).class(clause.class).linked("#failures");
        Cell::Beside(vec![clause.before.into(), counted, clause.after.into()], "")
    });
    Cell::Beside(vec![opening.into(), Cell::Beside(linked.collect(), ", and "), ".".into()], "")
}

fn notes<'m>(report: Report<'m>) -> Vec<Cell<'m>> {
    let export = &report.found.export;
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
    let mut notes: Vec<_> = notes.into_iter().map(|note| Cell::Prose(note.into())).collect();
    let facts = &report.model.export;
    if facts.started.len() > facts.programs.len() && !facts.programs.is_empty() {
        let began = counted(facts.started.len(), "export", "exports");
        let ended = counted(facts.programs.len(), "program", "programs");
        notes.push(own(format!("{began} began and {ended} finished: one failed, or was interrupted.")));
    }
    notes
}

/// A first try that violated a constraint.
fn retried<'m>(report: Report<'m>, retry: Retry) -> Section<'m> {
    let pill = |index: CompileIndex| {
        let compile = report.model.compiles.get(index);
        Cell::maybe(compile, |compile| Cell::Compile { compile, after: String::new() })
    };
    let rest = "violated a constraint of `dynamic_shapes`. The problems have the id of the first try, and the program has \
        the id of the second: export dropped the constraint and started again, so a size declared dynamic may be fixed in \
        the program.";
    let pieces = vec![
        "Exported as ".into(),
        pill(retry.succeeded),
        ", after ".into(),
        pill(retry.failed),
        " ".into(),
        Cell::Prose(rest.into()),
    ];
    let advice = "Let export choose for the dimension: `dynamic_shapes={\"x\": {0: torch.export.Dim.AUTO}}`, or declare the \
        range that the model supports with `Dim(\"n\", min=.., max=..)`.";
    let blocks =
        vec![Block::Paragraph(Cell::Beside(pieces, "")), Block::Paragraph(Cell::Prose(advice.into()))];
    Section::new("retry", "Exported on the second try", blocks)
        .about("a size that was declared dynamic was not")
        .without_tab()
}

fn unknown<'m>(report: Report<'m>) -> Section<'m> {
    let model = report.model;
    let compiles = counted(model.identified().count(), "compile id", "compile ids");
    let records = counted(model.log.records, "record", "records");
    let again = "with `TORCH_DTRACE=dir`, which records the program and each expression, or with \
        `torch.export.draft_export`, which writes its own log file and prints its path";
    let holds = own(format!("{records}, {compiles}")).linked(paths::landing(report.settings));
    let mut facts = vec![Fact::new("Run again", Cell::Prose(again.into())), Fact::new("In this log", holds)];
    if let Some(first) = model.failures.first() {
        // A failed strict export records only metrics of its compilation, which do not mention export.
        let failed = own(counted(model.failures.len(), "failed compilation", "failed compilations"));
        let reason = first_line(first.reason.as_deref().unwrap_or(&first.error));
        let words = ": one may be that of the export; the first says ".into();
        let pieces = vec![failed.linked(links::FAILURES), words, Cell::Code(reason.into())];
        facts.push(Fact::new("Failures", Cell::Beside(pieces, "")));
    }
    Section::new("record", "Record it", vec![Block::Facts(facts)])
        .about("how to record an export, and what this log contains")
        .without_tab()
}
