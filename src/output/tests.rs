//! Writing pages.

use std::fs::{self, File};
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
    let found = ["a", "b"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert!(found.iter().all(|found| found == expected.as_bytes()));
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
fn of_two_pages_of_one_name_the_first_is_written_and_the_second_is_named() {
    for (first, second, left_out, kept) in [
        ("a/b", "a/b", "a/b", ("a/b", "1")),
        ("a", "a/b", "a", ("a/b", "2")),
        ("a/b/c", "a/b", "a/b", ("a/b/c", "1")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Sink::in_memory();
        for sink in [Sink::on_disk(folder.path()), memory.clone()] {
            let pages: Vec<Page<'_, ()>> =
                vec![Page::bytes(path(first), "1"), Page::bytes(path(second), "2")];
            assert_eq!(write(pages, &sink, threads(2), || ()).unwrap(), [path(left_out)]);
        }
        let (path, text) = kept;
        assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), text);
        assert_eq!(memory.into_files(), [(path.to_owned(), text.as_bytes().to_vec())].into());
    }
}

#[test]
fn a_file_that_is_there_already_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "mine").unwrap();
    let pages: Vec<Page<'_, ()>> = vec![Page::bytes(path("a"), "yours")];
    let left_out = write(pages, &Sink::on_disk(folder.path()), threads(1), || ()).unwrap();
    assert_eq!(left_out, [path("a")]);
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"mine");
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
