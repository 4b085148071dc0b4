//! Events of torch.export and draft_export.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Cell, Column, ExportProblem};

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(FakeKernels), Box::new(ExportedProgram)]
}

/// Operators whose fake kernel is missing or gives something else than the real one.
struct FakeKernels;

const COLUMNS: [Column; 3] = [Column::text("Operator"), Column::text("Fake kernel"), Column::text("Reason")];

impl StructuredLogParser for FakeKernels {
    fn name(&self) -> &'static str {
        "fake_kernels"
    }

    fn about(&self) -> &'static str {
        "Operators whose fake kernel is missing or disagrees with the real one."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["missing_fake_kernel", "mismatched_fake_kernel"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let fields = event.fields();
        let state = if event.key == "missing_fake_kernel" { "missing" } else { "differs from the real one" };
        let row = vec![
            Cell::code(fields.text("op")),
            Cell::Text(state.to_owned()),
            Cell::text(fields.text("reason")),
        ];
        cx.section("fake-kernels", "Fake kernels", "what export needs to know of an operator", &COLUMNS)
            .row(row);
        let problem = ExportProblem {
            compile: cx.compile,
            event: event.key.to_owned(),
            subject: fields.text("op").unwrap_or_default(),
            result: fields.text("reason"),
            user_stack: None,
            line: event.line,
        };
        cx.model().export_problems.push(problem);
        cx.listed_if_any(event);
        Ok(Flow::Handled)
    }
}

/// `exported_program` and `export`: the exported program as text.
struct ExportedProgram;

impl StructuredLogParser for ExportedProgram {
    fn name(&self) -> &'static str {
        "exported_program"
    }

    fn about(&self) -> &'static str {
        "The program that torch.export made, with its signature and range constraints."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["exported_program", "export"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        if let Some(payload) = event.payload {
            cx.listed_payload(payload, event.key);
        }
        Ok(Flow::Handled)
    }
}
