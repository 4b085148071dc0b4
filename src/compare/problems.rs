//! New and gone graph breaks, recompiles and failures.

use super::matching::{Matched, matched};
use super::recording::{Break, Compile, Failure, LogRun, Recompile};
use super::rows::Same;
use super::runs::{MatchedFunction, Runs, function_words, short_file};
use crate::facts::{DiffRow, DiffSide, Match, RowKind, RowTopic};
use crate::limits::NAMED;
use crate::trace::TextSet;

/// Differences in the problems of both sides.
#[derive(Default)]
pub(super) struct Problems {
    /// The differences.
    pub rows: Vec<DiffRow>,
    /// Compiles that a row about a recompile or a failure is about: log and id.
    compiles: TextSet<(usize, String)>,
    /// What both sides share.
    pub same: Same,
}

impl Problems {
    /// Whether a row about a recompile or a failure is about that compile.
    pub fn has_row(&self, log: usize, compile: &str) -> bool {
        self.compiles.contains(&(log, compile.to_owned()))
    }

    /// Notes the compiles that a row is about.
    fn note_compiles(&mut self, one: &Matched, id: impl Fn(usize, usize) -> Option<String>) {
        let places = one.places.iter().enumerate();
        self.compiles.extend(places.filter_map(|(log, place)| Some((log, id(log, (*place)?)?))));
    }
}

/// Compares them.
pub(super) fn problems(runs: &Runs<'_>) -> Problems {
    let mut found = Problems::default();
    breaks(runs, &mut found);
    recompiles(runs, &mut found);
    failures(runs, &mut found);
    found
}

/// A list of each log.
fn lists<'r, T>(runs: &Runs<'r>, of: impl Fn(&'r LogRun) -> &'r [T]) -> Vec<&'r [T]> {
    runs.logs.iter().map(|log| of(log)).collect()
}

/// Joins the details of a row.
fn detail(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn breaks(runs: &Runs<'_>, found: &mut Problems) {
    let lists = lists(runs, |log| &log.breaks);
    let file = |one: &Break| short_file(one.file.as_deref()).to_owned();
    let line = |one: &Break| one.line.map(|line| format!("{}:{line}", file(one)));
    let text = |one: &Break| one.loc.as_ref().map(|loc| format!("{} {loc}", file(one)));
    let all = matched(
        &lists,
        &[
            &|_, one| Some(format!("{}\n{:?}\n{:?}", one.reason, line(one), text(one))),
            &|_, one| Some(format!("{}\n{}", one.reason, text(one)?)),
            // The line was edited, or its text is not in the log.
            &|_, one| Some(format!("{}\n{}", one.reason, line(one)?)),
            &|_, one| text(one),
            &|_, one| line(one),
        ],
    );
    let other_torch = runs.has_other_torch();
    // Lines at which both sides break, for any reason.
    let shared: TextSet<String> = all
        .iter()
        .filter(|one| runs.is_common(one))
        .flat_map(|one| runs.firsts(one))
        .filter_map(|first| line(lists.get(first?.0)?.get(first?.1)?))
        .collect();
    let mut reworded = Vec::new();
    for one in &all {
        let [a, b] = runs.first_things(&lists, one);
        let Some((_, shown)) = b.or(a) else { continue };
        let became = runs.became(one);
        let differently = matches!((a, b), (Some((_, a)), Some((_, b))) if a.reason != b.reason);
        // One version of torch may give two reasons where another gives one.
        let merged =
            other_torch && became.is_some() && line(shown).is_some_and(|line| shared.contains(&line));
        if (became.is_none() && differently) || merged {
            reworded.push((a, b, how_break(one)));
            continue;
        }
        match break_row(runs, one, [a, b], became) {
            Some(row) => found.rows.push(row),
            None => found.same.breaks += 1,
        }
    }
    found.rows.extend(reworded_breaks(runs, &reworded));
}

/// How a break was matched.
fn how_break(one: &Matched) -> Match {
    match one.key {
        _ if one.by_order => Match::Order,
        0 => Match::Exact,
        1 => Match::Moved,
        _ => Match::Edited,
    }
}

/// The row of a break; None if both sides have it equally often.
fn break_row(
    runs: &Runs<'_>,
    one: &Matched,
    [a, b]: [BreakOfLog<'_>; 2],
    became: Option<RowKind>,
) -> Option<DiffRow> {
    let (_, shown) = b.or(a)?;
    let times = match (a, b) {
        (Some((_, a)), Some((_, b))) if a.count != b.count && runs.logs.len() == 2 => {
            format!(", {} → {} times", a.count, b.count)
        }
        _ => String::new(),
    };
    let kind = became.or_else(|| (!times.is_empty()).then_some(RowKind::Changed))?;
    let text = format!("Graph break: {}{times}", first_line(&shown.reason));
    let mut row = DiffRow::new(kind, RowTopic::GraphBreak, text);
    row.matched = (a.is_some() && b.is_some()).then(|| how_break(one));
    row.detail = detail([shown.loc.as_ref().map(|loc| format!("`{loc}`")), runs.presence_words(one)]);
    (row.file, row.line) = (shown.file.clone(), shown.line);
    let side = |one: BreakOfLog<'_>| one.map(|(log, one)| side_of_break(runs, log, one)).unwrap_or_default();
    (row.a, row.b) = (side(a), side(b));
    Some(row)
}

fn side_of_break(runs: &Runs<'_>, log: usize, one: &Break) -> DiffSide {
    runs.row_side(log, "graph_breaks.html".to_owned(), &one.compiles)
}

type BreakOfLog<'r> = Option<(usize, &'r Break)>;

/// A break on both sides, or on one of them, and how it was matched.
type Reworded<'r> = (BreakOfLog<'r>, BreakOfLog<'r>, Match);

/// Breaks at the same lines with different reasons: merged into one row if the versions of torch differ.
fn reworded_breaks(runs: &Runs<'_>, pairs: &[Reworded<'_>]) -> Vec<DiffRow> {
    let other_torch = runs.has_other_torch();
    let sides = |row: &mut DiffRow, pair: &Reworded<'_>| {
        let side = |one: BreakOfLog<'_>| {
            let Some((log, one)) = one else { return DiffSide::default() };
            DiffSide { value: Some(first_line(&one.reason)), ..side_of_break(runs, log, one) }
        };
        (row.a, row.b) = (side(pair.0), side(pair.1));
    };
    let place = |pair: &Reworded<'_>| {
        let (_, one) = pair.1.or(pair.0)?;
        Some(format!("`{}:{}`", short_file(one.file.as_deref()), one.line?))
    };
    if other_torch && pairs.len() > 1 {
        let places: Vec<String> = pairs.iter().filter_map(place).take(NAMED).collect();
        let subject =
            format!("{} graph breaks at the same lines are worded differently by another torch", pairs.len());
        let mut row = DiffRow::new(RowKind::Changed, RowTopic::GraphBreak, subject);
        let guesses = pairs.iter().filter(|pair| pair.2.guess().is_some()).count();
        let guesses =
            (guesses > 0).then(|| format!("{guesses} of them matched by line and order only, a guess"));
        row.detail = detail([Some(format!("at {}", places.join(", "))), guesses]);
        row.matched = Some(Match::Edited);
        if let Some(first) = pairs.first() {
            sides(&mut row, first);
            (row.a.value, row.b.value) = (None, None);
        }
        return vec![row];
    }
    let rows = pairs.iter().map(|pair| {
        let mut row = DiffRow::new(
            RowKind::Changed,
            RowTopic::GraphBreak,
            "Graph break at the same line, for another reason".to_owned(),
        );
        row.matched = Some(pair.2);
        if let Some((_, one)) = pair.1 {
            (row.file, row.line) = (one.file.clone(), one.line);
        }
        sides(&mut row, pair);
        row
    });
    rows.collect()
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().replace('`', "")
}

