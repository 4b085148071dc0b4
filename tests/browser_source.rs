//! The page of lines in a real browser: a line is chosen by a click, by keys and by the address.

use crate::browser::{Window, window};
use crate::support::report;

fn open(window: &Window, anchor: &str) {
    window.open(&report("03_graph_breaks").folder.join("source.html"), anchor);
}

/// The line that is chosen, and what is told of.
const CHOSEN: &str = "document.querySelector('.lined tr.chosen .number').id + ' ' +
    [...document.querySelectorAll('.happened article')].filter(one => one.checkVisibility()).map(one => one.id).join()";

fn press(window: &Window, key: &str) {
    window.value(&format!(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
    ));
}

#[test]
fn at_first_the_first_line_with_a_finding_is_chosen_and_only_it_is_told_of() {
    let Some(window) = window() else { return };
    open(&window, "");
    assert_eq!(window.value(CHOSEN), "L11 at-L11");
    window.quiet("opening");
}

#[test]
fn keys_walk_through_known_lines_and_through_lines_with_findings() {
    let Some(window) = window() else { return };
    open(&window, "");
    for (key, expected) in [
        ("j", "L12 at-L12"),
        ("k", "L11 at-L11"),
        ("n", "L16 at-L16"),
        ("n", "L22 at-L22"),
        ("p", "L16 at-L16"),
    ] {
        press(&window, key);
        assert_eq!(window.value(CHOSEN), expected, "{key}");
    }
    assert_eq!(window.value("location.hash"), "#L16", "the address names the line");
    for _ in 0..99 {
        press(&window, "j");
    }
    assert_eq!(window.value(CHOSEN), "L97 at-L97", "the last line is the end");
    window.quiet("walking");
}

#[test]
fn an_address_chooses_its_line_and_brings_it_into_view() {
    let Some(window) = window() else { return };
    for anchor in ["#L81", "#at-L81"] {
        open(&window, anchor);
        assert_eq!(window.value(CHOSEN), "L81 at-L81");
        let seen = "(top => top > 80 && top < innerHeight)(document.querySelector('#L81').getBoundingClientRect().top)";
        assert!(window.is_true(seen), "{anchor}");
    }
    window.value("location.hash = '#L28'");
    assert!(window.is_true(
        "new Promise(done => setTimeout(() => done(document.querySelector('.chosen > #L28') !== null), 50))"
    ));
    window.quiet("addresses");
}

#[test]
fn a_click_on_a_line_or_on_the_map_chooses_it() {
    let Some(window) = window() else { return };
    open(&window, "#L9");
    window.click("tr:has(#L10) td.text");
    assert_eq!(window.value(CHOSEN), "L10 at-L10");
    window.click("#L12 a");
    assert_eq!(window.value(CHOSEN), "L12 at-L12");
    window.value("document.querySelector(\".map a[href='#at-L65']\").click()");
    assert_eq!(window.value(CHOSEN), "L65 at-L65");
    window.click(".walk .button[aria-label='Previous line with a finding']");
    assert_eq!(window.value(CHOSEN), "L38 at-L38");
    window.quiet("clicking");
}

#[test]
fn on_a_small_window_what_happened_comes_with_the_first_choice_and_can_be_closed() {
    let Some(window) = window() else { return };
    for width in [500, 360] {
        window.width(width);
        open(&window, "");
        let shown = "document.querySelector('.happened').checkVisibility()";
        assert!(!window.is_true(shown), "nothing covers the page at first");
        window.value("document.querySelector('#L10 a').click()");
        assert!(window.is_true(shown));
        let foot = "[document.querySelector('.happened').getBoundingClientRect().bottom, innerHeight].map(Math.round).join()";
        assert_eq!(window.value(foot), "900,900", "it is a sheet at the foot");
        window.value("document.querySelector('.walk .close').click()");
        assert!(!window.is_true(shown), "it can be closed");
    }
    window.width(1280);
    window.quiet("a small window");
}
