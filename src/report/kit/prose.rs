//! Sentences of torch, and sentences about lists.

use crate::model::Sentence;
use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::markup;
use crate::report::kit::markup::note_below;
use crate::report::kit::view::Render;
use std::io::Write;

impl Render<'_> {
    /// A sentence of torch: what stands between backquotes is code; what is long is folded.
    pub fn prose(&self, text: &str) -> Html {
        self.prose_with(text, |code| self.code(code))
    }

    /// The same, where `show` says how code looks.
    pub(super) fn prose_with(&self, text: &str, show: impl Fn(&str) -> Html) -> Html {
        let text = text.trim();
        if text.chars().nth(crate::report::kit::cells::LONGEST_TEXT).is_some() {
            return self.folded(text, false);
        }
        marked(text, show)
    }

    /// A sentence of this program.
    pub fn sentence(&self, sentence: &Sentence) -> Html {
        let text = sentence.text();
        if text.chars().nth(crate::report::kit::cells::LONGEST_TEXT).is_some() {
            return self.folded(text.trim(), false);
        }
        let parts = sentence.parts().iter().map(|part| match part.as_code() {
            Some(code) => self.code(&code),
            None => marked(&part.to_string(), |code| self.code(code)),
        });
        Html::joined(parts.collect::<Vec<_>>(), "")
    }

    /// A button that opens and closes all folds of the region `id`.
    pub fn fold_button(&self, id: &'static str) -> Html {
        markup::fold_button(id)
    }

    /// Says how many entries of a list a page leaves out, if any.
    pub fn beyond(&self, out: &mut dyn Write, count: usize, shown: usize, what: &str) -> anyhow::Result<()> {
        if count > shown {
            let rest = whole(count - shown);
            let link = self.link(&self.href_of("report.json"), "report.json");
            note_below(
                out,
                Html::joined([format!("{rest} more {what} stand in ").into(), link, ".".into()], ""),
            )?;
        }
        Ok(())
    }

    /// Writes each entry of a list that report.json has as well, as long as the page has room for it.
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

    /// The same where the rest does not stand in report.json: `what` says where.
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

/// A text with what stands between backquotes as code; `show` says how code looks.
fn marked(text: &str, show: impl Fn(&str) -> Html) -> Html {
    let mut pieces = Vec::new();
    let mut parts = text.split('`').peekable();
    let mut code = false;
    while let Some(part) = parts.next() {
        // A backquote without its pair is one.
        match (code, parts.peek().is_some()) {
            (true, true) => pieces.push(show(part)),
            (true, false) => pieces.push(Html::escaped(&format!("`{part}"))),
            (false, _) => pieces.push(Html::escaped(part)),
        }
        code = !code;
    }
    Html::joined(pieces, "")
}
