//! Encodes paths for links, and decides which links of a log are safe.

use crate::hidden::is_hidden;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use std::borrow::Cow;

/// Everything except letters, digits and characters without a special meaning in a path.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'+')
    .remove(b',');

/// A path of the report, encoded for a link.
pub(crate) fn encoded(path: &str) -> String {
    Cow::from(utf8_percent_encode(path, SPECIAL)).into_owned()
}

/// A text of a log as the id of an element, without hidden characters, which a page spells out.
pub(crate) fn id_of(text: &str) -> String {
    match text.contains(is_hidden) {
        true => utf8_percent_encode(text, CONTROLS).to_string(),
        false => text.to_owned(),
    }
}

/// The id of an element, encoded for the fragment of a link, where `%2e` would be a dot.
pub(crate) fn anchored(id: &str) -> String {
    id.replace('%', "%25")
}

/// A link of the log, if it is safe on a page `depth` folders below the top: http, https, or relative within the
/// report. Links with characters that browsers drop or take for a slash are rejected.
pub(crate) fn safe_link(url: &str, depth: usize) -> Option<String> {
    if url.is_empty() || url.contains(|c: char| is_hidden(c) || c.is_whitespace() || c == '\\') {
        return None;
    }
    let lower = url.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return Some(url.to_owned());
    }
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let up = |part: &str| part.to_ascii_lowercase().replace("%2e", ".") == "..";
    let relative =
        !path.is_empty() && !path.starts_with('/') && !path.contains(':') && !path.split('/').any(up);
    relative.then(|| format!("{}{url}", "../".repeat(depth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_log_lead_to_the_web_or_into_the_report() {
        assert_eq!(safe_link("https://example.org/?a=b#c", 1).as_deref(), Some("https://example.org/?a=b#c"));
        assert_eq!(safe_link("HTTP://example.org", 0).as_deref(), Some("HTTP://example.org"));
        assert_eq!(safe_link("0_0_0/x.html#L1", 1).as_deref(), Some("../0_0_0/x.html#L1"));
    }

    #[test]
    fn links_that_run_or_leave_the_report_are_refused() {
        for url in [
            "",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "//evil.example",
            "\\\\evil.example",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a/%2E./../x",
            "?q",
            "http:/evil",
        ] {
            assert_eq!(safe_link(url, 0), None, "{url:?}");
        }
    }

    #[test]
    fn ids_are_what_pages_and_links_can_hold() {
        assert_eq!(anchored(&id_of("[%2e\r\n/0]")), "[%252e%250D%250A/0]");
        assert_eq!(anchored(&id_of("[0/0_1]")), "[0/0_1]");
    }

    #[test]
    fn paths_are_encoded_for_links() {
        assert_eq!(encoded("-_0_0_0/a#b%é [1].txt"), "-_0_0_0/a%23b%25%C3%A9%20%5B1%5D.txt");
    }
}
