//! Frames of stacks in `report.json`.

use super::define::facts;
use super::safe::{dropped, file, function, number};
use super::text::Text;

facts! {
    /// A frame of a stack.
    struct StackFrame<'a> {
        /// File.
        file: Option<Text<'a>> => file,
        /// Line.
        line: Option<i64> => number,
        /// Function.
        name: Option<Text<'a>> => function,
        /// Source text of the line.
        loc: Option<Text<'a>> => dropped,
    }
}
