//! The Inductor runs of a log with their texts, for several pages.

use crate::analysis::provenance::{CodeKind, InductorRun, RunTexts, inductor_runs};
use crate::limits::{LARGEST_TEXT, NAMED};
use crate::model::{Artifact, Compile, Content, Form};
use crate::report::kit::kernel_list::CallPlace;
use crate::report::kit::links::encoded;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use fxhash::FxHashMap;

/// An Inductor run of a compile.
#[derive(Debug, Clone)]
pub(crate) struct Run<'m> {
    pub compile: &'m Compile,
    /// Its files. A run without files represents a folder that Inductor did not reach.
    pub run: InductorRun,
    /// Whether it has a page.
    pub shown: bool,
    /// Number of runs in its folder.
    pub of: usize,
    /// Its number among the pages of its folder; 0 and 1 are the first. Records without a compile id share one folder.
    number: usize,
    /// Whether another run in its folder has the same direction.
    repeated: bool,
}

impl Run<'_> {
    /// `forward`, or another distinction from other runs of its folder.
    pub fn name(&self) -> String {
        let aoti = self.run.code.first().is_some_and(|file| file.kind == CodeKind::Cpp);
        match self.run.direction() {
            Some(direction) if self.repeated => format!("{direction}, run {}", self.run.order),
            Some(direction) => direction.to_owned(),
            None if self.run.order == 0 => "no Inductor run".to_owned(),
            None if self.of > 1 => format!("run {}", self.run.order),
            None if aoti => "AOTInductor".to_owned(),
            None => "Inductor run".to_owned(),
        }
    }

    /// `0/0 forward`, with the attempt if it is not the first.
    pub fn label(&self) -> String {
        if self.compile.id.is_none() {
            return format!("{}, no compile id", self.name());
        }
        let id = self.compile.bracketed(self.run.attempt);
        format!("{} {}", id.trim_start_matches('[').trim_end_matches(']'), self.name())
    }

    /// Link to its page.
    pub fn href(&self, view: View<'_>) -> Option<String> {
        self.shown.then(|| view.href(&self.path("html")))
    }

    /// The same, relative to the report's top.
    pub fn address(&self) -> Option<String> {
        self.shown.then(|| self.path("html").into_string())
    }

    /// The address of a call in the linked panes, or in the generated code.
    pub fn address_of_call(&self, report: Report<'_>, call: &CallPlace) -> Option<String> {
        match self.address() {
            Some(page) => Some(format!("{page}#{}", call.anchor)),
            None => self.address_of_line(report, call.file, call.line),
        }
    }

    /// The address of a line of the generated code; None if it is in no file of the run. Plain and large texts have no
    /// anchors.
    pub fn address_of_line(&self, report: Report<'_>, file: CodeKind, line: u32) -> Option<String> {
        let file = self.run.code.iter().find(|code| code.kind == file)?;
        let artifact = self.compile.artifacts.get(file.artifact)?;
        let Content::Payload(at, form) = &artifact.content else { return None };
        let settings = report.settings;
        let is_page =
            paths::readable(self.compile, artifact, settings).is_some() || matches!(form, Form::Code(_));
        let has_lines = is_page && !settings.plain_text && at.text_len <= LARGEST_TEXT;
        let anchor = if has_lines { format!("#L{line}") } else { String::new() };
        Some(format!("{}{anchor}", paths::best(self.compile, artifact, settings)))
    }

    /// Path of the run's page, or of its maps.
    pub fn path(&self, extension: &str) -> crate::output::RelPath {
        paths::provenance(self.compile, self.run.attempt, self.number, extension)
    }
}

