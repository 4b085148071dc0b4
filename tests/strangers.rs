//! Finished reports of strangers: no link in them is followed, no pipe is waited for, and what is no file is named.

use crate::assistants::Session;
use crate::diff::diff;
use crate::support::{Done, Report, Run, combine, files_below, job, report};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What stands in the private files of the reader.
const SECRET: &str = "# 4711 is nobody's business";

const REFUSED: &str = "is not opened, as it is a link or no file";

/// A report of a stranger, and private files of its reader.
struct Stranger {
    work: TempDir,
    report: PathBuf,
}

impl Stranger {
    fn of(report: &Report) -> Stranger {
        let (work, copy) = report.copied();
        fs::create_dir(work.path().join("private")).unwrap();
        fs::write(work.path().join("budget.toml"), "graph_breaks = 0").unwrap();
        Stranger { work, report: copy }
    }

    /// A file or folder of the report becomes a link to the same with the reader's private text in each file.
    fn link(&self, path: &str) {
        let private = self.work.path().join("private").join(path.replace('/', "-"));
        fs::rename(self.report.join(path), &private).unwrap();
        symlink(&private, self.report.join(path)).unwrap();
        let files = match private.is_dir() {
            true => files_below(&private).iter().map(|file| private.join(file)).collect(),
            false => vec![private],
        };
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let text = match file.extension().is_some_and(|ending| ending == "json") {
                true => text.replacen('{', "{\"secret\": \"4711\", ", 1),
                false => format!("{text}\n{SECRET}\n"),
            };
            fs::write(file, text).unwrap();
        }
    }

    /// The folders of compiles become links.
    fn link_compiles(&self) {
        for entry in fs::read_dir(&self.report).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.starts_with("-_") {
                self.link(&name);
            }
        }
    }

    /// A file becomes a pipe.
    fn pipe(&self, path: &str) {
        fs::remove_file(self.report.join(path)).unwrap();
        assert!(Command::new("mkfifo").arg(self.report.join(path)).status().unwrap().success());
    }

    fn path(&self) -> &str {
        self.report.to_str().unwrap()
    }

    fn budget(&self) -> String {
        self.work.path().join("budget.toml").display().to_string()
    }

    /// Calls a subcommand, which shows nothing private.
    fn call(&self, args: &[&str]) -> Done {
        shows_nothing(Run::bare().go_with(args))
    }
}

fn shows_nothing(done: Done) -> Done {
    assert!(!done.stdout.contains("4711") && !done.stderr.contains("4711"), "{}{}", done.stdout, done.stderr);
    done
}

/// Each file that was written there shows nothing private.
fn hides(folder: &Path) {
    for file in files_below(folder) {
        let bytes = fs::read(folder.join(&file)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("4711 is nobody's"), "{file} shows a private file");
    }
}

#[test]
fn files_behind_a_link_are_shown_by_no_command() {
    let stranger = Stranger::of(report("03_graph_breaks"));
    stranger.link_compiles();
    let done = stranger.call(&["repro", "1/0", stranger.path()]);
    assert!(done.fails(1).contains(REFUSED), "{}", done.stderr);
    let other = &report("21_torch26_03_graph_breaks").folder;
    let done = shows_nothing(diff(&[other.as_path(), &stranger.report]));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let written = done.work.path().join("tl_diff");
    let page = fs::read_to_string(written.join("changed/1.html")).unwrap();
    assert!(page.contains(&format!("The file of B {REFUSED}")), "the page says why it has one side only");
    hides(&written);
    let mut session = Session::start();
    session.ask("open", json!({"path": stranger.path()})).unwrap();
    let refused =
        session.ask("artifact", json!({"compile": "1/0", "name": "dynamo_output_graph"})).unwrap_err();
    assert!(refused.contains(REFUSED), "{refused}");
    let found = session.ask("search", json!({"text": "4711"})).unwrap();
    assert!(found.contains("Nothing was found") && found.contains("Not searched"), "{found}");
    session.end();
}

