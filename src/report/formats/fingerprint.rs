//! Recognizes a finding in another run: by its kind, its file and what happened, never by a number, a line or a folder of
//! the machine. `tlparse` and `tlparse check` give a finding the same fingerprint.

use crate::analysis::PACKAGES;
use crate::facts::Finding;
use crate::model::stable;
use crate::model::words::{file_name, headline};

/// Characters of a text in a fingerprint.
const LONGEST: usize = 300;

/// The MD5 of what stays the same.
pub(crate) fn fingerprint(finding: &Finding<'_>) -> String {
    let file = finding.file.as_deref().map(file_of).unwrap_or_default();
    let title = stable(&without_numbers(&finding.title));
    format!("{:x}", md5::compute([&*finding.kind, &file, &title].join("\0")))
}

/// A file without the folders that depend on the machine: from its package on, otherwise its name. Different files with
/// the same name do no harm, as items are counted.
pub(crate) fn file_of(file: &str) -> String {
    let path = file.replace('\\', "/");
    if let Some((_, rest)) = PACKAGES.iter().find_map(|folder| path.rsplit_once(folder)) {
        return rest.to_owned();
    }
    // Every package has a file of this name, so the folder is kept.
    let name = file_name(&path);
    let folder = path.strip_suffix(name).map(|folder| file_name(folder.trim_end_matches('/')));
    match folder.filter(|folder| name == "__init__.py" && !folder.is_empty()) {
        Some(folder) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

/// A text in one line, without control characters and of limited length.
pub(crate) fn line_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// A title without its numbers, which differ from run to run. Numbers that are part of a name stay.
pub(crate) fn without_numbers(text: &str) -> String {
    let text = line_of(&headline(text));
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        kept.push_str(before);
        let (number, after) = digits.split_at(number_length(digits));
        let part_of_name = kept.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '[' | '\''));
        if part_of_name {
            kept.push_str(number);
        } else {
            // A point after a number may end a sentence.
            let point = if number.ends_with('.') { "#." } else { "#" };
            kept.push_str(point);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept.replace("-#", "#")
}

/// Length in bytes of the number at the start of a text: `12`, `0.5.`, `1e-05`, `0x7f3a`.
fn number_length(text: &str) -> usize {
    let length = |text: &str, fits: fn(char) -> bool| text.find(|c| !fits(c)).unwrap_or(text.len());
    if let Some(hex) = text.strip_prefix("0x") {
        return 2 + length(hex, |c| c.is_ascii_hexdigit());
    }
    let whole = length(text, |c| c.is_ascii_digit() || c == '.');
    let behind = text.get(whole..).unwrap_or_default();
    let exponent = behind.strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
    let digits = exponent.map_or(0, |rest| length(rest, |c| c.is_ascii_digit()));
    match exponent {
        Some(rest) if digits > 0 => whole + behind.len() - rest.len() + digits,
        _ => whole,
    }
}
