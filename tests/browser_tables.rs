//! Tables, links and addresses in a real browser: what the scripts of a page do beyond a first click.

use crate::browser::{Window, window};
use crate::support::report;

/// The page with the table of functions.
fn functions(window: &Window, query: &str) {
    window.open(&report("03_graph_breaks").folder.join("index.html"), query);
    window.value("document.querySelectorAll('#functions details').forEach(fold => { fold.open = true; })");
}

/// The rows of the table of functions that can be seen.
const SEEN: &str =
    "[...document.querySelectorAll('#functions-table tbody tr')].filter(r => r.checkVisibility())";

/// Types into a field, or chooses in a list.
fn enter(window: &Window, css: &str, value: &str) {
    window.value(&format!(
        "(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('input')); }})(
            document.querySelector(\"{css}\"))"
    ));
}

#[test]
fn words_are_sorted_from_the_first_and_numbers_from_the_largest() {
    let Some(window) = window() else { return };
    functions(&window, "");
    for (kind, order) in [("text", "ascending"), ("num", "descending")] {
        let head = format!("#functions-table th[data-sort={kind}]");
        window.click(&format!("{head} button"));
        let sorted = format!("document.querySelector('{head}').getAttribute('aria-sort')");
        assert_eq!(window.value(&sorted).as_str(), Some(order), "{kind}");
        let marked = window.number("document.querySelectorAll('#functions-table [aria-sort]').length");
        assert_eq!(marked, 1.0, "only the column that was clicked last says so");
    }
    window.click("#functions-table th[data-sort=text] button");
    let names = format!(
        "(i => {SEEN}.map(r => r.cells[i].dataset.v ?? r.cells[i].textContent.trim()))(
            document.querySelector('#functions-table th[data-sort=text]').cellIndex)"
    );
    let compare = "new Intl.Collator(undefined, { numeric: true }).compare";
    assert!(window.is_true(&format!(
        "(v => v.length > 3 && v.every((x, i) => i === 0 || {compare}(v[i - 1], x) <= 0))({names})"
    )));
    window.quiet("sorting words");
}

#[test]
fn a_long_table_shows_its_first_rows_until_the_reader_asks_for_all() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("configuration.html"), "");
    window.value("document.querySelectorAll('details').forEach(fold => { fold.open = true; })");
    let rows = "[...document.querySelectorAll('#settings-table tbody tr')]";
    let seen = format!("{rows}.filter(row => row.checkVisibility()).length");
    assert_eq!(window.number(&seen), 40.0);
    window.click("[data-more=settings-table]");
    let all = window.number(&format!("{rows}.length"));
    assert!(all > 500.0, "torch has some 700 settings: {all}");
    assert_eq!(window.number(&seen), all);
    window.quiet("showing all rows");
}

#[test]
fn text_and_status_filter_a_table_together_and_the_count_is_shown() {
    let Some(window) = window() else { return };
    functions(&window, "");
    let said = "document.querySelector(\"output[data-for='functions-table']\").textContent";
    let all = window.number(&format!("{SEEN}.length"));
    assert_eq!(window.value(said).as_str(), Some(""), "nothing is said of a table that shows all rows");
    enter(&window, "select[data-for='functions-table']", "error");
    let failed = window.number(&format!("{SEEN}.length"));
    assert!(failed > 0.0 && failed < all, "{failed} of {all}");
    assert_eq!(window.value(said), format!("{failed} of {all}"));
    let name = window.value(&format!("{SEEN}[0].cells[0].textContent.trim()"));
    enter(&window, "input[data-for='functions-table']", "no such function");
    assert_eq!(window.value(said), format!("0 of {all}"));
    enter(&window, "input[data-for='functions-table']", &name.as_str().unwrap().to_uppercase());
    let both = window.number(&format!("{SEEN}.length"));
    assert!(both > 0.0 && both <= failed, "letters are found in capitals too: {both} of {failed}");
    window.quiet("two filters");
}

#[test]
fn links_that_a_script_adds_and_forms_carry_the_pages_query_but_not_what_was_searched() {
    let Some(window) = window() else { return };
    let page = report("02_train_mlp").folder.join("-_0_0_0/graphs.html");
    window.open(&page, "?token=7&q=add#8");
    window.click("#graph .source-mark");
    let links = |test: &str| {
        let hrefs = "[...document.querySelectorAll('#side a')].map(a => a.getAttribute('href'))";
        window.is_true(&format!("{hrefs}.{test}"))
    };
    assert!(links("some(h => /output_code.*html\\?token=7#L\\d+$/.test(h))"));
    assert!(links("some(h => /^#\\d+-L\\d+$/.test(h))"), "a link to a line of this page stays as it is");
    let hidden =
        "[...document.querySelectorAll('form input[type=hidden]')].map(i => `${i.name}=${i.value}`).join()";
    assert_eq!(window.value(hidden).as_str(), Some("token=7"));
    window.quiet("links of a script");
}

#[test]
fn an_address_names_a_graph_a_line_of_it_or_two_graphs() {
    let Some(window) = window() else { return };
    let page = report("02_train_mlp").folder.join("-_0_0_0/graphs.html");
    let number = |list: &str| {
        let chosen = format!("document.getElementById('{list}').selectedOptions[0].text");
        window.value(&format!("{chosen}.match(/\\d+/)?.[0] ?? {chosen}"))
    };
    window.open(&page, "#8-L15");
    assert_eq!(number("left").as_str(), Some("8"));
    assert_eq!(number("right").as_str(), Some("nothing"));
    let marked = "[...document.querySelectorAll('#graph .hit')].map(l => l.id).join()";
    assert_eq!(window.value(marked).as_str(), Some("8-L15"));
    window
        .value("new Promise(done => { addEventListener('hashchange', done); location.hash = '#a=1&b=8'; })");
    assert_eq!(number("left").as_str(), Some("1"));
    assert_eq!(number("right").as_str(), Some("8"));
    assert!(window.is_true("document.getElementById('said').textContent.startsWith('From ')"));
    window.quiet("addresses of graphs");
}
