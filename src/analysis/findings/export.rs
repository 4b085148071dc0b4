//! Problems of torch.export: operators without a correct fake kernel, expressions that depend on data.

use super::advice::Advice;
use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use super::rules::{About, Text, Told};
use crate::analysis::export::{self, ExportFailure};
use crate::analysis::user_place::{UserPlace, own_frame, text_frames};
use crate::limits::SEARCHED;
use crate::model::sentence::{code, sentence, value};
use crate::model::words::file_name;
use crate::model::{CompileIndex, ExportKind, ExportProblem, Failure, Model, ProgramFacts, TextFrame};
use crate::read::expr::size_as_written;
use crate::trace::TextSet;
use indexmap::IndexSet;

/// One finding per problem. Evaluated guards are left out, because every comparison of sizes has one; so are expressions
/// that made a compile fail.
pub(super) fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let failures = export::failures(model);
    let worth = failures.iter().filter(|one| one.kind != ExportKind::GuardEvaluated);
    let on_data = model.failures.iter().filter(|failure| text_on_data(failure).is_some());
    let on_data: Vec<&Failure> = on_data.take(SEARCHED).collect();
    let worth = worth.filter(|one| !made_compile_fail(model, &on_data, one));
    let worth = worth.filter_map(|one| finding(model, one));
    let exports = export::compiles(model);
    let is_of_export = |one: &&ExportProblem| exports.contains(&one.compile) || is_first_try(model, one);
    let evaluated = model.export.problems.iter().filter(is_of_export);
    let specialized = model.shapes.specializations.iter().map(|one| (one.at.compile, one.symbol.as_str()));
    let specialized: TextSet<(CompileIndex, &str)> = specialized.collect();
    let key = |one: &Finding| (one.title.text(), one.place.clone());
    let mut found: Vec<Finding> = worth.collect();
    let mut seen: TextSet<(String, UserPlace)> = found.iter().map(key).collect();
    let constants = evaluated.filter_map(|problem| constant(model, &specialized, problem));
    found.extend(constants.filter(|one| seen.insert(key(one))));
    found
}

/// Whether a problem is of a draft export's first try: what it decided there is decided in the program, which has a compile of
/// its own and says so: it has no range for the symbol. Only Dynamo's compiles have metrics.
fn is_first_try(model: &Model, problem: &ExportProblem) -> bool {
    let Some((symbol, _)) = decided(problem) else { return false };
    let is_constant_in = |facts: &ProgramFacts| {
        facts.left_out == 0 && !facts.ranges.iter().any(|(dynamic, _)| dynamic == symbol)
    };
    let programs = &model.export.programs;
    let later = programs.iter().skip(programs.partition_point(|one| one.line <= problem.line));
    let program = later.take(SEARCHED).find(|one| one.compile != problem.compile);
    program.and_then(|one| one.facts.as_ref()).is_some_and(is_constant_in)
        && model.compiles.get(problem.compile).is_some_and(|compile| compile.metrics.is_empty())
}

