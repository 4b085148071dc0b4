//! What is the same about a finding in every run, by which other programs and baselines recognize it.

use super::findings::Finding;
use crate::analysis::PACKAGES;
use crate::model::words::{file_name, headline};

/// Characters of a text in an identity.
const LONGEST: usize = 300;

impl Finding<'_> {
    /// A fingerprint for other programs: the MD5 of its kind, of the part of its file that is the same on every machine, and of
    /// its title without numbers.
    pub(crate) fn fingerprint(&self) -> String {
        let file = self.file.as_deref().map(file_of).unwrap_or_default();
        let texts = [&*self.kind, &file, &without_numbers(&self.title)];
        format!("{:x}", md5::compute(texts.join("\0")))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_its_package_on_or_by_its_own_name() {
        let package = "/venv/lib/python3.11/site-packages/torch/nn/functional.py";
        assert_eq!(file_of(package), "torch/nn/functional.py");
        assert_eq!(file_of("/home/me/model/net.py"), "net.py");
        assert_eq!(file_of("C:\\work\\net.py"), "net.py");
        assert_eq!(file_of("/app/model/__init__.py"), "model/__init__.py");
    }

    #[test]
    fn a_title_loses_its_numbers_but_not_those_of_its_names() {
        let pairs = [
            ("3 of 12 kernels took 0.5 s.", "# of # kernels took # s."),
            ("x1[3] was -0.018349945545196533", "x1[3] was #"),
            ("eps is 1e-05, at 0x55d8f00", "eps is #, at #"),
        ];
        for (title, kept) in pairs {
            assert_eq!(without_numbers(title), kept);
        }
    }
}
