//! Collects what happened at each line.

use super::facts::{Counts, LineFacts, Lines, LinesOfFile};
use super::listed::listed;
use crate::analysis::failures::failure_causes;
use crate::analysis::own_code::{OwnFiles, is_library, resumed};
use crate::analysis::user_place::own_frame;
use crate::analysis::{Finding, Names, OneOff, UserPlace, performance::Performance};
use crate::limits::{LISTED, LONGEST_LINE};
use crate::model::words::file_name;
use crate::model::{Compile, CompileIndex, GraphBreak, Model, Reason, Stack, TextFrame, source_comment};
use crate::trace::{FrameId, OrderedMap, TextMap, TextSet};
use fxhash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What a log knows of the lines of the program.
pub fn lines_of_log(
    model: &Model,
    names: &Names,
    one_offs: &[OneOff],
    findings: &[Finding],
    performance: Option<&Performance>,
) -> Lines {
    let (own, files) = (OwnFiles::of(model), OrderedMap::default());
    let mut found =
        Collector { model, names, own, frames: frames(model), files, elsewhere: Counts::default() };
    found.compiles(one_offs);
    found.captured();
    found.callers();
    found.breaks();
    let ends = found.ends();
    found.recompiles(&ends);
    found.failures();
    found.findings(findings);
    if let Some(performance) = performance {
        found.measured(performance);
    }
    let ends = found.ends();
    found.guards(&ends);
    let files = found.files.into_iter().map(|(file, lines)| LinesOfFile {
        is_library: is_library(&file),
        lines: lines.into_values().collect(),
        file,
    });
    listed(files.collect(), found.elsewhere)
}

struct Collector<'m> {
    model: &'m Model,
    names: &'m Names,
    own: OwnFiles,
    /// Where the function of each frame is defined.
    frames: TextMap<FrameId, LinePlace>,
    files: OrderedMap<String, BTreeMap<u64, LineFacts>>,
    elsewhere: Counts,
}

/// A file and a line in it.
type LinePlace = (String, u64);

/// Files by their paths from the last character to the first, to find those whose path torch shortens.
type Ends = BTreeMap<String, String>;

