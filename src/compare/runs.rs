//! The logs of both sides with their functions and compiles matched.

use super::matching::{Key, Matched, matched};
use super::noise::{Pair, Times};
use super::recording::{Compile, Function, LogRun, Setting};
use crate::analysis::resumed;
use crate::facts::{DiffRow, DiffSide, Match, RowKind, Threshold, file_of};
use crate::limits::{LARGEST_TEXT, NAMED, TRIED};
use crate::model::words::counted;
use crate::rel_path::RelPath;
use crate::trace::{TextMap, TextSet};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Number of one-sided settings from which another version of torch is assumed.
const OF_OTHER_TORCH: usize = 10;

/// The logs that are compared: those of A first.
pub(super) struct Runs<'r> {
    /// All of them.
    pub logs: Vec<&'r LogRun>,
    /// How many belong to A.
    pub of_a: usize,
    /// Smaller differences are noise.
    pub threshold: Threshold,
    /// What sentences call the sides.
    pub names: &'r [String; 2],
    /// The functions of all logs.
    pub functions: Vec<MatchedFunction>,
    /// How many pairs of texts may still be read.
    texts_left: Cell<usize>,
    /// By log and place of the function in it: its place in `functions`.
    rows: Vec<Vec<usize>>,
    /// By log: the compiles that the other side does not have.
    extra: Vec<TextSet<&'r str>>,
    /// By log: place of the function and compile of each id.
    compiles: Vec<TextMap<&'r str, (usize, &'r Compile)>>,
}

/// A function with its compiles.
pub(super) struct MatchedFunction {
    /// Its place in each log.
    pub places: Matched,
    /// Its compiles, by their place among those of the function.
    pub compiles: Vec<Matched>,
}

impl<'r> Runs<'r> {
    /// Matches the functions and compiles of the logs.
    pub fn new(a: &[&'r LogRun], b: &[&'r LogRun], threshold: Threshold, names: &'r [String; 2]) -> Runs<'r> {
        let logs: Vec<&LogRun> = a.iter().chain(b).copied().collect();
        let lists: Vec<&[Function]> = logs.iter().map(|log| log.functions.as_slice()).collect();
        // Methods of two classes are two functions, as far as all logs know the classes.
        let knows_classes = |list: &&[Function]| list.iter().any(|one| one.class.is_some());
        let by_class = lists.iter().all(knows_classes);
        let class = |one: &Function| one.class.clone().filter(|_| by_class).unwrap_or_default();
        let place = |one: &Function| format!("{:?}{}{:?}", one.file, named(one), one.line);
        let functions = lists.iter().copied().flatten();
        let without_class: TextSet<String> = functions.filter(|one| one.class.is_none()).map(place).collect();
        let functions = matched(
            &lists,
            &[
                &|_, one| {
                    Some(format!("{}{:?}\n{}{:?}{}", class(one), one.file, named(one), one.line, shape(one)))
                },
                &|_, one| Some(format!("{}{}{:?}{}", class(one), named(one), one.line, shape(one))),
                &|_, one| Some(format!("{}{}{}", class(one), named(one), shape(one))),
                &|_, one| Some(format!("{}{}{:?}", class(one), named(one), one.line)),
                &|_, one| Some(format!("{}{}", class(one), named(one))),
                &|_, one| Some(format!("{}{}{}", class(one), moved(one), shape(one))),
                &|_, one| Some(format!("{}{}", class(one), moved(one))),
                // A log that ends early does not know the class.
                &|_, one| Some(place(one)).filter(|place| without_class.contains(place)),
                // A class that was renamed has the same code.
                &|_, one| Some(format!("{}{}", named(one), shape(one))),
            ],
        );
        let mut rows: Vec<Vec<usize>> = lists.iter().map(|list| vec![0; list.len()]).collect();
        for (row, places) in functions.iter().enumerate() {
            for (log, place) in places.places.iter().enumerate() {
                if let Some(slot) = place.and_then(|place| rows.get_mut(log)?.get_mut(place)) {
                    *slot = row;
                }
            }
        }
        let with_compiles = |places: Matched| {
            let empty: &[Compile] = &[];
            let of = |(log, list): (usize, &&'r [Function])| {
                let function = places.at(log).and_then(|place| list.get(place));
                function.map_or(empty, |function| function.compiles.as_slice())
            };
            let lists: Vec<&[Compile]> = lists.iter().enumerate().map(of).collect();
            let keys: [Key<'_, Compile>; 2] = [&|_, one| Some(graph(one)), &|_, _| Some(String::new())];
            let compiles = matched(&lists, &keys);
            MatchedFunction { places, compiles }
        };
        let functions = functions.into_iter().map(with_compiles).collect();
        let extra = logs.iter().map(|_| TextSet::default()).collect();
        let by_id = |list: &&'r [Function]| {
            let all = list.iter().enumerate();
            let all = all.flat_map(|(place, one)| one.compiles.iter().map(move |compile| (place, compile)));
            all.map(|(place, compile)| (compile.id.as_str(), (place, compile))).collect()
        };
        let compiles = lists.iter().map(by_id).collect();
        let (of_a, texts_left) = (a.len(), Cell::new(TRIED));
        let mut runs = Runs { logs, of_a, threshold, names, functions, texts_left, rows, extra, compiles };
        runs.extra = (0..runs.logs.len()).map(|log| runs.extra_of(log)).collect();
        runs
    }

    fn extra_of(&self, log: usize) -> TextSet<&'r str> {
        let of = |function: &MatchedFunction| {
            let compiles = function.compiles.iter().filter(|compile| !self.is_common(compile));
            let ids = compiles.filter_map(|compile| self.compile(function, log, compile));
            ids.map(|compile| compile.id.as_str()).collect::<Vec<&str>>()
        };
        self.functions.iter().flat_map(of).collect()
    }

