//! In which way the lines of an input differ from those that torch wrote.

use super::super::payload::{LineKind, Md5, kind_of, lines_of};
use super::label::HeaderIn;
use super::traceback::has_failure;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::io::{self, Read};

/// Bytes at the beginning of an input that show whether it has to be restored.
const SAMPLE: u64 = 64 << 10;
/// Bytes that are searched for a first header: a program may print much before it compiles.
const SEARCHED: usize = 16 << 20;
/// Lines from the first header on.
const SAMPLED: usize = 200;
/// Columns between the stops of a tab in a terminal.
pub(super) const TAB: usize = 8;

/// In which way lines differ from those that torch wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in super::super) struct Form {
    /// Something stands before the headers.
    pub(super) is_labelled: bool,
    /// There are escape sequences of a terminal.
    pub(super) is_colored: bool,
    /// No payload line begins with a tab.
    pub(super) lost_tabs: bool,
    /// Lines were broken after so many columns.
    pub(super) width: Option<usize>,
    /// There are messages that `TORCH_LOGS` shows, or exceptions, and no records.
    pub(super) is_console: bool,
    /// There are no messages of torch, but the exception of a compile.
    pub(super) has_only_exceptions: bool,
}

impl Form {
    /// The form of an input, of which `stream` gives the beginning, and what was read of it. `None` for lines as torch writes
    /// them.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn of_stream(mut stream: impl Read) -> io::Result<(Option<Form>, Vec<u8>)> {
        let mut sample = Vec::new();
        loop {
            let searched = sample.len();
            (&mut stream).take(SAMPLE).read_to_end(&mut sample)?;
            let is_all = sample.len() - searched < SAMPLE as usize || sample.len() >= SEARCHED;
            // A line that was cut is searched again.
            let begin =
                memchr::memrchr(b'\n', sample.get(..searched).unwrap_or_default()).map_or(0, |at| at + 1);
            let fresh = sample.get(begin..).unwrap_or_default();
            if is_all || lines_of(fresh).any(|line| HeaderIn::find(&without_colors(line)).is_some()) {
                return Ok((Form::of(&sample), sample));
            }
        }
    }

    fn of(sample: &[u8]) -> Option<Form> {
        let mut form = Form::default();
        let (mut headers, mut records, mut labelled, mut tabs, mut bare, mut cut) =
            (0, 0, 0, 0, 0, Vec::new());
        let (mut expects_payload, mut widest, mut as_wide) = (false, 0, 0);
        // The last line may be cut.
        let end = memchr::memrchr(b'\n', sample).unwrap_or(sample.len());
        let lines = lines_of(sample.get(..end).unwrap_or_default());
        let is_before = |line: &&[u8]| HeaderIn::find(&without_colors(line)).is_none();
        for line in lines.skip_while(is_before).take(SAMPLED) {
            let plain = without_colors(line);
            let is_colored = matches!(plain, Cow::Owned(_));
            let width = columns(&plain);
            (widest, as_wide) = match width.cmp(&widest) {
                Ordering::Greater => (width, 1),
                Ordering::Equal => (widest, as_wide + 1),
                Ordering::Less => (widest, as_wide),
            };
            let Some(header) = HeaderIn::find(&plain) else {
                let is_payload =
                    kind_of(&plain, true) == LineKind::Payload || memchr::memchr(b'\t', &plain).is_some();
                tabs += usize::from(is_payload);
                bare += usize::from(!is_payload && expects_payload && !plain.trim_ascii().is_empty());
                expects_payload = false;
                continue;
            };
            headers += 1;
            records += usize::from(header.is_record);
            labelled += usize::from(!header.label.is_empty());
            form.is_colored |= is_colored;
            expects_payload = header.is_whole && declared(&plain).is_some();
            cut.extend((header.is_record && !header.is_whole).then_some(width));
        }
        form.is_labelled = labelled > 1 || labelled > 0 && labelled == headers;
        form.has_only_exceptions = headers == 0 && has_failure(sample);
        form.is_console = headers > 0 && records == 0 || form.has_only_exceptions;
        form.lost_tabs = bare > 0 && tabs == 0;
        form.width = cut.first().copied().filter(|width| cut.len() > 1 && cut.iter().all(|cut| cut == width));
        // Without tabs it came from a terminal: lines that all end in the same last column are broken there.
        let broken = (form.lost_tabs && as_wide > 2).then_some(widest);
        form.width = form.width.or(broken).filter(|width| *width >= widest);
        (form != Form::default()).then_some(form)
    }
}

/// The hash that a header says its payload has.
pub(super) fn declared(header: &[u8]) -> Option<Md5> {
    const KEY: &[u8] = b"\"has_payload\": \"";
    const DIGITS: usize = 32;
    let at = memchr::memmem::find(header, KEY)? + KEY.len();
    Md5::from_hex(std::str::from_utf8(header.get(at..at + DIGITS)?).ok()?)
}

/// The line without escape sequences of a terminal; a copy only if there are any.
pub(super) fn without_colors(line: &[u8]) -> Cow<'_, [u8]> {
    const ESCAPE: u8 = 0x1b;
    if memchr::memchr(ESCAPE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut kept = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        let (before, escape) = rest.split_at(at);
        kept.extend_from_slice(before);
        // `ESC [ 36 ; 1 m`: parameters, then a letter.
        let parameters = escape.iter().skip(2).take_while(|byte| matches!(byte, b'0'..=b'?')).count();
        let length = if escape.get(1) == Some(&b'[') { parameters + 3 } else { 1 };
        rest = escape.get(length..).unwrap_or_default();
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// How many columns of a terminal a line takes.
pub(super) fn columns(line: &[u8]) -> usize {
    let is_first_of_character = |byte: &&u8| **byte & 0xc0 != 0x80;
    line.iter().filter(is_first_of_character).fold(0, |column, byte| match byte {
        b'\t' => (column / TAB + 1) * TAB,
        b'\r' => column,
        _ => column + 1,
    })
}
