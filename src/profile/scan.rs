//! One event of a trace, cut into its fields without a copy.
//!
//! A trace has millions of events, so this is the innermost loop of reading one: it looks at each byte once, checks no
//! more of the grammar than it needs, and leaves the values as they are written.

use std::borrow::Cow;

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

/// An event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Event<'t> {
    /// All of its text.
    pub(super) text: &'t [u8],
    /// Its fields but `args`; the first ones of an event of which nothing is needed.
    pub(super) fields: Object<'t>,
    /// What `args` holds.
    pub(super) args: Object<'t>,
    /// Where in the text the bracket is that closes `args`.
    pub(super) args_end: Option<usize>,
}

/// Fields with their values, both as they are written. Names stand without quotes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Object<'t>(Vec<(&'t [u8], &'t [u8])>);

impl<'t> Event<'t> {
    /// The event that a text begins with. None where the text does not hold all of it, or where it is no JSON object.
    pub(super) fn at_start(text: &'t [u8]) -> Option<Event<'t>> {
        let mut event = Event { fields: Object(Vec::with_capacity(8)), ..Event::default() };
        let mut at = 0;
        let end = each_field(text, &mut at, |name, at| {
            if name == b"args" && text.get(*at) == Some(&b'{') {
                event.args.0.reserve(12);
                each_field(text, at, |name, at| {
                    let value = value(text, at)?;
                    event.args.0.push((name, value));
                    Some(Next::Field)
                })?;
                event.args_end = at.checked_sub(1);
                return Some(Next::Field);
            }
            let value = value(text, at)?;
            event.fields.0.push((name, value));
            Some(if name == b"cat" && is_skipped(value) { Next::End } else { Next::Field })
        })?;
        event.text = text.get(..end)?;
        Some(event)
    }
}

impl<'t> Object<'t> {
    /// Names and values of all fields that are not null.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + '_ {
        self.0.iter().copied().filter(|(_, value)| *value != b"null")
    }

    /// Whether there is a field of that name, null or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name.as_bytes())
    }

    /// Whether there is no field.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a field as it is written; null counts as absent.
    pub(super) fn raw(&self, name: &str) -> Option<&'t [u8]> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == name.as_bytes())?;
        (*value != b"null").then_some(*value)
    }

    /// What stands between the quotes of a text.
    pub(super) fn quoted(&self, name: &str) -> Option<&'t [u8]> {
        self.raw(name)?.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }

    /// A text.
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

/// What stands between the quotes of a JSON text, as text.
pub(super) fn unescaped(quoted: &[u8]) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'\\', quoted).is_none() {
        return Some(String::from_utf8_lossy(quoted));
    }
    let json = [b"\"", String::from_utf8_lossy(quoted).as_bytes(), b"\""].concat();
    serde_json::from_slice(&json).ok().map(Cow::Owned)
}

/// How to go on behind a field.
enum Next {
    /// To the next one.
    Field,
    /// To the end of the object, without looking at further fields.
    End,
}

/// Gives the name of each field of an object to `take`, which moves the place behind the value. The result is the place
/// behind the object, where `at` then is, too.
fn each_field<'t>(
    text: &'t [u8],
    at: &mut usize,
    mut take: impl FnMut(&'t [u8], &mut usize) -> Option<Next>,
) -> Option<usize> {
    if text.get(*at) != Some(&b'{') {
        return None;
    }
    *at += 1;
    loop {
        match solid(text, at)? {
            b'"' => {}
            b',' => {
                *at += 1;
                continue;
            }
            b'}' => {
                *at += 1;
                return Some(*at);
            }
            _ => return None,
        }
        let from = *at + 1;
        let end = behind_text(text, from)?;
        let name = text.get(from..end - 1)?;
        *at = end;
        if solid(text, at)? != b':' {
            return None;
        }
        *at += 1;
        solid(text, at)?;
        if let Next::End = take(name, at)? {
            *at = behind_brackets(text, *at, 1)?;
            return Some(*at);
        }
    }
}

