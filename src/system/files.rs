//! Files and folders.

use std::fs::{File, Permissions};
use std::io;
use std::path::Path;

/// Reads bytes at an offset, wherever other threads are reading the file.
///
/// # Errors
/// The disk refuses.
pub fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    os::read_at(file, out, offset)
}

/// Reads bytes at an offset and appends them to `out`, at most as many as it has room for. Unlike [`read_at`], it needs no
/// bytes to write over, where the system allows that: filling them with zeros first is a fiftieth of the work on a long log.
///
/// # Errors
/// The disk refuses.
pub fn read_behind(file: &File, out: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
    os::read_behind(file, out, offset)
}

/// How many bytes the disk of a folder has room for; None where the system does not say.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    os::free_bytes(folder)
}

/// Whether `path` still leads to an open file. Where an open file cannot be removed, it always does.
#[must_use]
pub fn is_file_at(file: &File, path: &Path) -> bool {
    os::is_file_at(file, path)
}

/// These permissions, with write access for the owner.
#[must_use]
pub fn writable(permissions: Permissions) -> Permissions {
    os::writable(permissions)
}

/// Whether another file system begins at a folder. Where this says no, a mount point is noticed when the report cannot be
/// put in its place.
#[must_use]
pub fn is_mount_point(folder: &Path) -> bool {
    kernel::is_mount_point(folder)
}

/// Exchanges two folders in one step.
///
/// # Errors
/// The disk refuses; [`io::ErrorKind::Unsupported`] where the system cannot do it.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    kernel::exchange(one, other)
}

/// Opens a file below a folder whose path has no links. A link that leads out of the folder is refused, on Linux also one
/// that is put there meanwhile: its kernel looks while it opens.
///
/// # Errors
/// There is no such file, or it is not below the folder.
pub fn open_beneath(root: &Path, path: &Path) -> io::Result<File> {
    kernel::open_beneath(root, path)
}

/// The same where the kernel cannot do it: the path is resolved first.
fn open_resolved(root: &Path, path: &Path) -> io::Result<File> {
    let real = root.join(path).canonicalize()?;
    if !real.starts_with(root) || !real.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    File::open(real)
}

#[cfg(unix)]
mod os {
    use std::fs::{self, File, Permissions};
    use std::io;
    use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
    use std::path::Path;

    pub fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(out, offset)
    }

    pub fn read_behind(file: &File, out: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pread(file, rustix::buffer::spare_capacity(out), offset)?)
    }

    pub fn free_bytes(folder: &Path) -> Option<u64> {
        let space = rustix::fs::statvfs(folder).ok()?;
        space.f_bavail.checked_mul(space.f_frsize)
    }

    pub fn is_file_at(file: &File, path: &Path) -> bool {
        match (file.metadata(), fs::symlink_metadata(path)) {
            (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }

    pub fn writable(permissions: Permissions) -> Permissions {
        Permissions::from_mode(permissions.mode() | 0o700)
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

    pub fn writable(permissions: Permissions) -> Permissions {
        permissions
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags, StatxAttributes, StatxFlags};
    use rustix::fs::{openat, openat2, renameat_with, statx};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn is_mount_point(folder: &Path) -> bool {
        statx(CWD, folder, AtFlags::empty(), StatxFlags::BASIC_STATS)
            .is_ok_and(|status| status.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    }

    pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    pub fn open_beneath(root: &Path, path: &Path) -> io::Result<File> {
        let folder = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Without `NONBLOCK`, opening a pipe would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let below = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(&folder, path, flags, Mode::empty(), below) {
            // A kernel before 5.6, or a container that does not let it be called.
            Err(Errno::NOSYS | Errno::PERM) => super::open_resolved(root, path),
            opened => Ok(File::from(opened?)),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn is_mount_point(_folder: &Path) -> bool {
        false
    }

    pub fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn open_beneath(root: &Path, path: &Path) -> io::Result<File> {
        super::open_resolved(root, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Whether a file of a folder is opened, by the kernel and by resolving its path, which must agree.
    #[cfg(unix)]
    fn opens(root: &Path, path: &str) -> bool {
        let (found, resolved) = (open_beneath(root, Path::new(path)), open_resolved(root, Path::new(path)));
        assert_eq!(found.is_ok(), resolved.is_ok(), "{path}");
        found.is_ok()
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_opened_only_below_its_folder() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        let report = outside.path().join("report");
        fs::create_dir(&report).unwrap();
        fs::write(report.join("raw.log"), "log").unwrap();
        fs::write(outside.path().join("secret.txt"), "secret").unwrap();
        symlink("raw.log", report.join("inner.log")).unwrap();
        symlink("../secret.txt", report.join("outer.txt")).unwrap();
        symlink(outside.path().join("secret.txt"), report.join("absolute.txt")).unwrap();
        symlink("..", report.join("up")).unwrap();
        let root = report.canonicalize().unwrap();
        for path in ["raw.log", "inner.log"] {
            assert!(opens(&root, path), "{path}");
        }
        for path in ["outer.txt", "absolute.txt", "up/secret.txt", "../secret.txt", "none.txt"] {
            assert!(!opens(&root, path), "{path}");
        }
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
