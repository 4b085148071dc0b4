//! JSON indented for people, token by token.

use crate::limits::TRIED;
use crate::trace::string_length;
use std::io::Write;

/// How many bytes are gathered before they are written: a token has six bytes on average.
const WRITTEN_AT_ONCE: usize = 32 << 10;

/// Indents valid JSON by a space a level: a cache key has 700 components, a line each. Tokens are copied as they are: numbers keep every digit and keys their
/// order, which reading into values and writing them again does not promise.
pub(crate) fn indent(json: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    let mut lines = Vec::with_capacity(WRITTEN_AT_ONCE + 4096);
    let mut depth = 0_usize;
    let mut opened = false;
    // Tokens with nothing between them are copied together: `"key":` and `"value",` instead of four tokens.
    let (mut copied, mut at) = (0, 0);
    let stretch = |from: usize, to: usize| json.get(from..to).unwrap_or_default();
    while let Some(rest @ [byte, ..]) = json.get(at..) {
        let token = match byte {
            b'"' => string_length(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ if byte.is_ascii_whitespace() => {
                lines.extend_from_slice(stretch(copied, at));
                at += 1;
                copied = at;
                continue;
            }
            _ => rest.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len()),
        };
        let closes = matches!(byte, b'}' | b']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes {
            // A line begins inside a bracket that holds something, and before one that closes.
            lines.extend_from_slice(stretch(copied, at));
            new_line(depth, &mut lines);
            copied = at;
        }
        at += token;
        opened = matches!(byte, b'{' | b'[');
        depth += usize::from(opened);
        if matches!(byte, b',' | b':') {
            lines.extend_from_slice(stretch(copied, at));
            copied = at;
            if *byte == b',' { new_line(depth, &mut lines) } else { lines.push(b' ') }
        }
        if lines.len() >= WRITTEN_AT_ONCE {
            out.write_all(&lines)?;
            lines.clear();
        }
    }
    lines.extend_from_slice(stretch(copied, at));
    lines.push(b'\n');
    out.write_all(&lines)
}

/// Whether a byte ends a number or a word such as `true`.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\t' | b'\r')
}

fn new_line(depth: usize, lines: &mut Vec<u8>) {
    const LINE: &[u8; TRIED + 1] = &{
        let mut line = [b' '; TRIED + 1];
        line[0] = b'\n';
        line
    };
    lines.extend_from_slice(LINE.get(..=depth).unwrap_or(LINE));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indented(json: &str) -> String {
        let mut out = Vec::new();
        indent(json.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_is_indented_and_its_tokens_stay_as_they_are() {
        let json = r#"{"a":[1,2.50,{"b":"x,{\"y\\"}],"n":123456789012345678901234567890,"e":{},"l":[]}"#;
        let text = indented(json);
        assert!(text.contains("\n  2.50,\n"), "{text}");
        assert!(text.contains("\"e\": {},\n \"l\": []\n}"), "{text}");
        assert!(text.contains("123456789012345678901234567890"), "{text}");
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
