//! Writing pages.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::bail;

use super::*;
use crate::output::Sink;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// Every file below a folder, by its path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn add(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                add(root, &entry, all);
            } else {
                let name = entry.strip_prefix(root).unwrap().display().to_string();
                all.insert(name, fs::read(&entry).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    add(folder, folder, &mut all);
    all
}

#[test]
fn every_kind_of_page_reaches_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let pages: Vec<Page<'_, String>> = vec![
        Page::rendered(path("-_0_0_0/compile.html"), |worker, out| Ok(write!(out, "by {worker}")?)),
        Page::bytes(path("index.html"), "hello"),
        Page::file(path("raw.log"), |file| Ok(file.writer().write_all(b"log")?)),
    ];
    let report = folder.path().join("report");
    write(pages, &Sink::on_disk(&report), threads(2), || "me".to_owned()).unwrap();
    let found = files(&report);
    assert_eq!(found["-_0_0_0/compile.html"], b"by me");
    assert_eq!(found["index.html"], b"hello");
    assert_eq!(found["raw.log"], b"log");
    assert_eq!(found.len(), 3);
}

#[test]
fn one_thread_and_many_write_the_same_files() {
    let numbers: Vec<usize> = (0..300).collect();
    let written = |count| {
        let folder = tempfile::tempdir().unwrap();
        let page = |n: &'_ usize| {
            let n = *n;
            Page::rendered(path(&format!("-_{}_0_0/p_{n}.txt", n % 7)), move |seen: &mut usize, out| {
                *seen += 1;
                for line in 0..n * 50 {
                    writeln!(out, "{n} {line}")?;
                }
                Ok(())
            })
        };
        write(numbers.iter().map(page).collect(), &Sink::on_disk(folder.path()), threads(count), || 0)
            .unwrap();
        files(folder.path())
    };
    let one = written(1);
    assert_eq!(one.len(), 300);
    assert!(one == written(2) && one == written(8));
}

#[test]
fn a_piece_longer_than_the_buffer_stands_between_those_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let long = "long ".repeat(BUFFER_BYTES);
    let page = |name: &str| {
        let long = long.clone();
        Page::rendered(path(name), move |_: &mut (), out| {
            let pieces = ["before ", &long, "after ", &long];
            pieces.into_iter().try_for_each(|piece| Ok(out.write_all(piece.as_bytes())?))
        })
    };
    write(vec![page("a"), page("b")], &Sink::on_disk(folder.path()), threads(1), || ()).unwrap();
    let expected = format!("before {long}after {long}");
    let found = files(folder.path());
    assert!(["a", "b"].iter().all(|name| found[*name] == expected.as_bytes()));
}

#[test]
fn each_thread_makes_one_worker() {
    let folder = tempfile::tempdir().unwrap();
    let made = AtomicUsize::new(0);
    let pages = (0..50).map(|n| Page::bytes(path(&format!("{n}")), "")).collect();
    write(pages, &Sink::on_disk(folder.path()), threads(3), || made.fetch_add(1, Ordering::Relaxed)).unwrap();
    assert_eq!(made.into_inner(), 3);
}

#[test]
fn a_report_without_pages_is_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    write::<()>(Vec::new(), &Sink::on_disk(&report), threads(2), || ()).unwrap();
    assert!(report.is_dir());
}

#[test]
fn of_two_pages_of_one_name_the_first_is_written_and_the_second_is_named() {
    for (first, second, left_out) in [("a/b", "a/b", "a/b"), ("a", "a/b", "a"), ("a/b/c", "a/b", "a/b")] {
        let folder = tempfile::tempdir().unwrap();
        let pages =
            || -> Vec<Page<'_, ()>> { vec![Page::bytes(path(first), "1"), Page::bytes(path(second), "2")] };
        let left = write(pages(), &Sink::on_disk(folder.path()), threads(2), || ()).unwrap();
        assert_eq!(left, [path(left_out)]);
        let found = files(folder.path());
        assert_eq!(found.len(), 1);
        assert_eq!(
            found.get(second).map(Vec::as_slice),
            (first == "a").then_some(b"2".as_slice()).or((first == second).then_some(b"1"))
        );
        let memory = Sink::in_memory();
        assert_eq!(write(pages(), &memory, threads(2), || ()).unwrap(), left);
        assert_eq!(memory.into_files(), found, "both sinks hold the same files");
    }
}

#[test]
fn a_file_that_is_there_already_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "mine").unwrap();
    let pages: Vec<Page<'_, ()>> = vec![Page::bytes(path("a"), "yours")];
    let left_out = write(pages, &Sink::on_disk(folder.path()), threads(1), || ()).unwrap();
    assert_eq!(left_out, [path("a")]);
    assert_eq!(files(folder.path())["a"], b"mine");
}

#[test]
fn the_first_failure_stops_the_others_and_names_the_file() {
    for count in [1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let done = AtomicUsize::new(0);
        let mut pages = vec![Page::rendered(path("x/first.html"), |_: &mut (), _| bail!("no such span"))];
        for n in 0..2000 {
            pages.push(Page::rendered(path(&format!("{n}")), |_, _| {
                done.fetch_add(1, Ordering::Relaxed);
                thread::sleep(std::time::Duration::from_millis(1));
                Ok(())
            }));
        }
        let error = write(pages, &Sink::on_disk(folder.path()), threads(count), || ()).unwrap_err();
        assert!(error.to_string().contains("x/first.html"), "{error}");
        assert!(format!("{error:#}").contains("no such span"));
        assert!(done.into_inner() < 1000);
    }
}

#[test]
fn a_page_that_panics_on_another_thread_fails_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let main = thread::current().id();
    let page = |n: usize| {
        Page::rendered(path(&format!("{n}")), move |_: &mut (), _| {
            thread::sleep(std::time::Duration::from_millis(5));
            assert!(thread::current().id() == main, "on purpose");
            Ok(())
        })
    };
    let error =
        write((0..100).map(page).collect(), &Sink::on_disk(folder.path()), threads(2), || ()).unwrap_err();
    assert!(error.to_string().contains("bug in tlparse"));
}

#[test]
fn a_full_disk_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let full = |_: &mut (), _: &mut dyn Write| Err(io::Error::from(io::ErrorKind::StorageFull).into());
    let pages = vec![Page::rendered(path("index.html"), full)];
    let error = write(pages, &Sink::on_disk(folder.path()), threads(1), || ()).unwrap_err().to_string();
    assert!(error.contains("index.html") && error.contains("free some space"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_still_in_the_buffer_when_the_disk_is_full_is_an_error_too() {
    let folder = tempfile::tempdir().unwrap();
    let pages: Vec<Page<'_, ()>> = vec![Page::file(path("a"), |_| {
        let body = Body::Write(Box::new(|_: &mut (), out: &mut dyn Write| Ok(out.write_all(b"x")?)));
        let mut full = File::create("/dev/full")?;
        filled(body, &mut (), &mut Vec::new())(NewFile::Disk(&mut full))
    })];
    let error = write(pages, &Sink::on_disk(folder.path()), threads(1), || ()).unwrap_err().to_string();
    assert!(error.contains("free some space"), "{error}");
}
