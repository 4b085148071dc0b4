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

/// The subjects without a name.
const ALONE: [Subject; 10] = [
    Subject::Findings,
    Subject::Compiles,
    Subject::Breaks,
    Subject::Recompiles,
    Subject::Failures,
    Subject::Caches,
    Subject::Time,
    Subject::Kernels,
    Subject::Performance,
    Subject::Files,
];

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
        match (word, name) {
            ("compile", Some(id)) => {
                Some(Subject::Compile(id.trim_start_matches('[').trim_end_matches(']').to_owned()))
            }
            ("function", Some(name)) => Some(Subject::Function(name.to_owned())),
            ("rank", Some(number)) => Some(Subject::Rank(number.parse().ok()?)),
            (_, Some(_)) => None,
            (word, None) => ALONE.into_iter().find(|one| one.word() == word),
        }
    }

    pub(super) fn word(&self) -> &'static str {
        let [compile, function, rank] = Subject::WORDS.1;
        match self {
            Subject::Compile(_) => compile,
            Subject::Function(_) => function,
            Subject::Rank(_) => rank,
            alone => {
                let known = ALONE.iter().zip(Subject::WORDS.0).find(|(one, _)| *one == alone);
                known.map_or("overview", |(_, word)| word)
            }
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