impl Collector<'_> {
    /// The facts of a line; None for what is not in a file.
    fn at(&mut self, file: &str, number: u64) -> Option<&mut LineFacts> {
        if number == 0 || !is_file(file) {
            return None;
        }
        if !self.files.contains_key(file) {
            self.files.insert(file.to_owned(), BTreeMap::new());
        }
        let lines = self.files.get_mut(file)?;
        Some(lines.entry(number).or_insert_with(|| LineFacts { number, ..LineFacts::default() }))
    }

    /// The facts of a line, of which a frame tells text and function.
    fn of_frame(&mut self, frame: &TextFrame) -> Option<&mut LineFacts> {
        let line = self.at(&frame.file, frame.line)?;
        line.quote(frame.loc.as_deref());
        line.name(&frame.function);
        Some(line)
    }

    /// Adds `counts` at a line, or to what has none.
    fn count(&mut self, place: Option<&LinePlace>, counts: Counts) -> Option<&mut LineFacts> {
        let known = place.is_some_and(|(file, line)| *line > 0 && is_file(file));
        let Some((file, line)) = place.filter(|_| known) else {
            self.elsewhere = self.elsewhere.plus(counts);
            return None;
        };
        let line = self.at(file, *line)?;
        line.counts = line.counts.plus(counts);
        // The first line of a function is not run when it is compiled, nor is one that calls a library read.
        line.read |= counts.compiles == 0;
        Some(line)
    }

    /// Compile time counts where the compile begins; what begins in a library counts at the user's line that called it.
    fn compiles(&mut self, one_offs: &[OneOff]) {
        let mut once: FxHashMap<CompileIndex, f64> = FxHashMap::default();
        for one in one_offs {
            *once.entry(one.compile).or_default() += one.us;
        }
        for (index, compile) in self.model.compiles.indexed() {
            if compile.id.is_none() && compile.compile_us().is_none() {
                continue;
            }
            let begin = self.begin(index, compile);
            let us = compile.compile_us().unwrap_or_default();
            let counts = Counts { us, compiles: u64::from(compile.id.is_some()), ..Counts::default() };
            let own = self.names.at(index).is_some_and(|name| name.called.is_none());
            let once = once.get(&index).copied().unwrap_or_default();
            let title = compile.function.as_ref().map(|function| function.name.clone());
            let Some(line) = self.count(begin.as_ref(), counts) else { continue };
            line.one_off_us += once.min(us);
            push(&mut line.compiles, index);
            if let Some(title) = title.filter(|_| own) {
                let is_resumed = resumed(&title).is_some();
                line.begins |= !is_resumed;
                line.read |= is_resumed;
                line.name(&title);
            }
        }
    }

    /// Where a compile begins.
    fn begin(&self, index: CompileIndex, compile: &Compile) -> Option<LinePlace> {
        let called = self.names.at(index).and_then(|name| name.called.as_ref());
        if let Some(UserPlace { file: Some(file), line: Some(line), .. }) = called {
            return Some((file.clone(), *line));
        }
        definition(compile).or_else(|| self.frames.get(&compile.id.as_ref()?.frame()).cloned())
    }

    /// Operators count at the line that the graph names above them.
    fn captured(&mut self) {
        let comments = self.model.program_lines.comments.keys();
        let frames: Vec<Option<TextFrame>> =
            comments.map(|comment| source_comment(comment).filter(|frame| is_file(&frame.file))).collect();
        for (index, compile) in self.model.compiles.indexed() {
            for captured in &compile.captured {
                let Some(Some(frame)) = frames.get(captured.comment as usize) else { continue };
                let Some(line) = self.of_frame(frame) else { continue };
                line.read = true;
                line.counts.operators += u64::from(captured.operators);
                if captured.operators > 0 {
                    push(&mut line.captured_in, index);
                }
            }
        }
    }

    /// The user's lines that led to compiles. Compiles share stacks.
    fn callers(&mut self) {
        let model = self.model;
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let stacks = model.compiles.iter().filter_map(|compile| compile.stack.as_ref());
        for stack in stacks.filter(|stack: &&Stack| seen.insert(stack.as_ptr().addr())) {
            for frame in stack.iter() {
                let file = model.strings.get(frame.file).unwrap_or_default();
                if is_library(file) {
                    continue;
                }
                if let Some(line) = self.at(file, frame.line.unwrap_or_default()) {
                    line.quote(frame.loc.as_deref());
                    line.name(&frame.name);
                }
            }
        }
    }

    fn breaks(&mut self) {
        for (index, one) in self.model.graph_breaks.iter().enumerate() {
            let place = one.file.clone().zip(one.line);
            let counts = Counts { breaks: one.count, ..Counts::default() };
            if let Some(line) = self.count(place.as_ref(), counts) {
                line.breaks.push(index);
            }
            self.frames_of_break(one);
        }
        for trace in &self.model.error_traces {
            for frame in trace.frames.iter().filter(|frame| !is_library(&frame.file)) {
                if let Some(line) = self.of_frame(frame) {
                    line.read = true;
                }
            }
        }
    }

    /// Frames from the compiled function on were read by Dynamo; those above called it.
    fn frames_of_break(&mut self, one: &GraphBreak) {
        let model = self.model;
        let compiles = one.compiles.iter().filter_map(|id| model.compile(id.as_ref()));
        let functions: TextSet<&str> =
            compiles.filter_map(|compile| Some(compile.function.as_ref()?.name.as_str())).collect();
        let mut read = false;
        for frame in &one.stack {
            read |= functions.contains(&frame.function.as_str());
            let is_place = Some(&frame.file) == one.file.as_ref() && Some(frame.line) == one.line;
            if is_library(&frame.file) && !is_place {
                continue;
            }
            if let Some(line) = self.of_frame(frame) {
                line.read |= read;
            }
        }
    }

    fn recompiles(&mut self, ends: &Ends) {
        for one in &self.model.recompiles {
            let Some(&index) = self.model.by_id.get(&one.compile) else { continue };
            let place = one.reasons.iter().find_map(|reason| self.cause(reason, ends));
            let begin = || {
                let compile = self.model.compiles.get(index)?;
                self.begin(index, compile)
            };
            let place = place.or_else(begin);
            if let Some(line) = self.count(place.as_ref(), Counts { again: 1, ..Counts::default() }) {
                push(&mut line.again, index);
            }
        }
    }

    /// The user's line that made a guard.
    fn cause(&self, reason: &Reason, ends: &Ends) -> Option<LinePlace> {
        if let Some(frame) = own_frame(&reason.user_stack).filter(|frame| is_file(&frame.file)) {
            return Some((frame.file.clone(), frame.line));
        }
        let source = reason.source.as_ref()?;
        let file = self.whole_path(&source.file, ends)?;
        (!is_library(file)).then(|| (file.to_owned(), source.line))
    }

    fn failures(&mut self) {
        for cause in failure_causes(self.model) {
            let begin = || {
                let index = *cause.compiles.first()?;
                self.begin(index, self.model.compiles.get(index)?)
            };
            let place = cause.place.file.clone().zip(cause.place.line).or_else(begin);
            let fails = cause.failures.len() as u64;
            if let Some(line) = self.count(place.as_ref(), Counts { fails, ..Counts::default() }) {
                line.quote(cause.place.loc.as_deref());
                cause.compiles.iter().for_each(|index| push(&mut line.failed, *index));
            }
        }
    }

    /// A finding of several places stands at each of them.
    fn findings(&mut self, findings: &[Finding]) {
        for (index, finding) in findings.iter().enumerate() {
            for one in finding.members.iter().chain([finding]) {
                let called = one.called_from.as_ref();
                let own = called.filter(|_| one.place.file.as_deref().is_some_and(is_library));
                let place = own.unwrap_or(&one.place);
                let (Some(file), Some(number)) = (&place.file, place.line) else { continue };
                let Some(line) = self.at(file, number) else { continue };
                line.quote(place.loc.as_deref());
                if line.findings.last() != Some(&index) {
                    line.findings.push(index);
                }
            }
        }
    }

    fn measured(&mut self, performance: &Performance) {
        for (index, time) in performance.lines.iter().enumerate() {
            let Some(line) = self.at(&time.file, time.line) else { continue };
            line.quote(time.code.as_deref());
            line.measured = Some(index);
            line.read = true;
        }
    }

    /// Files of which a line is known.
    fn ends(&self) -> Ends {
        let paths = self.files.keys().map(|file| file.replace('\\', "/"));
        paths.map(|path| (path.chars().rev().collect(), path)).collect()
    }

    /// Guards of files of which other lines are known: of a library, only lines that a graph was captured from matter.
    fn guards(&mut self, ends: &Ends) {
        for (origin, guard) in &self.model.program_lines.origins {
            let Some((place, function)) = origin.rsplit_once(" in ") else { continue };
            let Some((path, number)) = place.rsplit_once(':') else { continue };
            let (Ok(number), Some(file)) = (number.parse::<u64>(), self.whole_path(path, ends)) else {
                continue;
            };
            if let Some(line) = self.at(file, number) {
                line.quote(guard.code.as_deref());
                line.name(function);
                line.read = true;
                line.guards += guard.guards;
            }
        }
    }

    /// The only known file whose path ends in a path that torch shortened. The log may name the same file by another
    /// folder: `corpus/scripts/x.py` is `/app/x.py` if that is the only one of the user's of this name.
    fn whole_path<'e>(&self, short: &str, ends: &'e Ends) -> Option<&'e str> {
        let short = short.replace('\\', "/");
        let mut fitting = ending_in(ends, &short);
        if let Some(file) = fitting.next() {
            return fitting.next().is_none().then_some(file);
        }
        let mut named = ending_in(ends, file_name(&short));
        let file = named.next().filter(|file| !is_library(file) && self.own.is_own(&short))?;
        named.next().is_none().then_some(file)
    }
}

