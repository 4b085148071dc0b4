//! The glog prefix of a header line: `V1120 04:42:01.123456 12887 torch/_dynamo/utils.py:2473] `.

use std::fmt;

/// A time as the prefix has it: local, without year and time zone.
///
/// The digits are not checked against the calendar: a damaged log may have month 99.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LocalTime {
    /// Month, 1 to 12 unless the log is damaged.
    pub month: u8,
    /// Day of the month.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
    /// Microseconds; torch writes milliseconds, so the last three digits are 0.
    pub micros: u32,
}

impl LocalTime {
    /// Appends `11-20T04:55:35.653000`. A formatter takes 2,500 instructions for it, and each record has one.
    pub fn push_to(&self, text: &mut String) {
        let LocalTime { month, day, hour, minute, second, micros } = *self;
        let parts = [("", month), ("-", day), ("T", hour), (":", minute), (":", second)];
        for (before, number) in parts {
            text.push_str(before);
            push_padded(text, u32::from(number), 2);
        }
        text.push('.');
        push_padded(text, micros, 6);
    }
}

/// As [`LocalTime::push_to`].
impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

/// Appends a number, padded with zeros to at least `digits` digits.
fn push_padded(text: &mut String, number: u32, digits: usize) {
    let mut buffer = itoa::Buffer::new();
    let written = buffer.format(number);
    text.extend(std::iter::repeat_n('0', digits.saturating_sub(written.len())));
    text.push_str(written);
}

/// The part of a header line before its JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix<'a> {
    /// `V`, `I`, `W`, `E` or `C`; torch's trace only writes `V`.
    pub level: u8,
    /// When the record was written.
    pub time: LocalTime,
    /// The process id; torch 2.3 and 2.4 wrote the thread id here, which does not fit 32 bits.
    pub pid: u64,
    /// The source file that emitted the record, without surrounding spaces.
    pub path: &'a str,
    /// The line in that source file.
    pub line: u64,
}

impl<'a> Prefix<'a> {
    /// Reads the prefix at the start of a cleaned header line; gives it and what follows `"] "`.
    ///
    /// `None` when the line is not a glog line.
    pub fn parse(text: &'a str) -> Option<(Prefix<'a>, &'a str)> {
        let level = *text.as_bytes().first()?;
        if !matches!(level, b'V' | b'I' | b'W' | b'E' | b'C') {
            return None;
        }
        let (time, rest) = local_time(text.get(1..)?)?;
        let (pid, rest) = leading_number(after_spaces(rest)?)?;
        let mut rest = after_spaces(rest)?;
        // Some writers put a numeric thread id between the process id and the path.
        if let Some((_, after)) = leading_number(rest)
            && let Some(path) = after_spaces(after)
        {
            rest = path;
        }
        let (path, line, json) = source_place(rest)?;
        Some((Prefix { level, time, pid, path: path.trim(), line }, json))
    }
}

/// `MMDD HH:MM:SS.uuuuuu`, and the text after it.
fn local_time(text: &str) -> Option<(LocalTime, &str)> {
    // The shape: 0 matches any digit, everything else itself.
    const SHAPE: &[u8] = b"0000 00:00:00.000000";
    let bytes = text.as_bytes().get(..SHAPE.len())?;
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    if !bytes.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    let two = |from: usize| number(from, from + 2).and_then(|n| u8::try_from(n).ok());
    let time = LocalTime {
        month: two(0)?,
        day: two(2)?,
        hour: two(5)?,
        minute: two(8)?,
        second: two(11)?,
        micros: number(14, 20)?,
    };
    // Digits beyond the microseconds are skipped.
    Some((time, text.get(SHAPE.len()..)?.trim_start_matches(|c: char| c.is_ascii_digit())))
}

/// The text after at least one space.
fn after_spaces(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(' ');
    (rest.len() < text.len()).then_some(rest)
}

/// The number at the start of the text, and the text after it.
fn leading_number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, rest))
}

/// `PATH:LINE] rest`: the first `]` that follows a colon and digits and is followed by a space ends the prefix, so a
/// path may hold colons, spaces and brackets.
fn source_place(text: &str) -> Option<(&str, u64, &str)> {
    // A u64 has at most 20 digits; looking back no further keeps a line full of brackets linear.
    const MAX_DIGITS: usize = 20;
    for at in memchr::memchr_iter(b']', text.as_bytes()) {
        let (before, after) = text.split_at_checked(at)?;
        let Some(rest) = after.strip_prefix("] ") else { continue };
        let digits = before.bytes().rev().take(MAX_DIGITS).take_while(u8::is_ascii_digit).count();
        let Some((place, line)) = before.split_at_checked(before.len() - digits) else { continue };
        if let (Some(path), Ok(line)) = (place.strip_suffix(':'), line.parse()) {
            return Some((path, line, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_full_of_brackets_is_read_in_one_pass() {
        let line = format!("V1120 04:51:46.137000 1 {}", "] ".repeat(4 << 20));
        assert!(Prefix::parse(&line).is_none());
    }
}