#[test]
fn a_path_in_a_report_leads_to_its_own_files_only() {
    let stranger = Stranger::of(report("01_inference"));
    let private = stranger.work.path().join("private");
    fs::write(private.join("graph.txt"), SECRET).unwrap();
    symlink(&private, stranger.report.join("linked")).unwrap();
    symlink(private.join("graph.txt"), stranger.report.join("link.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(stranger.report.join("pipe")).status().unwrap().success());
    let absolute = private.join("graph.txt").display().to_string();
    for path in
        ["linked/graph.txt", "link.txt", "../private/graph.txt", &absolute, "pipe", "-_0_0_0", "/dev/zero"]
    {
        change(&stranger.report, |json| {
            for compile in json["compiles"].as_array_mut().unwrap() {
                for artifact in compile["artifacts"].as_array_mut().unwrap() {
                    artifact["path"] = json!(path);
                }
            }
        });
        let done = stranger.call(&["repro", "0/0", stranger.path()]);
        let error = done.fails(1);
        assert!(error.contains(REFUSED) || error.contains("leads out of the report"), "{path}: {error}");
    }
}

fn change(report: &Path, change: impl FnOnce(&mut Value)) {
    let path = report.join("report.json");
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut json);
    fs::write(path, json.to_string()).unwrap();
}

#[test]
fn facts_and_summary_are_read_from_files_only() {
    let linked = Stranger::of(report("01_inference"));
    linked.link("report.json");
    linked.link("report.md");
    let piped = Stranger::of(report("01_inference"));
    piped.pipe("report.json");
    piped.pipe("report.md");
    let sound = report("01_inference").folder.to_str().unwrap();
    for stranger in [&linked, &piped] {
        let path = stranger.path();
        for args in [
            &["show", path][..],
            &["check", path, "--budget", &stranger.budget()],
            &["repro", "0/0", path],
            &["diff", sound, path],
            &["diff", path, sound],
        ] {
            let done = stranger.call(args);
            assert!(matches!(done.code, Some(1 | 2)), "{args:?}: {:?}", done.code);
            assert!(done.stderr.contains("report.json") && done.stderr.contains(REFUSED), "{}", done.stderr);
        }
        let mut session = Session::start();
        for (tool, arguments) in [
            ("open", json!({"path": path})),
            ("findings", json!({"report": path})),
            ("artifact", json!({"report": path, "compile": "0/0", "name": "x"})),
        ] {
            let refused = session.ask(tool, arguments).unwrap_err();
            assert!(refused.contains(REFUSED) && !refused.contains("4711"), "{tool}: {refused}");
        }
        session.end();
    }
}

#[test]
fn the_log_of_a_report_is_read_from_a_file_only() {
    let stranger = Stranger::of(job("13_div_break"));
    stranger.link("rank_0/raw.log");
    let written = shows_nothing(Run::of(&stranger.report).go());
    assert_eq!(written.code, Some(0), "the log of the other rank is a file: {}", written.stderr);
    hides(&written.folder);
    let one = Stranger::of(report("01_inference"));
    one.link("raw.log");
    for path in [&one.report, &stranger.report.join("rank_0")] {
        let done = shows_nothing(Run::of(path).go());
        assert!(done.fails(1).contains("holds no log"), "{}", done.stderr);
    }
}

#[test]
fn ranks_that_are_links_are_not_read_and_the_folder_that_a_job_names_does_not_matter() {
    let stranger = Stranger::of(job("13_div_break"));
    let told = |path: &str| stranger.call(&["show", "compiles", path]).stdout;
    let before = told(stranger.path());
    change(&stranger.report, |json| {
        for rank in json["ranks"].as_array_mut().unwrap() {
            rank["dir"] = json!("../..");
        }
    });
    assert!(before.contains("== rank 1") && told(stranger.path()) == before);
    stranger.link("rank_1");
    let path = stranger.path();
    for args in [
        &["show", "compiles", path][..],
        &["check", path, "--budget", &stranger.budget()],
        &["repro", "0/0", path],
    ] {
        let error = stranger.call(args);
        assert!(
            error.stderr.contains("rank 1") && error.stderr.contains(REFUSED),
            "{args:?}: {}",
            error.stderr
        );
    }
    let sound = job("13_div_break").folder.to_str().unwrap();
    let compared = stranger.call(&["diff", sound, path]);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    let part = stranger.call(&["repro", "0/0", path, "--rank", "1"]);
    assert!(part.fails(1).contains("has no part \"rank_1\""), "{}", part.stderr);
    let mut session = Session::start();
    let refused =
        session.ask("list", json!({"report": path, "part": "rank_1", "what": "compiles"})).unwrap_err();
    assert!(refused.contains("has no part"), "{refused}");
    session.end();
}

#[test]
fn a_job_is_combined_from_files_of_its_ranks_only() {
    let stranger = Stranger::of(job("13_div_shapes"));
    let sound = fs::read(stranger.report.join("index.html")).unwrap();
    let has_graphs = |page: &[u8]| String::from_utf8_lossy(page).contains("The captured graphs");
    assert!(has_graphs(&sound), "the first graphs that differ are side by side");
    for entry in fs::read_dir(stranger.report.join("rank_0")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with("-_") {
            stranger.link(&format!("rank_0/{name}"));
        }
    }
    stranger.link("rank_0/chromium_events.json");
    stranger.pipe("rank_1/chromium_events.json");
    let combined = combine(&stranger.report, &["--overwrite"]).ok(&stranger.report);
    for file in ["index.html", "report.md", "report.json", "chromium_events.json"] {
        assert!(!combined.read(file).contains("4711"), "{file} shows a private file");
    }
    assert!(!has_graphs(&combined.bytes("index.html")), "there is no graph that may be read");
    let events = combined.json_file("chromium_events.json");
    assert!(events.as_array().unwrap().iter().all(|event| event["ph"] == "M"), "names of the ranks are left");
    stranger.link("rank_1/report.json");
    let combined = combine(&stranger.report, &["--overwrite"]).ok(&stranger.report);
    assert_eq!(combined.json["ranks"][1]["state"], "damaged");
    assert!(combined.read("index.html").contains(REFUSED), "the page says why the rank is missing");
}
