//! One finding, and what it is made of.

use super::kind::KindOfFinding;
use crate::analysis::user_place::UserPlace;
use crate::model::{CompileIndex, ReasonSource, TextFrame};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something did not work.
    Error,
    /// It works, and costs more than it has to.
    Warning,
    /// Good to know.
    Info,
}

impl Severity {
    /// The word in report.json.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// One thing that the reader should know, with its cause, its cost and what to do.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What kind of thing.
    pub kind: &'static KindOfFinding,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence in plain words, without a full stop; code stands between backquotes.
    pub title: String,
    /// What it means, or torch's explanation.
    pub detail: Option<String>,
    /// Where in the user's program.
    pub place: UserPlace,
    /// Compiles that it concerns, in order and distinct.
    pub compiles: Vec<CompileIndex>,
    /// How often it happened.
    pub count: u64,
    /// Microseconds lost; None where the log does not tell, or nothing is lost.
    pub cost_us: Option<f64>,
    /// Whether it is needed work that only looks like a problem.
    pub expected: bool,
    /// What makes up the cost.
    pub costs: Vec<Cost>,
    /// What to do, most fitting first.
    pub hints: Vec<String>,
    /// Further facts in the order in which they are read.
    pub facts: Vec<Fact>,
    /// Frames that led there, outermost first.
    pub stack: Vec<TextFrame>,
    /// torch's page about it.
    pub read_more: Option<FurtherReading>,
    /// What has to be equal for findings to be one entry when there are many.
    pub reason: String,
    /// The single findings of a group, most important first.
    pub members: Vec<Finding>,
}

/// A page that the log refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherReading {
    /// What it is called.
    pub name: String,
    /// Where it stands, as the log has it.
    pub url: String,
}

/// A part of a cost.
#[derive(Debug, Clone)]
pub struct Cost {
    /// Microseconds.
    pub us: f64,
    /// What took it: `of tracing thrown away`.
    pub what: String,
    /// Compiles that took it.
    pub compiles: Vec<CompileIndex>,
}

/// A label with what it says.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Label.
    pub label: &'static str,
    /// What it says.
    pub value: Value,
}

/// What a fact says.
#[derive(Debug, Clone)]
pub enum Value {
    /// Sentences.
    Prose(String),
    /// Lines of code.
    Code(Vec<String>),
    /// What changed, in words; the rows of a group show it.
    Change(String),
    /// The compiles of a function, first to last.
    Chain(Vec<ChainStep>),
}

/// One compile of a chain.
#[derive(Debug, Clone)]
pub struct ChainStep {
    /// The compile.
    pub compile: CompileIndex,
    /// The guard that failed, in torch's words; None for the first.
    pub guard: Option<String>,
    /// The older compile whose guard it is.
    pub against: Option<String>,
    /// Source line of the guard.
    pub source: Option<ReasonSource>,
}

impl Finding {
    /// A finding without a place, a cost or a word beyond its title.
    pub(super) fn new(kind: &'static KindOfFinding, severity: Severity, title: String) -> Finding {
        Finding {
            kind,
            severity,
            reason: title.clone(),
            title,
            detail: None,
            place: UserPlace::default(),
            compiles: Vec::new(),
            count: 1,
            cost_us: None,
            expected: false,
            costs: Vec::new(),
            hints: Vec::new(),
            facts: Vec::new(),
            stack: Vec::new(),
            read_more: None,
            members: Vec::new(),
        }
    }

    /// Seconds lost.
    pub fn cost_s(&self) -> Option<f64> {
        self.cost_us.map(|us| us.round() / 1e6)
    }

    /// The compiles of a function with what made each, where the finding is about such a chain.
    pub fn chain(&self) -> Option<&[ChainStep]> {
        self.facts.iter().find_map(|fact| match &fact.value {
            Value::Chain(steps) => Some(steps.as_slice()),
            _ => None,
        })
    }

    /// What changed, in words, where the finding is about a change.
    pub fn change(&self) -> Option<&str> {
        self.facts.iter().find_map(|fact| match &fact.value {
            Value::Change(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Adds a part of the cost.
    pub(super) fn costs(&mut self, us: f64, what: String, compiles: Vec<CompileIndex>) {
        if us > 0.0 && us.is_finite() {
            *self.cost_us.get_or_insert(0.0) += us;
            self.costs.push(Cost { us, what, compiles });
        }
    }

    /// Adds a fact.
    pub(super) fn fact(&mut self, label: &'static str, value: Value) {
        self.facts.push(Fact { label, value });
    }
}
