//! A file of the page.

use super::subject::ShownSource;
use super::text::TextLine;
use crate::analysis::lines::{LineFacts, LineState, LinesOfFile};
use crate::report::kit::links;

/// Files with more lines show the known ones at first.
const SHORT_FILE: usize = 400;

/// A file of the page.
#[derive(Clone, Copy)]
pub(super) struct File<'s> {
    pub(super) subject: &'s ShownSource<'s>,
    /// Its place among the files.
    pub(super) place: usize,
    pub(super) file: &'s LinesOfFile,
}

impl<'s> File<'s> {
    /// Its known lines on the page.
    pub(super) fn listed(self) -> impl Iterator<Item = &'s LineFacts> {
        self.file.lines.iter().filter(|line| line.listed)
    }

    /// All its lines, if the file was read.
    pub(super) fn whole(self) -> Option<&'s [TextLine]> {
        self.subject.texts.get(self.place)?.whole.as_deref()
    }

    /// The lines of the file, or of the part of it that is known.
    pub(super) fn length(self) -> u64 {
        let known = self.file.lines.last().map_or(1, |line| line.number);
        self.whole().map_or(known, |whole| whole.len() as u64)
    }

    /// Whether lines that the log does not know are shown at first.
    pub(super) fn is_short(self) -> bool {
        self.whole().is_some_and(|whole| whole.len() <= SHORT_FILE)
    }

    /// The class of a line; one without a state of its own has that of its function.
    pub(super) fn class_of(self, line: &LineFacts) -> &'static str {
        let place = usize::try_from(line.number).ok().and_then(|number| number.checked_sub(1));
        let of_text = place.and_then(|place| self.whole()?.get(place));
        let is_eager = of_text.is_some_and(|text| text.is_eager);
        if is_eager && line.state() >= LineState::Read { "state eager" } else { class(line.state()) }
    }

    pub(super) fn anchor(self, line: &LineFacts) -> String {
        links::source_line_anchor(self.place, line.number)
    }

    /// The anchor of what happened at a line.
    pub(super) fn panel_anchor(self, line: &LineFacts) -> String {
        format!("at-{}", self.anchor(line))
    }
}

/// Its class in the style sheet.
pub(super) fn class(state: LineState) -> &'static str {
    match state {
        LineState::Failed => "state failed",
        LineState::Breaks => "state breaks",
        LineState::Captured => "state captured",
        LineState::Read | LineState::Called => "state read",
    }
}
