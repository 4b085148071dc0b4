//! What the console of a run says beyond its log, in `report.json`.

use super::define::facts;
use super::safe::{dropped, error_class, file, function, id, inside, number};
use super::text::{Id, List, Text};

facts! {
    /// What the console says that was given beside the log.
    struct Console<'a> {
        /// The exceptions that it shows, in their order.
        exceptions: List<'a, ConsoleException<'a>> => inside,
        /// CUDA graphs by compile; with compile_id null, what could not be joined with a compile.
        cuda_graphs: List<'a, ConsoleGraphs<'a>> => inside,
        /// What torch says about performance.
        hints: List<'a, ConsoleHint<'a>> => inside,
        /// Lines of other processes than that of the log, which are left out.
        of_others: u64 => number,
    }
}

facts! {
    /// An exception of the program.
    struct ConsoleException<'a> {
        /// Its class.
        error: Text<'a> => error_class,
        /// Its message, or the beginning of it.
        message: Text<'a> => dropped,
        /// File of the user's innermost line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
        /// The function that it is in.
        function: Option<Text<'a>> => function,
        /// The compile whose generated code raised it.
        compile_id: Option<Id<'a>> => id,
        /// Whether the log has it, as the failure of a compile.
        in_log: bool => number,
        /// Whether the program ran on behind it.
        went_on: bool => number,
    }
}

facts! {
    /// What the console says of the CUDA graphs of a compile.
    struct ConsoleGraphs<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// Parts of its code that can be recorded.
        parts: u64 => number,
        /// Parts that cannot.
        other_parts: u64 => number,
        /// Recordings.
        recordings: u64 => number,
        /// For how many distinct sizes they are.
        sizes: u64 => number,
        /// Operators that are not part of a CUDA graph.
        outside: List<'a, ConsoleObstacle<'a>> => inside,
        /// Why torch skipped CUDA graphs.
        skipped: List<'a, ConsoleObstacle<'a>> => inside,
        /// Why something was recorded once more, where torch did not expect it.
        again: List<'a, Text<'a>> => dropped,
    }
}

facts! {
    /// What keeps an operator, or a whole compile, out of CUDA graphs.
    struct ConsoleObstacle<'a> {
        /// The operator; absent for a whole compile.
        operator: Option<Text<'a>> => dropped,
        /// In torch's words.
        reason: Text<'a> => dropped,
        /// How often torch says so.
        #[schemars(range(min = 1))]
        count: u64 => number,
        /// File of the user's innermost line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
    }
}

facts! {
    /// What torch says about performance.
    struct ConsoleHint<'a> {
        /// The compile, if it is named.
        compile_id: Option<Id<'a>> => id,
        /// In torch's words.
        text: Text<'a> => dropped,
        /// How often.
        #[schemars(range(min = 1))]
        count: u64 => number,
    }
}
