//! The members of a tar: blocks of 512 bytes, a header and the content of each member. The crate `tar` reads headers and
//! attributes; it would read a name of any length into memory, so the blocks are read here.

use crate::limits::LONGEST_PATH;
use std::io::{self, Read};

use anyhow::{Context, bail};
use tar::{EntryType, Header, PaxExtensions};

use super::member::{MOST_MEMBERS, Visit, bytes_of};

pub(super) const BLOCK: usize = 512;
/// Bytes of a record of long names or further attributes: those that tools write have a few hundred.
const MOST_ATTRIBUTES: u64 = 64 << 10;

const DAMAGED: &str = "the archive is damaged or was cut; check that it was copied whole";

/// Whether a file begins with a header: the checksum of the block is right, and it is not empty.
pub(super) fn begins(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|block| block.first() != Some(&0) && header_of(block).is_some())
}

/// The header in a block whose checksum is right.
fn header_of(block: &[u8; BLOCK]) -> Option<&Header> {
    let header = Header::from_byte_slice(block);
    let mut summed = header.clone();
    summed.set_cksum();
    (header.cksum().ok()? == summed.cksum().ok()?).then_some(header)
}

/// What a record says about the member after it.
#[derive(Default)]
struct Attributes {
    name: Option<String>,
    size: Option<u64>,
}

impl Attributes {
    /// Takes the name and the size among `27 path=a/long/name\n` and the like.
    fn add(&mut self, record: &[u8]) {
        for extension in PaxExtensions::new(record).map_while(Result::ok) {
            match extension.key_bytes() {
                b"path" => self.name = Some(text_of(extension.value_bytes())),
                b"size" => self.size = extension.value().ok().and_then(|size| size.parse().ok()),
                _ => {}
            }
        }
    }
}

fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Visits the files of a tar.
pub(super) fn for_each_member(stream: &mut dyn Read, visit: &mut Visit<'_>) -> anyhow::Result<()> {
    let mut attributes = Attributes::default();
    let mut members = 0;
    while let Some(block) = next_block(stream)? {
        let header = header_of(&block).context(DAMAGED)?;
        members += 1;
        if members > MOST_MEMBERS {
            bail!("the archive holds more than {MOST_MEMBERS} files, the limit; give the logs themselves");
        }
        let size = header.entry_size().context("the archive is damaged: a file has no size")?;
        let kind = header.entry_type();
        match kind {
            EntryType::GNULongName | EntryType::XHeader if size > MOST_ATTRIBUTES => {
                bail!("the archive is damaged: a name in it has more than {MOST_ATTRIBUTES} bytes")
            }
            EntryType::GNULongName => {
                let name = content(stream, size)?;
                attributes.name = name.split(|byte| *byte == 0).next().map(text_of);
            }
            EntryType::XHeader => attributes.add(&content(stream, size)?),
            _ => {
                let Attributes { name, size: true_size } = std::mem::take(&mut attributes);
                let size = true_size.unwrap_or(size);
                let name = name.unwrap_or_else(|| text_of(&header.path_bytes()));
                let mut content = stream.take(size);
                if (kind.is_file() || kind.is_contiguous())
                    && !name.ends_with('/')
                    && name.len() <= LONGEST_PATH
                {
                    visit(&name, &mut content)?;
                }
                let left = content.limit();
                skip(stream, left + padding(size))?;
            }
        }
    }
    Ok(())
}

/// The block of the next header; None at the end. Two empty blocks end a tar; some tools write none.
fn next_block(stream: &mut dyn Read) -> anyhow::Result<Option<[u8; BLOCK]>> {
    let mut block = Vec::with_capacity(BLOCK);
    stream.take(BLOCK as u64).read_to_end(&mut block).context("the archive is damaged")?;
    if block.iter().all(|byte| *byte == 0) && matches!(block.len(), 0 | BLOCK) {
        return Ok(None);
    }
    Ok(Some(block.try_into().ok().context(DAMAGED)?))
}

/// The bytes of a small record.
fn content(stream: &mut dyn Read, size: u64) -> anyhow::Result<Vec<u8>> {
    let bytes = bytes_of(stream, usize::try_from(size)?).context("the archive was cut")?;
    skip(stream, padding(size))?;
    Ok(bytes)
}

/// What fills the last block of a content.
fn padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

fn skip(stream: &mut dyn Read, count: u64) -> anyhow::Result<()> {
    let skipped = io::copy(&mut stream.take(count), &mut io::sink()).context("the archive is damaged")?;
    if skipped < count {
        bail!("the archive was cut; check that it was copied whole");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names and contents of a tar.
    fn members(archive: &[u8]) -> anyhow::Result<Vec<(String, String)>> {
        let mut members = Vec::new();
        for_each_member(&mut &*archive, &mut |name, content| {
            let mut text = String::new();
            content.read_to_string(&mut text)?;
            members.push((name.to_owned(), text));
            Ok(())
        })?;
        Ok(members)
    }

    /// A header of a file with this name and size.
    fn header(name: &str, size: u64) -> Header {
        let mut header = Header::new_ustar();
        header.set_path(name).unwrap();
        header.set_size(size);
        header.set_cksum();
        header
    }

    #[test]
    fn names_and_sizes_of_a_further_record_count() {
        let long = "folder/".repeat(40) + "a.log";
        let mut builder = tar::Builder::new(Vec::new());
        let mut gnu = Header::new_gnu();
        gnu.set_size(3);
        builder.append_data(&mut gnu, &long, &b"gnu"[..]).unwrap();
        builder.append_pax_extensions([("path", long.as_bytes()), ("size", &b"3"[..])]).unwrap();
        builder.append(&header("short", 0), &b"pax"[..]).unwrap();
        let archive = builder.into_inner().unwrap();
        let expected = ["gnu", "pax"].map(|content| (long.clone(), content.to_owned()));
        assert_eq!(members(&archive).unwrap(), expected);
    }

    #[test]
    fn damaged_attributes_are_passed_over() {
        for damaged in [&b"path"[..], b"99 path=x\n", b"0 path=x\n", b"x path=y\n", b"3 \n"] {
            let mut attributes = Attributes::default();
            attributes.add(damaged);
            assert_eq!(attributes.name, None, "{damaged:?}");
        }
    }

    #[test]
    fn a_header_with_another_checksum_or_without_a_size_is_damage() {
        let sound = header("a.log", 0);
        assert!(begins(sound.as_bytes()) && !begins(&[0; BLOCK]) && !begins(&sound.as_bytes()[..500]));
        let mut other = *sound.as_bytes();
        other[0] = b'b';
        assert!(!begins(&other) && members(&other).is_err());
        let mut no_size = sound.clone();
        no_size.as_ustar_mut().unwrap().size.copy_from_slice(b"0000000009x\0");
        no_size.set_cksum();
        assert!(members(no_size.as_bytes()).unwrap_err().to_string().contains("no size"));
    }
}
