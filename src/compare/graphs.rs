//! Differences in guards, graphs, inputs and kernels.

use super::functions::ComparedFunction;
use super::matching::Matched;
use super::recording::{Compile, STRIDES};
use super::rows::LogComparison;
use super::runs::{MatchedFunction, Runs};
use crate::analysis::{
    CodeLine, CodeText, LinePair, StatementDifference, differing_guards, differing_operators, parameter_name,
    statement_difference,
};
use crate::facts::{Aspect, DiffRow, DiffSide, RowKind};
use crate::limits::{IN_HEAD, SHORT_LINE};
use crate::model::words::shortened;
use crate::trace::TextSet;
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeMap;

/// Pairs of compiles of a matched function, each the first on its side, whose values no log of A shares with one of B.
pub(super) fn pairs<'r>(
    runs: &'r Runs<'_>,
    function: &'r MatchedFunction,
    value: impl Fn(&Compile) -> String + 'r,
) -> impl Iterator<Item = CompilePair<'r>> {
    let apart = move |compile: &&Matched| {
        // The caller compares two logs in detail.
        let several = runs.logs.len() > 2;
        let [a, b] = runs.values(|log| runs.compile(function, log, compile).filter(|_| several).map(&value));
        !several || a.is_disjoint(&b)
    };
    runs.common(function).filter(apart).filter_map(|compile| {
        let [a, b] = runs.firsts(compile);
        let of = |first: Option<(usize, usize)>| {
            let (log, _) = first?;
            Some((log, runs.compile(function, log, compile)?))
        };
        Some([of(a)?, of(b)?])
    })
}

/// A compile of A and one of B, each with its log.
pub(super) type CompilePair<'r> = [(usize, &'r Compile); 2];

/// Whether a graph break ends the graph of one side only: what belongs to the code behind it is compiled apart there.
fn breaks_on_one([(_, a), (_, b)]: CompilePair<'_>) -> bool {
    a.is_broken != b.is_broken
}

/// Both sides of a row about two compiles.
pub(super) fn sides(runs: &Runs<'_>, pair: CompilePair<'_>) -> [DiffSide; 2] {
    pair.map(|(log, compile)| runs.side_of_compiles(log, std::slice::from_ref(compile)))
}

