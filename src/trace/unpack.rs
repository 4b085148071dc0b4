//! Compressed streams, detected by magic bytes, and the limit on what a small file may unpack to.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use crate::system::files::free_bytes;
use anyhow::Result;

/// The checksum of a member of a zip.
pub(super) use flate2::Crc as Checksum;

/// Bytes of one read of a packed file.
pub(super) const WINDOW: usize = 256 << 10;
/// How many of a file's first bytes identify its format.
pub(super) const MAGIC: usize = 4;

/// How a stream is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// What the first bytes of a stream say.
    pub fn detect(head: &[u8]) -> Packing {
        match head {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            // A frame of data, or one to be skipped, which tools put in front to say something about the file.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }

    /// The stream as it was before it was packed.
    pub fn reader<'r>(self, stream: impl BufRead + 'r) -> io::Result<Box<dyn Read + 'r>> {
        Ok(match self {
            Packing::Plain => Box::new(stream),
            Packing::Gzip => Box::new(GzipMembers { member: Some(flate2::bufread::GzDecoder::new(stream)) }),
            Packing::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(stream)?),
        })
    }
}

/// A stream as it was before it was compressed with gzip or zstd, and how it was packed.
pub(super) fn unpacking<'r>(mut stream: impl Read + 'r) -> io::Result<(Packing, Box<dyn Read + 'r>)> {
    let mut magic = Vec::new();
    (&mut stream).take(MAGIC as u64).read_to_end(&mut magic)?;
    let packing = Packing::detect(&magic);
    let whole = io::Cursor::new(magic).chain(stream);
    if packing == Packing::Plain {
        // Without a buffer: most callers look at the first bytes only, and the others read large pieces.
        return Ok((packing, Box::new(whole)));
    }
    Ok((packing, packing.reader(io::BufReader::with_capacity(WINDOW, whole))?))
}

/// A file as it was before it was compressed with gzip or zstd.
pub fn unpacked(file: File) -> io::Result<Box<dyn Read>> {
    unpacking(file).map(|(_, stream)| stream)
}

/// The content of a compressed member of a zip.
pub(super) fn inflated<'r>(stream: impl BufRead + 'r) -> Box<dyn Read + 'r> {
    Box::new(flate2::bufread::DeflateDecoder::new(stream))
}

/// Lets `fill` write a text, and packs it as the name of its file says: `.gz` and `.zst`, else not at all.
///
/// # Errors
/// `fill` fails, or what it writes cannot be written.
pub fn packed(
    file: &mut dyn Write,
    name: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let ending = name.extension().unwrap_or_default().to_ascii_lowercase();
    if ending == "gz" {
        let mut packing = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        fill(&mut packing)?;
        packing.finish()?;
    } else if ending == "zst" {
        let mut packing = zstd::stream::write::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        fill(&mut packing)?;
        packing.finish()?;
    } else {
        let mut whole = io::BufWriter::with_capacity(WINDOW, file);
        fill(&mut whole)?;
        whole.flush()?;
    }
    Ok(())
}

/// The members of a gzip file one after the other. Zeros after a member are skipped, as gzip does: a tape or a block
/// device is filled up with them.
struct GzipMembers<R> {
    /// None at the end.
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let read = member.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let rest = self.member.take().map(flate2::bufread::GzDecoder::into_inner);
            let Some(mut rest) = rest else { return Ok(0) };
            if !pass_zeros(&mut rest)? {
                self.member = Some(flate2::bufread::GzDecoder::new(rest));
            }
        }
    }
}

/// Passes over zeros; says whether the stream ends with them.
fn pass_zeros(stream: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let window = stream.fill_buf()?;
        if window.is_empty() {
            return Ok(true);
        }
        let zeros = window.iter().take_while(|byte| **byte == 0).count();
        let is_over = zeros == window.len();
        stream.consume(zeros);
        if !is_over {
            return Ok(false);
        }
    }
}

/// How many bytes an input may unpack to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub bytes: u64,
}

/// The default limit, if the disk has room for twice as much.
const MOST_UNPACKED: u64 = 64 << 30;

