//! Sentences made of parts, so that whoever shows one knows what each part is.
//!
//! A sentence becomes text, where code stands between backquotes, or HTML, or text with pseudonyms. Nobody parses it.
//!
//! ```ignore
//! sentence![name(NameOf::Function, "f"), " was compiled ", count(3, "time", "times")]
//! ```

use super::words::{counted, duration, file_line, file_name};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SentencePart {
    /// Words and numbers of this program; names of torch's own API in them stand between backquotes.
    Own(Cow<'static, str>),
    /// The id of a compile: `1/0`.
    CompileId(String),
    /// Microseconds.
    Duration(f64),
    /// When something was recorded, as reports write it: `2026-11-20T05:09:30.653000+01:00`, with year and zone where they are
    /// known. It reads `at 2026-11-20 05:09:30`.
    Time(String),
    /// An expression or other code of the program.
    Code(String),
    /// A name of the program or of what it runs on.
    Name(NameOf, String),
    /// An operator as torch calls it.
    Operator(String),
    /// Dtype and sizes of a tensor: `float32[8,16]`.
    Shape(String),
    /// A value of the program: `4`, `'mean'`, `torch.float32`.
    Value(String),
    /// A line of a file of the program.
    Place {
        /// The file with its folders.
        file: String,
        /// The line, where the log has it.
        line: Option<u64>,
    },
    /// Text of torch, of the program or of another report. It may hold code between backquotes.
    Quoted(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameOf {
    /// A compiled function.
    Function,
    /// A generated or measured kernel.
    Kernel,
    /// A file that was read.
    File,
    /// The class of an exception.
    Exception,
    ProcessGroup,
    /// A device that kernels run on.
    Device,
    /// A graph, by its compile or by its folder.
    Graph,
    /// A version of torch.
    Torch,
}

impl NameOf {
    /// Whether the name is shown as code.
    fn is_code(self) -> bool {
        matches!(self, NameOf::Function | NameOf::Kernel)
    }
}

impl SentencePart {
    /// The text, where the part is shown as code.
    pub fn as_code(&self) -> Option<Cow<'_, str>> {
        match self {
            SentencePart::Code(text) | SentencePart::Operator(text) | SentencePart::Shape(text) => {
                Some(Cow::Borrowed(text))
            }
            SentencePart::Name(of, text) if of.is_code() => Some(Cow::Borrowed(text)),
            SentencePart::Place { file, line } => Some(Cow::Owned(file_line(file_name(file), *line))),
            _ => None,
        }
    }

    /// The text of a part that is not shown as code; it may hold code between backquotes.
    fn as_words(&self) -> Cow<'_, str> {
        match self {
            SentencePart::Own(text) => Cow::Borrowed(text),
            SentencePart::Duration(us) => Cow::Owned(duration(*us)),
            SentencePart::Time(stamp) => {
                let second = stamp.split('.').next().unwrap_or_default();
                Cow::Owned(format!("at {}", second.replace('T', " ")))
            }
            SentencePart::CompileId(text)
            | SentencePart::Name(_, text)
            | SentencePart::Value(text)
            | SentencePart::Quoted(text)
            | SentencePart::Code(text)
            | SentencePart::Operator(text)
            | SentencePart::Shape(text)
            | SentencePart::Place { file: text, .. } => Cow::Borrowed(text),
        }
    }
}

impl fmt::Display for SentencePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_code() {
            Some(code) => write!(f, "`{code}`"),
            None => f.write_str(&self.as_words()),
        }
    }
}

/// A sentence or a piece of one, without a full stop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sentence {
    parts: Vec<SentencePart>,
    /// What a redacted report says in its place, where that is not its parts with pseudonyms.
    #[serde(default)]
    redacted: Option<Vec<SentencePart>>,
}

/// A sentence of its parts in order: own words, parts, other sentences and optional ones.
macro_rules! sentence {
    ($($part:expr),* $(,)?) => {{
        let mut sentence = $crate::model::Sentence::default();
        $( sentence.add($part); )*
        sentence
    }};
}
pub(crate) use sentence;

