//! Text that is already HTML.

use crate::hidden::visible;
use serde::{Serialize, Serializer};

/// HTML that is written to a page unchanged. Only `report` can create it; templates show it with the formatter `html`,
/// which rejects everything else.
#[derive(Debug, Clone, Default)]
pub struct Html {
    text: String,
}

/// Templates see a pair of null and the text, which the formatter requires and no value of a log can be. An object with
/// a key took three allocations and a hash per piece, and a long report has a hundred thousand.
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

    /// Text of a log, escaped for element content and double-quoted attributes, hidden characters spelled out. Single
    /// quotes, which are frequent in guards and code, need no escaping.
    pub fn escaped(text: &str) -> Html {
        let mut html = String::with_capacity(text.len());
        Html::push_escaped(text, &mut html);
        Html { text: html }
    }

    /// Appends the same to `html`.
    pub(crate) fn push_escaped(text: &str, html: &mut String) {
        let text = &*visible(text);
        let bytes = text.as_bytes();
        // Most texts need no escaping, and checking first is several times as fast.
        if memchr::memchr3(b'&', b'<', b'>', bytes).is_none() && memchr::memchr(b'"', bytes).is_none() {
            html.push_str(text);
        } else {
            html_escape::encode_double_quoted_attribute_to_string(text, html);
        }
    }

    /// Largest size of the escaped text.
    pub(crate) fn escaped_len(text: &str) -> usize {
        const MORE: usize = "&quot;".len() - 1;
        let text = &*visible(text);
        let special = memchr::memchr3_iter(b'<', b'>', b'&', text.as_bytes()).count();
        text.len() + (special + memchr::memchr_iter(b'"', text.as_bytes()).count()) * MORE
    }

    /// Text of a log, escaped for element content only, where quotes and `>` need no escaping.
    pub fn content(text: &str) -> Html {
        Html::trusted(html_escape::encode_text_minimal(&visible(text)))
    }

    /// Pieces joined by our markup.
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

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

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
        assert_eq!(Html::escaped("\u{202e}<\r\n").as_str(), "\\u{202e}&lt;\n");
        assert_eq!(Html::escaped_len("\u{202e}\u{1}"), "\\u{202e}\\u{1}".len());
        assert_eq!(Html::content("a < \"b\" & c > d").as_str(), "a &lt; \"b\" &amp; c > d");
    }
}