impl Default for Limit {
    /// 64 GB, or half of the free space for temporary files if that is less.
    fn default() -> Limit {
        let free = free_bytes(&std::env::temp_dir());
        Limit { bytes: free.map_or(MOST_UNPACKED, |free| MOST_UNPACKED.min(free / 2)) }
    }
}

/// An input unpacks to more than the limit; a temporary file too large for the system is another error.
#[derive(Debug)]
struct OverLimit(Limit);

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = amount(self.0.bytes);
        write!(f, "it unpacks to more than {amount}, the limit; --max-unpacked SIZE allows more")
    }
}

impl std::error::Error for OverLimit {}

/// Whether a read failed for this reason.
pub(super) fn is_over_limit(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<OverLimit>())
}

/// `64 GB`, `1.5 GB`, `410 KB`, with units of 1024 bytes.
fn amount(bytes: u64) -> String {
    let units = [(1u64 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    let unit = units.into_iter().find(|(size, _)| bytes >= *size);
    let Some((size, name)) = unit else { return format!("{bytes} bytes") };
    let tenths = u128::from(bytes) * 10 / u128::from(size);
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

/// A stream that ends with an error at a limit.
pub(super) struct Limited<R> {
    stream: R,
    limit: Limit,
    left: u64,
}

impl<R: Read> Limited<R> {
    /// The stream, of which `used` bytes of the limit are taken already.
    pub fn new(stream: R, limit: Limit, used: u64) -> Self {
        Limited { stream, limit, left: limit.bytes.saturating_sub(used) }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(out)? as u64;
        if read > self.left {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, OverLimit(self.limit)));
        }
        self.left -= read;
        Ok(usize::try_from(read).unwrap_or(0))
    }
}

/// Copies as much of a packed stream as possible. Returns how many bytes there are, and the reason for stopping early if
/// something could be unpacked before.
pub(super) fn copy_unpacked(mut from: impl Read, to: &mut impl Write) -> io::Result<(u64, Option<String>)> {
    let mut buffer = vec![0; WINDOW];
    let mut unpacked = 0u64;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok((unpacked, None)),
            Ok(read) => {
                to.write_all(buffer.get(..read).unwrap_or_default())?;
                unpacked += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if unpacked == 0 || is_over_limit(&error) => return Err(error),
            Err(error) => {
                let reason = format!("the archive is damaged after {unpacked} bytes of log: {error}");
                return Ok((unpacked, Some(reason)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        unpacking(bytes)?.1.read_to_end(&mut text)?;
        Ok(text)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn zeros_behind_a_gzip_file_are_not_damage() {
        let padded = [gzip(b"one\n"), vec![0; 3 * WINDOW]].concat();
        assert_eq!(text_of(&padded).unwrap(), b"one\n");
        let two = [gzip(b"one\n"), vec![0; 512], gzip(b"two\n")].concat();
        assert_eq!(text_of(&two).unwrap(), b"one\ntwo\n");
        assert!(text_of(&[gzip(b"one\n"), b"more".to_vec()].concat()).is_err());
    }

    #[test]
    fn a_skippable_frame_in_front_of_a_zst_is_passed_over() {
        let frame = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'a', b'b', b'c'];
        let packed = [frame.to_vec(), zstd::encode_all(b"one\n".as_slice(), 1).unwrap()].concat();
        assert_eq!(text_of(&packed).unwrap(), b"one\n");
    }

    #[test]
    fn a_limit_is_an_error_only_beyond_it() {
        let read = |used: u64| {
            let limited = Limited::new([7; 10].as_slice(), Limit { bytes: 16 }, used);
            copy_unpacked(limited, &mut Vec::new())
        };
        assert_eq!(read(6).unwrap(), (10, None));
        let error = read(7).unwrap_err();
        assert!(is_over_limit(&error));
        assert_eq!(
            error.to_string(),
            "it unpacks to more than 16 bytes, the limit; --max-unpacked SIZE allows more"
        );
    }

    #[test]
    fn amounts_are_said_in_the_largest_unit_that_they_reach() {
        let said = [1023, 1536 << 20, 64 << 30, 410 << 10].map(amount);
        assert_eq!(said, ["1023 bytes", "1.5 GB", "64 GB", "410 KB"]);
    }
}
