//! JUnit's XML: what test reports of all build servers read.

use crate::hidden::visible;
use crate::limits::LONGEST_NAME;
use std::fmt::Write;

/// Tests that belong together.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    /// What they test.
    pub name: &'static str,
    /// In order.
    pub tests: Vec<Test>,
}

#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub name: String,
    /// Why it fails, in one sentence; None where it passes.
    pub failure: Option<String>,
    /// More lines about the failure.
    pub details: Vec<String>,
}

/// Lines of a failure; a build server shows them in a small box.
const DETAILS: usize = 50;

/// The file.
pub(crate) fn junit(suite: &Suite) -> String {
    let (name, count) = (escaped(suite.name), suite.tests.len());
    let failures = suite.tests.iter().filter(|test| test.failure.is_some()).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing into a text cannot fail.
    let _ = writeln!(text, "<testsuites tests=\"{count}\" failures=\"{failures}\" errors=\"0\">");
    let _ = writeln!(
        text,
        "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    );
    for test in &suite.tests {
        let _ = write!(text, "    <testcase classname=\"{name}\" name=\"{}\"", escaped(&test.name));
        let Some(failure) = &test.failure else {
            text.push_str("/>\n");
            continue;
        };
        let _ = writeln!(text, ">\n      <failure message=\"{}\">", escaped(failure));
        for line in test.details.iter().take(DETAILS) {
            let _ = writeln!(text, "{}", escaped(line));
        }
        let more = test.details.len().saturating_sub(DETAILS);
        if more > 0 {
            let _ = writeln!(text, "and {more} more");
        }
        text.push_str("      </failure>\n    </testcase>\n");
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// Text in an element or an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars().take(LONGEST_NAME) {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push(' '),
            // XML has no way to write these.
            '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_xml_whatever_its_texts_are() {
        let hostile = "]]> <b> & \"x\" \u{0}\u{1b}[31m \u{ffff}\n</failure>";
        let test = |failure: Option<&str>| Test {
            name: hostile.to_owned(),
            failure: failure.map(str::to_owned),
            details: vec![hostile.to_owned(); 60],
        };
        let text = junit(&Suite { name: "a & b", tests: vec![test(None), test(Some(hostile))] });
        let document = roxmltree::Document::parse(&text).unwrap();
        let of = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        assert_eq!((of("testsuite"), of("testcase"), of("failure")), (1, 2, 1));
        let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("message"), Some("]]> <b> & \"x\" \\u{0}\\u{1b}[31m  </failure>"));
        assert!(failure.text().unwrap().contains("and 10 more"));
    }
}
