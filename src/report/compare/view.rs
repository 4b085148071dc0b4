//! A page's view of a comparison: links to the reports of both sides and to their compiles.

use super::files::changed_page;
use crate::compare::{ChangedFunctions, Comparison, CompileRef, Recording};
use crate::facts::DiffSide;
use crate::report::doc::{self, Cell, LinkedCompile, Surface};
use crate::report::kit::html::Html;
use crate::report::kit::links::{anchored, encoded, id_of};
use crate::report::kit::pills::known_status;
use crate::report::kit::templates::Worker;
use crate::report::kit::view::Render;
use std::ops::Deref;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    A,
    B,
}

/// A page's view of a comparison.
#[derive(Clone, Copy)]
pub(super) struct DiffView<'a> {
    pub comparison: &'a Comparison,
    /// The functions that have a page of their own.
    pub changed: &'a ChangedFunctions<'a>,
    render: Render<'a>,
}

impl<'a> Deref for DiffView<'a> {
    type Target = Render<'a>;

    fn deref(&self) -> &Render<'a> {
        &self.render
    }
}

impl<'a> DiffView<'a> {
    pub fn new(
        comparison: &'a Comparison,
        changed: &'a ChangedFunctions<'a>,
        worker: &'a Worker,
    ) -> DiffView<'a> {
        DiffView { comparison, changed, render: Render { worker, depth: 0 } }
    }

    /// The view of a page one folder below the comparison.
    pub fn below(mut self) -> DiffView<'a> {
        self.render.depth += 1;
        self
    }

    /// What the side is called.
    pub fn name(&self, side: Side) -> &'a str {
        let [a, b] = &self.comparison.names;
        if side == Side::A { a } else { b }
    }

    /// The first run of a side.
    pub fn recording(&self, side: Side) -> Option<&'a Recording> {
        match side {
            Side::A => self.comparison.a.first(),
            Side::B => self.comparison.b.first(),
        }
    }

    /// Link to a page of a side's report; None if there is no such report or page.
    pub fn href_in(&self, side: Side, page: &str) -> Option<String> {
        let has_page = self.recording(side)?.pages.contains(page);
        self.report_of(side).filter(|_| has_page).map(|report| encoded(&format!("{report}/{page}")))
    }

    fn row_in(&self, side: Side, one: &CompileRef) -> Option<String> {
        let landing = match one.folder.rsplit_once('/') {
            Some((rank, _)) => format!("{rank}/index.html"),
            None => "index.html".to_owned(),
        };
        let page = self.href_in(side, &landing).filter(|_| !one.folder.is_empty())?;
        Some(format!("{page}#{}", anchored(&id_of(&format!("[{}]", one.id)))))
    }

    /// The folder of a side's report relative to the page, not yet encoded.
    pub fn report_of(&self, side: Side) -> Option<String> {
        let report = self.recording(side)?.report.as_ref()?;
        Some(format!("{}{report}", "../".repeat(self.render.depth)))
    }

    /// A link to the page with the graphs and the code of a function, if it has one.
    pub fn side_by_side(&self, rank: Option<u64>, function: usize) -> Option<Cell<'a>> {
        let place = self.changed.place(rank, function)?;
        Some(Cell::File { path: changed_page(place), name: "side by side".into() })
    }

    /// The compiles of a side of a row.
    pub fn pills_of_row(&self, side: Side, row: &DiffSide, rank: Option<u64>) -> Cell<'a> {
        let refs: Vec<CompileRef> = row
            .compile_ids
            .iter()
            .map(|id| {
                let known = self.compile(side, rank, id);
                known.unwrap_or_else(|| CompileRef { id: id.clone(), ..CompileRef::default() })
            })
            .collect();
        self.pills(side, &refs)
    }

    /// A compile of the first run of a side.
    fn compile(&self, side: Side, rank: Option<u64>, id: &str) -> Option<CompileRef> {
        let mut logs = self.recording(side)?.logs.iter();
        let log = logs.find(|log| rank.is_none() || log.log.rank == rank)?;
        let compiles = log.functions.iter().flat_map(|function| &function.compiles);
        Some(CompileRef::new(log, compiles.into_iter().find(|compile| compile.id == id)?))
    }

    /// The compiles of a side.
    pub fn pills(&self, side: Side, compiles: &[CompileRef]) -> Cell<'a> {
        if compiles.is_empty() {
            return Cell::Unknown;
        }
        let linked = |one: &CompileRef| {
            let page = (!one.folder.is_empty()).then(|| format!("{}/compile.html", one.folder));
            let page = page.and_then(|page| self.href_in(side, &page));
            LinkedCompile {
                id: one.id.clone(),
                status: known_status(&one.status),
                // Without a page of its own, a compile has a row on the landing page.
                href: page.or_else(|| self.row_in(side, one)),
            }
        };
        Cell::LinkedCompiles(compiles.iter().map(linked).collect())
    }

    /// What writes the cells of the page.
    pub fn surface(&self) -> Surface<'a> {
        Surface::Several(self.render)
    }

    /// A cell outside of a table.
    pub fn cell(&self, cell: &Cell<'_>) -> Html {
        doc::html::html(cell, self.surface())
    }
}
