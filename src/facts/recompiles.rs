//! Why functions were compiled again, in `report.json` of a log.

use super::define::facts;
use super::safe::{change_kind, dropped, file_text, function, id, id_texts, inside, number};
use super::stack::StackFrame;
use super::text::{Id, List, Text};

facts! {
    /// A recompilation.
    struct Recompile<'a> {
        /// The new compile.
        compile_id: Option<Id<'a>> => id,
        /// Its function.
        function: Option<Text<'a>> => function,
        /// What separates the call that was compiled again from the closest cached version; null if torch gives no reason.
        #[serde(default)]
        change: Option<Change<'a>> => inside,
        /// One entry per cached version whose guard failed.
        reasons: List<'a, Reason<'a>> => inside,
        /// Whether torch refused it, as the function had reached the limit of versions.
        #[serde(default)]
        at_limit: bool => number,
    }
}

facts! {
    /// What separates a call from the closest cached version.
    struct Change<'a> {
        /// The kind of guard that failed: size, dtype, Python value, ..
        kind: Text<'a> => change_kind,
        /// What changed, as one writes it in Python: x.shape[1].
        subject: Option<Text<'a>> => dropped,
        /// The value that the version was compiled for, if the guard names it.
        #[serde(default)]
        old: Option<Text<'a>> => dropped,
        /// The value that arrived, as far as the log has it.
        #[serde(default)]
        new: Option<Text<'a>> => dropped,
        /// The closest version, whose guard failed.
        #[serde(default)]
        against: Option<Id<'a>> => id,
        /// The other versions that failed for the same kind and subject, newest first.
        #[serde(default)]
        same_for: List<'a, Text<'a>> => id_texts,
        /// Whether the new version takes any value.
        #[serde(default)]
        became_dynamic: bool => number,
        /// Whether the program is meant to need a version for each value.
        #[serde(default)]
        expected: bool => number,
    }
}

facts! {
    /// A guard that failed.
    struct Reason<'a> {
        /// The older compile whose guard failed.
        #[serde(default)]
        against: Option<Id<'a>> => id,
        /// The reason as torch gives it, without that id and the user's stack.
        text: Text<'a> => dropped,
        /// The guard in it.
        guard: Option<Text<'a>> => dropped,
        /// The code in torch that made the guard.
        #[serde(default)]
        source: Option<GuardSource<'a>> => inside,
        /// A hint that torch gives.
        #[serde(default)]
        hint: Option<Text<'a>> => dropped,
        /// The user's stack.
        #[serde(default)]
        user_stack: List<'a, StackFrame<'a>> => dropped,
    }
}

facts! {
    /// The code in torch that made a guard.
    struct GuardSource<'a> {
        /// Source text.
        code: Text<'a> => dropped,
        /// File.
        #[serde(default)]
        file: Text<'a> => file_text,
        /// Line.
        #[serde(default)]
        line: u64 => number,
        /// Function.
        #[serde(default)]
        function: Option<Text<'a>> => function,
    }
}
