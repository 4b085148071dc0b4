//! What the pages of a report are about, and how they are to look.

use crate::analysis::{Found, Topic};
use crate::model::{Model, Process};
use crate::output::Page;
use crate::report::kit::assets::Bundle;
use crate::report::kit::config_kinds::Kind as ConfigKind;
use crate::report::kit::editor::Editor;
use crate::report::kit::templates::Worker;
use crate::trace::Source;
use std::sync::OnceLock;

/// How the report is to look.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    /// Code is written as text, not as highlighted pages.
    pub plain_text: bool,
    /// Pages of provenance are written for every compile, also where the log does not say where kernels come from.
    pub provenance: bool,
    /// HTML that stands at the top of the landing page, as given.
    pub custom_header: Option<String>,
    /// The export report is what opens first (`index.html`); the ordinary landing page is `report.html` then.
    pub export: bool,
    /// The editor in which places of the reader's files open.
    pub editor: Option<Editor>,
}

/// All that a page may ask: the facts, what follows from them, the log's texts and the settings.
#[derive(Clone, Copy)]
pub struct Report<'m> {
    /// Facts.
    pub model: &'m Model,
    /// What follows from them.
    pub found: &'m Found<'m>,
    /// The log, for payloads and metrics records.
    pub source: &'m Source,
    /// How it is to look.
    pub settings: &'m Settings,
    /// Further processes of the program, with a report each below this one.
    pub processes: &'m [Process],
    /// What several of its pages ask.
    pub(crate) cached: &'m Cached,
    /// The row in the table of all pages whose pages are being written; each of them keeps a copy of this, so it is small.
    pub(crate) row: Option<&'static SiteRow>,
}

impl Report<'_> {
    /// Whether the report has a page on torch.export: the log has events of an export, or the reader asked for it.
    pub(crate) fn shows_export(&self) -> bool {
        self.settings.export || self.model.export.is_recorded()
    }

    /// Whether the report is of a trace of torch.profiler, without a log.
    pub(crate) fn is_trace_alone(&self) -> bool {
        self.found.performance.is_some() && self.model.log.bytes == 0
    }

    /// Whether the log times the phases of the compiler.
    pub(crate) fn times_phases(&self) -> bool {
        !self.model.spans.is_empty()
    }

    /// The rows of the pages that this report has.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static SiteRow> {
        self.present_pages().iter().map(|page| page.row)
    }

    /// The pages that this report has, with how others lead to them. What a row asks must not ask for this.
    pub(crate) fn present_pages(&self) -> &[PresentPage] {
        let page = |row: &'static SiteRow| {
            (row.present)(*self).then(|| PresentPage {
                row,
                address: row.tab.as_ref().map(|tab| (tab.address)(*self)),
                count: row.tab.as_ref().and_then(|tab| (tab.count)(*self)),
            })
        };
        self.cached.pages.get_or_init(|| self.cached.site.iter().filter_map(page).collect())
    }

    /// Where the full list of a topic stands, seen from the top of the report, with its words; None where this report
    /// has no such page.
    pub(crate) fn topic_page(&self, topic: Topic) -> Option<(String, &'static str)> {
        let of_row = |row: &'static SiteRow| {
            let found = row.topic.as_ref().filter(|one| one.topic == topic)?;
            Some(((found.address)(*self), found.words))
        };
        self.rows().find_map(of_row)
    }
}

/// What several pages of a report ask, found out by the first of them.
pub struct Cached {
    site: &'static [SiteRow],
    /// The pages that the report has: some ask all compiles, and each page at the top leads to all others. When each of them
    /// asked anew, a log of 100,000 compiles took half as long again.
    pages: OnceLock<Vec<PresentPage>>,
    /// The settings of the log: reading them took a tenth of the work on a small log when two pages did it.
    pub(crate) settings: OnceLock<Vec<ConfigKind>>,
    /// What wrote the log, and when, as the header of each page says it.
    pub(crate) aside: OnceLock<String>,
}

impl Cached {
    /// Nothing yet, of a report that may have the pages of this table.
    pub(crate) fn of(site: &'static [SiteRow]) -> Self {
        Cached { site, pages: OnceLock::new(), settings: OnceLock::new(), aside: OnceLock::new() }
    }
}

/// A row of the table whose pages a report has.
pub(crate) struct PresentPage {
    pub row: &'static SiteRow,
    /// Where its tab leads, seen from the top of the report; None if it has no tab.
    pub address: Option<String>,
    /// The number on its tab.
    pub count: Option<String>,
}

/// One kind of page, or one kind of data file: a row of the table in `site.rs`.
pub(crate) struct SiteRow {
    /// What it is called.
    pub name: &'static str,
    /// The files that it writes.
    pub files: &'static [SiteFile],
    /// How the landing page leads to it, under its name.
    pub tab: Option<SiteTab>,
    /// The topic of which it has the full list.
    pub topic: Option<SiteTopic>,
    /// Its style sheets and scripts.
    pub assets: Bundle,
    /// Whether a report has it.
    pub present: fn(Report<'_>) -> bool,
    /// Who writes it.
    pub write: for<'m> fn(Report<'m>) -> Vec<Page<'m, Worker>>,
}

/// Files of a report.
pub(crate) struct SiteFile {
    /// The file or folder as `docs/files.md` names it, seen from the top of the report: `<..>` stands for what varies.
    pub path: &'static str,
    /// What it holds: the sentence in `docs/files.md`.
    pub about: &'static str,
}

/// A link of the landing page to another page.
pub(crate) struct SiteTab {
    /// Where it leads, seen from the top of the report.
    pub address: fn(Report<'_>) -> String,
    /// A number behind the name, as the page itself says it.
    pub count: fn(Report<'_>) -> Option<String>,
}

/// A topic with the place of its full list.
pub(crate) struct SiteTopic {
    /// The topic.
    pub topic: Topic,
    /// Words of a link to it.
    pub words: &'static str,
    /// Where it leads, seen from the top of the report.
    pub address: fn(Report<'_>) -> String,
}
