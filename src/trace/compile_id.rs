//! Compile ids, normalized when they are made and nowhere else.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

/// How many characters are kept of a part that is not a number. Torch writes small numbers, so more is not needed.
const MAX_PART_CHARS: usize = 64;
/// How many characters of such a part go into a folder name: three of them with their hashes stay below the limit of any
/// file system.
const MAX_FOLDER_PART_CHARS: usize = 24;

/// Which compilation a record belongs to: `frame/compile`, within a compiled autograd graph `!ca/frame/compile`.
///
/// The attempt is not part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CompileId {
    ca: Option<IdPart>,
    frame: Option<IdPart>,
    compile: Option<IdPart>,
}

/// What the compiles of one function share: an id without the number of the compile.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FrameId(CompileId);

/// One number of an id, or the text that a log has in its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum IdPart {
    Number(u64),
    /// One pointer: ids are kept many times, and hardly one has a text.
    Text(Arc<String>),
}

impl CompileId {
    /// The id that the context keys `compiled_autograd_id`, `frame_id` and `frame_compile_id` give together.
    ///
    /// `None` when neither of the first two is there (or null).
    pub fn from_context(
        ca: Option<&RawValue>,
        frame: Option<&RawValue>,
        compile: Option<&RawValue>,
    ) -> Option<CompileId> {
        let [ca, frame, compile] = [ca, frame, compile].map(|value| value.and_then(IdPart::from_json));
        let compile = if frame.is_some() { compile } else { None };
        (ca.is_some() || frame.is_some()).then_some(CompileId { ca, frame, compile })
    }

    /// The id, if torch would not write it: a part of it is not a number of at most 64 bits.
    pub fn odd_part(&self) -> Option<String> {
        let odd = |part: &Option<IdPart>| matches!(part, Some(IdPart::Text(_)));
        [&self.ca, &self.frame, &self.compile].into_iter().any(odd).then(|| self.to_string())
    }

    /// Reads an id as torch prints it: `0/0`, `!1/0/0`, `!1`, with or without brackets and an attempt (`_2`).
    ///
    /// `None` for `None` and for text of any other shape.
    pub fn parse(text: &str) -> Option<CompileId> {
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        let text = without_attempt(text);
        if text.is_empty() || text.contains(char::is_whitespace) {
            return None;
        }
        let (ca, rest) = match text.strip_prefix('!').map(|rest| (rest, rest.split_once('/'))) {
            Some((_, Some((ca, rest)))) => (Some(ca), Some(rest)),
            Some((ca, None)) => (Some(ca), None),
            None => (None, Some(text)),
        };
        let (frame, compile) = match rest {
            Some(rest) => rest.split_once('/').map(|(frame, compile)| (Some(frame), Some(compile)))?,
            None => (None, None),
        };
        if [ca, frame, compile].into_iter().flatten().any(|part| part.is_empty() || part.contains('/')) {
            return None;
        }
        let [ca, frame, compile] =
            [ca, frame, compile].map(|part| part.filter(|part| *part != "-").map(IdPart::from_text));
        (ca.is_some() || frame.is_some()).then_some(CompileId { ca, frame, compile })
    }

    /// What it shares with the other compiles of its function: `!1/0` of `!1/0/2`. The capture of a backward pass (`!1`)
    /// shares it with none.
    pub fn frame(&self) -> FrameId {
        FrameId(CompileId { compile: None, ..self.clone() })
    }

    /// Whether it names a frame. The id of a backward pass that compiled autograd captures (`!1`) does not.
    pub fn has_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// Whether it belongs to a graph of compiled autograd: `!1`, `!1/0/0`.
    pub fn is_of_compiled_autograd(&self) -> bool {
        self.ca.is_some()
    }

    /// The number of the compile among those of its frame, from 0: 2 of `!1/0/2`.
    pub fn version(&self) -> Option<u64> {
        match self.compile {
            Some(IdPart::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The form of `compile_directory.json`: `[0/0]`, `[0/0_1]`, `[!1/-/-]`; attempt 0 is not written.
    pub fn bracketed(&self, attempt: u32) -> String {
        let ca = self.ca.as_ref().map(|ca| format!("!{ca}/")).unwrap_or_default();
        let attempt = if attempt == 0 { String::new() } else { format!("_{attempt}") };
        format!("[{ca}{}/{}{attempt}]", shown(&self.frame), shown(&self.compile))
    }

    /// The folder of this id's files: `ca_frame_compile_attempt`, a missing part being `-`.
    pub fn folder(&self, attempt: u32) -> String {
        let mut folder = String::with_capacity(24);
        self.push_folder(attempt, &mut folder);
        folder
    }

    /// Appends the same to a path.
    pub fn push_folder(&self, attempt: u32, path: &mut String) {
        for part in [&self.ca, &self.frame, &self.compile] {
            match part {
                Some(part) => part.push_folder(path),
                None => path.push('-'),
            }
            path.push('_');
        }
        push_number(path, attempt.into());
    }
}

impl fmt::Display for CompileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ca) = &self.ca {
            write!(f, "!{ca}")?;
            if self.frame.is_some() {
                f.write_str("/")?;
            }
        }
        if let Some(frame) = &self.frame {
            write!(f, "{frame}/{}", shown(&self.compile))?;
        }
        Ok(())
    }
}

