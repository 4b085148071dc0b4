//! The command line: exit codes, output streams, where the report goes, what is refused.

use crate::support::{Run, files_below, input, report};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A folder with copies of the smallest log under these names, the last being the newest.
fn folder_of_logs(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = input("11_export_clean").bytes();
    for (age, name) in names.iter().enumerate() {
        let path = folder.path().join(name);
        fs::write(&path, &log).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age as u64)).unwrap();
    }
    folder
}

const TORCHS_NAMES: [&str; 3] = [
    "dedicated_log_torch_trace_aaaaaaaa.log",
    "dedicated_log_torch_trace_cccccccc.log",
    "dedicated_log_torch_trace_bbbbbbbb.log",
];

fn small() -> Run {
    Run::of(&input("11_export_clean").path)
}

#[test]
fn pytorchs_own_call_writes_a_report_into_an_existing_empty_folder() {
    let out = tempfile::tempdir().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    fs::write(log.path(), input("01_inference").bytes()).unwrap();
    let done = Run::of(log.path()).out(out.path()).args(["--overwrite", "--strict"]).go();
    let report = done.report(0);
    assert!(out.path().join("index.html").exists());
    assert_eq!(report.json["compiles"], self::report("01_inference").json["compiles"]);
}

#[test]
fn every_stored_log_passes_pytorchs_own_call() {
    // The shared reports were written without `--strict`; it fails exactly when this is false.
    for (name, report) in crate::support::reports() {
        assert_eq!(report.integrity()["ok"], true, "{name}: {}", report.integrity()["problems"]);
    }
}

#[test]
fn the_summary_is_colored_on_a_terminal_unless_no_color_is_set() {
    // `script` of util-linux runs a program in a terminal of its own.
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `script`");
        return;
    }
    let log = input("06_errors");
    for (no_color, colored) in [("", true), ("1", false)] {
        let out = tempfile::tempdir().unwrap();
        let program = assert_cmd::cargo::cargo_bin!("tlparse").display();
        let (out, path) = (out.path().display(), log.path.display());
        let line = format!("'{program}' -o '{out}' --overwrite --no-browser '{path}' 2>/dev/null");
        let done = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .env("NO_COLOR", no_color)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(said.contains("Failure:"), "{said}");
        assert_eq!(said.contains("\x1b["), colored, "NO_COLOR={no_color}: {said}");
    }
}

#[test]
fn the_summary_has_three_to_eight_lines_and_ends_with_the_path_of_the_report() {
    for name in ["01_inference", "03_graph_breaks", "04_recompiles", "06_errors", "11_export_draft"] {
        let done = Run::of(&input(name).path).go();
        let lines: Vec<&str> = done.stdout.lines().collect();
        assert!((3..=8).contains(&lines.len()), "{name}: {}", done.stdout);
        let index = done.folder.join("index.html");
        assert!(lines.last().unwrap().ends_with(index.to_str().unwrap()), "{name}: {}", done.stdout);
        assert!(!done.stdout.contains("in -0.0"), "{name}: {}", done.stdout);
        assert_eq!(done.stderr, "", "{name}: no progress where standard error is no terminal");
        assert!(!done.stdout.contains(['\x1b', '\r']), "{name}: {:?}", done.stdout);
    }
}

#[test]
fn the_report_goes_to_tl_out_by_default() {
    let done = small().without_out().go();
    assert_eq!(done.code, Some(0));
    assert!(done.work.path().join("tl_out/index.html").exists());
}

#[test]
fn verbose_lists_the_records_by_event() {
    let done = small().args(["-v"]).go();
    for event in ["describe_storage", "artifact", "str", "create_symbol"] {
        assert!(done.stdout.lines().any(|line| line.ends_with(event)), "{event}: {}", done.stdout);
    }
    assert!(small().args(["--verbose"]).go().stdout.contains("describe_storage"));
    assert!(!small().go().stdout.contains("describe_storage"));
}

