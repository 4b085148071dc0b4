//! What torch's texts mean, and what to do about it: the rules of `break_rules.toml` and of the tables beside it, applied to what
//! torch says and to the user's line. A promise is given only where the experiment of that kind kept it.

use super::finding::Advice;
use super::prose;
use crate::analysis::failures::FailureCause;
use crate::analysis::lab::tried;
use crate::analysis::own_code::is_library;
use crate::analysis::pattern::{Groups, Pattern, filled};
use crate::analysis::torch_version::TorchVersion;
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::{code, name, own, quoted};
use crate::model::{GraphBreak, Model, NameOf, RaisedException, Sentence, SentencePart, break_block};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What removes a break promises.
const GONE: &str = "no graph break here";

/// What a text is about. Each has a table of rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum About {
    /// What Dynamo could not trace.
    #[default]
    Break,
    /// What kept a result out of a cache.
    Bypass,
    /// An exception that ended the program.
    Exception,
    /// What a compile failed with, other than a break.
    Failure,
}

/// What torch says about something, and the line that it is about.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    about: About,
    /// What could not be traced, or the message of an exception.
    reason: String,
    /// The class of an exception, with its module.
    error: String,
    /// The functions that an exception came through.
    calls: String,
    explanation: String,
    /// torch's context for developers.
    debug: String,
    line: String,
    file: String,
    /// The version that says it.
    torch: Option<TorchVersion>,
    hints: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Rules {
    cause: Vec<Cause>,
}

/// A cause of breaks with its advice.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cause {
    /// One of them has to hold.
    when: Vec<When>,
    find: Vec<When>,
    plain: Vec<String>,
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
struct Rule {
    when: When,
    find: Vec<When>,
    text: Vec<String>,
    code: Vec<String>,
    /// What is written in another way in the code.
    replace: Option<[String; 2]>,
    promise: Option<String>,
    because: Option<String>,
    tried: Option<String>,
    tried_if: When,
}

/// Conditions, all of which have to hold.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct When {
    own: bool,
    since: Option<TorchVersion>,
    before: Option<TorchVersion>,
    not_before: Option<TorchVersion>,
    error: Option<Pattern>,
    calls: Option<Pattern>,
    reason: Option<Pattern>,
    explanation: Option<Pattern>,
    debug: Option<Pattern>,
    not_debug: Option<Pattern>,
    says: Option<Pattern>,
    line: Option<Pattern>,
    not_line: Option<Pattern>,
    file: Option<Pattern>,
    group: BTreeMap<String, Pattern>,
}

macro_rules! rules {
    ($file:literal) => {{
        static RULES: LazyLock<Rules> =
            LazyLock::new(|| toml::from_str(include_str!($file)).unwrap_or_default());
        &RULES.cause
    }};
}

impl About {
    const ALL: [About; 4] = [About::Break, About::Bypass, About::Exception, About::Failure];

    /// Its rules, in their order.
    fn causes(self) -> &'static [Cause] {
        match self {
            About::Break => rules!("break_rules.toml"),
            About::Bypass => rules!("bypass_rules.toml"),
            About::Exception => rules!("exception_rules.toml"),
            About::Failure => rules!("failure_rules.toml"),
        }
    }
}

/// The texts of all advice, with places for what torch says.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    let causes = About::ALL.into_iter().flat_map(About::causes);
    causes.flat_map(|cause| &cause.advice).flat_map(|rule| &rule.text).map(String::as_str)
}

/// The cause of what torch says, with the names that its texts have.
pub(super) struct Found<'t> {
    told: &'t Told,
    cause: &'static Cause,
    groups: Groups,
}

impl Told {
    /// What a graph break says.
    pub(super) fn of_break(model: &Model, one: &GraphBreak, place: &UserPlace) -> Told {
        Told {
            reason: one.reason.clone(),
            explanation: one.explanation.clone().unwrap_or_default(),
            debug: one.debug_context.clone().unwrap_or_default(),
            line: place.loc.clone().unwrap_or_default(),
            file: one.file.clone().unwrap_or_default(),
            torch: TorchVersion::of(model),
            hints: one.hints.clone(),
            ..Told::default()
        }
    }

