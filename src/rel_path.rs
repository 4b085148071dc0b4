//! Paths of files inside a report. Logs choose parts of them, so each is checked.

use crate::hidden::is_hidden;
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Deepest path: `rank_0/process_7/-_0_0_0/file`.
const MAX_PARTS: usize = 4;

/// File systems allow names of 255 bytes (143 on eCryptfs); this leaves room for a suffix.
const MAX_PART_BYTES: usize = 120;

/// Hexadecimal digits of the hash that distinguishes truncated names.
const HASH_DIGITS: usize = 8;

/// A truncated name keeps some of its own text beside the hash.
const MIN_PART_BYTES: usize = 2 * HASH_DIGITS;

/// A checked relative path inside a report, its parts separated by `/`.
///
/// It has no root, no `..`, no empty part, no control or invisible character, nothing that Windows reserves, at
/// most four parts and at most 120 bytes per part. Joined to a folder, it stays below that folder on any system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<str>);

impl RelPath {
    /// Returns `text` as a path if it is safe.
    #[must_use]
    pub fn new(text: &str) -> Option<RelPath> {
        let mut parts = 0;
        for part in text.split('/') {
            parts += 1;
            if parts > MAX_PARTS || !is_safe_part(part) {
                return None;
            }
        }
        Some(RelPath(text.into()))
    }

    /// Joins parts after making each of them safe; parts beyond the fourth are dropped.
    #[must_use]
    pub fn of_parts(parts: &[&str]) -> RelPath {
        // Exactly as long as safe parts need, so that boxing it copies nothing.
        let slashes = parts.len().saturating_sub(1);
        let mut path = String::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + slashes);
        for part in parts.iter().take(MAX_PARTS) {
            if !path.is_empty() {
                path.push('/');
            }
            match is_safe_part(part) {
                true => path.push_str(part),
                false => path.push_str(&RelPath::safe_part(part, MAX_PART_BYTES)),
            }
        }
        RelPath(path.into())
    }

    /// [`of_parts`](RelPath::of_parts) for a folder and a name, reusing the folder's text: the path of each file is built about
    /// ten times per report.
    #[must_use]
    pub(crate) fn below(mut folder: String, name: &str) -> RelPath {
        if !is_safe_part(&folder) || !is_safe_part(name) {
            return RelPath::of_parts(&[&folder, name]);
        }
        folder.push('/');
        folder.push_str(name);
        RelPath(folder.into())
    }

    /// Makes a safe part of at most `max` bytes (clamped to 16 to 120) from any `name`.
    ///
    /// A safe name is kept. Otherwise unsafe characters become `_`, and a long name is truncated and gets a hash of the
    /// whole, so that two long names stay distinct. Two short names may become equal: the caller numbers them.
    #[must_use]
    pub fn safe_part(name: &str, max: usize) -> Cow<'_, str> {
        let max = max.clamp(MIN_PART_BYTES, MAX_PART_BYTES);
        if name.len() <= max && is_safe_part(name) {
            return Cow::Borrowed(name);
        }
        // A hostile name may have megabytes; one character beyond `max` shows that it is too long.
        let mut part: String =
            name.chars().take(max + 1).map(|c| if is_unsafe(c) { '_' } else { c }).collect();
        if is_reserved(&part) {
            part.insert(0, '_');
        }
        if part.len() > max {
            let ends = part.char_indices().map(|(start, c)| start + c.len_utf8());
            let end = ends.take_while(|end| *end < max - HASH_DIGITS).last().unwrap_or(0);
            part.truncate(end);
            let digest = format!("{:x}", md5::compute(name));
            part.push('_');
            part.extend(digest.chars().take(HASH_DIGITS));
        }
        let kept = part.trim_end_matches(['.', ' ']).len();
        let dropped = part.len() - kept;
        part.truncate(kept);
        part.extend(std::iter::repeat_n('_', dropped));
        if part.is_empty() {
            part.push('_');
        }
        Cow::Owned(part)
    }

    /// Its parent folders, outermost first: `a` and `a/b` for `a/b/c`.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| self.0.split_at(at).0)
    }

    /// The path with `/` between its parts, as in a link.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same as a `String`.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0.into()
    }
}

