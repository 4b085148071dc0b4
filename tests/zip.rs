//! `--zip` and `-o -`: the report as one file.

use crate::support::{Done, Run, files_below, input};
use std::fs;
use std::io::Read;
use std::path::Path;

/// The entries of a zip with their bytes, in its order.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut file = zip.by_index(at).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn small() -> Run {
    Run::from(input("11_export_clean"))
}

fn zip_of(done: &Done) -> Vec<u8> {
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    fs::read(done.folder.with_extension("zip")).unwrap()
}

#[test]
fn the_zip_holds_the_report_sorted_in_one_folder_and_equal_reports_give_equal_bytes() {
    let done = small().args(["--zip"]).go();
    let bytes = zip_of(&done);
    assert!(done.stdout.contains("Zip: ") && done.stdout.contains("report.zip"), "{}", done.stdout);
    let entries = entries(&bytes);
    let names: Vec<&str> =
        entries.iter().map(|(name, _)| name.strip_prefix("tlparse_report/").unwrap()).collect();
    assert_eq!(names, files_below(&done.folder));
    for (name, (_, bytes)) in names.iter().zip(&entries) {
        assert!(*bytes == fs::read(done.folder.join(name)).unwrap(), "{name}");
    }
    let elsewhere = small().args(["--zip"]).without_out().args(["-o", "another/name"]).go();
    assert!(bytes == fs::read(elsewhere.work.path().join("another/name.zip")).unwrap());
    let left: Vec<_> = fs::read_dir(done.work.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn standard_output_gets_the_same_zip_and_nothing_else_and_no_folder_is_left() {
    let bytes = zip_of(&small().args(["--zip"]).go());
    let work = tempfile::tempdir().unwrap();
    let mut command = assert_cmd::Command::cargo_bin("tlparse").unwrap();
    command.env_clear().env("TMPDIR", work.path()).current_dir(work.path());
    let output = command.arg(&input("11_export_clean").path).args(["-o", "-"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout == bytes);
    assert!(String::from_utf8_lossy(&output.stderr).contains("compilation"));
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
    command.arg(&input("11_export_clean").path).args(["-o", "-"]);
    let status = command.stdout(fs::File::options().write(true).open("/dev/full").unwrap()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn only_the_zip_of_a_report_is_replaced() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("report");
    let zip = out.with_extension("zip");
    let run = |args: &[&str]| small().out(&out).args(args.iter().copied()).go();
    fs::write(&zip, "my own").unwrap();
    for args in [&["--zip"][..], &["--zip", "--overwrite"]] {
        let error = run(args).fails(1);
        assert!(error.contains("report.zip") && error.contains("-o"), "{error}");
        assert_eq!(fs::read_to_string(&zip).unwrap(), "my own");
        assert!(!Path::new(&out).exists(), "the report is not written either");
    }
    fs::remove_file(&zip).unwrap();
    let first = zip_of(&run(&["--zip"]));
    assert!(run(&["--zip"]).fails(1).contains("exists"));
    assert!(zip_of(&run(&["--zip", "--overwrite"])) == first);
}

#[test]
fn options_that_need_a_folder_cannot_be_used_with_standard_output() {
    for option in ["--serve", "--json", "--verbose"] {
        let error = small().without_out().args(["-o", "-", option]).go().fails(2);
        assert!(error.contains("-o -"), "{option}: {error}");
    }
}
