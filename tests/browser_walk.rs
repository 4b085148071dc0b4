//! Walking from the page of one compile to the others in a real browser: the list beside the page, its filter, the keys.

use crate::browser::{Window, window};
use crate::browser_navigation::resize;
use crate::support::{report, select, text_of};

/// Opens the page of a compile in the log of 368.
fn open(window: &Window, folder: &str) {
    window.open(&report("16_many").folder.join(folder).join("compile.html"), "");
}

/// Presses a key on the page, and waits until the browser shows another page.
fn walk(window: &Window, key: &str) -> String {
    window.value(&format!(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
    ));
    window.value("new Promise(done => setTimeout(done, 400))");
    here(window)
}

/// The folder of the page that is shown.
fn here(window: &Window) -> String {
    window.value("location.pathname.split('/').at(-2)").as_str().unwrap().to_owned()
}

#[test]
fn keys_walk_to_the_next_compile_and_to_the_versions_of_the_function() {
    let Some(window) = window() else { return };
    window.value("sessionStorage.clear()");
    open(&window, "-_14_0_0");
    assert_eq!(walk(&window, "j"), "-_14_1_0");
    assert_eq!(walk(&window, "j"), "-_15_0_0");
    assert_eq!(walk(&window, "k"), "-_14_1_0");
    assert_eq!(walk(&window, "K"), "-_14_0_0");
    assert_eq!(walk(&window, "J"), "-_14_1_0");
    let current = "document.querySelector('.walk-rows [aria-current]')";
    assert!(window.is_true(&format!("{current}.textContent.includes('14/1')")));
    assert!(window.is_true(&format!("{current}.checkVisibility()")));
    window.quiet("walking");
}

#[test]
fn the_filter_of_the_list_stays_while_the_reader_walks_and_goes_on_in_the_search() {
    let Some(window) = window() else { return };
    open(&window, "-_14_0_0");
    window.value(
        "(field => { field.value = 'fn_02'; field.dispatchEvent(new Event('input')); })(
            document.querySelector('#walk input'))",
    );
    let shown = "[...document.querySelectorAll('.walk-rows a')]";
    assert!(
        window.is_true(&format!("{shown}.length > 8 && {shown}.every(a => a.textContent.includes('fn_02'))"))
    );
    assert!(
        window.is_true("document.querySelector('#walk a[href*=\"search.html\"]').href.endsWith('?q=fn_02')")
    );
    let first = walk(&window, "j");
    let second = walk(&window, "j");
    assert_ne!(first, second);
    assert_eq!(window.value("document.querySelector('#walk input').value").as_str(), Some("fn_02"));
    window.value("sessionStorage.clear()");
    window.quiet("filtering");
}

#[test]
fn in_a_narrow_window_the_list_is_behind_a_button_and_nothing_scrolls_sideways() {
    let Some(window) = window() else { return };
    for width in [500, 360] {
        resize(&window, width);
        open(&window, "-_14_0_0");
        let rows = "document.querySelector('.walk-rows').checkVisibility()";
        assert!(!window.is_true(rows), "{width}");
        window.click(".walk-button");
        assert!(window.is_true(rows), "{width}");
        let over = window.number("document.documentElement.scrollWidth - innerWidth");
        assert!(over <= 0.0, "{width}: {over}");
    }
    resize(&window, 1400);
}

#[test]
fn a_page_lists_at_most_two_hundred_compiles_and_a_single_compile_has_no_list() {
    for path in ["-_0_0_0", "-_14_1_0", "-_150_0_0"] {
        let page = report("16_many").page(&format!("{path}/compile.html"));
        let data: serde_json::Value = serde_json::from_str(&text_of(page.one("#walk-data"))).unwrap();
        let rows = data["rows"].as_array().unwrap();
        assert!((100..=201).contains(&rows.len()), "{path}: {}", rows.len());
        assert_eq!(data["all"], 368);
        assert!(rows.iter().any(|row| row[0] == data["here"]), "{path}");
        assert!(rows.iter().any(|row| row[0] == "0/0"), "{path}: the costliest is always there");
    }
    let single = report("01_inference").page("-_0_0_0/compile.html");
    assert!(single.all("#walk, #walk-data, .ways").is_empty());
}

#[test]
fn the_files_that_readers_open_most_are_below_the_title_and_a_missing_one_says_why() {
    let wanted = |name: &str, folder: &str| {
        let page = report(name).page(&format!("{folder}/compile.html"));
        let files = page.all(".wanted > li").into_iter();
        files
            .map(|file| {
                (text_of(file), file.select(&select("a")).next().map(|a| a.attr("href").unwrap().to_owned()))
            })
            .collect::<Vec<_>>()
    };
    let whole = wanted("01_inference", "-_0_0_0");
    let links: Vec<&str> = whole.iter().map(|(_, link)| link.as_deref().unwrap()).collect();
    assert!(links[0].contains("graphs.html#") && links[1].contains("graphs.html#"), "{links:?}");
    assert!(links[2].contains("inductor_output_code") && links[3].contains("guards"), "{links:?}");
    for (name, folder, file, why) in [
        ("16_many", "-_14_1_0", 1, "none: it did not go through Inductor"),
        ("06_errors", "-_6_0_0", 2, "none: the compile failed before it"),
        ("03_graph_breaks", "-_0_0_0", 0, "none: no operator was captured"),
    ] {
        let (text, link) = &wanted(name, folder)[file];
        assert!(text.contains(why) && link.is_none(), "{name}: {text}");
    }
}
