//! Generated code as lines: which of them stand in strings, and the words of a line.

use memchr::memmem::{FindIter, Finder};
use std::iter::Peekable;
use std::sync::LazyLock;

/// A line of a text.
pub(super) struct Line<'t> {
    pub text: &'t str,
    /// Where it ends in the text.
    pub end: usize,
}

/// The lines of a text, with their numbers from 1.
pub(super) fn numbered_lines(text: &str) -> impl Iterator<Item = (u32, Line<'_>)> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let lines = ends.scan(0, |start, end| {
        let line = text.get(*start..end).unwrap_or_default();
        *start = end + 1;
        Some(Line { text: line, end })
    });
    (1..).zip(lines)
}

/// What tells strings from code; built once, as that takes longer than searching a line.
static SEARCHES: LazyLock<Searches> = LazyLock::new(|| Searches {
    quotes: Finder::new("'''"),
    cpp_program: Finder::new("cpp_wrapper_src = ("),
});

struct Searches {
    quotes: Finder<'static>,
    cpp_program: Finder<'static>,
}

/// Where strings begin and end in a text. The text is searched as one: most lines have none, and a search a line would take
/// most of the time.
pub(super) struct Marks<'t> {
    quotes: Peekable<FindIter<'t, 'static>>,
    cpp_programs: Peekable<FindIter<'t, 'static>>,
}

/// What stands in one line.
pub(super) struct MarksOfLine {
    /// How many triple quotes.
    pub quotes: usize,
    /// Whether a C++ program begins after it.
    pub cpp_program: bool,
}

impl<'t> Marks<'t> {
    pub fn of(text: &'t str) -> Marks<'t> {
        Marks {
            quotes: SEARCHES.quotes.find_iter(text.as_bytes()).peekable(),
            cpp_programs: SEARCHES.cpp_program.find_iter(text.as_bytes()).peekable(),
        }
    }

    /// Those before a place that were not given before.
    pub fn up_to(&mut self, end: usize) -> MarksOfLine {
        let count = |places: &mut Peekable<FindIter<'_, '_>>| {
            std::iter::from_fn(|| places.next_if(|at| *at < end)).count()
        };
        MarksOfLine { quotes: count(&mut self.quotes), cpp_program: count(&mut self.cpp_programs) > 0 }
    }
}

/// Whether `text` ends in a longer word than `word`.
pub(super) fn ends_in_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| rest.ends_with(is_word))
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// The word at the end of a text; empty where it ends otherwise.
pub(super) fn last_word(text: &str) -> Option<&str> {
    text.rsplit(|c: char| !is_word(c)).next()
}
