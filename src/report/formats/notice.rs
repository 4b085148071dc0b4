//! A message for other tools.

use crate::analysis::Severity;
use crate::hidden::visible;
use crate::limits::LONGEST_LINE;

/// One message, at a line of the user's code if it has one.
#[derive(Debug, Clone)]
pub(crate) struct Notice {
    /// The word of its kind.
    pub rule: String,
    /// How much it matters.
    pub level: Severity,
    /// What happened, in one sentence.
    pub title: String,
    /// More lines about it.
    pub details: Vec<String>,
    /// The file as torch recorded it.
    pub file: Option<String>,
    pub line: Option<u64>,
    /// What it cost, in words.
    pub cost: Option<String>,
    /// The page of the report that has it.
    pub page: Option<String>,
    /// What stays the same from run to run.
    pub fingerprint: String,
}

/// `146 ms wasted`, `up to 113 ms`: seconds and their kind as `report.json` has them.
pub(crate) fn cost_words(kind: &str, seconds: f64) -> String {
    let time = crate::model::words::duration(seconds * 1e6);
    match kind {
        "avoidable" => format!("up to {time}"),
        "expected" => format!("{time}, expected"),
        _ => format!("{time} wasted"),
    }
}

impl Notice {
    pub(crate) fn message_line(&self) -> String {
        self.message().replace('\n', "; ")
    }

    /// Title, cost, details and page, one per line, without hidden characters.
    pub(super) fn message(&self) -> String {
        let cost = self.cost.as_deref().map(|cost| format!(" ({cost})")).unwrap_or_default();
        let title = format!("{}{cost}", self.title.replace('`', ""));
        let page = self.page.as_deref().map(|page| format!("Report: {page}"));
        let lines = std::iter::once(title).chain(self.details.iter().cloned()).chain(page);
        let text = lines.collect::<Vec<_>>().join("\n");
        visible(&text).chars().take(LONGEST_LINE).collect()
    }
}
