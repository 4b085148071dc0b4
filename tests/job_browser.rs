//! The landing page of a job in a real browser: of few ranks, and of a thousand.

use crate::browser::{Window, window};
use crate::job_ends::write_cut_rank;
use crate::support::job::copy_rank;
use crate::support::{combine, job};
use std::fs;
use std::path::Path;

/// How long a page with a thousand ranks may take until it can be used, milliseconds.
const MOST_TO_OPEN: f64 = 4_000.0;

/// The largest landing page, bytes.
const LARGEST: u64 = 2 << 20;

/// A job of this many ranks, some of which diverge; without the ranks' own pages.
pub fn large(folder: &Path, ranks: usize) {
    copy_rank("13_div_healthy", 0, &folder.join("rank_0"));
    for rank in 1..ranks {
        let to = folder.join(format!("rank_{rank}"));
        match rank {
            5 => copy_rank("13_div_break", 1, &to),
            6 => copy_rank("13_div_shapes", 1, &to),
            7 => copy_rank("13_div_order", 1, &to),
            _ => {
                fs::create_dir(&to).unwrap();
                fs::hard_link(folder.join("rank_0/report.json"), to.join("report.json")).unwrap();
            }
        }
    }
}

#[test]
fn the_landing_page_of_a_job_opens_without_a_word_and_its_ranks_are_filtered() {
    let Some(window) = window() else { return };
    let folder = tempfile::tempdir().unwrap();
    large(folder.path(), 9);
    combine(folder.path(), &[]).ok(folder.path());
    for page in [folder.path().join("index.html"), job("13_div_break").folder.join("index.html")] {
        window.open(&page, "");
        for scheme in ["light", "dark"] {
            window.scheme(scheme);
            window.quiet(&format!("{} ({scheme})", page.display()));
        }
        let over = window.number("document.documentElement.scrollWidth - innerWidth");
        assert!(over <= 0.0, "{} pixels too wide", over);
    }
    window.open(&folder.path().join("index.html"), "");
    let shown =
        "[...document.querySelectorAll('#ranks-table tbody tr')].filter(r => r.checkVisibility()).length";
    assert_eq!(window.number(shown), 9.0);
    window.value(
        "(e => { e.value = 'differs'; e.dispatchEvent(new Event('input')); })(document.querySelector('select[data-for=ranks-table]'))",
    );
    assert_eq!(window.number(shown), 3.0);
    let target =
        window.value("document.querySelector('#ranks-table a[href^=\"rank_5/index.html\"]').pathname");
    assert!(target.as_str().unwrap().ends_with("/rank_5/index.html"));
}

#[test]
fn a_thousand_ranks_open_in_time_and_in_two_megabytes() {
    let Some(window) = window() else { return };
    let folder = tempfile::tempdir().unwrap();
    large(folder.path(), 1_024);
    combine(folder.path(), &[]).ok(folder.path());
    let page = folder.path().join("index.html");
    let size = fs::metadata(&page).unwrap().len();
    assert!(size <= LARGEST, "{size} bytes");
    let took = window.work_ms(|window| window.open(&page, ""));
    assert!(took < MOST_TO_OPEN, "{took} ms");
    window.quiet("a thousand ranks");
    // Ranks of which the same is to be said share a row; each is still reached by its number.
    assert_eq!(window.number("document.querySelectorAll('#ranks-table tbody tr').length"), 4.0);
    assert_eq!(window.number("document.querySelectorAll('.rank-numbers a').length"), 1_024.0);
    assert_eq!(window.number("document.querySelectorAll('.rank-times .rank-row').length"), 4.0);
    let target =
        "document.querySelector('.rank-numbers a:nth-child(778)').pathname.split('/').slice(-2).join('/')";
    assert_eq!(window.value(target), "rank_777/index.html");
}

/// The texts that an expression gives.
fn texts(window: &Window, expression: &str) -> Vec<String> {
    let json = window.value(&format!("JSON.stringify({expression})"));
    serde_json::from_str(json.as_str().unwrap()).unwrap()
}

/// 64 ranks of which rank 45 has no log, the log of rank 12 ends inside a kernel build, and rank 37 breaks its graph.
fn job_in_trouble(folder: &Path) {
    for rank in (0..64).filter(|rank| ![12, 45].contains(rank)) {
        let to = folder.join(format!("rank_{rank}"));
        let (scenario, of) = if rank == 37 { ("13_div_break", 1) } else { ("13_div_healthy", 0) };
        copy_rank(scenario, of, &to);
        // The graphs of the ranks that diverge are shown side by side.
        for attempt in ["-_0_0_0", "-_0_0_1"] {
            let from = job(scenario).folder.join(format!("rank_{of}/{attempt}"));
            let Ok(files) = fs::read_dir(from) else { continue };
            for file in files.map(|file| file.unwrap().path()) {
                let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                if name.starts_with("dynamo_output_graph") {
                    fs::create_dir_all(to.join(attempt)).unwrap();
                    fs::copy(&file, to.join(attempt).join(name)).unwrap();
                }
            }
        }
    }
    write_cut_rank(folder, 12);
}

