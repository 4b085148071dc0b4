//! The frame of every page: head, breadcrumb, tabs, styles and scripts.

use crate::limits::{LARGEST_PAGE, LARGEST_VIEWER};
use crate::model::Compile;
use crate::report::kit::assets::{Bundle, Delivery, Included, PAGE, inline_script_hashes};
use crate::report::kit::formats::day_and_time;
use crate::report::kit::templates::Worker;
use crate::report::kit::{links, paths};
use crate::report::subject::{Around, Entry, PageAround, PresentPage, Report, SiteRow};
use serde::Serialize;
use std::io::Write;

/// The frame around a page's content.
pub(crate) struct Shell<'a> {
    /// The title of the browser's tab.
    pub title: String,
    /// The reports around this one, to which the breadcrumb leads.
    pub around: &'a Around,
    /// The name and the landing page of the report, which come next; None if `crumbs` has them.
    pub home: Option<(String, &'static str)>,
    /// The end of the breadcrumb: labels and links; the last one is the page itself.
    pub crumbs: Vec<(String, Option<String>)>,
    /// By which a page of another rank finds the compile that this page is about.
    pub same: Option<String>,
    /// On a page of a job, its ranks: `0-7`.
    pub ranks: Option<String>,
    /// Shown to the right of the breadcrumb.
    pub aside: String,
    /// Sections of this page, and other pages beside the report's usual ones.
    pub tabs: Vec<Tab>,
    /// The entries to the report.
    pub entries: Vec<Tab>,
    /// The pages of the entry that this page belongs to.
    pub beside: Vec<Tab>,
    /// Style sheets and scripts.
    pub assets: Bundle,
    /// How it comes by them, and where it is in the report.
    pub delivery: Delivery,
    /// Whether the header has the search form.
    pub search: bool,
    /// The user's HTML for the top of the page.
    pub custom: Option<&'a str>,
    /// Whether the page is a viewer, which may be larger than others.
    pub viewer: bool,
}

/// A link below the breadcrumb.
#[derive(Serialize)]
pub(crate) struct Tab {
    text: String,
    href: String,
    count: Option<String>,
    /// Explains the page on hover.
    about: Option<String>,
    /// Whether it is this page.
    current: bool,
    #[serde(skip)]
    away: bool,
}

impl Tab {
    /// A section of this page.
    pub fn section(id: &str, text: &str, count: Option<String>) -> Tab {
        Tab { text: text.to_owned(), href: format!("#{id}"), count, about: None, current: false, away: false }
    }

    /// The entries that have a page, each as a link to its first one; `up` leads to the top of the report.
    fn entries(report: Report<'_>, up: &str) -> Vec<Tab> {
        let current = report.row.and_then(entry_of);
        let tab = |entry: Entry| {
            let pages = report.present_pages().iter().filter(|page| entry_of(page.row) == Some(entry));
            let address = match entry {
                Entry::Overview => paths::landing(report.settings).to_owned(),
                _ => pages.filter_map(|page| page.address.clone()).next()?,
            };
            let tab = Tab::away(format!("{up}{address}"), entry.word(), None);
            Some(Tab { current: current == Some(entry), ..tab })
        };
        Entry::ALL.into_iter().filter_map(tab).collect()
    }

    /// The pages of an entry, if it has several.
    fn of_entry(report: Report<'_>, entry: Option<Entry>) -> Vec<Tab> {
        let pages =
            report.present_pages().iter().filter(|page| entry.is_some() && entry_of(page.row) == entry);
        let tab = |page: &PresentPage| {
            let about = page.row.files.first().map(|file| file.about.replace('`', ""));
            let current = report.row.is_some_and(|at_hand| at_hand.name == page.row.name);
            let tab = Tab::away(page.address.as_deref()?, page.row.name, page.count.clone());
            Some(Tab { about, current, ..tab })
        };
        let tabs: Vec<Tab> = pages.filter_map(tab).collect();
        if tabs.len() > 1 || entry == Some(Entry::Overview) { tabs } else { Vec::new() }
    }

    /// Another page; `href` is relative to this one.
    pub fn away(href: impl Into<String>, text: &str, count: Option<String>) -> Tab {
        Tab { text: text.to_owned(), href: href.into(), count, about: None, current: false, away: true }
    }
}

