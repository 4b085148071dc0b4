//! What stays the same from run to run: by it a finding, a graph break, a recompile or a failure is recognized in another
//! run. Never by a number, a line, a compile id or a folder of the machine.
//!
//! Baselines in a project's repository and alerts of code scanning hold what is made here: it must not change.

use super::findings::Finding;
use crate::model::stable;
use crate::model::words::{PACKAGES, file_name, headline, resumed};

/// Characters of a text in a fingerprint.
const LONGEST: usize = 300;

/// Identity of an item. Baselines count equal ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Identity {
    /// `graph_break`, `recompile`, `failure`, or the kind of a finding.
    pub kind: String,
    /// The part of the file's path that is the same on every machine.
    pub file: String,
    /// The function, without the line at which it was resumed.
    pub function: String,
    /// What happened, without anything that differs from run to run.
    pub reason: String,
    /// The source text of the line, if torch recorded it.
    pub source: String,
}

impl Identity {
    /// A fingerprint for other programs: the MD5 of its texts.
    pub fn fingerprint(&self) -> String {
        let texts = [&self.kind, &self.file, &self.function, &self.reason, &self.source];
        let mut hash = md5::Context::new();
        for text in texts {
            hash.consume(text);
            hash.consume([0]);
        }
        format!("{:x}", hash.finalize())
    }
}

impl Finding<'_> {
    /// Its identity in a baseline.
    pub fn identity(&self) -> Identity {
        Identity {
            kind: self.kind.owned(),
            file: self.file.as_deref().map(file_of).unwrap_or_default(),
            reason: without_numbers(&self.title),
            ..Identity::default()
        }
    }

    /// Its fingerprint for other programs, the same from `tlparse` and from `tlparse check`.
    pub fn fingerprint(&self) -> String {
        let Identity { kind, file, reason, .. } = self.identity();
        format!("{:x}", md5::compute([kind, file, stable(&reason)].join("\0")))
    }
}

/// The user's function: `f` for `torch_dynamo_resume_in_f_at_9`.
pub(crate) fn function_of(name: &str) -> &str {
    let mut name = name;
    // A resumed function may break again.
    while let Some((inner, _)) = resumed(name) {
        name = inner;
    }
    name
}

/// A reason without addresses and ids of objects, in one line.
pub(crate) fn reason_of(text: &str) -> String {
    stable(&line_of(&headline(text)))
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
    fn a_resumed_function_is_the_function_that_it_continues() {
        assert_eq!(function_of("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_9_at_12"), "f");
        assert_eq!(function_of("forward"), "forward");
    }

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