#[test]
fn of_64_ranks_the_one_without_a_log_the_one_that_stopped_and_the_one_that_diverges_are_seen_at_once() {
    let Some(window) = window() else { return };
    let folder = tempfile::tempdir().unwrap();
    job_in_trouble(folder.path());
    let report = combine(folder.path(), &[]).ok(folder.path());
    window.open(&folder.path().join("index.html"), "");
    for scheme in ["light", "dark"] {
        window.scheme(scheme);
        window.quiet(&format!("64 ranks ({scheme})"));
    }
    // Without a click: who stopped and inside what, who diverges and where, who is missing.
    let verdict = window.value("document.querySelector('h1').innerText");
    let verdict = verdict.as_str().unwrap().replace('\u{a0}', " ");
    for words in [
        "Rank 12's log ends at ",
        "inside 1/0 (gather_fn), compile_file",
        "rank 37 breaks its graph at s13_divergence.py:28 in 0/0",
        "No log of rank 45",
    ] {
        assert!(verdict.contains(words), "{words}: {verdict}");
    }
    // One row per rank; one Tab stop; arrows walk, and the line above says the row.
    assert_eq!(window.number("document.querySelectorAll('.rank-row').length"), 64.0);
    assert_eq!(window.number("document.querySelectorAll('.rank-row[tabindex=\"0\"]').length"), 1.0);
    window.value("document.querySelector('.rank-row').focus()");
    for _ in 0..12 {
        window.press("ArrowDown");
    }
    let said = window.value("document.getElementById('rank-says').textContent");
    let said = said.as_str().unwrap().replace('\u{a0}', " ");
    assert!(
        said.starts_with("rank 12: 2 compiles, ") && said.ends_with("inside 1/0, compile_file"),
        "{said}"
    );
    window.press("End");
    assert!(window.is_true("document.activeElement.title.startsWith('rank 63: ')"));
    // The state in the table of ranks is a word of the page; report.json keeps its three.
    let state = window.value("document.querySelector('#rank-37 td:nth-child(2)').textContent");
    assert_eq!(state, "diverges");
    assert_eq!(report.list("ranks")[37]["state"], "ok");
    // Both graphs of the difference.
    let side = |column: &str| {
        let lines = format!("document.querySelectorAll('.sides .one-side:{column}-child')");
        texts(&window, &format!("[...{lines}].map(line => line.textContent)")).concat()
    };
    assert!(side("first").contains("all_reduce") && !side("last").contains("all_reduce"));
    let over = window.number("document.documentElement.scrollWidth - innerWidth");
    assert!(over <= 0.0, "{over} pixels too wide");
}

#[test]
fn one_search_on_the_page_of_a_job_finds_what_any_rank_has_and_leads_to_its_row() {
    let Some(window) = window() else { return };
    let job = job("13_div_break");
    window.open(&job.folder.join("index.html"), "");
    window.value("document.activeElement.blur()");
    window.press("/");
    assert!(window.is_true("document.activeElement === document.querySelector('input[name=q]')"));
    let search = |text: &str| {
        window.value(&format!("document.querySelector('input[name=q]').value = '{text}'"));
        window.follow(|| {
            window.value("document.querySelector('form[action=\"search.html\"]').requestSubmit()");
        });
        assert!(window.is_true("location.pathname.endsWith('/search.html')"));
        texts(&window, "[...document.querySelectorAll('#found li')].map(one => one.innerText)")
    };
    // Both ranks compile it.
    let found = search("reduce_fn");
    assert!(found.iter().any(|one| one.contains("ranks 0 and 1")), "{found:?}");
    // Only rank 1 breaks its graph.
    window.open(&job.folder.join("index.html"), "");
    let found = search("graph_break");
    assert!(found.iter().any(|one| one.contains("rank 1 ")), "{found:?}");
    window.follow(|| {
        window.value("[...document.querySelectorAll('#found a')].find(a => a.href.includes('rank_1/graph_breaks.html')).click()");
    });
    assert!(window.is_true("document.querySelector(location.hash).matches('details[open], tr')"));
    // A kernel of the generated code leads to its row, by its name.
    window.open(&job.folder.join("index.html"), "");
    let found = search("cpp_fused");
    assert!(!found.is_empty(), "no kernel is found");
    let link = "[...document.querySelectorAll('#found a')].find(a => a.hash.startsWith('#find='))";
    let name = texts(&window, &format!("[{link}.innerText]")).remove(0);
    window.follow(|| drop(window.value(&format!("{link}.click()"))));
    window.wait_until("location.hash.startsWith('#kernel-')");
    let row = texts(&window, "[document.getElementById(location.hash.slice(1)).innerText]").remove(0);
    assert!(row.starts_with(&name), "{name}: {row}");
    window.quiet("search of a job");
}

