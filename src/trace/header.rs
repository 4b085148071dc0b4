//! A header line, read into what it says of its record.

use super::damage::{Damage, DamageKind, bounded, quoted};
use super::envelope::{Envelope, clean_header, without_bom};
use super::json::nests_deeper;
use super::lines::Lines;
use super::payload::{LineKind, kind_of};
use super::prefix::{LocalTime, Prefix};
use crate::limits::DEEPEST_JSON;
use std::fmt::Display;
use std::io::{self, Read};
use std::ops::ControlFlow;

/// A header line over this size, in bytes, is skipped: the largest one seen in a real log has 60 KB.
pub(super) const MAX_HEADER: usize = 64 << 20;

pub(super) struct Header {
    pub time: LocalTime,
    pub pid: u64,
    pub envelope: Envelope,
    /// What is wrong with it; usually nothing.
    pub problems: Vec<Damage>,
}

impl Header {
    /// Reads the header line with this number, which is `len` bytes long; `bytes` are those that were kept of it.
    ///
    /// # Errors
    /// The line is not a header; the damage says why.
    pub fn read(bytes: &[u8], line: u64, len: u64) -> Result<Header, Damage> {
        let damage = |kind, detail: String| Damage { line, kind, detail: bounded(detail) };
        let bad_json = |what: &dyn Display, json: &[u8]| {
            let detail = format!("{what}: {}", quoted(json));
            damage(DamageKind::BadJson, detail)
        };
        if len > MAX_HEADER as u64 {
            return Err(bad_json(&format_args!("header line too long ({len} bytes)"), bytes));
        }
        let cleaned = clean_header(without_bom(bytes, line));
        let Some((prefix, json)) = Prefix::parse(&cleaned.text) else {
            return Err(damage(DamageKind::BadPrefix, format!("not a line of a trace: {}", quoted(bytes))));
        };
        if nests_deeper(json, DEEPEST_JSON) {
            let what = format_args!("the metadata nests deeper than {DEEPEST_JSON} levels");
            return Err(bad_json(&what, json.as_bytes()));
        }
        let envelope = Envelope::parse(json).map_err(|error| {
            let why = error.to_string().replace(" at line 1 column ", " at column ");
            bad_json(&format_args!("the metadata is not a JSON object, {why}"), json.as_bytes())
        })?;
        let mut problems = Vec::new();
        if cleaned.non_utf8 {
            problems.push(damage(DamageKind::NonUtf8, "the header has bytes that are not UTF-8".to_owned()));
        }
        Ok(Header { time: prefix.time, pid: prefix.pid, envelope, problems })
    }
}

/// Gives the prefix and the JSON of each header line to `take`, until that has enough. Of a line that is longer than the read
/// buffer they are the beginning.
pub(super) fn for_each_header(
    log: impl Read,
    mut take: impl FnMut(Prefix<'_>, &str) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut lines = Lines::new(log);
    let mut starts = true;
    loop {
        let number = lines.line();
        let Some(piece) = lines.peek()? else { return Ok(()) };
        if std::mem::replace(&mut starts, piece.ends) && kind_of(piece.bytes, piece.ends) == LineKind::Header
        {
            let line = clean_header(without_bom(piece.bytes, number));
            let header = Prefix::parse(&line.text);
            if header.is_some_and(|(prefix, json)| take(prefix, json).is_break()) {
                return Ok(());
            }
        }
        lines.consume();
    }
}
