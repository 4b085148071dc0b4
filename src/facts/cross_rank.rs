//! `cross_rank` of a log's report: what a comparison of ranks needs.

use super::define::facts;
use super::safe::{
    collective, dropped, dtype, file, function, graph_id, id, id_or_dash, inside, kernel, maybe_word, number,
    sizes, strides, tensor_name, word,
};
use super::text::{Id, List, Map, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

facts! {
    /// What a comparison of ranks needs; null where the log holds no such event.
    struct CrossRank<'a> {
        /// What was compiled: id, function, file, line.
        compiles: List<'a, CompileKey<'a>> => inside,
        /// Results of cache lookups: id, cache, outcome.
        cache: Option<List<'a, CacheKey<'a>>> => dropped,
        /// Scheduled collectives of each graph.
        collectives: Option<List<'a, Graph<'a>>> => inside,
        /// What the operations of each graph return.
        tensor_meta: Option<List<'a, Graph<'a>>> => dropped,
        /// The order in which graphs ran.
        execution: Option<List<'a, Execution<'a>>> => dropped,
        /// Estimated runtimes of the operations of each graph.
        runtime: Option<List<'a, Runtime<'a>>> => inside,
        /// Scheduled collectives beside those in the generated code.
        parity: Option<List<'a, Parity<'a>>> => dropped,
        /// The last configuration of each name, as key of `configs`.
        configs: Option<Map<'a, Text<'a>>> => dropped,
        /// What the pages call a compiled function where torch's name is another or a library defines it: id, name, and file
        /// and line of the user's call that leads there.
        #[serde(default)]
        names: Option<List<'a, ReaderName<'a>>> => dropped,
        /// Input tensors of each compile's last attempt.
        inputs: Option<List<'a, Inputs<'a>>> => inside,
        /// Hashes of what each compile's last attempt captured and guards on, without addresses and sizes of tensors: id, graph,
        /// guards.
        #[serde(default)]
        code: Option<List<'a, CodeKey<'a>>> => dropped,
        /// Collectives that generated code calls, in order: operation and name of its process group, null for a wait.
        process_groups: Option<List<'a, Calls<'a>>> => dropped,
        /// Looked-up keys, in the order of `cache`: id, cache, key, and when it was asked in nanoseconds since 1970.
        cache_keys: Option<List<'a, KeyLookup<'a>>> => dropped,
        /// When the entry of a key that was missed was compiled, in the order of `cache_keys` and in the same unit.
        #[serde(default)]
        cache_stored_ns: Option<List<'a, Option<u64>>> => dropped,
        /// Folders of Inductor's cache that generated code was written to.
        cache_folders: Option<List<'a, Text<'a>>> => dropped,
        /// When kernels were built: begin and end, microseconds since 1970.
        builds: Option<List<'a, Interval>> => dropped,
        /// When a phase that may wait for another process did nothing that the log knows of.
        pauses: Option<List<'a, Interval>> => dropped,
        /// How many ranks the default process group has, as collectives in graphs and code say.
        #[serde(default)]
        world_size: Option<u64> => number,
        /// Where the log ends.
        end: Option<End<'a>> => dropped,
    }
}

facts! {
    /// What was compiled.
    list CompileKey<'a> {
        id: Id<'a> => id_or_dash,
        function: Option<Text<'a>> => function,
        file: Option<Text<'a>> => file,
        line: Option<i64> => number,
    }
}

facts! {
    /// The result of a cache lookup.
    list CacheKey<'a> {
        id: Option<Id<'a>> => id,
        cache: Text<'a> => dropped,
        outcome: Text<'a> => word,
    }
}

facts! {
    /// A list of texts about a graph.
    struct Graph<'a> {
        /// Folder of the compile.
        graph: Text<'a> => graph_id,
        /// Collectives in order; or `op: dtype[shape]/[stride]`, one per operation and output.
        ops: List<'a, Text<'a>> => collective,
    }
}

