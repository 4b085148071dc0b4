//! The links, ids and scripts of all pages of a report, collected in one pass.

use super::address::resolve;
use super::{Page, Report, report};
use regex::Regex;
use scraper::ElementRef;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{LazyLock, Mutex, OnceLock};

/// Where the files stand that pages load.
static ASSET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\.\./)?assets/[a-z_]+-[0-9a-f]{16}\.(?:css|js)").unwrap());

/// How many pages of one report are looked at. Reports of real models have thousands that are made alike.
const PAGES_READ: usize = 160;

/// One page.
#[derive(Default)]
pub struct Facts {
    /// The targets of links, unresolved.
    pub links: Vec<String>,
    /// The values of `id`, in page order.
    pub ids: Vec<String>,
    /// The content of the policies.
    pub policies: Vec<String>,
    /// Scripts on the page that run, without those that are data.
    pub scripts: Vec<String>,
    /// Style sheets and scripts of the report that it loads, relative to the page.
    pub assets: Vec<String>,
    /// Bytes of the style sheets.
    pub style_bytes: usize,
    /// Whatever would load something, or run although it is not one of our scripts, as `element: attribute`.
    pub foreign: Vec<String>,
    /// Forms that lead to the search.
    pub searches: usize,
    /// Required parts of a page that are missing.
    pub missing: Vec<&'static str>,
}

/// The pages of the report of a stored log, by path; read once for all tests.
pub fn site(name: &str) -> &'static BTreeMap<String, Facts> {
    type Site = OnceLock<BTreeMap<String, Facts>>;
    static SITES: OnceLock<Mutex<HashMap<String, &'static Site>>> = OnceLock::new();
    let sites = SITES.get_or_init(Mutex::default);
    let place = *sites.lock().unwrap().entry(name.to_owned()).or_insert_with(|| Box::leak(Box::default()));
    place.get_or_init(|| read(report(name)))
}

/// Reads the pages of a report: all of a small one; of a large one those at the top and a sample of the others.
pub fn read(report: &Report) -> BTreeMap<String, Facts> {
    let pages = report.pages();
    let step = pages.len().div_ceil(PAGES_READ).max(1);
    let sampled = pages.iter().enumerate().filter(|(n, path)| !path.contains('/') || n % step == 0);
    sampled.map(|(_, path)| (path.clone(), Facts::of(&report.page(path)))).collect()
}

impl Facts {
    /// What a page holds.
    pub fn of(page: &Page) -> Facts {
        let mut facts = Facts::default();
        for element in page.all("*") {
            let value = element.value();
            let name = value.name();
            facts.links.extend(value.attr("href").filter(|_| name == "a").map(str::to_owned));
            // The form that leads to the search is a link with words; any other form is foreign.
            let form = value.attr("action").filter(|to| name == "form" && is_search(to));
            facts.links.extend(form.map(str::to_owned));
            facts.searches += usize::from(form.is_some());
            facts.ids.extend(value.id().map(str::to_owned));
            match name {
                "meta" if value.attr("http-equiv") == Some("Content-Security-Policy") => {
                    facts.policies.extend(value.attr("content").map(str::to_owned));
                }
                "script" if value.attr("type") == Some("application/json") => {}
                "script" => facts.scripts.push(element.text().collect()),
                "style" => facts.style_bytes += element.text().map(str::len).sum::<usize>(),
                "form" if form.is_some() => {}
                "link" if is_own_sheet(element) => {
                    facts.assets.extend(value.attr("href").map(str::to_owned));
                }
                "link" | "iframe" | "object" | "embed" | "base" | "form" => {
                    facts.foreign.push(name.to_owned())
                }
                _ => {}
            }
            for (attribute, text) in value.attrs() {
                let loads =
                    matches!(attribute, "src" | "srcset" | "data" | "poster" | "background" | "action");
                let ours = attribute == "action" && form.is_some();
                if attribute.starts_with("on") || (loads && !ours && !text.starts_with("data:")) {
                    facts.foreign.push(format!("{name}: {attribute}"));
                }
            }
        }
        let named = facts.scripts.iter().flat_map(|script| ASSET.find_iter(script));
        let named: Vec<String> = named.map(|found| found.as_str().to_owned()).collect();
        facts.assets.extend(named);
        facts.missing = missing(page);
        facts
    }

    /// Bytes of CSS and JavaScript that the page carries.
    pub fn code_bytes(&self) -> usize {
        self.style_bytes + self.scripts.iter().map(String::len).sum::<usize>()
    }

    /// Ids that occur more than once.
    pub fn doubled_ids(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.ids.iter().map(String::as_str).filter(|id| !seen.insert(*id)).collect()
    }

    /// Links within the report, resolved: path below the report's folder, and anchor.
    pub fn relative_links<'f>(
        &'f self,
        from: &'f str,
    ) -> impl Iterator<Item = (String, Option<String>)> + 'f {
        let is_within =
            |link: &&String| !link.split(['/', '?', '#']).next().unwrap_or_default().contains(':');
        self.links.iter().filter(is_within).map(move |link| resolve(from, link))
    }
}

/// Whether a link loads a style sheet of the report.
fn is_own_sheet(link: ElementRef<'_>) -> bool {
    let href = link.attr("href").unwrap_or_default();
    link.attr("rel") == Some("stylesheet") && ASSET.find(href).is_some_and(|found| found.as_str() == href)
}

fn is_search(action: &str) -> bool {
    // The page of a job leads to the search of a rank.
    let of_rank = action.strip_prefix("rank_").and_then(|rest| rest.split_once('/'));
    let of_rank = of_rank.filter(|(rank, _)| rank.bytes().all(|byte| byte.is_ascii_digit()));
    matches!(of_rank.map_or(action, |(_, page)| page), "search.html" | "../search.html")
}

fn missing(page: &Page) -> Vec<&'static str> {
    let wanted = [
        ("html[lang]", "a language"),
        ("head > meta[charset]", "an encoding"),
        ("head > title", "a title"),
        ("head > meta[name=viewport]", "a viewport"),
        ("body main", "a <main>"),
        ("body main h1, body main h2", "a heading"),
    ];
    wanted.into_iter().filter(|(css, _)| page.all(css).is_empty()).map(|(_, what)| what).collect()
}
