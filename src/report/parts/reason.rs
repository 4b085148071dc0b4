//! Why a guard failed, and tracebacks that were read from text.

use super::View;
use crate::model::{Reason, TextFrame};
use crate::report::Html;
use crate::report::units::{is_library, short_path, whole};
use crate::trace::CompileId;
use serde::Serialize;

#[derive(Serialize)]
struct Why {
    against: Option<Html>,
    guard: Html,
    source: Option<Html>,
    stack: Option<Html>,
    rest: Option<Html>,
    hint: Option<String>,
}

#[derive(Serialize)]
struct Traceback<'f> {
    frames: Vec<TracebackFrame<'f>>,
}

#[derive(Serialize)]
struct TracebackFrame<'f> {
    class: Option<&'static str>,
    full: &'f str,
    place: String,
    name: &'f str,
    code: &'f str,
}

impl View<'_> {
    /// Why one cache entry did not fit: its guard, the source of it, the user's stack.
    pub fn reason(&self, reason: &Reason) -> anyhow::Result<Html> {
        let id = reason.against.as_deref().and_then(CompileId::parse);
        let source = reason.source.as_ref().map(|source| {
            let frame =
                (source.file.clone(), source.line, source.function.clone(), Some(source.code.clone()));
            self.traceback(&[frame])
        });
        let taken_apart = reason.source.is_some() || reason.text.trim() == reason.guard;
        let stack = (!reason.user_stack.is_empty()).then(|| self.traceback(&reason.user_stack));
        let context = Why {
            against: id.map(|id| self.pill_of(Some(&id))).transpose()?,
            guard: self.folded(&reason.guard, true),
            source: source.transpose()?,
            stack: stack.transpose()?,
            rest: (!taken_apart).then(|| self.folded(&reason.text, true)),
            hint: reason.hint.clone(),
        };
        self.render("recompile_reason", &context)
    }

    /// Frames read from text, outermost first; the innermost of the reader's own code is marked.
    pub fn traceback(&self, frames: &[TextFrame]) -> anyhow::Result<Html> {
        let own = frames.iter().rposition(|(file, ..)| !is_library(file));
        let frames = frames.iter().enumerate().map(|(index, (file, line, name, code))| TracebackFrame {
            class: if own == Some(index) { Some("hit") } else { is_library(file).then_some("soft") },
            full: file,
            place: format!("{}:{line}", short_path(file)),
            name,
            code: code.as_deref().unwrap_or_default(),
        });
        self.render("traceback", &Traceback { frames: frames.collect() })
    }

    /// The frames of the reader's own code; those of libraries are folded below them.
    pub fn own_traceback(&self, frames: &[TextFrame]) -> anyhow::Result<Html> {
        let own: Vec<TextFrame> = frames.iter().filter(|(file, ..)| !is_library(file)).cloned().collect();
        if own.is_empty() || own.len() == frames.len() {
            return self.traceback(frames);
        }
        let hidden = whole(frames.len() - own.len());
        let (short, all) = (self.traceback(&own)?, self.traceback(frames)?);
        Ok(Html::trusted(format!(
            "{}<details class=\"fold after\"><summary class=\"tw\">With {hidden} frames of libraries</summary>{}</details>",
            short.as_str(),
            all.as_str()
        )))
    }
}
