//! What torch's texts mean, and what to do about it: the rules of `break_rules.toml` and of the tables beside it, applied to what
//! torch says, to the user's line, and to facts of the log that a table asks for by name. A promise is given only where the
//! experiment of that kind kept it.

use super::advice::Advice;
use crate::analysis::failures::FailureCause;
use crate::analysis::lab::tried;
use crate::analysis::own_code::is_library;
use crate::analysis::pattern::{Groups, Pattern, filled};
use crate::analysis::recompiles::{ChangeKind, Fact};
use crate::analysis::torch_version::TorchVersion;
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::{code, name, own, quoted};
use crate::model::words::worded;
use crate::model::{GraphBreak, Model, NameOf, RaisedException, Sentence, SentencePart, break_block};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What removes a break promises.
const GONE: &str = "no graph break here";

worded! {
    /// What rules are about, with its word in the tables: `[[break]]`.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum About.word {
        /// A case of a kind of finding: kinds.toml.
        #[default]
        Kind = "kind",
        /// What Dynamo could not trace.
        Break = "break",
        /// What kept a result out of a cache.
        Bypass = "bypass",
        /// An exception that ended the program.
        Exception = "exception",
        /// What a compile failed with, other than a break.
        Failure = "failure",
        /// What an exception says.
        Reason = "reason",
        /// What keeps an operation out of CUDA graphs.
        Obstacle = "obstacle",
        /// What export found wanting.
        Export = "export",
        /// Something that changed between compiles, where the proof by guards decides about sizes.
        Sizes = "sizes",
        /// Something that changed between compiles.
        Change = "change",
        /// The values that it had.
        Values = "values",
        /// A function that was compiled again, whatever changed.
        Function = "function",
    }
}

/// A text that a condition may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::analysis) enum Text {
    /// The class of an exception, with its module.
    Error,
    /// The functions that an exception came through.
    Calls,
    /// What could not be traced, or the message of an exception.
    Reason,
    Explanation,
    /// torch's context for developers.
    Debug,
    /// Any of the three.
    Says,
    Line,
    File,
    /// The kind of a problem of export, or of an obstacle.
    Record,
    /// What changed, as the program writes it.
    Source,
    /// Its values, a line each.
    Values,
    /// The condition that no longer holds.
    Condition,
    /// The lines of the guards that failed.
    Code,
    /// The line that made a dynamic number a constant.
    Fixed,
    /// The exception at the limit of versions.
    Failure,
}

/// Facts of a log, each of which is worked out when a rule asks for it.
pub(in crate::analysis) trait Facts {
    fn holds(&self, fact: Fact) -> bool;
}

/// What is known of something that rules are about.
#[derive(Clone, Default)]
pub(in crate::analysis) struct Told<'f> {
    pub about: About,
    /// What kind of thing changed.
    pub kind: Option<ChangeKind>,
    pub texts: BTreeMap<Text, String>,
    pub facts: Option<&'f dyn Facts>,
    /// What the texts of rules may name.
    pub names: Groups,
    /// The version that says it.
    pub torch: Option<TorchVersion>,
    pub hints: Vec<String>,
}

/// The causes of a table, by what they are about.
type Rules = BTreeMap<String, Vec<Cause>>;

/// A cause with its advice.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cause {
    /// One of them has to hold.
    when: Vec<When>,
    find: Vec<When>,
    plain: Texts,
    /// What it means.
    explain: Option<String>,
    /// Whether the program chose it.
    expected: bool,
    /// Whether it is about the memory of CUDA graphs.
    of_cuda_graphs: bool,
    /// Whether torch's own hints are given.
    hints: bool,
    advice: Vec<Rule>,
}

/// An advice.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Rule {
    when: When,
    find: Vec<When>,
    text: Texts,
    code: Texts,
    /// What is written in another way in the code.
    replace: Option<[String; 2]>,
    promise: Option<String>,
    because: Option<String>,
    tried: Option<String>,
    tried_if: When,
}

/// A text with places for names, or several, of which the first counts whose names are all known.
#[derive(Default, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Texts(Vec<String>);

impl TryFrom<toml::Value> for Texts {
    type Error = toml::de::Error;

    fn try_from(value: toml::Value) -> Result<Texts, toml::de::Error> {
        match value {
            toml::Value::String(text) => Ok(Texts(vec![text])),
            several => several.try_into().map(Texts),
        }
    }
}

