//! What is known of lines, files and all of them.

use crate::model::CompileIndex;
use crate::trace::TextMap;

/// What a log knows of the lines of the program.
#[derive(Debug, Default)]
pub struct Lines {
    /// The user's files, those with the most compile time first; then those of libraries.
    pub files: Vec<LinesOfFile>,
    /// What counts at no line, as the log names none.
    pub elsewhere: Counts,
    /// The place of each file.
    pub(super) places: TextMap<String, usize>,
}

/// The known lines of a file.
#[derive(Debug, Default)]
pub struct LinesOfFile {
    /// Its path, as in the log.
    pub file: String,
    /// Whether it belongs to a library.
    pub is_library: bool,
    /// In the order of the file.
    pub lines: Vec<LineFacts>,
}

/// A line and what happened there.
#[derive(Debug, Default)]
pub struct LineFacts {
    /// From 1.
    pub number: u64,
    /// Its text; None if the log names the line without quoting it.
    pub code: Option<String>,
    pub function: Option<String>,
    /// Whether the function begins at this line.
    pub begins: bool,
    /// Whether Dynamo read it: it is in a compiled or inlined function. Other lines called one.
    pub read: bool,
    /// What counts here.
    pub counts: Counts,
    /// Microseconds of its compile time that are once a process or a machine.
    pub one_off_us: f64,
    /// Compiles that begin here.
    pub compiles: Vec<CompileIndex>,
    /// Graph breaks: indices into the model's.
    pub breaks: Vec<usize>,
    /// Compiles that were made because of this line.
    pub again: Vec<CompileIndex>,
    /// Compiles that failed here.
    pub failed: Vec<CompileIndex>,
    /// Compiles whose graph has operators of this line.
    pub captured_in: Vec<CompileIndex>,
    /// Guards that this line made, in all trees of the log.
    pub guards: u64,
    /// Findings about this line: indices into the log's.
    pub findings: Vec<usize>,
    /// Its time on the device: an index into the measured lines.
    pub measured: Option<usize>,
    /// Whether the page of lines shows it, which leaves out lines of large files.
    pub listed: bool,
}

/// Sums of a line, of a file, or of what has no line.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Counts {
    /// Microseconds of compiles that begin here.
    pub us: f64,
    /// How many begin here.
    pub compiles: u64,
    /// Times that the graph broke.
    pub breaks: u64,
    /// Compiles made again.
    pub again: u64,
    /// Failures.
    pub fails: u64,
    /// Captured operators.
    pub operators: u64,
}

impl Counts {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            us: self.us + other.us,
            compiles: self.compiles + other.compiles,
            breaks: self.breaks + other.breaks,
            again: self.again + other.again,
            fails: self.fails + other.fails,
            operators: self.operators + other.operators,
        }
    }
}

/// What became of a line, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineState {
    /// Its function runs in eager mode because of it.
    Failed,
    /// The graph breaks.
    Breaks,
    /// It has operators in a graph.
    Captured,
    /// Dynamo read it, but it has no operators.
    Read,
    /// It called what was compiled.
    Called,
}

impl LineFacts {
    /// What became of it.
    pub fn state(&self) -> LineState {
        let Counts { fails, breaks, operators, .. } = self.counts;
        match () {
            () if fails > 0 => LineState::Failed,
            () if breaks > 0 => LineState::Breaks,
            () if operators > 0 => LineState::Captured,
            () if self.read => LineState::Read,
            () => LineState::Called,
        }
    }

    /// Compile time that the code of this line is responsible for, in microseconds.
    pub fn heat_us(&self) -> f64 {
        (self.counts.us - self.one_off_us).max(0.0)
    }

    /// Whether more is known of it than that it was read, or called what was compiled.
    pub fn has_more_to_tell(&self) -> bool {
        let Counts { compiles, operators, .. } = self.counts;
        compiles + operators > 0 || self.is_found() || self.measured.is_some()
    }

    /// Whether something here deserves attention.
    pub fn is_found(&self) -> bool {
        let Counts { fails, breaks, again, .. } = self.counts;
        fails + breaks + again > 0 || !self.findings.is_empty()
    }
}

impl LinesOfFile {
    /// Sums over its lines.
    pub fn counts(&self) -> Counts {
        self.lines.iter().fold(Counts::default(), |sum, line| sum.plus(line.counts))
    }

    /// Whether the page shows any of its lines.
    pub fn is_listed(&self) -> bool {
        self.lines.iter().any(|line| line.listed)
    }

    pub fn line(&self, number: u64) -> Option<&LineFacts> {
        let place = self.lines.binary_search_by_key(&number, |line| line.number).ok()?;
        self.lines.get(place)
    }
}

impl Lines {
    /// The place of a file, and what is known of one of its lines.
    pub fn find(&self, file: &str, number: u64) -> Option<(usize, &LineFacts)> {
        let place = *self.places.get(file)?;
        Some((place, self.files.get(place)?.line(number)?))
    }

    /// The place of a line among the lines that a trace measured.
    pub fn measured(&self, file: &str, number: u64) -> Option<usize> {
        self.find(file, number)?.1.measured
    }

    /// Whether any line is known.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
