//! Where the files of a report go: a folder on disk, or a map in memory.

use crate::rel_path::RelPath;
use anyhow::Result;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::failure::explain;

/// A new, empty file of the report.
pub enum NewFile<'f> {
    /// A file on disk; the kernel can copy another file into it.
    Disk(&'f mut File),
    Memory(&'f mut Vec<u8>),
}

/// Writes the content of a new file.
pub type Fill<'f> = Box<dyn FnOnce(NewFile<'_>) -> Result<()> + 'f>;

/// Whether a file was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    New,
    /// Another file has that path already; it is left as it is.
    Taken,
}

/// The files of a report by their path below its folder, parts separated by `/`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Receives the files of a report, from several threads.
#[derive(Clone)]
pub struct Sink {
    place: SinkPlace,
    /// Which files are made; None for all.
    only: Option<fn(&str) -> bool>,
    same: Option<(RelPath, PathBuf)>,
}

#[derive(Clone)]
enum SinkPlace {
    Disk(PathBuf),
    /// All files, and what the paths of those in this sink begin with.
    Memory(Arc<Mutex<Files>>, String),
}

impl Sink {
    /// Files go into `folder`, which is made when it is not there.
    pub fn on_disk(folder: impl Into<PathBuf>) -> Sink {
        Sink { place: SinkPlace::Disk(folder.into()), only: None, same: None }
    }

    /// Files go into a map.
    pub fn in_memory() -> Sink {
        Sink { place: SinkPlace::Memory(Arc::default(), String::new()), only: None, same: None }
    }

    /// Only makes the files whose path in a report fits; the content of the others is never computed.
    pub fn only(self, fits: fn(&str) -> bool) -> Sink {
        Sink { only: Some(fits), ..self }
    }

    /// The file `path` is the same as `original`, to which it becomes a hard link where the file system has such, and takes
    /// no room. Without that it is written as all others.
    pub fn sharing(self, path: RelPath, original: Option<PathBuf>) -> Sink {
        Sink { same: original.map(|original| (path, original)), ..self }
    }

    /// The same sink, one folder further down.
    pub fn below(&self, folder: &str) -> Sink {
        let place = match &self.place {
            SinkPlace::Disk(root) => SinkPlace::Disk(root.join(folder)),
            SinkPlace::Memory(files, above) => {
                SinkPlace::Memory(Arc::clone(files), format!("{above}{folder}/"))
            }
        };
        Sink { place, only: self.only, same: None }
    }

    /// Makes the folders for the files. Called before the first file is written.
    ///
    /// # Errors
    /// A folder cannot be made; the error names it.
    pub fn make_folders(&self, folders: &BTreeSet<&str>) -> Result<()> {
        let SinkPlace::Disk(root) = &self.place else { return Ok(()) };
        let make = |folder: &Path| fs::create_dir_all(folder).map_err(|error| explain(error.into(), folder));
        make(root)?;
        let mut needed = folders.iter().filter(|_| self.only.is_none());
        needed.try_for_each(|folder| make(&root.join(folder)))
    }

    /// Makes one file and lets `fill` write it.
    ///
    /// # Errors
    /// The file cannot be made or `fill` fails; the error names the file.
    pub fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        if self.only.is_some_and(|fits| !fits(path.as_str())) {
            return Ok(Made::New);
        }
        let original = self.same.as_ref().filter(|(same, _)| same == path).map(|(_, original)| original);
        match original.zip(self.file_on_disk(path)) {
            Some((original, goal)) if fs::hard_link(original, &goal).is_ok() => return Ok(Made::New),
            _ => {}
        }
        match &self.place {
            SinkPlace::Disk(root) => {
                let path = root.join(path);
                if let Some(folder) = path.parent().filter(|_| self.only.is_some()) {
                    fs::create_dir_all(folder).map_err(|error| explain(error.into(), folder))?;
                }
                write_on_disk(&path, fill)
            }
            SinkPlace::Memory(files, above) => {
                let path = format!("{above}{path}");
                let mut bytes = Vec::new();
                fill(NewFile::Memory(&mut bytes)).map_err(|error| explain(error, Path::new(&path)))?;
                match files.lock().unwrap_or_else(PoisonError::into_inner).entry(path) {
                    Entry::Occupied(_) => Ok(Made::Taken),
                    Entry::Vacant(free) => {
                        free.insert(bytes);
                        Ok(Made::New)
                    }
                }
            }
        }
    }

    /// Removes all files that were written.
    pub fn clear(&self) -> Result<()> {
        match &self.place {
            SinkPlace::Disk(root) => match fs::remove_dir_all(root) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(explain(error.into(), root)),
                _ => Ok(()),
            },
            SinkPlace::Memory(files, above) => {
                let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
                files.retain(|path, _| !path.starts_with(above));
                Ok(())
            }
        }
    }

    /// Where a file of that path is on the disk; None if it is in memory, or not made.
    pub fn file_on_disk(&self, path: &RelPath) -> Option<PathBuf> {
        match &self.place {
            SinkPlace::Disk(root) if self.only.is_none() => Some(root.join(path)),
            _ => None,
        }
    }

    /// The files in memory; none of a sink on disk.
    pub fn into_files(self) -> Files {
        match self.place {
            SinkPlace::Disk(_) => Files::new(),
            SinkPlace::Memory(files, _) => {
                std::mem::take(&mut *files.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

fn write_on_disk(path: &Path, fill: Fill<'_>) -> Result<Made> {
    // `create_new`: on a file system that ignores case, two paths may mean the same file, and the second must not replace
    // the first.
    let mut file = match File::create_new(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Made::Taken),
        Err(error) => return Err(explain(error.into(), path)),
    };
    fill(NewFile::Disk(&mut file)).map_err(|error| explain(error, path))?;
    Ok(Made::New)
}
