//! What holds for every page of every report: links lead somewhere, nothing is loaded, only our scripts run.

use crate::support::address::resolve;
use crate::support::site::{Facts, read, site};
use crate::support::{Log, Page, Report, Run, input, report, reports, text_of};
use base64::Engine as _;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// All pages of all stored logs: the log's name, the page's path, what it holds.
pub fn all_pages() -> impl Iterator<Item = (&'static str, &'static str, &'static Facts)> {
    let sites = reports().map(|(name, _)| (name, site(name)));
    sites.flat_map(|(name, pages)| pages.iter().map(move |(path, facts)| (name, path.as_str(), facts)))
}

/// Links of these pages that lead nowhere.
pub fn broken(report: &Report, pages: &BTreeMap<String, Facts>) -> Vec<String> {
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut broken = Vec::new();
    for (from, facts) in pages {
        for (path, anchor) in facts.relative_links(from) {
            if !report.folder.join(&path).is_file() {
                broken.push(format!("{from} -> {path}"));
                continue;
            }
            let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty() && path.ends_with(".html")) else {
                continue;
            };
            let known = ids.entry(path.clone()).or_insert_with(|| match pages.get(&path) {
                Some(facts) => facts.ids.iter().cloned().collect(),
                None => Facts::of(&report.page(&path)).ids.into_iter().collect(),
            });
            // The viewer of graphs takes two of them by their numbers: `#a=17&b=22`.
            let pair = anchor.strip_prefix("a=").and_then(|rest| rest.split_once("&b="));
            let found = match pair.filter(|_| path.ends_with("/graphs.html")) {
                Some((before, after)) => known.contains(before) && known.contains(after),
                None => known.contains(&anchor),
            };
            if !found {
                broken.push(format!("{from} -> {path}#{anchor}"));
            }
        }
    }
    broken
}

#[test]
fn every_link_leads_to_a_file_and_every_anchor_to_an_element() {
    for (name, report) in reports() {
        let broken = broken(report, site(name));
        assert!(
            broken.is_empty(),
            "{name}: {} broken, such as {:#?}",
            broken.len(),
            &broken[..broken.len().min(5)]
        );
    }
}

#[test]
fn every_page_is_whole() {
    for (name, path, facts) in all_pages() {
        assert!(facts.missing.is_empty(), "{name}: {path} lacks {:?}", facts.missing);
    }
}

#[test]
fn every_page_begins_with_its_doctype() {
    for (name, report) in reports() {
        for path in site(name).keys() {
            let text = report.read(path);
            assert!(text.to_ascii_lowercase().starts_with("<!doctype html>"), "{name}: {path}");
            assert!(text.trim_end().ends_with("</html>"), "{name}: {path} ends early");
        }
    }
}

#[test]
fn ids_on_a_page_are_unique() {
    for (name, path, facts) in all_pages() {
        let doubled = facts.doubled_ids();
        assert!(doubled.is_empty(), "{name}: {path} has twice {:?}", &doubled[..doubled.len().min(5)]);
    }
}

#[test]
fn nothing_on_a_page_is_loaded_and_nothing_runs_but_its_scripts() {
    for (name, path, facts) in all_pages() {
        assert!(facts.foreign.is_empty(), "{name}: {path} holds {:?}", facts.foreign);
    }
}

#[test]
fn the_policy_of_each_page_lets_exactly_its_scripts_run() {
    for (name, path, facts) in all_pages() {
        policy_fits(facts).unwrap_or_else(|what| panic!("{name}: {path}: {what}"));
        let carries = facts.assets.is_empty();
        assert_eq!(carries, is_first(path), "{name}: {path} loads {:?}", facts.assets);
    }
}

/// Whether a page is the first one of a report, which people pass on alone.
pub fn is_first(path: &str) -> bool {
    path.rsplit('/').next() == Some("index.html")
}

