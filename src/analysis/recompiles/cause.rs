//! Whether a recompile was needed.

use super::chain::{Cause, Step};
use super::change::Change;
use super::kind::ChangeKind;
use crate::model::{CompileIndex, Model};

/// Why a step was compiled.
pub(super) fn cause(model: &Model, step: &Step<'_>) -> Option<Cause> {
    let change = step.change.as_ref()?;
    let expected = match change.kind {
        // The first step of an optimizer creates its state.
        kind if kind.is_state() && is_optimizer(model, step) => true,
        _ if change.is_own_effect => false,
        ChangeKind::Backend => !is_one_call_site(model, step),
        // Modules of several classes share one method, and each class needs a version.
        ChangeKind::Type if change.source.as_deref() == Some("self") => {
            change.old.is_some() && change.new.is_some() && change.old != change.new
        }
        _ if is_another_module(model, step.compile, change) => true,
        kind if kind.is_state() => false,
        kind => kind.is_expected(),
    };
    Some(Cause { kind: change.kind, expected })
}

/// Whether another module was called through torch's wrapper for modules and callables compiled from outside. All of them
/// share the wrapper's code object, whose guards are on the wrapped callable, `fn`.
pub(super) fn is_another_module(model: &Model, compile: CompileIndex, change: &Change) -> bool {
    let function = model.compiles.get(compile).and_then(|compile| compile.function.as_ref());
    let file = function.and_then(|function| function.file.as_deref()).unwrap_or_default().replace('\\', "/");
    let wrapped = change.source.as_deref().and_then(|source| source.strip_prefix("fn"));
    let structure = change.kind.is_state()
        || matches!(change.kind, ChangeKind::Type | ChangeKind::Object | ChangeKind::Function);
    structure
        && file.ends_with("torch/_dynamo/external_utils.py")
        && wrapped.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Whether this version and the one it is compared with were called from the same line: then each call creates a new
/// backend.
pub(super) fn is_one_call_site(model: &Model, step: &Step<'_>) -> bool {
    let site = |compile: CompileIndex| {
        let stack = model.compiles.get(compile)?.stack.as_ref()?;
        // The innermost frame is the function itself.
        let frame = stack.iter().rev().nth(1)?;
        Some((frame.file, frame.line))
    };
    let sites = (site(step.compile), step.against.and_then(site));
    matches!(sites, (Some(here), Some(there)) if here == there)
}

/// Whether the guard is in the code of an optimizer, whose first step creates its state.
fn is_optimizer(model: &Model, step: &Step<'_>) -> bool {
    let is_optimizer = |file: &str| {
        let file = file.replace('\\', "/");
        file.contains("/torch/optim/") || file.starts_with("optim/") || file.starts_with("torch/optim/")
    };
    let function = model.compiles.get(step.compile).and_then(|compile| compile.function.as_ref());
    let reason = step.reason();
    let source = reason.and_then(|reason| reason.source.as_ref()).is_some_and(|s| is_optimizer(&s.file));
    let stack =
        reason.and_then(|reason| reason.user_stack.last()).is_some_and(|frame| is_optimizer(&frame.file));
    source || stack || function.and_then(|f| f.file.as_deref()).is_some_and(is_optimizer)
}
