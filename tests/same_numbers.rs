//! A finding says the same count, seconds and place wherever it stands: on the landing page, on the page of its topic,
//! in the terminal and in report.json.

use crate::support::{Page, Report, reports, select, text_of};
use scraper::ElementRef;
use serde_json::Value;

/// What one entry of a page says of a finding.
#[derive(Debug, PartialEq, Eq)]
struct Numbers {
    /// `146 ms wasted`; a dash where the log tells no cost.
    cost: String,
    /// `4 times`; None where it says nothing.
    count: Option<String>,
    /// `/app/a.py` and `a.py:11`; None where it names none.
    place: Option<(String, String)>,
}

fn first<'p>(element: ElementRef<'p>, css: &str) -> Option<ElementRef<'p>> {
    element.select(&select(css)).next()
}

/// Reads the head of an entry.
fn numbers(entry: ElementRef<'_>) -> Numbers {
    let cost = first(entry, "summary .cost").expect("a cost");
    let all = text_of(cost);
    let count = first(cost, "small").map(text_of);
    let alone = count.as_deref().map_or(all.as_str(), |count| all.strip_suffix(count).unwrap_or(&all));
    let place = first(entry, "summary .what small [title]")
        .map(|place| (place.value().attr("title").unwrap_or_default().to_owned(), text_of(place)));
    Numbers { cost: plain(alone), count: count.map(|text| plain(&text)), place }
}

fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ").trim().to_owned()
}

/// Seconds that a text such as `146 ms wasted` says.
fn seconds(text: &str) -> Option<f64> {
    let text = text.replace(',', "").replace("up to ", "");
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    match words.next()? {
        "us" | "µs" => Some(number / 1e6),
        "ms" => Some(number / 1e3),
        "s" => Some(number),
        _ => None,
    }
}

/// Single findings of a log with their entries on the landing page: groups have a table.
fn singles<'r>(report: &'r Report, landing: &'r Page) -> Vec<(&'r Value, ElementRef<'r>)> {
    let all = report.json["findings"].as_array().expect("findings").iter().enumerate();
    let entry = |(index, finding)| {
        let found = landing.all(&format!("details#finding-{}", index + 1));
        Some((finding, *found.first()?))
    };
    all.filter_map(entry).collect()
}

/// Whether a line of the terminal is the finding of that title: it begins with the name of the kind.
fn says(line: &str, title: &str) -> bool {
    line.split_once(": ").is_some_and(|(_, text)| text.starts_with(title))
}

fn count_in_json(finding: &Value) -> Option<u64> {
    let detail = finding["detail"].as_str().unwrap_or_default();
    detail.lines().find_map(|line| line.strip_prefix("Times: ")?.parse().ok())
}

#[test]
fn the_landing_page_says_the_seconds_the_count_and_the_place_of_report_json() {
    let mut compared = 0;
    for (name, report) in reports() {
        let landing = report.page("index.html");
        for (finding, entry) in singles(report, &landing) {
            let about = format!("{name}: {}", finding["title"]);
            let shown = numbers(entry);
            match finding["cost"]["seconds"].as_f64() {
                // What was needed anyway is named without its seconds.
                Some(_) if finding["cost"]["kind"] == "expected" => {
                    assert_eq!(shown.cost, "expected", "{about}")
                }
                Some(told) => {
                    let read = seconds(&shown.cost).unwrap_or_else(|| panic!("{about}: {shown:?}"));
                    assert!((read - told).abs() <= told * 0.051 + 1e-6, "{about}: {told} s, shown {shown:?}");
                    let kind = finding["cost"]["kind"].as_str().unwrap_or_default();
                    let word = if kind == "avoidable" { "up to" } else { kind };
                    assert!(shown.cost.contains(word), "{about}: {kind}, shown {shown:?}");
                }
                None => assert_eq!(seconds(&shown.cost), None, "{about}: {shown:?}"),
            }
            let times = shown
                .count
                .as_deref()
                .and_then(|text| text.strip_suffix(" times")?.replace(',', "").parse().ok());
            assert_eq!(
                times.filter(|n: &u64| *n > 1),
                count_in_json(finding).filter(|_| times.is_some()),
                "{about}"
            );
            if let (Some((file, text)), Some(line)) = (&shown.place, finding["line"].as_u64()) {
                assert_eq!(Some(file.as_str()), finding["file"].as_str(), "{about}");
                assert!(text.ends_with(&format!(":{line}")), "{about}: {text}");
            }
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared} findings");
}

#[test]
fn the_page_of_a_topic_says_what_the_landing_page_says() {
    let pages = [("graph_break", "graph_breaks.html"), ("failure", "failures_and_restarts.html")];
    let mut compared = 0;
    for (name, report) in reports() {
        let landing = report.page("index.html");
        for (kind, path) in pages {
            if !report.has(path) {
                continue;
            }
            let page = report.page(path);
            let entries: Vec<Numbers> = page.all("details.finding").into_iter().map(numbers).collect();
            for (finding, entry) in singles(report, &landing) {
                let mut told = numbers(entry);
                let group = told.count.as_deref().is_some_and(|count| count.ends_with("places"));
                if finding["kind"] != kind || group {
                    continue;
                }
                // An entry that happened once need not say so.
                told.count.get_or_insert_with(|| "1 time".to_owned());
                let same = |one: &&Numbers| {
                    one.cost == told.cost && one.place == told.place && one.count == told.count
                };
                assert!(
                    entries.iter().any(|one| same(&one)),
                    "{name}: {}: {told:?} not in {entries:?}",
                    finding["title"]
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 15, "{compared} findings");
}

#[test]
fn the_terminal_says_the_seconds_and_the_place_of_report_json() {
    let mut compared = 0;
    for (name, report) in reports() {
        let lines: Vec<String> = report.stdout.lines().map(plain).collect();
        for finding in report.json["findings"].as_array().expect("findings") {
            let title = finding["title"].as_str().unwrap_or_default().replace('`', "");
            let beginning: String = title.lines().next().unwrap_or_default().chars().take(100).collect();
            let place = match (finding["file"].as_str(), finding["line"].as_u64()) {
                (Some(file), Some(line)) => format!(", at {file}:{line}"),
                _ => String::new(),
            };
            let Some(line) = lines.iter().find(|line| says(line, &beginning) && line.contains(&place)) else {
                continue;
            };
            let lost = finding["cost"]["kind"] != "expected";
            let told = finding["cost"]["seconds"].as_f64().filter(|_| lost);
            let shown = line.rsplit(", ").find_map(seconds).filter(|_| told.is_some());
            if let (Some(told), Some(shown)) = (told, shown) {
                assert!(
                    (shown - told).abs() <= told * 0.051 + 1e-6,
                    "{}: {told} s, the terminal: {line}",
                    name
                );
            }
            assert_eq!(told.is_some(), shown.is_some(), "{}: {line}", name);
            if let Some(count) = count_in_json(finding) {
                assert!(line.contains(&format!(", {count} times")), "{}: {line}", name);
            }
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} findings");
}
