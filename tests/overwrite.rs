//! What `--overwrite` replaces: reports of this program and of upstream, at any depth, and no file of the reader.

use crate::support::{Done, Report, Run, files_below, input, inputs, job, report, reports, source_text};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SMALL: &str = "11_export_draft_clean";

/// Whether a report may be placed in the folder of another, or why not.
fn may_replace(folder: &Path) -> Result<(), String> {
    tlparse::check_out(folder, true).map_err(|error| error.to_string())
}

/// Runs the program over a folder with a report.
fn overwrite(folder: &Path) -> Done {
    Run::of(&input(SMALL).path).args(["--overwrite"]).out(folder).go()
}

/// The program leaves the folder as it is, and names this path in it.
fn is_left(folder: &Path, named: &str) {
    let before = files_below(folder);
    let error = overwrite(folder).fails(1);
    assert!(error.contains(&format!("holds {named:?}, which no report contains")), "{error}");
    assert_eq!(files_below(folder), before);
}

#[test]
fn every_report_may_be_overwritten() {
    for (name, report) in reports() {
        assert_eq!(may_replace(&report.folder), Ok(()), "{name}");
    }
    for scenario in ["13_div_healthy", "32_mesh"] {
        assert_eq!(may_replace(&job(scenario).folder), Ok(()), "{scenario}");
    }
    let many = inputs().iter().take(3).map(|input| input.path.clone());
    let ways: [(&str, Vec<PathBuf>, &[&str]); 5] = [
        ("several logs", many.collect(), &[]),
        ("redacted", vec![input("17_fork").path.clone()], &["--redact"]),
        ("plain text", vec![input("01_inference").path.clone()], &["--plain-text"]),
        ("export", vec![input("11_export_draft").path.clone()], &["--export"]),
        ("ranks", vec![input("12_ddp_2").path.parent().unwrap().to_owned()], &[]),
    ];
    for (way, logs, flags) in ways {
        let run = || Run::of(&logs[0]).args(logs[1..].iter().cloned()).args(flags.iter().copied());
        let written = run().go();
        assert_eq!(written.code, Some(0), "{way}: {}", written.stderr);
        assert_eq!(may_replace(&written.folder), Ok(()), "{way}");
        let again = run().args(["--overwrite"]).out(&written.folder).go();
        assert_eq!(again.code, Some(0), "{way}: {}", again.stderr);
    }
}

#[test]
fn a_comparison_may_be_overwritten_but_not_a_file_in_a_report_of_it() {
    let work = TempDir::new().unwrap();
    let out = work.path().join("out");
    let [a, b] = ["01_inference", "03_graph_breaks"].map(|name| input(name).path.display().to_string());
    let compare =
        || Run::bare().go_with(&["diff", &a, &b, "-o", out.to_str().unwrap(), "--overwrite", "--no-browser"]);
    for _ in 0..2 {
        assert_eq!(compare().code, Some(0));
    }
    for place in ["a/-_0_0_0", "changed"] {
        fs::create_dir_all(out.join(place)).unwrap();
        fs::write(out.join(place).join("notes.txt"), "mine").unwrap();
        assert!(compare().fails(1).contains(&format!("{place}/notes.txt")));
        fs::remove_file(out.join(place).join("notes.txt")).unwrap();
    }
}

/// The report of a program with a forked child.
fn forked() -> Report {
    Run::of(input("17_fork").path.parent().unwrap()).ok()
}

/// The folder of its child.
fn process_of(forked: &Report) -> String {
    let files = forked.manifest();
    let of_process = files.iter().find(|path| path.starts_with("process_")).unwrap();
    of_process.split('/').next().unwrap().to_owned()
}

#[test]
fn a_file_of_the_reader_stops_it_at_any_depth() {
    let forked = forked();
    let process = &process_of(&forked);
    let (_work, folder) = forked.copied();
    for place in ["-_-_-_-", "-_0_0_0", "assets", "payloads", process, &format!("{process}/-_-_-_-")] {
        assert!(folder.join(place).is_dir(), "{place}");
        // Names that look like those of artifacts are not enough: this report wrote no such file.
        for name in [
            "notes.txt",
            "notes_1.txt",
            "graph_4711.html",
            "x_readable.html",
            ".hidden",
            "compile.html.bak",
            "my-theme.css",
        ] {
            let path = format!("{place}/{name}");
            if folder.join(&path).exists() || name == "x_readable.html" && place == process {
                continue;
            }
            fs::write(folder.join(&path), "years of work").unwrap();
            is_left(&folder, &path);
            fs::remove_file(folder.join(&path)).unwrap();
        }
        let path = format!("{place}/mine");
        fs::create_dir(folder.join(&path)).unwrap();
        is_left(&folder, &path);
        fs::write(folder.join(&path).join("index.html"), "years of work").unwrap();
        is_left(&folder, &path);
        fs::remove_dir_all(folder.join(&path)).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", folder.join(&path)).unwrap();
            is_left(&folder, &path);
            fs::remove_file(folder.join(&path)).unwrap();
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", folder.join("dump_file")).unwrap();
        is_left(&folder, "dump_file");
        fs::remove_file(folder.join("dump_file")).unwrap();
    }
    assert_eq!(overwrite(&folder).code, Some(0));
}

