//! How deep JSON nests, and where its strings end. What a report copies from its log must be read by others, and many readers
//! give up at 128 levels, or at a few hundred.

/// Whether lists and objects stand in each other more levels deep than that. The text may be no JSON.
pub fn nests_deeper(json: &str, levels: usize) -> bool {
    let json = json.as_bytes();
    // Hardly any text has so many brackets at all, which is seen at once.
    if memchr::memchr2_iter(b'[', b'{', json).nth(levels).is_none() {
        return false;
    }
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
        if depth > levels {
            return true;
        }
        at += 1;
    }
    false
}

/// Bytes of the JSON string at the start, both quotes included; all of them when it does not end.
pub fn string_length(json: &[u8]) -> usize {
    let mut from = 1;
    while let Some(at) = json.get(from..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        match json.get(from + at) {
            // A backslash takes the next byte with it: that is ASCII in valid JSON, and only quotes matter here.
            Some(b'\\') => from += at + 2,
            _ => return from + at + 1,
        }
    }
    json.len()
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
        ] {
            let far = inside.repeat(9);
            for text in [inside, &far] {
                let json = format!("\"{text}\": \"next\"");
                assert_eq!(string_length(json.as_bytes()), text.len() + 2, "{json}");
                let open = format!("\"{text}");
                assert_eq!(string_length(open.as_bytes()), open.len(), "{open}");
            }
        }
        assert_eq!(string_length(br#""\"#), 2);
    }

    /// A list in a list in a list, so many levels.
    fn lists(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn levels_are_counted() {
        assert!(!nests_deeper(&lists(100), 100));
        assert!(nests_deeper(&lists(101), 100));
        assert!(nests_deeper(&format!("{{\"a\": {}}}", lists(100)), 100));
        assert!(nests_deeper(&"[{\"a\":".repeat(100_000), 100));
    }

    #[test]
    fn neither_neighbors_nor_brackets_in_strings_are_levels() {
        assert!(!nests_deeper(&format!("[{}7]", "[[]],".repeat(500)), 3));
        assert!(!nests_deeper(&format!(r#"["{}\"{}"]"#, lists(200), "[".repeat(200)), 1));
        assert!(!nests_deeper(&format!("\"{}", "[\u{e9}".repeat(200)), 0), "a string without an end");
    }
}
