//! A name has the same figure on every page; and findings have the same count, seconds and place on the landing page, on the page of
//! their topic, in the terminal and in report.json.

use crate::support::{Page, Report, report, reports, select, text_of};
use scraper::ElementRef;
use serde_json::Value;
use std::collections::BTreeMap;

/// The numbers of a finding in an entry of a page.
#[derive(Debug, PartialEq, Eq)]
struct Numbers {
    /// `146 ms wasted`; a dash if the cost is unknown.
    cost: String,
    /// `4 times`; None if it is missing.
    count: Option<String>,
    /// `/app/a.py` and `a.py:11`; None if it is missing.
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

/// Seconds in a text such as `146 ms wasted`.
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

/// Single findings of a log with their entries on the landing page; groups have a table.
fn singles<'r>(report: &'r Report, landing: &'r Page) -> Vec<(&'r Value, ElementRef<'r>)> {
    let all = report.json["findings"].as_array().expect("findings").iter().enumerate();
    let entry = |(index, finding)| {
        let found = landing.all(&format!("details#finding-{}", index + 1));
        Some((finding, *found.first()?))
    };
    all.filter_map(entry).collect()
}

/// Whether a line in the terminal is the finding with that title; it begins with the name of its kind.
fn says(line: &str, title: &str) -> bool {
    line.split_once(": ").is_some_and(|(_, text)| text.starts_with(title))
}

fn count_in_json(finding: &Value) -> Option<u64> {
    let detail = finding["detail"].as_str().unwrap_or_default();
    detail.lines().find_map(|line| line.strip_prefix("Times: ")?.parse().ok())
}

