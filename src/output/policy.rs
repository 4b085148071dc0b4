//! What `--overwrite` may replace: an empty folder, our report, an upstream report, and nothing else.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use super::entries::{Entries, fits, is_compile_folder};
use super::failure::about;
use super::hidden;
use super::listed::{Listed, Tool};
use crate::report_folder::ReportFolder;

/// Reports within each other: a side of a comparison, a log, a rank, a process.
const LEVELS: usize = 4;

/// Bytes of a `report.json` in which its program is named.
const HEAD: u64 = 1 << 20;

pub(super) struct FolderEntry {
    pub name: OsString,
    pub kind: FileType,
}

impl FolderEntry {
    /// Whether it is temporary work of a run.
    pub fn is_work(&self) -> bool {
        hidden::is_hidden_work(&self.name)
    }
}

/// Checks that a report may be placed at `path`: nothing is there, or it may be overwritten. Changes nothing.
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
    if let Some(foreign) = about(foreign_in(path, known, LEVELS), "read the folder", path)? {
        bail!(
            "{path:?} holds {foreign:?}, which no report contains, so --overwrite leaves the folder alone; move that away or choose another output folder with -o"
        );
    }
    let (work, entries): (Vec<_>, Vec<_>) =
        about(entries(path), "read the folder", path)?.into_iter().partition(FolderEntry::is_work);
    let Some(first) = entries.first() else { return Ok(()) };
    // Left by a run that was killed while it moved its entries in. The folder was checked when that run began.
    let interrupted = work.iter().any(|entry| entry.kind.is_dir());
    if interrupted || is_ours(path) || is_upstreams(&entries) {
        return Ok(());
    }
    bail!(
        "{path:?} holds {:?} but is not a report of tlparse, so --overwrite leaves it alone; choose another output folder with -o",
        first.name
    );
}

/// The entries of the folder by name.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let entries = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        Ok(FolderEntry { name: entry.file_name(), kind: entry.file_type()? })
    });
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// The first thing in the folder of a report, at any depth, that its report did not write.
fn foreign_in(folder: &Path, known: &Entries, levels: usize) -> io::Result<Option<PathBuf>> {
    let is_whole = !entries(folder)?.iter().any(|entry| entry.is_work() && entry.kind.is_dir());
    let listed = Listed::read(&ReportFolder::at(folder));
    OldReport { known, listed, is_whole, levels }.foreign_in(folder, "")
}

/// A report that is to be replaced.
///
/// Files of compiles are known by their names and by the report's own list. Only by the list of a report of this program are
/// those known that parsers of a library user placed: one by one, never with their folder, and only where parsers may place
/// files, as the report may come from a stranger.
struct OldReport<'e> {
    known: &'e Entries,
    /// None if it cannot be read: then the names alone decide.
    listed: Option<Listed>,
    /// False for what a killed run left: parts of two reports, of which only one has its list.
    is_whole: bool,
    levels: usize,
}

impl OldReport<'_> {
    /// The first thing in a folder that the report did not write there; `below` is the folder's path in the report.
    fn foreign_in(&self, folder: &Path, below: &str) -> io::Result<Option<PathBuf>> {
        let is_top = below.is_empty();
        let patterns: Vec<&str> = match is_top {
            true => self.known.files().collect(),
            false => self.known.files_in(below).collect(),
        };
        let takes_placed = is_top || patterns.is_empty() || is_compile_folder(below);
        let placed = self.listed.as_ref().filter(|listed| takes_placed && listed.is_ours);
        for entry in entries(folder)?.iter().filter(|entry| !(is_top && entry.is_work())) {
            let itself = || Ok(Some(Path::new(below).join(&entry.name)));
            let Some(name) = entry.name.to_str() else { return itself() };
            let path = if is_top { name.to_owned() } else { format!("{below}/{name}") };
            if entry.kind.is_file() {
                let is_placed = placed.is_some_and(|listed| listed.has(&path));
                if is_placed || patterns.iter().any(|pattern| self.has(pattern, &path)) {
                    continue;
                }
                return itself();
            }
            let is_placed = || placed.is_some_and(|listed| listed.has_beginning(&format!("{path}/")));
            let is_known = is_top && self.known.files_in(name).next().is_some() || is_placed();
            let folder = folder.join(name);
            let part = self.known.of_part(name).filter(|_| is_top && self.levels > 1);
            let foreign = match part {
                Some(part) if entry.kind.is_dir() => {
                    foreign_in(&folder, part, self.levels - 1)?.map(|found| Path::new(name).join(found))
                }
                None if entry.kind.is_dir() && is_known => self.foreign_in(&folder, &path)?,
                // A link or a device, too.
                _ => return itself(),
            };
            if foreign.is_some() {
                return Ok(foreign);
            }
        }
        Ok(None)
    }

    /// Whether the report wrote a file, if its name fits the pattern.
    fn has(&self, pattern: &str, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_of_compile = pattern.contains('*') || pattern.contains("<number>");
        let must_be_listed = self.is_whole && is_of_compile && !folder.is_empty();
        fits(pattern, name) && !self.listed.as_ref().is_some_and(|listed| must_be_listed && !listed.has(path))
    }
}

/// Upstream's reports do not name their program, so the landing page must be beside something that only upstream writes.
fn is_upstreams(entries: &[FolderEntry]) -> bool {
    let has = |test: &dyn Fn(&str, FileType) -> bool| {
        entries.iter().any(|entry| entry.name.to_str().is_some_and(|name| test(name, entry.kind)))
    };
    has(&|name, _| name == "index.html")
        && has(&|name, kind| match kind.is_dir() {
            true => ["<id>", "rank_<n>", "payloads"].iter().any(|pattern| fits(pattern, name)),
            false => matches!(name, "compile_directory.json" | "raw.jsonl"),
        })
}

/// Whether the folder's `report.json`, or the `diff.json` of a comparison, says that this program wrote it.
fn is_ours(folder: &Path) -> bool {
    let report = ReportFolder::at(folder);
    let says_so =
        |file: &str| report.open(file).is_ok_and(|file| tool_name(file).as_deref() == Some("tlparse"));
    says_so("report.json") || says_so("diff.json")
}

/// `tool.name` of a report. Reading ends there: a report may be large, and `tool` is near its start.
pub(super) fn tool_name(report: impl Read) -> Option<String> {
    let mut name = None;
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(report.take(HEAD)));
    // The early end is an error to the JSON parser; here it is intended.
    let _ = ToolName(&mut name).deserialize(&mut json);
    name
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
