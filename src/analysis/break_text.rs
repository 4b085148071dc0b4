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