impl<'a> Shell<'a> {
    /// A page at the top of the report's folder.
    pub fn top(report: Report<'a>, title: &str) -> Shell<'a> {
        // Without a log, the landing page is the page of measured kernels, and no other page has anything.
        let entries = match report.is_trace_alone() {
            true => vec![Tab::away(paths::REPORT_MD, paths::REPORT_MD, None)],
            false => Tab::entries(report, ""),
        };
        let beside = Tab::of_entry(report, report.row.and_then(entry_of));
        Shell { entries, beside, ..Shell::new(report, title, vec![(title.to_owned(), None)]) }
    }

    /// The landing page, in the file of this name.
    pub fn landing(report: Report<'a>, file: &str) -> Shell<'a> {
        let mut shell = Shell::new(report, "", Vec::new());
        if !report.settings.export {
            shell.custom = report.settings.custom_header.as_deref();
        }
        shell.delivery = Delivery::of(file);
        shell.entries = Tab::entries(report, "");
        shell
    }

    /// A page one folder below the top that is not about a compile.
    pub fn below(report: Report<'a>, title: &str) -> Shell<'a> {
        let shell = Shell::new(report, title, vec![(title.to_owned(), None)]);
        Shell { delivery: Delivery::BELOW, ..shell }
    }

    /// A page in a compile's folder; without a title, the page of the compile itself.
    pub fn of_compile(report: Report<'a>, compile: &Compile, title: Option<&str>) -> Shell<'a> {
        let name = compile.id.as_ref().map_or_else(|| "no compile id".to_owned(), ToString::to_string);
        let mut crumbs = Vec::new();
        let shell = match title {
            Some(title) => {
                let page = format!("../{}", links::compile(report, compile));
                crumbs.push((name.clone(), Some(page)));
                crumbs.push((title.to_owned(), None));
                // The page of the compile has it already.
                let shell = Shell::new(report, &format!("{title} of {name}"), crumbs);
                Shell { aside: String::new(), ..shell }
            }
            None => {
                crumbs.push((name.clone(), None));
                Shell::new(report, &name, crumbs)
            }
        };
        Shell {
            entries: Tab::entries(report, Delivery::BELOW.up()),
            delivery: Delivery::BELOW,
            same: links::same_compile(compile),
            ..shell
        }
    }

    /// The landing page of the job `name`.
    pub fn of_job(name: &str, custom: Option<&'a str>, assets: Bundle) -> Shell<'a> {
        Shell {
            title: format!("{name} - tlparse"),
            around: Around::nothing(),
            home: None,
            crumbs: vec![(name.to_owned(), None)],
            same: None,
            ranks: None,
            aside: String::new(),
            tabs: Vec::new(),
            entries: Vec::new(),
            beside: Vec::new(),
            assets,
            delivery: Delivery::Carried,
            search: false,
            custom,
            viewer: false,
        }
    }

    /// The tabs in groups: the entries to the report, pages beside this one, and sections of this page.
    fn tab_groups(&self) -> Vec<TabGroup<'_>> {
        let mut sections: Vec<&Tab> = self.tabs.iter().filter(|tab| !tab.away).collect();
        // A page of one section needs no way to it.
        if sections.len() == 1 {
            sections.clear();
        }
        let usual = || self.entries.iter().chain(&self.beside);
        let further = self.tabs.iter().filter(|tab| tab.away && usual().all(|page| page.href != tab.href));
        let beside = self.beside.iter().chain(further).collect();
        let groups =
            [("Report", self.entries.iter().collect()), ("Pages", beside), ("On this page", sections)];
        let groups = groups.into_iter().filter(|(_, tabs): &(_, Vec<_>)| !tabs.is_empty());
        groups.map(|(name, tabs)| TabGroup { name, tabs }).collect()
    }

    /// The part above the content: breadcrumb, search form, and tabs.
    fn top_of_page(&self) -> Top<'_> {
        let up = self.delivery.up();
        let search = self.search.then(|| format!("{up}search.html"));
        let has_findings = self.tabs.iter().any(|tab| tab.href == "#findings");
        let near = |page: &PageAround| PageAround::new(&page.name, format!("{up}{}", page.href));
        Top {
            has_findings,
            crumbs: self.breadcrumb(up),
            beside: self.around.beside.iter().map(near).collect(),
            aside: &self.aside,
            same: self.same.as_deref(),
            ranks: self.ranks.as_deref(),
            search,
            groups: self.tab_groups(),
        }
    }

    /// `job / rank 1 / 0/0`; the page itself has no link.
    fn breadcrumb(&self, up: &str) -> Vec<Crumb<'_>> {
        let above = self
            .around
            .above
            .iter()
            .map(|page| Crumb { text: &page.name, href: Some(format!("{up}{}", page.href)) });
        let home = self.home.iter().map(|(text, page)| Crumb {
            text,
            href: (!self.crumbs.is_empty()).then(|| format!("{up}{page}")),
        });
        let own = self.crumbs.iter().map(|(text, href)| Crumb { text, href: href.clone() });
        above.chain(home).chain(own).collect()
    }

    fn new(report: Report<'a>, title: &str, crumbs: Vec<(String, Option<String>)>) -> Shell<'a> {
        let file = &report.model.log.file;
        let title = if title.is_empty() { format!("{file} - tlparse") } else { format!("{title} - {file}") };
        Shell {
            title,
            around: report.around,
            home: Some((
                report.around.name.clone().unwrap_or_else(|| file.clone()),
                paths::landing(report.settings),
            )),
            crumbs,
            same: None,
            ranks: None,
            aside: report.cached.aside.get_or_init(|| aside(report)).clone(),
            tabs: Vec::new(),
            entries: Vec::new(),
            beside: Vec::new(),
            assets: report.row.map_or(PAGE, |row| row.assets),
            delivery: Delivery::TOP,
            search: true,
            custom: None,
            viewer: false,
        }
    }
}

/// The entry that a page belongs to.
fn entry_of(row: &SiteRow) -> Option<Entry> {
    let landing = row.files.iter().any(|file| file.path == "index.html");
    row.tab.as_ref().map(|tab| tab.entry).or(landing.then_some(Entry::Overview))
}

/// The log's version of torch, rank and time range.
fn aside(report: Report<'_>) -> String {
    let model = report.model;
    let mut parts = Vec::new();
    parts.extend(model.torch.as_ref().map(|torch| format!("torch {}", torch.version)));
    parts.extend(model.log.rank.map(|rank| format!("rank {rank}")));
    if let (Some(first), Some(last)) = (&model.log.first_time, &model.log.last_time)
        && let (Some((day, from)), Some((last_day, to))) = (day_and_time(first), day_and_time(last))
    {
        let to = if last_day == day { to.to_owned() } else { format!("{last_day} {to}") };
        parts.push(if from == to { format!("{day} {from}") } else { format!("{day} {from} to {to}") });
    }
    parts.join(" · ")
}

/// Context of the template `page_head`.
#[derive(Serialize)]
struct Head<'a> {
    policy: &'a str,
    title: &'a str,
}

/// Context of the template `page_top`.
#[derive(Serialize)]
struct Top<'a> {
    /// Whether the page has findings, to which a link at its top skips.
    has_findings: bool,
    crumbs: Vec<Crumb<'a>>,
    beside: Vec<PageAround>,
    aside: &'a str,
    same: Option<&'a str>,
    ranks: Option<&'a str>,
    /// The page of the search form.
    search: Option<String>,
    groups: Vec<TabGroup<'a>>,
}

/// A part of the breadcrumb; the last one has no link.
#[derive(Serialize)]
struct Crumb<'a> {
    text: &'a str,
    href: Option<String>,
}

/// A named group of tabs.
#[derive(Serialize)]
struct TabGroup<'a> {
    name: &'static str,
    tabs: Vec<&'a Tab>,
}

/// Writes a page; `body` writes the content of `<main>`. Style sheets and scripts never pass through a template.
pub(crate) fn write_page(
    worker: &mut Worker,
    out: &mut dyn Write,
    shell: &Shell<'_>,
    body: impl FnOnce(&mut Worker, &mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let custom = shell.custom.map(inline_script_hashes).unwrap_or_default();
    let included = Included::of(shell.assets, shell.delivery, &custom);
    let out = &mut worker.counted(out, if shell.viewer { LARGEST_VIEWER } else { LARGEST_PAGE });
    let head = Head { policy: &included.policy, title: &shell.title };
    writeln!(out, "{}", worker.render("page_head", &head)?)?;
    writeln!(out, "{}</head>\n<body>", included.styles)?;
    if let Some(html) = shell.custom {
        writeln!(out, "{html}")?;
    }
    writeln!(out, "{}", worker.render("page_top", &shell.top_of_page())?)?;
    body(worker, out)?;
    writeln!(out, "</main>\n{}</body>\n</html>", included.scripts)?;
    Ok(())
}
