//! Files of a report with graphs and generated code. Reports are not trusted: paths are checked, and files are read up to a
//! limit.

use crate::facts as log;
use crate::rel_path::RelPath;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Files kept per compile and kind: a forward and a backward graph, and pieces of a split one.
const MOST_FILES: usize = 8;

/// Largest file that is compared, in bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// Bytes at the start of a code page that contain the link to its plain text.
const HEAD_OF_PAGE: u64 = 64 << 10;

/// Kind of a text of a compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextKind {
    /// The graph that Dynamo captured.
    Captured,
    /// The graph that is lowered.
    PostGrad,
    /// What Inductor wrote.
    Code,
}

impl TextKind {
    /// All kinds, in the order of compilation.
    pub const ALL: [TextKind; 3] = [TextKind::Captured, TextKind::PostGrad, TextKind::Code];

    fn of(name: &str) -> Option<TextKind> {
        match name {
            "dynamo_output_graph" => Some(TextKind::Captured),
            "inductor_post_grad_graph" | "after_post_grad_graph" => Some(TextKind::PostGrad),
            _ if name.starts_with("inductor_output_code") => Some(TextKind::Code),
            _ => None,
        }
    }
}

/// A file with a text of a compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// What it is.
    pub kind: TextKind,
    /// Its path in the report of its log.
    pub path: RelPath,
}

/// The files of the compile's last attempt; earlier attempts were discarded.
pub(super) fn files(compile: &log::Compile<'_>) -> Vec<TextFile> {
    let known = compile.artifacts.iter().filter_map(|one| Some((TextKind::of(&one.name)?, one)));
    let known: Vec<(TextKind, &log::Artifact<'_>)> = known.collect();
    let last = known.iter().filter_map(|(_, one)| one.attempt).max();
    let mut files: Vec<TextFile> = Vec::new();
    for (kind, one) in known.into_iter().filter(|(_, one)| one.attempt == last) {
        let of_kind = files.iter().filter(|file| file.kind == kind).count();
        if of_kind < MOST_FILES
            && let Some(path) = RelPath::new(&one.path)
        {
            files.push(TextFile { kind, path });
        }
    }
    files
}

impl TextFile {
    /// Its text in the report at `root`; otherwise why there is none, to follow the words `the file`.
    pub fn read(&self, root: &Path) -> Result<String, String> {
        match self.path.as_str().ends_with(".html") {
            true => {
                let plain = plain_text_of(root, &self.path);
                read_bounded(root, &plain.ok_or("has no plain text in the report")?)
            }
            false => read_bounded(root, &self.path),
        }
    }
}

/// The plain text of a code page, which the page links in its head.
fn plain_text_of(root: &Path, page: &RelPath) -> Option<RelPath> {
    const LINK: &str = "href=\"../payloads/";
    let head = beginning(&root.join(page.as_str()), HEAD_OF_PAGE)?;
    let name = head.split_once("<main>")?.1.split_once(LINK)?.1.split_once('"')?.0;
    let (folder, _) = page.as_str().rsplit_once('/')?;
    let above = folder.rsplit_once('/').map_or(String::new(), |(above, _)| format!("{above}/"));
    RelPath::new(&format!("{above}payloads/{name}"))
}

/// The first bytes of a file.
fn beginning(path: &Path, most: u64) -> Option<String> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_bounded(root: &Path, path: &RelPath) -> Result<String, String> {
    const MISSING: &str = "is not in the report";
    let path = root.join(path.as_str());
    // Checked before the file is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::symlink_metadata(&path).map_err(|_| MISSING.to_owned())?;
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    if metadata.len() > LARGEST_FILE {
        return Err(format!("is larger than {} MB, too large to compare", LARGEST_FILE >> 20));
    }
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read ({error})"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