#[test]
fn the_landing_page_has_the_seconds_counts_and_places_of_report_json() {
    let mut compared = 0;
    for (name, report) in reports() {
        let landing = report.page("index.html");
        for (finding, entry) in singles(report, &landing) {
            let about = format!("{name}: {}", finding["title"]);
            let shown = numbers(entry);
            match finding["cost"]["seconds"].as_f64() {
                // Necessary work is named without its seconds.
                Some(_) if finding["cost"]["kind"] == "expected" => {
                    // Of a first run it is said what the next one saves.
                    let is_first = finding["kind"] == "first_run" && shown.cost.starts_with("up to ");
                    assert!(is_first || shown.cost == "expected", "{about}: {shown:?}")
                }
                Some(told) => {
                    let read = seconds(&shown.cost).unwrap_or_else(|| panic!("{about}: {shown:?}"));
                    assert!((read - told).abs() <= told * 0.051 + 1e-6, "{about}: {told} s, shown {shown:?}");
                    let kind = finding["cost"]["kind"].as_str().unwrap_or_default();
                    let word = if kind == "avoidable" { "up to" } else { kind };
                    assert!(shown.cost.contains(word), "{about}: {kind}, shown {shown:?}");
                }
                // What the next run saves is no cost of this one.
                None if shown.count.as_deref() == Some("in the next run") => {
                    let promise = finding["advice"][0]["promise"].as_str().unwrap_or(&shown.cost);
                    assert!(promise.replace('\u{a0}', " ").contains(&shown.cost), "{about}: {shown:?}");
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
fn the_page_of_a_topic_agrees_with_the_landing_page() {
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
                // An entry that happened once may omit the count.
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
fn the_terminal_has_the_seconds_and_places_of_report_json() {
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
            let word = match finding["cost"]["kind"].as_str() {
                Some("avoidable") => "up to ",
                Some("expected") if finding["kind"] == "first_run" => "",
                Some(kind) => kind,
                None => "",
            };
            assert!(line.contains(word), "{}: {line} is {word}", name);
            if let Some(count) = count_in_json(finding) {
                assert!(line.contains(&format!(", {count} times")), "{}: {line}", name);
            }
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} findings");
}

#[test]
fn the_landing_page_lists_the_findings_in_the_order_of_report_json() {
    for (name, report) in reports() {
        let landing = report.page("index.html");
        let entries = landing.all("[id^=finding-]").into_iter();
        let numbers = entries.filter_map(|entry| entry.value().id()?.strip_prefix("finding-")?.parse().ok());
        let numbers: Vec<usize> = numbers.collect();
        assert!(numbers.is_sorted(), "{name}: {numbers:?}");
        assert_eq!(numbers.len(), report.list("findings").len(), "{name}: {numbers:?}");
    }
}

/// The value of a line of a finding's detail: `Misses: FX graph 2 times`.
fn line_of<'f>(finding: &'f Value, label: &str) -> &'f str {
    let detail = finding["detail"].as_str().unwrap_or_default();
    let found = detail.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no {label} in {finding}"))
}

/// Counts per cache in a finding: `FX graph 2 times, AOTAutograd 1 time`.
fn by_cache(text: &str) -> BTreeMap<String, u64> {
    let one = |part: &str| {
        let mut words = part.trim_end_matches(" times").trim_end_matches(" time").rsplitn(2, ' ');
        let count = words.next()?.parse().ok()?;
        let name = words.next()?;
        Some((name.to_owned(), count))
    };
    text.split(", ").map(|part| one(part).unwrap_or_else(|| panic!("no count in {text}"))).collect()
}

/// Lookups per cache with that answer, from the rows of the page of caches.
fn lookups(page: &Page, answer: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for row in page.all("#lookups-table tbody tr") {
        let cells: Vec<String> = row.select(&select("td")).map(text_of).collect();
        if cells[2].starts_with(answer) {
            *counts.entry(cells[1].clone()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn the_page_of_caches_has_the_counts_of_findings_about_caches() {
    let mut compared = 0;
    for (name, report) in reports() {
        let of = |kind: &'static str| report.list("findings").iter().filter(move |one| one["kind"] == kind);
        for miss in of("cache_miss").chain(of("first_run")) {
            let page = report.page("caches.html");
            let told = by_cache(line_of(miss, "Misses"));
            assert_eq!(told, lookups(&page, "miss"), "{name}: {}", miss["title"]);
            let all: u64 = told.values().sum();
            let words = format!("{all} {}", if all == 1 { "miss" } else { "misses" });
            let title = miss["title"].as_str().unwrap().replace("cache miss", "miss");
            assert!(title.contains(&words), "{name}: {title}");
            let text = plain(&page.text());
            assert!([",", "."].iter().any(|end| text.contains(&format!(" {words}{end}"))), "{name}: {words}");
            compared += 1;
        }
        let mut bypassed: BTreeMap<String, u64> = BTreeMap::new();
        for bypass in of("cache_bypass") {
            for (cache, count) in by_cache(line_of(bypass, "Bypasses")) {
                *bypassed.entry(cache).or_default() += count;
            }
        }
        if !bypassed.is_empty() {
            assert_eq!(bypassed, lookups(&report.page("caches.html"), "bypass"), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 25, "{compared} logs");
}

/// The longest time after a label on a page, in seconds: `12.3 s` of `Kernel builds 12.3 s 79 %`.
fn time_after(text: &str, label: &str) -> Option<f64> {
    let behind = |(at, _)| seconds(text.get(at + label.len()..)?.trim_start());
    text.match_indices(label).filter_map(behind).reduce(f64::max)
}

/// Whether `shown` is `told` as pages round it: three digits, or whole milliseconds below a second.
fn is_shown_as(told: f64, shown: f64) -> bool {
    (told - shown).abs() <= told * 0.0051 + 0.000_51
}

#[test]
fn every_page_splits_the_time_like_report_json() {
    let mut compared = 0;
    for (name, report) in reports() {
        let parts = report.json["compile_time"]["parts"].as_array().unwrap();
        for page in ["index.html", "time.html"] {
            if !report.has(page) {
                continue;
            }
            let text = report.page(page).text();
            for part in parts.iter().filter(|part| part["name"].is_string()) {
                let (label, told) = (part["name"].as_str().unwrap(), part["seconds"].as_f64().unwrap());
                // A legend omits parts without a bar.
                if told < 1e-3 {
                    continue;
                }
                let shown = time_after(&plain(&text), &format!("{label} "));
                let shown = shown.unwrap_or_else(|| panic!("{name}: {page} has no time of {label}"));
                assert!(is_shown_as(told, shown), "{name}: {page}: {label} took {told} s, shown {shown}");
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared} numbers");
}

#[test]
fn the_parts_of_report_json_and_the_rest_add_up_to_the_compile_time() {
    let mut without_a_part = 0;
    for (name, report) in reports() {
        let time = &report.json["compile_time"];
        let parts = time["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| part["seconds"].as_f64().unwrap()).sum();
        let total = time["total_s"].as_f64().unwrap();
        assert!((sum - total).abs() < 1e-3, "{name}: parts of {sum} s in {total} s");
        without_a_part += parts.iter().filter(|part| part["name"].is_null()).count();
    }
    assert!(without_a_part > 0, "07_compiled_autograd has a span of no part");
}

#[test]
fn the_page_of_time_has_the_seconds_of_findings_about_time() {
    let mut compared = 0;
    for (name, report) in reports() {
        let total = report.json["compile_time"]["total_s"].as_f64().unwrap();
        for finding in report.list("findings") {
            let title = plain(finding["title"].as_str().unwrap());
            let kind = finding["kind"].as_str().unwrap();
            match kind {
                "slow_log" => {
                    let (whole, shares) = title.split_once(" of compile time: ").unwrap();
                    assert!(is_shown_as(total, seconds(whole).unwrap()), "{name}: {title}");
                    assert!(plain(&report.page("time.html").text()).contains(whole), "{name}: {whole}");
                    let sum: f64 = shares
                        .split(", ")
                        .filter_map(|share| {
                            let (_, time) = share.rsplit_once(' ').and_then(|(rest, unit)| {
                                Some((rest, format!("{} {unit}", rest.rsplit(' ').next()?)))
                            })?;
                            seconds(&time)
                        })
                        .sum();
                    assert!(sum <= total * 1.006, "{name}: {title}");
                }
                "serial_builds" => {
                    // `..: 9.56 s of 20.3 s, with ..`, `Kernel builds take 6.32 s of 13.9 s, of which ..`
                    let (before, rest) = title.split_once(" of ").unwrap();
                    let builds =
                        before.rsplit(": ").next().unwrap().trim_start_matches("Kernel builds take ");
                    assert!(
                        is_shown_as(total, seconds(rest.split(',').next().unwrap()).unwrap()),
                        "{name}: {title}"
                    );
                    let saved = finding["cost"]["seconds"].as_f64().unwrap_or_default();
                    assert!(saved <= seconds(builds).unwrap() * 1.006, "{name}: {title}");
                }
                "toolchain" | "first_run" => {
                    if let Some((before, _)) = title.split_once(" of compile time: ") {
                        let whole = before.rsplit(", ").next().unwrap();
                        assert!(is_shown_as(total, seconds(whole).unwrap()), "{name}: {title}");
                        assert!(plain(&report.page("time.html").text()).contains(whole), "{name}: {whole}");
                        compared += 1;
                    }
                    let took = ["The first C++ build took ", "first C++ build "];
                    let took = took.iter().find_map(|before| Some(title.split_once(before)?.1));
                    let Some(took) = took else { continue };
                    let took = took.split([':', ',']).next().and_then(seconds).unwrap();
                    // A model that is built ahead of time has no compile id, and so no page for its compile.
                    let ids = finding["compile_ids"].as_array().unwrap().iter().filter_map(Value::as_str);
                    let folders = ids.map(|id| report.compile(id)["attempts"][0]["dir"].as_str().unwrap());
                    let mut pages = folders.map(|folder| {
                        (folder, plain(&report.page(&format!("{folder}/compile.html")).text()))
                    });
                    // A first run is about other compiles, too.
                    let built = |page: &str| kind == "toolchain" || page.contains(" trying the C++ compiler");
                    if name == "21_torch25_old_torch" {
                        // The page of each of its two compiles has a part of it.
                        continue;
                    }
                    let Some((folder, page)) = pages.find(|(_, page)| built(page)) else {
                        assert_eq!(kind, "toolchain", "{name}: no page has the one-off build");
                        continue;
                    };
                    // `7.10 s trying the C++ compiler and building its headers`
                    let before = page.split(" trying the C++ compiler").next().unwrap();
                    let words: Vec<&str> = before.rsplit([' ', '\n']).take(2).collect();
                    let shown = seconds(&format!("{} {}", words[1], words[0]));
                    let shown =
                        shown.unwrap_or_else(|| panic!("{name}: no one-off build on the page of {folder}"));
                    assert!(is_shown_as(took, shown), "{name}: {title}: {shown} s on the page of {folder}");
                }
                _ => continue,
            }
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared} findings");
}

#[test]
fn the_compiles_on_the_page_of_time_add_up_to_the_parts_of_report_json() {
    let mut compared = 0;
    for name in ["01_inference", "03_graph_breaks", "04_recompiles", "02_train_mlp"] {
        let report = report(name);
        let page = report.page("time.html");
        let heads: Vec<String> = page.all("#compiles-table th").into_iter().map(text_of).collect();
        let rows = page.all("#compiles-table tbody tr");
        for part in report.json["compile_time"]["parts"].as_array().unwrap() {
            let (Some(label), Some(told)) = (part["name"].as_str(), part["seconds"].as_f64()) else {
                continue;
            };
            let column = heads.iter().position(|head| head == label).unwrap_or_else(|| panic!("no {label}"));
            let cell = |row: &ElementRef<'_>| {
                let cells: Vec<String> = row.select(&select("td")).map(text_of).collect();
                cells.get(column).and_then(|text| seconds(&plain(text)))
            };
            let sum: f64 = rows.iter().filter_map(cell).sum();
            // Each row is rounded separately.
            let tolerance = told * 0.01 + rows.len() as f64 * 0.000_5;
            assert!((sum - told).abs() <= tolerance, "{name}: {label}: {sum} of {told} s");
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared} numbers");
}

/// A figure as a page shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Figure {
    value: f64,
    /// What it counts: seconds, bytes, shares; empty for things.
    unit: &'static str,
    /// By how much it may be rounded.
    rounding: f64,
}

/// Units with what they are a multiple of.
const UNITS: [(&str, &str, f64); 11] = [
    ("us", "s", 1e-6),
    ("ms", "s", 1e-3),
    ("s", "s", 1.0),
    ("min", "s", 60.0),
    ("h", "s", 3_600.0),
    ("%", "%", 1.0),
    ("bytes", "bytes", 1.0),
    ("KB", "bytes", 1024.0),
    ("MB", "bytes", 1_048_576.0),
    ("GB", "bytes", 1_073_741_824.0),
    ("", "", 1.0),
];

impl Figure {
    /// The number at the beginning of a text; None if it begins with anything else.
    fn first_in(text: &str) -> Option<Figure> {
        let text = text.strip_prefix("up to ").unwrap_or(text);
        let mut words = text.split(' ');
        let number = words.next()?.trim_end_matches(',').replace(',', "");
        let value: f64 =
            number.parse().ok().filter(|_| number.starts_with(|one: char| one.is_ascii_digit()))?;
        let word = words.next().unwrap_or_default().trim_end_matches([',', '.', ';']);
        let (_, unit, factor) = UNITS.into_iter().find(|(unit, ..)| *unit == word).unwrap_or(("", "", 1.0));
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        Some(Figure { value: value * factor, unit, rounding: 0.51 * 10f64.powi(-(digits as i32)) * factor })
    }

    fn agrees_with(self, other: Figure) -> bool {
        self.unit != other.unit || (self.value - other.value).abs() <= self.rounding + other.rounding
    }
}

/// The names of a page with their figures: labels of facts, cells of tables by their row and their head, entries of legends. A
/// name with several figures on the page is about more than its words say, and left out.
fn named_figures(page: &Page) -> BTreeMap<String, Figure> {
    let mut found: BTreeMap<String, Vec<Figure>> = BTreeMap::new();
    let mut add = |name: String, text: &str| {
        if let Some(figure) = Figure::first_in(&plain(text)) {
            found.entry(plain(&name)).or_default().push(figure);
        }
    };
    for label in page.all("dl dt") {
        let value = label.next_siblings().filter_map(ElementRef::wrap).find(|one| one.value().name() == "dd");
        value.into_iter().for_each(|value| add(text_of(label), &text_of(value)));
    }
    for table in page.all("main table") {
        let heads: Vec<String> = table.select(&select("thead th")).map(text_of).collect();
        for row in table.select(&select("tbody tr")) {
            let cells: Vec<ElementRef<'_>> = row.select(&select("td")).collect();
            let Some(first) = cells.first() else { continue };
            // What explains a name stands below it.
            let bold = first.select(&select("b, strong, .pills, code")).next();
            let key = bold.map_or_else(|| text_of(*first), text_of);
            for (head, cell) in
                heads.iter().zip(&cells).skip(1).filter(|(head, _)| !NO_NAMES.contains(&head.as_str()))
            {
                add(format!("{key} | {head}"), &text_of(*cell));
            }
        }
    }
    for entry in page.all(".legend > span") {
        let text = plain(&text_of(entry));
        let number = text.char_indices().find(|(at, one)| one.is_ascii_digit() && text[..*at].ends_with(' '));
        number.into_iter().for_each(|(at, _)| add(format!("{} | Time", text[..at].trim()), &text[at..]));
    }
    let single = |(name, figures): (String, Vec<Figure>)| {
        let first = *figures.first()?;
        figures.iter().all(|one| *one == first).then_some((name, first))
    };
    found.into_iter().filter_map(single).collect()
}

/// Heads that do not name the figures below them: a value is that of whatever else the row names, and calls are those in the code
/// on one page, and those that were measured on another.
const NO_NAMES: [&str; 2] = ["Value", "Calls"];

/// Pages of a report that are read; a log of many compiles has many that are alike.
const MOST_PAGES: usize = 250;

/// What a page is about: the compile of its folder, itself where it is about one run of Inductor, or the log.
fn subject(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((folder, _)) => folder,
        None if path.starts_with("provenance_tracking") => path,
        None => "",
    }
}

/// The names that have one figure on one page and another on another.
fn contradictions(report: &Report) -> (Vec<String>, usize) {
    let (mut known, mut wrong, mut compared) =
        (BTreeMap::<(String, String), (String, Figure)>::new(), Vec::new(), 0);
    // Pages of raw code, and the one for searching, name nothing.
    let shown = |path: &String| {
        path.ends_with(".html") && !path.ends_with("_readable.html") && report.size(path) < 3_000_000
    };
    for path in report.pages().into_iter().filter(shown).take(MOST_PAGES) {
        for (name, figure) in named_figures(&report.page(&path)) {
            let key = (subject(&path).to_owned(), name);
            match known.get(&key) {
                Some((other, before)) => {
                    compared += 1;
                    if !figure.agrees_with(*before) {
                        wrong.push(format!("{key:?}: {before:?} on {other}, {figure:?} on {path}"));
                    }
                }
                None => _ = known.insert(key, (path.clone(), figure)),
            }
        }
    }
    (wrong, compared)
}

#[test]
fn a_name_has_the_same_figure_on_every_page() {
    let mut all = 0;
    for (name, report) in reports() {
        let (wrong, compared) = contradictions(report);
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        all += compared;
    }
    assert!(all > 300, "{all} figures have a name that another page has");
}

#[test]
fn the_comparison_of_a_log_with_itself_has_the_figures_of_that_log() {
    let report = report("03_graph_breaks");
    let done = crate::diff::diff(&[&report.folder, &report.folder]);
    let page = std::fs::read_to_string(done.work.path().join("tl_diff/diff.html")).unwrap();
    let page = Page::parse("diff.html", &page);
    let figures = named_figures(&page);
    let mut compared = 0;
    for part in report.json["compile_time"]["parts"].as_array().unwrap() {
        let (Some(name), Some(told)) = (part["name"].as_str(), part["seconds"].as_f64()) else { continue };
        for side in ["A", "B"] {
            let shown = figures
                .get(&format!("{name} | {side}"))
                .unwrap_or_else(|| panic!("no {name} in {figures:?}"));
            assert!(is_shown_as(told, shown.value), "{name} took {told} s, shown {shown:?}");
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared} figures");
}
