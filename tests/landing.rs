//! The landing page: its verdict, the order of its sections, what tabs and files say, and places that open in an editor.

use crate::support::html::text_of;
use crate::support::{Log, Run, input, report, reports, select};
use std::fs;

/// The first sentence, with ordinary spaces.
fn headline(name: &str) -> String {
    text_of(report(name).page("index.html").one("main h1")).replace('\u{a0}', " ")
}

/// Ids of the sections, in order.
fn sections(name: &str) -> Vec<String> {
    let page = report(name).page("index.html");
    page.all("main > section").iter().filter_map(|one| one.attr("id").map(str::to_owned)).collect()
}

#[test]
fn a_clean_slow_log_says_where_the_time_went_and_what_the_next_run_saves() {
    let headline = headline("14_llama_infer");
    assert_eq!(
        headline.trim(),
        "1 compilation of 1 function took 14.5 s, of which 10.9 s went into 22 C++ builds, one at a time."
    );
    let page = report("14_llama_infer").page("index.html");
    let notes = text_of(page.one(".hero > p"));
    assert!(notes.contains("No failure, graph break or recompilation"), "{notes}");
    let first = text_of(page.one("#findings-list > details.finding:first-child")).replace('\u{a0}', " ");
    assert!(first.contains("Keep the cache folder") && first.contains("TORCHINDUCTOR_CACHE_DIR"), "{first}");
    assert!(first.contains("up to 13.3 s"), "{first}");
    let all = page.text();
    assert!(all.contains("TORCHINDUCTOR_COMPILE_THREADS") && all.contains("layer.compile()"));
}

#[test]
fn the_strip_of_time_has_each_build_and_its_parts_sum_to_the_compile_time() {
    let page = report("14_llama_infer").page("index.html");
    assert_eq!(page.all(".stretch.trial").len(), 6, "programs that try the compiler out");
    let builds = page.all(".stretch.phase-builds").len() - 6;
    assert_eq!(builds, 16, "kernels");
    // What the first builds took is a part of another entry.
    let parts = page.all(".hero .legend > span:not(:has(.trial))");
    let value = |part: &scraper::ElementRef<'_>| {
        let text = text_of(*part);
        seconds(text.trim().rsplit_once(' ').unwrap().1)
    };
    let sum: f64 = parts.iter().map(value).sum();
    let total = report("14_llama_infer").json["compile_time"]["total_s"].as_f64().unwrap();
    assert!((sum - total).abs() < 0.06, "{sum} of {total}");
}

/// `1.24 s` or `723 ms` in seconds.
fn seconds(text: &str) -> f64 {
    let (number, unit) = text.trim().split_once('\u{a0}').unwrap_or_else(|| panic!("{text:?}"));
    let factor = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        _ => panic!("{text:?}"),
    };
    number.parse::<f64>().unwrap() * factor
}

#[test]
fn every_landing_page_has_the_same_sections_in_the_same_order() {
    for (name, _) in reports().filter(|(_, report)| !report.list("compiles").is_empty()) {
        let all = ["findings", "functions", "stacks", "about"];
        let found = sections(name);
        assert!(found.iter().all(|id| all.contains(&id.as_str())), "{name}: {found:?}");
        let places: Vec<usize> =
            found.iter().map(|id| all.iter().position(|one| one == id).unwrap()).collect();
        assert!(places.is_sorted() && found.len() >= 2, "{name}: {found:?}");
    }
}

#[test]
fn counts_beside_tabs_are_those_of_the_pages() {
    let pages = ["graph_breaks.html", "time.html"].map(|page| report("03_graph_breaks").page(page));
    let tabs = pages.iter().flat_map(|page| page.all("nav[aria-label=Pages] a"));
    let tabs: Vec<String> = tabs.map(|tab| text_of(tab).replace('\u{a0}', " ")).collect();
    for tab in [
        "Failures 2, restarts 13",
        "Graph breaks 7",
        "Recompilations 1",
        "Shapes 1 symbol",
        "Caches 30 lookups",
    ] {
        assert!(tabs.iter().any(|one| one == tab), "{tab}: {tabs:?}");
    }
    let failures = text_of(report("03_graph_breaks").page("failures_and_restarts.html").one("main h1"));
    let failures = failures.replace('\u{a0}', " ");
    assert!(
        failures.contains("2 of 25 compilations failed") && failures.contains("13 restarts"),
        "{failures}"
    );
}

#[test]
fn the_number_of_damaged_records_is_in_the_verdict_and_beside_what_is_about_the_log() {
    let words = |report: &crate::support::Report| {
        ["main h1", "#about > details > summary"].map(|at| text_of(report.page("index.html").one(at)))
    };
    assert!(words(report("01_inference")).iter().all(|text| !text.contains("damaged")));
    let mut log = Log::of(input("01_inference"));
    for event in ["dynamo_start", "compilation_metrics"] {
        log.first(event).set_envelope(b"{");
    }
    let damaged = Run::of_bytes("damaged.log", &log.bytes()).ok();
    assert_eq!(damaged.count("bad_json") + damaged.count("truncated"), 2, "{}", damaged.integrity());
    let said = words(&damaged);
    assert!(said.iter().all(|text| text.replace('\u{a0}', " ").contains("2 records")), "{said:?}");
}