impl<'f> ComparedFunction<'f, '_> {
    /// A row on what two compiles of it are compiled to.
    fn change(&self, aspect: Aspect, text: String, compiles: CompilePair<'_>, detail: String) -> DiffRow {
        let mut row = self.row(RowKind::Changed, aspect, text);
        row.detail = Some(detail);
        row.matched = Some(self.function.how_compiles());
        [row.a, row.b] = sides(self.runs, compiles);
        row
    }

    /// The first compile whose text differs between the sides, and the lines in which it does.
    fn first_lines(
        &self,
        text: CodeText,
        find: fn(&str, &str) -> Option<LinePair>,
    ) -> Option<(CompilePair<'f>, LinePair)> {
        let runs = self.runs;
        // Another torch words all guards and graphs in another way.
        if runs.has_other_torch() {
            return None;
        }
        let hash = move |one: &Compile| one.hash(text).unwrap_or_default().to_owned();
        pairs(runs, self.function, hash).find_map(|pair| {
            let [(log_a, a), (log_b, b)] = pair;
            let differ = a.hash(text)? != b.hash(text)?;
            let files = [(log_a, a.file(text)?), (log_b, b.file(text)?)];
            let [a, b] = differ.then(|| runs.texts(files)).flatten()?;
            Some((pair, find(&a, &b)?))
        })
    }

    /// Says the line behind a difference, where that is known.
    fn set_line(&self, row: &mut DiffRow, lines: &LinePair) {
        if let Some(place) = lines.place(self.shown.told.place.file.as_deref()) {
            (row.file, row.line) = (place.file, place.line);
        }
    }

    /// Conditions that only one side compiled it for, unless the other side has them behind a graph break.
    pub(super) fn guards(&self) -> Option<DiffRow> {
        let (compiles, lines) = self.first_lines(CodeText::Guards, differing_guards)?;
        let [name_a, name_b] = self.runs.names;
        let guard = |line: &CodeLine| quoted(&line.text);
        let change = match (&lines.one, &lines.other) {
            (None, _) | (_, None) if breaks_on_one(compiles) => return None,
            (Some(old), Some(new)) => format!("{} → {}", guard(old), guard(new)),
            (Some(old), None) => format!("{} in {name_a} only", guard(old)),
            (None, new) => format!("{} in {name_b} only", new.as_ref().map(guard)?),
        };
        let text = format!("Guards of {} differ", self.words());
        let mut row = self.change(Aspect::Guards, text, compiles, change);
        self.set_line(&mut row, &lines);
        Some(row)
    }

    /// A graph with other operators, or with another number of them.
    pub(super) fn operators(&self) -> Option<DiffRow> {
        let (runs, function) = (self.runs, self.function);
        let counts = runs.values(|log| {
            let compiles = runs.common(function).filter_map(|one| runs.compile(function, log, one));
            let counts: Option<Vec<String>> = compiles.map(|one| Some(one.operators?.to_string())).collect();
            counts.map(|counts| counts.join(", "))
        });
        let counts = counts[0].is_disjoint(&counts[1]).then_some(counts);
        let counts = counts.and_then(|[a, b]| Some([a.first()?.clone(), b.first()?.clone()]));
        let lines = self.first_lines(CodeText::Graph, differing_operators);
        let (compiles, lines) = lines.map(|(compiles, lines)| (Some(compiles), lines)).unwrap_or_default();
        let difference = statement_difference(lines.one.as_ref(), lines.other.as_ref());
        let name = self.words();
        let text = match (&counts, &difference) {
            (Some([a, b]), _) => format!("Operators in the graph of {name}: {a} → {b}"),
            (None, None) => return None,
            (None, Some(_)) if lines.only_constants => format!("Constants in the graph of {name} differ"),
            (None, Some(_)) => format!("Operators in the graph of {name} differ"),
        };
        let mut row = self.row(RowKind::Changed, Aspect::Graphs, text);
        self.set_line(&mut row, &lines);
        row.detail = difference.map(|difference| statement_words(difference, runs.names));
        row.matched = Some(function.how_compiles());
        match compiles {
            Some(compiles) => [row.a, row.b] = sides(runs, compiles),
            None => runs.set_sides(function, &mut row),
        }
        if let Some([a, b]) = counts {
            (row.a.value, row.b.value) = (Some(a), Some(b));
        }
        Some(row)
    }

    /// Input tensors whose sizes, strides or dtypes differ, or that only one side has, unless a graph break keeps them out.
    pub(super) fn inputs(&self) -> Option<DiffRow> {
        let mut changes: IndexSet<String> = IndexSet::new();
        let mut first: Option<CompilePair<'_>> = None;
        // Names of all inputs, of those that differ, and of those of which more than the strides do.
        let [mut all, mut differing, mut beyond_layout] = [(); 3].map(|()| TextSet::<&str>::default());
        for pair @ [(_, a), (_, b)] in pairs(self.runs, self.function, |one| format!("{:?}", one.inputs)) {
            let (Some(inputs_a), Some(inputs_b)) = (&a.inputs, &b.inputs) else { continue };
            all.extend(inputs_a.keys().chain(inputs_b.keys()).map(String::as_str));
            let is_kept = |name| inputs_a.contains_key(name) && inputs_b.contains_key(name);
            let changes_of_pair = changed([inputs_a, inputs_b], self.runs.names);
            for (name, change) in changes_of_pair.filter(|(name, _)| !breaks_on_one(pair) || is_kept(*name)) {
                differing.insert(name);
                beyond_layout.extend((!change.contains(STRIDES)).then_some(name));
                let name = parameter_name(name).unwrap_or_else(|| name.to_owned());
                changes.insert(format!("`{name}` {change}"));
                first.get_or_insert(pair);
            }
        }
        let alone = if beyond_layout.is_empty() { " in layout alone" } else { "" };
        let (of, differing) = (all.len(), differing.len());
        let text = format!("Inputs of {}: {differing} of {of} differ{alone}", self.words());
        Some(self.change(Aspect::Inputs, text, first?, listed(&changes)))
    }

    /// Kernels of the generated code that only one side has, or that the sides have in different numbers.
    pub(super) fn kernels(&self, found: &mut LogComparison) {
        let runs = self.runs;
        let mut counts: IndexMap<&str, [u64; 2]> = IndexMap::new();
        let mut first: Option<CompilePair<'_>> = None;
        for pair in pairs(runs, self.function, |one| format!("{:?}", one.kernels)) {
            for (side, (_, compile)) in pair.into_iter().enumerate() {
                for (name, count) in &compile.kernels {
                    let sum = &mut counts.entry(name).or_default()[side];
                    *sum = sum.saturating_add(*count);
                }
            }
            first.get_or_insert(pair);
        }
        let [name_a, name_b] = runs.names;
        let changes = counts.iter().filter_map(|(name, [old, new])| match (old, new) {
            (old, new) if old == new => None,
            (0, _) => Some(format!("`{name}` in {name_b} only")),
            (_, 0) => Some(format!("`{name}` in {name_a} only")),
            (old, new) => Some(format!("`{name}` {old} → {new}")),
        });
        let changes: IndexSet<String> = changes.collect();
        *found.same.entry(Aspect::Kernels).or_default() += counts.len() - changes.len();
        let comparable = runs.sides().into_iter().all(|mut side| side.any(|log| has_kernels(runs, log)));
        let Some(compiles) = first.filter(|_| comparable && !changes.is_empty()) else { return };
        let text = format!("Kernels of {}: {} of {} differ", self.words(), changes.len(), counts.len());
        found.rows.push(self.change(Aspect::Kernels, text, compiles, listed(&changes)));
    }
}

