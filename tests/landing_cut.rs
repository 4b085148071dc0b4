//! The landing page is short: what a reader sees before unfolding anything has a limit, and what to do comes first.

use crate::support::html::text_of;
use crate::support::{Page, reports, select};
use scraper::{ElementRef, Node};

/// Words in the open beside the tree of stacks, and before the first action.
const WORDS: usize = 800;
const WORDS_BEFORE: usize = 90;

/// Words of the verdict, and of what an action is about.
const VERDICT: usize = 25;
const ACTION: usize = 12;

/// Actions in the open, and links and buttons before the first.
const ACTIONS: usize = 5;
const CONTROLS: usize = 12;

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether an element is outside of all closed folds, except for their summaries, and shown without scripts.
fn is_in_open(element: ElementRef<'_>) -> bool {
    let mut inner = None;
    for one in std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap)) {
        let name = one.value().name();
        let is_closed = name == "details" && one.attr("open").is_none() && inner != Some("summary");
        if is_closed
            || matches!(name, "script" | "style" | "noscript" | "option")
            || one.attr("hidden").is_some()
        {
            return false;
        }
        inner = Some(name);
    }
    true
}

/// The first entry of what to do, if there is one in the open.
fn first_action(page: &Page) -> Option<ElementRef<'_>> {
    page.all("#findings-list > details.finding").into_iter().next()
}

/// Words in the open in `<main>` beside the tree, up to an element if one is given.
fn words(page: &Page, end: Option<ElementRef<'_>>) -> usize {
    let (main, tree) = (select("main"), select(".tree"));
    let mut sum = 0;
    for node in page.html.tree.root().descendants() {
        if end.is_some_and(|end| end.id() == node.id()) {
            break;
        }
        let (Node::Text(text), Some(parent)) = (node.value(), node.parent().and_then(ElementRef::wrap))
        else {
            continue;
        };
        let within = |what| {
            std::iter::once(parent)
                .chain(parent.ancestors().filter_map(ElementRef::wrap))
                .any(|one| scraper::Selector::matches(what, &one))
        };
        if within(&main) && !within(&tree) && is_in_open(parent) {
            sum += count(text);
        }
    }
    sum
}

#[test]
fn a_landing_page_has_few_words_in_the_open_and_a_short_verdict() {
    let mut pages = 0;
    for (name, report) in reports().filter(|(_, report)| report.has("index.html")) {
        let page = report.page("index.html");
        let found = words(&page, None);
        assert!(found <= WORDS, "{name}: {found} words");
        let verdict = text_of(page.one("main h1"));
        assert!(count(&verdict) <= VERDICT, "{name}: {verdict}");
        pages += 1;
    }
    assert!(pages > 30, "{pages}");
}

#[test]
fn what_to_do_comes_soon_and_behind_few_links_and_buttons() {
    let mut pages = 0;
    for (name, report) in reports() {
        let page = report.page("index.html");
        let Some(first) = first_action(&page) else { continue };
        let before = words(&page, Some(first));
        assert!(before <= WORDS_BEFORE, "{name}: {before} words");
        let controls = select("a[href], button, summary");
        let ids: Vec<_> = page.html.tree.root().descendants().map(|node| node.id()).collect();
        let end = ids.iter().position(|id| *id == first.id()).unwrap();
        let all = page.html.select(&controls).filter(|one| is_in_open(*one));
        let before = all.filter(|one| ids.iter().position(|id| *id == one.id()).unwrap() < end).count();
        assert!(before <= CONTROLS, "{name}: {before} links and buttons");
        pages += 1;
    }
    assert!(pages > 30, "{pages}");
}

#[test]
fn at_most_five_actions_are_in_the_open_each_with_a_short_title_and_what_it_saves() {
    let mut actions = 0;
    for (name, report) in reports() {
        let page = report.page("index.html");
        let open = page.all("#findings-list > details.finding");
        assert!(open.len() <= ACTIONS, "{name}: {} actions", open.len());
        for entry in open {
            let part = |css: &str| text_of(entry.select(&select(css)).next().unwrap());
            let (what, below) = (part("summary > .what"), part("summary > .what small"));
            let title = what.trim().strip_suffix(below.trim()).unwrap_or(&what);
            let is_code = entry.select(&select("summary > .what > code:first-child")).next().is_some();
            // A line of the program is quoted as it is.
            assert!(is_code || count(title.trim_end_matches('…')) <= ACTION, "{name}: {title}");
            assert!(!part("summary > .cost").trim().is_empty(), "{name}: {title}");
            actions += 1;
        }
    }
    assert!(actions > 60, "{actions}");
}

#[test]
fn errors_come_first_and_then_what_saves_most() {
    for (name, report) in reports() {
        let all = report.list("findings");
        let mut seen_other = false;
        let roots = all.iter().filter(|one| one["caused_by"].is_null());
        for one in roots.filter(|one| one["kind"] != "damaged_log") {
            let is_error = one["severity"] == "error"
                || all.iter().any(|other| other["severity"] == "error" && !other["caused_by"].is_null());
            assert!(!(is_error && seen_other && one["severity"] == "error"), "{name}: {}", one["title"]);
            seen_other |= !is_error;
        }
    }
}
