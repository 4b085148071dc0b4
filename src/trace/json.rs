//! Where the parts of a JSON text begin and end, without reading what they say: the one walker over JSON of the log and of
//! traces. The text may be broken or cut; then the walk ends early.

use std::ops::Range;

/// Whether lists and objects are nested more than so many levels deep. What a report copies from its log is read by others,
/// and many readers give up at 128 levels, or at a few hundred.
pub fn nests_deeper(json: &str, levels: usize) -> bool {
    let json = json.as_bytes();
    // Hardly any text has so many brackets at all, which is seen at once.
    if memchr::memchr2_iter(b'[', b'{', json).nth(levels).is_none() {
        return false;
    }
    let mut depth = 0_usize;
    Brackets { text: json, at: 0 }.any(|bracket| {
        depth = if bracket.opens { depth + 1 } else { depth.saturating_sub(1) };
        depth > levels
    })
}

/// A bracket or a brace outside of strings.
struct Bracket {
    opens: bool,
    /// The place after it.
    end: usize,
}

/// The brackets and braces of a text, from a place on.
struct Brackets<'j> {
    text: &'j [u8],
    at: usize,
}

impl Iterator for Brackets<'_> {
    type Item = Bracket;

    fn next(&mut self) -> Option<Bracket> {
        loop {
            let rest = self.text.get(self.at..)?;
            let skipped = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))?;
            self.at += skipped;
            match rest.get(skipped)? {
                b'"' => self.at += string_end(rest.get(skipped..)?)?,
                bracket => {
                    self.at += 1;
                    return Some(Bracket { opens: matches!(bracket, b'{' | b'['), end: self.at });
                }
            }
        }
    }
}

/// A place in a JSON text that moves forward.
pub struct JsonCursor<'j> {
    text: &'j [u8],
    at: usize,
}

/// What comes next in an object.
pub enum JsonStep {
    /// A key, with its quotes; the cursor is at its value.
    Key(Range<usize>),
    /// The end of the object; the cursor is after it.
    End,
}

impl<'j> JsonCursor<'j> {
    /// At the start of a text.
    pub fn new(text: &'j [u8]) -> Self {
        JsonCursor { text, at: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is not white space, to which it moves.
    fn solid(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.at += skipped;
        rest.get(skipped).copied()
    }

    /// Goes into the object that begins here; says whether there is one.
    pub fn enter(&mut self) -> bool {
        let is_object = self.solid() == Some(b'{');
        self.at += usize::from(is_object);
        is_object
    }

    /// The next key of the object, or its end; None where the text is broken or cut.
    pub fn step(&mut self) -> Option<JsonStep> {
        while self.solid()? == b',' {
            self.at += 1;
        }
        match self.solid()? {
            b'"' => {}
            b'}' => {
                self.at += 1;
                return Some(JsonStep::End);
            }
            _ => return None,
        }
        let key = self.at..self.at + string_end(self.text.get(self.at..)?)?;
        self.at = key.end;
        if self.solid()? != b':' {
            return None;
        }
        self.at += 1;
        self.solid()?;
        Some(JsonStep::Key(key))
    }

    /// The value that begins here, after which the cursor then is; None where the text is broken or cut.
    pub fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let rest = self.text.get(start..)?;
        match rest.first()? {
            b'"' => self.at += string_end(rest)?,
            b'{' | b'[' => {
                self.at += 1;
                self.leave()?;
            }
            b'}' | b']' | b',' | b':' => return None,
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                self.at += rest.iter().position(ends)?;
            }
        }
        Some(start..self.at)
    }

    /// Goes to the place after the list or object that it is in.
    pub fn leave(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        for bracket in (Brackets { text: self.text, at: self.at }) {
            depth = if bracket.opens { depth + 1 } else { depth - 1 };
            if depth == 0 {
                self.at = bracket.end;
                return Some(());
            }
        }
        None
    }
}

/// A field of an object, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenField<'j> {
    /// The key with its quotes.
    pub key: &'j str,
    pub value: &'j str,
    /// Where the value is in the text.
    pub at: usize,
}

