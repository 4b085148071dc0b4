//! Files and folders.

pub use kernel::{exchange, is_mount_point};
pub use os::{free_bytes, is_file_at, is_standard_input, read_at, read_behind, writable};

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file below a folder; `/` separates the parts of its path, each of which is a plain name. The folder itself may be a
/// link. No link below it is followed; where the system can look while it opens, not even one that is put there meanwhile.
///
/// # Errors
/// [`io::ErrorKind::NotFound`]: there is none. [`io::ErrorKind::InvalidInput`]: it is a link, a folder, a pipe or a device, or
/// stands behind a link. Others are those of the disk.
pub fn open_beneath(root: &Path, path: &str) -> io::Result<File> {
    let file = os::open_beneath(root, path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The same where folders cannot be opened one in another: each part is looked at first.
#[cfg(any(windows, test))]
fn open_looked_at(root: &Path, path: &str) -> io::Result<File> {
    let mut at = root.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let kind = std::fs::symlink_metadata(&at)?.file_type();
        let is_last = parts.peek().is_none();
        if !(is_last && kind.is_file() || !is_last && kind.is_dir()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    File::open(at)
}

#[cfg(unix)]
mod os {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;
    use std::fs::{self, File, Permissions};
    use std::io;
    use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
    use std::path::Path;

    /// Reads bytes at an offset, wherever other threads are reading the file.
    pub fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(out, offset)
    }

    /// Reads bytes at an offset and appends them to `out`, at most as many as it has room for. Unlike [`read_at`], it needs no
    /// bytes to write over, where the system allows that: filling them with zeros first is a fiftieth of the work on a long log.
    pub fn read_behind(file: &File, out: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pread(file, rustix::buffer::spare_capacity(out), offset)?)
    }

    /// How many bytes the disk of a folder has room for; None where the system does not say.
    #[must_use]
    pub fn free_bytes(folder: &Path) -> Option<u64> {
        let space = rustix::fs::statvfs(folder).ok()?;
        space.f_bavail.checked_mul(space.f_frsize)
    }

    /// Whether `path` still leads to an open file. Where an open file cannot be removed, it always does.
    #[must_use]
    pub fn is_file_at(file: &File, path: &Path) -> bool {
        match (file.metadata(), fs::symlink_metadata(path)) {
            (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }

    /// Whether a path leads to the file that is standard input, such as `/dev/stdin`. Where files have no numbers, it never does.
    #[must_use]
    pub fn is_standard_input(path: &Path) -> bool {
        match (rustix::fs::fstat(io::stdin()), rustix::fs::stat(path)) {
            (Ok(input), Ok(there)) => (input.st_dev, input.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        }
    }

    /// These permissions, with write access for the owner.
    #[must_use]
    pub fn writable(permissions: Permissions) -> Permissions {
        Permissions::from_mode(permissions.mode() | 0o700)
    }

    /// How a folder is opened to open something in it; on Linux, no right to list it is needed.
    #[cfg(target_os = "linux")]
    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::PATH);
    #[cfg(not(target_os = "linux"))]
    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    pub fn open_beneath(root: &Path, path: &str) -> io::Result<File> {
        let refused = |error| match error {
            Errno::LOOP | Errno::MLINK | Errno::NOTDIR | Errno::NXIO => io::ErrorKind::InvalidInput.into(),
            error => io::Error::from(error),
        };
        let mut folder = openat(CWD, root, FOLDER, Mode::empty()).map_err(|error| match error {
            Errno::NOTDIR => io::ErrorKind::NotFound.into(),
            error => io::Error::from(error),
        })?;
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        for part in above.split('/').filter(|part| !part.is_empty()) {
            folder = openat(&folder, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()).map_err(refused)?;
        }
        // Without `NONBLOCK`, opening a pipe would wait for a writer.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        openat(&folder, name, flags, Mode::empty()).map(File::from).map_err(refused)
    }
}

#[cfg(windows)]
mod os {
    use std::fs::{File, Permissions};
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::Path;

    pub fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
        file.seek_read(out, offset)
    }

    pub fn read_behind(file: &File, out: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
        let start = out.len();
        out.resize(out.capacity(), 0);
        let read = read_at(file, out.get_mut(start..).unwrap_or_default(), offset);
        out.truncate(start + read.as_ref().map_or(0, |read| *read));
        read
    }

    pub fn free_bytes(_folder: &Path) -> Option<u64> {
        None
    }

    pub fn is_file_at(_file: &File, _path: &Path) -> bool {
        true
    }

    pub fn is_standard_input(_path: &Path) -> bool {
        false
    }

    pub fn writable(permissions: Permissions) -> Permissions {
        permissions
    }

    pub fn open_beneath(root: &Path, path: &str) -> io::Result<File> {
        super::open_looked_at(root, path)
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::fs::{AtFlags, CWD, RenameFlags, StatxAttributes, StatxFlags, renameat_with, statx};
    use std::io;
    use std::path::Path;

    /// Whether another file system begins at a folder. Where this says no, a mount point is noticed when the report cannot be
    /// put in its place.
    #[must_use]
    pub fn is_mount_point(folder: &Path) -> bool {
        statx(CWD, folder, AtFlags::empty(), StatxFlags::BASIC_STATS)
            .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    }

    /// Exchanges two folders in one step.
    ///
    /// # Errors
    /// The disk refuses; [`io::ErrorKind::Unsupported`] where the system cannot do it.
    pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;
    use std::path::Path;

    pub fn is_mount_point(_folder: &Path) -> bool {
        false
    }

    pub fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Whether a file of a folder is opened; otherwise why not. Both ways must agree.
    #[cfg(unix)]
    fn opens(root: &Path, path: &str) -> Result<(), io::ErrorKind> {
        let [found, looked_at] = [open_beneath(root, path), open_looked_at(root, path)]
            .map(|opened| opened.map(drop).map_err(|error| error.kind()));
        assert_eq!(found, looked_at, "{path}");
        found
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_opened_only_below_its_folder_and_never_through_a_link() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        let report = outside.path().join("report");
        fs::create_dir_all(report.join("rank_0")).unwrap();
        for file in ["report/raw.log", "report/rank_0/raw.log", "secret.txt"] {
            fs::write(outside.path().join(file), "text").unwrap();
        }
        symlink("raw.log", report.join("inner.log")).unwrap();
        symlink("rank_0", report.join("rank_1")).unwrap();
        symlink("../secret.txt", report.join("outer.txt")).unwrap();
        symlink(outside.path().join("secret.txt"), report.join("absolute.txt")).unwrap();
        symlink("..", report.join("up")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(report.join("pipe")).status().unwrap().success());
        symlink(&report, outside.path().join("link")).unwrap();
        for root in [report.as_path(), &outside.path().join("link")] {
            for path in ["raw.log", "rank_0/raw.log"] {
                assert_eq!(opens(root, path), Ok(()), "{path}");
            }
            let links = ["inner.log", "rank_1/raw.log", "outer.txt", "absolute.txt", "up/secret.txt"];
            for path in links.into_iter().chain(["rank_0", "pipe", "raw.log/x"]) {
                assert_eq!(opens(root, path), Err(io::ErrorKind::InvalidInput), "{path}");
            }
            for path in ["none.txt", "rank_7/raw.log"] {
                assert_eq!(opens(root, path), Err(io::ErrorKind::NotFound), "{path}");
            }
        }
        let no_folder = open_beneath(&report.join("raw.log"), "report.json").unwrap_err();
        assert_eq!(no_folder.kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_replaced_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let file = File::create(&path).unwrap();
        assert!(is_file_at(&file, &path));
        fs::remove_file(&path).unwrap();
        assert!(!is_file_at(&file, &path));
        fs::write(&path, "").unwrap();
        assert!(!is_file_at(&file, &path));
    }
}
