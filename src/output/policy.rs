//! What `--overwrite` may replace: an empty folder, our report, an upstream report, and nothing else.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use super::failure::about;
use super::hidden;

/// The names that a report may have at its top. `output` knows nothing of pages: its caller passes the list.
///
/// A folder ends in `/`; `#` matches digits, `*` any text. Folders of compile ids (`-_0_0_0`) are always among
/// them.
#[derive(Debug, Clone)]
pub struct Entries(Vec<String>);

impl Entries {
    /// These names and patterns, each with at most one `#` or `*`.
    pub fn new(names: Vec<String>) -> Self {
        Entries(names)
    }

    /// Whether a report writes an entry of this name at its top, as a folder or as a file.
    #[must_use]
    pub fn hold(&self, name: &str, is_folder: bool) -> bool {
        if is_folder && is_compile_folder(name) {
            return true;
        }
        self.0.iter().any(|entry| match entry.strip_suffix('/') {
            Some(pattern) => is_folder && matches_pattern(pattern, name),
            None => !is_folder && matches_pattern(entry, name),
        })
    }
}

/// Whether `name` fits `pattern`, which holds at most one `#` or `*`.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once(['#', '*']) else { return pattern == name };
    let Some(middle) = name.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) else { return false };
    pattern.contains('*') || is_number(middle)
}

/// `<compiled autograd>_<frame>_<compile>_<attempt>`, a missing part being `-`.
pub fn is_compile_folder(name: &str) -> bool {
    name.split('_').count() == 4
        && name.split('_').all(|part| part == "-" || is_number(part) || is_odd_part(part))
}

/// A part of an id that is not a number ends in `-` and a hash of eight digits.
fn is_odd_part(part: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    part.rsplit_once('-').is_some_and(|(text, hash)| {
        text.bytes().all(allowed) && hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An entry of a folder that is to be replaced.
struct FolderEntry {
    name: OsString,
    is_folder: bool,
    /// A folder or a file: neither a link nor a device.
    is_plain: bool,
    /// False for unknown names, and for links and devices: no report contains any.
    is_report: bool,
}

/// Checks that a report may be placed at `path`: nothing is there, or it may be overwritten. Changes nothing.
///
/// A report of ours may also hold files at its top that a library user's parser placed there: its `report.json` lists
/// them among the artifacts.
pub(super) fn check(path: &Path, overwrite: bool, known: &Entries) -> Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => about(Err(error), "look at", path)?,
        Ok(metadata) if !metadata.is_dir() => {
            bail!("{path:?} is not a folder; choose another output folder with -o")
        }
        Ok(_) if !overwrite => bail!(
            "the output folder {path:?} exists already; pass --overwrite to replace the report in it, or choose another one with -o"
        ),
        Ok(_) => {}
    }
    let entries = about(entries(path, known), "read the folder", path)?;
    let (work, entries): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|e| hidden::is_hidden_work(&e.name));
    let Some(first) = entries.first() else { return Ok(()) };
    let unknown: Vec<&FolderEntry> = entries.iter().filter(|entry| !entry.is_report).collect();
    let listed = if unknown.is_empty() { BTreeSet::new() } else { listed_entries(path) };
    let is_listed =
        |entry: &FolderEntry| entry.is_plain && entry.name.to_str().is_some_and(|name| listed.contains(name));
    if let Some(foreign) = unknown.into_iter().find(|entry| !is_listed(entry)) {
        bail!(
            "{path:?} holds {:?}, which no report contains, so --overwrite leaves the folder alone; move that away or choose another output folder with -o",
            foreign.name
        );
    }
    // Left by a run that was killed while it moved its entries in. The folder was checked when that run began.
    let interrupted = work.iter().any(|entry| entry.is_folder);
    if interrupted || is_ours(path) || is_upstreams(&entries) || is_upstreams_export(path, &entries) {
        return Ok(());
    }
    bail!(
        "{path:?} holds {:?} but is not a report of tlparse, so --overwrite leaves it alone; choose another output folder with -o",
        first.name
    );
}

/// The entries of the folder by name.
fn entries(folder: &Path, known: &Entries) -> io::Result<Vec<FolderEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let is_known = name.to_str().is_some_and(|name| known.hold(name, kind.is_dir()));
        let is_plain = kind.is_dir() || kind.is_file();
        entries.push(FolderEntry {
            name,
            is_folder: kind.is_dir(),
            is_plain,
            is_report: is_known && is_plain,
        });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Whether an entry has a name and kind that `test` accepts.