/// The symbol and the number of `Eq(s77, 6)`.
fn decided(problem: &ExportProblem) -> Option<(&str, &str)> {
    let (symbol, number) = problem.subject.strip_prefix("Eq(")?.strip_suffix(')')?.split_once(", ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && symbol.starts_with('s')).then_some((symbol, number))
}

/// A dimension that export made constant because a line needs the number: `Eq(s77, 6)`. What torch records as specialized
/// has a finding of its own.
fn constant(
    model: &Model,
    specialized: &TextSet<(CompileIndex, &str)>,
    problem: &ExportProblem,
) -> Option<Finding> {
    if problem.kind != ExportKind::GuardEvaluated {
        return None;
    }
    let (symbol, number) = decided(problem)?;
    if specialized.contains(&(problem.compile, symbol)) {
        return None;
    }
    let size = problem.source.as_deref().map_or_else(|| symbol.to_owned(), size_as_written);
    let title = sentence![code(&size), " became the constant ", value(number)];
    let mut found = Finding::new(KindOfFinding::Export, Severity::Warning, title);
    found.place = place(model, problem);
    found.stack = frames(model, problem);
    found.say("constant", &[]);
    if let (Some(file), Some(line)) = (&found.place.file, found.place.line) {
        let loc = found.place.loc.as_deref().map_or_else(String::new, |loc| format!(", `{}`", loc.trim()));
        let line = format!("{}:{line}{loc}", file_name(file));
        found.say("constant_at_line", &[("number", number), ("line", &line)]);
    }
    found.compiles = vec![problem.compile];
    Some(found)
}

/// Whether a compile failed for an expression that could not be decided, which is that of all problems of a failure.
fn made_compile_fail(model: &Model, failures: &[&Failure], failure: &ExportFailure) -> bool {
    let problem = failure.problems.first().and_then(|&index| model.export.problems.get(index));
    problem.is_some_and(|problem| failures.iter().any(|one| is_undecided(one, problem)))
}

/// What to do about the expression for which a compile failed.
pub(super) fn advice_on_failure(model: &Model, failure: &Failure) -> Vec<Advice> {
    let mut problems = model.export.problems.iter().take(SEARCHED);
    let problem = problems.find(|problem| is_undecided(failure, problem));
    problem.map_or_else(Vec::new, |problem| told(model, problem).advice())
}

/// Whether a failure is about an expression that could not be decided: its text quotes it.
fn is_undecided(failure: &Failure, problem: &ExportProblem) -> bool {
    problem.kind == ExportKind::Undecided
        && !problem.subject.is_empty()
        && text_on_data(failure).is_some_and(|text| text.contains(problem.subject.as_str()))
}

/// The text of a failure that depends on data.
fn text_on_data(failure: &Failure) -> Option<&str> {
    failure.reason.as_deref().filter(|text| text.contains("data-dependent"))
}

/// What rules read of a problem.
fn told(model: &Model, problem: &ExportProblem) -> Told<'static> {
    let line = place(model, problem).loc;
    let check = export::check_for(problem, line.as_deref()).map(|check| ("check", check));
    let subject = &problem.subject;
    let names =
        [("operator", subject.clone()), ("expression", subject.clone()), ("qualified", qualified(subject))];
    Told {
        about: About::Export,
        texts: [(Text::Record, format!("{:?}", problem.kind))].into(),
        names: names.into_iter().chain(check).collect(),
        ..Told::default()
    }
}

/// The frames that led to a problem. An operator's event has none; then the lines of the program that call it.
fn frames(model: &Model, problem: &ExportProblem) -> Vec<TextFrame> {
    let made = problem.made.iter().filter_map(|made| made.user_stack.as_deref());
    let stacks = problem.user_stack.as_deref().into_iter().chain(made).map(|stack| text_frames(model, stack));
    let mut own = stacks;
    let own = own.find(|frames| own_frame(frames).is_some());
    own.or_else(|| Some(problem.calls.clone()).filter(|calls| !calls.is_empty()))
        .or_else(|| problem.user_stack.as_deref().map(|stack| text_frames(model, stack)))
        .unwrap_or_default()
}

fn place(model: &Model, problem: &ExportProblem) -> UserPlace {
    own_frame(&frames(model, problem)).map_or_else(UserPlace::default, UserPlace::of_frame)
}

/// What a problem means and what to do about it.
pub fn finding(model: &Model, failure: &ExportFailure) -> Option<Finding> {
    let mut problems = failure.problems.iter().filter_map(|&index| model.export.problems.get(index));
    let one = problems.next()?;
    let told = told(model, one);
    let cause = told.cause()?;
    let mut found = Finding::new(KindOfFinding::Export, Severity::Warning, cause.plain()?);
    found.detail = cause.explanation().map(str::to_owned);
    found.advise_all(cause.advice());
    if let Some(result) = &one.result {
        let label = if failure.kind.of_operator() { "Reason" } else { "Assumed" };
        found.fact(label, Value::Code(vec![result.clone()]));
    }
    found.stack = frames(model, one);
    found.place = place(model, one);
    found.count = failure.problems.len() as u64;
    let compiles = std::iter::once(one).chain(problems).map(|problem| problem.compile);
    found.compiles = compiles.collect::<IndexSet<_>>().into_iter().collect();
    Some(found)
}

/// `corpus::no_fake` for `corpus.no_fake.default`, as functions that register expect it.
fn qualified(operator: &str) -> String {
    let operator = operator.strip_suffix(".default").unwrap_or(operator);
    match operator.split_once('.') {
        Some((namespace, name)) if !operator.contains("::") => format!("{namespace}::{name}"),
        _ => operator.to_owned(),
    }
}