/// `` `relu` → `gelu` ``
fn statement_words(difference: StatementDifference, [name_a, name_b]: &[String; 2]) -> String {
    let both = |[old, new]: [String; 2]| format!("{} → {}", quoted(&old), quoted(&new));
    match difference {
        StatementDifference::Result { operator, shapes } => {
            format!("{} gives {}", quoted(&operator), both(shapes))
        }
        StatementDifference::End { operator, in_first } => {
            format!("{} in {} only", quoted(&operator), if in_first { name_a } else { name_b })
        }
        StatementDifference::Arguments { operator, arguments } => {
            format!("{} gets {}", quoted(&operator), both(arguments))
        }
        StatementDifference::Operators(names) => both(names),
    }
}

/// A text of the log as code.
fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, SHORT_LINE).replace('`', "'"))
}

fn listed(lines: &IndexSet<String>) -> String {
    let shown: Vec<&str> = lines.iter().take(IN_HEAD).map(String::as_str).collect();
    let more = lines.len().saturating_sub(IN_HEAD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

/// The entries that differ between two maps, with the change in words.
fn changed<'m>(
    [a, b]: [&'m BTreeMap<String, String>; 2],
    names: &'m [String; 2],
) -> impl Iterator<Item = (&'m str, String)> {
    let [name_a, name_b] = names;
    let known = a.iter().filter_map(move |(name, old)| match b.get(name) {
        Some(new) if new == old => None,
        Some(new) => Some((name.as_str(), input_change(old, new, names))),
        None => Some((name.as_str(), format!("in {name_a} only"))),
    });
    let new = b.keys().filter(|name| !a.contains_key(*name));
    known.chain(new.map(move |name| (name.as_str(), format!("in {name_b} only"))))
}

/// The change of an input, without strides if the sizes differ, and else with the layout that they are.
fn input_change(old: &str, new: &str, [name_a, name_b]: &[String; 2]) -> String {
    let sizes = |text: &str| text.split_once(STRIDES).map_or(text.to_owned(), |(sizes, _)| sizes.to_owned());
    match (sizes(old), sizes(new)) {
        (old_sizes, new_sizes) if old_sizes != new_sizes => format!("{old_sizes} → {new_sizes}"),
        _ => {
            let layout = match (is_channels_last(old), is_channels_last(new)) {
                (false, true) => format!(", channels last in {name_b}"),
                (true, false) => format!(", channels last in {name_a}"),
                _ => String::new(),
            };
            format!("{old} → {new}{layout}")
        }
    }
}

/// Whether the channels of an image or a volume, its second dimension, lie next to each other.
fn is_channels_last(input: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let inside = text.split_once('[').map_or("", |(_, rest)| rest.trim_end_matches(']'));
        inside.split(',').map(|number| number.trim().to_owned()).collect()
    };
    let (sizes, strides) = input.split_once(STRIDES).unwrap_or_default();
    let (sizes, strides) = (numbers(sizes), numbers(strides));
    let (Some(channels), Some(step)) = (sizes.get(1), strides.get(1)) else { return false };
    sizes.len() >= 4 && step == "1" && channels != "1" && strides.last() == Some(channels)
}

/// Whether the report of a log has kernels; reports of earlier versions do not.
fn has_kernels(runs: &Runs<'_>, log: usize) -> bool {
    let functions = runs.logs.get(log).map_or(&[][..], |log| log.functions.as_slice());
    functions.iter().flat_map(|function| &function.compiles).any(|compile| !compile.kernels.is_empty())
}
