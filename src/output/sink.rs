//! Where the files of a report go: a folder on disk, or a map in memory.

use crate::rel_path::RelPath;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::failure::explain;

/// A new, empty file of the report.
pub enum NewFile<'f> {
    /// A file on disk; the kernel can copy another file into it.
    Disk(&'f mut File),
    Memory(&'f mut Vec<u8>),
}

impl<'f> NewFile<'f> {
    /// The file as something to write to.
    pub fn writer(self) -> &'f mut dyn Write {
        match self {
            NewFile::Disk(file) => file,
            NewFile::Memory(bytes) => bytes,
        }
    }
}

/// Writes the content of a new file.
pub type Fill<'f> = Box<dyn FnOnce(NewFile<'_>) -> Result<()> + 'f>;

/// Whether a file was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It is written.
    New,
    /// Another file has that path already; it is left as it is.
    Taken,
}

/// Receives the files of a report, from several threads.
pub trait Sink: Sync {
    /// Makes the folders for the files. Called before the first file is written.
    ///
    /// # Errors
    /// A folder cannot be made; the error names it.
    fn make_folders(&self, folders: &BTreeSet<&str>) -> Result<()>;

    /// Makes one file and lets `fill` write it.
    ///
    /// # Errors
    /// The file cannot be made or `fill` fails; the error names the file.
    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made>;

    /// The same sink, one folder further down.
    fn below(&self, folder: &str) -> Box<dyn Sink + '_>;

    /// Removes all files that were written.
    ///
    /// # Errors
    /// A file cannot be removed.
    fn clear(&self) -> Result<()>;

    /// Where a file of that path is on the disk; None if it is in memory.
    fn on_disk(&self, path: &RelPath) -> Option<PathBuf>;
}

/// A folder on disk.
pub struct DiskSink(PathBuf);

impl DiskSink {
    /// Files go into `folder`, which is made when it is not there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        DiskSink(folder.into())
    }
}

impl Sink for DiskSink {
    fn make_folders(&self, folders: &BTreeSet<&str>) -> Result<()> {
        let make = |folder: &Path| fs::create_dir_all(folder).map_err(|error| explain(error.into(), folder));
        make(&self.0)?;
        folders.iter().try_for_each(|folder| make(&self.0.join(folder)))
    }

    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        let full = self.0.join(path);
        // `create_new`: on a file system that ignores case, two paths may mean the same file, and the second must not
        // replace the first.
        let mut file = match File::create_new(&full) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Made::Taken),
            Err(error) => return Err(explain(error.into(), &full)),
        };
        fill(NewFile::Disk(&mut file)).map_err(|error| explain(error, &full))?;
        Ok(Made::New)
    }

    fn below(&self, folder: &str) -> Box<dyn Sink + '_> {
        Box::new(DiskSink(self.0.join(folder)))
    }

    fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(explain(error.into(), &self.0)),
            _ => Ok(()),
        }
    }

    fn on_disk(&self, path: &RelPath) -> Option<PathBuf> {
        Some(self.0.join(path))
    }
}

/// Another sink, in which one file equals a file on the disk: it becomes a hard link to that where the
/// file system has such, and takes no room.
pub struct SharingSink<'s> {
    sink: Box<dyn Sink + 's>,
    path: RelPath,
    original: Option<PathBuf>,
}

impl<'s> SharingSink<'s> {
    /// The file `path` is the same as `original`. Without that it is written as all others.
    pub fn new(sink: Box<dyn Sink + 's>, path: RelPath, original: Option<PathBuf>) -> Self {
        SharingSink { sink, path, original }
    }
}

impl Sink for SharingSink<'_> {
    fn make_folders(&self, folders: &BTreeSet<&str>) -> Result<()> {
        self.sink.make_folders(folders)
    }

    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        let original = self.original.as_ref().filter(|_| *path == self.path);
        match original.zip(self.on_disk(path)) {
            Some((original, goal)) if fs::hard_link(original, &goal).is_ok() => Ok(Made::New),
            _ => self.sink.write(path, fill),
        }
    }

    fn below(&self, folder: &str) -> Box<dyn Sink + '_> {
        self.sink.below(folder)
    }

    fn clear(&self) -> Result<()> {
        self.sink.clear()
    }

    fn on_disk(&self, path: &RelPath) -> Option<PathBuf> {
        self.sink.on_disk(path)
    }
}

/// Another sink that only makes the files of one name; the content of the others is never computed.
pub struct OnlySink<'s> {
    sink: Box<dyn Sink + 's>,
    name: &'static str,
}

impl<'s> OnlySink<'s> {
    /// Lets files of that name through, in any folder.
    pub fn new(sink: Box<dyn Sink + 's>, name: &'static str) -> Self {
        OnlySink { sink, name }
    }
}

impl Sink for OnlySink<'_> {
    fn make_folders(&self, _folders: &BTreeSet<&str>) -> Result<()> {
        self.sink.make_folders(&BTreeSet::new())
    }

    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        if path.to_string() == self.name { self.sink.write(path, fill) } else { Ok(Made::New) }
    }

    fn below(&self, folder: &str) -> Box<dyn Sink + '_> {
        Box::new(OnlySink { sink: self.sink.below(folder), name: self.name })
    }

    fn clear(&self) -> Result<()> {
        self.sink.clear()
    }

    fn on_disk(&self, _path: &RelPath) -> Option<PathBuf> {
        None
    }
}

/// The files of a report by their path below its folder, parts separated by `/`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A map in memory.
#[derive(Default)]
pub struct MemSink(Mutex<Files>);

impl MemSink {
    /// What was written.
    pub fn into_files(self) -> Files {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn clear_below(&self, prefix: &str) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|path, _| !path.starts_with(prefix));
    }

    fn write_at(&self, path: String, fill: Fill<'_>) -> Result<Made> {
        let mut bytes = Vec::new();
        fill(NewFile::Memory(&mut bytes)).map_err(|error| explain(error, Path::new(&path)))?;
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.contains_key(&path) {
            return Ok(Made::Taken);
        }
        files.insert(path, bytes);
        Ok(Made::New)
    }
}

impl Sink for MemSink {
    fn make_folders(&self, _folders: &BTreeSet<&str>) -> Result<()> {
        Ok(())
    }

    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        self.write_at(path.to_string(), fill)
    }

    fn below(&self, folder: &str) -> Box<dyn Sink + '_> {
        Box::new(MemFolder { sink: self, folder: folder.to_owned() })
    }

    fn clear(&self) -> Result<()> {
        self.clear_below("");
        Ok(())
    }

    fn on_disk(&self, _path: &RelPath) -> Option<PathBuf> {
        None
    }
}

/// A folder of a map in memory.
struct MemFolder<'s> {
    sink: &'s MemSink,
    folder: String,
}

impl Sink for MemFolder<'_> {
    fn make_folders(&self, _folders: &BTreeSet<&str>) -> Result<()> {
        Ok(())
    }

    fn write(&self, path: &RelPath, fill: Fill<'_>) -> Result<Made> {
        self.sink.write_at(format!("{}/{path}", self.folder), fill)
    }

    fn below(&self, folder: &str) -> Box<dyn Sink + '_> {
        Box::new(MemFolder { sink: self.sink, folder: format!("{}/{folder}", self.folder) })
    }

    fn clear(&self) -> Result<()> {
        self.sink.clear_below(&format!("{}/", self.folder));
        Ok(())
    }

    fn on_disk(&self, _path: &RelPath) -> Option<PathBuf> {
        None
    }
}
