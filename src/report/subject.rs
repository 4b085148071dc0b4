//! The subject of a report, and its display settings.

use crate::analysis::drawing::DrawnGraphs;
use crate::analysis::run_console::ended_with;
use crate::analysis::{Found, Topic};
use crate::model::words::worded;
use crate::model::{CompileIndex, DumpFile, Model, Process, VllmFact};
use crate::output::Page;
use crate::report::doc::Listing;
use crate::report::kit::assets::Bundle;
use crate::report::kit::config_kinds::Kind as ConfigKind;
use crate::report::kit::editor::Editor;
use crate::report::kit::kernel_list::Kernels;
use crate::report::kit::templates::Worker;
use crate::source_tree::SourceTree;
use crate::trace::{Source, TextMap};
use fxhash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Display settings of a report.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    /// Write code as text instead of highlighted pages.
    pub plain_text: bool,
    /// Write provenance pages for every compile, even without recorded provenance.
    pub provenance: bool,
    /// HTML for the top of the landing page, written verbatim.
    pub custom_header: Option<String>,
    /// The export report becomes `index.html`, and the landing page `report.html`.
    pub export: bool,
    /// The editor in which source files open.
    pub editor: Option<Editor>,
    /// The folder of the reader's sources, whose files the page of lines shows whole; None for the lines of the log only.
    pub sources: Option<Arc<SourceTree>>,
    /// How the command that was recorded ended, if that was an error: `ended with exit code 1`.
    pub command_ended: Option<String>,
}

impl Settings {
    /// The first sentence of a report on a command that ended with an error.
    pub(crate) fn ended(&self) -> Option<String> {
        self.command_ended.as_ref().map(|ended| format!("The command {ended}. "))
    }
}

/// The reports around one: the job of a rank, the comparison of a side.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The pages above it, outermost first.
    pub above: Vec<PageAround>,
    /// What it is called among them; None if its log names it.
    pub name: Option<String>,
    /// The reports before and after it.
    pub beside: Vec<PageAround>,
}

impl Around {
    /// What is around a report alone.
    pub fn nothing() -> &'static Around {
        static NOTHING: Around = Around { above: Vec::new(), name: None, beside: Vec::new() };
        &NOTHING
    }

    /// What is around a report in a folder of this one, whose own page is called `own`.
    pub fn below(&self, own: &str) -> Around {
        let above = self.above.iter().map(|page| PageAround::new(&page.name, format!("../{}", page.href)));
        let own = PageAround::new(own, "../index.html".to_owned());
        Around { above: above.chain([own]).collect(), ..Around::default() }
    }
}

/// A page of another report.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PageAround {
    pub name: String,
    /// Relative to the top of the report.
    pub href: String,
}

impl PageAround {
    pub fn new(name: &str, href: String) -> PageAround {
        PageAround { name: name.to_owned(), href }
    }
}

/// Everything a page can use: facts, conclusions, texts of the log, and settings.
#[derive(Clone, Copy)]
pub struct Report<'m> {
    pub model: &'m Model,
    pub found: &'m Found<'m>,
    /// The log, to read payloads and metrics records.
    pub source: &'m Source,
    pub settings: &'m Settings,
    /// The reports that its pages lead back to.
    pub around: &'m Around,
    /// Further processes of the program; each has a report below this one.
    pub processes: &'m [Process],
    /// Values shared by several pages.
    pub(crate) cached: &'m Cached,
    /// The site row being written. Small, as each page has a copy.
    pub(crate) row: Option<&'static SiteRow>,
}

impl Report<'_> {
    /// The first sentence of a report on a program that ended with an error, as far as the command and the console say it.
    pub(crate) fn ended(&self) -> Option<String> {
        let raised = ended_with(self.model).map(|raised| raised.words());
        match (&self.settings.command_ended, raised) {
            (Some(ended), Some(raised)) => Some(format!("The command {ended}: {raised}. ")),
            (None, Some(raised)) => Some(format!("The program raised {raised}. ")),
            (_, None) => self.settings.ended(),
        }
    }

    /// Whether the report has an export page: the log has events of an export, or inputs alone, as an export leaves them,
    /// or the reader requested it.
    pub(crate) fn shows_export(&self) -> bool {
        self.settings.export || self.model.export.is_recorded() || self.model.has_only_inputs()
    }

    /// Whether the report is about a trace of torch.profiler without a log.
    pub(crate) fn is_trace_alone(&self) -> bool {
        self.found.performance.is_some() && self.model.log.bytes == 0
    }

    pub(crate) fn drawn_graphs(&self) -> &DrawnGraphs {
        self.cached.drawn.get_or_init(|| DrawnGraphs::of(self.model))
    }

    /// The generated module of that name.
    pub(crate) fn module(&self, key: &str) -> Option<&DumpFile> {
        let files = &self.model.dump_files;
        let all = files.iter().enumerate().rev().map(|(place, file)| (file.key.clone(), place));
        files.get(*self.cached.modules.get_or_init(|| all.collect()).get(key)?)
    }

    /// Whether an event of vLLM makes a module of a compile; None if it has no events of vLLM.
    pub(crate) fn has_vllm_module(&self, compile: CompileIndex) -> Option<bool> {
        let of_log = || {
            let mut found: FxHashMap<CompileIndex, bool> = FxHashMap::default();
            for event in &self.model.vllm {
                let is_loose = matches!(event.fact, VllmFact::Compiled(_) | VllmFact::Other);
                *found.entry(event.compile).or_default() |= !is_loose;
            }
            found
        };
        self.cached.vllm.get_or_init(of_log).get(&compile).copied()
    }

    /// Whether the log times the phases of the compiler.
    pub(crate) fn times_phases(&self) -> bool {
        !self.model.spans.is_empty()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static SiteRow> {
        self.present_pages().iter().map(|page| page.row)
    }

    /// The pages of this report with their links. Functions of a row must not call this.
    pub(crate) fn present_pages(&self) -> &[PresentPage] {
        let page = |row: &'static SiteRow| {
            let count = || row.tab.as_ref().and_then(|tab| (tab.count)(*self));
            (row.present)(*self).then(count).map(|count| PresentPage {
                row,
                // A page that each report has, as upstream has it, and that says nothing here.
                address: row
                    .tab
                    .as_ref()
                    .map(|tab| (tab.address)(*self))
                    .filter(|_| count.as_deref() != Some("0")),
                count,
            })
        };
        self.cached.pages.get_or_init(|| self.cached.site.iter().filter_map(page).collect())
    }

    /// Address and label of the full list of a topic, relative to the report's top; None if this report has no such
    /// page.
    pub(crate) fn topic_page(&self, topic: Topic) -> Option<(String, &'static str)> {
        let of_row = |row: &'static SiteRow| {
            let found = row.topic.as_ref().filter(|one| one.topic == topic)?;
            Some(((found.address)(*self), found.words))
        };
        self.rows().find_map(of_row)
    }
}

