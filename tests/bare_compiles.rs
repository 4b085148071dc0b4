//! Compiles of which the log says no more than a row does: they have a row, and no page of their own.

use crate::diff::diff;
use crate::pages::broken;
use crate::support::job::job_logs;
use crate::support::log::{Record, contains};
use crate::support::site::read;
use crate::support::{Log, Report, Run, input, report, text_of};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The first frame that no stored log has.
const FREE: usize = 7_000;

/// Records that name a compile and say nothing about it; the frame follows.
const BARE: [&str; 4] = [
    r#"{"event_of_the_future": {}, "#,
    r#"{"event_of_the_future": {"depth": 3}, "#,
    r#"{"dynamo_start": {"stack": []}, "#,
    "{",
];

fn record(like: &Record, begin: &str, frame: usize) -> Record {
    let ids = format!(r#""frame_id": {frame}, "frame_compile_id": 0, "attempt": 0}}"#);
    like.like(&format!("{begin}{ids}"), None)
}

/// A stored log with as many compiles that are only named, in turns of each kind.
fn with_bare(name: &str, count: usize) -> Log {
    let mut log = Log::of(input(name));
    let like = log.first("dynamo_start").clone();
    log.records.extend((0..count).map(|at| record(&like, BARE[at % BARE.len()], FREE + at)));
    log
}

/// Whether any text of a report that a reader or a program opens names the page of a compile with one of these frames.
fn names_a_page(report: &Report, frames: usize) -> Option<String> {
    let texts = report.manifest().into_iter().filter(|file| {
        let name = file.rsplit('/').next().unwrap();
        [".html", ".json", ".md"].iter().any(|end| name.ends_with(end))
    });
    let pages: Vec<String> =
        (FREE..FREE + frames).map(|frame| format!("-_{frame}_0_0/compile.html")).collect();
    let names = |file: &String| {
        let text = report.bytes(file);
        contains(&text, b"-_7") && pages.iter().any(|page| contains(&text, page.as_bytes()))
    };
    texts.into_iter().find(names)
}

#[test]
fn a_compile_that_is_only_named_has_a_row_to_which_everything_leads_and_no_page() {
    for (count, row_page) in [(12, "index.html"), (400, "directory_2.html")] {
        let report = Run::of_bytes("bare.log", &with_bare("04_recompiles", count).bytes()).ok();
        assert_eq!(report.ids().len(), self::report("04_recompiles").ids().len() + count);
        let pages = read(&report);
        assert_eq!(broken(&report, &pages), Vec::<String>::new(), "{count}");
        assert_eq!(names_a_page(&report, count), None, "{count}");
        assert!(!report.manifest().iter().any(|file| file.starts_with("-_7")), "{count}: none has a folder");
        for at in (0..count).filter(|at| at % 40 < BARE.len()) {
            let anchor = format!("[{}/0]", FREE + at);
            assert!(pages["index.html"].ids.contains(&anchor), "{count}: index.html#{anchor}");
        }
        // What the log says of an unknown event is in the row.
        let row = report.page(row_page);
        let entry = row.one(&format!("[id='[{}/0]']", if count > 200 { 7_201 } else { 7_001 }));
        let text = text_of(entry);
        assert!(text.contains("event_of_the_future") && text.contains(r#"{"depth": 3}"#), "{text}");
        assert!(!text.contains("Page of this compile"), "{text}");
        assert_eq!(report.compile("7001/0")["status"], "missing");
        let compiles = report.list("compiles").iter();
        for id in compiles
            .filter_map(|compile| compile["id"].as_str())
            .filter(|id| !id.starts_with('7') || id.len() < 5)
        {
            assert!(
                report.has(&format!("-_{}_0/compile.html", id.replace('/', "_"))),
                "{id} has lost its page"
            );
        }
    }
}

#[test]
fn the_links_to_the_compiles_beside_one_skip_those_without_a_page() {
    let report = Run::of_bytes("bare.log", &with_bare("04_recompiles", 12).bytes()).ok();
    let (mut page, mut seen) = ("-_0_0_0/compile.html".to_owned(), 1);
    while let Some(next) = report.page(&page).all(".ways a[rel=next]").first() {
        page = next.attr("href").unwrap().trim_start_matches("../").to_owned();
        seen += 1;
    }
    assert_eq!(seen, self::report("04_recompiles").ids().len());
}

#[test]
fn with_anything_more_to_show_a_compile_keeps_its_page() {
    let mut log = Log::of(input("01_inference"));
    let like = log.first("dynamo_start").clone();
    let frame = r#"{"line": 1, "name": "f", "filename": 1}"#;
    let more = [
        format!(r#"{{"dynamo_start": {{"stack": [{frame}]}}, "#),
        r#"{"create_symbol": {"symbol": "s0", "val": "3", "source": "L['x'].size()[0]"}, "#.to_owned(),
        r#"{"compilation_metrics": {"co_name": "f"}, "#.to_owned(),
    ];
    let records = (FREE..).zip(&more).map(|(frame, begin)| record(&like, begin, frame));
    log.records.extend(records);
    // More events than a row lists, and one with a payload.
    log.records.extend((0..9).map(|_| record(&like, BARE[1], FREE + 3)));
    let mut with_payload = record(&like, BARE[1], FREE + 4);
    with_payload.set_payload(b"x");
    log.records.push(with_payload);
    let report = Run::of_bytes("more.log", &log.bytes()).ok();
    for frame in FREE..FREE + 5 {
        assert!(report.has(&format!("-_{frame}_0_0/compile.html")), "{frame}");
    }
    assert_eq!(broken(&report, &read(&report)), Vec::<String>::new());
}

#[test]
fn thousands_of_compiles_that_are_only_named_make_a_report_of_at_most_60_times_their_log() {
    let like = Log::of(input("01_inference")).first("dynamo_start").clone();
    for begin in BARE {
        let records = (0..3_000).map(|frame| record(&like, begin, frame)).collect();
        let bytes = Log { records }.bytes();
        let report = Run::of_bytes("bare.log", &bytes).ok();
        let size: u64 = report.manifest().iter().map(|file| report.size(file)).sum();
        assert!(size <= 60 * bytes.len() as u64, "{begin}: {size} bytes of {}", bytes.len());
    }
}

#[test]
fn the_page_of_a_comparison_leads_to_the_row_and_that_of_a_job_does_not_name_it() {
    let folder = TempDir::new().unwrap();
    let logs = job_logs("12_ddp_2");
    for (rank, path) in logs.iter().enumerate() {
        let mut log = Log::parse(&fs::read(path).unwrap());
        let like = log.first("dynamo_start").clone();
        // Rank 1 ends in a compile that it only names.
        log.records.extend((0..rank * 2).map(|at| record(&like, BARE[2 * at], FREE + at)));
        fs::write(folder.path().join(path.file_name().unwrap()), log.bytes()).unwrap();
    }
    let job = Run::of(folder.path()).args(["--all-ranks-html"]).ok();
    assert_eq!(broken(&job, &read(&job)), Vec::<String>::new());
    // A compile whose function is not recorded is no difference between ranks, so the page does not name it.
    assert!(!job.page("index.html").text().contains("7000/0"));

    let log = folder.path().join("b.log");
    fs::write(&log, with_bare("01_inference", 4).bytes()).unwrap();
    let out = folder.path().join("diff");
    let done = diff(&[input("01_inference").path.as_path(), &log, Path::new("-o"), &out]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let page = fs::read_to_string(out.join("diff.html")).unwrap();
    assert!(page.contains("b/index.html#[7000/0]") && !page.contains("-_7000_0_0/compile.html"));
}
