//! One finding, and what it is made of.

use super::advice::{Advice, ReplacedLine};
use super::cost::{Claim, Cost, CostKind, CostPart};
use super::kind::KindOfFinding;
use super::rules::Told;
use crate::analysis::pattern::{Groups, filled};
use crate::analysis::user_place::UserPlace;
use crate::model::words::worded;
use crate::model::{CompileIndex, Sentence, TextFrame};

worded! {
    /// How much a finding matters, with its word in report.json.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity.word {
        /// Something did not work.
        Error = "error",
        /// It works, and costs more than it has to.
        Warning = "warning",
        /// Good to know.
        #[default]
        Info = "info",
    }
}

impl Severity {
    /// That of a word in a report; information where it is none.
    pub fn named(word: &str) -> Severity {
        Severity::ALL.into_iter().find(|one| one.word() == word).unwrap_or(Severity::Info)
    }
}

/// One thing that the reader should know, with its cause, its cost and what to do.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// What kind of thing.
    pub kind: KindOfFinding,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence in plain words, without a full stop.
    pub title: Sentence,
    /// The end of the title, where it is about a function: what other functions may share.
    pub shared: Sentence,
    /// What it means, or torch's explanation.
    pub detail: Option<String>,
    /// Where in the user's program.
    pub place: UserPlace,
    /// The user's line that led there, where the place is a library's.
    pub called_from: Option<UserPlace>,
    /// Compiles that it concerns, in order and distinct.
    pub compiles: Vec<CompileIndex>,
    /// The entry that it is about, where a page lists such entries; of a group, that of the first.
    pub entry: Option<EntryKey>,
    /// How often it happened.
    pub count: u64,
    /// The work that it claims to be the cause of; empty once the ledger has charged it.
    pub claims: Vec<Claim>,
    /// What it costs; None if the log does not say, nothing is lost, or another finding is charged.
    pub cost: Option<Cost>,
    /// Microseconds that the next run saves at most, where keeping the cache folder is what to do. No cost: this run needed the
    /// work.
    pub warm_us: Option<f64>,
    /// What makes up the cost.
    pub cost_parts: Vec<CostPart>,
    /// What to do, most fitting first.
    pub advice: Vec<Advice>,
    /// The finding of the same list that is the cause of this one, by its position.
    pub caused_by: Option<usize>,
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
    /// What only a finding about a job has.
    pub in_job: InJob,
}

/// The key of an entry, which findings, pages and links share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKey {
    /// A graph break, by its place in the model.
    Break(usize),
    /// A function that was compiled again, by its place among the chains.
    Chain(usize),
    /// Failures with one cause, by its place among the causes.
    Failure(usize),
    /// A measured kernel, by its place among all.
    Kernel(usize),
}

/// Whether lines to write are another form of a line: they contain what it computes or tests, perhaps without `.item()`.
fn rewrites(code: &str, line: &str) -> bool {
    let plain = |text: &str| text.replace(".item()", "");
    let line = plain(line.trim_start_matches("if ").trim_end_matches(':'));
    line.len() >= SHORTEST_REWRITTEN && plain(code).contains(&line)
}

/// Bytes of the shortest line that other lines can be recognized to rewrite.
const SHORTEST_REWRITTEN: usize = 5;

