//! The findings in the reports of ranks, each once with all ranks that have it.

/// A finding of one rank's log, as read from its report.json.
#[derive(Debug, Clone, PartialEq)]
pub struct LogFinding {
    pub kind: String,
    /// `error`, `warning`, `info`
    pub severity: String,
    /// One sentence.
    pub title: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub compiles: Vec<String>,
    pub cost: Option<FindingCost>,
    /// Where the rank's report has more.
    pub url: Option<String>,
}

/// What a finding costs, as read from report.json.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingCost {
    pub seconds: f64,
    /// `wasted`, `avoidable`, `expected`
    pub kind: String,
    pub why: String,
}

/// A finding that ranks share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedFinding {
    /// The finding of the first of the ranks, with the highest cost that any rank has.
    pub finding: LogFinding,
    pub ranks: Vec<u64>,
    /// The counts in its title, where ranks have other ones; the first are those of the first rank.
    pub variants: Vec<SharedVariant>,
}

/// Ranks whose finding names the same counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedVariant {
    pub title: String,
    pub ranks: Vec<u64>,
}