impl Texts {
    fn filled(&self, groups: &Groups) -> Option<String> {
        self.0.iter().find_map(|text| filled(text, groups))
    }
}

/// Conditions, all of which have to hold.
#[derive(Default, Deserialize)]
#[serde(try_from = "toml::Table")]
struct When {
    own: bool,
    kind: Vec<ChangeKind>,
    is: Vec<Fact>,
    not: Vec<Fact>,
    since: Option<TorchVersion>,
    before: Option<TorchVersion>,
    not_before: Option<TorchVersion>,
    /// Patterns that texts do not match.
    lacks: BTreeMap<Text, Pattern>,
    group: BTreeMap<String, Pattern>,
    texts: BTreeMap<Text, Pattern>,
}

impl TryFrom<toml::Table> for When {
    type Error = toml::de::Error;

    fn try_from(mut table: toml::Table) -> Result<When, toml::de::Error> {
        fn take<T: Default + DeserializeOwned>(
            table: &mut toml::Table,
            name: &str,
        ) -> Result<T, toml::de::Error> {
            table.remove(name).map_or_else(|| Ok(T::default()), toml::Value::try_into)
        }
        let of = &mut table;
        Ok(When {
            own: take(of, "own")?,
            kind: take(of, "kind")?,
            is: take(of, "is")?,
            not: take(of, "not")?,
            since: take(of, "since")?,
            before: take(of, "before")?,
            not_before: take(of, "not_before")?,
            lacks: take(of, "lacks")?,
            group: take(of, "group")?,
            // What is left are patterns for texts.
            texts: table.try_into()?,
        })
    }
}

macro_rules! rules {
    ($file:literal) => {{
        static RULES: LazyLock<Rules> = LazyLock::new(|| read($file, include_str!($file)));
        &RULES
    }};
}

fn read(file: &str, text: &str) -> Rules {
    let rules: Result<Rules, toml::de::Error> = toml::from_str(text);
    let wrong = rules.as_ref().err().map(toml::de::Error::message);
    assert!(cfg!(not(test)) || wrong.is_none(), "{file}: {wrong:?}");
    let rules = rules.unwrap_or_default();
    let is_known = |word: &String| About::ALL.iter().any(|about| about.word() == word);
    assert!(cfg!(not(test)) || rules.keys().all(is_known), "{file} has a table that nothing reads");
    rules
}

impl About {
    /// Its rules, in their order.
    fn causes(self) -> &'static [Cause] {
        let rules: &Rules = match self {
            About::Kind => return &[],
            About::Break => rules!("break_rules.toml"),
            About::Bypass => rules!("bypass_rules.toml"),
            About::Exception => rules!("exception_rules.toml"),
            About::Failure | About::Reason => rules!("failure_rules.toml"),
            About::Obstacle => rules!("cuda_graph_rules.toml"),
            About::Export => rules!("export_rules.toml"),
            About::Sizes | About::Change | About::Values | About::Function => rules!("recompile_rules.toml"),
        };
        rules.get(self.word()).map_or(&[], Vec::as_slice)
    }
}

/// The texts of all advice, with places for what torch says.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    let causes = About::ALL.into_iter().flat_map(About::causes);
    causes.flat_map(|cause| &cause.advice).flat_map(Rule::texts)
}

/// Hints that a user can follow.
pub fn useful(mut hints: Vec<String>) -> Vec<String> {
    let table = include_str!("useless_hints.txt").lines();
    let useless: Vec<&str> = table.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let harmful = |hint: &str| hint.contains("allow_in_graph") || hint.contains("substitute_in_graph");
    hints.retain(|hint| !useless.iter().any(|start| hint.starts_with(start)) && !harmful(hint));
    hints
}

/// The cause of what torch says, with the names that its texts have.
pub(in crate::analysis) struct Found<'t> {
    told: &'t Told<'t>,
    cause: &'static Cause,
    groups: Groups,
}