#[test]
fn what_pages_load_is_in_their_report_under_the_hash_of_its_content() {
    for (name, report) in reports() {
        let mut loaded = BTreeSet::new();
        for (path, facts) in site(name) {
            loaded.extend(facts.assets.iter().map(|asset| resolve(path, asset).0));
        }
        for file in &loaded {
            let hash = Sha256::digest(report.bytes(file));
            let digits: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            assert!(file.contains(&format!("-{digits}.")), "{name}: {file} has the hash {digits}");
        }
        let there = report.manifest().into_iter().filter(|path| path.contains("assets/"));
        let unused: Vec<String> = there.filter(|file| !loaded.contains(file)).collect();
        // Of a large report, only some pages were read.
        let all_read = site(name).len() == report.pages().len();
        assert!(unused.is_empty() || !all_read, "{name}: no page loads {unused:?}");
    }
}

fn policy_fits(facts: &Facts) -> Result<(), String> {
    let [policy] = facts.policies.as_slice() else {
        return Err(format!("{} policies", facts.policies.len()));
    };
    let (dynamic, styles) = match facts.assets.is_empty() {
        true => (None, "style-src 'unsafe-inline';"),
        false => (Some("'strict-dynamic'"), "style-src 'self' file: 'unsafe-inline';"),
    };
    for part in ["default-src 'none'", styles, "base-uri 'none'", "img-src data:", "form-action 'self' file:"]
    {
        if !policy.contains(part) {
            return Err(format!("no {part} in {policy}"));
        }
    }
    let part = policy.split(';').map(str::trim).find_map(|part| part.strip_prefix("script-src "));
    let mut allowed: Vec<&str> =
        part.ok_or("no script-src")?.split_whitespace().filter(|s| *s != "'none'").collect();
    let hash = |script: &String| {
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script)))
    };
    let mut needed: Vec<String> = facts.scripts.iter().map(hash).collect();
    needed.extend(dynamic.map(str::to_owned));
    allowed.sort_unstable();
    needed.sort_unstable();
    needed.dedup();
    if allowed == needed { Ok(()) } else { Err(format!("allows {allowed:?}, needs {needed:?}")) }
}

#[test]
fn the_policy_of_a_page_with_a_custom_header_lets_its_scripts_run_too() {
    let header = "<p id=\"mine\">7</p><script>document.title = 'mine'</script>";
    let report = Run::of(&input("11_export_clean").path).args(["--custom-header-html", header]).ok();
    let facts = Facts::of(&report.page("index.html"));
    assert!(facts.scripts.iter().any(|script| script.contains("'mine'")));
    policy_fits(&facts).unwrap();
}

#[test]
fn every_compile_is_reached_from_the_landing_page() {
    for (name, report) in reports() {
        let pages = site(name);
        let mut reached = BTreeSet::from(["index.html".to_owned()]);
        // The pages at the top are reached from the landing page, and lead on.
        for _ in 0..2 {
            let tops: Vec<String> = reached.iter().filter(|path| !path.contains('/')).cloned().collect();
            for (path, facts) in tops.iter().filter_map(|path| Some((path, pages.get(path)?))) {
                reached.extend(facts.relative_links(path).map(|(to, _)| to));
            }
        }
        for compile in report.list("compiles") {
            let Some(id) = compile["id"].as_str() else { continue };
            let first = compile["attempts"].as_array().unwrap().iter().map(|a| a["dir"].as_str().unwrap());
            let dirs: Vec<&str> = first.collect();
            let zero = dirs.iter().map(|dir| format!("{}_0", dir.rsplit_once('_').unwrap().0)).next();
            let page = format!("{}/compile.html", zero.unwrap_or_default());
            assert!(report.has(&page), "{name}: {id} has no page {page}");
            assert!(reached.contains(&page), "{name}: nothing leads to {page}");
        }
        for path in report.manifest().iter().filter(|path| path.ends_with(".html") && !path.contains('/')) {
            // The landing page again, for scripts that look for it under upstream's name, and a page of upstream's that has
            // nothing to say.
            let fine = report.list("failures").is_empty() && report.list("restarts").is_empty();
            if path == "tlparse_index.html" || path == "failures_and_restarts.html" && fine {
                continue;
            }
            assert!(reached.contains(path), "{name}: nothing leads to {path}");
        }
    }
}