/// The links to the ranks beside one, with what leads to its job.
const AROUND: &str = "[document.querySelector('.page-head nav a'), ...document.querySelectorAll('#beside a')].map(a => a.innerText)";

#[test]
fn a_report_of_a_rank_that_was_written_alone_leads_back_to_the_job_that_was_combined_of_it() {
    let Some(window) = window() else { return };
    let job = job("13_div_break");
    // Opened by itself it knows of no job.
    window.open(&job.folder.join("rank_0/index.html"), "");
    assert!(window.is_true("document.getElementById('beside') === null"));
    window.open(&job.folder.join("index.html"), "");
    window.follow(|| {
        window.value("document.querySelector('#ranks-table a[href^=\"rank_0/index.html\"]').click()");
    });
    assert_eq!(texts(&window, AROUND), ["job", "rank 1"]);
    // All of its pages know it, and so does the rank beside it.
    window.follow(|| {
        window.value("document.querySelector('#functions a[href*=\"compile.html\"]').click()");
    });
    assert_eq!(texts(&window, AROUND), ["job", "rank 1"]);
    window.follow(|| {
        window.value("document.querySelector('main a[href*=\"graphs.html\"]').click()");
    });
    assert_eq!(texts(&window, AROUND), ["job", "rank 1"]);
    window.follow(|| {
        window.value("document.querySelector('.page-head nav a').click()");
    });
    assert!(window.is_true("location.pathname.endsWith('/13_div_break/index.html')"));
    window.quiet("the way back to a job");
}

#[test]
fn one_click_leads_to_the_same_compile_of_the_rank_beside_one_or_says_that_it_has_none() {
    let Some(window) = window() else { return };
    let folder = tempfile::tempdir().unwrap();
    let logs = crate::support::job_logs("13_div_break");
    for (rank, log) in logs.iter().enumerate() {
        let name = format!("dedicated_log_torch_trace_rank_{rank}_a.log");
        fs::copy(log, folder.path().join(name)).unwrap();
    }
    let report = crate::support::Run::of(folder.path()).ok();
    let ids = |rank: usize| -> Vec<String> {
        let text = fs::read(report.folder.join(format!("rank_{rank}/report.json"))).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let compiles = json["compiles"].as_array().unwrap();
        compiles.iter().filter_map(|one| Some(one["id"].as_str()?.to_owned())).collect()
    };
    let page = |id: &str| format!("-_{}_0/compile.html", id.replace('/', "_"));
    let both = ids(0).into_iter().find(|id| ids(1).contains(id)).unwrap();
    let to_neighbor = "document.querySelector('#beside a').click()";
    window.open(&report.folder.join("rank_0").join(page(&both)), "");
    window.follow(|| drop(window.value(to_neighbor)));
    window.wait_until(&format!("location.pathname.endsWith('/rank_1/{}')", page(&both)));
    window.quiet("the same compile");
    // So does the viewer of its graphs.
    let graphs = page(&both).replace("compile.html", "graphs.html");
    if report.folder.join("rank_0").join(&graphs).exists() {
        window.open(&report.folder.join("rank_0").join(&graphs), "");
        window.follow(|| drop(window.value(to_neighbor)));
        window.wait_until(&format!("location.pathname.endsWith('/rank_1/{}')", page(&both)));
    }
    // Without scripts it is the first page of that rank.
    let plain = report.page(&format!("rank_0/{}", page(&both)));
    assert_eq!(plain.one("#beside a").attr("href"), Some("../../rank_1/index.html"));
    let (only, of) = (0..2)
        .find_map(|rank| Some((ids(rank).into_iter().find(|id| !ids(1 - rank).contains(id))?, rank)))
        .unwrap();
    window.open(&report.folder.join(format!("rank_{of}")).join(page(&only)), "");
    window.follow(|| drop(window.value(to_neighbor)));
    window.wait_until(&format!("location.pathname.endsWith('/rank_{}/index.html')", 1 - of));
    let said =
        texts(&window, "[...document.querySelectorAll('main [role=status]')].map(one => one.innerText)");
    assert!(
        said[0].starts_with(&format!("This rank has no compile {only} of the same function")),
        "{said:?}"
    );
}
