//! Same input, same bytes: for any number of threads, any time, and whether the log was compressed.

use crate::support::{Report, Run, files_below, input, report};
use std::num::NonZeroUsize;
use std::path::Path;
use tlparse::{Options, Registry};

const INPUTS: [&str; 5] = ["03_graph_breaks", "09_provenance", "10_aoti", "22_vllm_new", "23_dump_file"];

/// The report of the library, with that many threads.
fn written(log: &Path, threads: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::new(log, folder.path().join("report"));
    options.threads = NonZeroUsize::new(threads);
    tlparse::run(&options, &Registry::default(), &()).unwrap();
    folder
}

/// Both folders have to hold the same files with the same bytes, but for those named.
fn same(a: &Path, b: &Path, but: &[&str]) {
    let files = files_below(a);
    assert_eq!(files, files_below(b));
    for file in files.iter().filter(|file| !but.contains(&file.as_str())) {
        let same = std::fs::read(a.join(file)).unwrap() == std::fs::read(b.join(file)).unwrap();
        assert!(same, "{file} differs");
    }
}

#[test]
fn one_thread_and_several_write_the_same_bytes() {
    for name in INPUTS {
        let log = &input(name).path;
        let (one, four) = (written(log, 1), written(log, 4));
        same(&one.path().join("report"), &four.path().join("report"), &[]);
    }
}

#[test]
fn the_program_and_the_library_write_the_same_bytes_at_any_time() {
    for name in INPUTS {
        let again = written(&input(name).path, 3);
        same(&report(name).folder, &again.path().join("report"), &[]);
    }
}

#[test]
fn a_compressed_log_gives_the_same_bytes() {
    let log = input("09_provenance");
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join(format!("{}.zst", log.file_name()));
    std::fs::copy(&log.stored, &packed).unwrap();
    let from_packed: Report = Run::of(&packed).ok();
    same(&report("09_provenance").folder, &from_packed.folder, &[]);
}
