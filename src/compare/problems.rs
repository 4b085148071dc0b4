//! New and gone graph breaks, recompiles and failures, and logs that end within a compile.

use super::items::Item;
use super::matching::{Key, Matched, matched};
use super::recording::LogRun;
use super::runs::{Runs, function_words};
use crate::facts::{Aspect, DiffRow, DiffSide, Match, RowKind, file_of};
use crate::limits::NAMED;
use crate::trace::TextSet;
use std::collections::BTreeMap;

/// Differences in the problems of both sides.
#[derive(Default)]
pub(super) struct Problems {
    /// The differences.
    pub rows: Vec<DiffRow>,
    /// Compiles that a row about a recompile or a failure is about: log and id.
    compiles: TextSet<(usize, String)>,
    /// What both sides share.
    pub same: BTreeMap<Aspect, usize>,
}

impl Problems {
    /// Whether a row about a recompile or a failure is about that compile.
    pub fn has_row(&self, log: usize, compile: &str) -> bool {
        self.compiles.contains(&(log, compile.to_owned()))
    }
}

/// What is compared in the same way.
const COMPARED: [Aspect; 4] = [Aspect::GraphBreaks, Aspect::Recompiles, Aspect::Failures, Aspect::Ends];

/// Whether an item is about an aspect.
fn is_about(aspect: Aspect, item: &Item) -> bool {
    match aspect {
        Aspect::Ends => item.kind == "cut_off",
        _ => item.aspect == aspect,
    }
}

/// Compares them.
pub(super) fn problems<'r>(runs: &Runs<'r>) -> Problems {
    let mut found = Problems::default();
    for aspect in COMPARED {
        let of = |log: &&'r LogRun| -> Vec<&'r Item> {
            let log: &'r LogRun = log;
            log.items.iter().filter(|item| is_about(aspect, item)).collect()
        };
        let lists: Vec<Vec<&Item>> = runs.logs.iter().map(of).collect();
        let lists: Vec<&[&Item]> = lists.iter().map(Vec::as_slice).collect();
        Comparing { runs, aspect, lists: &lists }.rows(&mut found);
    }
    found
}

/// An item with its log.
type ItemOfLog<'r> = Option<(usize, &'r Item)>;

/// An item on both sides or one of them, and how it was matched.
struct Pair<'r> {
    matched: Matched,
    a: ItemOfLog<'r>,
    b: ItemOfLog<'r>,
}

impl<'r> Pair<'r> {
    /// The item of B, or else of A.
    fn shown(&self) -> ItemOfLog<'r> {
        self.b.or(self.a)
    }

    /// Both items, if both sides have it.
    fn both(&self) -> Option<(&'r Item, &'r Item)> {
        Some((self.a?.1, self.b?.1))
    }
}

/// The items about one aspect in all logs.
struct Comparing<'c, 'r> {
    runs: &'c Runs<'r>,
    aspect: Aspect,
    lists: &'c [&'c [&'c Item]],
}

impl<'c> Comparing<'c, '_> {
    fn rows(&self, found: &mut Problems) {
        let pairs: Vec<Pair<'c>> = self.matched().into_iter().map(|matched| self.pair(matched)).collect();
        let other_torch = self.runs.has_other_torch();
        // Lines at which both sides have one, for any reason.
        let shared: TextSet<String> = pairs
            .iter()
            .filter(|pair| self.runs.is_common(&pair.matched))
            .flat_map(|pair| [pair.a, pair.b])
            .filter_map(|one| place(one?.1))
            .collect();
        let mut reworded = Vec::new();
        for pair in pairs {
            let Some((_, shown)) = pair.shown() else { continue };
            let became = self.runs.became(&pair.matched);
            let differently = pair.both().is_some_and(|(a, b)| self.differ(a, b));
            // One version of torch may give two reasons where another gives one.
            let merged =
                other_torch && became.is_some() && place(shown).is_some_and(|one| shared.contains(&one));
            let is_break = self.aspect == Aspect::GraphBreaks;
            if is_break && ((became.is_none() && differently) || merged) {
                reworded.push(pair);
                continue;
            }
            let times = pair.both().filter(|(a, b)| a.times != b.times && self.runs.logs.len() == 2);
            let is_changed = differently || times.is_some();
            match became.or_else(|| is_changed.then_some(RowKind::Changed)) {
                Some(kind) => found.rows.push(self.row(&pair, kind, &mut found.compiles)),
                None => *found.same.entry(self.aspect).or_default() += 1,
            }
        }
        found.rows.extend(self.reworded(&reworded));
    }

