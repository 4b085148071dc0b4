//! What the reports of ranks found, told once for all ranks that have it.

/// A finding of one log, as its report.json has it.
#[derive(Debug, Clone, PartialEq)]
pub struct LogFinding {
    /// Its kind.
    pub kind: String,
    /// `error`, `warning`, `info`
    pub severity: String,
    /// One sentence.
    pub title: String,
    /// What it means.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// The user's file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u64>,
    /// Compiles that it concerns.
    pub compiles: Vec<String>,
    /// What it costs, where that is told.
    pub cost: Option<FindingCost>,
    /// Where the rank's report tells more.
    pub url: Option<String>,
}

/// What a finding costs, as report.json has it.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingCost {
    /// Seconds.
    pub seconds: f64,
    /// `wasted`, `avoidable`, `expected`
    pub kind: String,
    /// Why, in a few words.
    pub why: String,
}

/// A finding that ranks share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedFinding {
    /// As the first of the ranks has it; of the cost the most that a rank has.
    pub finding: LogFinding,
    /// Numbers of the ranks that have it.
    pub ranks: Vec<u64>,
}
