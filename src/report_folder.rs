//! The folder of a finished report: the only way to open its files.
//!
//! A report may come from anywhere, also with links among its files that lead to those of its reader. So a file is opened
//! beneath the folder that the reader named, through no link, without waiting for a pipe, and read up to a limit.

use crate::limits::LARGEST_NOTE;
use crate::rel_path::RelPath;
use crate::system::files::open_beneath;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The report as one text, of at most 60 KB; what is much larger is none.
const SUMMARY: &str = "report.md";

/// The folder of a finished report, or of one within it.
#[derive(Debug, Clone, Default)]
pub struct ReportFolder {
    /// What the reader named; it may be a link.
    root: PathBuf,
    /// The folder below it, such as `rank_0`; empty for the report itself.
    below: String,
}

impl ReportFolder {
    /// The folder that the reader named.
    #[must_use]
    pub fn at(root: &Path) -> ReportFolder {
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        ReportFolder { root: root.to_owned(), below: String::new() }
    }

    /// The folder of a report within this one, such as `rank_0`.
    #[must_use]
    pub fn below(&self, folder: &str) -> ReportFolder {
        ReportFolder { root: self.root.clone(), below: self.within(folder) }
    }

    /// The path below the root of what has this path in the report.
    fn within(&self, path: &str) -> String {
        if self.below.is_empty() { path.to_owned() } else { format!("{}/{path}", self.below) }
    }

    /// Its path, to be shown.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        if self.below.is_empty() { self.root.clone() } else { self.root.join(&self.below) }
    }

    /// Opens a file by its path in the report, with `/` between its parts.
    ///
    /// # Errors
    /// It cannot be opened. The words follow the name of the file; the kind is [`ErrorKind::NotFound`] if there is none.
    pub fn open(&self, path: &str) -> io::Result<File> {
        let path = self.within(path);
        let is_below = path.split('/').all(|part| RelPath::new(part).is_some());
        let opened =
            if is_below { open_beneath(&self.root, &path) } else { Err(ErrorKind::InvalidInput.into()) };
        opened.map_err(|error| told(&error))
    }

    /// Whether it has such a file.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.open(path).is_ok()
    }

    /// Whether something has that name: a file, or what no report contains.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        self.open(path).map_or_else(|error| error.kind() != ErrorKind::NotFound, |_| true)
    }

    /// Replaces what the buffer holds by a file of at most `most` bytes.
    ///
    /// # Errors
    /// It cannot be opened or read, or is larger. The words follow the name of the file.
    pub fn read(&self, path: &str, most: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        let file = self.open(path)?;
        if file.metadata().map_err(|error| told(&error))?.len() > most {
            return Err(io::Error::new(ErrorKind::FileTooLarge, format!("is larger than {} MB", most >> 20)));
        }
        file.take(most).read_to_end(buffer).map(drop).map_err(|error| told(&error))
    }

    /// A file of at most `most` bytes as text; what is not UTF-8 becomes U+FFFD.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn text(&self, path: &str, most: u64) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.read(path, most, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The report as one text, `report.md`; None if it has none, as the list of several reports.
    ///
    /// # Errors
    /// As [`read`](Self::read). The words name the file.
    pub fn summary(&self) -> io::Result<Option<String>> {
        match self.text(SUMMARY, LARGEST_NOTE) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("{SUMMARY} {error}"))),
            Ok(text) => Ok(Some(text)),
        }
    }
}

/// The error in words that follow the name of the file.
fn told(error: &io::Error) -> io::Error {
    let words = match error.kind() {
        ErrorKind::NotFound => "is not in the report".to_owned(),
        ErrorKind::InvalidInput => "is not opened, as it is a link or no file".to_owned(),
        _ => format!("cannot be read ({error})"),
    };
    io::Error::new(error.kind(), words)
}
