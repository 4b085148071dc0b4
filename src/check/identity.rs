//! Identifies an item across runs: by its place and reason, never by a line or a compile id.

use crate::analysis::resumed;
use crate::model::stable;
use crate::model::words::headline;
use crate::report::formats::line_of;
pub(super) use crate::report::formats::{file_of, without_numbers};

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

/// The user's function: `f` for `torch_dynamo_resume_in_f_at_9`.
pub(super) fn function_of(name: &str) -> &str {
    let mut name = name;
    // A resumed function may break again.
    while let Some((inner, _)) = resumed(name) {
        name = inner;
    }
    name
}

/// A reason without addresses and ids of objects, in one line.
pub(super) fn reason_of(text: &str) -> String {
    stable(&line_of(&headline(text)))
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
