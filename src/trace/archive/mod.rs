//! Archives: the members of a tar or a zip, one after the other, in bounded memory. A name in an archive is only a text.

mod member;
mod tar;
mod zip;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::unpack::{Limit, Limited, WINDOW, unpacking};
use member::Visit;

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
    pub fn detect(file: &mut File) -> io::Result<Option<ArchiveKind>> {
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        // A packed file that is damaged gives what it has.
        let _ = unpacking(&mut *file)
            .and_then(|(_, stream)| stream.take(tar::BLOCK as u64).read_to_end(&mut head));
        file.seek(SeekFrom::Start(0))?;
        let is_zip = head.starts_with(zip::MAGIC) || head.starts_with(zip::EMPTY);
        Ok(if is_zip { Some(ArchiveKind::Zip) } else { tar::begins(&head).then_some(ArchiveKind::Tar) })
    }
}

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
            let stream = BufReader::with_capacity(WINDOW, stream);
            // Skipped members are unpacked too, so they count towards the limit.
            tar::for_each_member(&mut Limited::new(stream, limit, 0), visit)
        }
    }
}