fn has(entries: &[FolderEntry], test: impl Fn(&str, bool) -> bool) -> bool {
    entries.iter().any(|entry| entry.name.to_str().is_some_and(|name| test(name, entry.is_folder)))
}

/// Upstream's reports do not name their program, so the landing page must be beside something that only upstream writes.
fn is_upstreams(entries: &[FolderEntry]) -> bool {
    has(entries, |name, _| name == "index.html")
        && has(entries, |name, is_folder| match is_folder {
            true => is_compile_folder(name) || matches_pattern("rank_#", name),
            false => matches!(name, "compile_directory.json" | "raw.jsonl"),
        })
}

/// Whether this is upstream's report on an export: its landing page and `payloads/`, in which each file is named after
/// the MD5 of its text.
fn is_upstreams_export(folder: &Path, entries: &[FolderEntry]) -> bool {
    let is_hash = |name: &str| name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_payload = |entry: io::Result<fs::DirEntry>| {
        let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
        name.to_str().and_then(|name| name.strip_suffix(".txt")).is_some_and(is_hash)
    };
    has(entries, |name, is_folder| name == "index.html" && !is_folder)
        && has(entries, |name, is_folder| name == "payloads" && is_folder)
        && fs::read_dir(folder.join("payloads")).is_ok_and(|mut payloads| payloads.all(is_payload))
}

/// The top-level names of all artifacts that the `report.json` of a folder lists; none where it cannot be read or
/// another program wrote it.
fn listed_entries(folder: &Path) -> BTreeSet<String> {
    #[derive(Deserialize)]
    struct Report {
        #[serde(default)]
        compiles: Vec<Compile>,
    }
    #[derive(Deserialize)]
    struct Compile {
        #[serde(default)]
        artifacts: Vec<Artifact>,
    }
    #[derive(Deserialize)]
    struct Artifact {
        #[serde(default)]
        path: String,
    }
    if !is_ours(folder) {
        return BTreeSet::new();
    }
    let Ok(file) = File::open(folder.join("report.json")) else { return BTreeSet::new() };
    let Ok(report) = serde_json::from_reader::<_, Report>(BufReader::new(file)) else {
        return BTreeSet::new();
    };
    let artifacts = report.compiles.into_iter().flat_map(|compile| compile.artifacts);
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    artifacts.map(|artifact| top(&artifact.path)).collect()
}

/// Whether the folder's `report.json`, or the `diff.json` of a comparison, says that this program wrote it.
fn is_ours(folder: &Path) -> bool {
    let says_so = |file: &str| {
        File::open(folder.join(file)).is_ok_and(|file| tool_name(file).as_deref() == Some("tlparse"))
    };
    says_so("report.json") || says_so("diff.json")
}

/// `tool.name` of a report. Reading ends there: a report may be large, and `tool` is near its start.
pub(super) fn tool_name(report: impl Read) -> Option<String> {
    let mut name = None;
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(report));
    // The early end is an error to the JSON parser; here it is intended.
    let _ = ToolName(&mut name).deserialize(&mut json);
    name
}

#[derive(Deserialize)]
struct Tool {
    name: String,
}

