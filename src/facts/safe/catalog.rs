//! torch's catalog of graph breaks: what stands for a break is the entry with its number, not what the log says of it.

/// One kind a line: number, title; lines with `#` are comments.
const ENTRIES: &str = include_str!("graph_breaks.txt");

/// The title of a number such as `gb0059`.
pub fn title(id: &str) -> Option<&'static str> {
    ENTRIES
        .lines()
        .find_map(|line| line.split_once(' ').filter(|(known, _)| *known == id))
        .map(|(_, title)| title)
}

/// `gb0059: Failed to trace builtin operator`; the number alone where this version does not know it.
pub fn entry(id: Option<&str>) -> String {
    match id.map(|id| (id, title(id))) {
        Some((id, Some(title))) => format!("{id}: {title}"),
        Some((id, None)) => id.to_owned(),
        None => "graph break".to_owned(),
    }
}

/// The page of the catalog that tells more.
pub fn address(id: &str) -> String {
    format!("https://meta-pytorch.github.io/compile-graph-break-site/gb/{id}.html")
}

/// A number such as `gb0059`.
pub fn number(id: &str) -> Option<String> {
    let digits = id.strip_prefix("gb")?;
    let is_one = matches!(digits.len(), 1..=6) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_one.then(|| id.to_owned())
}

/// The number that a text of torch ends with: it puts the address of the catalog's page there.
pub fn number_in(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("/gb")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).take(6).collect();
    (!digits.is_empty()).then(|| format!("gb{digits}"))
}
