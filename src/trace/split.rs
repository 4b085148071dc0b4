//! The fields of a JSON object whose text has been checked before, without checking it again.

use super::nesting::string_length;

/// A field of an object, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenField<'j> {
    /// The key with its quotes.
    pub key: &'j str,
    /// The value.
    pub value: &'j str,
}

/// The fields of the object at the start of the text, in their order. None where there is no object; of a text that is no
/// JSON, anything.
///
/// The events of a timeline hold configurations of 80 KB, JSON within strings. Reading them with a reader that checks each
/// escape again was two fifths of the work of joining the ranks of a job; this only looks where strings end.
pub fn written_fields(json: &str) -> impl Iterator<Item = WrittenField<'_>> {
    let mut rest = json.trim_ascii_start().strip_prefix('{').unwrap_or_default();
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
        let (key, behind) = rest.split_at_checked(string_end(rest)?)?;
        let value = behind.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        let (value, behind) = value.split_at_checked(value_length(value.as_bytes()))?;
        rest = behind;
        Some(WrittenField { key, value })
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

/// Where the string at the start ends; None where there is none.
fn string_end(json: &str) -> Option<usize> {
    json.starts_with('"').then(|| string_length(json.as_bytes()))
}

/// Bytes of the value at the start.
fn value_length(json: &[u8]) -> usize {
    match json.first() {
        Some(b'"') => string_length(json),
        Some(b'{' | b'[') => brackets_length(json),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            json.iter().position(ends).unwrap_or(json.len())
        }
    }
}

/// Bytes of the list or object at the start; all of them when it does not end.
fn brackets_length(json: &[u8]) -> usize {
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => {
                at += string_length(json.get(at..).unwrap_or_default());
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    #[test]
    fn fields_are_those_that_a_reader_of_json_finds() {
        for json in [
            r#"{}"#,
            r#" { "a" : 1 , "b":[1, {"c": "]}"}] ,"d": {"e": [[], {}]}, "f": "x\"},", "g":null}  "#,
            r#"{"a":{},"b":-1.5e3,"c":"","d":[]}"#,
            "{\n\"a\": 1,\n\"b\": true\n}",
            r#"{"config": "{\"a\": {\"b\": \"\\\\\"}}", "name": "é"}"#,
        ] {
            let expected: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap();
            let expected: Vec<_> =
                expected.iter().map(|(key, value)| (format!("{key:?}"), value.get())).collect();
            let found: Vec<_> =
                written_fields(json).map(|field| (field.key.to_owned(), field.value)).collect();
            assert_eq!(found, expected, "{json}");
        }
    }

    #[test]
    fn a_value_is_found_by_its_key_and_only_at_the_top() {
        let json = r#"{"args": {"id": 1, "\"id": 2}, "id": "3", "id": 4}"#;
        assert_eq!(written_value(json, "id"), Some(r#""3""#));
        assert_eq!(written_value(json, "none"), None);
        assert_eq!(written_value("[1]", "id"), None);
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        for text in
            ["", "{", "{\"", "{\"a\"", "{\"a\":", "{\"a\":[", "{,,", "{\"a\":}", "{\"a\" 1}", "]", "{\"é"]
        {
            assert!(written_fields(text).count() < 2, "{text}");
        }
    }
}