facts! {
    /// A position in the order in which graphs ran.
    struct Execution<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// The collectives of the graph; null if it has none, and in a long order where an earlier entry of the same compile
        /// names them.
        schedule: Option<List<'a, Text<'a>>> => dropped,
        /// What a cache answered for the compile.
        cache: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// Estimated runtimes of a graph's operations.
    struct Runtime<'a> {
        /// Folder of the compile.
        graph: Text<'a> => graph_id,
        /// Operations, in order.
        ops: List<'a, Op<'a>> => inside,
    }
}

facts! {
    /// An operation with its estimated runtime.
    struct Op<'a> {
        /// Its name.
        name: Text<'a> => kernel,
        /// `compute` or `collective`.
        #[serde(default, rename = "type")]
        kind: Option<Text<'a>> => maybe_word,
        /// Nanoseconds.
        ns: Option<f64> => number,
    }
}

facts! {
    /// Scheduled collectives of a graph beside those in its code.
    struct Parity<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// How many of each operation the schedule has.
        scheduled: Map<'a, u64> => dropped,
        /// How many calls the code makes.
        in_code: Map<'a, u64> => dropped,
        /// Collectives that the code does not wait for.
        missing_waits: u64 => number,
    }
}

impl Parity<'_> {
    /// Whether code and schedule disagree or a wait is missing.
    pub fn differs(&self) -> bool {
        *self.scheduled != *self.in_code || self.missing_waits > 0
    }

    /// Whether the code, which is what runs, calls others than were scheduled.
    pub fn is_refuted(&self) -> bool {
        !self.in_code.is_empty() && *self.scheduled != *self.in_code
    }
}

facts! {
    /// What the pages call a function.
    list ReaderName<'a> {
        id: Id<'a> => id_or_dash,
        title: Text<'a> => dropped,
        file: Option<Text<'a>> => file,
        line: Option<i64> => number,
    }
}

facts! {
    /// Input tensors of a compile.
    struct Inputs<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// Name, dtype, sizes and strides of each.
        tensors: List<'a, Input<'a>> => inside,
    }
}

facts! {
    /// An input tensor.
    list Input<'a> {
        name: Text<'a> => tensor_name,
        dtype: Text<'a> => dtype,
        sizes: Text<'a> => sizes,
        strides: Option<Text<'a>> => strides,
    }
}

facts! {
    /// What a compile captured and guards on, as hashes.
    list CodeKey<'a> {
        id: Id<'a> => id_or_dash,
        graph: Option<Text<'a>> => dropped,
        guards: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// Collectives that the code of a graph calls.
    struct Calls<'a> {
        /// Folder of the compile.
        graph: Text<'a> => graph_id,
        /// In order.
        calls: List<'a, Call<'a>> => dropped,
    }
}

facts! {
    /// A call of a collective.
    list Call<'a> {
        operation: Text<'a> => dropped,
        group: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// A key that was looked up in a cache.
    list KeyLookup<'a> {
        id: Option<Id<'a>> => id,
        cache: Text<'a> => dropped,
        key: Option<Text<'a>> => dropped,
        asked_ns: Option<u64> => dropped,
    }
}

/// Begin and end, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "(f64, f64)")]
pub struct Interval {
    pub start_us: f64,
    pub end_us: f64,
}

impl From<Interval> for (f64, f64) {
    fn from(one: Interval) -> (f64, f64) {
        (one.start_us, one.end_us)
    }
}

facts! {
    /// Where a log ends.
    struct End<'a> {
        /// The event of the last record.
        event: Text<'a> => dropped,
        /// The compile of that record.
        compile_id: Option<Id<'a>> => id,
        /// Whether the compile had not ended.
        inside: bool => number,
        /// The phases that were open, outermost first.
        phases: List<'a, Text<'a>> => dropped,
        /// Seconds that each of these phases took at least: from its begin to the last event of its process.
        #[serde(default)]
        open_s: List<'a, f64> => dropped,
    }
}
