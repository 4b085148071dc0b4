//! What a job system puts before each line of a process: its name, the time, or both.

use super::super::prefix::Prefix;
use crate::hidden::is_hidden;
use crate::limits::{CELL, LONG_LINE};
use regex::Regex;
use std::sync::LazyLock;

/// Bytes of a line, behind its label, that are looked at for the prefix of a record.
const PREFIX: usize = 1 << 10;

/// The times that job systems write: ISO 8601 with and without date and zone, that of syslog, and seconds since 1970.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let clock = r"\d{2}:\d{2}:\d{2}(?:[.,]\d+)?";
    let iso = format!(r"(?:\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[T ])?{clock}(?:Z|[+-]\d{{2}}:?\d{{2}})?");
    let syslog = format!(r"[A-Z][a-z]{{2}} [ \d]\d {clock}");
    Regex::new(&format!(r"{iso}|{syslog}|\d{{10}}\.\d+")).ok()
});

/// What stands before the lines of one process. Equal for all of its lines, as times are left open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Label {
    pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(String),
    Time,
}

/// The header of a record within a line, or the beginning of a message of torch.
#[derive(Debug)]
pub(super) struct HeaderIn<'a> {
    /// What stands before it.
    pub label: &'a str,
    pub pid: u64,
    /// Whether metadata follows, as in a record.
    pub is_record: bool,
    /// Whether the metadata is followed by the end of the line, rather than cut.
    pub is_whole: bool,
}

impl<'a> HeaderIn<'a> {
    /// The header in a line, behind a label that has at most [`LONG_LINE`] bytes.
    pub fn find(line: &'a [u8]) -> Option<HeaderIn<'a>> {
        let beginning = line.get(..line.len().min(LONG_LINE + PREFIX)).unwrap_or_default();
        let text = match std::str::from_utf8(beginning) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(beginning.get(..error.valid_up_to())?).ok()?,
        };
        let is_level = |byte: &u8| matches!(byte, b'V' | b'I' | b'W' | b'E' | b'C');
        let levels = text.bytes().enumerate().take(LONG_LINE).filter(|(_, byte)| is_level(byte));
        let (at, pid, is_record) = levels.map(|(at, _)| at).find_map(|at| {
            let (prefix, rest) = Prefix::parse(text.get(at..)?)?;
            let is_record = rest.starts_with('{');
            (is_record || prefix.path.starts_with("torch/")).then_some((at, prefix.pid, is_record))
        })?;
        let label = text.get(..at)?;
        let is_label = label.is_empty() || !label.trim().is_empty() && !label.contains(['\t', '{', '}', '"']);
        let is_whole = line.trim_ascii_end().ends_with(b"}");
        is_label.then_some(HeaderIn { label, pid, is_record, is_whole })
    }
}

impl Label {
    /// The label that this text is an example of.
    pub fn of(text: &str) -> Label {
        let mut pieces = Vec::new();
        let mut end = 0;
        let add_text = |pieces: &mut Vec<Piece>, from: usize, to: usize| {
            let between = text.get(from..to).filter(|between| !between.is_empty());
            pieces.extend(between.map(|between| Piece::Text(between.to_owned())));
        };
        for time in TIME.iter().flat_map(|regex| regex.find_iter(text)) {
            add_text(&mut pieces, end, time.start());
            pieces.push(Piece::Time);
            end = time.end();
        }
        add_text(&mut pieces, end, text.len());
        Label { pieces }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// What follows this label in a line; `None` if the line has another. White space at its end may be missing if the line
    /// has nothing else.
    pub fn stripped<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let mut rest = line;
        for piece in &self.pieces {
            rest = match piece {
                Piece::Text(text) => match rest.strip_prefix(text.as_bytes()) {
                    Some(after) => after,
                    None if rest.trim_ascii_end() == text.trim_end().as_bytes() => b"",
                    None => return None,
                },
                Piece::Time => rest.get(time_length(rest)?..)?,
            };
        }
        Some(rest)
    }

    /// The rank in `[rank3]:`.
    pub fn rank(&self) -> Option<u64> {
        let mut texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => text.split_once("[rank")?.1.split_once(']')?.0.parse().ok(),
            Piece::Time => None,
        });
        texts.next_back()
    }

    /// The name of the process, as the label has it, fit for a file; empty if the label has only times.
    pub fn name(&self) -> String {
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Time => " ",
        });
        let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '=');
        let kept = |c: char| match c {
            '/' => '_',
            c if is_kept(c) && !is_hidden(c) => c,
            _ => ' ',
        };
        let spaced: String = texts.collect::<String>().chars().map(kept).take(CELL).collect();
        let words: Vec<&str> =
            spaced.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
        words.join(" ")
    }
}

/// How many bytes of the beginning of a line are a time.
fn time_length(line: &[u8]) -> Option<usize> {
    let ascii = line.iter().take(LONG_LINE).take_while(|byte| byte.is_ascii()).count();
    let text = std::str::from_utf8(line.get(..ascii)?).ok()?;
    let found = TIME.as_ref()?.find(text)?;
    (found.start() == 0).then_some(found.end())
}
