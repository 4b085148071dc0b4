//! Characters that a reader does not see: the one rule of them, for terminals, pages, files and file names. A log could use
//! them to move the cursor, to show a name in another order than it has, or to say what only a program reads.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is a control character, changes the direction of text, or has no shape of its own: Unicode's
/// `Default_Ignorable_Code_Point` without the two that choose the style of an emoji, separators of lines, and marks of
/// annotations.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with hidden characters spelled out: `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |c, shown| shown.extend(c.escape_unicode()))
}

/// JSON with hidden characters escaped: the same JSON, which no terminal obeys.
pub(crate) fn visible_json(json: &str) -> Cow<'_, str> {
    replaced(json, |c, shown| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// The text with each hidden character replaced by what `push` appends. Tabs stay, and ends of lines as `\n`.
pub(crate) fn replaced(text: &str, push: impl Fn(char, &mut String)) -> Cow<'_, str> {
    // Nearly all texts consist of plain bytes. `fold` does not end early, so that it is vectorized.
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) | (byte == b'\n') | (byte == b'\t');
    if text.bytes().fold(true, |all, byte| all & plain(byte)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.as_str().starts_with('\n') => {}
            '\n' | '\t' => shown.push(c),
            c if is_hidden(c) => push(c, &mut shown),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out_and_all_else_stays() {
        for (text, shown) in [
            ("a\x1b[2Jb\rc\u{9b}d\u{202e}e\x7f", "a\\u{1b}[2Jb\\u{d}c\\u{9b}d\\u{202e}e\\u{7f}"),
            (
                "\u{61c}\u{200b}\u{202a}\u{2066}\u{2069}\u{e0041}",
                "\\u{61c}\\u{200b}\\u{202a}\\u{2066}\\u{2069}\\u{e0041}",
            ),
            (
                "gr\u{fc}\u{df}e\n\t1\r\n \u{65e5}\u{672c} \u{26a0}\u{fe0f}",
                "gr\u{fc}\u{df}e\n\t1\n \u{65e5}\u{672c} \u{26a0}\u{fe0f}",
            ),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn json_stays_the_same_json() {
        let json = serde_json::json!({ "/app/\u{1b}[31m\u{7f}\u{9b}2J.py": "\u{e0041}\u{202e}\u{e9}" });
        let shown = format!("{json:#}\n");
        let shown = visible_json(&shown);
        assert!(!shown.contains(|c| is_hidden(c) && c != '\n'), "{shown:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), json);
    }
}
