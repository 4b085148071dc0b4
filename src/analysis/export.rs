//! Results of torch.export: whether the log has a program, and the distinct problems.

use super::is_library;
use crate::model::{CompileIndex, ExportKind, ExportProblem, ExportedProgram, Frame, Model, TextFrame};
use crate::read::source_text::words;
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// The result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportOutcome {
    /// A program without problems.
    Clean,
    /// A program with problems: assumptions, decisions or untrusted operators.
    WithFailures,
    /// Problems and no program.
    Failed,
    /// Fewer programs than exports began, without problems.
    Unfinished,
    /// An export began, and the log says nothing else about it.
    Begun,
    /// The log does not say.
    Unknown,
}

/// What the log says about export.
#[derive(Debug)]
pub struct Export {
    /// The result.
    pub outcome: ExportOutcome,
    /// Distinct failures, in log order.
    pub failures: Vec<ExportFailure>,
    /// The failure of each problem of the model: an index into the failures.
    pub of_problem: Vec<usize>,
    /// A first attempt without a program, and the program made instead.
    pub retry: Option<Retry>,
    /// Compiles that are exports: torch writes no metrics for them.
    pub compiles: FxHashSet<CompileIndex>,
    /// Programs by compile, in log order.
    programs: FxHashMap<CompileIndex, Vec<usize>>,
}

/// An export that started over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The compile of the first attempt, without a program.
    pub failed: CompileIndex,
    /// The compile that made the program.
    pub succeeded: CompileIndex,
}

#[derive(Debug, Clone)]
pub struct ExportFailure {
    pub kind: ExportKind,
    /// Its problems: indices into the model's.
    pub problems: Vec<usize>,
}

impl Export {
    /// The program made by the export with a problem: in the same compile, otherwise in its retry.
    pub fn program<'m>(&self, model: &'m Model, problem: &ExportProblem) -> Option<&'m ExportedProgram> {
        let programs = &model.export.programs;
        let of = |compile: CompileIndex| {
            let all = self.programs.get(&compile)?;
            let later =
                all.partition_point(|&index| programs.get(index).is_some_and(|p| p.line < problem.line));
            programs.get(*all.get(later).or(all.last())?)
        };
        let retried = self.retry.filter(|retry| retry.failed == problem.compile);
        of(problem.compile).or_else(|| of(retried?.succeeded))
    }

    /// Number of failures of that kind.
    pub fn count(&self, kind: ExportKind) -> usize {
        self.failures.iter().filter(|one| one.kind == kind).count()
    }
}

pub(super) fn of_log(model: &Model) -> Export {
    let failures = failures(model);
    let mut of_problem = vec![0; model.export.problems.len()];
    for (index, failure) in failures.iter().enumerate() {
        for &problem in &failure.problems {
            if let Some(slot) = of_problem.get_mut(problem) {
                *slot = index;
            }
        }
    }
    let export = &model.export;
    let outcome = match (export.programs.is_empty(), failures.is_empty()) {
        (false, true) if export.started.len() > export.programs.len() => ExportOutcome::Unfinished,
        (false, true) => ExportOutcome::Clean,
        (false, false) => ExportOutcome::WithFailures,
        // Full traces have evaluated guards in any compile, so that these alone do not mean an export.
        (true, false) if failures.iter().any(|one| one.kind != ExportKind::GuardEvaluated) => {
            ExportOutcome::Failed
        }
        (true, _) if !export.started.is_empty() => ExportOutcome::Begun,
        (true, _) => ExportOutcome::Unknown,
    };
    let mut programs: FxHashMap<CompileIndex, Vec<usize>> = FxHashMap::default();
    for (index, program) in export.programs.iter().enumerate() {
        programs.entry(program.compile).or_default().push(index);
    }
    Export { outcome, programs, of_problem, retry: retry(model), compiles: compiles(model), failures }
}

/// Compiles with a record that only exports write.
pub(super) fn compiles(model: &Model) -> FxHashSet<CompileIndex> {
    let export = &model.export;
    let problems = export.problems.iter();
    let problems = problems.filter(|one| one.kind.of_operator() || one.kind == ExportKind::Assumed);
    let ended = export.programs.iter().map(|one| one.compile);
    export.started.iter().copied().chain(problems.map(|one| one.compile)).chain(ended).collect()
}

