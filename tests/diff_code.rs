//! `changed/*.html` of `tlparse diff`: the graphs and the code of functions that changed, side by side.

use crate::diff::diff;
use crate::support::{Done, Page, report, select, text_of};
use scraper::ElementRef;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes that a page may have.
const LARGEST_PAGE: u64 = 2 << 20;

/// The comparison of one program under two versions of torch, from reports that are finished.
fn two_versions() -> Done {
    compared(&report("21_torch26_03_graph_breaks").folder, &report("03_graph_breaks").folder)
}

fn compared(a: &Path, b: &Path) -> Done {
    let done = diff(&[a, b]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done
}

/// The pages of functions, by their number.
fn pages(done: &Done) -> Vec<(PathBuf, Page)> {
    let folder = done.work.path().join("tl_diff/changed");
    let of = |number: usize| {
        let path = folder.join(format!("{number}.html"));
        let text = fs::read_to_string(&path).ok()?;
        Some((path, Page::parse("changed", &text)))
    };
    (1..).map_while(of).collect()
}

/// A copy of a stored report's `report.json` and of nothing else, changed.
fn facts_only(name: &str, change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut json = report(name).json.clone();
    change(&mut json);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    folder
}

/// The lines of a column: number, text, and whether they are marked as different.
fn column(sides: ElementRef<'_>, place: usize) -> Vec<(usize, String, bool)> {
    let pairs = sides.select(&select(".pair")).collect::<Vec<_>>();
    let lines = pairs.into_iter().filter_map(|pair| {
        let line = pair.child_elements().nth(place).unwrap();
        let number = line.value().attr("data-n")?.parse().unwrap();
        let class = line.value().attr("class").unwrap();
        let text = line.text().collect::<String>();
        Some((number, text, class.contains("old") || class.contains("new")))
    });
    lines.collect()
}

/// The text of an element, with ordinary spaces.
fn plain(element: ElementRef<'_>) -> String {
    text_of(element).replace('\u{a0}', " ")
}

/// The text that a link leads to; that of a page of code is linked there.
fn linked_text(page: &Path, href: &str) -> String {
    let target = page.parent().unwrap().join(href);
    let text = fs::read_to_string(&target).unwrap_or_else(|error| panic!("{href}: {error}"));
    if !href.ends_with(".html") {
        return text;
    }
    let code = Page::parse(href, &text);
    let plain = code.attributes("href").into_iter().find(|href| href.contains("payloads/")).unwrap();
    fs::read_to_string(target.parent().unwrap().join(plain)).unwrap()
}

#[test]
fn both_columns_hold_the_whole_texts_of_both_reports() {
    let done = two_versions();
    let pages = pages(&done);
    assert!(pages.len() >= 10, "{} pages", pages.len());
    let mut compared = 0;
    for (path, page) in &pages {
        assert!(fs::metadata(path).unwrap().len() < LARGEST_PAGE);
        for sides in page.all(".sides") {
            let above = sides.prev_siblings().filter_map(ElementRef::wrap).next().unwrap();
            let anchors = select("a");
            let links: Vec<&str> = above.select(&anchors).map(|a| a.attr("href").unwrap()).collect();
            assert_eq!(links.len(), 2, "{}: {}", path.display(), text_of(above));
            for (place, href) in links.into_iter().enumerate() {
                let lines = column(sides, place);
                let numbers: Vec<usize> = lines.iter().map(|(number, ..)| *number).collect();
                assert_eq!(numbers, (1..=lines.len()).collect::<Vec<usize>>(), "{href}");
                let text = linked_text(path, href);
                let expected: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
                let shown: Vec<&str> = lines.iter().map(|(_, text, _)| text.as_str()).collect();
                assert_eq!(shown, expected, "{href}");
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} texts");
}

#[test]
fn a_page_says_how_many_lines_differ_and_folds_the_rest() {
    let done = two_versions();
    let mut folded = 0;
    for (path, page) in pages(&done) {
        for sides in page.all(".sides") {
            let above = plain(sides.prev_siblings().filter_map(ElementRef::wrap).next().unwrap());
            let differing = |place| column(sides, place).iter().filter(|(.., differs)| *differs).count();
            let words = |count: usize| format!("{count} {}", if count == 1 { "line" } else { "lines" });
            let expected = format!("{} of A and {} of B differ, ", words(differing(0)), words(differing(1)));
            assert!(above.contains(&expected), "{}: {expected} is not in {above}", path.display());
            for fold in sides.select(&select("details")) {
                let pairs = fold.select(&select(".pair")).count();
                let summary = fold.select(&select("summary")).next().unwrap();
                assert_eq!(plain(summary), format!("{pairs} equal lines"));
                assert!(fold.select(&select(".old, .new")).next().is_none());
                folded += 1;
            }
        }
    }
    assert!(folded > 10, "{folded} folds");
}

#[test]
fn the_page_of_a_function_is_reached_from_the_comparison_and_leads_to_both_viewers() {
    let done = two_versions();
    let folder = done.work.path().join("tl_diff");
    let page = Page::parse("diff.html", &fs::read_to_string(folder.join("diff.html")).unwrap());
    let all: Vec<&str> =
        page.attributes("href").into_iter().filter(|href| href.starts_with("changed/")).collect();
    for (path, page) in pages(&done) {
        let name = format!("changed/{}", path.file_name().unwrap().to_str().unwrap());
        assert!(all.contains(&name.as_str()), "{name} is not linked: {all:?}");
        let links = page.attributes("href");
        assert!(links.contains(&"../diff.html"));
        let viewers: Vec<&&str> = links.iter().filter(|href| href.ends_with("/graphs.html")).collect();
        assert!(viewers.len() >= 2, "{name}: {links:?}");
        for href in viewers {
            assert!(path.parent().unwrap().join(href).exists(), "{href} leads nowhere");
        }
    }
}

#[test]
fn a_missing_file_of_a_report_is_named() {
    let change = |json: &mut Value| {
        for compile in json["compiles"].as_array_mut().unwrap() {
            for record in compile["metrics"].as_array_mut().unwrap() {
                if record["fields"]["graph_op_count"].as_u64().is_some_and(|count| count > 0) {
                    record["fields"]["graph_op_count"] = json!(99);
                }
            }
        }
    };
    let copy = facts_only("03_graph_breaks", change);
    let done = compared(&report("03_graph_breaks").folder, copy.path());
    let pages = pages(&done);
    assert!(!pages.is_empty());
    for (_, page) in &pages {
        let text = page.text();
        assert!(text.contains("The file of B is not in the report."), "{text}");
        assert!(!text.contains("The file of A"), "{text}");
    }
}

#[test]
fn paths_of_a_foreign_report_stay_within_it() {
    let secret = TempDir::new().unwrap();
    fs::write(secret.path().join("secret.txt"), "4711\n").unwrap();
    let target = secret.path().join("secret.txt").display().to_string();
    let copy = facts_only("03_graph_breaks", |json| {
        for compile in json["compiles"].as_array_mut().unwrap() {
            for artifact in compile["artifacts"].as_array_mut().unwrap() {
                if artifact["name"] == "dynamo_output_graph" {
                    artifact["path"] = json!(target);
                } else if artifact["name"] == "inductor_post_grad_graph" {
                    artifact["path"] = json!("link.txt");
                }
            }
        }
    });
    #[cfg(unix)]
    std::os::unix::fs::symlink(secret.path().join("secret.txt"), copy.path().join("link.txt")).unwrap();
    let done = compared(&report("21_torch26_03_graph_breaks").folder, copy.path());
    for (path, page) in pages(&done) {
        assert!(!page.text().contains("4711"), "{} shows a file of somebody else", path.display());
        assert!(page.attributes("href").iter().all(|href| !href.contains("secret")));
    }
}

#[test]
fn texts_of_any_size_and_kind_give_pages_of_limited_size_without_markup_of_theirs() {
    let with_text = |line: &str| {
        let copy = facts_only("01_inference", |json| {
            for artifact in json["compiles"][0]["artifacts"].as_array_mut().unwrap() {
                artifact["path"] = json!("graph.txt");
            }
        });
        let text: String = (0..30_000).map(|n| format!("{line} {n}\n")).collect();
        fs::write(copy.path().join("graph.txt"), format!("<script>alert(4711)</script>\n{text}")).unwrap();
        copy
    };
    let (a, b) = (with_text("&lt;old&gt;"), with_text("<img src=x onerror=alert(4711)>"));
    let done = compared(a.path(), b.path());
    let pages = pages(&done);
    assert_eq!(pages.len(), 1);
    let (path, page) = &pages[0];
    assert!(fs::metadata(path).unwrap().len() < LARGEST_PAGE, "{}", fs::metadata(path).unwrap().len());
    assert!(page.text().contains("to limit the size of this page"), "it says what it leaves out");
    assert!(page.all("img").is_empty());
    let html = fs::read_to_string(path).unwrap();
    assert!(!html.contains("<script>alert"), "a script of the text is on the page");
}

#[test]
fn a_function_with_equal_texts_has_no_page() {
    let done = compared(&report("03_graph_breaks").folder, &report("03_graph_breaks").folder);
    assert!(pages(&done).is_empty());
    assert!(!done.work.path().join("tl_diff/changed").exists());
}