/// A key for the function of an entry that is the same in all logs.
fn function_key(runs: &Runs<'_>, log: usize, function: Option<usize>, name: &str) -> String {
    match function.and_then(|function| runs.row_of(log, function)) {
        Some(row) => row.to_string(),
        None => format!("named {name}"),
    }
}

/// The name of an entry's function, in words.
fn function_of(runs: &Runs<'_>, log: usize, function: Option<usize>, name: &str) -> String {
    let known = function.and_then(|function| runs.function(log, function));
    match known {
        Some(function) => function_words(&function.told.name),
        None if name.is_empty() => "a function of unknown name".to_owned(),
        None => function_words(name),
    }
}

/// How a recompile or a failure was matched: by function and reason, or by function.
fn matched_by(one: &Matched, sides: [bool; 2]) -> Option<Match> {
    let how = match one.key {
        0 => Match::Exact,
        _ if one.by_order => Match::Order,
        _ => Match::Edited,
    };
    (sides == [true, true]).then_some(how)
}

fn recompiles(runs: &Runs<'_>, found: &mut Problems) {
    let lists = lists(runs, |log| &log.recompiles);
    let of = |log: usize, one: &Recompile| function_key(runs, log, one.function, &one.name);
    let all = matched(
        &lists,
        &[&|log, one| Some(format!("{}\n{}", of(log, one), one.guards.join("\n"))), &|log, one| {
            Some(of(log, one))
        }],
    );
    for one in &all {
        let [a, b] = runs.first_things(&lists, one);
        let Some((log, shown)) = b.or(a) else { continue };
        let differently = matches!((a, b), (Some((_, a)), Some((_, b))) if a.guards != b.guards);
        let kind = match runs.became(one) {
            Some(kind) => kind,
            None if differently => RowKind::Changed,
            None => {
                found.same.recompiles += 1;
                continue;
            }
        };
        let function = function_of(runs, log, shown.function, &shown.name);
        let subject = match kind {
            RowKind::Changed => format!("Recompile of {function}, for another reason"),
            _ => format!("Recompile of {function}"),
        };
        let mut row = DiffRow::new(kind, RowTopic::Recompile, subject);
        row.matched = matched_by(one, [a.is_some(), b.is_some()]);
        let guard = shown.guards.first().map(|guard| format!("failed guard `{}`", first_line(guard)));
        row.detail = detail([guard, runs.presence_words(one)]);
        if let Some(function) = shown.function.and_then(|function| runs.function(log, function)) {
            (row.file, row.line) = (function.told.file.clone(), function.told.line);
        }
        for (log, one) in [a, b].into_iter().flatten() {
            let mut side = runs.row_side(log, "recompilations.html".to_owned(), &one.compile);
            side.value =
                one.guards.first().map(|guard| first_line(guard)).filter(|_| kind == RowKind::Changed);
            runs.set_side(&mut row, log, side);
        }
        if matches!(kind, RowKind::New | RowKind::Gone) && is_extra(runs, one, &lists) {
            row.set_seconds(runs.times(|log| lists.get(log)?.get(one.at(log)?)?.seconds));
            found.note_compiles(one, |log, at| lists.get(log)?.get(at)?.compile.clone());
        }
        found.rows.push(row);
    }
}

