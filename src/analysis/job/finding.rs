//! One thing that a reader of a job should know.

use crate::analysis::findings::Severity;
use crate::model::{Fact, FindingCost, Sentence};

/// What kind of thing was found about a job. Each kind is defined in a file of its own, beside what it checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobKind {
    /// Its name in report.json.
    pub name: &'static str,
    /// What people read.
    pub label: &'static str,
    /// The facts in which ranks differ, where it is about a difference.
    pub fact: Option<Fact>,
    /// Whether the verdict on ranks that agree names it.
    pub in_verdict: bool,
    /// Whether it is said before everything else.
    pub leads: bool,
}

impl JobKind {
    pub(super) const fn new(name: &'static str, label: &'static str) -> JobKind {
        JobKind { name, label, fact: None, in_verdict: false, leads: false }
    }

    /// A kind that is said before everything else.
    pub(super) const fn leading(name: &'static str, label: &'static str) -> JobKind {
        JobKind { leads: true, ..JobKind::new(name, label) }
    }

    /// A kind that the verdict names also where ranks agree.
    pub(super) const fn of_verdict(name: &'static str, label: &'static str) -> JobKind {
        JobKind { in_verdict: true, ..JobKind::new(name, label) }
    }

    /// A kind of difference.
    pub(super) const fn difference(fact: Fact, name: &'static str, label: &'static str) -> JobKind {
        JobKind { fact: Some(fact), ..JobKind::new(name, label) }
    }
}

/// One thing to know about a job.
#[derive(Debug, Clone)]
pub struct JobFinding {
    /// What kind of thing.
    pub kind: JobKind,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence without a full stop and with a small letter in front.
    pub title: Sentence,
    /// What it means.
    pub detail: Option<String>,
    /// What it leads to and what to check.
    pub hint: Option<String>,
    /// The user's file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u64>,
    /// Compiles that it concerns.
    pub compiles: Vec<String>,
    /// Ranks that it names first: indices into the job's.
    pub ranks: Vec<usize>,
    /// What it costs a rank, where that is told.
    pub cost: Option<FindingCost>,
    /// Its kind in the reports of the ranks, where it comes from them.
    pub kind_in_ranks: Option<String>,
    /// Where the report of the first of these ranks tells more.
    pub url_in_rank: Option<String>,
}

impl JobFinding {
    /// The sentence as it stands alone.
    pub fn sentence(&self) -> Sentence {
        self.title.capitalized()
    }

    /// The name of its kind in report.json.
    pub fn kind_name(&self) -> &str {
        self.kind_in_ranks.as_deref().unwrap_or(self.kind.name)
    }

    pub(super) fn new(kind: JobKind, severity: Severity, title: impl Into<Sentence>) -> JobFinding {
        JobFinding {
            kind,
            severity,
            title: title.into(),
            detail: None,
            hint: None,
            file: None,
            line: None,
            compiles: Vec::new(),
            ranks: Vec::new(),
            cost: None,
            kind_in_ranks: None,
            url_in_rank: None,
        }
    }

    pub(super) fn with_detail(self, detail: impl Into<String>) -> JobFinding {
        JobFinding { detail: Some(detail.into()), ..self }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> JobFinding {
        JobFinding { hint: Some(hint.into()), ..self }
    }

    pub(super) fn with_ranks(self, ranks: Vec<usize>) -> JobFinding {
        JobFinding { ranks, ..self }
    }
}
