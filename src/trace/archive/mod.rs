//! Archives: the members of a tar or a zip, one after the other, in bounded memory. A name in an archive is only a text.

mod tar;
mod zip;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::unpack::{Limit, Limited, unpacking};

/// How many members an archive may have.
const MOST_MEMBERS: usize = 100_000;
/// How long a member's name may be, in bytes: the longest path that Linux opens.
const MOST_NAME: usize = 4096;

/// What a file is that may be an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveKind {
    Zip,
    /// Plain, or within gzip or zstd.
    Tar,
}

impl ArchiveKind {
    /// What the content of a file says; its position afterwards is its start.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(file: &mut File) -> io::Result<Option<ArchiveKind>> {
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        // A packed file that is damaged gives what it has.
        let _ = unpacking(&mut *file)
            .and_then(|(_, stream)| stream.take(tar::BLOCK as u64).read_to_end(&mut head));
        file.seek(SeekFrom::Start(0))?;
        Ok(ArchiveKind::of_head(&head))
    }

    /// What the first block of a file says, unpacked.
    pub fn of_head(head: &[u8]) -> Option<ArchiveKind> {
        if head.starts_with(zip::MAGIC) || head.starts_with(zip::EMPTY) {
            return Some(ArchiveKind::Zip);
        }
        tar::begins(head).then_some(ArchiveKind::Tar)
    }
}

/// Is given the name of a member, as the archive has it, and its content, of which it may read as much as it likes.
pub(super) type Visit<'v> = dyn FnMut(&str, &mut dyn Read) -> anyhow::Result<()> + 'v;

/// Visits the files of an archive in its order.
///
/// # Errors
/// The archive is damaged, encrypted, has too many members or unpacks to more than the limit; or `visit` fails.
pub(super) fn for_each_member(
    file: &mut File,
    kind: ArchiveKind,
    limit: Limit,
    visit: &mut Visit<'_>,
) -> anyhow::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    match kind {
        ArchiveKind::Zip => zip::for_each_member(file, visit),
        ArchiveKind::Tar => {
            let (_, stream) = unpacking(&mut *file)?;
            // What is passed over is unpacked, too.
            tar::for_each_member(&mut Limited::new(stream, limit, 0), visit)
        }
    }
}

/// Reads exactly that many bytes.
fn bytes_of(stream: &mut dyn Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A number of two, four or eight bytes, the lowest first.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(len)?)?;
    Some(digits.iter().rev().fold(0, |sum, digit| (sum << 8) | u64::from(*digit)))
}