    /// Matches the items, by what stays the same from run to run first.
    fn matched(&self) -> Vec<Matched> {
        type BoxedKey<'k> = Box<dyn Fn(usize, &&Item) -> Option<String> + 'k>;
        let function = |log: usize, one: &Item| Some(self.function_key(log, one));
        let keys: Vec<BoxedKey<'_>> = match self.aspect {
            Aspect::GraphBreaks => vec![
                Box::new(|_, one| Some(format!("{}\n{:?}\n{:?}", one.what, place(one), source(one)))),
                Box::new(|_, one| Some(format!("{}\n{}", one.what, source(one)?))),
                // The line was edited, or its text is not in the log.
                Box::new(|_, one| Some(format!("{}\n{}", one.what, place(one)?))),
                Box::new(|_, one| source(one)),
                Box::new(|_, one| place(one)),
            ],
            Aspect::Recompiles => vec![
                Box::new(move |log, one| Some(format!("{}\n{}", function(log, one)?, one.what))),
                Box::new(move |log, one| function(log, one)),
            ],
            Aspect::Failures => vec![
                Box::new(move |log, one| Some(format!("{}\n{}", function(log, one)?, one.what))),
                Box::new(move |log, one| Some(format!("{}\n{}", function(log, one)?, first_line(&one.what)))),
                Box::new(move |log, one| function(log, one)),
            ],
            _ => vec![Box::new(|_, one| Some(one.kind.clone()))],
        };
        let keys: Vec<Key<'_, &Item>> = keys.iter().map(|key| &**key as Key<'_, &Item>).collect();
        matched(self.lists, &keys)
    }

    fn pair(&self, matched: Matched) -> Pair<'c> {
        let of = |one: Option<(usize, &'c &'c Item)>| one.map(|(log, item)| (log, *item));
        let [a, b] = self.runs.first_things(self.lists, &matched).map(of);
        Pair { matched, a, b }
    }

    /// Whether two items that were matched are not the same after all. The words of an error may differ.
    fn differ(&self, a: &Item, b: &Item) -> bool {
        match self.aspect {
            Aspect::Failures => first_line(&a.what) != first_line(&b.what),
            Aspect::Ends => false,
            _ => a.what != b.what,
        }
    }

    /// How a pair was matched; None if only one side has it.
    fn how(&self, pair: &Pair<'_>) -> Option<Match> {
        let is_break = self.aspect == Aspect::GraphBreaks;
        pair.both().map(|_| match pair.matched.key {
            0 if !(is_break && pair.matched.by_order) => Match::Exact,
            _ if pair.matched.by_order => Match::Order,
            1 if is_break => Match::Moved,
            _ => Match::Edited,
        })
    }

    fn row(&self, pair: &Pair<'_>, kind: RowKind, compiles: &mut TextSet<(usize, String)>) -> DiffRow {
        let (runs, aspect) = (self.runs, self.aspect);
        let Some((log, shown)) = pair.shown() else { return DiffRow::new(kind, aspect, String::new()) };
        let mut row = DiffRow::new(kind, aspect, self.subject(pair, kind, (log, shown)));
        row.matched = self.how(pair);
        let told = match aspect {
            Aspect::GraphBreaks => Some(&shown.identity.source).filter(|text| !text.is_empty()).cloned(),
            _ => Some(first_line(&shown.what)).filter(|text| !text.is_empty()),
        };
        let told = told.map(|text| match aspect {
            Aspect::GraphBreaks => format!("`{text}`"),
            Aspect::Recompiles => format!("failed guard `{text}`"),
            _ => innermost(shown).unwrap_or(text),
        });
        let details: Vec<String> = told.into_iter().chain(runs.presence_words(&pair.matched)).collect();
        row.detail = (!details.is_empty()).then(|| details.join("; "));
        (row.file, row.line) = (shown.file.clone(), shown.line);
        if aspect == Aspect::Recompiles {
            let function = self.function(log, shown).and_then(|place| runs.function(log, place));
            let place = function.map(|function| function.told.place.clone()).unwrap_or_default();
            (row.file, row.line) = (place.file, place.line);
        }
        let has_values = kind == RowKind::Changed && matches!(aspect, Aspect::Recompiles | Aspect::Failures);
        for (log, one) in [pair.a, pair.b].into_iter().flatten() {
            let mut side = self.side(log, one);
            side.value = has_values.then(|| first_line(&one.what)).map(|value| match value.is_empty() {
                true => "no reason recorded".to_owned(),
                false => value,
            });
            runs.set_side(&mut row, log, side);
        }
        match aspect {
            Aspect::Recompiles if kind != RowKind::Changed && self.is_extra(&pair.matched) => {
                row.set_seconds(runs.times(|log| self.seconds(log, self.item(log, &pair.matched)?)));
                self.note_compiles(&pair.matched, compiles);
            }
            Aspect::Failures => {
                self.note_compiles(&pair.matched, compiles);
                self.add_outcome(pair, &mut row);
            }
            _ => {}
        }
        row
    }

    fn subject(&self, pair: &Pair<'_>, kind: RowKind, (log, shown): (usize, &Item)) -> String {
        let function = || match self.function(log, shown).and_then(|place| self.runs.function(log, place)) {
            Some(function) => function_words(&function.told.name),
            None => shown
                .functions
                .first()
                .map_or_else(|| "a function of unknown name".to_owned(), |one| function_words(&one.name)),
        };
        match self.aspect {
            Aspect::GraphBreaks => {
                let times = pair.both().filter(|(a, b)| a.times != b.times && self.runs.logs.len() == 2);
                let times = times.map(|(a, b)| format!(", {} → {} times", a.times, b.times));
                format!("Graph break: {}{}", first_line(&shown.what), times.unwrap_or_default())
            }
            Aspect::Recompiles if kind == RowKind::Changed => {
                format!("Recompile of {}, for another reason", function())
            }
            Aspect::Recompiles => format!("Recompile of {}", function()),
            Aspect::Failures if shown.is_at_limit => format!("Failure: {}", shown.title),
            Aspect::Failures => {
                let pass = if shown.is_backward { "the backward of " } else { "" };
                format!("Failure: {pass}{} was not compiled", function())
            }
            _ => shown.title.clone(),
        }
    }

    fn side(&self, log: usize, one: &Item) -> DiffSide {
        self.runs.row_side(log, self.aspect.page().to_owned(), &one.compiles)
    }

    fn item(&self, log: usize, one: &Matched) -> Option<&'c Item> {
        self.lists.get(log)?.get(one.at(log)?).copied()
    }

    /// The index of an item's function in its log.
    fn function(&self, log: usize, one: &Item) -> Option<usize> {
        Some(self.runs.compile_of(log, one.compiles.first()?)?.0)
    }

    /// A key for the function of an item that is the same in all logs.
    fn function_key(&self, log: usize, one: &Item) -> String {
        match self.function(log, one).and_then(|function| self.runs.row_of(log, function)) {
            Some(row) => row.to_string(),
            None => format!("named {}", one.functions.first().map_or("", |function| &function.name)),
        }
    }

    fn seconds(&self, log: usize, one: &Item) -> Option<f64> {
        self.runs.compile_of(log, one.compiles.first()?)?.1.seconds
    }

    /// Whether the other side lacks the compile of a recompile, so that its seconds belong to the row.
    fn is_extra(&self, one: &Matched) -> bool {
        let known = |log: usize| Some(self.runs.is_extra(log, self.item(log, one)?.compiles.first()?));
        (0..self.lists.len()).find_map(known) == Some(true)
    }

    fn note_compiles(&self, one: &Matched, compiles: &mut TextSet<(usize, String)>) {
        let of = |log: usize| Some((log, self.item(log, one)?.compiles.first()?.clone()));
        compiles.extend((0..self.lists.len()).filter_map(of));
    }

    /// The seconds of a failed compile, and the first compile of the function on a side where it did not fail.
    fn add_outcome(&self, pair: &Pair<'_>, row: &mut DiffRow) {
        let runs = self.runs;
        let of = |log: usize| runs.row_of(log, self.function(log, self.item(log, &pair.matched)?)?);
        let function = (0..self.lists.len()).find_map(of).and_then(|row| runs.functions.get(row));
        let first = |log: usize| runs.function(log, function?.places.at(log)?)?.compiles.first();
        row.set_seconds(runs.times(|log| match self.item(log, &pair.matched) {
            Some(item) => self.seconds(log, item),
            None => first(log)?.seconds,
        }));
        for (side, log) in [(&mut row.a, 0), (&mut row.b, runs.of_a)] {
            if side.compile_ids.is_empty() {
                side.compile_ids.extend(first(log).map(|compile| compile.id.clone()));
            }
        }
    }

    /// Breaks at the same lines with different reasons: merged into one row if the versions of torch differ.
    fn reworded(&self, pairs: &[Pair<'_>]) -> Vec<DiffRow> {
        let changed = |subject: &str| DiffRow::new(RowKind::Changed, self.aspect, subject.to_owned());
        let side = |one: ItemOfLog<'_>| one.map(|(log, one)| self.side(log, one)).unwrap_or_default();
        if let ([first, _, ..], true) = (pairs, self.runs.has_other_torch()) {
            let places = pairs.iter().filter_map(|pair| Some(format!("`{}`", place(pair.shown()?.1)?)));
            let places: Vec<String> = places.take(NAMED).collect();
            let guesses = pairs.iter().filter(|pair| self.how(pair).and_then(Match::guess).is_some()).count();
            let guesses = match guesses {
                0 => String::new(),
                _ => format!("; {guesses} of them matched by line and order only, a guess"),
            };
            let words = "graph breaks at the same lines are worded differently by another torch";
            return vec![DiffRow {
                detail: Some(format!("at {}{guesses}", places.join(", "))),
                matched: Some(Match::Edited),
                a: side(first.a),
                b: side(first.b),
                ..changed(&format!("{} {words}", pairs.len()))
            }];
        }
        let valued = |one: ItemOfLog<'_>| {
            let value = one.map(|(_, one)| first_line(&one.what));
            DiffSide { value, ..side(one) }
        };
        let rows = pairs.iter().map(|pair| DiffRow {
            matched: self.how(pair).or(Some(Match::Edited)),
            file: pair.b.and_then(|(_, one)| one.file.clone()),
            line: pair.b.and_then(|(_, one)| one.line),
            a: valued(pair.a),
            b: valued(pair.b),
            ..changed("Graph break at the same line, for another reason")
        });
        rows.collect()
    }
}

/// What went wrong, as the finding on a failure says it, or else the first line of the message.
fn innermost(failure: &Item) -> Option<String> {
    let title = failure.title.split_once("compiled: ").or_else(|| failure.title.split_once(": "));
    // At the recompile limit, the finding says after how many versions, and what changed.
    let title = title.filter(|(before, _)| !before.trim_end_matches('s').ends_with(" version"));
    let message = title.map(|(_, message)| message).or_else(|| failure.what.lines().nth(1))?;
    Some(message.replace('`', ""))
}

/// The file of an item without folders that depend on the machine.
fn file(one: &Item) -> String {
    one.file.as_deref().map(file_of).unwrap_or_default()
}

/// Its file and the text of its line, if torch recorded that.
fn source(one: &Item) -> Option<String> {
    let text = &one.identity.source;
    (!text.is_empty()).then(|| format!("{} {text}", file(one)))
}

/// `net.py:12`
fn place(one: &Item) -> Option<String> {
    Some(format!("{}:{}", file(one), one.line?))
}

/// Of a failure, the class of its error.
fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().replace('`', "")
}