impl AsRef<Path> for RelPath {
    fn as_ref(&self) -> &Path {
        Path::new(&*self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_safe_part(part: &str) -> bool {
    !part.is_empty()
        && part.len() <= MAX_PART_BYTES
        && !matches!(part.as_bytes().last(), Some(b'.' | b' ')) // `.` and `..` too; Windows drops them
        // Nearly all names consist of plain bytes. `fold` does not end early, so that it is vectorized.
        && (part.bytes().fold(true, |all, byte| all & is_plain(byte)) || !part.contains(is_unsafe))
        && !is_reserved(part)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() | (byte == b'_') | (byte == b'-') | (byte == b'.')
}

/// Separators, characters that Windows forbids, and hidden ones.
fn is_unsafe(c: char) -> bool {
    matches!(c, '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*') || is_hidden(c)
}

/// Names of Windows devices, with any extension and in any case.
fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    let is_name = |name: &str| stem.eq_ignore_ascii_case(name);
    let is_port = || {
        let (name, number) = stem.split_at_checked(3).unwrap_or_default();
        (name.eq_ignore_ascii_case("com") || name.eq_ignore_ascii_case("lpt"))
            && matches!(number.chars().next(), Some('0'..='9' | '¹' | '²' | '³'))
            && number.chars().nth(1).is_none()
    };
    ["con", "prn", "aux", "nul", "conin$", "conout$"].into_iter().any(is_name) || is_port()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::hold;

    #[test]
    fn each_text_is_the_path_and_the_part_that_the_rows_of_the_file_say() {
        hold(include_str!("rel_path_cases.txt"), |query, input| {
            let text: String = serde_json::from_str(&format!("\"{input}\"")).unwrap();
            match query {
                "path" => RelPath::new(&text).map(|path| path.to_string()),
                _ => Some(RelPath::safe_part(&text, 100).into_owned()),
            }
        });
        assert_eq!(Path::new("/r").join(RelPath::new("a/b").unwrap()), Path::new("/r/a/b"));
        assert!(RelPath::new(&"x".repeat(121)).is_none());
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let (one, two) = ("é".repeat(200) + "1", "é".repeat(200) + "2");
        let (one, two) = (RelPath::safe_part(&one, 50), RelPath::safe_part(&two, 50));
        assert_ne!(one, two);
        assert!(one.len() <= 50 && one.starts_with("ééé"), "{one}");
        assert_eq!(RelPath::safe_part(&"x".repeat(500), 9999).len(), 120);
        assert_eq!(RelPath::safe_part(&"x".repeat(500), 0).len(), 16);
    }

    #[test]
    fn a_name_below_a_folder_is_what_joining_both_gives() {
        let long = "x".repeat(MAX_PART_BYTES + 1);
        for folder in ["-_0_0_0", "a/b", "..", "nul", &long] {
            for name in ["compile.html", "a/../b", "", "con.txt", "é", &long] {
                assert_eq!(RelPath::below(folder.to_owned(), name), RelPath::of_parts(&[folder, name]));
            }
        }
    }

    #[test]
    fn every_name_becomes_a_part_that_is_a_path() {
        let pieces =
            ["con", "nul", ".", " ", "/", "..", "é", "\u{10ffff}", "a", "\0", "lpt1", "*", "日本語日本語"];
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    for (times, max) in [(1, 100), (7, 16), (40, 33), (1, 0)] {
                        let name = format!("{a}{b}{}", c.repeat(times));
                        let part = RelPath::safe_part(&name, max);
                        assert!(RelPath::new(&part).is_some(), "{name:?} became {part:?}");
                        assert!(!part.contains('/') && part.len() <= max.max(16), "{name:?} became {part:?}");
                    }
                }
            }
        }
    }
}
