//! A page's view of a job: the building blocks of pages, and the addresses of the ranks' reports.

use super::job_report::JobReport;
use crate::analysis::caches::cache_title;
use crate::analysis::job::NamedFunction;
use crate::facts::ranks::{FactValue, FunctionWords, RankSummary, Step};
use crate::model::words::rank_folder;
use crate::output::RelPath;
use crate::report::doc::{Cell, LinkedCompile, Surface, html, own};
use crate::report::kit::html::Html;
use crate::report::kit::links::{COMPILES_PER_DIRECTORY, encoded};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::Render;
use crate::trace::CompileId;
use std::ops::Deref;

/// A page's view of a job.
#[derive(Clone, Copy)]
pub(super) struct JobView<'a> {
    pub report: JobReport<'a>,
    render: Render<'a>,
}

impl<'a> Deref for JobView<'a> {
    type Target = Render<'a>;

    fn deref(&self) -> &Render<'a> {
        &self.render
    }
}

impl<'a> JobView<'a> {
    /// The view of the page at the top of the report.
    pub fn new(report: JobReport<'a>, worker: &'a Worker) -> JobView<'a> {
        JobView { report, render: Render { worker, depth: 0 } }
    }

    /// The address of a file of a rank's report; not escaped yet.
    pub fn in_rank(&self, rank: &RankSummary, file: &str) -> String {
        encoded(&format!("{}/{file}", rank_folder(rank.number)))
    }

    /// The same with an anchor.
    pub fn in_rank_at(&self, rank: &RankSummary, url: &str) -> String {
        match url.split_once('#') {
            Some((file, anchor)) => format!("{}#{anchor}", self.in_rank(rank, file)),
            None => self.in_rank(rank, url),
        }
    }

    /// A compile in a rank's report: its page, or its row where the report says no more about it.
    pub fn compile_page(&self, rank: &RankSummary, id: &str) -> String {
        // An id in an unusual form may be ambiguous, so this links to the rank's report.
        let usual = |read: &CompileId| read.odd_part().is_none() && read.to_string() == id;
        let is_bare = self.report.job.texts.find(id).is_some_and(|id| rank.bare.binary_search(&id).is_ok());
        match CompileId::parse(id).filter(usual) {
            // The landing page of a very long log has no room for all rows.
            Some(_) if is_bare && rank.counts.compiles > COMPILES_PER_DIRECTORY as u64 => {
                self.in_rank(rank, "index.html")
            }
            Some(id) if is_bare => self.in_rank_at(rank, &format!("index.html#[{id}]")),
            Some(id) => {
                let page = RelPath::of_parts(&[&id.folder(0), "compile.html"]);
                self.in_rank(rank, page.as_str())
            }
            None => self.in_rank(rank, "index.html"),
        }
    }

    /// A rank, linked to its report if it has one.
    pub fn rank(&self, rank: &RankSummary) -> Cell<'a> {
        let name = format!("rank {}", rank.number);
        let cell = match rank.log {
            Some(_) => {
                let path = RelPath::of_parts(&[&rank_folder(rank.number), "index.html"]);
                Cell::File { path, name: name.into() }
            }
            None => own(name),
        };
        cell.sorted(rank.number as f64)
    }

    /// A compile of a rank, linked if its id is one.
    pub fn compile(&self, rank: &RankSummary, id: &str) -> Cell<'a> {
        let href = CompileId::parse(id).map(|_| self.compile_page(rank, id));
        Cell::LinkedCompiles(vec![LinkedCompile { id: id.to_owned(), status: None, href }])
    }

    /// What writes the cells of the page.
    pub fn surface(&self) -> Surface<'a> {
        Surface::Several(self.render)
    }

    /// A cell outside of a table.
    pub fn cell(&self, cell: &Cell<'_>) -> Html {
        html::html(cell, self.surface())
    }

    /// A fact in words, with the reader's names of functions; None if the log does not have it.
    pub fn says(&self, step: &Step) -> Option<String> {
        let texts = &self.report.job.texts;
        let text = step.text_with(texts, &|graph, function| {
            let named = NamedFunction::new(texts, graph, function);
            FunctionWords { name: named.plain(), place: named.place }
        })?;
        Some(match step.value? {
            FactValue::Lookup { cache, .. } | FactValue::Key { cache, .. } => {
                let cache = texts.get(cache);
                text.replacen(cache, cache_title(cache), 1)
            }
            _ => text,
        })
    }

    /// The rank of that number.
    pub fn numbered(&self, number: u64) -> Option<&'a RankSummary> {
        let at = self.report.job.ranks.binary_search_by_key(&number, |rank| rank.number).ok()?;
        self.rank_at(at)
    }

    pub fn rank_at(&self, index: usize) -> Option<&'a RankSummary> {
        self.report.rank_at(index)
    }
}
