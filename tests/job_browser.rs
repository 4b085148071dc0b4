//! The landing page of a job in a real browser: of few ranks, and of a thousand.

use crate::browser::{Window, window};
use crate::job_ends::write_cut_rank;
use crate::support::job::copy_rank;
use crate::support::{combine, job};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a page with a thousand ranks may take until it can be used. It should be a second on an idle machine; tests run
/// beside each other.
const LONGEST: Duration = Duration::from_secs(4);

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
        window.value("document.querySelector('#ranks-table a[href=\"rank_5/index.html\"]').pathname");
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
    let start = Instant::now();
    window.open(&page, "");
    window.value("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))");
    let took = start.elapsed();
    assert!(took < LONGEST, "{took:?}");
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
    let sides =
        texts(&window, "[...document.querySelectorAll('.graph-sides > div')].map(side => side.innerText)");
    assert!(sides[0].contains("all_reduce") && !sides[1].contains("all_reduce"), "{sides:?}");
    let over = window.number("document.documentElement.scrollWidth - innerWidth");
    assert!(over <= 0.0, "{over} pixels too wide");
}

#[test]
fn a_slash_leads_to_the_search_of_a_rank_on_the_page_of_a_job_too() {
    let Some(window) = window() else { return };
    let job = job("13_div_break");
    let page = job.page("index.html");
    // Without a script the form searches the first rank, and says so.
    assert_eq!(
        page.one("form[action='rank_0/search.html'] input").attr("placeholder"),
        Some("Search rank 0")
    );
    window.open(&job.folder.join("index.html"), "");
    window.value("document.activeElement.blur()");
    window.press("/");
    assert!(window.is_true("document.activeElement === document.querySelector('input[name=q]')"));
    window.value(
        "(list => { list.value = 'rank_1/search.html'; list.dispatchEvent(new Event('change')); })(document.querySelector('.page-head select'))",
    );
    window.value("document.querySelector('input[name=q]').value = 'reduce_fn'");
    window.follow(|| {
        window.value("document.querySelector('.page-head form').requestSubmit()");
    });
    assert!(
        window.is_true(
            "location.pathname.endsWith('/rank_1/search.html') && location.search === '?q=reduce_fn'"
        )
    );
    assert!(window.is_true("document.querySelectorAll('#found li').length > 0"));
    window.quiet("search of a rank");
}