#[test]
fn pages_link_to_each_other_and_mark_the_current_one() {
    let page = report("03_graph_breaks").page("caches.html");
    let links = |nav: &str| -> Vec<String> {
        let links = page.all(&format!(".tabs {nav}"));
        links.iter().filter_map(|link| Some(link.attr("href")?.to_owned())).collect()
    };
    let entries = ["index.html", "source.html", "graph_breaks.html", "time.html", "kernels.html"];
    assert_eq!(links("nav[aria-label=Report] a"), entries);
    assert_eq!(links("nav[aria-label=Pages] a"), ["time.html", "caches.html"]);
    assert_eq!(links("[aria-current=page]"), ["time.html", "caches.html"], "the entry and the page");
}

#[test]
fn the_head_of_a_page_says_which_torch_wrote_the_log_and_when() {
    let report = report("03_graph_breaks");
    let torch = format!("torch {}", report.json["torch"]["version"].as_str().unwrap());
    let pages = report.pages();
    let compile = pages.iter().find(|path| path.ends_with("/compile.html")).unwrap();
    for path in ["index.html", "caches.html", compile] {
        let page = report.page(path);
        let said = text_of(page.one(".page-head .soft")).replace('\u{a0}', " ");
        assert!(
            said.starts_with(&torch) && said.contains(" Nov ") && said.contains(" to "),
            "{path}: {said}"
        );
    }
}

#[test]
fn a_report_with_collectives_leads_to_their_parity() {
    let mut found = 0;
    for (name, report) in reports().filter(|(_, report)| report.has("collectives_parity.json")) {
        let page = report.page("index.html");
        let linked = page.all("a[href='collectives_parity.json']");
        assert!(!linked.is_empty(), "{name}");
        found += 1;
    }
    assert!(found > 0, "no stored log has collectives");
}

#[test]
fn places_open_in_an_editor_only_if_one_is_configured() {
    let plain = report("03_graph_breaks");
    for path in plain.pages() {
        assert!(!plain.read(&path).contains("vscode:"), "{path}");
    }
    let log = &input("03_graph_breaks").path;
    let report = Run::of(log).args(["--editor", "vscode"]).ok();
    let folder = report.pages().into_iter().find(|path| path.ends_with("-_1_0_0/compile.html")).unwrap();
    for path in
        ["index.html", "graph_breaks.html", "recompilations.html", "failures_and_restarts.html", &folder]
    {
        let page = report.page(path);
        let links = page.all("a[href^='vscode:']");
        assert!(!links.is_empty(), "{path}");
        for link in links {
            let href = link.attr("href").unwrap();
            assert!(href.starts_with("vscode://file/") && href.contains(".py:"), "{path}: {href}");
            let mut around = link.ancestors().filter_map(scraper::ElementRef::wrap);
            assert!(
                around.all(|one| one.value().name() != "summary"),
                "{path}: a click on {href} would fold"
            );
        }
    }
    let pattern = "https://example.org/open?f={file}&l={line}";
    let report = Run::of(log).args(["--editor", pattern]).ok();
    let page = report.page("graph_breaks.html");
    assert!(!page.all("a[href^='https://example.org/open?f=/'][href$='&l=11']").is_empty());
}

#[test]
fn an_editor_that_would_run_a_script_is_refused() {
    let log = &input("11_export_clean").path;
    for editor in ["javascript:alert('{file}')", "data:text/html,{file}", "notepad", "vscode://file"] {
        let out = tempfile::tempdir().unwrap();
        let done = Run::of(log).out(out.path().join("report")).args(["--editor", editor]).go();
        done.fails(2);
        assert!(done.stderr.contains("--editor"), "{editor}: {}", done.stderr);
        assert!(fs::read_dir(out.path()).unwrap().next().is_none(), "{editor}: nothing is written");
    }
}