/// The Inductor runs of a compile. If provenance pages were requested, folders without a run are included.
pub(crate) fn runs_of<'m>(report: Report<'m>, compile: &'m Compile) -> Vec<Run<'m>> {
    let model = report.model;
    let asked = report.settings.provenance;
    let found = inductor_runs(model, compile);
    let (mut counts, mut directions) = (FxHashMap::default(), FxHashMap::default());
    for run in &found {
        *counts.entry(run.attempt).or_insert(0) += 1;
        *directions.entry((run.attempt, run.direction().map(str::to_owned))).or_insert(0) += 1;
    }
    let mut runs: Vec<Run<'m>> = Vec::new();
    for run in found {
        let shown = asked || run.has_data(compile);
        let of = counts.get(&run.attempt).copied().unwrap_or_default();
        let same = directions.get(&(run.attempt, run.direction().map(str::to_owned)));
        let repeated = same.is_some_and(|count| *count > 1);
        let number = run.order;
        runs.push(Run { compile, run, shown, of, number, repeated });
    }
    if asked {
        let mut attempts: Vec<u32> = compile.attempts.iter().map(|attempt| attempt.number).collect();
        attempts.extend(compile.artifacts.iter().map(|artifact| artifact.attempt));
        attempts.sort_unstable();
        attempts.dedup();
        attempts.retain(|attempt| !counts.contains_key(attempt));
        runs.extend(attempts.into_iter().map(|attempt| {
            let run = InductorRun { attempt, ..InductorRun::default() };
            Run { compile, run, shown: true, of: 0, number: 0, repeated: false }
        }));
        runs.sort_by_key(|run| (run.run.attempt, run.run.order));
    }
    if compile.id.is_none() {
        (1..).zip(&mut runs).for_each(|(number, run)| run.number = number);
    }
    runs
}

/// The Inductor runs of the log.
pub(crate) fn all(report: Report<'_>) -> Vec<Run<'_>> {
    report.model.compiles.iter().flat_map(|compile| runs_of(report, compile)).collect()
}

/// Links to the pages of a compile.
pub(crate) fn links(view: View<'_>, compile: &Compile) -> Vec<(String, String)> {
    let runs = runs_of(view.report, compile);
    let shown: Vec<&Run<'_>> = runs.iter().filter(|run| run.shown).collect();
    let link = |run: &&Run<'_>| {
        let words =
            if shown.len() == 1 { "Provenance".to_owned() } else { format!("Provenance, {}", run.name()) };
        Some((run.href(view)?, words))
    };
    shown.iter().take(NAMED).filter_map(link).collect()
}

pub(crate) fn texts_of(report: Report<'_>, run: &Run<'_>) -> anyhow::Result<RunTexts> {
    RunTexts::read(run.compile, &run.run, |payload| report.payload(payload))
}

/// A line of the program behind calls in a file of code.
pub(crate) struct CalledFor {
    pub file: String,
    pub line: u64,
    /// Line of the first call.
    pub first: u32,
    /// Number of calls.
    pub calls: usize,
}

/// The source lines of the calls in a file of code, the program's own first. Without recorded provenance, they are
/// derived from comments and from what the code reads and writes.
pub(crate) fn called_for(
    report: Report<'_>,
    compile: &Compile,
    artifact: &Artifact,
) -> anyhow::Result<Vec<CalledFor>> {
    let is_this = |at: usize| compile.artifacts.get(at).is_some_and(|other| std::ptr::eq(other, artifact));
    for run in runs_of(report, compile) {
        let Some(code) = run.run.code.iter().find(|file| is_this(file.artifact)) else { continue };
        let found = texts_of(report, &run)?.provenance();
        let lines = found.source.into_iter().filter_map(|line| {
            let calls = line.calls.iter().filter_map(|call| found.kernels.get(*call));
            let at: Vec<u32> = calls.filter(|call| call.file == code.kind).map(|call| call.line).collect();
            let first = at.iter().min().copied()?;
            Some(CalledFor { file: line.file, line: line.line, first, calls: at.len() })
        });
        return Ok(lines.collect());
    }
    Ok(Vec::new())
}

/// Runs that have a page of provenance.
fn shown(report: Report<'_>) -> Vec<Run<'_>> {
    all(report).into_iter().filter(|run| run.shown).collect()
}

/// Whether a run has a page of provenance.
pub(crate) fn any_shown(report: Report<'_>) -> bool {
    !shown(report).is_empty()
}

/// Number of runs with a page of provenance.
pub(crate) fn count(report: Report<'_>) -> Option<usize> {
    Some(shown(report).len())
}

/// Page of the first run, relative to the report's top; it lists the others.
pub(crate) fn first_page(report: Report<'_>) -> String {
    let runs = shown(report);
    let first = runs.iter().find(|run| run.run.order > 0).or(runs.first());
    first.map_or_else(String::new, |run| encoded(run.path("html").as_str()))
}
