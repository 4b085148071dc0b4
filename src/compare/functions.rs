//! Differences in functions: which are compiled, how often, how long it takes, and the result.

use super::matching::Matched;
use super::noise::Pair;
use super::problems::Problems;
use super::recording::{Compile, Function, Seconds, TimePart};
use super::rows::{FunctionLine, LogComparison, OneFactor, TimeLine};
use super::runs::{MatchedFunction, Runs, function_words};
use super::texts::{ComparedCompile, CompileRef, CompileTexts};
use crate::facts::{Aspect, DiffRow, RowKind};
use crate::limits::NAMED;
use crate::model::CompilerPart;
use crate::model::words::counted;

/// Smallest number of functions for a statement on nearly all of them.
const LEAST_FUNCTIONS: usize = 4;

/// Adds the rows and the table of functions.
pub(super) fn functions(runs: &Runs<'_>, problems: &Problems, found: &mut LogComparison) {
    for (id, function) in runs.functions.iter().enumerate() {
        let [a, b] = runs.firsts(&function.places).map(|first| {
            let (log, place) = first?;
            runs.function(log, place)
        });
        let Some(shown) = b.or(a) else { continue };
        let subject = ComparedFunction { runs, id, function, shown };
        let before = found.rows.len();
        match runs.became(&function.places) {
            None => {
                *found.same.entry(Aspect::Functions).or_default() += 1;
                common(problems, &subject, found);
            }
            Some(kind) => found.rows.push(one_sided(&subject, kind)),
        }
        for row in found.rows.iter_mut().skip(before) {
            row.function = Some(id);
        }
        found.functions.push(line(&subject));
    }
    let by_difference = |line: &FunctionLine| line.line.times.difference().abs();
    found.functions.sort_by(|x, y| by_difference(y).total_cmp(&by_difference(x)));
    found.one_factor = one_factor(&found.functions);
}

/// A function to compare.
pub(super) struct ComparedFunction<'f, 'r> {
    pub runs: &'f Runs<'r>,
    /// Its index among the functions of the comparison.
    id: usize,
    pub function: &'f MatchedFunction,
    /// The function in B, otherwise in A.
    pub shown: &'r Function,
}

impl ComparedFunction<'_, '_> {
    pub fn row(&self, kind: RowKind, aspect: Aspect, subject: String) -> DiffRow {
        let mut row = DiffRow::new(kind, aspect, subject);
        let place = &self.shown.told.place;
        (row.file, row.line) = (place.file.clone(), place.line);
        row
    }

    pub fn words(&self) -> String {
        function_words(&self.shown.told.name)
    }
}

/// Seconds of some compiles of a function in all logs.
fn seconds<'m, C: Iterator<Item = &'m Matched>>(
    ComparedFunction { runs, function, .. }: &ComparedFunction<'_, '_>,
    compiles: impl Fn() -> C,
) -> Pair {
    runs.times(|log| {
        let times = compiles().filter_map(|compile| runs.compile(function, log, compile)?.seconds);
        times.fold(None, |sum: Option<f64>, seconds| Some(sum.unwrap_or(0.0) + seconds))
    })
}

/// A function that only one side compiles.
fn one_sided(subject: &ComparedFunction<'_, '_>, kind: RowKind) -> DiffRow {
    let (words, runs) = (subject.words(), subject.runs);
    let [a, b] = runs.names;
    let text = match kind {
        RowKind::New => format!("{words} is compiled by {b} only"),
        RowKind::Gone => format!("{words} is compiled by {a} only"),
        _ => format!("{words} is compiled by some runs only"),
    };
    let mut row = subject.row(kind, Aspect::Functions, text);
    row.detail = runs.presence_words(&subject.function.places);
    runs.set_sides(subject.function, &mut row);
    row.set_seconds(seconds(subject, || subject.function.compiles.iter()));
    row
}

/// Adds the differences in a function that both sides compile.
fn common(problems: &Problems, subject: &ComparedFunction<'_, '_>, found: &mut LogComparison) {
    let (runs, function) = (subject.runs, subject.function);
    found.rows.extend(count_of_compiles(problems, subject));
    let times = seconds(subject, || runs.common(function));
    if times.differs(runs.threshold) {
        let kind = RowKind::of_difference(times.difference());
        let mut row = subject.row(kind, Aspect::FunctionTime, format!("Compile time of {}", subject.words()));
        row.matched = Some(function.how());
        runs.set_sides(function, &mut row);
        row.set_seconds(times);
        // Rows on failures and recompiles have the seconds of their compile.
        let is_counted = [&row.a, &row.b].into_iter().zip(runs.sides()).any(|(side, logs)| {
            side.compile_ids.iter().any(|id| logs.clone().any(|log| problems.has_row(log, id)))
        });
        if !is_counted {
            found.rows.push(row);
        }
    }
    found.rows.extend([subject.guards(), subject.operators(), subject.inputs()].into_iter().flatten());
    subject.kernels(found);
}