#[test]
fn questions_are_answered_on_the_landing_page_or_beside_one_of_its_entries() {
    let landing = |name: &str| report(name).page("index.html");
    // Beside code there are buttons that say what they do.
    let plain = |text: String| text.replace('\u{a0}', " ").replace('`', "").replace("Copy", "");
    // Why a function was compiled again, and which line broke the graph: no click.
    for (name, kind) in [("04_recompiles", "recompilation"), ("03_graph_breaks", "graph_break")] {
        let text = plain(landing(name).text());
        let all = report(name).list("findings").iter().filter(|one| one["kind"] == kind);
        let mut found = 0;
        for one in all {
            let line = one["line"].as_u64().map(|line| format!(".py:{line}"));
            assert!(line.is_none_or(|line| text.contains(&line)), "{name}: {}", one["title"]);
            let hint = one["hint"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
            let hint = hint.split(". ").next().unwrap().trim_end_matches('.');
            assert!(text.contains(&plain(hint.to_owned())), "{name}: {hint}");
            found += 1;
        }
        assert!(found > 0, "{name}");
    }
    // Whether a dimension is dynamic, and why a cache missed: on a page beside that of an entry.
    for (name, entry, page, words) in [
        ("05_dynamic_shapes", "recompilations.html", "shapes.html", "dynamic"),
        ("08_cache_miss", "time.html", "caches.html", "miss"),
    ] {
        let leads =
            |from: &str, to: &str| !report(name).page(from).all(&format!("nav a[href='{to}']")).is_empty();
        assert!(leads("index.html", entry) && leads(entry, page), "{name}");
        assert!(report(name).page(page).text().contains(words), "{name}");
    }
}

#[test]
fn the_landing_page_says_where_the_time_went_and_a_lines_kernel_is_two_clicks_away() {
    // Where the time went: no click, with the seconds of the costliest part.
    for (name, part) in [("14_llama_infer", "C++ builds"), ("03_graph_breaks", "C++ builds")] {
        let page = report(name).page("index.html");
        let head =
            format!("{} {}", text_of(page.one("main h1")), text_of(page.one(".hero"))).replace('\u{a0}', " ");
        assert!(head.contains(part), "{name}: {head}");
        assert!(!page.all(".hero .order + .legend").is_empty(), "{name}");
    }
    // Which kernel a line became: the page of kernels, then the line's link. Logs without provenance have it too.
    for name in ["01_inference", "14_llama_infer", "09_provenance", "10_aoti"] {
        let report = report(name);
        assert!(!report.page("index.html").all("nav a[href='kernels.html']").is_empty(), "{name}");
        let page = report.page("kernels.html");
        let rows = page.all("#lines-table tbody tr");
        assert!(!rows.is_empty(), "{name}");
        for row in rows {
            let words = text_of(row);
            assert!(words.contains(".py:"), "{name}: {words}");
            let link = row.select(&select("td:last-child a[href]")).next();
            let href = link.and_then(|link| link.attr("href")).unwrap_or_else(|| panic!("{name}: {words}"));
            let (path, anchor) = href.split_once('#').unwrap_or((href, ""));
            let target = report.read(if path.is_empty() { "kernels.html" } else { path });
            assert!(target.contains(anchor), "{name}: {href}");
        }
    }
    // Whether each dimension is dynamic, and why a cache missed: the first table behind one click.
    let shapes = text_of(report("05_dynamic_shapes").page("shapes.html").one("#dimensions-table"));
    assert!(shapes.contains("Dynamic?") && shapes.contains("L['x']"), "{shapes}");
    let causes = text_of(report("08_cache_miss").page("caches.html").one("#causes-table"));
    assert!(causes.contains("first lookup of this function"), "{causes}");
}

/// Findings that have an entry of their own; further ones are rows of a table.
fn entries(report: &crate::support::Report) -> impl Iterator<Item = (usize, &serde_json::Value)> {
    let findings = report.json["findings"].as_array().unwrap();
    let page = report.page("index.html");
    let shown = page.all("#findings-list details.finding").len();
    findings.iter().enumerate().take(shown)
}

#[test]
fn what_followed_from_a_finding_is_folded_below_its_cause() {
    let mut consequences = 0;
    for (name, report) in reports() {
        let page = report.page("index.html");
        let folded: Vec<&str> = page
            .all("details.consequences > details.finding")
            .iter()
            .filter_map(|one| one.attr("id"))
            .collect();
        for (index, finding) in entries(report) {
            let id = format!("finding-{}", index + 1);
            let follows = finding["caused_by"].as_u64().is_some();
            assert_eq!(folded.contains(&&*id), follows, "{name}: {id}");
            consequences += usize::from(follows);
        }
        for fold in page.all("details.consequences") {
            let cause = fold.prev_siblings().find_map(scraper::ElementRef::wrap).unwrap();
            assert!(cause.attr("id").is_some_and(|id| id.starts_with("finding-")), "{name}");
        }
    }
    assert!(consequences > 1, "{consequences}");
}

#[test]
fn advice_with_lines_to_write_is_a_card_with_its_promise_and_what_was_tried() {
    let mut cards = 0;
    for (name, report) in reports() {
        let page = report.page("index.html");
        for (index, finding) in entries(report) {
            let advice = finding["advice"].as_array().unwrap();
            for one in advice.iter().filter(|one| one["code"].is_string()) {
                let code = one["code"].as_str().unwrap();
                let card = page.all(&format!("#finding-{} .fix", index + 1)).into_iter().find(|card| {
                    let lines: Vec<String> = card.select(&select(".fix-code ins")).map(text_of).collect();
                    lines.join("\n") == code
                });
                let text = text_of(card.unwrap_or_else(|| panic!("{name}: no card for {code}")));
                let tried = one["tried"]["torch"][0].as_str();
                let tried = tried.map_or("not tried".to_owned(), |newest| format!("tried on torch {newest}"));
                assert!(text.contains(&tried), "{name}: {text}");
                let promise = one["promise"].as_str().unwrap_or_default().replace('`', "");
                assert!(text.contains(&promise), "{name}: {text}");
                cards += 1;
            }
        }
    }
    assert!(cards > 5, "{cards}");
}