#[test]
fn every_attempt_of_a_compile_has_an_anchor_on_the_landing_page() {
    for (name, report) in reports() {
        let ids: BTreeSet<&str> = site(name)["index.html"].ids.iter().map(String::as_str).collect();
        let directory = report.json_file("compile_directory.json");
        for id in directory.as_object().unwrap().keys() {
            assert!(ids.contains(id.as_str()), "{name}: index.html has no anchor {id}");
        }
    }
}

#[test]
fn the_landing_page_shows_each_status_that_a_compile_has() {
    for name in ["01_inference", "03_graph_breaks", "04_recompiles", "06_errors", "07_compiled_autograd"] {
        let page = report(name).page("index.html");
        let compiles = report(name).list("compiles").iter().filter(|compile| !compile["id"].is_null());
        for compile in compiles {
            let (id, status) = (compile["id"].as_str().unwrap(), compile["status"].as_str().unwrap());
            let pills = page.all(&format!(".status-{status}")).into_iter().map(text_of);
            assert!(
                pills.into_iter().any(|text| text.starts_with(id)),
                "{name}: no .status-{status} with {id}"
            );
        }
    }
}

#[test]
fn the_first_sentence_of_the_landing_page_is_the_verdict_in_numbers() {
    // A number and its unit stay on one line.
    let headline =
        |name: &str| text_of(report(name).page("index.html").one("main h1")).replace('\u{a0}', " ");
    let breaks = headline("03_graph_breaks");
    for part in
        ["25 compilations", "24 functions", "2 failures", "7 distinct graph breaks", "1 recompilation"]
    {
        assert!(breaks.contains(part), "{breaks}");
    }
    let recompiles = headline("04_recompiles");
    assert!(
        recompiles.contains("29 compilations") && recompiles.contains("22 recompilations"),
        "{recompiles}"
    );
}

#[test]
fn the_landing_page_explains_ids_phases_and_colors() {
    let text = report("03_graph_breaks").page("index.html").text();
    for part in
        ["Compile id", "Attempt", "[!2/-/-]", "Dynamo", "AOTAutograd", "Graph break", "ok", "empty", "error"]
    {
        assert!(text.contains(part), "no {part} on the landing page");
    }
}

#[test]
fn failures_and_restarts_are_on_their_page() {
    let report = report("06_errors");
    let text = report.page("failures_and_restarts.html").text();
    assert!(report.list("failures").len() > 3);
    for failure in report.list("failures") {
        let (id, kind) = (failure["compile_id"].as_str().unwrap(), failure["type"].as_str().unwrap());
        assert!(text.contains(id) && text.contains(kind), "{failure}");
    }
    let breaks = self::report("03_graph_breaks");
    assert!(breaks.page("failures_and_restarts.html").text().contains("17/0"));
}

#[test]
fn frames_of_generated_modules_lead_to_their_line() {
    for name in ["07_compiled_autograd", "23_dump_file"] {
        let links = site(name).iter().flat_map(|(from, facts)| facts.relative_links(from));
        let lines = links.filter(|(path, anchor)| {
            path.starts_with("dump_file/") && anchor.as_ref().is_some_and(|anchor| anchor.starts_with('L'))
        });
        assert!(lines.count() > 0, "{name}: no frame leads into a generated module");
    }
}

#[test]
fn a_frame_behind_the_end_of_a_generated_module_leads_to_its_page() {
    let mut log = Log::of(input("23_dump_file"));
    for at in log.all("dump_file") {
        log.records[at].set_payload(b"x = 1\n");
    }
    let report = Run::of_bytes("short.log", &log.bytes()).ok();
    let pages = read(&report);
    assert_eq!(broken(&report, &pages), [""; 0]);
    let links = pages.iter().flat_map(|(from, facts)| facts.relative_links(from));
    assert!(links.filter(|(path, anchor)| path.starts_with("dump_file/") && anchor.is_none()).count() > 0);
}