    /// What an exception says, or the graph break behind it where its text is not recorded.
    pub(super) fn of_failure(model: &Model, cause: &FailureCause<'_>, text: &str) -> Told {
        let told = match cause.at_break.filter(|_| text.is_empty()) {
            Some(one) => Told::of_break(model, one, &cause.place),
            None => Told { hints: break_block::hints(text), ..Told::of_text(text) },
        };
        Told {
            line: cause.place.loc.clone().unwrap_or_default(),
            file: cause.place.file.clone().unwrap_or_default(),
            torch: TorchVersion::of(model),
            ..told
        }
    }

    /// Why a result was not cached.
    pub(super) fn of_bypass(reason: &str) -> Told {
        Told { about: About::Bypass, reason: reason.to_owned(), ..Told::default() }
    }

    /// An exception that ended the program.
    pub(super) fn of_exception(exception: &RaisedException) -> Told {
        let calls: Vec<&str> = exception.stack.iter().map(|frame| &*frame.function).collect();
        Told {
            about: About::Exception,
            reason: exception.message.clone(),
            error: exception.error.clone(),
            calls: calls.join("\n"),
            ..Told::default()
        }
    }

    /// What a compile failed with, of which the class is known.
    pub(super) fn of_compile(error: &str, text: &str) -> Told {
        let (error, reason) = (error.to_owned(), text.to_owned());
        Told { about: About::Failure, error, reason, ..Told::default() }
    }

    fn of_text(text: &str) -> Told {
        // Later blocks happened while the first exception was handled.
        let first = text.split("*** While handling").next().unwrap_or(text);
        let debug = first.split_once("Developer debug context:").map_or("", |(_, rest)| rest);
        Told {
            reason: text.lines().next().unwrap_or_default().to_owned(),
            explanation: break_block::explanation(first).unwrap_or_else(|| first.to_owned()),
            debug: debug.split("\n\n").next().unwrap_or_default().trim().to_owned(),
            ..Told::default()
        }
    }

    /// The first cause that applies.
    pub(super) fn cause(&self) -> Option<Found<'_>> {
        self.about.causes().iter().find_map(|cause| {
            let mut groups = Groups::new();
            cause.when.iter().any(|when| when.holds(self, &mut groups)).then_some(())?;
            cause.find.iter().for_each(|find| _ = find.holds(self, &mut groups));
            Some(Found { told: self, cause, groups })
        })
    }

    /// What cannot be in a graph, in plain words.
    pub(super) fn plain(&self) -> Option<Sentence> {
        self.cause()?.plain()
    }

    /// What to do, most fitting first; nothing where neither an experiment nor the log says what helps.
    pub(super) fn advice(&self) -> Vec<Advice> {
        self.cause().map_or_else(Vec::new, |found| found.advice())
    }
}

