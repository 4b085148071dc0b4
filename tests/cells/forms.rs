//! Every table of a report, read from its pages, from `report.md` and from what `tlparse show` prints.

use crate::support::{Page, Report, Run, select};
use regex::Regex;
use scraper::ElementRef;

/// A table as a reader sees it.
pub struct Table {
    /// `time.html phases-table`, `report.md Times, Phase`, `show Graph breaks`: numbers in ids are `N`.
    pub name: String,
    /// Where it stands, for the message of a test that fails.
    pub place: String,
    /// The number in the id of a table of which a page has several, from 1; 0 without one.
    pub number: usize,
    /// The text of the heading above it.
    pub heading: String,
    /// The heads of its columns.
    pub head: Vec<String>,
    /// The texts of its cells.
    pub rows: Vec<Vec<String>>,
}

/// The text of a cell, with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text of an element, with spaces between the elements inside of it.
fn spaced(element: ElementRef<'_>) -> String {
    plain(&element.text().collect::<Vec<_>>().join(" "))
}

/// The cells of a row; a cell over several columns counts once.
fn cells(row: ElementRef<'_>) -> Vec<String> {
    row.child_elements().map(spaced).collect()
}

/// An id without its numbers: `break-N-table` of `break-12-table`.
fn without_numbers(id: &str) -> String {
    Regex::new(r"\d+(_\d+)*").unwrap().replace_all(id, "N").into_owned()
}

/// The tables of a page with a head; `prefix` stands before their names.
pub fn of_page(page: &Page, prefix: &str) -> Vec<Table> {
    // vLLM's landing page has a second name.
    let file = page.path.rsplit('/').next().unwrap().trim_start_matches("tlparse_");
    let mut heading = String::new();
    let mut found = Vec::new();
    // The title of a card is the heading of what is in it.
    for element in page.all("h1, h2, h3, h4, .finding > summary .what, table") {
        if element.value().name() != "table" {
            heading = spaced(element);
            continue;
        }
        let row = select("tr");
        let mut rows = element.select(&row).map(cells);
        let has_head = element.select(&select("tr th")).next().is_some();
        let Some(head) = rows.next().filter(|_| has_head) else { continue };
        let id = element.attr("id").or(element.attr("class")).unwrap_or_default();
        let digits: String =
            id.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        found.push(Table {
            name: format!("{prefix}{file} {}", without_numbers(id)),
            place: format!("{} {id}", page.path),
            number: digits.parse().unwrap_or_default(),
            heading: heading.clone(),
            head,
            rows: rows.collect(),
        });
    }
    found
}

/// The tables of a Markdown file.
pub fn of_markdown(text: &str, prefix: &str) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let mut heading = "";
    let mut inside = false;
    for line in text.lines() {
        heading = line.strip_prefix("## ").unwrap_or(heading);
        let is_row = line.starts_with('|');
        if is_row {
            let bare = line.replace("\\|", "\u{0}");
            let row: Vec<String> = bare.trim_matches('|').split('|').map(plain).collect();
            let row: Vec<String> = row.iter().map(|cell| cell.replace('\u{0}', "|")).collect();
            if !inside {
                let name = format!("{prefix}report.md {heading}, {}", row[0]);
                found.push(Table { place: name.clone(), name, head: row, ..Table::empty(heading) });
            } else if !row.iter().all(|cell| cell.contains("---")) {
                found.last_mut().unwrap().rows.push(row);
            }
        }
        inside = is_row;
    }
    found
}

impl Table {
    fn empty(heading: &str) -> Table {
        Table {
            name: String::new(),
            place: String::new(),
            number: 0,
            heading: heading.to_owned(),
            head: Vec::new(),
            rows: Vec::new(),
        }
    }
}

/// Cuts a line where columns begin; the last column takes the rest.
fn cut(line: &str, starts: &[usize]) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    let cell = |(start, end): (&usize, usize)| {
        let (start, end) = ((*start).min(chars.len()), end.min(chars.len()));
        plain(&chars[start..end].iter().collect::<String>())
    };
    starts.iter().zip(ends).map(cell).collect()
}

/// The lists that `tlparse show` prints.
pub fn of_show(text: &str, prefix: &str) -> Vec<Table> {
    let title = Regex::new(r"^(\S.*) \(\d+\)$").unwrap();
    let column = Regex::new(r"\S+( \S+)*").unwrap();
    let mut found = Vec::new();
    // Of a job, what follows are the ranks' own lists: those of their own reports.
    let text = text.split("\n== rank").next().unwrap();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(title) = title.captures(line) else { continue };
        let Some(head) = lines.next().filter(|head| !head.is_empty() && !head.ends_with('.')) else {
            continue;
        };
        let starts: Vec<usize> =
            column.find_iter(head).map(|found| head[..found.start()].chars().count()).collect();
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|row| !row.is_empty()) {
            rows.push(cut(row, &starts));
        }
        let name = format!("{prefix}show {}", &title[1]);
        found.push(Table { place: name.clone(), name, head: cut(head, &starts), rows, ..Table::empty("") });
    }
    found
}

/// What `tlparse show WHAT` is asked for.
const SHOWN: [&str; 9] =
    ["findings", "compiles", "breaks", "recompiles", "failures", "caches", "time", "kernels", "performance"];

/// Everything that `tlparse show` prints of a report; of a job, what it prints unasked.
pub fn shown(report: &Report) -> String {
    let folder = report.folder.to_str().unwrap();
    let print = |args: &[&str]| Run::bare().go_with(&[&["show", "--all"], args].concat()).stdout;
    if report.json["kind"] == "job" {
        return print(&[folder]);
    }
    SHOWN.iter().map(|what| print(&[what, folder])).collect::<String>() + &print(&[folder])
}

/// All tables of a report in all of its forms. Pages of the ranks of a job are theirs.
pub fn of_report(report: &Report, prefix: &str) -> Vec<Table> {
    let of_rank = |path: &String| {
        path.split_once('/').is_some_and(|(dir, _)| report.has(&format!("{dir}/report.json")))
    };
    let mut tables = Vec::new();
    for path in report.pages().into_iter().filter(|path| !of_rank(path)) {
        let page = Page::parse(&path, &report.read(&path));
        tables.extend(of_page(&page, prefix));
    }
    if report.has("report.md") {
        tables.extend(of_markdown(&report.read("report.md"), prefix));
    }
    tables.extend(of_show(&shown(report), prefix));
    tables
}