#[test]
fn the_page_of_an_empty_log_says_why_logs_are_empty() {
    let report = Run::of_bytes("empty.log", b"").ok();
    let pages = read(&report);
    assert_eq!(broken(&report, &pages), [""; 0]);
    let page = report.page("index.html");
    assert!(text_of(page.one("main h1")).contains("Nothing was recorded"));
    assert!(page.text().contains("TORCH_TRACE"));
}

#[test]
fn damage_is_on_the_landing_page_with_its_line() {
    let mut log = Log::of(input("11_export_clean"));
    let at = log.nth("create_symbol", 0);
    log.records[at].header.pop();
    let report = Run::of_bytes("damaged.log", &log.bytes()).ok();
    let page = report.page("index.html");
    let cells: Vec<String> = page.all("#problems-table tbody td").into_iter().map(text_of).collect();
    assert_eq!(cells[..2], [log.line(at).to_string(), "bad JSON".to_owned()], "{cells:?}");
    assert_eq!(broken(&report, &read(&report)), [""; 0]);
}

#[test]
fn links_of_a_log_are_links_only_where_they_are_safe() {
    let mut log = Log::of(input("11_export_clean"));
    let like = log.first("artifact").clone();
    for (name, url) in [
        ("good", "https://example.org/a?b=c&d"),
        ("script", "javascript:alert(1)"),
        ("data", "data:text/html,<script>alert(1)</script>"),
        ("tab", "java\tscript:alert(1)"),
        ("file", "file:///etc/passwd"),
    ] {
        let envelope = serde_json::json!({"link": {"name": name, "url": url}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0});
        log.records.push(like.like(&envelope.to_string(), None));
    }
    let report = Run::of_bytes("links.log", &log.bytes()).ok();
    let mut good = 0;
    for path in report.pages() {
        for link in report.page(&path).attributes("href") {
            let scheme: String = link.chars().filter(|c| !c.is_control()).collect::<String>().to_lowercase();
            assert!(
                !["javascript:", "data:", "file:"].iter().any(|bad| scheme.starts_with(bad)),
                "{path}: {link}"
            );
            good += usize::from(link.starts_with("https://example.org/a?b=c&d"));
        }
    }
    assert!(good > 0);
}

#[test]
fn pages_of_a_hostile_log_are_whole_too() {
    let mut log = Log::of(input("03_graph_breaks"));
    for (n, name) in ["#", "?", "%2e%2e", "a b", "ü&amp;<b>", "'\"", "%", "a#b?c"].iter().enumerate() {
        log.edit("artifact", 3 * n, |envelope| envelope["artifact"]["name"] = (*name).into());
    }
    let report = Run::of_bytes("odd # name?.log", &log.bytes()).ok();
    let pages = read(&report);
    assert_eq!(broken(&report, &pages), [""; 0]);
    for (path, facts) in &pages {
        assert!(
            facts.doubled_ids().is_empty() && facts.foreign.is_empty() && facts.missing.is_empty(),
            "{path}"
        );
        policy_fits(facts).unwrap();
    }
}

#[test]
fn output_code_is_shown_word_for_word() {
    let report = report("01_inference");
    let path = report.pages().into_iter().find(|path| path.contains("/inductor_output_code_")).unwrap();
    let page: Page = report.page(&path);
    let mut log = Log::of(input("01_inference"));
    let code = String::from_utf8(log.first("inductor_output_code").text()).unwrap();
    let shown = page.text();
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        assert!(shown.contains(line), "{path} lacks {line:?}");
    }
}

#[test]
fn every_page_has_one_form_that_leads_to_the_search() {
    for (name, path, facts) in all_pages() {
        assert_eq!(facts.searches, 1, "{name}: {path}");
    }
}

#[test]
fn an_entry_leads_to_a_page_that_says_something() {
    // Nothing failed, and each report has a page of failures.
    let report = report("11_export_draft");
    assert!(report.list("failures").is_empty() && report.list("restarts").is_empty());
    let landing = report.page("index.html");
    let entries = landing.all(".tabs nav[aria-label=Report] a");
    let problems = entries.into_iter().find(|link| text_of(*link) == "Problems").unwrap();
    assert_eq!(problems.value().attr("href"), Some("export.html"));
}