/// Whether the other side lacks the compile of a recompile, so that its seconds belong to the row.
fn is_extra(runs: &Runs<'_>, one: &Matched, lists: &[&[Recompile]]) -> bool {
    let known = |(log, place): (usize, &Option<usize>)| {
        let compile = lists.get(log)?.get((*place)?)?.compile.as_ref()?;
        Some(runs.is_extra(log, compile))
    };
    one.places.iter().enumerate().find_map(known) == Some(true)
}

fn failures(runs: &Runs<'_>, found: &mut Problems) {
    let lists = lists(runs, |log| &log.failures);
    let of = |log: usize, one: &Failure| function_key(runs, log, one.function, "");
    let all = matched(
        &lists,
        &[
            &|log, one| Some(format!("{}\n{}\n{}", of(log, one), one.error, one.message)),
            &|log, one| Some(format!("{}\n{}", of(log, one), one.error)),
            &|log, one| Some(of(log, one)),
        ],
    );
    for one in &all {
        let [a, b] = runs.first_things(&lists, one);
        let Some((log, shown)) = b.or(a) else { continue };
        let other_error = matches!((a, b), (Some((_, a)), Some((_, b))) if a.error != b.error);
        let kind = match runs.became(one) {
            Some(kind) => kind,
            None if other_error => RowKind::Changed,
            None => {
                found.same.failures += 1;
                continue;
            }
        };
        let function = function_of(runs, log, shown.function, "");
        let mut row = DiffRow::new(kind, RowTopic::Failure, format!("Failure: {function} was not compiled"));
        row.matched = matched_by(one, [a.is_some(), b.is_some()]);
        let what =
            if shown.message.is_empty() { shown.error.clone() } else { shown.message.replace('`', "") };
        row.detail = detail([Some(what), runs.presence_words(one)]);
        (row.file, row.line) = (shown.file.clone(), shown.line);
        for (log, one) in [a, b].into_iter().flatten() {
            let mut side = runs.row_side(log, "failures_and_restarts.html".to_owned(), &one.compile);
            side.value = Some(one.error.clone()).filter(|_| other_error);
            runs.set_side(&mut row, log, side);
        }
        let other = log_and_function(&lists, one).and_then(|(log, function)| runs.row_of(log, function));
        let other = other.and_then(|other| runs.functions.get(other));
        row.set_seconds(runs.times(|log| match one.at(log) {
            Some(at) => lists.get(log)?.get(at)?.seconds,
            None => compile_of(runs, other?, log)?.seconds,
        }));
        found.note_compiles(one, |log, at| lists.get(log)?.get(at)?.compile.clone());
        // The compile of the function on the side where it did not fail.
        for (side, log) in [(&mut row.a, 0), (&mut row.b, runs.of_a)] {
            if side.compile_ids.is_empty()
                && let Some(compile) = other.and_then(|other| compile_of(runs, other, log))
            {
                side.compile_ids.push(compile.id.clone());
            }
        }
        found.rows.push(row);
    }
}

/// The first log that has a failure, and its function there.
fn log_and_function(lists: &[&[Failure]], one: &Matched) -> Option<(usize, usize)> {
    let known =
        |(log, place): (usize, &Option<usize>)| Some((log, lists.get(log)?.get((*place)?)?.function?));
    one.places.iter().enumerate().find_map(known)
}

/// The first compile of a function in a log.
fn compile_of<'r>(runs: &Runs<'r>, function: &MatchedFunction, log: usize) -> Option<&'r Compile> {
    runs.function(log, function.places.at(log)?)?.compiles.first()
}
