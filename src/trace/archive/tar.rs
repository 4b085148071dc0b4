//! The members of a tar: blocks of 512 bytes, a header and the content of each member.

use std::io::{self, Read};

use anyhow::{Context, bail};

use super::member::{MOST_MEMBERS, MOST_NAME, Visit, bytes_of};

/// Bytes of a block.
pub(super) const BLOCK: usize = 512;
/// Bytes of a record of long names or further attributes: those that tools write have a few hundred.
const MOST_ATTRIBUTES: u64 = 64 << 10;

/// Whether a file begins with a header: the checksum of the block is right, and it is not empty.
pub(super) fn begins(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(|block| block.first() != Some(&0) && is_header(block))
}

/// The sum of all bytes of a header, its own field taken as spaces. Some old tools added signed bytes.
fn is_header(block: &[u8]) -> bool {
    let Some(said) = block.get(148..156).and_then(octal) else { return false };
    let in_field = |at: usize| (148..156).contains(&at);
    let bytes = || block.iter().enumerate().map(|(at, byte)| if in_field(at) { b' ' } else { *byte });
    let sum: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
    said == sum || i64::try_from(said).is_ok_and(|said| said == signed)
}

/// Digits of base 8, with spaces before and a space or zero behind.
fn octal(field: &[u8]) -> Option<u64> {
    let text = str::from_utf8(field).ok()?.trim_matches([' ', '\0']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

/// The size of a member: digits of base 8, or a binary number where the first bit is set.
fn size_of(block: &[u8]) -> Option<u64> {
    let field = block.get(124..136)?;
    match field.first() {
        Some(0x80) => {
            field.iter().skip(4).try_fold(0u64, |sum, byte| sum.checked_mul(256)?.checked_add((*byte).into()))
        }
        _ => octal(field),
    }
}

fn text_until_zero(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
}

/// The name in a header, with the folder that newer tars put in front.
fn name_of(block: &[u8]) -> String {
    let name = text_until_zero(block.get(..100).unwrap_or_default());
    let prefix = match block.get(257..263) {
        Some(b"ustar\0") => text_until_zero(block.get(345..500).unwrap_or_default()),
        _ => String::new(),
    };
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// What a record says about the member after it.
#[derive(Default)]
struct Attributes {
    name: Option<String>,
    size: Option<u64>,
}

impl Attributes {
    /// `27 path=a/long/name\n`, one after the other.
    fn add(&mut self, mut record: &[u8]) {
        while let Some(space) = record.iter().position(|byte| *byte == b' ') {
            let len =
                record.get(..space).and_then(|digits| str::from_utf8(digits).ok()?.parse::<usize>().ok());
            let Some(len) = len.filter(|len| *len > space) else { return };
            let Some(field) = record.get(space + 1..len) else { return };
            let text = String::from_utf8_lossy(field);
            match text.trim_end_matches('\n').split_once('=') {
                Some(("path", path)) => self.name = Some(path.to_owned()),
                Some(("size", size)) => self.size = size.parse().ok(),
                _ => {}
            }
            record = record.get(len..).unwrap_or_default();
        }
    }
}

/// Visits the files of a tar.
pub(super) fn for_each_member(stream: &mut dyn Read, visit: &mut Visit<'_>) -> anyhow::Result<()> {
    let mut attributes = Attributes::default();
    let mut members = 0;
    loop {
        let mut block = [0; BLOCK];
        let read = fill(stream, &mut block).context("the archive is damaged")?;
        // Two empty blocks end a tar; some tools write none.
        if read == 0 || block == [0; BLOCK] {
            return Ok(());
        }
        if read < BLOCK || !is_header(&block) {
            bail!("the archive is damaged or was cut; check that it was copied whole");
        }
        members += 1;
        if members > MOST_MEMBERS {
            bail!("the archive holds more than {MOST_MEMBERS} files, the limit; give the logs themselves");
        }
        let size = size_of(&block).context("the archive is damaged: a file has no size")?;
        match block.get(156) {
            Some(b'L' | b'x') if size > MOST_ATTRIBUTES => {
                bail!("the archive is damaged: a name in it has more than {MOST_ATTRIBUTES} bytes")
            }
            Some(b'L') => attributes.name = Some(text_until_zero(&content(stream, size)?)),
            Some(b'x') => attributes.add(&content(stream, size)?),
            kind => {
                let Attributes { name, size: told } = std::mem::take(&mut attributes);
                let size = told.unwrap_or(size);
                let name = name.unwrap_or_else(|| name_of(&block));
                let is_file = matches!(kind, Some(b'0' | 0 | b'7')) && !name.ends_with('/');
                let mut content = stream.take(size);
                if is_file && name.len() <= MOST_NAME {
                    visit(&name, &mut content)?;
                }
                let left = content.limit();
                skip(stream, left + padding(size))?;
            }
        }
    }
}

/// The bytes of a small record.
fn content(stream: &mut dyn Read, size: u64) -> anyhow::Result<Vec<u8>> {
    let bytes = bytes_of(stream, usize::try_from(size)?).context("the archive was cut")?;
    skip(stream, padding(size))?;
    Ok(bytes)
}

/// What fills the last block of a content.
fn padding(size: u64) -> u64 {
    size.next_multiple_of(BLOCK as u64) - size
}

fn skip(stream: &mut dyn Read, count: u64) -> anyhow::Result<()> {
    let skipped = io::copy(&mut stream.take(count), &mut io::sink()).context("the archive is damaged")?;
    if skipped < count {
        bail!("the archive was cut; check that it was copied whole");
    }
    Ok(())
}

/// Reads until the block is full or the stream ends.
fn fill(stream: &mut dyn Read, block: &mut [u8; BLOCK]) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = block.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_of_a_further_record_count() {
        let mut attributes = Attributes::default();
        attributes.add(b"20 atime=1700000000\n16 path=a/b.log\n14 size=70000\n");
        assert_eq!((attributes.name.as_deref(), attributes.size), (Some("a/b.log"), Some(70_000)));
        for damaged in [&b"path"[..], b"99 path=x\n", b"0 path=x\n", b"x path=y\n", b"3 \n"] {
            let mut attributes = Attributes::default();
            attributes.add(damaged);
            assert_eq!(attributes.name, None);
        }
    }

    #[test]
    fn sizes_are_octal_or_binary() {
        let size = |field: &[u8; 12]| {
            let mut block = [0; BLOCK];
            block[124..136].copy_from_slice(field);
            size_of(&block)
        };
        assert_eq!(size(b"00000000017\0"), Some(15));
        assert_eq!(size(&[0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]), Some((2 << 32) + 1));
        assert_eq!(size(b"0000000009x\0"), None);
    }
}