#[test]
fn an_existing_folder_is_not_touched_without_overwrite() {
    let out = tempfile::tempdir().unwrap();
    let error = small().out(out.path()).go().fails(1);
    assert!(error.contains("--overwrite") && error.contains(out.path().to_str().unwrap()), "{error}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    let report = small().out(out.path()).args(["--overwrite"]).ok();
    let error = small().out(out.path()).go().fails(1);
    assert!(error.contains("--overwrite") && report.manifest() == files_below(out.path()), "{error}");
}

#[test]
fn a_report_is_replaced_with_overwrite_and_nothing_of_the_old_one_stays() {
    let out = tempfile::tempdir().unwrap();
    let first = Run::of(&input("01_inference").path).out(out.path()).args(["--overwrite"]).ok();
    let is_old = |path: &String| path.starts_with("-_0_0_0/inductor_output_code_");
    assert!(first.manifest().iter().any(is_old), "only the first report has generated code");
    let second = small().out(out.path()).args(["--overwrite"]).ok();
    assert_eq!(second.manifest(), report("11_export_clean").manifest());
}

#[test]
fn a_folder_with_a_foreign_entry_is_refused_and_the_entry_named() {
    let out = tempfile::tempdir().unwrap();
    small().out(out.path()).args(["--overwrite"]).ok();
    fs::write(out.path().join("thesis.tex"), "years of work").unwrap();
    let error = small().out(out.path()).args(["--overwrite"]).go().fails(1);
    assert!(error.contains("thesis.tex"), "{error}");
    assert_eq!(fs::read_to_string(out.path().join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn a_foreign_folder_is_refused() {
    let out = tempfile::tempdir().unwrap();
    fs::create_dir(out.path().join("src")).unwrap();
    fs::write(out.path().join("src/main.rs"), "fn main() {}").unwrap();
    let error = small().out(out.path()).args(["--overwrite"]).go().fails(1);
    assert!(error.contains("src"), "{error}");
    assert!(out.path().join("src/main.rs").exists());
}

#[test]
fn an_upstream_report_is_replaced() {
    let out = tempfile::tempdir().unwrap();
    for file in ["index.html", "compile_directory.json", "raw.jsonl"] {
        fs::write(out.path().join(file), "old").unwrap();
    }
    let report = small().out(out.path()).args(["--overwrite"]).ok();
    assert_eq!(report.manifest(), self::report("11_export_clean").manifest());
}

#[test]
fn a_folder_with_one_log_is_that_log() {
    let folder = folder_of_logs(&TORCHS_NAMES[..1]);
    let done = Run::of(folder.path()).go();
    assert_eq!(done.stderr, "");
    assert_eq!(done.report(0).json["log"]["file"], TORCHS_NAMES[0]);
}

#[test]
fn a_folder_with_several_logs_is_its_newest_and_the_others_are_named() {
    let folder = folder_of_logs(&TORCHS_NAMES);
    for latest in [&[][..], &["--latest"]] {
        let done = Run::of(folder.path()).args(latest.iter().copied()).go();
        assert!(TORCHS_NAMES.iter().all(|name| done.stderr.contains(name)), "{}", done.stderr);
        assert_eq!(done.report(0).json["log"]["file"], TORCHS_NAMES[2]);
    }
}

#[test]
fn without_a_path_the_folder_of_torch_trace_is_read() {
    let folder = folder_of_logs(&TORCHS_NAMES);
    for args in [&[][..], &["--latest"]] {
        let report = Run::bare().args(args.iter().copied()).env("TORCH_TRACE", folder.path()).ok();
        assert_eq!(report.json["log"]["file"], TORCHS_NAMES[2]);
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    for args in [
        &["--no-such-flag"][..],
        &["--out"],
        &["--max-unpacked", "much"],
        &["--port", "80"],
        &["--serve", "--port", "x"],
        &["--watch", "--serve"],
    ] {
        let done = small().without_out().args(args.iter().copied()).go();
        assert_eq!(done.code, Some(2), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn strict_compile_id_fails_when_a_record_has_a_stack_instead() {
    Run::of(&input("10_aoti").path).ok();
    let done = Run::of(&input("10_aoti").path).args(["--strict-compile-id"]).go();
    assert!(done.stderr.contains("--strict-compile-id"), "{}", done.stderr);
    done.report(3);
    Run::of(&input("01_inference").path).args(["--strict-compile-id", "--strict"]).ok();
}

#[test]
fn plain_text_writes_code_as_text() {
    let highlighted = report("01_inference");
    let plain = Run::of(&input("01_inference").path).args(["--plain-text"]).ok();
    let code =
        |paths: Vec<String>| paths.into_iter().find(|path| path.contains("/inductor_output_code_")).unwrap();
    assert!(code(highlighted.manifest()).ends_with(".html"));
    let path = code(plain.manifest());
    assert!(path.ends_with(".txt"));
    assert!(plain.read(&path).starts_with("# AOT ID: ['0_inference']"), "{:.80}", plain.read(&path));
    Run::of(&input("01_inference").path).args(["-p"]).ok();
}

#[test]
fn the_custom_header_is_copied_to_the_top_of_the_landing_page() {
    let header = "<div id=\"mine\"><b>Job 7 & co</b><script>document.title += '!'</script></div>";
    let with = small().args(["--custom-header-html", header]).ok();
    let index = with.read("index.html");
    let at = index.find(header).expect("it stands there as given");
    assert!(at < index.find("<h1").unwrap() && at > index.find("<body").unwrap_or(0));
    for page in with.pages().iter().filter(|page| *page != "index.html") {
        assert!(!with.read(page).contains(header), "{page}");
    }
}

#[test]
fn help_names_the_exit_codes_and_every_flag_and_the_version_is_the_packages() {
    let done = Run::bare().without_out().args(["--help"]).go();
    assert_eq!(done.code, Some(0));
    for flag in [
        "--latest",
        "--out",
        "--overwrite",
        "--strict",
        "--strict-compile-id",
        "--no-browser",
        "--custom-header-html",
        "--verbose",
        "--plain-text",
        "--export",
        "--inductor-provenance",
        "--all-ranks-html",
        "--serve",
        "--port",
    ] {
        assert!(done.stdout.contains(flag), "{flag}: {}", done.stdout);
    }
    assert!(done.stdout.contains("Exit codes"));
    let version = Run::bare().without_out().args(["--version"]).go().stdout;
    assert_eq!(version.trim(), format!("tlparse {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_temporary_folder_is_left_beside_the_report() {
    let done = small().go();
    let left: Vec<_> =
        fs::read_dir(done.work.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["report"]);
}

#[test]
fn a_relative_output_folder_is_resolved_in_the_current_folder() {
    let done = small().without_out().args(["-o", "some/where"]).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.work.path().join("some/where/index.html").exists());
}

#[test]
fn errors_of_reading_and_writing_are_one_sentence_that_says_what_to_do() {
    let (empty, file) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    for (run, words) in [
        (Run::of("missing.log"), &["missing.log"][..]),
        (Run::of(empty.path()), &["TORCH_TRACE"]),
        (Run::bare(), &["TORCH_TRACE", "folder"]),
        (Run::bare().args(["--latest"]), &["TORCH_TRACE", "folder"]),
        (small().args(["--latest"]), &["folder"]),
        (small().out(file.path()).args(["--overwrite"]), &["not a folder"]),
        #[cfg(unix)]
        (small().out(Path::new("/dev/null/report")), &["-o"]),
    ] {
        let done = run.go();
        let error = done.fails(1);
        assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
        assert_eq!(done.stderr.lines().count(), 1, "{words:?}: {}", done.stderr);
        assert!(!done.folder.is_dir(), "{words:?}");
    }
}