    /// Whether the other side does not have the compile.
    pub fn is_extra(&self, log: usize, compile: &str) -> bool {
        self.extra.get(log).is_some_and(|extra| extra.contains(compile))
    }

    /// In how many logs of each side a thing occurs.
    fn presence(&self, thing: &Matched) -> [usize; 2] {
        self.sides().map(|logs| logs.filter(|log| thing.at(*log).is_some()).count())
    }

    /// How a thing changed; None if both sides have it alike.
    pub fn became(&self, thing: &Matched) -> Option<RowKind> {
        let [a, b] = self.presence(thing);
        let most = |count: usize, of: usize| 2 * count > of;
        match (a, b) {
            (0, _) => Some(RowKind::New),
            (_, 0) => Some(RowKind::Gone),
            _ if most(a, self.of_a) != most(b, self.logs.len() - self.of_a) => Some(RowKind::Changed),
            _ => None,
        }
    }

    /// `in 2 of 3 runs of A and in none of B`, if a side has several runs.
    pub fn presence_words(&self, thing: &Matched) -> Option<String> {
        let [a, b] = self.presence(thing);
        if self.logs.len() == 2 {
            return None;
        }
        let [name_a, name_b] = self.names;
        let words = |count: usize, of: usize, name: &str| match count {
            0 => format!("none of {name}"),
            _ => format!("{count} of {} of {name}", counted(of, "run", "runs")),
        };
        Some(format!(
            "in {} and in {}",
            words(a, self.of_a, name_a),
            words(b, self.logs.len() - self.of_a, name_b)
        ))
    }

    /// The first thing of A and of B: its log and its place there.
    pub fn firsts(&self, thing: &Matched) -> [Option<(usize, usize)>; 2] {
        let first = |mut logs: Range<usize>| logs.find_map(|log| Some((log, thing.at(log)?)));
        self.sides().map(first)
    }

    /// The times of something in all logs.
    pub fn times(&self, seconds: impl Fn(usize) -> Option<f64>) -> Pair {
        let [a, b] = self.sides().map(|logs| Times::of(logs.map(&seconds)));
        Pair { a, b }
    }

    /// The distinct values of each side's logs.
    pub fn values(&self, value: impl Fn(usize) -> Option<String>) -> [BTreeSet<String>; 2] {
        self.sides().map(|logs| logs.filter_map(&value).collect())
    }

    /// Whether the sides were recorded with different versions of torch. Older versions do not record which they are, but
    /// each has its own set of settings, which a program can change but not extend.
    pub fn has_other_torch(&self) -> bool {
        let [a, b] = self.values(|log| Some(self.logs.get(log)?.torch.clone().unwrap_or_default()));
        let unknown = |versions: &BTreeSet<String>| versions.iter().all(String::is_empty);
        a != b || (unknown(&a) && self.has_other_settings())
    }

    /// Whether many settings exist on one side only.
    pub fn has_other_settings(&self) -> bool {
        let [a, b] = self.sides().map(|side| -> BTreeSet<&Setting> {
            let logs = side.filter_map(|log| self.logs.get(log));
            logs.flat_map(|log| log.settings.keys()).collect()
        });
        !a.is_empty() && !b.is_empty() && a.symmetric_difference(&b).count() >= OF_OTHER_TORCH
    }

    /// The place of the function, and the compile, of an id in a log.
    pub fn compile_of(&self, log: usize, id: &str) -> Option<(usize, &'r Compile)> {
        self.compiles.get(log)?.get(id).copied()
    }

    /// The place in `functions` of a log's function.
    pub fn row_of(&self, log: usize, function: usize) -> Option<usize> {
        self.rows.get(log)?.get(function).copied()
    }

