//! Details in the text of a graph break: the user's traceback, and breaks that followed from it.

use crate::model::break_block::{catalog_url, explanation, hints};
use crate::model::{TextFrame, traceback};

/// Separates a break from one that occurred while handling it.
const ANOTHER: &str = "*** While handling this graph break, another graph break occurred: ***";

/// A break that occurred while Dynamo handled another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FurtherBreak {
    /// What could not be traced.
    pub reason: String,
    /// torch's explanation.
    pub explanation: Option<String>,
    /// torch's hints.
    pub hints: Vec<String>,
    /// Its page in torch's catalog.
    pub url: Option<String>,
}

/// Details of a break for a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BreakText {
    /// Frames below `User code traceback:`, outermost first.
    pub frames: Vec<TextFrame>,
    /// Breaks that followed, in order.
    pub further: Vec<FurtherBreak>,
}

/// Reads the payload of a `dynamo_graph_break_reason`; missing parts are empty.
pub fn break_text(text: &str) -> BreakText {
    let (head, rest) = text.split_once("User code traceback:").unwrap_or((text, ""));
    // The traceback of torch itself follows the user's frames.
    let user = rest.split("\nTraceback (most recent call last)").next().unwrap_or(rest);
    let further = head.split(ANOTHER).skip(1).map(further_break).collect();
    BreakText { frames: traceback(user), further }
}

fn further_break(block: &str) -> FurtherBreak {
    FurtherBreak {
        reason: block.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned(),
        explanation: explanation(block).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        hints: hints(block),
        url: catalog_url(block).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_that_followed_from_another_is_read_with_its_hints() {
        let text = "Graph break in user code at /app/a.py:65\nGraph Break Reason: Failed:\n\nCall to f\n  \
            Explanation: User-inserted.\n\n*** While handling this graph break, another graph break occurred: ***\n\n\
            graph break in loop\n  Explanation: torch.compile detected\n    a loop.\n  Hint: Resolve the\n    earlier one.\n\n\
            \x20 Developer debug context: frame skipped\n\n For more details about this graph break, please visit: \
            https://x.org/gb/gb7000.html\n\nStack variable source attribution:\n  File \"/app/a.py\", line 63\n\n\
            User code traceback:\n  File \"/app/a.py\", line 91, in main\n    loop(x)\n    ~~~~^^^\n  \
            File \"/app/a.py\", line 65, in loop\n    f()\n\nTraceback (most recent call last):\n  \
            File \"/torch/_dynamo/a.py\", line 1, in g\n";
        let found = break_text(text);
        let lines: Vec<u64> = found.frames.iter().map(|frame| frame.line).collect();
        assert_eq!(lines, [91, 65]);
        let [further] = found.further.as_slice() else { panic!("{:?}", found.further) };
        assert_eq!(further.reason, "graph break in loop");
        assert_eq!(further.explanation.as_deref(), Some("torch.compile detected a loop."));
        assert_eq!(further.hints, ["Resolve the earlier one."]);
        assert_eq!(further.url.as_deref(), Some("https://x.org/gb/gb7000.html"));
    }

    #[test]
    fn a_text_without_a_traceback_has_no_frames() {
        assert_eq!(break_text("Graph break\nReason: x"), BreakText::default());
    }
}