/// A function that one side compiles more often, unless a row on a recompile or failure says so.
fn count_of_compiles(problems: &Problems, subject: &ComparedFunction<'_, '_>) -> Option<DiffRow> {
    let (runs, function) = (subject.runs, subject.function);
    let extra: Vec<&Matched> = function.compiles.iter().filter(|one| runs.became(one).is_some()).collect();
    let is_told = |one: &&Matched| {
        let mut known = one.places.iter().enumerate().filter(|(_, place)| place.is_some());
        known.any(|(log, _)| {
            let compile = runs.compile(function, log, one);
            compile.is_some_and(|compile| problems.has_row(log, &compile.id))
        })
    };
    let extra: Vec<&Matched> = extra.into_iter().filter(|one| !is_told(one)).collect();
    let firsts = runs.firsts(&function.places);
    let count = |first: Option<(usize, usize)>| {
        let (log, place) = first?;
        Some(runs.function(log, place)?.compiles.len())
    };
    let (a, b) = (count(firsts[0])?, count(firsts[1])?);
    if extra.is_empty() || a == b {
        return None;
    }
    let kind = if b > a { RowKind::New } else { RowKind::Gone };
    let text = format!(
        "{} is compiled {} instead of {a}, without a reason recorded",
        subject.words(),
        counted(b, "time", "times")
    );
    let mut row = subject.row(kind, Aspect::Compiles, text);
    row.matched = Some(function.how());
    runs.set_sides(function, &mut row);
    row.set_seconds(seconds(subject, || extra.iter().copied()));
    Some(row)
}

/// The line of a function in the table.
fn line(subject: &ComparedFunction<'_, '_>) -> FunctionLine {
    let (runs, function) = (subject.runs, subject.function);
    let times = seconds(subject, || function.compiles.iter());
    let builds = runs.times(|log| {
        function.places.at(log)?;
        let compiles = function.compiles.iter().filter_map(|one| runs.compile(function, log, one));
        Some(compiles.map(|one| one.parts.time_in(TimePart::Of(CompilerPart::KernelBuilds))).sum())
    });
    let [a, b] = runs.firsts(&function.places).map(|first| {
        let (log, place) = first?;
        Some((log, runs.function(log, place)?.compiles.as_slice()))
    });
    let counts = |side: Option<(usize, &[Compile])>, of: fn(&Compile) -> Option<u64>| {
        let compiles = side.into_iter().flat_map(|(_, compiles)| compiles);
        compiles.filter_map(of).take(NAMED).map(|count| count.to_string()).collect::<Vec<_>>().join(", ")
    };
    let refs = |side: Option<(usize, &[Compile])>| {
        let known = side.and_then(|(log, compiles)| Some((runs.logs.get(log)?, compiles)));
        let Some((log, compiles)) = known else { return Vec::new() };
        compiles.iter().take(NAMED).map(|one| CompileRef::new(log, one)).collect()
    };
    let texts = |log: usize, compile: &Matched| {
        let one = runs.compile(function, log, compile)?;
        Some(CompileTexts::new(runs.logs.get(log)?, one))
    };
    let compared = function.compiles.iter().take(NAMED).map(|compile| {
        let [a, b] = runs.firsts(compile).map(|first| texts(first?.0, compile));
        ComparedCompile { a, b }
    });
    FunctionLine {
        id: subject.id,
        matched: (a.is_some() && b.is_some()).then(|| function.how_compiles()),
        compared: compared.collect(),
        line: TimeLine {
            name: subject.shown.told.name.clone(),
            times,
            differs: times.differs(runs.threshold),
        },
        file: subject.shown.told.place.file.clone(),
        place: subject.shown.told.place.line,
        operators: (counts(a, |one| one.operators), counts(b, |one| one.operators)),
        guards: (counts(a, |one| one.guards), counts(b, |one| one.guards)),
        a: refs(a),
        b: refs(b),
        builds,
    }
}

/// Whether nearly every function is slower, or faster, by about the same factor.
fn one_factor(lines: &[FunctionLine]) -> Option<OneFactor> {
    let mut factors: Vec<f64> = lines.iter().filter_map(|line| line.line.times.factor()).collect();
    factors.sort_by(f64::total_cmp);
    let at =
        |share: f64| factors.get((share * (factors.len().checked_sub(1)? as f64)).round() as usize).copied();
    let (low, median, high) = (at(0.25)?, at(0.5)?, at(0.75)?);
    let same_way = |factor: &&f64| if median > 1.0 { **factor > 1.0 } else { **factor < 1.0 };
    let functions = factors.iter().filter(same_way).count();
    let far = median >= 1.1 || median <= 1.0 / 1.1;
    // The quartiles are within a factor of two.
    let alike = high <= 2.0 * low && functions * 10 >= factors.len() * 9;
    (factors.len() >= LEAST_FUNCTIONS && far && alike).then_some(OneFactor {
        factor: median,
        functions,
        of: factors.len(),
    })
}

/// Seconds of compiles that only one side has, and their parts, which a comparison of the rest leaves out.
pub(super) fn of_one_side(runs: &Runs<'_>, log: usize) -> (f64, Seconds) {
    let mut parts = Seconds::default();
    let mut seconds = 0.0;
    for function in &runs.functions {
        for compile in function.compiles.iter().filter(|one| !runs.is_common(one)) {
            let Some(compile) = runs.compile(function, log, compile) else { continue };
            seconds += compile.seconds.unwrap_or_default();
            TimePart::ALL.into_iter().for_each(|part| parts.add(part, compile.parts.time_in(part)));
        }
    }
    (seconds, parts)
}