#[test]
fn a_file_of_the_reader_in_the_report_of_a_rank_stops_it() {
    let (_work, folder) = job("13_div_healthy").copied();
    for path in
        ["rank_0/notes.txt", "rank_1/payloads/notes.txt", "rank_1/-_-_-_-/notes.txt", "rank_1/0_0_0/x_1.txt"]
    {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), "years of work").unwrap();
        is_left(&folder, path.strip_suffix("/x_1.txt").unwrap_or(path));
        fs::remove_file(folder.join(path)).unwrap();
        if path.contains("/0_0_0/") {
            fs::remove_dir(folder.join("rank_1/0_0_0")).unwrap();
        }
    }
    // Folders that a report has for its parts do not hold further ones without end.
    let deep = "rank_0/rank_0/rank_0/rank_0/rank_0";
    fs::create_dir_all(folder.join(deep)).unwrap();
    assert!(may_replace(&folder).unwrap_err().contains("rank_0/rank_0"));
    fs::remove_dir_all(folder.join("rank_0/rank_0")).unwrap();
    assert_eq!(may_replace(&folder), Ok(()));
}

/// Adds artifacts to the list of a report.
fn list(folder: &Path, paths: &[&str]) {
    let file = folder.join("report.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let artifacts = json["compiles"][0]["artifacts"].as_array_mut().unwrap();
    let like = artifacts[0].clone();
    for path in paths {
        let mut artifact = like.clone();
        artifact["path"] = json!(path);
        artifacts.push(artifact);
    }
    fs::write(file, json.to_string()).unwrap();
}

#[test]
fn a_report_of_a_stranger_cannot_claim_files_that_no_report_has() {
    let forked = forked();
    let (_work, folder) = forked.copied();
    let process = process_of(&forked);
    let claimed = [
        "mine/notes.txt",
        "mine",
        "-_0_0_0/mine",
        "payloads/mine/x.txt",
        "payloads/notes.txt",
        "payloads/../mine",
        "../report/notes.txt",
        &format!("{process}/notes.txt"),
        &format!("{process}/-_0_0_0/notes_1.txt"),
        "1/2/3/4/5.txt",
    ];
    list(&folder, &claimed);
    for path in
        ["mine/thesis.tex", "-_0_0_0/mine/x.txt", "payloads/mine/x.txt", "payloads/notes.txt", "notes.txt"]
            .into_iter()
            .chain(claimed[7..].iter().copied())
    {
        let path = folder.join(path);
        let top = path.strip_prefix(&folder).unwrap().iter().next().unwrap().to_owned();
        let made: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        let outermost = made.last().map(|folder| (*folder).to_owned());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "years of work").unwrap();
        let error = may_replace(&folder).unwrap_err();
        assert!(
            error.contains(top.to_str().unwrap()) && error.contains("which no report contains"),
            "{error}"
        );
        match outermost {
            Some(folder) => fs::remove_dir_all(folder).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    assert_eq!(may_replace(&folder), Ok(()));
}

#[test]
fn a_report_whose_list_cannot_be_read_is_known_by_the_names_of_its_files() {
    let (_work, folder) = report("01_inference").copied();
    let file = folder.join("report.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    fs::remove_file(folder.join("compile_directory.json")).unwrap();
    assert_eq!(may_replace(&folder), Ok(()));
    fs::write(folder.join("-_0_0_0/notes.txt"), "years of work").unwrap();
    is_left(&folder, "-_0_0_0/notes.txt");
}

#[test]
fn reports_of_upstream_are_replaced_with_their_list_or_without() {
    let paths = source_text("tests/golden/upstream_paths.txt");
    let mut of_scenario: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in paths.lines() {
        let (scenario, path) = line.split_once(' ').unwrap();
        of_scenario.entry(scenario).or_default().push(path);
    }
    for (scenario, paths) in of_scenario {
        let folder = TempDir::new().unwrap();
        let out = folder.path();
        // Of many files, the list has the first thousand.
        for path in paths.iter().chain(&["index.html", "compile_directory.json"]) {
            fs::create_dir_all(out.join(path).parent().unwrap()).unwrap();
            fs::write(out.join(path), "").unwrap();
        }
        assert_eq!(may_replace(out), Ok(()), "{scenario} without a list");
        let is_listed = |path: &&&str| path.contains('/') && !path.starts_with("payloads/");
        let artifacts: Vec<_> = paths.iter().filter(is_listed).map(|path| json!({"url": path})).collect();
        let directory =
            json!({"[0/0]": {"artifacts": artifacts}, "[0/1]": {"artifacts": [{"url": "thesis.tex"}]}});
        fs::write(out.join("compile_directory.json"), directory.to_string()).unwrap();
        assert_eq!(may_replace(out), Ok(()), "{scenario}");
        // A link of the log stands in that list as a file does.
        for foreign in ["thesis.tex", "payloads/notes.txt", "-_0_0_0/notes_4711.txt"] {
            let path = out.join(foreign);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "years of work").unwrap();
            assert!(may_replace(out).unwrap_err().contains(foreign), "{scenario}: {foreign}");
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn leftovers_of_killed_runs_are_no_files_of_the_reader() {
    let (_work, folder) = job("13_div_healthy").copied();
    for hidden in [".tlparse-4711", "rank_0/.tlparse-4711-old"] {
        fs::create_dir_all(folder.join(hidden).join("-_0_0_0")).unwrap();
        fs::write(folder.join(hidden).join("-_0_0_0/graph_1.txt"), "").unwrap();
    }
    fs::write(folder.join("rank_1/.tlparse-lock"), "").unwrap();
    assert_eq!(may_replace(&folder), Ok(()));
}
