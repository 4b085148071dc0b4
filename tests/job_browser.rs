//! The landing page of a job in a real browser: of few ranks, and of a thousand.

use crate::browser::window;
use crate::support::job::copy_rank;
use crate::support::{combine, job};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a page with a thousand ranks may take until it can be used. A second is what it has to keep to on a machine that
/// does nothing else; tests run beside each other.
const LONGEST: Duration = Duration::from_secs(4);

/// The largest landing page, bytes.
const LARGEST: u64 = 2 << 20;

/// A job of so many ranks, some of which part ways; the ranks' own pages are not there.
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
        "[...document.querySelectorAll('#rank-table tbody tr')].filter(r => r.checkVisibility()).length";
    assert_eq!(window.number(shown), 9.0);
    window.value(
        "(e => { e.value = 'differs'; e.dispatchEvent(new Event('input')); })(document.querySelector('select[data-for=rank-table]'))",
    );
    assert_eq!(window.number(shown), 3.0);
    let target = window.value("document.querySelector('.rank-grid a[href=\"rank_5/index.html\"]').pathname");
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
    assert_eq!(window.number("document.querySelectorAll('#rank-table tbody tr').length"), 1_024.0);
    let shown =
        "[...document.querySelectorAll('#rank-table tbody tr')].filter(r => r.checkVisibility()).length";
    assert!(window.number(shown) <= 40.0, "the table is folded");
}
