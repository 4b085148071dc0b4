//! The comparison of two runs in a browser: its tables and folds by keyboard, the pages of functions side by side.

use crate::diff::diff;
use crate::support::window::window;
use crate::support::{Done, report};

fn two_versions() -> Done {
    let done = diff(&[&report("21_torch26_03_graph_breaks").folder, &report("03_graph_breaks").folder]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done
}

#[test]
fn functions_are_sorted_and_those_within_the_noise_unfolded_by_keyboard() {
    let Some(window) = window() else { return };
    let (a, b) = (&report("21_torch28_25_guards").folder, &report("25_guards").folder);
    // With a limit of nothing nearly all functions differ, so that the table is long enough to be sorted.
    let done = diff(&[a.as_os_str(), b.as_os_str(), "--threshold=0%,0.001ms".as_ref()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    window.open(&done.work.path().join("tl_diff/diff.html"), "");
    let names =
        "[...document.querySelectorAll('#functions-table tbody tr')].map(row => row.cells[1].textContent)";
    let is_sorted = format!(
        "(names => names.length > 30 && names.every((name, at) => at === 0 || new Intl.Collator(undefined, \
         {{ numeric: true }}).compare(names[at - 1], name) <= 0))({names})"
    );
    assert!(!window.is_true(&is_sorted), "the largest difference is first");
    window.value("document.querySelectorAll('#functions-table th[data-sort]')[1].firstElementChild.focus()");
    window.press("Enter");
    assert!(window.is_true(&is_sorted), "{}", window.value(&format!("JSON.stringify({names})")));
    window.quiet("diff.html of guards");

    let done = two_versions();
    window.open(&done.work.path().join("tl_diff/diff.html"), "");
    let fold = "document.querySelector('#functions details.more')";
    assert!(!window.is_true(&format!("{fold}.open")));
    window.value(&format!("{fold}.querySelector('summary').focus()"));
    window.press("Enter");
    assert!(window.is_true(&format!("{fold}.open")));
    assert!(window.is_true("document.querySelector('#noise-table tbody tr').checkVisibility()"));
    window.quiet("diff.html");
}

#[test]
fn the_graphs_of_a_function_open_side_by_side_and_keys_lead_from_change_to_change() {
    let Some(window) = window() else { return };
    let done = two_versions();
    window.open(&done.work.path().join("tl_diff/diff.html"), "");
    window.follow(|| window.click("#functions-table a[href^='changed/']"));
    assert!(window.is_true("document.title.includes('two runs')"));
    let sides = "document.querySelector('.sides .pair .old, .sides .pair .new').parentElement.children";
    assert!(
        window.is_true(&format!(
            "{sides}[0].getBoundingClientRect().top === {sides}[1].getBoundingClientRect().top"
        )),
        "the columns stand beside each other"
    );
    let fold = "document.querySelector('.equal-lines')";
    assert!(window.is_true(&format!("!{fold}.open && !{fold}.querySelector('.pair').checkVisibility()")));
    window.value(&format!("{fold}.querySelector('summary').focus()"));
    window.press("Enter");
    assert!(window.is_true(&format!("{fold}.open && {fold}.querySelector('.pair').checkVisibility()")));
    let current =
        "[...document.querySelectorAll('.pair')].findIndex(row => row.classList.contains('at-change'))";
    window.press("n");
    let first = window.number(current);
    assert!(first >= 0.0, "n leads to the first change");
    window.press("n");
    assert!(window.number(current) > first, "and on");
    window.press("p");
    assert_eq!(window.number(current), first, "p leads back");
    window.quiet("changed/1.html");
}

#[test]
fn the_sides_are_stacked_at_360_pixels() {
    let Some(window) = window() else { return };
    let done = two_versions();
    window.width(360);
    window.open(&done.work.path().join("tl_diff/changed/1.html"), "");
    assert!(window.number("document.documentElement.scrollWidth - innerWidth") <= 0.0, "it scrolls sideways");
    let row = "[...document.querySelectorAll('.pair')].find(row => row.querySelector('.old') && row.querySelector('.new'))";
    assert!(window.is_true(&format!(
        "(row => row.children[0].getBoundingClientRect().bottom <= row.children[1].getBoundingClientRect().top)({row})"
    )));
}