impl Sentence {
    /// Appends a part, own words or another sentence.
    pub fn add(&mut self, more: impl Into<Sentence>) {
        let more = more.into();
        if self.redacted.is_some() || more.redacted.is_some() {
            let redacted = self.redacted.get_or_insert_with(|| self.parts.clone());
            redacted.extend_from_slice(more.redacted.as_ref().unwrap_or(&more.parts));
        }
        self.parts.extend(more.parts);
    }

    /// The same sentence, with what a redacted report says in its place: the kind of what this one quotes.
    pub fn or_redacted(mut self, redacted: impl Into<Sentence>) -> Sentence {
        self.redacted = Some(redacted.into().parts);
        self
    }

    /// The parts of which a redacted report makes its sentence, in order; names among them become pseudonyms there.
    pub fn redacted_parts(&self) -> &[SentencePart] {
        self.redacted.as_ref().unwrap_or(&self.parts)
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[SentencePart] {
        &self.parts
    }

    /// The text, with code between backquotes.
    pub fn text(&self) -> String {
        self.to_string()
    }

    /// The text without marks.
    pub fn plain(&self) -> String {
        self.text().replace('`', "")
    }

    /// The sentence as it stands alone: with a capital letter in front, unless it begins with code.
    pub fn capitalized(&self) -> Sentence {
        let mut whole = self.clone();
        if let Some(first) = whole.parts.first_mut() {
            match first {
                SentencePart::Own(text) => *text = Cow::Owned(capital(text)),
                SentencePart::Quoted(text) | SentencePart::Value(text) | SentencePart::Name(_, text) => {
                    *text = capital(text)
                }
                _ => {}
            }
        }
        whole
    }

    /// The sentence with words before its first colon: ` in 9 chains` makes of `f was compiled twice: size x` that `f was
    /// compiled twice in 9 chains: size x`. Without a colon of its own, they come last.
    pub fn qualified(self, words: impl Into<Sentence>) -> Sentence {
        let words = words.into();
        let redacted = self.redacted.map(|parts| before_colon(parts, words.redacted_parts()));
        Sentence { parts: before_colon(self.parts, &words.parts), redacted }
    }

    /// Pieces with a separator between them.
    pub fn joined(pieces: impl IntoIterator<Item = Sentence>, separator: &'static str) -> Sentence {
        let mut all = Sentence::default();
        for (at, piece) in pieces.into_iter().enumerate() {
            if at > 0 {
                all.add(separator);
            }
            all.add(piece);
        }
        all
    }

    /// `a`, `a and b`, `a, b and c`.
    pub fn list(mut pieces: Vec<Sentence>) -> Sentence {
        match pieces.pop() {
            Some(last) if !pieces.is_empty() => sentence![Sentence::joined(pieces, ", "), " and ", last],
            last => last.unwrap_or_default(),
        }
    }
}

/// These parts with more before their first colon.
fn before_colon(mut parts: Vec<SentencePart>, more: &[SentencePart]) -> Vec<SentencePart> {
    let colon = |part: &SentencePart| match part {
        SentencePart::Own(text) => {
            text.split_once(": ").map(|(before, after)| [before, after].map(str::to_owned))
        }
        _ => None,
    };
    let found = parts.iter().enumerate().find_map(|(at, part)| Some((at, colon(part)?)));
    match found {
        Some((at, [before, after])) => {
            let around =
                [own(before)].into_iter().chain(more.iter().cloned()).chain([own(format!(": {after}"))]);
            parts.splice(at..=at, around);
        }
        None => parts.extend_from_slice(more),
    }
    parts
}

/// A text with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| part.fmt(f))
    }
}

impl PartialEq<&str> for Sentence {
    fn eq(&self, other: &&str) -> bool {
        self.text() == *other
    }
}

