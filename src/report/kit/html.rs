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
        let bytes = text.as_bytes();
        // Most texts have nothing to escape, and looking for it first is several times as fast.
        if memchr::memchr3(b'&', b'<', b'>', bytes).is_none() && memchr::memchr(b'"', bytes).is_none() {
            html.push_str(text);
        } else {
            html_escape::encode_double_quoted_attribute_to_string(text, html);
        }
    }

    /// Bytes that the text has at most when it is escaped.
    pub(crate) fn escaped_len(text: &str) -> usize {
        const MORE: usize = "&quot;".len() - 1;
        let special = memchr::memchr3_iter(b'<', b'>', b'&', text.as_bytes()).count();
        text.len() + (special + memchr::memchr_iter(b'"', text.as_bytes()).count()) * MORE
    }

    /// Text of a log, escaped for element content only: there quotes and `>` stand for themselves.
    pub fn content(text: &str) -> Html {
        Html::trusted(html_escape::encode_text_minimal(text))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_special_character_is_escaped_wherever_it_is() {
        for (special, escaped) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")] {
            for (before, after) in [("", ""), ("\u{e9}'", ""), ("", "\u{e9}'")] {
                let text = format!("{before}{special}{after}{special}");
                assert_eq!(Html::escaped(&text).as_str(), format!("{before}{escaped}{after}{escaped}"));
            }
        }
        assert_eq!(Html::escaped("a = b['c'] + 1").as_str(), "a = b['c'] + 1");
        assert_eq!(Html::content("a < \"b\" & c > d").as_str(), "a &lt; \"b\" &amp; c > d");
    }
}
