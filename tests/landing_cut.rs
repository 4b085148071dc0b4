//! The landing page is short: what a reader sees before unfolding anything has a limit, and what to do comes first.

use crate::performance::trace_path;
use crate::support::html::text_of;
use crate::support::{Page, Report, Run, reports, select};
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

/// The reports of the stored traces, each read without its log.
fn of_traces() -> Vec<(&'static str, Report)> {
    let names = [
        "h100_qwen.json.gz",
        "h100_vit.json.gz",
        "mi300_vit.json.gz",
        "triton_example.json.gz",
        "24_profile/profile.json.gz",
        "24_profile_wide/profile.json.gz",
        "26_kernels/profile.json.gz",
        "34_cg_decoder/profile.json.gz",
        "34_user_triton/profile.json.gz",
    ];
    names.into_iter().map(|name| (name, Run::of(trace_path(name)).ok())).collect()
}

#[test]
fn a_trace_alone_begins_as_short_with_all_kernels_behind_a_fold_in_the_order_of_their_time() {
    for (name, report) in of_traces() {
        let page = report.page("index.html");
        let found = words(&page, None);
        assert!(found <= WORDS, "{name}: {found} words");
        let verdict = text_of(page.one("main h1"));
        assert!(count(&verdict) <= VERDICT, "{name}: {verdict}");
        let times = |id: &str| -> Vec<f64> {
            // A bar is as long as the time that its cell shows.
            let bars = page.all(&format!("#{id}-table td.heat:nth-of-type(2)"));
            let style = bars.iter().map(|bar| bar.attr("style").unwrap());
            style.map(|one| one[6..one.find('%').unwrap()].parse().unwrap()).collect()
        };
        let all = times("kernels");
        assert!(all.is_sorted_by(|one, next| one >= next), "{name}: {all:?}");
        assert_eq!(all.len(), crate::performance::rows(&report, "kernels").len(), "{name}");
        let first = times("longest-kernels");
        assert!(all.starts_with(&first) && (first.len() >= 10 || all.len() <= 10), "{name}");
        assert!(!is_in_open(page.one("#kernels-table")) || all.len() <= 10, "{name}");
    }
}

#[test]
fn what_stands_out_in_a_trace_is_in_the_order_of_its_time_and_no_roofline_is_empty() {
    for (name, report) in of_traces() {
        let all = report.json["performance"]["stands_out"].as_array().unwrap();
        let times: Vec<_> = all.iter().map(|one| one["us"].as_f64().unwrap_or(-1.0)).collect();
        assert!(times.is_sorted_by(|one, next| one >= next), "{name}: {times:?}");
        let page = report.page("kernels.html");
        let has_flops = |row: &serde_json::Value| row["flops"].is_number() && row["bytes"].is_number();
        let drawn = crate::performance::rows(&report, "kernels").iter().any(has_flops);
        assert!(page.all("#roofline").is_empty() || drawn, "{name}");
        assert_eq!(page.all("#roofline").is_empty(), page.all("#roofline a.point").is_empty(), "{name}");
    }
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
fn no_number_and_no_name_of_a_title_is_lost_where_it_is_cut() {
    let mut cut = 0;
    for (name, report) in reports() {
        let page = report.page("index.html");
        for entry in page.all("#findings-list > details.finding") {
            let number: usize = entry.attr("id").unwrap().trim_start_matches("finding-").parse().unwrap();
            let title = report.list("findings")[number - 1]["title"].as_str().unwrap().replace('`', "");
            let summary = text_of(entry.select(&select("summary")).next().unwrap());
            // Elements of a summary follow each other without spaces.
            let shown: String = summary.split_whitespace().collect();
            let words = title.split_whitespace().map(|word| word.trim_matches([',', ':', ';']));
            let lost: Vec<_> = words.filter(|word| !shown.contains(word)).collect();
            assert!(lost.is_empty(), "{name}: {title}: {lost:?} of {summary}");
            cut += usize::from(!summary.contains(&title));
        }
    }
    assert!(cut > 10, "{cut}");
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
