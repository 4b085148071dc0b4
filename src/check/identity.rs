//! What makes a finding of one run the same as one of another: where it is and what it says, never a line or a compile id.

use crate::analysis::{PACKAGES, resumed};
use crate::model::stable;
use crate::model::words::{file_name, headline};
use serde::{Deserialize, Serialize};

/// Characters of a text in an identity.
const LONGEST: usize = 300;

/// One known thing, as a baseline has it. Equal ones are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    /// `graph_break`, `recompile`, `failure`, or the kind of a finding.
    pub kind: String,
    /// The file, as far as its path is the same on every machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The function, without the line at which it was resumed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// What happened, without what differs from run to run.
    pub reason: String,
    /// The source text of the line, where torch recorded it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

impl Identity {
    /// A short name of it for other programs: the MD5 of its texts.
    pub(crate) fn fingerprint(&self) -> String {
        let texts = [&self.kind, &self.file, &self.function, &self.reason, &self.source];
        let mut hash = md5::Context::new();
        for text in texts {
            hash.consume(text);
            hash.consume([0]);
        }
        format!("{:x}", hash.finalize())
    }
}

/// The function that a name of torch means: `f` of `torch_dynamo_resume_in_f_at_9`.
pub(super) fn function_of(name: &str) -> &str {
    let mut name = name;
    // A function that was resumed may break again.
    while let Some((inner, _)) = resumed(name) {
        name = inner;
    }
    name
}

/// A file as every machine names it, wherever the project stands: of a package from its name on, otherwise by its own name.
/// Equal names of different files do no harm: what is known is counted.
pub(super) fn file_of(file: &str) -> String {
    let path = file.replace('\\', "/");
    if let Some((_, rest)) = PACKAGES.iter().find_map(|folder| path.rsplit_once(folder)) {
        return rest.to_owned();
    }
    // All packages have a file of this name: the folder says which.
    let name = file_name(&path);
    let folder = path.strip_suffix(name).map(|folder| file_name(folder.trim_end_matches('/')));
    match folder.filter(|folder| name == "__init__.py" && !folder.is_empty()) {
        Some(folder) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

/// A reason without addresses and ids of objects, in one line.
pub(super) fn reason_of(text: &str) -> String {
    stable(&line_of(&headline(text)))
}

/// A text in one line without control characters, and not too long.
fn line_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// The guard that failed without the values that it compares: they differ from run to run where data does. Numbers that say
/// what is compared, such as the index of a dimension, stay.
pub(super) fn guard_of(text: &str) -> String {
    let text = line_of(&headline(text));
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        kept.push_str(before);
        let (number, after) = digits.split_at(number_length(digits));
        let part_of_name = kept.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '[' | '\''));
        let index = kept.ends_with("index ") || kept.ends_with("dim ");
        if part_of_name || index {
            kept.push_str(number);
        } else {
            // The point behind a number may end a sentence: `index 1. expected 4`.
            let point = if number.ends_with('.') { "#." } else { "#" };
            kept.push_str(point);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept.replace("-#", "#")
}

/// How many bytes a number takes that a text begins with: `12`, `0.5.`, `1e-05`, `0x7f3a`.
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

/// The source text of a line, in one line.
pub(super) fn source_of(text: Option<&str>) -> String {
    line_of(text.unwrap_or_default())
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
    fn a_guard_loses_the_values_that_it_compares_and_keeps_what_is_compared() {
        let guard = guard_of("tensor 'x' size mismatch at index 1. expected 4, actual 17");
        assert_eq!(guard, "tensor 'x' size mismatch at index 1. expected #, actual #");
        assert_eq!(guard_of("L['k'] == 2.5"), "L['k'] == #");
        assert_eq!(guard_of("___stack0 == -0.018349945545196533"), "___stack0 == #");
        assert_eq!(guard_of("L['xs'][3].size()[0] == 7"), "L['xs'][3].size()[0] == #");
        assert_eq!(guard_of("___check_obj_id(L['f'], 94506458411648)"), "___check_obj_id(L['f'], #)");
        assert_eq!(guard_of("L['c'].eps == 1e-05"), "L['c'].eps == #");
        assert_eq!(guard_of("type(L['x']), 0x55d8f00 is"), "type(L['x']), # is");
    }
}
