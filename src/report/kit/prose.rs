//! Texts and sentences of torch, and sentences about lists.

use crate::limits::{LONGEST_FOLDED, PARAGRAPH, beginning};
use crate::model::Sentence;
use crate::report::kit::formats::{bytes, clipped, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup;
use crate::report::kit::markup::{fold, long_text, note_below, soft};
use crate::report::kit::view::Render;
use std::io::Write;

/// Characters of the first line shown before the fold.
const LONGEST_START: usize = 140;

impl Render<'_> {
    /// Text or code. A long one is folded, and its beginning is shown.
    pub fn folded(&self, text: &str, code: bool) -> Html {
        let wrapped = |text: &str| if code { self.code(text) } else { Html::escaped(text) };
        if !clipped(text, PARAGRAPH).1 {
            return wrapped(text);
        }
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let size = whole(text.chars().count());
        let start = wrapped(clipped(first, LONGEST_START).0);
        let summary = Html::joined([start, "…".into(), soft(format!("{size} characters"))], " ");
        let shown = beginning(text, LONGEST_FOLDED);
        let mut body = long_text(shown);
        if shown.len() < text.len() {
            let rest = format!(
                "{} more would make the page too large; raw.log has all.",
                bytes((text.len() - shown.len()) as f64)
            );
            body = Html::joined([body, soft(rest)], "");
        }
        fold(summary, &body)
    }

    /// A sentence from torch: text between backquotes is code; long sentences are folded.
    pub fn prose(&self, text: &str) -> Html {
        self.prose_with(text, |code| self.code(code))
    }

    /// The same; `show` formats code.
    pub(super) fn prose_with(&self, text: &str, show: impl Fn(&str) -> Html) -> Html {
        let text = text.trim();
        if text.chars().nth(PARAGRAPH).is_some() {
            return self.folded(text, false);
        }
        marked(text, show)
    }

    /// A sentence of this program.
    pub fn sentence(&self, sentence: &Sentence) -> Html {
        let text = sentence.text();
        if text.chars().nth(PARAGRAPH).is_some() {
            return self.folded(text.trim(), false);
        }
        let parts = sentence.parts().iter().map(|part| match part.as_code() {
            Some(code) => self.code(&code),
            None => marked(&part.to_string(), |code| self.code(code)),
        });
        Html::joined(parts.collect::<Vec<_>>(), "")
    }

    pub fn fold_button(&self, id: &'static str) -> Html {
        markup::fold_button(id)
    }

    /// Writes how many entries of a list the page leaves out, if any.
    pub fn beyond(&self, out: &mut dyn Write, count: usize, shown: usize, what: &str) -> anyhow::Result<()> {
        if count > shown {
            let rest = whole(count - shown);
            let link = self.link(&self.href_of("report.json"), "report.json");
            note_below(
                out,
                Html::joined([format!("{rest} more {what} are in ").into(), link, ".".into()], ""),
            )?;
        }
        Ok(())
    }

    /// Writes the entries of a list while the page has room; report.json has all.
    pub fn while_room<T>(
        &self,
        out: &mut dyn Write,
        entries: &[T],
        what: &str,
        mut write: impl FnMut(&mut dyn Write, usize, &T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for (index, entry) in entries.iter().enumerate() {
            if !self.worker.has_room() {
                return self.beyond(out, entries.len(), index, what);
            }
            write(out, index, entry)?;
        }
        Ok(())
    }

    /// The same for a list that is not in report.json: `what` says where the rest is.
    pub fn left_out(
        &self,
        out: &mut dyn Write,
        count: usize,
        shown: usize,
        what: &str,
    ) -> anyhow::Result<()> {
        if count > shown {
            note_below(out, format!("{} more {what}.", whole(count - shown)))?;
        }
        Ok(())
    }
}

/// A text in which parts between backquotes are code, formatted by `show`.
fn marked(text: &str, show: impl Fn(&str) -> Html) -> Html {
    let mut pieces = Vec::new();
    let mut parts = text.split('`').peekable();
    let mut code = false;
    while let Some(part) = parts.next() {
        // An unpaired backquote is text.
        match (code, parts.peek().is_some()) {
            (true, true) => pieces.push(show(part)),
            (true, false) => pieces.push(Html::escaped(&format!("`{part}"))),
            (false, _) => pieces.push(Html::escaped(part)),
        }
        code = !code;
    }
    Html::joined(pieces, "")
}