impl Told<'_> {
    /// What a graph break says.
    pub(super) fn of_break(model: &Model, one: &GraphBreak, place: &UserPlace) -> Self {
        let texts = [
            (Text::Reason, Some(&one.reason)),
            (Text::Explanation, one.explanation.as_ref()),
            (Text::Debug, one.debug_context.as_ref()),
        ];
        let told = Told { hints: one.hints.clone(), ..Told::with(About::Break, texts) };
        told.at(model, place.loc.as_ref(), one.file.as_ref())
    }

    /// What an exception says, or the graph break behind it where its text is not recorded.
    pub(super) fn of_failure(model: &Model, cause: &FailureCause<'_>, text: &str) -> Self {
        let told = match cause.at_break.filter(|_| text.is_empty()) {
            Some(one) => Told::of_break(model, one, &cause.place),
            None => Told { hints: break_block::hints(text), ..Told::of_text(text) },
        };
        told.at(model, cause.place.loc.as_ref(), cause.place.file.as_ref())
    }

    /// A reason that torch gives.
    pub(super) fn of_reason(about: About, reason: &str) -> Self {
        Told::with(about, [(Text::Reason, Some(reason))])
    }

    /// An exception that ended the program.
    pub(super) fn of_exception(exception: &RaisedException) -> Self {
        let calls: Vec<&str> = exception.stack.iter().map(|frame| &*frame.function).collect();
        let texts = [
            (Text::Reason, &exception.message),
            (Text::Error, &exception.error),
            (Text::Calls, &calls.join("\n")),
        ];
        Told::with(About::Exception, texts.map(|(text, said)| (text, Some(said))))
    }

    /// What a compile failed with, of which the class is known.
    pub(super) fn of_compile(error: &str, text: &str) -> Self {
        Told::with(About::Failure, [(Text::Error, Some(error)), (Text::Reason, Some(text))])
    }

    fn of_text(text: &str) -> Self {
        // Later blocks happened while the first exception was handled.
        let first = text.split("*** While handling").next().unwrap_or(text);
        let debug = first.split_once("Developer debug context:").map_or("", |(_, rest)| rest);
        let explanation = break_block::explanation(first).unwrap_or_else(|| first.to_owned());
        let texts = [
            (Text::Reason, text.lines().next()),
            (Text::Explanation, Some(&*explanation)),
            (Text::Debug, debug.split("\n\n").next().map(str::trim)),
        ];
        Told::with(About::Break, texts)
    }

    fn with<T: AsRef<str>>(about: About, texts: impl IntoIterator<Item = (Text, Option<T>)>) -> Self {
        let known = texts.into_iter().filter_map(|(text, said)| Some((text, said?.as_ref().to_owned())));
        Told { about, texts: known.collect(), ..Told::default() }
    }

    /// The same, about this line.
    fn at(mut self, model: &Model, line: Option<&String>, file: Option<&String>) -> Self {
        let of = |text: Option<&String>| text.map(|text| text.trim().to_owned()).unwrap_or_default();
        self.texts.extend([(Text::Line, of(line)), (Text::File, of(file))]);
        Told { torch: TorchVersion::of(model), ..self }
    }

    fn text(&self, text: Text) -> &str {
        self.texts.get(&text).map_or("", String::as_str)
    }

    /// The first cause that applies.
    pub(in crate::analysis) fn cause(&self) -> Option<Found<'_>> {
        self.about.causes().iter().find_map(|cause| {
            let mut groups = self.names.clone();
            cause.when.iter().any(|when| when.holds(self, &mut groups)).then_some(())?;
            cause.find.iter().for_each(|find| _ = find.holds(self, &mut groups));
            Some(Found { told: self, cause, groups })
        })
    }

    fn is(&self, fact: Fact) -> bool {
        self.facts.is_some_and(|facts| facts.holds(fact))
    }

    /// What cannot be in a graph, in plain words.
    pub(super) fn plain(&self) -> Option<Sentence> {
        self.cause()?.plain()
    }

    /// What to do, most fitting first; nothing where neither an experiment nor the log says what helps.
    pub(in crate::analysis) fn advice(&self) -> Vec<Advice> {
        self.cause().map_or_else(Vec::new, |found| found.advice())
    }
}