/// Values used by several pages, computed by the first.
pub struct Cached {
    site: &'static [SiteRow],
    /// The pages of the report. Some depend on all compiles, and each page at the top links to all others: without this
    /// cache, a log of 100,000 compiles took half as long again.
    pages: OnceLock<Vec<PresentPage>>,
    /// The settings of the log. Reading them twice took a tenth of the work on a small log.
    pub(crate) settings: OnceLock<Vec<ConfigKind>>,
    /// The kernels of the log, or why they cannot be read. Two pages list them, and reading them takes a fifth of the time of a
    /// log with much generated code.
    pub(crate) kernels: OnceLock<Result<Kernels, String>>,
    /// The header's note on what wrote the log, and when.
    pub(crate) aside: OnceLock<String>,
    pub(crate) drawn: OnceLock<DrawnGraphs>,
    /// The first generated module of each name, by which frames refer to them.
    modules: OnceLock<TextMap<String, usize>>,
    /// Compiles with events of vLLM, and whether one of these makes a module.
    vllm: OnceLock<FxHashMap<CompileIndex, bool>>,
}

impl Cached {
    /// An empty cache for a report with pages from this site table.
    pub(crate) fn new(site: &'static [SiteRow]) -> Self {
        Cached {
            site,
            pages: OnceLock::new(),
            settings: OnceLock::new(),
            kernels: OnceLock::new(),
            drawn: OnceLock::new(),
            modules: OnceLock::new(),
            vllm: OnceLock::new(),
            aside: OnceLock::new(),
        }
    }
}

/// A site row that is part of the report.
pub(crate) struct PresentPage {
    pub row: &'static SiteRow,
    /// Address of its tab, relative to the report's top; None if it has no tab.
    pub address: Option<String>,
    /// The number on its tab.
    pub count: Option<String>,
}

/// A kind of page or data file: a row of the table in `site.rs`.
pub(crate) struct SiteRow {
    pub name: &'static str,
    /// The files that it writes.
    pub files: &'static [SiteFile],
    /// How pages link to it, under its name.
    pub tab: Option<SiteTab>,
    /// The topic that it lists in full.
    pub topic: Option<SiteTopic>,
    /// Its style sheets and scripts.
    pub assets: Bundle,
    /// Whether it is part of a report.
    pub present: fn(Report<'_>) -> bool,
    pub write: for<'m> fn(Report<'m>) -> Vec<Page<'m, Worker>>,
    /// Hands over its lists that the search has, each with the title of their group.
    pub searched: fn(Report<'_>, &mut ToSearch<'_>) -> anyhow::Result<()>,
}

/// Takes lists for the search.
pub(crate) type ToSearch<'t> = dyn FnMut(&'static str, &[Listing<'_>]) -> anyhow::Result<()> + 't;

/// Files of a report.
pub(crate) struct SiteFile {
    /// The file or folder in `docs/files.md`, relative to the report's top: `<..>` is a placeholder.
    pub path: &'static str,
    /// Its description in `docs/files.md`.
    pub about: &'static str,
}

worded! {
    /// The entries to a report, which every page shows. Each page with a tab belongs to one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Entry.word {
        Overview = "Overview",
        Source = "Source",
        Problems = "Problems",
        Time = "Time",
        Kernels = "Kernels",
    }
}

/// A page that other pages link to at their top.
pub(crate) struct SiteTab {
    /// The entry that it belongs to.
    pub entry: Entry,
    /// Its address, relative to the report's top.
    pub address: fn(Report<'_>) -> String,
    /// The number after the name, as on the page itself.
    pub count: fn(Report<'_>) -> Option<String>,
}

/// A topic and the address of its full list.
pub(crate) struct SiteTopic {
    pub topic: Topic,
    /// Label of a link to it.
    pub words: &'static str,
    /// Its address, relative to the report's top.
    pub address: fn(Report<'_>) -> String,
}