    pub fn function(&self, log: usize, place: usize) -> Option<&'r Function> {
        self.logs.get(log)?.functions.get(place)
    }

    pub fn compile(&self, function: &MatchedFunction, log: usize, compile: &Matched) -> Option<&'r Compile> {
        self.function(log, function.places.at(log)?)?.compiles.get(compile.at(log)?)
    }

    /// Compiles of a function that a log of A and a log of B have.
    pub fn common<'f>(&self, function: &'f MatchedFunction) -> impl Iterator<Item = &'f Matched> {
        function.compiles.iter().filter(|compile| self.is_common(compile))
    }

    /// A text of a compile of each side; None where one cannot be read, or enough were.
    pub fn texts(&self, files: [(usize, &RelPath); 2]) -> Option<[String; 2]> {
        self.texts_left.set(self.texts_left.get().checked_sub(1)?);
        let [a, b] =
            files.map(|(log, file)| self.logs.get(log)?.report.text(file.as_str(), LARGEST_TEXT).ok());
        Some([a?, b?])
    }

    /// The logs of A and those of B.
    pub fn sides(&self) -> [Range<usize>; 2] {
        [0..self.of_a, self.of_a..self.logs.len()]
    }

    /// The first thing of A and of B, each with its log.
    pub fn first_things<'t, T>(&self, lists: &[&'t [T]], thing: &Matched) -> [Option<(usize, &'t T)>; 2] {
        self.firsts(thing).map(|first| {
            let (log, place) = first?;
            Some((log, lists.get(log)?.get(place)?))
        })
    }

    /// One side of a row: the compiles that it names, and the page of the log's report that it leads to.
    pub fn row_side<'c>(
        &self,
        log: usize,
        page: impl Into<Option<String>>,
        compiles: impl IntoIterator<Item = &'c String>,
    ) -> DiffSide {
        let folder = self.logs.get(log).map_or("", |log| log.folder.as_str());
        DiffSide {
            compile_ids: compiles.into_iter().take(NAMED).cloned().collect(),
            page: page.into().map(|page| format!("{folder}{page}")),
            ..DiffSide::default()
        }
    }

    /// The same page of the first report of A and of B.
    pub fn pages(&self, page: &str) -> [DiffSide; 2] {
        [0, self.of_a].map(|log| self.row_side(log, page.to_owned(), []))
    }

    /// The first compiles of a function in a log, with the page of the first.
    pub fn side_of_compiles(&self, log: usize, compiles: &[Compile]) -> DiffSide {
        let page = compiles.first().and_then(Compile::page);
        self.row_side(log, page, compiles.iter().map(|compile| &compile.id))
    }

    /// Both sides of a row: the compiles of the function in the first logs that have it.
    pub fn set_sides(&self, function: &MatchedFunction, row: &mut DiffRow) {
        for (log, place) in self.firsts(&function.places).into_iter().flatten() {
            let compiles = self.function(log, place).map(|function| function.compiles.as_slice());
            self.set_side(row, log, self.side_of_compiles(log, compiles.unwrap_or_default()));
        }
    }

    /// Puts the side of a log into its place in a row.
    pub fn set_side(&self, row: &mut DiffRow, log: usize, side: DiffSide) {
        *(if log < self.of_a { &mut row.a } else { &mut row.b }) = side;
    }

    /// Whether a log of A and one of B have it.
    pub fn is_common(&self, thing: &Matched) -> bool {
        self.presence(thing).into_iter().all(|count| count > 0)
    }
}

impl MatchedFunction {
    /// How it was matched.
    pub fn how(&self) -> Match {
        match self.places.key {
            _ if self.places.by_order => Match::Order,
            0 | 1 => Match::Exact,
            2 | 5 | 7 => Match::Moved,
            3 => Match::Edited,
            _ => Match::Name,
        }
    }

    /// How its compiles were matched: several that are not alike are matched by order.
    pub fn how_compiles(&self) -> Match {
        let by_order = self.compiles.iter().any(|compile| compile.key > 0 && compile.by_order);
        if by_order { Match::Order } else { self.how() }
    }
}

/// The file of a function without folders that depend on the machine.
fn short_file(function: &Function) -> String {
    function.file.as_deref().map(file_of).unwrap_or_default()
}

/// Name and file.
fn named(function: &Function) -> String {
    format!("{}\n{}\n", function.name, short_file(function))
}

/// Name and file, where the name of a resume function has no line: `f`, resumed anywhere.
fn moved(function: &Function) -> String {
    let name = resumed(&function.name).map_or(function.name.clone(), |(name, _)| format!("{name} resumed"));
    format!("{name}\n{}\n", short_file(function))
}

impl Compile {
    /// Its page in the report of its log; None where it has none.
    fn page(&self) -> Option<String> {
        (!self.folder.is_empty()).then(|| format!("{}/compile.html", self.folder))
    }
}

/// Identifies the code of a function by the size of its first graph.
fn shape(function: &Function) -> String {
    function.compiles.first().map(graph).unwrap_or_default()
}

/// Identifies a graph by its numbers of operators, inputs and kernels.
fn graph(compile: &Compile) -> String {
    let inputs = compile.inputs.as_ref().map(|inputs| inputs.len());
    format!("{:?} {inputs:?} {}", compile.operators, compile.kernels.len())
}

/// `` `f` `` or `` `f`, resumed at line 9 ``.
pub(super) fn function_words(name: &str) -> String {
    match resumed(name) {
        Some((name, line)) => format!("`{name}`, resumed at line {line}"),
        None => format!("`{name}`"),
    }
}
