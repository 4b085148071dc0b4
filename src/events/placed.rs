//! Which paths of the report a library user's parsers have taken.

use crate::rel_path::RelPath;
use crate::trace::TextSet;
use anyhow::{Result, bail};

/// Whether the report itself writes, or may write, a file or folder at that path.
pub type IsOwnPath = fn(&RelPath) -> bool;

/// The files that parsers placed. Paths that differ only in case count as equal: on some systems they mean one file.
#[derive(Default)]
pub(super) struct PlacedFiles {
    /// None where nothing is written.
    pub(super) is_own_path: Option<IsOwnPath>,
    files: TextSet<String>,
    folders: TextSet<String>,
}

impl PlacedFiles {
    /// Reserves a path for a file.
    ///
    /// # Errors
    /// The report writes such a path itself, another file has it, or it is both a file and a folder.
    pub(super) fn take(&mut self, path: &RelPath) -> Result<()> {
        if self.is_own_path.is_some_and(|is_own| is_own(path)) {
            bail!("no file can be placed at {path}: the report uses that path itself");
        }
        let file = path.as_str().to_lowercase();
        let folders: Vec<String> = path.folders().map(str::to_lowercase).collect();
        if self.files.contains(&file) {
            bail!("no file can be placed at {path}: another file has that path");
        }
        if self.folders.contains(&file) || folders.iter().any(|folder| self.files.contains(folder)) {
            bail!("no file can be placed at {path}: part of that path is both a file and a folder");
        }
        self.files.insert(file);
        self.folders.extend(folders);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(files: &mut PlacedFiles, path: &str) -> bool {
        files.take(&RelPath::new(path).unwrap()).is_ok()
    }

    #[test]
    fn a_path_is_given_away_once_and_never_as_file_and_folder() {
        let is_own_path: Option<IsOwnPath> = Some(|path| path.as_str() == "index.html");
        let mut files = PlacedFiles { is_own_path, ..PlacedFiles::default() };
        assert!(!takes(&mut files, "index.html"));
        assert!(takes(&mut files, "mine.html") && takes(&mut files, "steps/1.txt"));
        assert!(takes(&mut files, "steps/2.txt"));
        for path in ["mine.html", "Mine.html", "mine.html/x", "steps", "STEPS/1.TXT"] {
            assert!(!takes(&mut files, path), "{path}");
        }
    }
}