impl From<SentencePart> for Sentence {
    fn from(part: SentencePart) -> Sentence {
        Sentence { parts: vec![part], redacted: None }
    }
}

impl From<&'static str> for Sentence {
    fn from(words: &'static str) -> Sentence {
        match words {
            "" => Sentence::default(),
            _ => SentencePart::Own(Cow::Borrowed(words)).into(),
        }
    }
}

impl From<usize> for Sentence {
    fn from(number: usize) -> Sentence {
        own(number.to_string()).into()
    }
}

impl From<u64> for Sentence {
    fn from(number: u64) -> Sentence {
        own(number.to_string()).into()
    }
}

impl<T: Into<Sentence>> From<Option<T>> for Sentence {
    fn from(maybe: Option<T>) -> Sentence {
        maybe.map(Into::into).unwrap_or_default()
    }
}

/// Words of this program that are put together when it runs. Text of a log never goes through here.
pub fn own(words: String) -> SentencePart {
    SentencePart::Own(Cow::Owned(words))
}

/// A number with its noun: `1 compile`, `2 compiles`.
pub fn count(number: impl TryInto<u64>, one: &'static str, many: &'static str) -> SentencePart {
    own(counted(number, one, many))
}

/// An expression or other code of the program.
pub fn code(text: impl Into<String>) -> SentencePart {
    SentencePart::Code(text.into())
}

/// A name of the program or of what it runs on.
pub fn name(of: NameOf, text: impl Into<String>) -> SentencePart {
    SentencePart::Name(of, text.into())
}

/// A value of the program.
pub fn value(text: impl Into<String>) -> SentencePart {
    SentencePart::Value(text.into())
}

pub fn compile_id(text: impl Into<String>) -> SentencePart {
    SentencePart::CompileId(text.into())
}

/// Text of torch, of the program or of another report.
pub fn quoted(text: impl Into<String>) -> SentencePart {
    SentencePart::Quoted(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_reads_as_its_parts_do() {
        let place = SentencePart::Place { file: "/app/a.py".to_owned(), line: Some(28) };
        let said = sentence![
            count(2, "rank", "ranks"),
            " break ",
            name(NameOf::Function, "f"),
            " at ",
            place,
            " in ",
            compile_id("1/0"),
            Some(": "),
            quoted("Call to `g`, "),
            SentencePart::Duration(1.5e6),
            " ",
            SentencePart::Time("11-20T05:09:30.653000".to_owned()),
            None::<SentencePart>,
        ];
        assert_eq!(said, "2 ranks break `f` at `a.py:28` in 1/0: Call to `g`, 1.50 s at 11-20 05:09:30");
        assert_eq!(said.plain(), "2 ranks break f at a.py:28 in 1/0: Call to g, 1.50 s at 11-20 05:09:30");
    }

    #[test]
    fn a_sentence_keeps_what_is_said_in_place_of_a_piece() {
        let piece = sentence![code("x.shape[1]"), ": 4"].or_redacted("a size: 4");
        let whole = sentence![name(NameOf::Function, "f"), " was compiled twice: ", piece];
        let whole = whole.qualified(", in 9 chains");
        assert_eq!(whole, "`f` was compiled twice, in 9 chains: `x.shape[1]`: 4");
        let redacted: String = whole.redacted_parts().iter().map(ToString::to_string).collect();
        assert_eq!(redacted, "`f` was compiled twice, in 9 chains: a size: 4");
    }

    #[test]
    fn a_capital_letter_goes_to_words_and_not_to_code() {
        for (said, alone) in [
            (sentence!["all ranks fail"], "All ranks fail"),
            (sentence![code("x"), " changed"], "`x` changed"),
            (sentence![quoted("étude"), " ends"], "Étude ends"),
            (Sentence::default(), ""),
        ] {
            assert_eq!(said.capitalized(), alone);
        }
    }

    #[test]
    fn pieces_are_listed_with_and() {
        let list =
            |pieces: &[&'static str]| Sentence::list(pieces.iter().map(|&piece| piece.into()).collect());
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
