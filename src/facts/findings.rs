//! Findings of a log or a job.

use super::define::facts;
use super::safe::{cost_reason, dropped, file, finding_kind, ids, inside, number, own_page, word};
use super::text::{Id, List, Text};

facts! {
    /// Something to look at.
    #[derive(Debug, Clone)]
    struct Finding<'a> {
        /// What it is about, in one word.
        kind: Text<'a> => finding_kind,
        /// How bad it is.
        #[schemars(extend("enum" = ["error", "warning", "info"]))]
        severity: Text<'a> => word,
        /// One sentence; code is between backquotes.
        title: Text<'a> => dropped,
        /// Further facts, one per line.
        #[serde(default)]
        detail: Option<Text<'a>> => dropped,
        /// File of the user's line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
        /// The compiles that it is about.
        compile_ids: List<'a, Option<Id<'a>>> => ids,
        /// What it costs; null where no time is known, or where another finding is charged for it.
        cost: Option<FindingCost<'a>> => inside,
        /// What to do.
        #[serde(default)]
        hint: Option<Text<'a>> => dropped,
        /// The same as a list, most fitting first; reports of older versions do not have it.
        #[serde(default)]
        advice: List<'a, Advice<'a>> => dropped,
        /// The finding that is the cause of this one, by its position in the list; reports of older versions do not have it.
        #[serde(default)]
        #[schemars(range(min = 0))]
        caused_by: Option<i64> => number,
        /// The findings of a group, most important first, at most 1,000; empty where it is no group.
        #[serde(default)]
        members: List<'a, Member<'a>> => inside,
        /// In a job: numbers of the ranks that it is about, such as those that differ from most, at most 1,000. Empty in the
        /// report of a log.
        #[serde(default)]
        ranks: List<'a, u64> => number,
        /// Where the report says more.
        #[serde(default)]
        url: Option<Text<'a>> => own_page,
    }
}

facts! {
    /// One finding of a group.
    #[derive(Debug, Clone)]
    struct Member<'a> {
        /// One sentence; code is between backquotes.
        title: Text<'a> => dropped,
        /// File of the user's line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
        /// The compiles that it is about.
        compile_ids: List<'a, Option<Id<'a>>> => ids,
        /// What it costs.
        cost: Option<FindingCost<'a>> => inside,
    }
}

facts! {
    /// What a finding costs.
    #[derive(Debug, Clone)]
    struct FindingCost<'a> {
        /// Seconds.
        #[schemars(range(min = 0))]
        seconds: f64 => number,
        /// wasted: thrown away; avoidable: an upper bound of what would not have been spent without the cause; expected: needed
        /// work.
        #[schemars(extend("enum" = ["wasted", "avoidable", "expected"]))]
        kind: Text<'a> => word,
        /// How the seconds come about.
        #[schemars(length(min = 1))]
        why: Text<'a> => cost_reason,
    }
}

impl FindingCost<'_> {
    /// Seconds that need not have been spent.
    pub fn lost_s(&self) -> f64 {
        if &*self.kind == "expected" { 0.0 } else { self.seconds }
    }

    /// An owned copy.
    pub fn owned(&self) -> FindingCost<'static> {
        let FindingCost { seconds, kind, why } = self;
        FindingCost { seconds: *seconds, kind: kind.owned().into(), why: why.owned().into() }
    }
}

facts! {
    /// Something that the reader can do.
    #[derive(Debug, Clone)]
    struct Advice<'a> {
        /// What to do.
        text: Text<'a> => dropped,
        /// The lines to write, in the names of the reader's program.
        #[serde(default)]
        code: Option<Text<'a>> => dropped,
        /// What it gains; null where the log does not prove it.
        promise: Option<Text<'a>> => dropped,
        /// Files of the report whose records show that it helps.
        #[serde(default)]
        evidence: List<'a, Text<'a>> => dropped,
        /// Where it was tried; null where it was not.
        #[serde(default)]
        tried: Option<Tried<'a>> => dropped,
    }
}

facts! {
    /// Where an advice was tried.
    #[derive(Debug, Clone)]
    struct Tried<'a> {
        /// The program in lab/ and its FIX: `print_call.3`.
        kind: Text<'a> => dropped,
        /// Versions of torch under which it came out well, the newest first.
        torch: List<'a, Text<'a>> => dropped,
    }
}
