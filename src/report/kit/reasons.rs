//! Reasons of failed guards, and tracebacks parsed from text.

use crate::model::words::{file_name, headline};
use crate::model::{Reason, TextFrame};
use crate::report::kit::formats::{is_library, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::fold_below;
use crate::report::kit::view::View;
use crate::trace::CompileId;
use serde::Serialize;

/// Longest stack shown with its library frames.
const SHORT: usize = 6;

/// The first non-blank line of a reason, or a placeholder.
pub(crate) fn first_line(text: &str) -> String {
    let first = headline(text);
    if first.is_empty() { "no reason recorded".to_owned() } else { first }
}

#[derive(Serialize)]
struct Why {
    against: Option<Html>,
    guard: Html,
    source: Option<Html>,
    stack: Option<Html>,
    rest: Option<Html>,
    hint: Option<String>,
}

impl View<'_> {
    /// Why one cache entry could not be used: the guard that failed, its source line, the user's stack.
    pub fn reason(&self, reason: &Reason) -> anyhow::Result<Html> {
        let id = reason.against.as_deref().and_then(CompileId::parse);
        let source = reason.source.as_ref().map(|source| {
            let frame = TextFrame {
                file: source.file.clone(),
                line: source.line,
                function: source.function.clone(),
                loc: Some(source.code.clone()),
            };
            self.traceback(&[frame], None)
        });
        let taken_apart = reason.source.is_some() || reason.text.trim() == reason.guard;
        // A stack of only the guard's line is omitted.
        let said = matches!((&reason.source, reason.user_stack.as_slice()), (Some(source), [only])
            if only.line == source.line && file_name(&only.file) == file_name(&source.file));
        let stack = (!reason.user_stack.is_empty() && !said)
            .then(|| self.traceback(&reason.user_stack, innermost_own(&reason.user_stack)));
        let context = Why {
            against: id.map(|id| self.pill_of(Some(&id))),
            guard: self.folded(&reason.guard, true),
            source,
            stack,
            rest: (!taken_apart).then(|| self.folded(&reason.text, true)),
            hint: reason.hint.clone(),
        };
        self.render("recompile_reason", &context)
    }

    /// The frames of the reader's own code, with library frames folded below.
    pub fn own_traceback(&self, frames: &[TextFrame]) -> Html {
        let own: Vec<TextFrame> = frames.iter().filter(|frame| !is_library(&frame.file)).cloned().collect();
        // A short stack is shown in full.
        if own.is_empty() || own.len() == frames.len() || frames.len() <= SHORT {
            return self.traceback(frames, innermost_own(frames));
        }
        let hidden = whole(frames.len() - own.len());
        let short = self.traceback(&own, own.len().checked_sub(1));
        let all = self.traceback(frames, innermost_own(frames));
        Html::joined([short, fold_below(format!("With {hidden} frames of libraries"), &all)], "")
    }
}

/// The innermost frame of the reader's own code.
fn innermost_own(frames: &[TextFrame]) -> Option<usize> {
    frames.iter().rposition(|frame| !is_library(&frame.file))
}
