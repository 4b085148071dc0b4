//! Where links lead: every address of one page of the report in another, and what a link of the log may be.

use crate::model::{Compile, CompileIndex, GraphBreak, VllmFact};
use crate::report::kit::html::Html;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::subject::Report;

/// A path of the report as it stands in a link: everything but plain characters is percent-encoded.
pub(crate) fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'/'
            | b'-'
            | b'_'
            | b'.'
            | b'!'
            | b'~'
            | b'+'
            | b',' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
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

/// Pages at the top of a report that others lead into.
pub(crate) const GRAPH_BREAKS: &str = "graph_breaks.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const RECOMPILATIONS: &str = "recompilations.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const TIME: &str = "time.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const VLLM: &str = "vllm.html";

/// A link to a break on the page, seen from `view`.
pub(crate) fn graph_break(view: View<'_>, found: &GraphBreak, text: &str) -> Html {
    let index = view.report.model.graph_breaks.iter().position(|one| std::ptr::eq(one, found));
    let anchor = index.map(|index| format!("#{}", graph_break_anchor(index))).unwrap_or_default();
    view.link(&format!("{}{anchor}", view.href_of(GRAPH_BREAKS)), text)
}

/// The anchor of a graph break: its place in the model, from 1.
pub(crate) fn graph_break_anchor(index: usize) -> String {
    format!("break-{}", index + 1)
}

/// A link to a function's place on the page, seen from `view`; `first` is its first compile.
pub(crate) fn recompilations(view: View<'_>, first: &Compile, text: &str) -> Html {
    view.link(&format!("{}#{}", view.href_of(RECOMPILATIONS), recompilations_anchor(first)), text)
}

/// The anchor of a function: that of its first compile, whose folder is unique and safe.
pub(crate) fn recompilations_anchor(first: &Compile) -> String {
    format!("f{}", first.folder(0))
}

/// Where the page tells of that compile, seen from the view's page; None where vLLM says nothing of it.
pub(crate) fn vllm(view: View<'_>, compile: CompileIndex) -> Option<String> {
    let mut events = view.report.model.vllm.iter().filter(|event| event.compile == compile).peekable();
    events.peek()?;
    // Other events make no module.
    let module = events.any(|event| !matches!(event.fact, VllmFact::Compiled(_) | VllmFact::Other));
    Some(format!(
        "{}#{}",
        view.href_of(VLLM),
        if module { format!("of-{compile}") } else { "events".to_owned() }
    ))
}

/// Functions on the landing page, the costliest; the contract's number.
pub(crate) const FUNCTIONS_ON_LANDING_PAGE: usize = 500;

/// Where the row of a function stands: an index into the functions.
pub(crate) fn function(report: Report<'_>, index: usize) -> String {
    let long = report.found.functions.len() > FUNCTIONS_ON_LANDING_PAGE;
    let page = if long { "functions.html" } else { paths::landing(report.settings) };
    format!("{page}#function-{}", index + 1)
}

/// Compiles whose place on the chart can be linked to; an anchor takes 20 bytes, so the page stays small.
pub(crate) const MOST_ANCHORS: usize = 10_000;

/// The address of a compile on the chart, from the report's top; its number is its place in the model.
pub(crate) fn time(index: CompileIndex) -> String {
    if index.place() < MOST_ANCHORS { format!("{TIME}#at-{index}") } else { TIME.to_owned() }
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
    fn paths_are_encoded_for_links() {
        assert_eq!(encoded("-_0_0_0/a#b%é [1].txt"), "-_0_0_0/a%23b%25%C3%A9%20%5B1%5D.txt");
    }
}