impl When {
    /// Whether all conditions hold; then their groups are known.
    fn holds(&'static self, told: &Told<'_>, groups: &mut Groups) -> bool {
        let is_own = || !told.text(Text::File).is_empty() && !is_library(told.text(Text::File));
        let reaches = |limit: &TorchVersion| told.torch.map(|torch| torch >= *limit);
        let mut known = groups.clone();
        let holds = (self.kind.is_empty() || told.kind.is_some_and(|kind| self.kind.contains(&kind)))
            && (!self.own || is_own())
            && self.since.as_ref().is_none_or(|limit| reaches(limit) == Some(true))
            && self.before.as_ref().is_none_or(|limit| reaches(limit) != Some(true))
            && self.not_before.as_ref().is_none_or(|limit| reaches(limit) != Some(false))
            && self.texts.iter().all(|(text, pattern)| pattern.is_of(*text, told, &mut known))
            && !self.lacks.iter().any(|(text, pattern)| pattern.is_in(told.text(*text)))
            && self
                .group
                .iter()
                .all(|(name, pattern)| groups.get(name.as_str()).is_some_and(|text| pattern.is_in(text)))
            && self.is.iter().all(|fact| told.is(*fact))
            && !self.not.iter().any(|fact| told.is(*fact));
        if holds {
            *groups = known;
        }
        holds
    }
}

impl Pattern {
    /// Whether one of the texts matches; if so, its groups are known.
    fn is_of(&'static self, text: Text, told: &Told<'_>, known: &mut Groups) -> bool {
        let texts: &[Text] = match text {
            Text::Says => &[Text::Reason, Text::Explanation, Text::Debug],
            _ => &[text],
        };
        texts.iter().any(|text| self.holds(told.text(*text), known))
    }
}

/// A piece of a sentence of the rules.
enum Piece {
    Own,
    /// Between backquotes.
    Code,
    /// Between the quotes of «this».
    Quoted,
}

/// The pieces of a sentence of the rules, which has places for the log's texts in code and between quotes.
fn pieces(template: &str) -> impl Iterator<Item = (Piece, &str)> {
    let own = |text| {
        let texts = str::split(text, ['«', '»']).enumerate();
        texts.map(|(at, text)| (if at % 2 == 0 { Piece::Own } else { Piece::Quoted }, text))
    };
    template.split('`').enumerate().flat_map(move |(at, text)| match at % 2 {
        0 => own(text).collect(),
        _ => vec![(Piece::Code, text)],
    })
}

impl Found<'_> {
    /// What it is, in plain words.
    pub(super) fn plain(&self) -> Option<Sentence> {
        self.cause.plain.0.iter().find_map(|template| {
            let mut sentence = Sentence::default();
            for (piece, template) in pieces(template) {
                let text = filled(template, &self.groups)?;
                match (piece, template) {
                    (Piece::Own, "") => {}
                    (Piece::Own, _) => sentence.add(own(text)),
                    (Piece::Code, "{operator}") => sentence.add(SentencePart::Operator(text)),
                    (Piece::Code, _) => sentence.add(code(text)),
                    (Piece::Quoted, "{exception}") => sentence.add(name(NameOf::Exception, text)),
                    (Piece::Quoted, _) => sentence.add(quoted(text)),
                }
            }
            Some(sentence)
        })
    }

    /// What it means.
    pub(super) fn explanation(&self) -> Option<&'static str> {
        self.cause.explain.as_deref()
    }

    /// Whether the program chose it.
    pub(super) fn is_expected(&self) -> bool {
        self.cause.expected
    }

    /// Whether it is about the memory of CUDA graphs.
    pub(super) fn is_of_cuda_graphs(&self) -> bool {
        self.cause.of_cuda_graphs
    }

    /// What to do, most fitting first.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let hints = if self.cause.hints { useful(self.told.hints.clone()) } else { Vec::new() };
        let advice = self.cause.advice.iter().filter_map(|rule| rule.apply(self.told, &self.groups));
        advice.chain(hints.into_iter().map(Advice::from)).collect()
    }
}

