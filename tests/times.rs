//! What `time.html` says, without a browser.

use crate::support::log::contains;
use crate::support::{Log, Page, Record, Run, input, report, reports, source, text_of};
use serde_json::Value;

/// The data of the chart.
fn chart(page: &Page) -> Value {
    serde_json::from_str(&page.one("#chart-data").text().collect::<String>()).unwrap()
}

/// A list of the chart's data as numbers.
fn numbers(chart: &Value, list: &str) -> Vec<u64> {
    chart[list].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

/// Row, start and end of each span, microseconds.
fn spans(chart: &Value) -> Vec<(u64, u64, u64)> {
    let mut at = 0;
    let rows = chart["rows"].as_str().unwrap().chars().map(|row| u64::from(row) - 64);
    let lists = rows.zip(numbers(chart, "starts"));
    let spans = lists.zip(numbers(chart, "lengths")).map(|((row, start), length)| {
        at += start;
        (row, at, at + length)
    });
    spans.collect()
}

#[test]
fn no_two_spans_of_a_row_overlap_and_each_lies_within_the_one_above_it() {
    for (name, report) in reports().filter(|(_, report)| report.has("time.html")) {
        let chart = chart(&report.page("time.html"));
        let mut first_rows = Vec::new();
        let mut next = 0;
        for track in chart["tracks"].as_array().unwrap() {
            first_rows.push(next);
            next += track["lanes"].as_u64().unwrap();
        }
        let mut ends = vec![(0, 0); usize::try_from(next).unwrap()];
        for (row, start, end) in spans(&chart) {
            let at = usize::try_from(row).unwrap();
            assert!(ends[at].1 <= start, "{name}: spans overlap in row {row} at {start}");
            ends[at] = (start, end);
            if !first_rows.contains(&row) {
                let (above_start, above_end) = ends[at - 1];
                assert!(above_start <= start && end <= above_end, "{name}: row {row} at {start}");
            }
        }
    }
}

#[test]
fn backward_compilation_has_its_own_track() {
    let chart = chart(&report("02_train_mlp").page("time.html"));
    let labels: Vec<&str> =
        chart["tracks"].as_array().unwrap().iter().map(|track| track["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["forward", "backward"]);
}

#[test]
fn the_tables_say_the_same_as_report_json_most_self_time_first() {
    let report = report("03_graph_breaks");
    let page = report.page("time.html");
    let shown: Vec<String> =
        page.all("#phases-table tbody tr td:first-child code").into_iter().map(text_of).collect();
    let phases = report.json["compile_time"]["phases"].as_array().unwrap();
    let all: Vec<&str> = phases.iter().map(|phase| phase["name"].as_str().unwrap()).collect();
    assert!(
        all[..10].iter().all(|name| shown.iter().any(|one| one == name)),
        "the costliest are there: {shown:?}"
    );
    // Phases that share a row are counted together.
    let own_of = |name: String| {
        let phase = phases.iter().find(|phase| phase["name"] == *name).unwrap();
        phase["self_s"].as_f64().unwrap()
    };
    let codes = crate::support::select("td:first-child code");
    let rows = page.all("#phases-table tbody tr");
    let own_of_row = |row: &scraper::ElementRef<'_>| row.select(&codes).map(text_of).map(own_of).sum::<f64>();
    let times: Vec<f64> = rows.iter().map(own_of_row).collect();
    assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
    // The others are counted, and none of them took more than a thousandth.
    let words = text_of(page.one("#phases .hint")).replace('\u{a0}', " ");
    assert!(words.starts_with(&format!("{} more phases took ", all.len() - shown.len())), "{words}");
    let own = |phase: &Value| phase["self_s"].as_f64().unwrap();
    let covered: f64 = phases.iter().map(own).sum();
    for phase in phases.iter().filter(|phase| !shown.iter().any(|shown| phase["name"] == *shown)) {
        assert!(own(phase) < 0.001 * covered, "{phase}");
    }
    assert_eq!(text_of(page.one("#compiles-table tbody tr:first-child td:first-child")), "1/0 break");
    let lost = text_of(page.one("#lost")).replace('\u{a0}', " ");
    assert!(
        lost.contains("in 2 compiles that failed") && lost.contains("before tracing restarted"),
        "{lost}"
    );
    // Of each compile the time that was wasted stands beside the time it took.
    let heads: Vec<String> = page.all("#compiles-table th").into_iter().map(text_of).collect();
    let wasted = heads.iter().position(|head| head == "Wasted").unwrap() + 1;
    let of = format!("#compiles-table tr:has(a[href*='17_0_0']) td:nth-child({wasted})");
    assert!(text_of(page.one(&of)).ends_with("ms"), "{of}");
    assert!(page.text().contains("no phase was open"));
}

#[test]
fn a_log_without_chromium_events_has_no_chart_and_the_landing_page_names_the_source_of_its_times() {
    let mut log = Log::of(input("03_graph_breaks"));
    let events = log.all("chromium_event");
    let mut index = 0;
    log.records.retain(|_| {
        index += 1;
        !events.contains(&(index - 1))
    });
    let report = Run::of_bytes("quiet.log", &log.bytes()).ok();
    assert!(!report.has("time.html"));
    let landing = text_of(report.page("index.html").one(".hero"));
    assert!(landing.contains("no chromium events") && landing.contains("metrics"), "{landing}");
}

#[test]
fn spans_that_the_log_never_closes_are_marked_and_names_of_the_log_stay_text() {
    let mut log = Log::of(input("01_inference"));
    let last = *log.all("chromium_event").last().unwrap();
    let name = "</script><img src=x>";
    let payload = serde_json::json!({"name": name, "ts": 1.0, "ph": "B"}).to_string();
    let envelope = "{\"chromium_event\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}";
    let record = log.records[last].like(envelope, Some(payload.as_bytes()));
    log.records.push(record);
    let report = Run::of_bytes("open.log", &log.bytes()).ok();
    let page = report.page("time.html");
    let chart = chart(&page);
    assert!(chart["names"].as_array().unwrap().iter().any(|known| known == name));
    assert_eq!(numbers(&chart, "open").len(), 1);
    assert!(text_of(page.one("#chart")).contains("no end in the log"));
    assert!(page.all("img").is_empty());
}

/// Several compile threads write builds that overlap. Here, each second build of a recorded log begins with the one before it.
#[test]
fn kernels_built_side_by_side_are_told_as_elapsed_time_with_their_work_everywhere() {
    let log =
        std::fs::read_dir(source("tests/profiles/24_profile")).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap();
    let mut log = Log::parse(&zstd::decode_all(std::fs::read(log).unwrap().as_slice()).unwrap());
    let is_build = |record: &Record| contains(&record.payload.join(&b'\n'), b"\"name\": \"compile_file\"");
    let builds: Vec<usize> = (0..log.records.len()).filter(|at| is_build(&log.records[*at])).collect();
    let pairs: Vec<&[usize]> = builds.chunks(4).filter(|four| four.len() == 4).collect();
    for four in pairs {
        let text = |at: usize| String::from_utf8(log.records[at].text()).unwrap();
        let (first, mut end, mut begin) = (text(four[0]), text(four[1]), text(four[2]));
        let ts = |text: &str| text.split("\"ts\": ").nth(1).unwrap().split(',').next().unwrap().to_owned();
        (end, begin) = (begin.replace(&ts(&begin), &ts(&first)), end.replace(&ts(&end), &ts(&begin)));
        log.records[four[1]].set_payload(end.as_bytes());
        log.records[four[2]].set_payload(begin.as_bytes());
    }
    let report = Run::of_bytes("parallel.log", &log.bytes()).ok();
    assert_eq!(report.json["integrity"]["ok"], true);
    let parts = report.json["compile_time"]["parts"].as_array().unwrap();
    let builds = parts.iter().find(|part| part["name"] == "Kernel builds").unwrap();
    let (elapsed, work) = (builds["seconds"].as_f64().unwrap(), builds["work_s"].as_f64().unwrap());
    assert!(work > 1.3 * elapsed, "{builds}");
    assert!(parts.iter().all(|part| part["work_s"].is_null() || part["name"] == "Kernel builds"));
    let said = format!("({work:.1} s of work)");
    let shown = Run::bare().go_with(&["show", "time", report.folder.to_str().unwrap()]).stdout;
    let pages = ["time.html", "index.html"].map(|page| report.page(page).text());
    for text in pages.into_iter().chain([report.read("report.md"), shown]) {
        assert!(text.replace('\u{a0}', " ").contains(&said), "{said}: {text}");
    }
}
