//! Texts among the files of a report. Reports are not trusted: paths are checked, and files are read up to a limit.

use crate::rel_path::RelPath;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes at the start of a code page that contain the link to its plain text.
const HEAD_OF_PAGE: u64 = 64 << 10;

/// The text of a file of the report at `root`, of at most `most` bytes; that of a code page is what the page shows. Otherwise
/// why there is none, to follow the words `the file`.
pub(crate) fn text_of(root: &Path, path: &RelPath, most: u64) -> Result<String, String> {
    match path.as_str().ends_with(".html") {
        true => {
            let plain = plain_text_of(root, path);
            read_bounded(root, &plain.ok_or("has no plain text in the report")?, most)
        }
        false => read_bounded(root, path, most),
    }
}

/// The plain text of a code page, which the page links in its head.
fn plain_text_of(root: &Path, page: &RelPath) -> Option<RelPath> {
    const LINK: &str = "href=\"../payloads/";
    let head = beginning(&root.join(page.as_str()), HEAD_OF_PAGE)?;
    let name = head.split_once("<main")?.1.split_once(LINK)?.1.split_once('"')?.0;
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

fn read_bounded(root: &Path, path: &RelPath, most: u64) -> Result<String, String> {
    const MISSING: &str = "is not in the report";
    let path = root.join(path.as_str());
    // Checked before the file is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::symlink_metadata(&path).map_err(|_| MISSING.to_owned())?;
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    if metadata.len() > most {
        return Err(format!("is larger than {} MB", most >> 20));
    }
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read ({error})"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
