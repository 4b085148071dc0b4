//! Paths as links, and which links of a log may be followed.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but letters, digits and characters without a special meaning in a path.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'+')
    .remove(b',');

/// What stands for something else behind the `#` of a link.
const READ_OTHERWISE: &AsciiSet = &CONTROLS.add(b'%');

/// A path of the report as it stands in a link.
pub(crate) fn encoded(path: &str) -> String {
    utf8_percent_encode(path, SPECIAL).to_string()
}

/// The id of an element as it stands behind the `#` of a link: what reads links takes `%2e` for a dot and drops tabs and
/// ends of lines.
pub(crate) fn anchored(id: &str) -> String {
    utf8_percent_encode(id, READ_OTHERWISE).to_string()
}

/// A link of the log as it may stand in a page `depth` folders below the top: http, https, or relative within the
/// report. A browser drops some characters and takes others for a slash, so a link with any of them is refused.
pub(crate) fn safe_link(url: &str, depth: usize) -> Option<String> {
    if url.is_empty() || url.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
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
    fn what_a_link_reads_otherwise_is_escaped_in_an_id() {
        assert_eq!(anchored("[%2e\n/0]"), "[%252e%0A/0]");
        assert_eq!(anchored("[0/0_1]"), "[0/0_1]");
    }

    #[test]
    fn paths_are_encoded_for_links() {
        assert_eq!(encoded("-_0_0_0/a#b%é [1].txt"), "-_0_0_0/a%23b%25%C3%A9%20%5B1%5D.txt");
    }
}
