//! The members of a zip: a list of them at its end, which says where each begins.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use anyhow::{Context, Result, bail};

use super::member::{MOST_MEMBERS, Visit, bytes_of, number};
use crate::limits::LONGEST_PATH;
use crate::trace::unpack::{Checksum, Packing, WINDOW, inflated};

/// How a zip begins, and how one without members does.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";
pub(super) const EMPTY: &[u8] = b"PK\x05\x06";

/// The end of the list, its 64-bit form, and the locator of the latter.
const END: &[u8] = EMPTY;
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
/// An entry of the list.
const ENTRY: &[u8] = b"PK\x01\x02";
/// The end of the list and a comment of 64 KB, the longest there is.
const MOST_END: u64 = 22 + (64 << 10);

/// Bytes of the header before a member, without its name and further fields.
const LOCAL_HEADER: u64 = 30;

const STORED: u64 = 0;
const DEFLATED: u64 = 8;
const ZSTD: u64 = 93;

/// Where the list of members is, and how long it is.
struct List {
    offset: u64,
    members: u64,
}

struct Member {
    name: String,
    method: u64,
    is_encrypted: bool,
    crc: u64,
    packed: u64,
    size: u64,
    offset: u64,
}

const DAMAGED: &str = "the archive is damaged or was cut; check that it was copied whole";

/// Visits the files of a zip.
pub(super) fn for_each_member(file: &mut File, visit: &mut Visit<'_>) -> Result<()> {
    let list = list_of(file).context(DAMAGED)?.context(DAMAGED)?;
    if list.members > MOST_MEMBERS as u64 {
        bail!("the archive holds more than {MOST_MEMBERS} files, the limit; give the logs themselves");
    }
    let mut at = list.offset;
    let mut extents = Vec::new();
    for _ in 0..list.members {
        let (member, next) = member_at(file, at).context(DAMAGED)?.context(DAMAGED)?;
        at = next;
        extents.push(member.extent());
    }
    refuse_shared_bytes(extents)?;
    let mut at = list.offset;
    for _ in 0..list.members {
        let (member, next) = member_at(file, at).context(DAMAGED)?.context(DAMAGED)?;
        at = next;
        if !member.name.ends_with('/') && member.name.len() <= LONGEST_PATH {
            visit_member(file, &member, visit)?;
        }
    }
    Ok(())
}

/// Refuses an archive in which files share bytes: a small one could name the same bytes 60,000 times.
fn refuse_shared_bytes(mut extents: Vec<Range<u64>>) -> Result<()> {
    extents.sort_by_key(|extent| extent.start);
    let mut pairs = extents.iter().zip(extents.iter().skip(1));
    if pairs.any(|(one, next)| next.start < one.end) {
        bail!("several files of the archive share the same bytes, which no program that packs logs writes");
    }
    Ok(())
}

fn list_of(file: &mut File) -> io::Result<Option<List>> {
    let len = file.seek(SeekFrom::End(0))?;
    let start = len.saturating_sub(MOST_END);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(MOST_END).read_to_end(&mut tail)?;
    let Some(end) = memchr::memmem::rfind(&tail, END) else { return Ok(None) };
    let tail_of = |at: usize| tail.get(at..).unwrap_or_default();
    let found = || Some(List { members: number(tail_of(end), 10, 2)?, offset: number(tail_of(end), 16, 4)? });
    let Some(found) = found() else { return Ok(None) };
    let locator = end.checked_sub(20).map(tail_of).filter(|bytes| bytes.starts_with(LOCATOR_64));
    let Some(place) = locator.and_then(|locator| number(locator, 8, 8)) else { return Ok(Some(found)) };
    file.seek(SeekFrom::Start(place))?;
    let large = bytes_of(file, 56)?;
    let list = || Some(List { members: number(&large, 32, 8)?, offset: number(&large, 48, 8)? });
    Ok(list().filter(|_| large.starts_with(END_64)))
}

