//! The parts of torch's text about a graph break: the block above its tracebacks.

/// The text after `  Explanation: `, up to the first hint or empty line.
pub fn explanation(block: &str) -> Option<String> {
    let (_, rest) = block.split_once("  Explanation:")?;
    let end = ["\n  Hint:", "\n\n  Developer debug context:", "\n  Developer debug context:"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
        .unwrap_or(rest.len());
    rest.get(..end).map(|text| text.trim().to_owned())
}

/// Each `  Hint: `, its lines joined.
pub fn hints(block: &str) -> Vec<String> {
    let head = block.split("  Developer debug context:").next().unwrap_or(block);
    let head = head.split(" For more details about").next().unwrap_or(head);
    let parts = head.split("\n  Hint:").skip(1);
    parts.map(|hint| hint.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The address of torch's page about the break, if the block names one.
pub fn catalog_url(block: &str) -> Option<&str> {
    let (_, rest) = block.split_once("please visit: ")?;
    rest.split_whitespace().next().filter(|url| url.starts_with("https://"))
}
