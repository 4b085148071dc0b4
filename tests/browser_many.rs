//! The landing page of a thousand compiles in a real browser: it stays small, paints and sorts quickly.

use crate::browser::window;
use crate::support::{Run, input};
use regex::bytes::Regex;

/// Copies of the log of 368 compiles.
const COPIES: usize = 3;

/// Bytes that the landing page may have.
const LARGEST: usize = 2 << 20;

/// Milliseconds until the first paint, and for one sort.
const FIRST_PAINT: f64 = 1_000.0;
const MOST_A_SORT: f64 = 100.0;

/// Events that the landing page is made of; the rest of the log is 50 MB of graphs and caches.
const KEPT: [&str; 6] = [
    "{\"str\"",
    "{\"dynamo_start\"",
    "{\"compilation_metrics\"",
    "\"torch_version\"",
    "\"recompile_reasons\"",
    "\"dynamo_graph_break_reason\"",
];

/// The compiles of a real log several times, each time under new frame ids and as other functions.
fn many_compiles() -> Vec<u8> {
    let text = input("16_many").bytes();
    let mut kept = Vec::new();
    let mut keep = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b"\t") {
            let head = String::from_utf8_lossy(&line[..line.len().min(400)]);
            keep = KEPT.iter().any(|event| head.contains(event));
        }
        if keep {
            kept.extend_from_slice(line);
        }
    }
    let frame = Regex::new(r#""frame_id": (\d+)"#).unwrap();
    let name = Regex::new(r#""co_name": ""#).unwrap();
    let mut log = kept.clone();
    for copy in 1..COPIES {
        let renumbered = frame.replace_all(&kept, |found: &regex::bytes::Captures<'_>| {
            let id: usize = std::str::from_utf8(&found[1]).unwrap().parse().unwrap();
            format!("\"frame_id\": {}", id + 1_000 * copy).into_bytes()
        });
        let renamed = format!("\"co_name\": \"copy{copy}_");
        log.extend_from_slice(&name.replace_all(&renumbered, renamed.as_bytes()));
    }
    log
}

#[test]
fn the_landing_page_of_a_thousand_compiles_paints_within_a_second_and_sorts_within_a_tenth() {
    let Some(window) = window() else { return };
    let report = Run::of_bytes("many.log", &many_compiles()).ok();
    let compiles = report.json["compiles"].as_array().unwrap().len();
    assert!(compiles >= 1_000, "{compiles} compiles");
    let size = report.bytes("index.html").len();
    assert!(size < LARGEST, "{size} bytes");
    let paint = window.work_ms(|window| window.open(&report.folder.join("index.html"), ""));
    // From the click until the table is laid out again, for each column.
    let sorts = [0, 1, 2, 3].map(|column| {
        let click = format!(
            "(document.querySelectorAll('#functions-table th[data-sort] button')[{column}].click(),
                document.body.offsetHeight)"
        );
        window.work_ms(|window| drop(window.value(&click)))
    });
    println!("{compiles} compiles, {size} bytes, painted after {paint:.0} ms, {sorts:.1?} ms a sort");
    assert!(paint < FIRST_PAINT, "painted after {paint} ms");
    assert!(sorts.iter().all(|sort| *sort < MOST_A_SORT), "{sorts:?} ms a sort");
    window.quiet("a thousand compiles");
}

/// Stored logs in which functions fail, break and are compiled again.
const TROUBLED: [&str; 4] = ["03_graph_breaks", "04_recompiles", "05_dynamic_shapes", "06_errors"];

/// Several processes' worth of these logs in one: each copy under new frame ids, as torch numbers functions that it
/// compiles anew.
fn compiled_anew() -> Vec<u8> {
    let frame = Regex::new(r#""frame_id": (\d+)"#).unwrap();
    let number = |text: &[u8]| -> usize { std::str::from_utf8(text).unwrap().parse().unwrap() };
    let mut log = Vec::new();
    for copy in 0..9 {
        for (place, name) in TROUBLED.iter().enumerate() {
            let shift = 1_000 * copy + 100 * place;
            let text = input(name).bytes();
            let text = frame.replace_all(&text, |found: &regex::bytes::Captures<'_>| {
                format!("\"frame_id\": {}", number(&found[1]) + shift).into_bytes()
            });
            log.extend_from_slice(&text);
        }
    }
    log
}

#[test]
fn what_happened_to_functions_compiled_anew_is_one_entry_on_the_landing_page_and_in_the_terminal() {
    let report = Run::of_bytes("anew.log", &compiled_anew()).ok();
    let lines: Vec<&str> = report.stdout.lines().collect();
    let limits: Vec<_> = lines.iter().filter(|line| line.starts_with("Limit reached")).collect();
    assert!(
        matches!(limits.as_slice(), [one] if one.contains("hits_limit") && one.contains("in 9 chains")),
        "{lines:#?}"
    );
    let told: Vec<&str> = lines[1..lines.len() - 2].to_vec();
    let place =
        |line: &&str| line.split(", at ").nth(1).and_then(|rest| rest.split(',').next().map(str::to_owned));
    let places: Vec<Option<String>> = told.iter().map(place).collect();
    let distinct: std::collections::BTreeSet<_> = places.iter().collect();
    assert_eq!((told.len(), distinct.len()), (5, 5), "five different things: {lines:#?}");
    let Some(window) = window() else { return };
    window.open(&report.folder.join("index.html"), "");
    let height = window.number("document.documentElement.scrollHeight");
    assert!(height < 8_000.0, "the landing page is {height} pixels high");
    window.quiet("the landing page");
}
