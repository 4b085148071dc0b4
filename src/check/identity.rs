//! Identifies an item across runs: by its place and reason, never by a line or a compile id.

use crate::analysis::resumed;
use crate::facts::line_of;
use crate::model::stable;
use crate::model::words::headline;

/// Identity of an item. Baselines count equal ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}
