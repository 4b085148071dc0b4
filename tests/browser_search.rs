//! The search page in a real browser: what it finds first, the query in its address, and the keyboard.

use crate::browser::{Window, window};
use crate::support::report;
use std::fmt::Write as _;

/// Time for the script to search after the last letter.
const SEARCHED: &str = "new Promise(done => setTimeout(() => done(true), 400))";

/// Opens the search of a log with a query, and gives the titles of the kinds that were found.
fn found(window: &Window, name: &str, query: &str) -> Vec<String> {
    let mut encoded = String::new();
    for byte in query.bytes() {
        write!(encoded, "%{byte:02X}").unwrap();
    }
    window.open(&report(name).folder.join("search.html"), &format!("?q={encoded}"));
    let titles = window.value(
        "JSON.stringify([...document.querySelectorAll('#found h2')].map(h => h.firstChild.textContent.trim()))",
    );
    serde_json::from_str(titles.as_str().unwrap()).unwrap()
}

/// The text of the first result, and its address.
fn first(window: &Window) -> (String, String) {
    let text = window.value("document.querySelector('#found li').textContent");
    let href = window.value("document.querySelector('#found li a').getAttribute('href')");
    (text.as_str().unwrap().to_owned(), href.as_str().unwrap().to_owned())
}

#[test]
fn settings_phases_findings_and_their_subjects_are_found_before_code_and_files() {
    let Some(window) = window() else { return };
    // Log, query, the kind of the first results, and what the first result says and leads to.
    let cases = [
        ("04_recompiles", "x.dtype", "Findings", "x.dtype", "index.html#finding-"),
        ("03_graph_breaks", "compile_file", "Phases", "runs the C++ compiler", "time.html#phase-1"),
        ("04_recompiles", "recompile_limit", "Settings", "recompile_limit = 8", "configuration.html#dynamo"),
        (
            "01_inference",
            "fallback_random",
            "Settings that are off",
            "fallback_random = false",
            "configuration.html#",
        ),
        (
            "03_graph_breaks",
            "gb0059",
            "Graph breaks",
            "Failed to trace builtin operator",
            "graph_breaks.html#break-",
        ),
        ("08_cache_miss", "fx_graph miss", "Cache lookups", "fx_graph cache miss", "caches.html"),
        ("11_export_draft", "data-dependent", "Export", "data-dependent expression, assumed", "export.html"),
        ("22_vllm_new", "vllm piece", "vLLM", "submod", "vllm.html"),
        ("09_provenance", "provenance 0/0", "Provenance", "provenance of 0/0", "provenance_tracking_"),
    ];
    for (name, query, kind, text, address) in cases {
        let kinds = found(&window, name, query);
        let place = kinds.iter().position(|title| title == kind);
        let place = place.unwrap_or_else(|| panic!("{name}: {query}: {kind} is not among {kinds:?}"));
        for late in ["Files", "Lines of files", "Places in the program", "Tables of compilations"] {
            let late = kinds.iter().position(|title| title == late);
            assert!(late.is_none_or(|late| late > place), "{name}: {query}: {kinds:?}");
        }
        if place == 0 {
            let (said, href) = first(&window);
            assert!(said.contains(text) && href.starts_with(address), "{name}: {query}: {said}, {href}");
        }
        window.quiet(query);
    }
}

#[test]
fn what_is_asked_for_by_its_name_comes_first() {
    let Some(window) = window() else { return };
    for (query, kind) in
        [("0/0", "Compilations"), ("compile_file", "Phases"), ("recompile_limit", "Settings")]
    {
        assert_eq!(found(&window, "03_graph_breaks", query)[0], kind, "{query}");
        assert!(first(&window).0.starts_with(query), "{query}");
    }
}

#[test]
fn the_query_is_in_the_address_while_typing_and_survives_reload_and_back() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("search.html"), "?token=7");
    window.type_into("#query", "inner_print");
    window.value(SEARCHED);
    let address = "location.search";
    assert_eq!(window.value(address), "?token=7&q=inner_print");
    let text = "document.getElementById('count').textContent";
    let before = window.value(text);
    assert!(before.as_str().unwrap().contains("functions 2"), "{before}");
    let query = window.value(address);
    window.open(&report("03_graph_breaks").folder.join("index.html"), "");
    window.open(&report("03_graph_breaks").folder.join("search.html"), query.as_str().unwrap());
    assert_eq!(window.value("document.getElementById('query').value"), "inner_print");
    assert_eq!(window.value(text), before);
    let length = window.number("history.length");
    window.type_into("#query", "x");
    window.value(SEARCHED);
    assert_eq!(window.number("history.length"), length, "letters are no steps of the history");
    window.press("Backspace");
    window.value(SEARCHED);
    window.click("#found li a");
    window.wait_for("#functions-table");
    window.leave("history.back()");
    window.wait_for("#found li");
    assert_eq!(window.value("document.getElementById('query').value"), "inner_print");
    assert_eq!(window.value(address), "?token=7&q=inner_print");
    window.quiet("the address");
}

#[test]
fn results_can_be_walked_by_keyboard_and_the_page_says_what_it_searches() {
    let Some(window) = window() else { return };
    let folder = &report("03_graph_breaks").folder;
    window.open(&folder.join("search.html"), "");
    let text = "document.getElementById('count').textContent";
    let said = window.value(text).as_str().unwrap().to_owned();
    let findings = format!("findings {}", report("03_graph_breaks").list("findings").len());
    for kind in [&*findings, "compilations 25", "phases 60", "settings ", "files ", "lines of files"] {
        assert!(said.contains(kind), "{kind}: {said}");
    }
    window.type_into("#query", "no such thing at all");
    window.value(SEARCHED);
    let nothing = window.value(text).as_str().unwrap().to_owned();
    assert!(nothing.starts_with("Nothing that this page searches contains") && nothing.contains(&findings));
    window.open(&folder.join("search.html"), "");
    window.type_into("#query", "graph");
    window.press("Enter");
    let active = "document.activeElement";
    assert!(window.is_true(&format!("{active}.matches('#found li a')")), "Enter goes to the first result");
    let href = window.value(&format!("{active}.getAttribute('href')"));
    window.press("ArrowDown");
    assert_ne!(window.value(&format!("{active}.getAttribute('href')")), href);
    window.press("ArrowUp");
    window.press("ArrowUp");
    assert!(window.is_true(&format!("{active}.id === 'query'")), "arrows lead back to the field");
    window.press("ArrowDown");
    window.press("Escape");
    assert!(window.is_true(&format!("{active}.id === 'query'")), "Escape leads to the field");
    window.quiet("the keyboard");
}
