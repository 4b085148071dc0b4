//! What torch.export found wanting: operators without a right fake kernel, expressions that only data decides.

use super::basis::{Basis, Family};
use super::finding::{Finding, Severity, Value};
use super::kind::{EntryStyle, KindOfFinding, Topic};
use crate::analysis::export::{self, ExportFailure};
use crate::analysis::user_place::{UserPlace, own_frame, text_frames};
use crate::model::{ExportKind, Model};
use indexmap::IndexSet;

/// torch.export.
pub(super) const FAMILY: Family = Family { kinds: &[&EXPORT], of_log };

/// Export found something wanting. Its page has the stacks.
static EXPORT: KindOfFinding = KindOfFinding {
    topic: Some(Topic::Export),
    entry: EntryStyle { stack: false, ..EntryStyle::USUAL },
    ..KindOfFinding::of("export", "Export")
};

/// One finding per failure. A guard that was evaluated is none of its own: that is usual wherever sizes are compared.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let failures = export::failures(model);
    let worth = failures.iter().filter(|one| one.kind != ExportKind::GuardEvaluated);
    worth.filter_map(|failure| finding(model, failure)).collect()
}

fn finding(model: &Model, failure: &ExportFailure) -> Option<Finding> {
    let mut problems = failure.problems.iter().filter_map(|&index| model.export.problems.get(index));
    let one = problems.next()?;
    let subject = &one.subject;
    let (title, detail, hint) = match failure.kind {
        ExportKind::MissingFakeKernel => (
            format!("`{subject}` has no fake kernel"),
            "Export has to know the shape of what an operator returns without running it.",
            "Register one: `torch.library.register_fake`.",
        ),
        ExportKind::MismatchedFakeKernel => (
            format!("the fake kernel of `{subject}` disagrees with the real one"),
            "What export assumes of the operator is not what it does.",
            "Make the fake kernel return what the operator returns.",
        ),
        ExportKind::Undecided => (
            format!("`{subject}` depends on data"),
            "Only the data of a tensor tells the value, and the next step depends on it: tracing could not go on.",
            "State what always holds with `torch._check(..)`, so that it can be decided.",
        ),
        _ => (
            format!("`{subject}` depends on data"),
            "Only the data of a tensor tells the value. Export assumed the one that it saw.",
            "State what always holds with `torch._check(..)`, so that nothing has to be assumed.",
        ),
    };
    let mut found = Finding::new(&EXPORT, Severity::Warning, title);
    found.detail = Some(detail.to_owned());
    found.hints = vec![hint.to_owned()];
    if let Some(result) = &one.result {
        let label = if failure.kind.of_operator() { "Reason" } else { "Assumed" };
        found.fact(label, Value::Code(vec![result.clone()]));
    }
    found.stack = match one.user_stack.as_deref() {
        Some(stack) => text_frames(model, stack),
        // The event of an operator has no stack: the program tells which lines call it.
        None => one.calls.clone(),
    };
    if let Some(frame) = own_frame(&found.stack) {
        found.place = UserPlace::of_frame(frame);
    }
    found.count = failure.problems.len() as u64;
    let compiles = std::iter::once(one).chain(problems).map(|problem| problem.compile);
    found.compiles = compiles.collect::<IndexSet<_>>().into_iter().collect();
    Some(found)
}
