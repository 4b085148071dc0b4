//! Markdown of reports, comparisons and checks as a renderer of GitHub's kind reads it: tables, links, and no markup that
//! a log brought.

use crate::diff::diff;
use crate::support::{Check, job, report, reports};
use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{Html, Selector};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Elements that the documents are made of; anything else came from a log.
const ELEMENTS: [&str; 22] = [
    "html", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
    "code", "pre", "strong", "em", "a", "br", "hr",
];

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
}

/// The document as HTML, which holds nothing but the elements above.
fn rendered(about: &str, text: &str) -> Html {
    let raw: Vec<Event<'_>> = Parser::new_ext(text, options())
        .filter(|event| {
            let is_picture = matches!(event, Event::Start(Tag::Image { .. } | Tag::FootnoteDefinition(_)));
            is_picture || matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_))
        })
        .collect();
    assert!(raw.is_empty(), "{about}: {raw:?}");
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, Parser::new_ext(text, options()));
    let html = Html::parse_fragment(&html);
    for element in html.select(&Selector::parse("*").unwrap()) {
        assert!(ELEMENTS.contains(&element.value().name()), "{about}: {}", element.html());
    }
    html
}

fn all<'h>(html: &'h Html, css: &str) -> Vec<scraper::ElementRef<'h>> {
    html.select(&Selector::parse(css).unwrap()).collect()
}

/// Every table is read as one, with as many cells in each row as its head has.
fn tables_are_whole(about: &str, text: &str, html: &Html) {
    let below_head = |line: &&str| line.starts_with('|') && line.chars().all(|c| "|:- ".contains(c));
    let in_text = text.lines().filter(below_head).count();
    let tables = all(html, "table");
    assert_eq!(tables.len(), in_text, "{about}: tables that are none when they are read");
    for table in tables {
        let count =
            |css: &str, of: scraper::ElementRef<'_>| of.select(&Selector::parse(css).unwrap()).count();
        let heads = count("thead th", table);
        for row in table.select(&Selector::parse("tbody tr").unwrap()) {
            assert_eq!(count("td", row), heads, "{about}: {}", row.html());
        }
    }
    for paragraph in all(html, "p") {
        let text: String = paragraph.text().collect();
        assert!(!text.trim_start().starts_with('|'), "{about}: a row outside of a table: {text}");
    }
}

/// The Markdown of a comparison.
fn of_diff(a: &Path, b: &Path) -> String {
    let done = diff(&[a.as_os_str(), b.as_os_str(), "--format".as_ref(), "markdown".as_ref()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done.stdout
}

#[test]
fn comparisons_render_as_tables_with_a_row_for_each_difference() {
    let of = |name: &str| report(name).folder.as_path();
    let jobs = (&job("13_div_healthy").folder, &job("13_div_break").folder);
    for (a, b) in [
        (of("21_torch26_03_graph_breaks"), of("03_graph_breaks")),
        (of("08_cache_miss"), of("08_cache_hit")),
        (of("21_torch26_01_inference"), of("01_inference")),
        (of("01_inference"), of("01_inference")),
        (jobs.0.as_path(), jobs.1.as_path()),
    ] {
        let text = of_diff(a, b);
        let about = format!("{} and {}", a.display(), b.display());
        let html = rendered(&about, &text);
        tables_are_whole(&about, &text, &html);
        let done = diff(&[a.as_os_str(), b.as_os_str(), "--json".as_ref()]);
        let json: Value = serde_json::from_str(&done.stdout).unwrap();
        let changes = json["rows"].as_array().unwrap().len();
        let rows = all(&html, "table")
            .first()
            .map_or(0, |table| table.select(&Selector::parse("tbody tr").unwrap()).count());
        assert!(
            rows == changes
                || (changes == 0
                    && all(&html, "p").iter().any(|p| p.text().collect::<String>() == "Nothing.")),
            "{about}: {rows} rows of {changes}"
        );
    }
}

#[test]
fn reports_and_checks_render_with_whole_tables_and_links_into_the_report() {
    for (name, report) in reports() {
        let text = report.read("report.md");
        tables_are_whole(name, &text, &rendered(name, &text));
    }
    for name in ["03_graph_breaks", "06_errors", "08_cache_miss"] {
        let check = Check::of([&report(name).folder])
            .budget("graph_breaks = 0\nfailures = 0\ncache_misses = 0\nfindings = 0\n");
        let text = check.args(["--format", "markdown"]).go().stdout;
        let html = rendered(name, &text);
        tables_are_whole(name, &text, &html);
        assert_eq!(all(&html, "table").len(), 1, "{text}");
    }
}

/// Names that mean something in Markdown, HTML, a mention or a table.
const HOSTILE: &str = "a|b</td></tr><script>alert(1)</script> ![x](http://x) [y](javascript:alert(1)) @team #1 `` ` ``` **b** _i_ \
                       ~~s~~ <!-- \n\n# head\n\n| x |\n|---|\n<details>";

#[test]
fn hostile_names_stay_texts_in_a_rendered_comparison_and_check() {
    let folder = TempDir::new().unwrap();
    let mut json = report("03_graph_breaks").json.clone();
    for one in json["graph_breaks"].as_array_mut().unwrap() {
        (one["reason"], one["file"]) = (json!(HOSTILE), json!(format!("/app/{HOSTILE}.py")));
    }
    for one in json["compiles"].as_array_mut().unwrap() {
        one["time"]["seconds"] = json!(3.0);
        one["function"]["name"] = json!(format!("{HOSTILE}{}", one["id"]));
    }
    for one in json["findings"].as_array_mut().unwrap() {
        (one["title"], one["file"]) = (json!(HOSTILE), json!(HOSTILE));
    }
    json["log"]["file"] = json!(HOSTILE);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    let text = of_diff(&report("03_graph_breaks").folder, folder.path());
    let html = rendered("diff", &text);
    tables_are_whole("diff", &text, &html);
    assert!(html.root_element().text().collect::<String>().contains("alert(1)"), "the name is shown as text");
    assert!(all(&html, "a").is_empty(), "a link of the log");
    let check = Check::of([folder.path()])
        .budget("graph_breaks = 0\nrecompiles_per_function = 0\nfailures = 0\nfindings = 0\n");
    let text = check.args(["--format", "markdown"]).go().stdout;
    let html = rendered("check", &text);
    tables_are_whole("check", &text, &html);
    for link in all(&html, "a") {
        let href = link.attr("href").unwrap();
        assert!(!href.contains("javascript:") && !href.starts_with("http://x"), "{href}");
    }
}
