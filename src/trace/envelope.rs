//! The JSON object of a header line: context keys, which say who wrote the record, and the events that it carries.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::compile_id::CompileId;
use super::json::{is_key, string_length, written_fields};

/// A header's JSON object; the values of its events are not parsed yet.
///
/// A context value that is null counts as absent. So does one of a type that torch never writes: the record is kept.
#[derive(Debug)]
pub struct Envelope {
    /// The rank of the process, when torch.distributed was up.
    pub rank: Option<u64>,
    /// The compilation it belongs to.
    pub compile_id: Option<CompileId>,
    /// Whether the record has a `frame_compile_id` and no `frame_id`, which torch never writes.
    pub half_an_id: bool,
    /// The attempt; 0 when absent.
    pub attempt: u32,
    /// The declared hash of the payload, as written.
    pub has_payload: Option<String>,
    /// The name of the subgraph that the record is about: a region that is compiled by itself.
    pub subgraph: Option<String>,
    /// The framework's stack, which torch writes where it found no compile id.
    pub stack: Option<Box<RawValue>>,
    /// Every other key with its value, in the order of the log. Torch writes exactly one.
    pub events: Vec<(String, Box<RawValue>)>,
}

impl Envelope {
    /// Reads exactly one JSON object; the error says what is wrong with the text.
    pub fn parse(json: &str) -> Result<Envelope, serde_json::Error> {
        serde_json::from_str(json)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

/// The JSON of the first event in that of a header, which was read before and is not checked again.
pub fn first_event(json: &str) -> Option<&str> {
    let is_event = |key: &str| !CONTEXT.iter().any(|known| is_key(key, known));
    written_fields(json).find(|field| is_event(field.key)).map(|field| field.value)
}

/// The keys that say who wrote a record; any other is an event.
const CONTEXT: [&str; 8] = [
    "rank",
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "has_payload",
    "stack",
    "subgraph_name",
];

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut context = [None; CONTEXT.len()];
        let mut events = Vec::with_capacity(1);
        while let Some((BorrowedText(key), value)) = map.next_entry::<BorrowedText<'de>, &'de RawValue>()? {
            let place = CONTEXT.iter().position(|known| *known == key);
            match place.and_then(|place| context.get_mut(place)) {
                Some(known) => *known = (value.get() != "null").then_some(value),
                None => events.push((key.into_owned(), value.to_owned())),
            }
        }
        let [rank, ca, frame, compile, attempt, has_payload, stack, subgraph] = context;
        Ok(Envelope {
            rank: rank.and_then(number),
            compile_id: CompileId::from_context(ca, frame, compile),
            half_an_id: compile.is_some() && frame.is_none(),
            attempt: attempt.and_then(number).and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            // A value that is not a string is kept too: no payload matches it, and that is reported.
            has_payload: has_payload.map(|raw| text(raw).unwrap_or_else(|| raw.get().to_owned())),
            stack: stack.map(RawValue::to_owned),
            subgraph: subgraph.and_then(text).filter(|name| !name.is_empty()),
            events,
        })
    }
}

/// A string that borrows from the input where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// A whole number, also one written as text or as `0.0`.
fn number(raw: &RawValue) -> Option<u64> {
    let text = raw.get().trim_matches('"');
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// A header line after cleaning.
#[derive(Debug)]
pub struct Cleaned<'a> {
    /// The line from its prefix on.
    pub text: Cow<'a, str>,
    /// Whether it held bytes that are not UTF-8; they became U+FFFD.
    pub non_utf8: bool,
}

/// Cleans a header line.
///
/// Removes the carriage return of a CRLF file; writes null for the bare `NaN` and `Infinity` that Python puts into JSON.
pub fn clean_header(line: &[u8]) -> Cleaned<'_> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Nearly all lines are valid UTF-8, and checking that is faster than copying.
    let (text, non_utf8) = match std::str::from_utf8(line) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (String::from_utf8_lossy(line), true),
    };
    let text = match strict(&text) {
        Some(replaced) => Cow::Owned(replaced),
        None => text,
    };
    Cleaned { text, non_utf8 }
}

/// Text of the log; bytes that are not UTF-8 become U+FFFD. Valid UTF-8 is not copied.
pub fn readable_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// JSON that every parser accepts: null for the bare `NaN` and `Infinity` that Python writes, U+FFFD for half of a
/// surrogate pair.
pub fn strict_json(text: &str) -> Cow<'_, str> {
    strict(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

// Built once, as that takes longer than searching a short line.
static NAN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("NaN"));
static INFINITY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("Infinity"));
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u"));

/// See [`strict_json`]; `None` when nothing has to be changed.
fn strict(text: &str) -> Option<String> {
    // The short events of the timeline, of which a log has the most, hold none of these: looking for three words instead
    // means reading them three times.
    memchr::memchr3(b'N', b'I', b'\\', text.as_bytes())?;
    match (without_bare_numbers(text), text) {
        (Some(replaced), _) => Some(without_half_pairs(&replaced).unwrap_or(replaced)),
        (None, text) => without_half_pairs(text),
    }
}

/// Whether JSON that has been read holds half of a surrogate pair. Readers overlook one in a text that they pass over, but no
/// `NaN`, so this is all that is left to look for in such JSON.
pub fn has_half_pair(json: &str) -> bool {
    without_half_pairs(json).is_some()
}

/// The text with `\ufffd` for every `\ud800` that is half of a surrogate pair; `None` when there is none.
fn without_half_pairs(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_half = |at: usize| matches!(bytes.get(at + 2), Some(b'd' | b'D'));
    if !ESCAPE.find_iter(bytes).any(is_half) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut replaced = false;
    while let Some((before, escape)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let (kept, length) = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (true, 12),
            (Some(_), _) => (false, 6),
            // Any other escape: the backslash and what it escapes.
            (None, _) => (true, escape.chars().take(2).map(char::len_utf8).sum()),
        };
        replaced |= !kept;
        out.push_str(if kept { escape.get(..length).unwrap_or_default() } else { "\\ufffd" });
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    replaced.then_some(out)
}

/// The code of an escape `\ud800` to `\udfff` at the start of the text.
fn surrogate(text: &str) -> Option<u16> {
    let code = u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}

/// The line with this number; the first one without a UTF-8 byte order mark.
pub(super) fn without_bom(line: &[u8], number: u64) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1).unwrap_or(line)
}

/// The text with null for every `NaN`, `Infinity` and `-Infinity` outside strings; `None` when there is none.
fn without_bare_numbers(text: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let bytes = text.as_bytes();
    if NAN.find(bytes).is_none() && INFINITY.find(bytes).is_none() {
        return None;
    }
    // Only the JSON is looked at: a source path may hold the words, and quotes.
    let json = memchr::memchr(b'{', bytes)?;
    let (head, mut rest) = text.split_at_checked(json)?;
    let mut out = String::with_capacity(text.len());
    out.push_str(head);
    let mut replaced = false;
    while !rest.is_empty() {
        let plain = rest.find(['"', '-', 'I', 'N']).unwrap_or(rest.len());
        let (before, at) = rest.split_at_checked(plain)?;
        out.push_str(before);
        let word = WORDS.iter().find_map(|word| at.strip_prefix(word));
        if let Some(after) = word {
            out.push_str("null");
            replaced = true;
            rest = after;
            continue;
        }
        let taken = if at.starts_with('"') { string_length(at.as_bytes()) } else { at.len().min(1) };
        let (kept, after) = at.split_at_checked(taken)?;
        out.push_str(kept);
        rest = after;
    }
    replaced.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let json = format!("{{\"a\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(Envelope::parse(&json).is_ok());
    }
}
