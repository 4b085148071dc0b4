//! Turns file names of a log into paths relative to the folder of the reader's sources.

use crate::analysis::is_library;
use crate::limits::{KEPT_OF_ONE, LARGEST_TEXT, NAMED, TRIED};
use crate::model::words::first_of;
use ignore::WalkBuilder;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A folder of sources.
#[derive(Debug)]
pub struct SourceTree {
    root: PathBuf,
    /// What was found of each file that findings or lines of the report name.
    known: Mutex<HashMap<String, Option<String>>>,
    given: Mutex<Given>,
}

/// Which files were asked for: paths below the root.
#[derive(Debug, Default)]
struct Given {
    /// Their text was given.
    whole: BTreeSet<String>,
    /// They are hidden, or git ignores them.
    private: BTreeSet<String>,
}

impl SourceTree {
    /// The sources below `root`.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn below(root: &Path) -> io::Result<SourceTree> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"));
        }
        Ok(SourceTree { root, known: Mutex::default(), given: Mutex::default() })
    }

    /// The git work tree around the current folder, or the current folder itself.
    ///
    /// # Errors
    /// The current folder cannot be read.
    pub fn of_current_folder() -> io::Result<SourceTree> {
        let here = std::env::current_dir()?.canonicalize()?;
        let work_tree = here.ancestors().find(|folder| folder.join(".git").exists());
        SourceTree::below(work_tree.unwrap_or(&here))
    }

    /// A file's path below the root, with `/` between its parts. None for files of libraries and for files that are not
    /// below the root.
    ///
    /// If the log was recorded elsewhere, such as in a container, the file is found by the longest end of its path that
    /// exists below the root.
    pub fn relative(&self, file: &str) -> Option<String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(file.to_owned()).or_insert_with(|| self.find(file)).clone()
    }

    /// The text of a file of a log. None for files of libraries, for those that are not below the root, also through a link, for
    /// hidden files, those that git ignores, those that are not text, and those that are too large.
    pub(crate) fn read(&self, file: &str) -> Option<String> {
        // A path of a log is not to be trusted: links are followed before it is compared with the root.
        let path = self.root.join(self.relative(file)?).canonicalize().ok()?;
        // Nor may it copy another file from there into a report that is then shared, such as one with passwords.
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        let below = path.strip_prefix(&self.root).ok().and_then(joined)?;
        if !is_python || !path.is_file() {
            return None;
        }
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_private(&path) {
            given.private.insert(below);
            return None;
        }
        let mut text = String::new();
        let read = File::open(path).ok()?.take(LARGEST_TEXT + 1).read_to_string(&mut text).ok()?;
        let fits = read as u64 <= LARGEST_TEXT && (1..=KEPT_OF_ONE).contains(&text.lines().count());
        fits.then(|| given.whole.insert(below));
        fits.then_some(text)
    }

    /// Whether a file below the root is hidden, or git ignores it, or the same is true of a folder of it.
    fn is_private(&self, file: &Path) -> bool {
        let wanted = file.to_owned();
        let mut walk = WalkBuilder::new(&self.root);
        // Only the folders on the way to the file are listed. What is written for git holds in an unpacked archive, too.
        walk.require_git(false).filter_entry(move |entry| wanted.starts_with(entry.path()));
        !walk.build().flatten().any(|entry| entry.path() == file)
    }

    /// Which files stand whole in the report, and which do not although the log names them.
    pub(crate) fn notes(&self) -> Vec<String> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let root = self.root.display();
        [
            (&given.whole, format!("the report holds the whole text of these files below {root}")),
            (&given.private, format!("hidden or ignored by git below {root}, so not in the report")),
        ]
        .into_iter()
        .filter(|(files, _)| !files.is_empty())
        .map(|(files, what)| format!("{what}: {}", first_of(&files.iter().collect::<Vec<_>>(), NAMED)))
        .collect()
    }

    fn find(&self, file: &str) -> Option<String> {
        if is_library(file) || file.starts_with('<') {
            return None;
        }
        let path = file.replace('\\', "/");
        if let Ok(below) = Path::new(&path).strip_prefix(&self.root) {
            return joined(below);
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let tails = (0..parts.len()).take(TRIED).filter_map(|at| parts.get(at..));
        let mut tails = tails.map(|tail| tail.join("/")).filter(|tail| joined(Path::new(tail)).is_some());
        tails.find(|tail| self.root.join(tail).is_file())
    }
}

/// The names of a path with `/` between them; None if it has others: `..`, a root or a drive.
fn joined(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, SourceTree) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("model")).unwrap();
        std::fs::write(folder.path().join("model/net.py"), "").unwrap();
        let tree = SourceTree::below(folder.path()).unwrap();
        (folder, tree)
    }

    #[test]
    fn a_file_below_the_root_is_relative_to_it_though_it_is_gone() {
        let (folder, tree) = tree();
        let gone = folder.path().canonicalize().unwrap().join("old/gone.py");
        assert_eq!(tree.relative(gone.to_str().unwrap()).as_deref(), Some("old/gone.py"));
    }

    #[test]
    fn a_file_that_was_recorded_elsewhere_is_found_by_the_end_of_its_path() {
        let (_folder, tree) = tree();
        assert_eq!(tree.relative("/app/src/model/net.py").as_deref(), Some("model/net.py"));
        assert_eq!(tree.relative("model/net.py").as_deref(), Some("model/net.py"));
        assert_eq!(tree.relative("C:\\work\\model\\net.py").as_deref(), Some("model/net.py"));
        assert_eq!(tree.relative("/app/other/net.py"), None, "the root has no net.py at its top");
    }

    #[test]
    fn files_of_libraries_and_paths_that_climb_are_nowhere() {
        let (folder, tree) = tree();
        let package = folder.path().canonicalize().unwrap().join("v/lib/python3.11/site-packages/torch/x.py");
        assert_eq!(tree.relative(package.to_str().unwrap()), None);
        let climbing = folder.path().canonicalize().unwrap().join("../net.py");
        assert_eq!(tree.relative(climbing.to_str().unwrap()), None);
        assert_eq!(tree.relative("<frozen importlib>"), None);
    }
}
