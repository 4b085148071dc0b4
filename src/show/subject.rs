//! What may be asked for.

use crate::model::words::worded;

worded! {
    /// A list of a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ShownList.word {
        /// The findings.
        Findings = "findings",
        /// All compiles.
        Compiles = "compiles",
        /// Graph breaks.
        Breaks = "breaks",
        /// Recompilations.
        Recompiles = "recompiles",
        /// Failures and restarts.
        Failures = "failures",
        /// Lookups in caches.
        Caches = "caches",
        /// Where the time went.
        Time = "time",
        /// Kernels.
        Kernels = "kernels",
        /// What a trace of torch.profiler measured.
        Performance = "performance",
        /// The files of all compiles.
        Files = "files",
    }
}

/// What is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The findings, and how much of everything there is.
    Overview,
    /// A whole list.
    List(ShownList),
    /// A compile by its id, with all that belongs to it.
    Compile(String),
    /// The compiles of a function by its name, with all that belongs to them.
    Function(String),
    /// The overview of one rank of a job.
    Rank(u64),
}

impl Subject {
    /// The words for subjects that take a name behind them.
    pub const NAMED: [&'static str; 3] = ["compile", "function", "rank"];

    /// The words for those that take none.
    #[must_use]
    pub fn lists() -> [&'static str; ShownList::ALL.len()] {
        ShownList::ALL.map(ShownList::word)
    }

    /// The subject of a word, with the name behind it.
    #[must_use]
    pub fn parse(word: &str, name: Option<&str>) -> Option<Subject> {
        match (word, name) {
            ("compile", Some(id)) => {
                Some(Subject::Compile(id.trim_start_matches('[').trim_end_matches(']').to_owned()))
            }
            ("function", Some(name)) => Some(Subject::Function(name.to_owned())),
            ("rank", Some(number)) => Some(Subject::Rank(number.parse().ok()?)),
            (_, Some(_)) => None,
            (word, None) => ShownList::ALL.into_iter().find(|list| list.word() == word).map(Subject::List),
        }
    }

    pub(super) fn word(&self) -> &'static str {
        let [compile, function, rank] = Subject::NAMED;
        match self {
            Subject::Overview => "overview",
            Subject::List(list) => list.word(),
            Subject::Compile(_) => compile,
            Subject::Function(_) => function,
            Subject::Rank(_) => rank,
        }
    }

    /// The name behind it.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Subject::Compile(name) | Subject::Function(name) => Some(name.clone()),
            Subject::Rank(number) => Some(number.to_string()),
            _ => None,
        }
    }
}