impl Rule {
    pub(super) fn texts(&'static self) -> impl Iterator<Item = &'static str> {
        self.text.0.iter().map(String::as_str)
    }

    /// The advice, if its conditions hold and what its text names is known.
    pub(super) fn apply(&'static self, told: &Told<'_>, known: &Groups) -> Option<Advice> {
        let mut groups = known.clone();
        self.when.holds(told, &mut groups).then_some(())?;
        self.find.iter().for_each(|find| _ = find.holds(told, &mut groups));
        let code = self.code.filled(&groups);
        let code = code.map(|code| match &self.replace {
            Some([from, to]) => code.replace(from, to),
            None => code,
        });
        let kind = self.tried.as_deref().filter(|_| self.tried_if.holds(told, &mut groups));
        let kind = kind.and_then(|kind| filled(kind, &groups));
        let usual = (told.about == About::Break && kind.is_some()).then_some(GONE);
        let promise = self.promise.as_deref().or(usual).and_then(|promise| filled(promise, &groups));
        groups.extend(code.iter().map(|code| ("code", code.clone())));
        Some(Advice {
            text: self.text.filled(&groups)?,
            code,
            promise: promise.filter(|promise| !promise.is_empty()),
            because: self.because.clone(),
            tried: kind.as_deref().and_then(tried),
            ..Advice::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What is said and advised, a line each: what was tried, the promise, and the line to write or else the text.
    fn said(told: &Told) -> Vec<String> {
        let plain = told.cause().and_then(|found| found.plain()).map(|plain| format!("= {plain}"));
        let line = |one: Advice| {
            let kind = one.tried.map_or("not tried", |tried| tried.kind);
            let promise = one.promise.as_deref().unwrap_or("no promise");
            format!("> {kind}, {promise}: {}", one.code.unwrap_or(one.text).replace('\n', "\\n"))
        };
        plain.into_iter().chain(told.advice().into_iter().map(line)).collect()
    }

    /// Facts that a case names.
    #[derive(Default)]
    struct Given(BTreeSet<Fact>);

    impl Facts for Given {
        fn holds(&self, fact: Fact) -> bool {
            self.0.contains(&fact)
        }
    }

    fn named<T: DeserializeOwned>(name: &str) -> T {
        T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).expect(name)
    }

    /// What is known in a case, a field in each line.
    fn told(given: &[&str]) -> Told<'static> {
        let mut told = Told { about: About::Break, ..Told::default() };
        let mut facts = Given::default();
        told.texts.insert(Text::File, "/app/train.py".to_owned());
        for line in given {
            let (field, text) = line.split_once(": ").expect(line);
            let text = text.replace("\\n", "\n");
            match field {
                "text" => told.texts.extend(Told::of_text(&text).texts),
                "torch" => told.torch = TorchVersion::parse(&text),
                "hint" => told.hints.push(text),
                "about" => {
                    let mut words = text.split(' ');
                    let about = words.next().unwrap();
                    told.about = About::ALL.into_iter().find(|one| one.word() == about).expect(line);
                    let is_kind = |word: &&str| word.starts_with(char::is_uppercase);
                    let (kinds, holding): (Vec<&str>, Vec<&str>) = words.partition(is_kind);
                    told.kind = kinds.first().map(|kind| named(kind));
                    facts.0.extend(holding.into_iter().map(named::<Fact>));
                }
                "names" => told.names.extend(text.split(" ¦ ").map(|name| {
                    let (name, text) = name.split_once(' ').expect(line);
                    (&*name.to_owned().leak(), text.to_owned())
                })),
                _ => _ = told.texts.insert(named(field), text),
            }
        }
        Told { facts: Some(Box::leak(Box::new(facts))), ..told }
    }

    #[test]
    fn each_rule_has_a_case_and_says_what_that_tells() {
        let mut unused: BTreeSet<(&str, usize, usize)> = BTreeSet::new();
        for about in About::ALL {
            for (at, cause) in about.causes().iter().enumerate() {
                let own = cause.plain.0.iter().flat_map(|plain| pieces(plain));
                let own = own.filter(|(piece, _)| matches!(piece, Piece::Own));
                assert!(own.into_iter().all(|(_, words)| !words.contains('{')), "a redacted title shows it");
                // The cause itself, then its advice.
                unused.extend((0..=cause.advice.len()).map(|rule| (about.word(), at, rule)));
            }
        }
        for case in include_str!("rule_cases.txt").split("\n\n").skip(1) {
            let (expected, given): (Vec<&str>, Vec<&str>) = case
                .lines()
                .filter(|line| !line.starts_with('#'))
                .partition(|line| line.starts_with(['=', '>']));
            let told = told(&given);
            assert_eq!(said(&told), expected, "{case}");
            let found = told.cause().expect(case);
            let is_this = |cause: &Cause| std::ptr::eq(cause, found.cause);
            let at = told.about.causes().iter().position(is_this).unwrap();
            let rules = found.cause.advice.iter().map(|rule| rule.apply(found.told, &found.groups).is_some());
            let used = std::iter::once(true).chain(rules).enumerate().filter(|(_, is_used)| *is_used);
            used.for_each(|(rule, _)| _ = unused.remove(&(told.about.word(), at, rule)));
        }
        assert_eq!(unused, BTreeSet::new(), "causes, and their advice, without a case");
    }
}
