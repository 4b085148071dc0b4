//! The values in a row of a list.

use crate::analysis::findings::Advice;
use crate::facts::{Id, Text};
use crate::model::{Compile, Parts, Sentence, Stack};
use crate::output::RelPath;
use crate::report::kit::formats;
use crate::report::kit::formats::and_more;
use std::borrow::Cow;

/// A value of a row. It says whose text it is, so that a writer cannot take text of a log for words of this program.
#[derive(Clone, Default)]
pub(crate) enum Cell<'r> {
    /// A column that has only these is left out.
    #[default]
    Unknown,
    /// An empty cell, where nothing is to be expected; it sorts as 0. A column of only these is left out as well.
    Blank,
    /// Words of this program.
    Words(Cow<'static, str>),
    /// Text of a log.
    Log(Cow<'r, str>),
    /// Code of a log.
    Code(Cow<'r, str>),
    /// A sentence of this program or of torch, in which code stands between backquotes.
    Prose(Cow<'r, str>),
    /// A number: what it is sorted by, and how it is shown.
    Figure { value: f64, shown: String },
    /// The name of a function.
    Function(Cow<'r, str>),
    /// A number of torch's catalog of graph breaks.
    CatalogEntry(Cow<'r, str>),
    /// The ids of compiles.
    Compiles(Vec<Cow<'r, str>>),
    /// A file with a line.
    Place { file: Cow<'r, str>, line: Option<i64> },
    /// Times by part of the compiler, which are drawn as a bar; of the kernel builds, `once_us` are hatched: they tried the C++
    /// compiler.
    Parts { times: Parts, once_us: f64 },
    /// A compile of the log at hand; behind its id stand words of this program.
    Compile { compile: &'r Compile, after: String },
    /// The same beside the name of its function.
    CompileBeside(&'r Compile),
    /// Compiles of the log at hand, and how many of them are shown.
    SomeCompiles { compiles: Vec<&'r Compile>, most: usize, beside_names: bool },
    /// The function of a compile, as the user knows it.
    FunctionOf(&'r Compile),
    /// Cells in a row, with this between them.
    Beside(Vec<Cell<'r>>, &'static str),
    /// Cells below each other.
    Stacked(Vec<Cell<'r>>),
    /// A cell that the style sheet knows by this class.
    Classed(&'static str, Box<Cell<'r>>),
    /// Code of a log that the style sheet knows by this class.
    ClassedCode(&'static str, String),
    /// A cell that unfolds to labels with values.
    Fold { summary: Box<Cell<'r>>, facts: Vec<Fact<'r>> },
    /// A cell that unfolds to a text of the log.
    FoldedText { summary: Box<Cell<'r>>, text: Cow<'r, str> },
    /// A file of this report.
    File { path: RelPath, name: Cow<'r, str> },
    /// An address that the log names.
    LogLink { words: String, url: Cow<'r, str> },
    /// What to do.
    Advice(&'r [Advice]),
    /// What torch advises.
    Hints(Cow<'r, [String]>),
    /// A button that copies the code before it.
    CopyButton,
    /// A sentence of this program that quotes the log.
    Sentence(Sentence),
    /// A part of a cell that the style sheet knows by this class.
    Spanned(&'static str, Box<Cell<'r>>),
    /// Small print.
    Small(Box<Cell<'r>>),
    /// A phase of torch's compiler, and what it is called here; a script may lead to its spans. It has an anchor if it shares
    /// its row.
    Phase { name: Cow<'r, str>, shown: Cow<'r, str>, anchor: Option<String> },
    /// A share of a whole as a bar and a number, in the color of this class.
    Share { part: f64, whole: f64, class: &'static str },
    /// Times by part of the compiler as a bar of this share of its column.
    LongParts { times: Parts, share: f64 },
    /// The color of a row in a drawing or a pane.
    Swatch(String),
    /// A stack of the log, folded to its innermost frame.
    Stack { frames: &'r Stack, shown: StackShown },
    /// A cell that links to an address, which is relative to its page.
    At { address: String, of: Box<Cell<'r>> },
    /// A cell that leads to a page or an anchor of this report.
    Link { href: Cow<'static, str>, of: Box<Cell<'r>> },
    /// What differs from the value before it.
    Marked(Box<Cell<'r>>),
    /// A cell with this text on hover.
    Titled(Cow<'r, str>, Box<Cell<'r>>),
    /// A cell that is sorted by this number.
    Sorted(f64, Box<Cell<'r>>),
    /// A difference as a bar: from -1, which is as much better as any row, to 1.
    Balance(f64),
    /// Compiles of other reports, of which the first are shown.
    LinkedCompiles(Vec<LinkedCompile>),
    /// What a sentence is about.
    Strong(Box<Cell<'r>>),
    /// A number with a bar behind it, which is as long as a part of the longest. Of several causes, its dark part is the one
    /// that the row is about.
    Bar { of: Box<Cell<'r>>, own: f64, all: f64, longest: f64 },
}

/// How much of a stack is shown; the first of several equal ones has an anchor.
#[derive(Clone)]
pub(crate) enum StackShown {
    Whole(Option<String>),
    /// Only the innermost frames, where a table has too many.
    Inner(Option<String>),
    /// Only a link to the same stack, which is shown above.
    Again(String),
}

/// A compile of another report.
#[derive(Clone)]
pub(crate) struct LinkedCompile {
    pub id: String,
    /// A class of the style sheet.
    pub status: Option<&'static str>,
    /// The address of its page, or of its row.
    pub href: Option<String>,
}

/// A label with its value.
#[derive(Clone)]
pub(crate) struct Fact<'r> {
    pub label: Cow<'static, str>,
    pub value: Cell<'r>,
}

impl<'r> Fact<'r> {
    pub fn new(label: impl Into<Cow<'static, str>>, value: Cell<'r>) -> Fact<'r> {
        Fact { label: label.into(), value }
    }
}

/// Only words of our own source become a cell by themselves; any other text has to say whose it is.
impl From<&'static str> for Cell<'_> {
    fn from(words: &'static str) -> Self {
        Cell::Words(words.into())
    }
}

impl From<usize> for Cell<'_> {
    fn from(count: usize) -> Self {
        Cell::Figure { value: count as f64, shown: formats::whole(count) }
    }
}

impl<'r, V: Into<Cell<'r>>> From<Option<V>> for Cell<'r> {
    fn from(value: Option<V>) -> Self {
        Cell::maybe(value, V::into)
    }
}

impl<'r> Cell<'r> {
    /// The cell of a value that may be missing.
    pub fn maybe<V>(value: Option<V>, cell: impl FnOnce(V) -> Cell<'r>) -> Cell<'r> {
        value.map_or(Cell::Unknown, cell)
    }

    /// The function of a compile.
    pub fn function(name: Option<&'r str>) -> Cell<'r> {
        Cell::maybe(name, |name| Cell::Function(name.into()))
    }

    /// A compile, if its id is known.
    pub fn compile(id: Option<&'r str>) -> Cell<'r> {
        Cell::maybe(id, |id| Cell::Compiles(vec![id.into()]))
    }

    /// Compiles; those without an id are left out.
    pub fn compiles(ids: &'r [Option<Id<'_>>]) -> Cell<'r> {
        Cell::known_ids(ids.iter().flatten().map(|id| &**id))
    }

    /// Compiles with these ids.
    pub fn known_ids(ids: impl Iterator<Item = &'r str>) -> Cell<'r> {
        let ids: Vec<_> = ids.map(Cow::from).collect();
        if ids.is_empty() { Cell::Unknown } else { Cell::Compiles(ids) }
    }

    /// Whether it says nothing, as far as a page can tell.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Cell::Unknown | Cell::Blank)
    }

    /// The cell that this one only shows in another way.
    pub fn inner(&self) -> Option<&Cell<'r>> {
        match self {
            Cell::Classed(_, of)
            | Cell::Spanned(_, of)
            | Cell::Small(of)
            | Cell::Strong(of)
            | Cell::Marked(of)
            | Cell::Titled(_, of)
            | Cell::Sorted(_, of)
            | Cell::At { of, .. }
            | Cell::Link { of, .. }
            | Cell::Bar { of, .. }
            | Cell::Fold { summary: of, .. }
            | Cell::FoldedText { summary: of, .. } => Some(of),
            _ => None,
        }
    }

    /// Whether it shows nothing as text.
    pub fn is_drawn(&self) -> bool {
        matches!(self, Cell::Parts { .. } | Cell::LongParts { .. } | Cell::Balance(_))
    }

    /// The cell sorted by a number.
    pub fn sorted(self, by: f64) -> Cell<'r> {
        Cell::Sorted(by, Box::new(self))
    }

    /// The cell with a class of the style sheet, which has no effect on one without content.
    pub fn class(self, class: &'static str) -> Cell<'r> {
        match self {
            Cell::Blank => Cell::Blank,
            cell => Cell::Classed(class, Box::new(cell)),
        }
    }

    /// The cell as a part of another, with a class of the style sheet.
    pub fn span(self, class: &'static str) -> Cell<'r> {
        Cell::Spanned(class, Box::new(self))
    }

    /// The cell as a link to an address, which is relative to its page, if there is one.
    pub fn at(self, address: Option<String>) -> Cell<'r> {
        match address {
            Some(address) => Cell::At { address, of: Box::new(self) },
            None => self,
        }
    }

    /// The cell in small print.
    pub fn small(self) -> Cell<'r> {
        Cell::Small(Box::new(self))
    }

    /// The cell with a bar behind it; unknown numbers have none.
    pub fn bar(self, own: f64, all: f64, longest: f64) -> Cell<'r> {
        match self {
            Cell::Unknown => Cell::Unknown,
            cell => Cell::Bar { of: Box::new(cell), own, all, longest },
        }
    }

    /// The cell in bold.
    pub fn strong(self) -> Cell<'r> {
        Cell::Strong(Box::new(self))
    }

    /// The cell with a text on hover.
    pub fn titled(self, title: impl Into<Cow<'r, str>>) -> Cell<'r> {
        Cell::Titled(title.into(), Box::new(self))
    }

    /// The cell as a link to a page or an anchor of this report.
    pub fn linked(self, href: impl Into<Cow<'static, str>>) -> Cell<'r> {
        Cell::Link { href: href.into(), of: Box::new(self) }
    }

    /// A number that is shown like this.
    pub fn figure(value: Option<f64>, show: impl Fn(f64) -> String) -> Cell<'r> {
        Cell::maybe(value, |value| Cell::Figure { value, shown: show(value) })
    }
}

/// Words of this program that are put together while it runs.
pub(crate) fn own<'r>(words: String) -> Cell<'r> {
    Cell::Words(words.into())
}

/// Text of a log.
pub(crate) fn log<'r>(text: impl Into<Cow<'r, str>>) -> Cell<'r> {
    Cell::Log(text.into())
}

/// Text of a log that may be missing.
pub(crate) fn text<'r>(text: &'r Option<Text<'_>>) -> Cell<'r> {
    Cell::maybe(text.as_deref(), log)
}

/// Code of a log that may be missing.
pub(crate) fn code<'r>(text: Option<&'r str>) -> Cell<'r> {
    Cell::maybe(text, |text| Cell::Code(text.into()))
}

/// A sentence that may be missing.
pub(crate) fn prose<'r>(text: Option<&'r str>) -> Cell<'r> {
    Cell::maybe(text, |text| Cell::Prose(text.into()).class("sentence"))
}

/// The line of a file; torch counts from 0 where it knows no line.
pub(crate) fn place<'r>(file: Option<&'r str>, line: Option<i64>) -> Cell<'r> {
    Cell::maybe(file, |file| Cell::Place { file: file.into(), line: line.filter(|line| *line >= 0) })
}

pub(crate) fn count<'r>(count: Option<u64>) -> Cell<'r> {
    Cell::figure(count.map(|count| count as f64), formats::count)
}

/// A number, or nothing for 0.
pub(crate) fn some<'r>(count: u64) -> Cell<'r> {
    if count == 0 { Cell::Blank } else { self::count(Some(count)) }
}

/// Source lines with their addresses: `x.py:19, 20 and 3 more`.
pub(crate) fn lines<'r>(
    lines: impl ExactSizeIterator<Item = (&'r str, u64)>,
    most: usize,
    address: impl Fn(usize, &'r str, u64) -> Option<String>,
) -> Cell<'r> {
    let more = and_more(lines.len(), most);
    let mut before = None;
    let shown = lines.take(most).enumerate().map(|(at, (file, line))| {
        let text = match before.replace(file) == Some(file) {
            true => line.to_string(),
            false => format!("{}:{line}", formats::short_path(file)),
        };
        log(text).at(address(at, file, line))
    });
    let shown: Vec<_> = shown.collect();
    match shown.is_empty() {
        true => Cell::Unknown,
        false => Cell::Beside(vec![Cell::Beside(shown, ", "), own(more)], ""),
    }
}

/// A duration in seconds.
pub(crate) fn seconds<'r>(seconds: Option<f64>) -> Cell<'r> {
    micros(seconds.map(|seconds| seconds * 1e6))
}

/// A duration in microseconds.
pub(crate) fn micros<'r>(us: Option<f64>) -> Cell<'r> {
    Cell::figure(us, formats::micros)
}