/// An entry of the list, and where the next one begins.
fn member_at(file: &mut File, at: u64) -> io::Result<Option<(Member, u64)>> {
    file.seek(SeekFrom::Start(at))?;
    let head = bytes_of(file, 46)?;
    let field = |at: usize, len: usize| number(&head, at, len).unwrap_or_default();
    if !head.starts_with(ENTRY) {
        return Ok(None);
    }
    let (name_len, extra_len, comment_len) = (field(28, 2), field(30, 2), field(32, 2));
    let name = bytes_of(file, usize::try_from(name_len).unwrap_or_default())?;
    let extra = bytes_of(file, usize::try_from(extra_len).unwrap_or_default())?;
    let mut member = Member {
        name: String::from_utf8_lossy(&name).into_owned(),
        method: field(10, 2),
        is_encrypted: field(8, 2) & 1 == 1,
        crc: field(16, 4),
        packed: field(20, 4),
        size: field(24, 4),
        offset: field(42, 4),
    };
    member.take_large(&extra);
    Ok(Some((member, at.saturating_add(46 + name_len + extra_len + comment_len))))
}

impl Member {
    /// Where the archive has it: its header, of which the part of variable length is not counted, and its content.
    fn extent(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(LOCAL_HEADER).saturating_add(self.packed)
    }

    /// Takes 64-bit numbers from a further field, in this order, where the 32-bit ones have all bits set.
    fn take_large(&mut self, mut extra: &[u8]) {
        const LARGE: u64 = 1;
        const ALL_SET: u64 = u32::MAX as u64;
        while let (Some(kind), Some(len)) = (number(extra, 0, 2), number(extra, 2, 2)) {
            let end = 4 + usize::try_from(len).unwrap_or_default();
            if kind == LARGE {
                let mut at = 4;
                for value in [&mut self.size, &mut self.packed, &mut self.offset] {
                    if *value == ALL_SET {
                        *value = number(extra, at, 8).unwrap_or(*value);
                        at += 8;
                    }
                }
            }
            extra = extra.get(end..).unwrap_or_default();
        }
    }
}

fn visit_member(file: &mut File, member: &Member, visit: &mut Visit<'_>) -> Result<()> {
    file.seek(SeekFrom::Start(member.offset)).context(DAMAGED)?;
    let head = bytes_of(file, LOCAL_HEADER as usize).context(DAMAGED)?;
    let lengths = number(&head, 26, 2).zip(number(&head, 28, 2));
    let Some((name, extra)) = lengths.filter(|_| head.starts_with(MAGIC)) else { bail!(DAMAGED) };
    let start = member.offset.saturating_add(LOCAL_HEADER + name + extra);
    file.seek(SeekFrom::Start(start)).context(DAMAGED)?;
    let packed = BufReader::with_capacity(WINDOW, Read::take(&mut *file, member.packed));
    let content = match (member.is_encrypted, member.method) {
        (true, _) => Err("it is encrypted".to_owned()),
        (_, STORED) => Ok(Box::new(packed) as Box<dyn Read + '_>),
        (_, DEFLATED) => Ok(inflated(packed)),
        (_, ZSTD) => Ok(Packing::Zstd.reader(packed)?),
        (_, other) => Err(format!("it is compressed with method {other}")),
    };
    match content {
        Ok(stream) => {
            visit(&member.name, &mut Checked { stream, checksum: Checksum::new(), read: 0, member })
        }
        Err(why) => visit(&member.name, &mut Unreadable(why)),
    }
}

/// A content that cannot be unpacked; it fails only when it is read.
struct Unreadable(String);

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::Unsupported, self.0.clone()))
    }
}

/// Compares size and checksum at the end of a content.
struct Checked<'c> {
    stream: Box<dyn Read + 'c>,
    checksum: Checksum,
    read: u64,
    member: &'c Member,
}

impl Read for Checked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(out)?;
        if read == 0 && !out.is_empty() {
            let is_whole = self.read == self.member.size && u64::from(self.checksum.sum()) == self.member.crc;
            return if is_whole {
                Ok(0)
            } else {
                Err(io::Error::new(io::ErrorKind::InvalidData, "wrong checksum"))
            };
        }
        self.checksum.update(out.get(..read).unwrap_or_default());
        self.read += read as u64;
        if self.read > self.member.size {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is longer than the archive says"));
        }
        Ok(read)
    }
}
