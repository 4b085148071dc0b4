//! What a report has and what may be replaced: the rows of `cases.txt`.

use super::entries::entries_of_tests;
use super::policy;
use crate::cases::hold;
use std::fs;

/// A report of this program, and one that lists files of a parser of the user.
const REPORTS: [(&str, &str); 2] = [
    ("OURS", r#"report.json={"schema": 1, "kind": "log", "tool": {"version": "1", "name": "tlparse"}}"#),
    (
        "LISTED",
        r#"report.json={"tool": {"name": "tlparse"}, "compiles": [{"artifacts": [
        {"path": "-_0_0_0/x_0.txt"}, {"path": "checkpoints.html"}, {"path": "steps/step_1.txt"}]}]}"#,
    ),
];

/// What a path is in a report.
fn known(path: &str) -> String {
    let entries = entries_of_tests();
    let is_at_top = entries.have_at_top(path.split('/').next().unwrap());
    let is =
        [(entries.have(path), "file"), (entries.of_part(path).is_some(), "report"), (is_at_top, "at top")];
    let is: Vec<&str> = is.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what).collect();
    is.join(", ")
}

/// Whether a folder of these entries (`x/` a folder, `x=text` a file with content) may be replaced, or why not.
fn replaced(entries: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for entry in entries.split(" ¦ ").map(str::trim).filter(|entry| !entry.is_empty()) {
        let report = REPORTS.iter().find(|(name, _)| *name == entry);
        let entry = report.map_or(entry, |(_, report)| report).replace("ESC", "\u{1b}");
        let (name, text) = entry.split_once('=').unwrap_or((&entry, ""));
        match name.strip_suffix('/') {
            Some(name) => fs::create_dir_all(folder.path().join(name)).unwrap(),
            None => fs::write(folder.path().join(name), text).unwrap(),
        }
    }
    let Err(error) = policy::check(folder.path(), true, &entries_of_tests()) else { return "yes".to_owned() };
    let error = error.to_string().replace(&format!("{:?} ", folder.path()), "");
    let (why, hint) = error.split_once(", so --overwrite leaves").unwrap();
    assert!(hint.contains("-o"), "{error}");
    why.to_owned()
}

#[test]
fn each_path_and_folder_is_what_the_rows_of_the_file_say() {
    hold(include_str!("cases.txt"), |query, text| {
        Some(if query == "known" { known(text) } else { replaced(text) })
    });
}
