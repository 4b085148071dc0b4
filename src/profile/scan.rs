//! One event of a trace, cut into its fields without a copy.
//!
//! A trace has millions of events, so this is the innermost loop of reading one: it looks at each byte once, checks no
//! more of the grammar than it needs, and leaves the values as they are written.

use crate::trace::{JsonCursor, JsonStep};
use std::borrow::Cow;
use std::ops::Range;

/// Kinds of events of which nothing is needed; they are most of a trace.
const SKIPPED: [&[u8]; 8] = [
    b"python_function",
    b"ac2g",
    b"fwdbwd",
    b"cpu_instant_event",
    b"overhead",
    b"gpu_user_annotation",
    b"Trace",
    b"cuda_sync",
];

#[derive(Debug, Default, PartialEq)]
pub(super) struct Event<'t> {
    pub(super) text: &'t [u8],
    /// Its fields but `args`; the first ones of an event of which nothing is needed.
    pub(super) fields: Object<'t>,
    /// What `args` holds.
    pub(super) args: Object<'t>,
    /// Where in the text the bracket is that closes `args`.
    pub(super) args_end: Option<usize>,
}

/// Fields with their values, both as they are written; names are without quotes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Object<'t>(Vec<(&'t [u8], &'t [u8])>);

impl<'t> Event<'t> {
    /// The event that a text begins with. None if the text does not hold all of it, or does not begin with a JSON object.
    pub(super) fn at_start(text: &'t [u8]) -> Option<Event<'t>> {
        let mut event = Event { fields: Object(Vec::with_capacity(8)), ..Event::default() };
        let mut cursor = JsonCursor::new(text);
        if !text.starts_with(b"{") || !cursor.enter() {
            return None;
        }
        while let JsonStep::Key(key) = cursor.step()? {
            let name = name_in(text, key)?;
            if name == b"args" && cursor.enter() {
                event.args.0.reserve(12);
                event.args.take(text, &mut cursor)?;
                event.args_end = cursor.at().checked_sub(1);
                continue;
            }
            let value = text.get(cursor.value()?)?;
            event.fields.0.push((name, value));
            if name == b"cat" && is_skipped(value) {
                cursor.leave()?;
                break;
            }
        }
        event.text = text.get(..cursor.at())?;
        Some(event)
    }
}

/// A key without its quotes.
fn name_in(text: &[u8], key: Range<usize>) -> Option<&[u8]> {
    text.get(key.start + 1..key.end - 1)
}

impl<'t> Object<'t> {
    /// Takes the fields up to the end of the object that the cursor is in.
    fn take(&mut self, text: &'t [u8], cursor: &mut JsonCursor<'t>) -> Option<()> {
        while let JsonStep::Key(key) = cursor.step()? {
            self.0.push((name_in(text, key)?, text.get(cursor.value()?)?));
        }
        Some(())
    }

    /// Names and values of all fields that are not null.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + '_ {
        self.0.iter().copied().filter(|(_, value)| *value != b"null")
    }

    /// Whether there is a field of that name, null or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name.as_bytes())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a field as it is written; null counts as absent.
    pub(super) fn raw(&self, name: &str) -> Option<&'t [u8]> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == name.as_bytes())?;
        (*value != b"null").then_some(*value)
    }

    /// The part of a text between its quotes.
    pub(super) fn quoted(&self, name: &str) -> Option<&'t [u8]> {
        self.raw(name)?.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'t, str>> {
        unescaped(self.quoted(name)?)
    }

    /// A finite number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let raw = self.raw(name)?;
        // Rust reads some numbers that JSON does not have, `inf` and `+1` among them.
        raw.first().filter(|first| first.is_ascii_digit() || **first == b'-')?;
        std::str::from_utf8(raw).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// A count, also where it is written as `3.0`.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        let raw = self.raw(name)?;
        if raw.len() < 20 && raw.iter().all(u8::is_ascii_digit) {
            return std::str::from_utf8(raw).ok()?.parse().ok();
        }
        let number = self.number(name)?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
    }

    /// A value of any type.
    pub(super) fn get<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(self.raw(name)?).ok()
    }
}

/// The part of a JSON text between its quotes, unescaped.
pub(super) fn unescaped(quoted: &[u8]) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'\\', quoted).is_none() {
        return Some(String::from_utf8_lossy(quoted));
    }
    let json = [b"\"", String::from_utf8_lossy(quoted).as_bytes(), b"\""].concat();
    serde_json::from_slice(&json).ok().map(Cow::Owned)
}

fn is_skipped(kind: &[u8]) -> bool {
    let kind = kind.strip_prefix(b"\"").and_then(|kind| kind.strip_suffix(b"\""));
    kind.is_some_and(|kind| SKIPPED.contains(&kind))
}