/// Problems with the same kind, subject, result and line of the user are one failure.
pub(super) fn failures(model: &Model) -> Vec<ExportFailure> {
    type Key<'m> = (ExportKind, &'m str, Option<&'m str>, Option<(String, u64)>);
    let mut groups: IndexMap<Key<'_>, ExportFailure> = IndexMap::new();
    for (index, one) in model.export.problems.iter().enumerate() {
        let place = place(model, one);
        let key = (
            one.kind,
            one.subject.as_str(),
            one.result.as_deref(),
            place.as_ref().map(|frame| (frame.file.clone(), frame.line)),
        );
        let new = || ExportFailure { kind: one.kind, problems: Vec::new() };
        groups.entry(key).or_insert_with(new).problems.push(index);
    }
    groups.into_values().collect()
}

/// The user's innermost line that led to a problem.
fn place(model: &Model, one: &ExportProblem) -> Option<TextFrame> {
    if let Some(call) = one.calls.first() {
        return Some(call.clone());
    }
    let stacks = [one.user_stack.as_deref(), one.stack.as_deref()];
    stacks.into_iter().flatten().find_map(|stack| stack.iter().rev().find_map(|frame| own(model, frame)))
}

/// The frame, if it is in the user's code.
fn own(model: &Model, frame: &Frame) -> Option<TextFrame> {
    let file = model.strings.get(frame.file).filter(|file| !file.is_empty() && !is_library(file))?;
    let loc = frame.loc.as_ref().map(ToString::to_string);
    Some(TextFrame { file: file.to_owned(), line: frame.line?, function: frame.name.to_string(), loc })
}

/// Draft export starts over when a constraint of `dynamic_shapes` is violated: a compile has problems and no program, and a
/// later one has the program. A compile that could not continue has failed instead.
fn retry(model: &Model) -> Option<Retry> {
    let export = &model.export;
    let identified = |compile: CompileIndex| model.compiles.get(compile).is_some_and(|c| c.id.is_some());
    let ended: FxHashSet<CompileIndex> = export.programs.iter().map(|one| one.compile).collect();
    let undecided = export.problems.iter().filter(|one| one.kind.is_end());
    let failed: FxHashSet<CompileIndex> = undecided.map(|one| one.compile).collect();
    let first = export.problems.iter().find(|one| {
        identified(one.compile) && !ended.contains(&one.compile) && !failed.contains(&one.compile)
    })?;
    let program = export.programs.iter().find(|one| identified(one.compile) && one.line > first.line)?;
    Some(Retry { failed: first.compile, succeeded: program.compile })
}

/// The call of `torch._check` that states the result of a problem's expression, from the user's line. None unless the line
/// is a plain comparison.
#[must_use]
pub fn check_for(problem: &ExportProblem, line: Option<&str>) -> Option<String> {
    check_of(line?, &problem.made.as_ref()?.method, problem.result.as_deref().unwrap_or("True"))
}

/// The call of `torch._check` that states an assumption, from the user's line, the operation of the expression, and its
/// value. None unless the line compares exactly two values.
pub(super) fn check_of(line: &str, method: &str, result: &str) -> Option<String> {
    let line = line.trim();
    let condition = ["if ", "elif ", "while ", "assert "].iter().find_map(|word| line.strip_prefix(word))?;
    let condition = condition.trim_end().trim_end_matches(':').trim();
    if words(condition).any(|word| OPERATOR_WORDS.contains(&word)) {
        return None;
    }
    let (sign, opposite) = *SIGNS.iter().find(|(name, ..)| *name == method).map(|(_, signs)| signs)?;
    let (left, right) = condition.split_once(sign)?;
    let other_signs = |side: &str| side.contains(['<', '>', '=', '!']);
    // A comma may begin the message of an assertion, and another sign means a second comparison.
    if other_signs(left) || other_signs(right) || condition.contains([',', '#', ';', '"', '\'']) {
        return None;
    }
    let sign = match result {
        "True" => sign,
        "False" => opposite,
        _ => return None,
    };
    Some(format!("torch._check({} {sign} {})", left.trim(), right.trim()))
}

/// Words of Python that make a condition more than a plain comparison.
const OPERATOR_WORDS: [&str; 8] = ["and", "or", "not", "if", "in", "is", "lambda", "for"];

/// Operations with their sign and the opposite.
const SIGNS: [(&str, (&str, &str)); 6] = [
    ("eq", ("==", "!=")),
    ("ne", ("!=", "==")),
    ("le", ("<=", ">")),
    ("ge", (">=", "<")),
    ("lt", ("<", ">=")),
    ("gt", (">", "<=")),
];
