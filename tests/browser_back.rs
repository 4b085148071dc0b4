//! Coming back to a page, and getting around with the keyboard, in a real browser.

use crate::browser::window;
use crate::support::report;

#[test]
fn back_keeps_the_filter_the_folds_and_the_place() {
    let Some(window) = window() else { return };
    let folder = &report("16_many").folder;
    window.open(&folder.join("index.html"), "");
    window.value(
        "(field => { field.value = 'fn_02'; field.dispatchEvent(new Event('input')); })(
            document.querySelector('input[data-for=functions-table]'))",
    );
    for fold in ["#functions > details", "#about > details", "#words details"] {
        window.value(&format!("document.querySelector('{fold}').open = true"));
    }
    window.value("scrollTo(0, 900)");
    let before = window.number("scrollY");
    window.follow(|| {
        window.leave("location.href = 'graph_breaks.html'");
    });
    assert!(window.is_true("location.pathname.endsWith('graph_breaks.html')"));
    window.follow(|| {
        window.leave("history.back()");
    });
    // The browser restores the place after it has loaded the page.
    window.value("new Promise(done => setTimeout(done, 300))");
    let field = "document.querySelector('input[data-for=functions-table]').value";
    assert_eq!(window.value(field).as_str(), Some("fn_02"));
    let shown =
        "[...document.querySelectorAll('#functions-table tbody tr')].filter(r => r.checkVisibility())";
    assert!(
        window.is_true(&format!("{shown}.length > 3 && {shown}.every(r => r.textContent.includes('fn_02'))"))
    );
    assert!(window.is_true("document.querySelector('#words details').open"));
    let after = window.number("scrollY");
    assert!((after - before).abs() < 60.0, "{before} before, {after} after");
    window.value("sessionStorage.clear()");
    window.quiet("going back");
}

#[test]
fn the_first_stops_of_the_tab_key_skip_to_the_content_and_to_the_findings() {
    let Some(window) = window() else { return };
    for name in ["03_graph_breaks", "06_errors", "16_many"] {
        window.open(&report(name).folder.join("index.html"), "");
        for words in ["Skip to the content", "Skip to the findings"] {
            window.press("Tab");
            let shown = "document.activeElement.getBoundingClientRect().left >= 0 && document.activeElement.textContent";
            assert_eq!(window.value(shown).as_str(), Some(words), "{name}");
        }
        window.press("Enter");
        let at_finding = "document.activeElement.closest('#findings-list') !== null
            && document.activeElement.matches('summary')";
        let mut stops = 2;
        while !window.is_true(at_finding) {
            window.press("Tab");
            stops += 1;
            assert!(stops < 40, "{name}: no finding");
        }
        assert!(stops <= 10, "{name}: {stops} stops");
    }
}

#[test]
fn further_rows_of_a_long_table_are_drawn_when_they_are_asked_for() {
    let Some(window) = window() else { return };
    let path = report("16_many").folder.join("caches.html");
    window.open(&path, "");
    let rows = "document.querySelectorAll('#lookups-table tbody tr').length";
    let count =
        window.number("Number(document.querySelector('noscript[data-rows=lookups-table]').dataset.count)");
    assert_eq!(window.number(rows), 200.0);
    assert!(count > 50.0);
    let last = window.value(
        "document.querySelector('noscript[data-rows=lookups-table]').textContent.match(/id=\"([^\"]+)\"(?![^]*id=\")/)[1]",
    );
    window.click("[data-more=lookups-table]");
    assert_eq!(window.number(rows), 200.0 + count);
    // A link to such a row draws it, too.
    let last = last.as_str().unwrap();
    window.open(&path, &format!("#{last}"));
    assert!(window.is_true(&format!("document.getElementById('{last}').checkVisibility()")));
    // So does the filter.
    window.open(&path, "");
    window.value(
        "(field => { field.value = '0/0'; field.dispatchEvent(new Event('input')); })(
            document.querySelector('input[data-for=lookups-table]'))",
    );
    assert_eq!(window.number(rows), 200.0 + count);
    window.quiet("long tables");
}
