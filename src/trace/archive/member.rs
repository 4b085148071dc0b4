//! What the members of all archives share: limits, who is given them, numbers.

use std::io::{self, Read};

/// How many members an archive may have.
pub(super) const MOST_MEMBERS: usize = 100_000;

/// Is given the name of a member, as the archive has it, and its content, of which it may read as much as it likes.
pub(super) type Visit<'v> = dyn FnMut(&str, &mut dyn Read) -> anyhow::Result<()> + 'v;

/// Reads exactly that many bytes.
pub(super) fn bytes_of(stream: &mut dyn Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A number of two, four or eight bytes, the lowest first.
pub(super) fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(len)?)?;
    Some(digits.iter().rev().fold(0, |sum, digit| (sum << 8) | u64::from(*digit)))
}
