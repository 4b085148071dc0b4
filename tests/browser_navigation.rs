//! Finding one's way in a real browser: tabs, anchors, the search key, sorting by keyboard, filters that find nothing,
//! text to copy, narrow windows.

use crate::browser::{Window, one_of_each_kind, window};
use crate::support::{Report, Run, input, report};

/// Logs whose records together make every kind of page that has a tab.
const MANY_PAGES: [&str; 4] = ["05_dynamic_shapes", "03_graph_breaks", "22_vllm_new", "11_export_draft"];

/// By how many pixels the page is wider than the window.
pub fn overflow(window: &Window) -> f64 {
    window.number("document.documentElement.scrollWidth - document.documentElement.clientWidth")
}

/// One log with the records of several.
fn many_pages() -> Report {
    let bytes: Vec<u8> = MANY_PAGES.iter().flat_map(|name| input(name).bytes()).collect();
    Run::of_bytes("many_pages.log", &bytes).ok()
}

#[test]
fn all_tabs_fit_into_1400_pixels_stay_while_scrolling_and_anchors_stop_below_them() {
    let Some(window) = window() else { return };
    let report = many_pages();
    window.width(1400);
    window.open(&report.folder.join("shapes.html"), "");
    let tabs = window.number("document.querySelectorAll('.tabs a').length");
    assert!(tabs >= 12.0, "only {tabs} tabs");
    // No log has more; a parser of the library's user may add some.
    window.value(
        "(nav => { for (let n = 0; n < 1; n++) nav.append(nav.querySelector('a').cloneNode(true)); })(
            document.querySelector('nav[aria-label=Pages]'))",
    );
    assert!(overflow(&window) <= 0.0);
    let inside = "[...document.querySelectorAll('.tabs a')].every(a => {
        const box = a.getBoundingClientRect();
        return box.width > 0 && box.left >= 0 && box.right <= innerWidth;
    })";
    assert!(window.is_true(inside), "every tab is seen");
    let names = "[...document.querySelectorAll('.tabs nav')].map(n => n.ariaLabel).join()";
    assert_eq!(window.value(names), "Report,Pages,On this page");
    window.click("nav[aria-label='On this page'] a:last-child");
    window.value("new Promise(done => setTimeout(done, 100))");
    assert_eq!(window.number("document.querySelector('.tabs').getBoundingClientRect().top"), 0.0);
    let below = "document.getElementById(document.querySelector('.tabs nav:last-of-type a:last-child').hash.slice(1)).getBoundingClientRect().top
        - document.querySelector('.tabs').getBoundingClientRect().bottom";
    let below = window.number(below);
    assert!(below >= 0.0, "the heading is {below} pixels below the tabs");
    window.quiet("all tabs");
}

#[test]
fn a_slash_leads_to_the_search_from_every_kind_of_page_and_is_a_letter_in_a_field() {
    let Some(window) = window() else { return };
    let field = "document.querySelector('input[name=q]')";
    for name in ["03_graph_breaks", "09_provenance"] {
        for (kind, path) in one_of_each_kind(report(name)) {
            window.open(&report(name).folder.join(&path), "");
            window.value("document.activeElement.blur()");
            window.press("/");
            assert!(
                window.is_true(&format!("document.activeElement === {field}")),
                "{name}: {path} ({kind})"
            );
            assert_eq!(window.value(&format!("{field}.value")), "", "{path}: the key itself is no text");
            window.press("/");
            assert_eq!(window.value(&format!("{field}.value")), "/", "{path}: in a field it is");
        }
    }
}

#[test]
fn the_whole_head_of_a_column_sorts_and_so_does_the_keyboard() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "#function-1");
    let fills = "[...document.querySelectorAll('#functions-table th[data-sort]')].every(head => {
        const cell = head.getBoundingClientRect(), button = head.firstElementChild.getBoundingClientRect();
        return Math.abs(cell.width - button.width) < 2 && Math.abs(cell.height - button.height) < 3;
    })";
    assert!(window.is_true(fills), "the button is as large as the cell");
    let head = "document.querySelector('#functions-table th[data-sort=num]')";
    let glyph = format!("getComputedStyle({head}.firstElementChild, '::after').content");
    let unsorted = window.value(&glyph);
    window.value(&format!("{head}.firstElementChild.focus()"));
    for order in ["descending", "ascending"] {
        window.press("Enter");
        assert_eq!(window.value(&format!("{head}.ariaSort")), order);
        assert_ne!(window.value(&glyph), unsorted, "a sign says so too");
    }
    window.quiet("sorting by keyboard");
}

#[test]
fn a_filter_that_finds_nothing_says_so_and_offers_to_be_cleared() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "#function-1");
    let rows =
        "[...document.querySelectorAll('#functions-table tbody tr')].filter(r => r.checkVisibility()).length";
    let all = window.number(rows);
    window.type_into("input[data-for='functions-table']", "no such function");
    assert_eq!(window.number(rows), 0.0);
    let note = window.value("document.querySelector('.nothing-fits').textContent");
    assert!(note.as_str().unwrap().contains("fits the filter"), "{note}");
    window.click(".nothing-fits button");
    assert_eq!(window.number(rows), all);
    assert!(!window.is_true("document.querySelector('.nothing-fits').checkVisibility()"));
    assert!(window.is_true("document.activeElement.dataset.for === 'functions-table'"));
    window.quiet("an empty filter");
}

#[test]
fn a_fix_is_copied_verbatim_and_without_scripts_there_is_no_button() {
    let Some(window) = window() else { return };
    window.open(&report("14_llama_infer").folder.join("index.html"), "");
    window.value("document.querySelectorAll('#findings details').forEach(fold => { fold.open = true; })");
    let button = "#findings .fix .copy";
    assert!(window.is_true(&format!("document.querySelector('{button}').checkVisibility()")));
    window.value(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { globalThis.copied = text; } } })",
    );
    window.click(button);
    window.value("new Promise(done => setTimeout(done, 50))");
    assert_eq!(window.value("globalThis.copied"), "export TORCHINDUCTOR_CACHE_DIR=/a/folder/that/stays");
    assert_eq!(window.value(&format!("document.querySelector('{button}').textContent")), "Copied");
    let label = window.value(&format!("document.querySelector('{button}').ariaLabel"));
    assert!(label.as_str().unwrap().starts_with("Copy export"), "{label}");
    window.quiet("copying");
    let page = report("14_llama_infer").page("index.html");
    for button in page.all("[data-copy]") {
        assert!(button.attr("hidden").is_some(), "a script shows the button");
        assert!(button.prev_sibling().is_some(), "the text stands beside it");
    }
}

#[test]
fn headings_rows_and_entries_show_a_link_to_themselves() {
    let Some(window) = window() else { return };
    let without = "[...document.querySelectorAll('section[id], tr[id], details.finding')]
        .filter(place => {
            const link = place.querySelector('.anchor');
            return !link || link.getAttribute('href') !== `#${place.id}`
                || link.checkVisibility() && link.getBoundingClientRect().width === 0;
        }).map(place => place.id).join()";
    for page in [
        "index.html",
        "graph_breaks.html",
        "recompilations.html",
        "failures_and_restarts.html",
        "caches.html",
        "kernels.html",
        "shapes.html",
        "configuration.html",
        "-_1_0_0/compile.html",
        "-_1_0_0/graphs.html",
    ] {
        window.open(&report("03_graph_breaks").folder.join(page), "");
        assert_eq!(window.value(without), "", "{page}");
    }
}
