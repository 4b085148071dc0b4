//! What a reader can do.

use crate::analysis::lab::Tried;
use crate::model::CompileIndex;

/// Something that the reader can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// What to do, in sentences.
    pub text: String,
    /// The line to write, where it is one.
    pub code: Option<String>,
    /// The user's line that these lines take the place of, where the log has it.
    pub replaces: Option<ReplacedLine>,
    /// What it gains.
    pub promise: Option<String>,
    /// What in the log shows that it helps, in words.
    pub because: Option<String>,
    /// The record of the log that proves it, where that is not one of the finding's own.
    pub proof: Option<Proof>,
    /// Where it was tried.
    pub tried: Option<Tried>,
}

/// A line of the user's program that an advice replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedLine {
    pub number: Option<u64>,
    pub code: String,
}

/// A record that proves that an advice helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    pub compile: CompileIndex,
    /// Its name: `dynamo_cpp_guards_str`.
    pub record: &'static str,
}

impl Advice {
    /// Whether the lines to write or a promise are known, for which there is a card; else it is a sentence.
    pub fn has_card(&self) -> bool {
        self.code.is_some() || self.promise.is_some() || self.tried.is_some()
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Advice {
        Advice { text, ..Advice::default() }
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Advice {
        text.to_owned().into()
    }
}
