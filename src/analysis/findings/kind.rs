//! What findings of one kind share. Each family defines its kinds next to the code that finds them.

use super::cost::ChargeOrder;
use crate::facts::ranks::Fact;
use crate::model::sentence::sentence;
use crate::model::{Model, Sentence};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A kind of finding: its names, what it checks, and what its entries show. Two kinds are equal when their words are.
pub struct KindOfFinding {
    /// The word in report.json.
    pub word: &'static str,
    /// The name that people read.
    pub label: &'static str,
    /// What a log without findings of this kind was checked for: `failure` in `No failure, graph break ..`.
    pub checked: Option<&'static str>,
    /// Whether a log could show one, so that its absence says something.
    pub would_show: fn(&Model) -> bool,
    /// What has a page or section with more about it.
    pub topic: Option<Topic>,
    /// Names of the artifacts that are its evidence.
    pub records: &'static [&'static str],
    /// The title of many findings of this kind: from the first of them and how many there are.
    pub grouped_title: fn(&FirstOfGroup<'_>, usize) -> Sentence,
    /// Whether it comes first, regardless of its cost.
    pub first_of_all: bool,
    /// The facts in which ranks differ, where it is about such a difference.
    pub fact: Option<Fact>,
    /// Whether the verdict on ranks that agree names it.
    pub in_verdict: bool,
    /// When it is charged for work that several findings claim.
    pub charged: ChargeOrder,
    /// How an entry on the landing page shows it.
    pub entry: EntryStyle,
}

/// What the title of a group takes from its most important finding.
pub struct FirstOfGroup<'f> {
    pub title: &'f Sentence,
    /// The part of the title that all findings of the group share.
    pub shared: &'f Sentence,
}

/// How an entry on the landing page shows findings of a kind.
#[derive(Clone, Copy)]
pub struct EntryStyle {
    /// Whether the source line comes first and the title below it.
    pub code_first: bool,
    /// What the list of compiles is called.
    pub compiles_label: &'static str,
    /// How much is said about the cost.
    pub costs: CostDetail,
    /// Whether the stack is shown.
    pub stack: bool,
}

/// How much an entry says about the parts of its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostDetail {
    /// Each part with the compiles that it consists of.
    WithCompiles,
    /// Each part; the page of the topic has the compiles.
    Parts,
    /// Nothing beyond the sum.
    SumOnly,
}

/// What a report may have a page or section of its own about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    GraphBreaks,
    Recompilations,
    /// All cache lookups.
    Caches,
    /// All symbolic sizes.
    Shapes,
    /// All failures and restarts.
    Failures,
    /// What export found wanting.
    Export,
    /// Where the time went.
    Time,
    /// What could be read of the log.
    Log,
    /// Measured kernels.
    Performance,
}

impl KindOfFinding {
    /// A kind with nothing special about it; a definition names what differs and takes the rest from here.
    pub(in crate::analysis) const fn of(word: &'static str, label: &'static str) -> KindOfFinding {
        KindOfFinding {
            word,
            label,
            checked: None,
            would_show: |_| true,
            topic: None,
            records: &[],
            grouped_title: in_places,
            first_of_all: false,
            fact: None,
            in_verdict: false,
            charged: ChargeOrder::Other,
            entry: EntryStyle::USUAL,
        }
    }

    /// A kind of difference between the ranks of a job.
    pub(in crate::analysis) const fn difference(
        fact: Fact,
        word: &'static str,
        label: &'static str,
    ) -> KindOfFinding {
        KindOfFinding { fact: Some(fact), ..KindOfFinding::of(word, label) }
    }
}

impl EntryStyle {
    /// How most kinds are shown.
    pub(super) const USUAL: EntryStyle = EntryStyle {
        code_first: false,
        compiles_label: "Compiles",
        costs: CostDetail::WithCompiles,
        stack: true,
    };
}

impl PartialEq for KindOfFinding {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for KindOfFinding {}

impl Hash for KindOfFinding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word.hash(state);
    }
}

impl fmt::Debug for KindOfFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

fn in_places(first: &FirstOfGroup<'_>, places: usize) -> Sentence {
    sentence![first.title.clone(), " in ", places, " places"]
}
