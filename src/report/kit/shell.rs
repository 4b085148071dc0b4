//! What every page has around its content: head, breadcrumb, tabs, and the styles and scripts.

use crate::limits::{LARGEST_PAGE, LARGEST_VIEWER};
use crate::model::Compile;
use crate::report::kit::assets::{Bundle, PAGE, content_security_policy, inline_script_hashes};
use crate::report::kit::formats::day_and_time;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, push_close, push_element, push_open, strong};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::{PresentPage, Report};
use serde::Serialize;
use std::io::Write;

/// Around a page's content.
pub(crate) struct Shell<'a> {
    /// In the title bar, before the name of the log's file.
    pub title: String,
    /// Where the page stands: words and where they lead; the last is the page itself.
    pub crumbs: Vec<(String, Option<String>)>,
    /// At the right of the breadcrumb.
    pub aside: String,
    /// Sections of this page, and other pages beside the report's usual ones.
    pub tabs: Vec<Tab>,
    /// The pages at the top of the report, where this is one of them.
    pub pages: Vec<Tab>,
    /// Style sheets and scripts.
    pub assets: Bundle,
    /// Whether the form that leads to the search stands in the header.
    pub search: bool,
    /// Where the form leads on a page that has several reports below itself: their names and their searches.
    pub searches: Vec<SearchIn>,
    /// HTML that stands on top, as given.
    pub custom: Option<&'a str>,
    /// Whether the page is a viewer, which may be larger than others.
    pub viewer: bool,
}

/// The search of one of several reports.
#[derive(Serialize)]
pub(crate) struct SearchIn {
    /// `rank 3`
    pub name: String,
    /// Its page.
    pub href: String,
}

/// A link below the breadcrumb.
pub(crate) struct Tab {
    text: String,
    href: String,
    count: Option<String>,
    /// What it shows, on hover.
    about: Option<String>,
    /// Whether it is the page at hand.
    current: bool,
    away: bool,
}

impl Tab {
    /// A section of this page.
    pub fn section(id: &str, text: &str, count: Option<String>) -> Tab {
        Tab { text: text.to_owned(), href: format!("#{id}"), count, about: None, current: false, away: false }
    }

    /// The pages at the top of the report, the one at hand among them. The landing page says what each shows.
    fn pages(report: Report<'_>, explained: bool) -> Vec<Tab> {
        let tab = |page: &PresentPage| {
            let row = page.row;
            let about = row.files.first().filter(|_| explained).map(|file| file.about.replace('`', ""));
            let current = report.row.is_some_and(|at_hand| at_hand.name == row.name);
            Some(Tab { about, current, ..Tab::away(page.address.as_deref()?, row.name, page.count.clone()) })
        };
        report.present_pages().iter().filter_map(tab).collect()
    }

    /// Another page; `href` is relative to this one.
    pub fn away(href: impl Into<String>, text: &str, count: Option<String>) -> Tab {
        Tab { text: text.to_owned(), href: href.into(), count, about: None, current: false, away: true }
    }

    /// The link itself.
    fn link(&self) -> Html {
        let mut html = String::new();
        let current = self.current.then_some("page");
        let attributes =
            [("href", Some(&*self.href)), ("aria-current", current), ("title", self.about.as_deref())];
        push_open(&mut html, "a", &attributes);
        Html::push_escaped(&self.text, &mut html);
        if let Some(count) = self.count.as_deref().filter(|count| !count.is_empty()) {
            html.push(' ');
            push_element(&mut html, "span", &[("class", Some("count"))], count);
        }
        push_close(&mut html, "a");
        Html::trusted(html)
    }
}

/// A part of the breadcrumb; the last leads nowhere.
fn crumb(text: &str, href: Option<&str>) -> Html {
    match href {
        Some(href) => {
            let link = Element::new("a").href(href).around(text);
            Html::joined([link, Element::new("span").around("/")], "")
        }
        None => strong(text),
    }
}

