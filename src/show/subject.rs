//! What may be asked for.

/// What is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The findings, and how much of everything there is.
    Overview,
    /// The findings.
    Findings,
    /// All compiles.
    Compiles,
    /// The files of all compiles.
    Files,
    /// Graph breaks.
    Breaks,
    /// Recompilations.
    Recompiles,
    /// Failures and restarts.
    Failures,
    /// Lookups in caches.
    Caches,
    /// Where the time went.
    Time,
    /// Kernels.
    Kernels,
    /// What a trace of torch.profiler measured.
    Performance,
    /// A compile by its id, with all that belongs to it.
    Compile(String),
    /// The compiles of a function by its name, with all that belongs to them.
    Function(String),
    /// The overview of one rank of a job.
    Rank(u64),
}

impl Subject {
    /// The words for subjects; those of the second list take a name behind them.
    pub const WORDS: ([&'static str; 10], [&'static str; 3]) = (
        [
            "findings",
            "compiles",
            "breaks",
            "recompiles",
            "failures",
            "caches",
            "time",
            "kernels",
            "performance",
            "files",
        ],
        ["compile", "function", "rank"],
    );

    /// The subject of a word, with the name behind it.
    #[must_use]
    pub fn parse(word: &str, name: Option<&str>) -> Option<Subject> {
        Some(match (word, name) {
            ("findings", None) => Subject::Findings,
            ("compiles", None) => Subject::Compiles,
            ("files", None) => Subject::Files,
            ("breaks", None) => Subject::Breaks,
            ("recompiles", None) => Subject::Recompiles,
            ("failures", None) => Subject::Failures,
            ("caches", None) => Subject::Caches,
            ("time", None) => Subject::Time,
            ("kernels", None) => Subject::Kernels,
            ("performance", None) => Subject::Performance,
            ("compile", Some(id)) => {
                Subject::Compile(id.trim_start_matches('[').trim_end_matches(']').to_owned())
            }
            ("function", Some(name)) => Subject::Function(name.to_owned()),
            ("rank", Some(number)) => Subject::Rank(number.parse().ok()?),
            _ => return None,
        })
    }

    pub(super) fn word(&self) -> &'static str {
        match self {
            Subject::Overview => "overview",
            Subject::Findings => "findings",
            Subject::Compiles => "compiles",
            Subject::Files => "files",
            Subject::Breaks => "breaks",
            Subject::Recompiles => "recompiles",
            Subject::Failures => "failures",
            Subject::Caches => "caches",
            Subject::Time => "time",
            Subject::Kernels => "kernels",
            Subject::Performance => "performance",
            Subject::Compile(_) => "compile",
            Subject::Function(_) => "function",
            Subject::Rank(_) => "rank",
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
