//! The plain types of the tables on a page. A parser that adds a table fills these and needs no template.

use super::Stack;
use crate::trace::CompileId;
use std::sync::Arc;

/// The id of the section with the events that no parser knows.
pub const UNKNOWN_EVENTS: &str = "unknown-events";

/// A titled table on the page of a compile.
#[derive(Debug, Clone)]
pub struct Section {
    /// Anchor on the page: lower-case words with `-`.
    pub id: &'static str,
    /// Heading.
    pub title: Arc<str>,
    /// What it is, in a few words.
    pub note: Arc<str>,
    /// Heads of the columns; compiles share them, as they share title and note.
    pub columns: Arc<[Column]>,
    /// One cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// Head of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Column {
    /// Its words.
    pub title: &'static str,
    /// Whether its cells are numbers, which are aligned to the right.
    pub numeric: bool,
}

impl Column {
    /// A column of words or code.
    pub const fn text(title: &'static str) -> Self {
        Column { title, numeric: false }
    }

    /// A column of numbers.
    pub const fn number(title: &'static str) -> Self {
        Column { title, numeric: true }
    }
}

/// One cell of a table.
#[derive(Debug, Clone)]
pub enum Cell {
    /// Unknown: shown as a dash.
    Unknown,
    /// Words.
    Text(String),
    /// Something from code: a name, a guard, a shape.
    Code(String),
    /// Several of those, one per line.
    Codes(Vec<String>),
    /// A number with its unit.
    Number(f64, Unit),
    /// A compile, linked.
    Compile(CompileId),
    /// A stack, folded to its innermost frame.
    Stack(Option<Stack>),
    /// A link of the log; shown as text unless it is http, https or relative.
    Link {
        /// What it is called.
        text: String,
        /// Where it leads.
        url: String,
    },
}

impl Cell {
    /// Code, or unknown.
    pub fn code(text: Option<impl Into<String>>) -> Cell {
        text.map_or(Cell::Unknown, |t| Cell::Code(t.into()))
    }

    /// Words, or unknown.
    pub fn text(text: Option<impl Into<String>>) -> Cell {
        text.map_or(Cell::Unknown, |t| Cell::Text(t.into()))
    }

    /// A number, or unknown.
    pub fn number(value: Option<f64>, unit: Unit) -> Cell {
        value.map_or(Cell::Unknown, |v| Cell::Number(v, unit))
    }
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A count.
    Count,
    /// Microseconds, shown at a sensible scale.
    Micros,
    /// Bytes, shown at a sensible scale.
    Bytes,
}