/// The next byte that is no white space.
fn solid(text: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        let byte = *text.get(*at)?;
        if !byte.is_ascii_whitespace() {
            return Some(byte);
        }
        *at += 1;
    }
}

/// The value that begins here.
fn value<'t>(text: &'t [u8], at: &mut usize) -> Option<&'t [u8]> {
    let from = *at;
    *at = match text.get(from)? {
        b'"' => behind_text(text, from + 1)?,
        b'{' | b'[' => behind_brackets(text, from + 1, 1)?,
        b'}' | b']' | b',' | b':' => return None,
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            from + text.get(from..)?.iter().position(ends)?
        }
    };
    text.get(from..*at)
}

/// The place behind the quote that ends a text.
fn behind_text(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Which bytes matter outside of texts; most others are digits and commas.
const MATTERS: [bool; 256] = {
    let mut found = [false; 256];
    found[b'"' as usize] = true;
    found[b'{' as usize] = true;
    found[b'}' as usize] = true;
    found[b'[' as usize] = true;
    found[b']' as usize] = true;
    found
};

/// The place behind the bracket that closes the `open` ones.
fn behind_brackets(text: &[u8], mut at: usize, mut open: usize) -> Option<usize> {
    while open > 0 {
        let mut rest = text.get(at..)?.iter();
        at += rest.position(|byte| MATTERS.get(usize::from(*byte)) == Some(&true))?;
        match text.get(at)? {
            b'"' => {
                at = behind_text(text, at + 1)?;
                continue;
            }
            b'{' | b'[' => open += 1,
            _ => open -= 1,
        }
        at += 1;
    }
    Some(at)
}

fn is_skipped(kind: &[u8]) -> bool {
    let kind = kind.strip_prefix(b"\"").and_then(|kind| kind.strip_suffix(b"\""));
    kind.is_some_and(|kind| SKIPPED.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_cut_into_its_fields_and_those_of_its_args() {
        let text = br#"{ "ph": "X", "cat":"kernel" ,"name": "a\"}b", "ts": 1.5, "args": {"grid": [1, "]"], "n": {"m": 2}, "id": 7}, "dur": 3.0} , {"#;
        let event = Event::at_start(text).unwrap();
        assert!(event.text.ends_with(br#""dur": 3.0}"#));
        assert_eq!(event.fields.text("name").unwrap(), "a\"}b");
        assert_eq!((event.fields.number("ts"), event.fields.count("dur")), (Some(1.5), Some(3)));
        assert_eq!(
            (event.args.raw("grid"), event.args.raw("n")),
            (Some(&br#"[1, "]"]"#[..]), Some(&br#"{"m": 2}"#[..]))
        );
        assert_eq!(event.args.count("id"), Some(7));
    }

    #[test]
    fn of_an_event_that_is_not_needed_only_the_end_is_looked_for() {
        let text = br#"{"ph": "X", "cat": "python_function", "args": {"a": ["}"]}, "ts": 1} "#;
        let event = Event::at_start(text).unwrap();
        assert_eq!((event.text.len(), event.fields.raw("ts")), (text.len() - 1, None));
    }

    #[test]
    fn what_is_cut_or_broken_is_no_event() {
        for text in [
            "{\"a\": 1",
            "{\"a\"",
            "{\"a\": \"x",
            "{\"a\": [1, {}",
            "{\"a\" 1}",
            "{1}",
            "{\"a\": }",
            "[1]",
            "",
        ] {
            assert_eq!(Event::at_start(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        let event = Event::at_start(
            br#"{"a": inf, "b": +1, "c": "2", "d": -1.5e3, "e": null, "f": 1e999, "g": 2.0}"#,
        )
        .unwrap();
        for absent in ["a", "b", "c", "e", "f"] {
            assert_eq!(event.fields.number(absent), None, "{absent}");
        }
        assert_eq!((event.fields.number("d"), event.fields.count("g")), (Some(-1500.0), Some(2)));
        assert_eq!(event.fields.count("d"), None);
    }
}
