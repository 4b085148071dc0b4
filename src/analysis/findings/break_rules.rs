//! What kept Dynamo from tracing on, and what to do about it: the rules of `break_rules.toml`, applied to what torch says and
//! to the user's line. A promise is given only where the experiment of that kind kept it.

use super::finding::Advice;
use super::prose;
use crate::analysis::failures::FailureCause;
use crate::analysis::lab::tried;
use crate::analysis::own_code::is_library;
use crate::analysis::pattern::{Groups, Pattern, filled};
use crate::analysis::torch_version::TorchVersion;
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::{code, own};
use crate::model::{GraphBreak, Model, Sentence, break_block};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What removes a break promises.
const GONE: &str = "no graph break here";

/// What torch says about something that it could not trace, and the line that it is about.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    /// What could not be traced.
    reason: String,
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

static RULES: LazyLock<Rules> =
    LazyLock::new(|| toml::from_str(include_str!("break_rules.toml")).unwrap_or_default());

/// The texts of all advice, with places for what torch says.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    RULES.cause.iter().flat_map(|cause| &cause.advice).flat_map(|rule| &rule.text).map(String::as_str)
}

/// What kept Dynamo from tracing on, with the names that torch's texts have.
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

    /// The first cause that applies; the last one always does.
    pub(super) fn cause(&self) -> Option<Found<'_>> {
        RULES.cause.iter().find_map(|cause| {
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
        let Some(found) = self.cause() else { return Vec::new() };
        let hints = if found.cause.hints { prose::useful(self.hints.clone()) } else { Vec::new() };
        let advice = found.cause.advice.iter().filter_map(|rule| found.apply(rule));
        advice.chain(hints.into_iter().map(Advice::from)).collect()
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

impl Found<'_> {
    fn plain(&self) -> Option<Sentence> {
        self.cause.plain.iter().find_map(|template| {
            let mut sentence = Sentence::default();
            for (at, piece) in template.split('`').enumerate() {
                let text = filled(piece, &self.groups)?;
                match at % 2 {
                    0 if text.is_empty() => {}
                    0 => sentence.add(own(text)),
                    _ => sentence.add(code(text)),
                }
            }
            Some(sentence)
        })
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
                _ => panic!("no field {field}"),
            }
        }
        told
    }

    #[test]
    fn each_break_is_told_as_its_case_says_and_each_rule_has_a_case() {
        let rules: Rules = toml::from_str(include_str!("break_rules.toml")).unwrap();
        let own_words =
            rules.cause.iter().flat_map(|cause| &cause.plain).flat_map(|plain| plain.split('`').step_by(2));
        assert!(own_words.into_iter().all(|words| !words.contains('{')), "a redacted title shows it");
        let mut unused: BTreeMap<usize, Vec<usize>> = (0..rules.cause.len())
            .map(|cause| (cause, (0..rules.cause[cause].advice.len()).collect()))
            .collect();
        let mut reached = BTreeSet::new();
        for case in include_str!("break_cases.txt").split("\n\n").skip(1) {
            let (expected, given): (Vec<&str>, Vec<&str>) = case
                .lines()
                .filter(|line| !line.starts_with('#'))
                .partition(|line| line.starts_with(['=', '>']));
            let told = told(&given);
            assert_eq!(said(&told), expected, "{case}");
            let found = told.cause().expect(case);
            let cause = RULES.cause.iter().position(|cause| std::ptr::eq(cause, found.cause)).unwrap();
            reached.insert(cause);
            let is_unused = |rule: &usize| found.apply(&found.cause.advice[*rule]).is_none();
            unused.entry(cause).or_default().retain(is_unused);
        }
        let words = |cause: usize| format!("{:?}", RULES.cause[cause].plain);
        let without: Vec<String> =
            (0..rules.cause.len()).filter(|cause| !reached.contains(cause)).map(words).collect();
        assert_eq!(without, [""; 0], "causes without a case");
        let unused = unused.into_iter().filter(|(_, rules)| !rules.is_empty());
        let unused: Vec<String> =
            unused.map(|(cause, rules)| format!("{} {rules:?}", words(cause))).collect();
        assert_eq!(unused, [""; 0], "advice without a case");
    }
}
