//! torch's own words, taken apart.

use super::finding::FurtherReading;
use crate::model::break_block::catalog_url;
use crate::model::words::file_name;

/// What stands behind `Explanation: `, up to the first hint or empty line.
pub(super) fn explanation(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Explanation: ")?;
    let end = ["\n  Hint:", "\n  Developer debug context:", "\n\n"].iter().filter_map(|m| rest.find(m)).min();
    Some(one_paragraph(rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)))
}

/// Each `Hint: `, its lines joined.
pub(super) fn hints(text: &str) -> Vec<String> {
    let head = text.split("  Developer debug context:").next().unwrap_or(text);
    let head = head.split(" For more details about").next().unwrap_or(head);
    useful(head.split("\n  Hint:").skip(1).map(one_paragraph).collect())
}

/// Hints that help a user: asking torch's developers for help is none, unless there is no other.
pub(super) fn useful(hints: Vec<String>) -> Vec<String> {
    let some: Vec<String> =
        hints.iter().filter(|hint| !hint.starts_with("Please report an issue")).cloned().collect();
    if some.is_empty() { hints } else { some }
}

/// torch's page that the text names.
pub(super) fn read_more(text: &str) -> Option<FurtherReading> {
    let url = catalog_url(text)?;
    let page = file_name(url).trim_end_matches(".html");
    Some(FurtherReading { name: format!("{page} in the graph break catalog"), url: url.to_owned() })
}

fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
