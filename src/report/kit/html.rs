//! Text that is HTML already.

use serde::{Serialize, Serializer};

/// HTML that is written to a page unchanged. Only `report` can make one; templates show it with the formatter `html`, which
/// refuses everything else.
#[derive(Debug, Clone, Default)]
pub struct Html {
    text: String,
}

/// A template sees a pair of nothing and the text, which is what the formatter asks for; no value of a log looks like that.
/// An object with a key of its own took three allocations and a hash for each piece, and a long report has a hundred thousand.
impl Serialize for Html {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ((), &self.text).serialize(serializer)
    }
}

/// Text of ours or of a log, which is escaped.
impl From<&str> for Html {
    fn from(text: &str) -> Html {
        Html::escaped(text)
    }
}

/// Text of ours or of a log, which is escaped.
impl From<String> for Html {
    fn from(text: String) -> Html {
        Html::escaped(&text)
    }
}

impl From<&Html> for Html {
    fn from(piece: &Html) -> Html {
        piece.clone()
    }
}

impl Html {
    /// Takes text that the caller has escaped.
    pub(crate) fn trusted(text: impl Into<String>) -> Html {
        Html { text: text.into() }
    }

    /// Text of a log, escaped for element content and for attributes in double quotes, the only ones that pages have:
    /// guards and code are full of single quotes.
    pub fn escaped(text: &str) -> Html {
        let mut html = String::with_capacity(text.len());
        Html::push_escaped(text, &mut html);
        Html { text: html }
    }

    /// Appends the same to HTML that is being written.
    pub(crate) fn push_escaped(text: &str, html: &mut String) {
        html.reserve(text.len());
        let mut rest = text;
        while let Some(at) = first_special(rest.as_bytes()) {
            let Some((plain, special)) = rest.split_at_checked(at) else { break };
            html.push_str(plain);
            html.push_str(match special.as_bytes().first() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                _ => "&quot;",
            });
            rest = special.get(1..).unwrap_or_default();
        }
        html.push_str(rest);
    }

    /// Bytes that the text has at most when it is escaped.
    pub(crate) fn escaped_len(text: &str) -> usize {
        const MORE: usize = "&quot;".len() - 1;
        let special = memchr::memchr3_iter(b'<', b'>', b'&', text.as_bytes()).count();
        text.len() + (special + memchr::memchr_iter(b'"', text.as_bytes()).count()) * MORE
    }

    /// Text of a log, escaped for element content only: there quotes and `>` stand for themselves.
    pub fn content(text: &str) -> Html {
        // Most texts have neither.
        match memchr::memchr2(b'&', b'<', text.as_bytes()) {
            None => Html::trusted(text.to_owned()),
            Some(_) => Html::trusted(text.replace('&', "&amp;").replace('<', "&lt;")),
        }
    }

    /// Pieces one after the other, with markup of ours between them.
    pub(crate) fn joined(pieces: impl IntoIterator<Item = Html>, between: &'static str) -> Html {
        let mut pieces = pieces.into_iter();
        let Some(Html { mut text }) = pieces.next() else { return Html::default() };
        for piece in pieces {
            text.reserve(between.len() + piece.text.len());
            text.push_str(between);
            text.push_str(&piece.text);
        }
        Html { text }
    }

    /// A piece between two pieces of markup of ours.
    pub(crate) fn wrapped(before: &'static str, piece: &Html, after: &'static str) -> Html {
        Html { text: format!("{before}{}{after}", piece.text) }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Where the first character stands that is escaped. Few texts have any, so whole blocks are looked at without an early end:
/// the compiler compares their bytes at once, where one after the other took 1.5 % of the work on a log of a rank.
fn first_special(text: &[u8]) -> Option<usize> {
    let (blocks, _) = text.as_chunks::<BLOCK>();
    let is_plain = |block: &&[u8; BLOCK]| !block.iter().fold(false, |any, byte| any | is_special(*byte));
    let plain = blocks.iter().take_while(is_plain).count() * BLOCK;
    let rest = text.get(plain..).unwrap_or_default();
    rest.iter().position(|byte| is_special(*byte)).map(|at| plain + at)
}

/// Bytes that are looked at together: a register of any processor.
const BLOCK: usize = 16;

fn is_special(byte: u8) -> bool {
    // Without `||`, so that all four are compared for a whole block.
    (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_special_character_is_escaped_wherever_it_stands() {
        for (special, escaped) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")] {
            for before in 0..2 * BLOCK + 2 {
                for after in [0, 1, BLOCK, 3 * BLOCK + 1] {
                    let [before, after] = [before, after].map(|count| "\u{e9}'".repeat(count));
                    let text = format!("{before}{special}{after}{special}");
                    let expected = format!("{before}{escaped}{after}{escaped}");
                    assert_eq!(Html::escaped(&text).as_str(), expected);
                }
            }
        }
        let plain = "a = b['c'] + 1; ".repeat(9);
        assert_eq!(Html::escaped(&plain).as_str(), plain);
    }
}