/// Files whose path is `end`, or ends in it behind a slash.
fn ending_in<'e>(ends: &'e Ends, end: &str) -> impl Iterator<Item = &'e str> {
    let whole: String = end.chars().rev().collect();
    let behind = format!("{whole}/");
    let within = ends.range(behind.clone()..).take_while(move |(path, _)| path.starts_with(&behind));
    ends.get_key_value(&whole).into_iter().chain(within).map(|(_, path)| path.as_str())
}

impl LineFacts {
    /// Keeps its text, unless it is known.
    fn quote(&mut self, code: Option<&str>) {
        if self.code.is_none()
            && let Some(code) = code.filter(|code| !code.trim().is_empty() && code.len() <= LONGEST_LINE)
        {
            self.code = Some(code.trim_end().to_owned());
        }
    }

    /// Keeps its function, unless it is known. A function that resumes is the same function.
    fn name(&mut self, function: &str) {
        if self.function.is_none() && function != "<module>" {
            let name = resumed(function).map_or(function, |(name, _)| name);
            self.function = Some(name.to_owned());
        }
    }
}

/// Whether a path is that of a file, unlike `<string>`; cells of notebooks are the user's code.
fn is_file(path: &str) -> bool {
    !path.is_empty()
        && path != "unknown file"
        && (!path.starts_with('<') || path.starts_with("<ipython-input"))
}

fn push(list: &mut Vec<CompileIndex>, index: CompileIndex) {
    if list.len() < LISTED && list.last() != Some(&index) {
        list.push(index);
    }
}

/// Where the function of each frame is defined: beyond the recompile limit torch writes metrics without it.
fn frames(model: &Model) -> TextMap<FrameId, LinePlace> {
    let known = |compile: &Compile| Some((compile.id.as_ref()?.frame(), definition(compile)?));
    model.compiles.iter().filter_map(known).collect()
}

fn definition(compile: &Compile) -> Option<LinePlace> {
    let function = compile.function.as_ref()?;
    function.file.clone().zip(function.line)
}