impl When {
    /// Whether all conditions hold; then their groups are known.
    fn holds(&'static self, told: &Told, groups: &mut Groups) -> bool {
        let Told { reason, explanation, debug, torch, .. } = told;
        let line = told.line.trim();
        let reaches = |limit: &TorchVersion| torch.map(|torch| torch >= *limit);
        let lacks = |pattern: &Option<Pattern>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| !pattern.is_in(text))
        };
        let mut known = groups.clone();
        let mut has = |pattern: &'static Option<Pattern>, texts: &[&str]| {
            pattern.as_ref().is_none_or(|pattern| texts.iter().any(|text| pattern.holds(text, &mut known)))
        };
        let holds = (!self.own || !told.file.is_empty() && !is_library(&told.file))
            && self.since.as_ref().is_none_or(|limit| reaches(limit) == Some(true))
            && self.before.as_ref().is_none_or(|limit| reaches(limit) != Some(true))
            && self.not_before.as_ref().is_none_or(|limit| reaches(limit) != Some(false))
            && has(&self.error, &[&told.error])
            && has(&self.calls, &[&told.calls])
            && has(&self.reason, &[reason])
            && has(&self.explanation, &[explanation])
            && has(&self.debug, &[debug])
            && has(&self.says, &[reason, explanation, debug])
            && has(&self.line, &[line])
            && has(&self.file, &[&told.file])
            && lacks(&self.not_debug, debug)
            && lacks(&self.not_line, line)
            && self
                .group
                .iter()
                .all(|(name, pattern)| groups.get(name.as_str()).is_some_and(|text| pattern.is_in(text)));
        if holds {
            *groups = known;
        }
        holds
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
        self.cause.plain.iter().find_map(|template| {
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
        let hints = if self.cause.hints { prose::useful(self.told.hints.clone()) } else { Vec::new() };
        let advice = self.cause.advice.iter().filter_map(|rule| self.apply(rule));
        advice.chain(hints.into_iter().map(Advice::from)).collect()
    }

    fn apply(&self, rule: &'static Rule) -> Option<Advice> {
        let mut groups = self.groups.clone();
        rule.when.holds(self.told, &mut groups).then_some(())?;
        rule.find.iter().for_each(|find| _ = find.holds(self.told, &mut groups));
        let code = rule.code.iter().find_map(|code| filled(code, &groups));
        let code = code.map(|code| match &rule.replace {
            Some([from, to]) => code.replace(from, to),
            None => code,
        });
        let kind = rule.tried.as_deref().filter(|_| rule.tried_if.holds(self.told, &mut groups));
        groups.extend(code.iter().map(|code| ("code", code.clone())));
        Some(Advice {
            text: rule.text.iter().find_map(|text| filled(text, &groups))?,
            code,
            promise: kind.map(|_| rule.promise.as_deref().unwrap_or(GONE).to_owned()),
            because: rule.because.clone(),
            tried: kind.and_then(tried),
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

    /// What torch says in a case, a field in each line.
    fn told(given: &[&str]) -> Told {
        let mut told = Told { file: "/app/train.py".to_owned(), ..Told::default() };
        for line in given {
            let (field, text) = line.split_once(": ").expect(line);
            let text = text.replace("\\n", "\n");
            match field {
                "text" => told = Told { line: told.line, file: told.file, ..Told::of_text(&text) },
                "reason" => told.reason = text,
                "explanation" => told.explanation = text,
                "debug" => told.debug = text,
                "line" => told.line = text,
                "file" => told.file = text,
                "torch" => told.torch = TorchVersion::parse(&text),
                "hint" => told.hints.push(text),
                "error" => told.error = text,
                "calls" => told.calls = text,
                "about" => {
                    told.about = About::ALL.into_iter().find(|one| format!("{one:?}") == text).unwrap()
                }
                _ => panic!("no field {field}"),
            }
        }
        told
    }

    #[test]
    fn each_rule_has_a_case_and_says_what_that_tells() {
        let mut unused: Vec<BTreeSet<usize>> = Vec::new();
        let causes = || About::ALL.into_iter().flat_map(About::causes);
        for cause in causes() {
            let own = cause.plain.iter().flat_map(|plain| pieces(plain));
            let own = own.filter(|(piece, _)| matches!(piece, Piece::Own));
            assert!(own.into_iter().all(|(_, words)| !words.contains('{')), "a redacted title shows it");
            // The cause itself, then its advice.
            unused.push((0..=cause.advice.len()).collect());
        }
        for case in include_str!("rule_cases.txt").split("\n\n").skip(1) {
            let (expected, given): (Vec<&str>, Vec<&str>) = case
                .lines()
                .filter(|line| !line.starts_with('#'))
                .partition(|line| line.starts_with(['=', '>']));
            let told = told(&given);
            assert_eq!(said(&told), expected, "{case}");
            let found = told.cause().expect(case);
            let at = causes().position(|cause| std::ptr::eq(cause, found.cause)).unwrap();
            let is_unused = |rule: &usize| *rule > 0 && found.apply(&found.cause.advice[rule - 1]).is_none();
            unused[at].retain(is_unused);
        }
        let without: Vec<String> = causes()
            .zip(unused)
            .filter(|(_, unused)| !unused.is_empty())
            .map(|(cause, unused)| format!("{:?} {:?}: {unused:?}", cause.plain, cause.explain))
            .collect();
        assert_eq!(without, [""; 0], "rules without a case");
    }
}
