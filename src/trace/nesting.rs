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
///
/// The configurations in metrics records are JSON within strings: each quote of theirs has a backslash before it. A block in
/// which all have exactly one is passed over at once, since searching the next quote or backslash again and again, every
/// dozen bytes, takes ten times as long (11.5 against 1.1 us for a recorded configuration of 28 KB).
pub fn string_length(json: &[u8]) -> usize {
    let inside = json.get(1..).unwrap_or_default();
    // Keys and names, of which there are most, have no backslash.
    let mut from = match memchr::memchr2(b'"', b'\\', inside) {
        Some(at) if inside.get(at) == Some(&b'"') => return 1 + at + 1,
        Some(at) => at,
        None => return json.len(),
    };
    while from < inside.len() {
        let to = (from + BLOCK).min(inside.len());
        if may_end(inside, from) {
            let quotes = memchr::memchr_iter(b'"', inside.get(from..to).unwrap_or_default());
            if let Some(end) = quotes.map(|at| from + at).find(|at| !is_escaped(inside, *at)) {
                return 1 + end + 1;
            }
        }
        from = to;
    }
    json.len()
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

/// Whether an odd number of backslashes stands before that byte.
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