impl FrameId {
    /// The first compile of the frame; None without a frame.
    pub fn first_compile(&self) -> Option<CompileId> {
        self.0.has_frame().then(|| CompileId { compile: Some(IdPart::Number(0)), ..self.0.clone() })
    }
}

impl IdPart {
    /// A number, or the text Python would print for anything else; `None` for null.
    fn from_json(value: &RawValue) -> Option<IdPart> {
        match value.get().trim() {
            "null" => None,
            "true" => Some(IdPart::from_text("True")),
            "false" => Some(IdPart::from_text("False")),
            text if text.starts_with('"') => {
                let text: String = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
                Some(IdPart::from_text(&text))
            }
            text => Some(IdPart::from_text(text)),
        }
    }

    fn from_text(text: &str) -> IdPart {
        // Only the canonical spelling is the number: `007` and `+7` stay apart from 7.
        let canonical = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        if canonical && let Ok(number) = text.parse() {
            return IdPart::Number(number);
        }
        if text.chars().nth(MAX_PART_CHARS).is_none() {
            return IdPart::Text(Arc::new(text.to_owned()));
        }
        let head: String = text.chars().take(MAX_PART_CHARS).collect();
        IdPart::Text(Arc::new(format!("{head}..{}", short_hash(text))))
    }

    fn push_folder(&self, folder: &mut String) {
        match self {
            IdPart::Number(number) => push_number(folder, *number),
            IdPart::Text(text) => {
                let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
                folder.extend(text.chars().filter(allowed).take(MAX_FOLDER_PART_CHARS));
                folder.push('-');
                folder.push_str(&short_hash(text));
            }
        }
    }
}

impl fmt::Display for IdPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdPart::Number(number) => write!(f, "{number}"),
            IdPart::Text(text) => f.write_str(text),
        }
    }
}

/// The folder of records without any id: `-_-_-_-`.
pub fn folder_without_id() -> &'static str {
    "-_-_-_-"
}

/// What records without an id show in its place: `[-/-]`.
pub fn bracketed_without_id() -> &'static str {
    "[-/-]"
}

/// Writes a number without a text of its own: each page asks for the folders of all its links.
fn push_number(folder: &mut String, number: u64) {
    folder.push_str(itoa::Buffer::new().format(number));
}

fn shown(part: &Option<IdPart>) -> String {
    part.as_ref().map_or_else(|| "-".to_owned(), IdPart::to_string)
}

/// The text before a trailing `_<digits>`.
fn without_attempt(text: &str) -> &str {
    match text.rsplit_once('_') {
        Some((id, attempt)) if !attempt.is_empty() && attempt.bytes().all(|b| b.is_ascii_digit()) => id,
        _ => text,
    }
}

/// Eight hex digits that distinguish texts which look the same once shortened.
fn short_hash(text: &str) -> String {
    format!("{:x}", md5::compute(text)).chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiles_of_a_function_share_their_frame() {
        let id = |text| CompileId::parse(text).unwrap();
        assert_eq!(id("1/0").frame(), id("1/3").frame());
        assert_eq!(id("!2/1/0").frame(), id("!2/1/3").frame());
        assert_ne!(id("1/0").frame(), id("!2/1/0").frame());
        assert_ne!(id("!1").frame(), id("!2").frame());
        assert_eq!(id("!2/1/3").frame().first_compile(), Some(id("!2/1/0")));
        assert_eq!((id("!2/1/3").version(), id("!2").version()), (Some(3), None));
        assert!(id("1/0").has_frame() && !id("!2").has_frame());
        assert_eq!(id("!2").frame().first_compile(), None);
    }

    #[test]
    fn a_part_of_a_megabyte_is_shortened() {
        let id = CompileId::parse(&format!("{}/0", "x".repeat(1 << 20))).unwrap();
        assert!(id.to_string().len() < 100 && id.folder(0).len() < 100);
    }
}