struct ToolName<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for ToolName<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ToolName<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "tool" {
                *self.0 = Some(map.next_value::<Tool>()?.name);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// Entries as reports have them.
#[cfg(test)]
pub(super) fn entries_of_tests() -> Entries {
    const NAMES: [&str; 13] = [
        "chromium_events.json",
        "compile_directory.json",
        "directory_#.html",
        "dump_file/",
        "graph_breaks.html",
        "index.html",
        "payloads/",
        "process_#/",
        "provenance_tracking_*.html",
        "rank_#/",
        "raw.jsonl",
        "raw.log",
        "report.json",
    ];
    Entries::new(NAMES.map(str::to_owned).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of these entries (`x/` a folder, `x=text` a file with content), and whether it may be replaced.
    fn replaces(entries: &[&str]) -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        for entry in entries {
            let (name, text) = entry.split_once('=').unwrap_or((entry, ""));
            match name.strip_suffix('/') {
                Some(name) => fs::create_dir(folder.path().join(name)).unwrap(),
                None => fs::write(folder.path().join(name), text).unwrap(),
            }
        }
        check(folder.path(), true, &entries_of_tests())
    }

    const OURS: &str =
        r#"report.json={"schema": 1, "kind": "log", "tool": {"version": "1", "name": "tlparse"}}"#;

    #[test]
    fn names_that_reports_write_are_known() {
        for name in ["index.html", "raw.jsonl", "provenance_tracking_-_0_0_0_2.html", "directory_12.html"] {
            assert!(entries_of_tests().hold(name, false), "{name}");
            assert!(!entries_of_tests().hold(name, true), "{name} is no folder");
        }
        for name in ["payloads", "rank_0", "process_4711", "-_0_0_0", "12_-_-_3", "-_-_-_-", "dump_file"] {
            assert!(entries_of_tests().hold(name, true), "{name}");
            assert!(!entries_of_tests().hold(name, false), "{name} is no file");
        }
    }

    #[test]
    fn names_that_no_report_writes_are_foreign() {
        for name in ["rank_", "rank_x", "0_0_0", "a_0_0_0", "-_0_0_0_0", "--_0_0_0", ".git", "src", ""] {
            assert!(!entries_of_tests().hold(name, true), "{name}");
        }
        for name in ["notes.txt", "Index.html", "directory_.html", "index.html.bak", "raw.log/"] {
            assert!(!entries_of_tests().hold(name, false), "{name}");
        }
    }

    #[test]
    fn an_empty_folder_and_reports_of_either_program_are_replaced() {
        replaces(&[]).unwrap();
        replaces(&[OURS]).unwrap();
        replaces(&[OURS, "index.html", "rank_0/", "payloads/", "graph_breaks.html"]).unwrap();
        replaces(&["index.html", "compile_directory.json"]).unwrap();
        replaces(&["index.html", "raw.jsonl"]).unwrap();
        replaces(&["index.html", "rank_3/", "chromium_events.json"]).unwrap();
        replaces(&["index.html", "-_0_0_0/"]).unwrap();
        replaces(&[r#"report.json={"tool":{"name":"tlparse"}, cut"#, "raw.log"]).unwrap();
        replaces(&["index.html", "payloads/", "payloads/d41d8cd98f00b204e9800998ecf8427e.txt"]).unwrap();
    }

    const WITH_OWN_FILES: &str = r#"report.json={"tool": {"name": "tlparse"}, "compiles": [{"artifacts": [
        {"path": "-_0_0_0/x_0.txt"}, {"path": "checkpoints.html"}, {"path": "steps/step_1.txt"}]}]}"#;

    #[test]
    fn files_that_a_parser_of_the_user_placed_at_the_top_are_replaced_with_their_report() {
        replaces(&[WITH_OWN_FILES, "index.html", "checkpoints.html", "steps/"]).unwrap();
        let error = replaces(&[WITH_OWN_FILES, "index.html", "notes.html"]).unwrap_err().to_string();
        assert!(error.contains("notes.html"), "{error}");
        let foreign = WITH_OWN_FILES.replace("tlparse", "pytest");
        let error = replaces(&[&foreign, "index.html", "raw.jsonl", "checkpoints.html"]).unwrap_err();
        assert!(error.to_string().contains("checkpoints.html"), "{error}");
    }

    #[test]
    fn anything_else_is_refused_and_named() {
        for entries in [
            &["index.html"][..],
            &["index.html", "payloads/", "payloads/notes.txt"],
            &["rank_0/", "raw.jsonl"],
            &["report.json={\"tool\": {\"name\": \"pytest\"}}"],
            &["report.json={\"tool\": \"tlparse\"}"],
            &["report.json={\"name\": \"tlparse\"}"],
            &["report.json=tlparse"],
        ] {
            let error = replaces(entries).unwrap_err().to_string();
            let first = entries[0].split(['=', '/']).next().unwrap();
            assert!(
                error.contains("not a report") && error.contains(first) && error.contains("-o"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_foreign_entry_in_a_report_is_refused_and_named() {
        for foreign in ["thesis.tex", "src/", ".git/", "payloads", "raw.log/", "\u{1b}[31m"] {
            let error = replaces(&[OURS, "index.html", "raw.jsonl", foreign]).unwrap_err().to_string();
            assert!(error.contains(&format!("{:?}", foreign.trim_end_matches('/'))), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_report_is_foreign() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("payloads")).unwrap();
        assert!(
            check(folder.path(), true, &entries_of_tests()).unwrap_err().to_string().contains("payloads")
        );
    }
}