impl<'a> Shell<'a> {
    /// A page at the top of the report's folder.
    pub fn top(report: Report<'a>, title: &str) -> Shell<'a> {
        let landing = paths::landing(report.settings);
        let log = (report.model.log.file.clone(), Some(landing.to_owned()));
        let mut pages = vec![Tab::away(landing, "Overview", None)];
        pages.extend(Tab::pages(report, false));
        Shell { pages, ..Shell::new(report, title, vec![log, (title.to_owned(), None)]) }
    }

    /// The landing page.
    pub fn landing(report: Report<'a>) -> Shell<'a> {
        let mut shell = Shell::new(report, "", vec![(report.model.log.file.clone(), None)]);
        if !report.settings.export {
            shell.custom = report.settings.custom_header.as_deref();
        }
        shell.pages = Tab::pages(report, true);
        shell.pages.push(Tab::away(paths::REPORT_MD, paths::REPORT_MD, None));
        shell.pages.push(Tab::away("raw.log", "raw.log", None));
        shell
    }

    /// A page one folder below the top that belongs to no compile.
    pub fn below(report: Report<'a>, title: &str) -> Shell<'a> {
        let log = (report.model.log.file.clone(), Some(up(report)));
        Shell::new(report, title, vec![log, (title.to_owned(), None)])
    }

    /// A page in a compile's folder; without a title the page of the compile itself.
    pub fn of_compile(report: Report<'a>, compile: &Compile, title: Option<&str>) -> Shell<'a> {
        let name = compile.id.as_ref().map_or_else(|| "no compile id".to_owned(), ToString::to_string);
        let mut crumbs = vec![(report.model.log.file.clone(), Some(up(report)))];
        match title {
            Some(title) => {
                let page = format!(
                    "../{}",
                    crate::report::kit::links::encoded(paths::compile_page(compile).as_str())
                );
                crumbs.push((name.clone(), Some(page)));
                crumbs.push((title.to_owned(), None));
                // The page of the compile says what wrote the log, and when.
                Shell { aside: String::new(), ..Shell::new(report, &format!("{title} of {name}"), crumbs) }
            }
            None => {
                crumbs.push((name.clone(), None));
                Shell::new(report, &name, crumbs)
            }
        }
    }

    /// The landing page of a job, which is called `name`.
    pub fn of_job(name: &str, custom: Option<&'a str>, assets: Bundle) -> Shell<'a> {
        Shell {
            title: format!("{name} - tlparse"),
            crumbs: vec![(name.to_owned(), None)],
            aside: String::new(),
            tabs: Vec::new(),
            pages: Vec::new(),
            assets,
            search: false,
            searches: Vec::new(),
            custom,
            viewer: false,
        }
    }

    /// The tabs in two groups: sections of the page at hand, and other pages.
    fn tab_groups(&self) -> Vec<TabGroup> {
        let sections: Vec<&Tab> = self.tabs.iter().filter(|tab| !tab.away).collect();
        let is_usual = |tab: &Tab| self.pages.iter().any(|page| page.href == tab.href);
        let further = self.tabs.iter().filter(|tab| tab.away && !is_usual(tab));
        let pages = self.pages.iter().chain(further).collect();
        let groups = [("On this page", sections), ("Pages", pages)];
        groups
            .into_iter()
            .filter(|(_, tabs)| !tabs.is_empty())
            .map(|(name, tabs)| TabGroup { name, tabs: tabs.into_iter().map(Tab::link).collect() })
            .collect()
    }

    /// Where the form of the header leads: to the top of the report, as the first crumb does.
    fn search_page(&self) -> Option<String> {
        if let Some(first) = self.searches.first() {
            return Some(first.href.clone());
        }
        let below = self.crumbs.iter().any(|(_, href)| href.as_deref().is_some_and(|h| h.starts_with("../")));
        self.search.then(|| format!("{}search.html", if below { "../" } else { "" }))
    }

    fn new(report: Report<'a>, title: &str, crumbs: Vec<(String, Option<String>)>) -> Shell<'a> {
        let file = &report.model.log.file;
        let title = if title.is_empty() { format!("{file} - tlparse") } else { format!("{title} - {file}") };
        Shell {
            title,
            crumbs,
            aside: report.once.aside.get_or_init(|| aside(report)).clone(),
            tabs: Vec::new(),
            pages: Vec::new(),
            assets: report.row.map_or(PAGE, |row| row.assets),
            search: true,
            searches: Vec::new(),
            custom: None,
            viewer: false,
        }
    }
}

/// The landing page, seen from one folder below the top.
fn up(report: Report<'_>) -> String {
    format!("../{}", paths::landing(report.settings))
}

/// torch, rank and time range of the log.
fn aside(report: Report<'_>) -> String {
    let model = report.model;
    let mut parts = Vec::new();
    parts.extend(model.torch.as_ref().map(|torch| format!("torch {}", torch.version)));
    parts.extend(model.log.rank.map(|rank| format!("rank {rank}")));
    let (first, last) = (model.time(model.log.first), model.time(model.log.last));
    if let (Some(first), Some(last)) = (&first, &last)
        && let (Some((day, from)), Some((last_day, to))) = (day_and_time(first), day_and_time(last))
    {
        let to = if last_day == day { to.to_owned() } else { format!("{last_day} {to}") };
        parts.push(if from == to { format!("{day} {from}") } else { format!("{day} {from} to {to}") });
    }
    parts.join(" · ")
}

#[derive(Serialize)]
struct Head<'a> {
    title: &'a str,
    policy: &'a str,
}

#[derive(Serialize)]
struct Top<'a> {
    crumbs: Vec<Html>,
    aside: &'a str,
    search: Option<String>,
    /// In which of several reports; empty where there is one.
    searches: &'a [SearchIn],
    search_label: String,
    has_tabs: bool,
    tabs: Vec<TabGroup>,
}

#[derive(Serialize)]
struct TabGroup {
    name: &'static str,
    tabs: Vec<Html>,
}

/// Writes a page: the shell's head, what `body` writes into `<main>`, the shell's foot. Style sheets and scripts never
/// pass through a template.
pub(crate) fn write_page(
    worker: &mut Worker,
    out: &mut dyn Write,
    shell: &Shell<'_>,
    body: impl FnOnce(&mut Worker, &mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Bundle { styles, scripts } = shell.assets;
    let custom = shell.custom.map(inline_script_hashes).unwrap_or_default();
    let policy = content_security_policy(scripts, &custom);
    let crumbs = shell.crumbs.iter().map(|(text, href)| crumb(text, href.as_deref())).collect();
    let tabs = shell.tab_groups();
    let has_tabs = !tabs.is_empty();
    let out = &mut worker.counted(out, if shell.viewer { LARGEST_VIEWER } else { LARGEST_PAGE });
    let of = shell.searches.first().map(|first| format!(" {}", first.name)).unwrap_or_default();
    let top = Top {
        crumbs,
        aside: &shell.aside,
        search: shell.search_page(),
        searches: &shell.searches,
        search_label: format!("Search{of}"),
        has_tabs,
        tabs,
    };
    writeln!(out, "{}", worker.render("shell_head", &Head { title: &shell.title, policy: &policy })?)?;
    for style in styles {
        style.write_element(out)?;
    }
    writeln!(out, "</head>\n<body>")?;
    if let Some(html) = shell.custom {
        writeln!(out, "{html}")?;
    }
    writeln!(out, "{}", worker.render("shell_top", &top)?)?;
    body(worker, out)?;
    writeln!(out, "</main>")?;
    for script in scripts {
        script.write_element(out)?;
    }
    writeln!(out, "</body>\n</html>")?;
    Ok(())
}
