//! A written report.

use super::{Input, Page, Run, files_below, input, inputs};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// The folder of a report.
pub struct Report {
    /// Its folder.
    pub folder: PathBuf,
    /// `report.json`.
    pub json: Value,
    /// What the program printed on standard output while it wrote this report; empty if a test made the report otherwise.
    pub stdout: String,
    _work: Option<TempDir>,
}

/// The report of a stored log, written once for all tests with the default flags.
pub fn report(name: &str) -> &'static Report {
    static REPORTS: OnceLock<Mutex<HashMap<String, &'static OnceLock<Report>>>> = OnceLock::new();
    let reports = REPORTS.get_or_init(Mutex::default);
    // The lock is held while the place is found, not while a report is written.
    let place = *reports.lock().unwrap().entry(name.to_owned()).or_insert_with(|| Box::leak(Box::default()));
    place.get_or_init(|| {
        // Statics are never dropped, so this folder is: each run empties what the last one left.
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reports").join(name.replace('#', "-"));
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        let mut report = Run::from(input(name)).out(&folder).ok();
        report._work = None;
        report
    })
}

/// The reports of all stored logs, with their names.
pub fn reports() -> impl Iterator<Item = (&'static str, &'static Report)> {
    write_all();
    inputs().iter().map(|input| (input.name.as_str(), report(&input.name)))
}

/// Writes the reports of all stored logs. Tests that need all of them start at about the same time: each takes the next
/// log that nobody has begun, so that they do not all wait for the same report.
fn write_all() {
    static BY_SIZE: OnceLock<Vec<&Input>> = OnceLock::new();
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    // The largest log first: begun last, it would keep one processor busy while the other has nothing left to do.
    let by_size = BY_SIZE.get_or_init(|| {
        let mut logs: Vec<&Input> = inputs().iter().collect();
        logs.sort_by_key(|input| Reverse(fs::metadata(&input.path).unwrap().len()));
        logs
    });
    while let Some(input) = by_size.get(BEGUN.fetch_add(1, Ordering::Relaxed)) {
        report(&input.name);
    }
}

impl Report {
    /// Reads the report in `folder`; `work` is removed with it.
    pub fn new(folder: PathBuf, work: Option<TempDir>) -> Report {
        let json = json_of(&folder.join("report.json"));
        Report { folder, json, stdout: String::new(), _work: work }
    }

    /// A copy of its files that a test may change; it is removed with the folder beside it.
    pub fn copied(&self) -> (TempDir, PathBuf) {
        let work = TempDir::new().unwrap();
        let copy = work.path().join("report");
        for file in self.manifest() {
            let to = copy.join(&file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(self.folder.join(file), to).unwrap();
        }
        (work, copy)
    }

    /// A file as text.
    pub fn read(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A file's bytes.
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        let path = self.folder.join(path);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// How many bytes a file has.
    pub fn size(&self, path: &str) -> u64 {
        let path = self.folder.join(path);
        fs::metadata(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).len()
    }

    /// A file as JSON.
    pub fn json_file(&self, path: &str) -> Value {
        json_of(&self.folder.join(path))
    }

    /// The lines of `raw.jsonl`, each of which has to be strict JSON.
    pub fn raw_jsonl(&self) -> Vec<Value> {
        let text = self.read("raw.jsonl");
        let parse = |(number, line)| match serde_json::from_str(line) {
            Ok(value) => value,
            Err(error) => panic!("raw.jsonl line {}: {error}: {line:.200}", number + 1),
        };
        text.lines().enumerate().map(parse).collect()
    }

    /// A page.
    pub fn page(&self, path: &str) -> Page {
        Page::parse(path, &self.read(path))
    }

    /// All files, sorted.
    pub fn manifest(&self) -> Vec<String> {
        files_below(&self.folder)
    }

    /// The paths of all pages.
    pub fn pages(&self) -> Vec<String> {
        self.manifest().into_iter().filter(|path| path.ends_with(".html")).collect()
    }

    /// Whether a file or folder exists there.
    pub fn has(&self, path: &str) -> bool {
        self.folder.join(path).exists()
    }

    /// `integrity` of report.json.
    pub fn integrity(&self) -> &Value {
        &self.json["integrity"]
    }

    /// How often something of that kind is wrong, from `integrity`.
    pub fn count(&self, kind: &str) -> u64 {
        self.integrity()[kind].as_u64().unwrap_or_else(|| panic!("integrity has no counter {kind}"))
    }

    /// The ids of all compiles that have one.
    pub fn ids(&self) -> Vec<&str> {
        self.list("compiles").iter().filter_map(|compile| compile["id"].as_str()).collect()
    }

    /// A list at the top of report.json.
    pub fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().unwrap_or_else(|| panic!("report.json has no list {key}"))
    }

    /// The compile of that id.
    pub fn compile(&self, id: &str) -> &Value {
        let found = self.list("compiles").iter().find(|compile| compile["id"] == id);
        found.unwrap_or_else(|| panic!("no compile {id}"))
    }
}

fn json_of(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The `report.json` of a stored log with changed facts, in a folder of its own.
pub fn changed_report(name: &str, change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut json = report(name).json.clone();
    change(&mut json);
    fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
    folder
}
