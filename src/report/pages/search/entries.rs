//! The entries of the search: rows of the lists of report.json, of those that pages have, and of tables of compiles.

use crate::facts::named_compiles;
use crate::model::{Cell, Compile, CompileIndex, Section};
use crate::report::data;
use crate::report::doc::{FoundRow, LeadsTo, Listing};
use crate::report::kit::formats::counted;
use crate::report::kit::links;
use crate::report::kit::search_index::{Fact, IndexWriter};
use crate::report::lists::{self, PhaseRow, phase_rows};
use crate::report::subject::Report;
use crate::report::words::phases::phase_meaning;
use crate::trace::{OrderedMap, TextMap};

/// Writes entries.
struct Entries<'e, 'm, 'o> {
    report: Report<'m>,
    index: &'e mut IndexWriter<'o>,
    /// The compiles with an id.
    compiles: TextMap<String, CompileIndex>,
}

pub(crate) fn write(report: Report<'_>, index: &mut IndexWriter<'_>) -> anyhow::Result<()> {
    let named = report.model.compiles.indexed().filter(|(_, compile)| compile.id.is_some());
    let compiles = named.map(|(index, compile)| (compile.label(), index)).collect();
    let mut entries = Entries { report, index, compiles };
    entries.what_happened()?;
    for row in report.rows() {
        (row.searched)(report, &mut |title, lists| entries.group(title, lists))?;
    }
    Ok(entries.index.group("Tables of compilations", tables(report).into_iter())?)
}

impl Entries<'_, '_, '_> {
    fn group(&mut self, title: &'static str, lists: &[Listing<'_>]) -> anyhow::Result<()> {
        let (report, compiles) = (self.report, &self.compiles);
        let address = |leads_to: LeadsTo<'_>| match leads_to {
            LeadsTo::Address(address) => address.into_owned(),
            LeadsTo::Compile { id, anchor, or } => {
                let compile = id.and_then(|id| report.model.compiles.get(*compiles.get(id)?));
                compile.map_or_else(|| or.to_owned(), |compile| page_of(report, compile, anchor))
            }
        };
        let entries = lists.iter().flat_map(|list| list.entries(address));
        Ok(self.index.group(title, entries)?)
    }

    /// The lists of report.json about compilations. What they say of each is not kept for what follows.
    fn compilations(&mut self) -> anyhow::Result<()> {
        let report = self.report;
        let compiles: Vec<_> = data::compiles(report).collect();
        let names: Vec<_> = data::names(report).collect();
        let known = lists::of_compiles(named_compiles(&compiles, &names));
        let named = compiles.iter().filter(|one| one.id.is_some());
        self.group("Compilations", &[lists::compiles(named.collect(), &known)])?;
        let breaks: Vec<_> = data::graph_breaks(report).collect();
        self.group("Graph breaks", &[lists::graph_breaks(breaks.iter().collect())])?;
        let recompiles: Vec<_> = data::recompiles(report).collect();
        self.group("Recompilations", &[lists::recompiles(recompiles.iter().collect(), &known)])
    }

    /// The lists of report.json.
    fn what_happened(&mut self) -> anyhow::Result<()> {
        let report = self.report;
        let findings: Vec<_> = data::findings(report).collect();
        self.group("Findings", &[lists::findings(findings.iter().collect()), lists::members(&findings)])?;
        self.compilations()?;
        let (failures, restarts): (Vec<_>, Vec<_>) =
            (data::failures(report).collect(), data::restarts(report).collect());
        let failures = lists::failures(failures.iter().collect());
        self.group("Failures and restarts", &[failures, lists::restarts(restarts.iter().collect())])?;
        let phases = report.found.time.phases.iter();
        let phases =
            phases.map(|phase| PhaseRow { meaning: phase_meaning(&phase.name), ..PhaseRow::of(phase) });
        let phases = phase_rows("Phase", phases.collect())
            .found(|at, one| FoundRow::at(&*one.phase.name, links::phase(report, at)).more(["phase"]));
        self.group("Phases", &[phases.listing("phases", "Phases", "")])?;
        let lookups: Vec<_> = data::caches(report).collect();
        self.group("Cache lookups", &[lists::cache_lookups(lookups.iter().collect())])
    }
}

/// A part of the page of a compile; without a page, its row.
fn page_of(report: Report<'_>, compile: &Compile, anchor: &str) -> String {
    let page = links::compile(report, compile);
    if compile.is_bare { page } else { page + anchor }
}

/// Rows of the tables that events added: symbols, guards on them, tensors, kernels. Equal rows are found once. Guards are found
/// as text.
fn tables(report: Report<'_>) -> Vec<Fact> {
    let mut rows: OrderedMap<(&str, String), (CompileIndex, usize)> = OrderedMap::default();
    for (index, compile) in report.model.compiles.indexed() {
        for section in compile.sections.iter().filter(|section| section.id != "guards") {
            let mut add = |text: String| rows.entry((section.id, text)).or_insert((index, 0)).1 += 1;
            section.rows.iter().for_each(|row| add(row_text(row)));
            if section.id == "input-tensors" {
                compile.inputs.iter().for_each(|input| add(row_text(&input.row())));
            }
            if section.id == "graph-sizes" {
                let sizes = compile.graph_sizes.iter();
                sizes.for_each(|one| add(joined([one.value.trim(), one.size.trim()].into_iter())));
            }
        }
    }
    let facts = rows.into_iter().filter_map(|((id, text), (index, count))| {
        let compile = report.model.compiles.get(index)?;
        let section: &Section = compile.sections.iter().find(|section| section.id == id)?;
        let more = if count > 1 { counted(count, "row", "equal rows") } else { String::new() };
        let detail = joined([&*section.title, &compile.label(), &more].into_iter());
        let href = page_of(report, compile, &format!("#{id}"));
        (!text.is_empty()).then_some(Fact { main: text, detail, href })
    });
    facts.collect()
}

fn row_text(row: &[Cell]) -> String {
    let texts = row.iter().map(|cell| match cell {
        Cell::Text(text) | Cell::Code(text) => text.clone(),
        Cell::Codes(texts) => texts.join(" "),
        Cell::Number(number, _) => number.to_string(),
        Cell::Link { text, url } => format!("{text} {url}"),
        Cell::Unknown | Cell::Compile(_) | Cell::Stack(_) => String::new(),
    });
    let texts: Vec<String> = texts.collect();
    joined(texts.iter().map(|text| text.trim()))
}

fn joined<'t>(parts: impl Iterator<Item = &'t str>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}