impl KindOfFinding {
    /// What `kinds.toml` advises in a case, with these names in the places of its texts.
    pub(in crate::analysis) fn advice(self, case: &str, names: &[(&'static str, &str)]) -> Vec<Advice> {
        let advice = self.facts().advice.get(case).into_iter().flatten();
        advice.filter_map(|rule| rule.apply(&Told::default(), &groups(names))).collect()
    }
}

fn groups(names: &[(&'static str, &str)]) -> Groups {
    names.iter().map(|(place, name)| (*place, (*name).to_owned())).collect()
}

/// What only a finding about a job has.
#[derive(Debug, Clone, Default)]
pub struct InJob {
    /// Ranks that it names first: indices into the job's.
    pub ranks: Vec<usize>,
    /// Ids of the compiles that it concerns.
    pub compile_ids: Vec<String>,
    /// Its kind in the reports of the ranks, where it comes from them.
    pub kind_in_ranks: Option<String>,
    /// Its page in the report of the first of these ranks.
    pub url_in_rank: Option<String>,
    /// Whether it is a setting that decides what Dynamo captures.
    pub is_of_capture: bool,
}

/// A page that the log refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherReading {
    /// What it is called.
    pub name: String,
    /// Its address, as in the log.
    pub url: String,
}

/// The label of what the console of the same run says.
pub(super) const ON_CONSOLE: &str = "On the console";

/// A label with what it says.
#[derive(Debug, Clone)]
pub struct Fact {
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
    pub compile: CompileIndex,
    /// The guard that failed, in torch's words; None for the first.
    pub guard: Option<String>,
    /// The older compile whose guard it is.
    pub against: Option<String>,
}

impl Finding {
    /// A finding without a place, a cost or a word beyond its title.
    pub(in crate::analysis) fn new(
        kind: KindOfFinding,
        severity: Severity,
        title: impl Into<Sentence>,
    ) -> Finding {
        let title = title.into();
        let reason = title.text();
        let mut new = Finding { kind, severity, title, reason, count: 1, ..Finding::default() };
        new.say("always", &[]);
        new
    }

    /// The measured kernel that it is about, by its place among all.
    pub fn kernel(&self) -> Option<usize> {
        match self.entry {
            Some(EntryKey::Kernel(place)) => Some(place),
            _ => None,
        }
    }

    /// Notes which lines to write replace the line that the finding is about.
    pub(super) fn compare_lines(&mut self) {
        self.members.iter_mut().for_each(Finding::compare_lines);
        let Some(line) = self.place.loc.as_deref().map(str::trim).filter(|_| self.members.is_empty()) else {
            return;
        };
        for advice in &mut self.advice {
            let code = advice.code.as_deref().filter(|code| rewrites(code, line));
            let replaced = || ReplacedLine { number: self.place.line, code: line.to_owned() };
            advice.replaces = code.map(|_| replaced());
        }
    }

    /// Microseconds that were wasted or could be avoided.
    pub fn lost_us(&self) -> f64 {
        self.cost.as_ref().filter(|cost| cost.kind.is_loss()).map_or(0.0, |cost| cost.us)
    }

    /// Whether it is about work that was needed.
    pub fn is_expected(&self) -> bool {
        self.cost.as_ref().is_some_and(|cost| cost.kind == CostKind::Expected)
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

    /// Says which compiles it concerns.
    pub(super) fn concern(&mut self, compiles: impl IntoIterator<Item = CompileIndex>) {
        self.compiles = Vec::from_iter(compiles);
        self.compiles.sort_unstable();
        self.compiles.dedup();
    }

    /// Claims work of some compiles. What it costs follows when all findings have made their claims.
    pub(super) fn claim(&mut self, claim: Claim) {
        if !claim.compiles.is_empty() {
            self.claims.push(claim);
        }
    }

    /// The title as a sentence of its own: titles of a job begin with a small letter.
    pub fn sentence(&self) -> Sentence {
        self.title.capitalized()
    }

    /// The word of its kind in report.json.
    pub fn kind_name(&self) -> &str {
        self.in_job.kind_in_ranks.as_deref().unwrap_or(self.kind.word())
    }

    /// What to do, as texts.
    pub fn hints(&self) -> impl Iterator<Item = &str> {
        self.advice.iter().map(|advice| advice.text.as_str())
    }

    /// The same in one text, a line each.
    pub fn hint(&self) -> Option<String> {
        (!self.advice.is_empty()).then(|| self.hints().collect::<Vec<_>>().join("\n"))
    }

    /// Adds something to do.
    pub(in crate::analysis) fn advise(&mut self, advice: impl Into<Advice>) {
        self.advice.push(advice.into());
    }

    /// Adds several things to do.
    pub(in crate::analysis) fn advise_all(&mut self, advice: impl IntoIterator<Item = impl Into<Advice>>) {
        self.advice.extend(advice.into_iter().map(Into::into));
    }

    /// Says what it means.
    pub(in crate::analysis) fn explain(&mut self, detail: impl Into<String>) {
        self.detail = Some(detail.into());
    }

    /// The same finding with what it means.
    pub(in crate::analysis) fn with_detail(mut self, detail: impl Into<String>) -> Finding {
        self.explain(detail);
        self
    }

    /// The same finding, about these ranks of a job.
    pub(in crate::analysis) fn with_ranks(mut self, ranks: Vec<usize>) -> Finding {
        self.in_job.ranks = ranks;
        self
    }

    /// The same finding in a case of `kinds.toml`.
    pub(in crate::analysis) fn in_case(mut self, case: &str) -> Finding {
        self.say(case, &[]);
        self
    }

    /// Says what `kinds.toml` has for a case: what it means and what to do, with these names in their places.
    pub(in crate::analysis) fn say(&mut self, case: &str, names: &[(&'static str, &str)]) {
        let explained = self.kind.facts().explain.get(case).and_then(|text| filled(text, &groups(names)));
        self.detail = explained.or_else(|| self.detail.take());
        self.advice.extend(self.kind.advice(case, names));
    }

    /// Adds a fact.
    pub(super) fn fact(&mut self, label: &'static str, value: Value) {
        self.facts.push(Fact { label, value });
    }
}
