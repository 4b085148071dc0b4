//! Pages load the style sheets and scripts of their report, and no script that stands in their markup.

use crate::browser::{one_of_each_kind, window};
use crate::probes::{ACTED, probed};
use crate::serve::Served;
use crate::support::firefox::Firefox;
use crate::support::report;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;

#[test]
fn a_script_that_stands_in_the_markup_of_a_served_page_does_not_run_and_its_own_do() {
    let Some(window) = window() else { return };
    let (_copy, folder) = report("02_train_mlp").copied();
    fs::write(folder.join("acted.js"), ACTED).unwrap();
    for page in ["index.html", "search.html", "-_0_0_0/graphs.html"] {
        let path = folder.join(page);
        let up = if page.contains('/') { "../" } else { "" };
        let planted = format!("<main><script src=\"{up}acted.js\"></script>");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("<main", &format!("{planted}<main"), 1)).unwrap();
    }
    let served = Served::finished(&folder);
    for page in ["index.html", "search.html", "-_0_0_0/graphs.html"] {
        window.go(&served.url(page));
        let wrong = window.take_wrong();
        assert_ne!(window.value("document.title"), "acted", "{page}");
        assert!(window.is_true("typeof tlparse === 'object'"), "{page}: its own scripts do not run");
        assert!(wrong.iter().any(|wrong| wrong.contains("Content Security Policy")), "{page}: {wrong:?}");
    }
}

/// Answers requests for files of a folder, but only those with `key=7`, until it is dropped.
fn host_that_wants_a_key(folder: PathBuf) -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in server.incoming() {
            let (mut stream, folder) = (stream.unwrap(), folder.clone());
            thread::spawn(move || {
                let mut line = String::new();
                let _ = BufReader::new(&stream).read_line(&mut line);
                let (path, query) = line.split(' ').nth(1)?.split_once('?').unwrap_or_default();
                let body = fs::read(folder.join(path.trim_start_matches('/'))).ok();
                let body = body.filter(|_| query.contains("key=7"));
                let kind = if path.ends_with(".css") { "text/css" } else { "text/html" };
                let status = if body.is_some() { "200 OK" } else { "403 Forbidden" };
                let body = body.unwrap_or_default();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(&[head.as_bytes(), &body].concat());
                Some(())
            });
        }
    });
    address
}

#[test]
fn a_page_asks_for_its_files_with_the_query_that_its_host_wants() {
    let Some(window) = window() else { return };
    let address = host_that_wants_a_key(report("02_train_mlp").folder.clone());
    for page in ["failures_and_restarts.html", "-_0_0_0/graphs.html"] {
        window.go(&format!("http://{address}/{page}?key=7"));
        assert!(window.is_true("typeof tlparse === 'object'"), "{page}: its scripts do not run");
        let styled = "[...document.querySelectorAll('link')].every(link => link.sheet)";
        window.wait_until(styled);
    }
}

/// From disk, Firefox runs any script of a `file:` address whatever the policy of a page says. What holds there is that no
/// text of a log becomes markup.
#[test]
fn from_disk_firefox_runs_no_script_that_the_texts_of_a_log_name() {
    let Some(firefox) = Firefox::start() else { return };
    let mut kinds = Vec::new();
    let acted = "return document.documentElement.dataset.acted ?? null";
    for name in ["05_dynamic_shapes", "06_errors", "09_provenance"] {
        let report = probed(name, name == "06_errors");
        fs::write(report.folder.join("acted.js"), ACTED).unwrap();
        for (kind, page) in one_of_each_kind(&report) {
            if kinds.contains(&kind) {
                continue;
            }
            firefox.open(&report.folder.join(&page));
            assert!(firefox.value(acted).is_null(), "{name}: {page}");
            assert_eq!(firefox.value("return typeof tlparse"), "object", "{name}: {page}: no script runs");
            assert_eq!(
                firefox.value("return [...document.styleSheets].length > 0"),
                true,
                "{name}: {page} has no style"
            );
            kinds.push(kind);
        }
        // The test would see a script that runs.
        let page = report.folder.join("planted.html");
        fs::write(&page, "<!doctype html><title>x</title><script src=acted.js></script>").unwrap();
        firefox.open(&page);
        assert_eq!(firefox.value(acted), "yes");
    }
    assert!(kinds.len() > 12, "{kinds:?}");
}
