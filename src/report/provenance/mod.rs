//! `provenance_tracking_<folder>.html`: a page an Inductor run, from a line of the program to the kernel and back.

mod page;
mod panes;
mod texts;

pub(super) use texts::RunTexts;

use super::parts::View;
use super::shell::Tab;
use super::units::whole;
use super::{Report, Worker, paths};
use crate::analysis::provenance::{CodeKind, InductorRun, inductor_runs};
use crate::model::Compile;
use crate::output::Page;
use fxhash::FxHashMap;
use std::io::Write;
use std::sync::Arc;

/// An Inductor run of a compile.
#[derive(Debug, Clone)]
pub(super) struct Run<'m> {
    /// Its compile.
    pub compile: &'m Compile,
    /// Its files. A run without any stands for a folder that Inductor did not reach.
    pub run: InductorRun,
    /// Whether it has a page.
    pub shown: bool,
    /// How many runs its folder has.
    pub of: usize,
    /// Whether another run of its folder has the same direction.
    repeated: bool,
}

impl Run<'_> {
    /// `forward`, or what else tells it from the others of its folder.
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

    /// `0/0 forward`, with the attempt where it is not the first.
    pub fn label(&self) -> String {
        if self.compile.id.is_none() {
            return format!("{}, no compile id", self.name());
        }
        let id = self.compile.bracketed(self.run.attempt);
        format!("{} {}", id.trim_start_matches('[').trim_end_matches(']'), self.name())
    }

    /// Where its page stands, seen from the view's page.
    pub fn href(&self, view: View<'_>) -> Option<String> {
        self.shown.then(|| view.href(&self.path("html")))
    }

    fn path(&self, extension: &str) -> crate::output::RelPath {
        paths::provenance(self.compile, self.run.attempt, self.run.order, extension)
    }
}

/// The Inductor runs of a compile. Where provenance pages are asked for, a folder without a run is in the list, too.
pub(super) fn runs_of<'m>(report: Report<'m>, compile: &'m Compile) -> Vec<Run<'m>> {
    let model = report.model;
    let asked = report.settings.provenance;
    let found = inductor_runs(compile, |number| model.aot_ids.get(&number).map(String::as_str));
    let (mut counts, mut directions) = (FxHashMap::default(), FxHashMap::default());
    for run in &found {
        *counts.entry(run.attempt).or_insert(0) += 1;
        *directions.entry((run.attempt, run.direction().map(str::to_owned))).or_insert(0) += 1;
    }
    let mut runs: Vec<Run<'m>> = Vec::new();
    for run in found {
        let shown = asked || run.has_data(compile, |number| model.provenance.contains(&number));
        let of = counts.get(&run.attempt).copied().unwrap_or_default();
        let same = directions.get(&(run.attempt, run.direction().map(str::to_owned)));
        let repeated = same.is_some_and(|count| *count > 1);
        runs.push(Run { compile, run, shown, of, repeated });
    }
    if asked {
        let mut attempts: Vec<u32> = compile.attempts.iter().map(|attempt| attempt.number).collect();
        attempts.extend(compile.artifacts.iter().map(|artifact| artifact.attempt));
        attempts.sort_unstable();
        attempts.dedup();
        attempts.retain(|attempt| !counts.contains_key(attempt));
        runs.extend(attempts.into_iter().map(|attempt| {
            let run = InductorRun { attempt, ..InductorRun::default() };
            Run { compile, run, shown: true, of: 0, repeated: false }
        }));
        runs.sort_by_key(|run| (run.run.attempt, run.run.order));
    }
    runs
}

/// The Inductor runs of the log.
pub(super) fn all(report: Report<'_>) -> Vec<Run<'_>> {
    report.model.compiles.iter().flat_map(|compile| runs_of(report, compile)).collect()
}

/// The pages and, beside each, its maps.
pub(super) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let runs = Arc::new(all(report));
    let mut pages = Vec::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| run.shown) {
        let all = Arc::clone(&runs);
        pages.push(Page::rendered(run.path("html"), move |worker: &mut Worker, out: &mut dyn Write| {
            page::write(report, (&all, index), worker, out)
        }));
        let all = Arc::clone(&runs);
        pages.push(Page::rendered(run.path("json"), move |_: &mut Worker, out: &mut dyn Write| {
            let Some(run) = all.get(index) else { return Ok(()) };
            texts::write_maps(report, run, out)
        }));
    }
    pages
}

/// The link of the landing page: to the first run, whose page lists the others.
pub(super) fn tab(report: Report<'_>) -> Option<Tab> {
    let runs: Vec<Run<'_>> = all(report).into_iter().filter(|run| run.shown).collect();
    let first = runs.iter().find(|run| run.run.order > 0).or(runs.first())?;
    let href = super::parts::encoded(first.path("html").as_str());
    Some(Tab::away(href, "Provenance", Some(whole(runs.len()))))
}

/// Links to the pages of a compile, with their words.
pub(super) fn links(view: View<'_>, compile: &Compile) -> Vec<(String, String)> {
    let runs = runs_of(view.report, compile);
    let shown: Vec<&Run<'_>> = runs.iter().filter(|run| run.shown).collect();
    let link = |run: &&Run<'_>| {
        let words =
            if shown.len() == 1 { "Provenance".to_owned() } else { format!("Provenance, {}", run.name()) };
        Some((run.href(view)?, words))
    };
    shown.iter().take(MOST_LINKS).filter_map(link).collect()
}

/// Links of one compile: a run after another that is compiled again under one id has as many, and each page lists them.
const MOST_LINKS: usize = 8;
