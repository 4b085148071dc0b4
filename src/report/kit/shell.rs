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

    /// Appends what stands above the content: where the page stands, the search, and its tabs.
    fn push_top(&self, html: &mut String) {
        html.push_str("<header class=\"page-head\">\n  <nav aria-label=\"Breadcrumb\">");
        for (text, href) in &self.crumbs {
            html.push_str(crumb(text, href.as_deref()).as_str());
        }
        html.push_str("</nav>\n");
        if !self.aside.is_empty() {
            html.push_str("  ");
            push_element(html, "div", &[("class", Some("soft"))], &self.aside);
            html.push('\n');
        }
        self.push_search(html);
        html.push_str("</header>\n");
        let groups = self.tab_groups();
        if !groups.is_empty() {
            html.push_str("<div class=\"tabs\">\n<div>\n");
            groups.iter().for_each(|group| group.push_to(html));
            html.push_str("</div>\n</div>\n");
        }
        html.push_str("<main>\n");
    }

    /// Appends the form that leads to the search, where the report has one.
    fn push_search(&self, html: &mut String) {
        let Some(page) = self.search_page() else { return };
        let of = self.searches.first().map(|first| format!(" {}", first.name)).unwrap_or_default();
        let label = format!("Search{of}");
        let field = [
            ("name", Some("q")),
            ("type", Some("search")),
            ("aria-label", Some(label.as_str())),
            ("placeholder", Some(label.as_str())),
        ];
        html.push_str("  ");
        push_open(html, "form", &[("action", Some(&page))]);
        push_open(html, "input", &field);
        if !self.searches.is_empty() {
            html.push_str("<select class=\"needs-script\" hidden aria-label=\"Report to search\">");
            for one in &self.searches {
                push_element(html, "option", &[("value", Some(&one.href))], &one.name);
            }
            push_close(html, "select");
        }
        push_close(html, "form");
        html.push('\n');
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

/// Links under a name of their own.
struct TabGroup {
    name: &'static str,
    tabs: Vec<Html>,
}

impl TabGroup {
    fn push_to(&self, html: &mut String) {
        html.push_str("  ");
        push_open(html, "nav", &[("aria-label", Some(self.name))]);
        html.push_str("\n    ");
        push_element(html, "span", &[("class", Some("tabs-name"))], self.name);
        for tab in &self.tabs {
            html.push_str("\n    ");
            html.push_str(tab.as_str());
        }
        html.push_str("\n  </nav>\n");
    }
}

/// Bytes of what stands before the style sheets, most of them hashes of scripts.
const HEAD_BYTES: usize = 1536;

/// Appends what a browser must know before the style sheets.
fn push_head(html: &mut String, title: &str, policy: &str) {
    html.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.push_str("<meta name=\"viewport\" content=\"width=device-width\">\n");
    let policy = [("http-equiv", Some("Content-Security-Policy")), ("content", Some(policy))];
    push_open(html, "meta", &policy);
    html.push('\n');
    push_element(html, "title", &[], title);
    html.push('\n');
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
    let out = &mut worker.counted(out, if shell.viewer { LARGEST_VIEWER } else { LARGEST_PAGE });
    let mut html = String::with_capacity(HEAD_BYTES);
    push_head(&mut html, &shell.title, &policy);
    out.write_all(html.as_bytes())?;
    for style in styles {
        style.write_element(out)?;
    }
    writeln!(out, "</head>\n<body>")?;
    if let Some(html) = shell.custom {
        writeln!(out, "{html}")?;
    }
    html.clear();
    shell.push_top(&mut html);
    out.write_all(html.as_bytes())?;
    body(worker, out)?;
    writeln!(out, "</main>")?;
    for script in scripts {
        script.write_element(out)?;
    }
    writeln!(out, "</body>\n</html>")?;
    Ok(())
}