/// The fields of the object at the start of the text, in their order; empty if there is no object.
///
/// The events of a timeline hold configurations of 80 KB, JSON within strings. Reading them with a reader that checks each
/// escape again was two fifths of the work of joining the ranks of a job; this only looks where strings end.
pub fn written_fields(json: &str) -> impl Iterator<Item = WrittenField<'_>> {
    let mut cursor = JsonCursor::new(json.as_bytes());
    let is_object = cursor.enter();
    std::iter::from_fn(move || {
        let JsonStep::Key(key) = cursor.step().filter(|_| is_object)? else { return None };
        let value = cursor.value()?;
        Some(WrittenField { key: json.get(key)?, at: value.start, value: json.get(value)? })
    })
}

/// The value of a field; the first of those with that key.
pub fn written_value<'j>(json: &'j str, key: &str) -> Option<&'j str> {
    written_fields(json).find(|field| is_key(field.key, key)).map(|field| field.value)
}

/// Whether a key, written with its quotes, is this one. Keys of torch need no escapes.
pub fn is_key(written: &str, key: &str) -> bool {
    written.strip_prefix('"').and_then(|text| text.strip_suffix('"')) == Some(key)
}

/// Bytes of the JSON string at the start, both quotes included; all of them when it does not end.
pub fn string_length(json: &[u8]) -> usize {
    string_end(json).unwrap_or(json.len())
}

/// The place after the JSON string at the start; None when it does not end.
///
/// The configurations in metrics records are JSON within strings: each quote of theirs has a backslash before it. A block in
/// which all have exactly one is passed over at once, since searching the next quote or backslash again and again, every
/// dozen bytes, takes ten times as long (11.5 against 1.1 us for a recorded configuration of 28 KB).
fn string_end(json: &[u8]) -> Option<usize> {
    let inside = json.get(1..)?;
    // Keys and names, of which there are most, have no backslash.
    let mut from = match memchr::memchr2(b'"', b'\\', inside) {
        Some(at) if inside.get(at) == Some(&b'"') => return Some(1 + at + 1),
        Some(at) => at,
        None => return None,
    };
    while from < inside.len() {
        let to = (from + BLOCK).min(inside.len());
        if may_end(inside, from) {
            let quotes = memchr::memchr_iter(b'"', inside.get(from..to).unwrap_or_default());
            if let Some(end) = quotes.map(|at| from + at).find(|at| !is_escaped(inside, *at)) {
                return Some(1 + end + 1);
            }
        }
        from = to;
    }
    None
}

/// Bytes that are looked at together: a few registers of any processor.
const BLOCK: usize = 128;

/// Whether a byte of this block may be a quote with another thing before it than a single backslash.
fn may_end(text: &[u8], from: usize) -> bool {
    let block = |from: usize| text.get(from..).and_then(|text| text.first_chunk::<BLOCK>());
    // The first two bytes of a text have no two bytes before them, and the last block may be shorter.
    let Some(start) = from.checked_sub(2) else { return true };
    let Some(((bytes, before), two_before)) = block(from).zip(block(start + 1)).zip(block(start)) else {
        return true;
    };
    // Without an early end, of a known length, and in bytes, so that the compiler compares many at once: with one of the three
    // missing it takes twice as long.
    let mut found = 0;
    for ((byte, before), two_before) in bytes.iter().zip(before).zip(two_before) {
        let is_alone = (*before != b'\\') | (*two_before == b'\\');
        found |= u8::from(*byte == b'"') & u8::from(is_alone);
    }
    found != 0
}

/// Whether an odd number of backslashes precedes that byte.
fn is_escaped(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_own_quote() {
        for inside in [
            r"",
            r"key",
            r#"a \"b\" c"#,
            r"ends in a backslash \\",
            r#"0123456789abcde\""#,
            r#"0123456789abcdef"#,
            r#"{\"a\": 1, "#,
            r#"\\\"\\"#,
        ] {
            let far = inside.repeat(9);
            let farther = inside.repeat(90);
            for text in [inside, &far, &farther] {
                let json = format!("\"{text}\": \"next\"");
                assert_eq!(string_length(json.as_bytes()), text.len() + 2, "{json}");
                let before_no_quote = format!("\"{text}\", {}", "1".repeat(300));
                assert_eq!(string_length(before_no_quote.as_bytes()), text.len() + 2, "{before_no_quote}");
                let open = format!("\"{text}");
                assert_eq!(string_length(open.as_bytes()), open.len(), "{open}");
            }
        }
        assert_eq!(string_length(br#""\"#), 2);
    }
}
