//! How deep JSON nests. What a report copies from its log must be read by others, and many readers give up at 128 levels, or
//! at a few hundred.

use super::envelope::string_len;

/// Whether lists and objects stand in each other more levels deep than that. The text may be no JSON.
pub fn nests_deeper(json: &str, levels: usize) -> bool {
    // Hardly any text has so many brackets at all, which is seen at once.
    if memchr::memchr2_iter(b'[', b'{', json.as_bytes()).nth(levels).is_none() {
        return false;
    }
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(rest) = json.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(next) = rest.find(['"', '[', ']', '{', '}']) else { return false };
        let (_, token) = rest.split_at(next);
        at += next;
        match token.as_bytes().first() {
            Some(b'"') => {
                at += string_len(token);
                continue;
            }
            Some(b'[' | b'{') => depth += 1,
            _ => depth = depth.saturating_sub(1),
        }
        if depth > levels {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

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
