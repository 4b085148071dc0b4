//! `report.json` of a job, and of several logs that do not belong together.

use super::aspect::Aspect;
use super::define::facts;
use super::findings::Finding;
use super::log::{Tool, tool};
use super::safe::{dropped, id, inside, maybe_log, number, numbers, rank_values, report_folder, runs, word};
use super::text::{Id, List, Map, Text};
use crate::model::{RankLog, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

numbers!(RankTime);

facts! {
    /// What the logs of a job's ranks say, and how they differ.
    struct JobReport<'a> {
        /// Version of this format.
        #[serde(default)]
        #[schemars(extend("const" = 2))]
        schema: u64 => number,
        /// What the report is about.
        #[serde(default)]
        #[schemars(extend("const" = "job"))]
        kind: Text<'a> => word,
        /// What wrote the report.
        #[serde(default)]
        tool: Tool<'a> => tool,
        /// The ranks, ascending.
        ranks: List<'a, Rank<'a>> => inside,
        /// The run that is reported, then the others, oldest first.
        #[serde(default)]
        #[schemars(length(min = 1))]
        runs: List<'a, Run> => runs,
        /// Files beside the logs that are not logs.
        #[serde(default)]
        skipped_files: List<'a, Text<'a>> => dropped,
        /// Facts that the ranks are compared by; null if the logs do not hold what the comparison needs.
        divergence: Divergence<'a> => inside,
        /// Estimated runtimes of the ranks' graphs.
        #[serde(default)]
        runtime: Option<RuntimeComparison<'a>> => inside,
        /// Graphs whose code does not call the collectives that were scheduled.
        #[serde(default)]
        parity: List<'a, RankParity<'a>> => dropped,
        /// What to look at, most important first.
        findings: List<'a, Finding<'a>> => inside,
    }
}

facts! {
    /// A rank of a job.
    #[derive(Clone)]
    struct Rank<'a> {
        /// Its number.
        rank: u64 => number,
        /// The folder of its report.
        #[serde(default)]
        #[schemars(regex(pattern = "^rank_[0-9]+$"))]
        dir: Text<'a> => report_folder,
        /// Whether its log could be read.
        #[schemars(extend("enum" = ["ok", "damaged", "empty"]))]
        state: Text<'a> => word,
        /// The file; null if it could not be read.
        #[serde(default)]
        log: Option<RankLog> => maybe_log,
        /// Compiles, of all its processes.
        #[serde(default)]
        compiles: Option<u64> => number,
        /// Distinct graph breaks.
        #[serde(default)]
        graph_breaks: Option<u64> => number,
        /// Recompilations.
        #[serde(default)]
        recompiles: Option<u64> => number,
        /// Failures.
        #[serde(default)]
        failures: Option<u64> => number,
        /// Seconds in which something was compiled.
        #[serde(default)]
        #[schemars(range(min = 0))]
        compile_time_s: Option<f64> => number,
        /// Further processes of the rank, each with a whole report in `dir`; counted in the numbers above.
        #[serde(default)]
        processes: List<'a, Process<'a>> => dropped,
    }
}

facts! {
    /// A further process of a rank.
    #[derive(Clone)]
    struct Process<'a> {
        /// Its id.
        pid: u64 => dropped,
        /// The folder of its report.
        #[serde(default)]
        #[schemars(regex(pattern = "^rank_[0-9]+/process_[0-9]+$"))]
        dir: Text<'a> => dropped,
        /// Whether its log could be read.
        #[serde(default)]
        #[schemars(extend("enum" = ["ok", "damaged", "empty"]))]
        state: Text<'a> => word,
        /// The file; null if it could not be read.
        #[serde(default)]
        log: Option<RankLog> => maybe_log,
    }
}

facts! {
    /// Facts that ranks are compared by.
    struct Divergence<'a> {
        /// What was compiled.
        compile_ids: Option<Comparison<'a>> => inside,
        /// Results of cache lookups.
        cache: Option<Comparison<'a>> => inside,
        /// Scheduled collectives.
        collectives: Option<Comparison<'a>> => inside,
        /// What operations return.
        tensor_meta: Option<Comparison<'a>> => inside,
        /// The order in which graphs ran.
        exec_order: Option<Comparison<'a>> => inside,
        /// Graph breaks.
        graph_breaks: Option<Comparison<'a>> => inside,
        /// Recompilations.
        recompiles: Option<Comparison<'a>> => inside,
        /// Settings.
        config: Option<Comparison<'a>> => inside,
        /// Input tensors.
        #[serde(default)]
        inputs: Option<Comparison<'a>> => inside,
        /// What Dynamo captured, as hashes.
        #[serde(default)]
        graphs: Option<Comparison<'a>> => inside,
        /// Conditions of guards, as hashes.
        #[serde(default)]
        guards: Option<Comparison<'a>> => inside,
        /// Process groups of collectives.
        #[serde(default)]
        process_groups: Option<Comparison<'a>> => inside,
        /// Keys of cache lookups.
        #[serde(default)]
        cache_keys: Option<Comparison<'a>> => inside,
    }
}

/// Says which key has the comparison in which aspect.
macro_rules! by_aspect {
    ($($key:ident $aspect:ident,)*) => {
        impl<'a> Divergence<'a> {
            /// All of it from the comparison in each aspect.
            pub fn of(compare: impl Fn(Aspect) -> Option<Comparison<'a>>) -> Divergence<'a> {
                Divergence { $($key: compare(Aspect::$aspect),)* }
            }

            /// Each comparison with its aspect.
            pub fn named(&self) -> impl Iterator<Item = (Aspect, &Comparison<'a>)> {
                let all = [$((Aspect::$aspect, self.$key.as_ref()),)*];
                all.into_iter().filter_map(|(aspect, one)| Some((aspect, one?)))
            }
        }
    };
}

by_aspect! {
    compile_ids Functions, cache Cache, collectives Collectives, tensor_meta TensorMeta, exec_order ExecOrder,
    graph_breaks GraphBreaks, recompiles Recompiles, config Settings, inputs Inputs, graphs Graphs, guards Guards,
    process_groups ProcessGroups, cache_keys CacheKeys,
}

facts! {
    /// How ranks compare in one fact.
    struct Comparison<'a> {
        /// Whether they differ.
        differs: bool => number,
        /// Ranks that agree with each other.
        #[serde(default)]
        groups: List<'a, Group<'a>> => inside,
        /// Where they first differ.
        #[serde(default)]
        first: Option<FirstDifference<'a>> => inside,
    }
}

facts! {
    /// Ranks that agree with each other.
    struct Group<'a> {
        /// Their numbers.
        #[schemars(length(min = 1), extend("uniqueItems" = true))]
        ranks: List<'a, u64> => number,
        /// The facts in order; over 200 characters their md5 and length.
        #[schemars(length(max = 200))]
        value: Text<'a> => dropped,
    }
}

facts! {
    /// Where ranks first differ.
    struct FirstDifference<'a> {
        /// Position in the list of the largest group, from 0.
        index: u64 => number,
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// What one rank of each group has there.
        #[schemars(extend("propertyNames" = {"pattern": "^[0-9]+$"}))]
        by_rank: Map<'a, Option<Text<'a>>> => rank_values,
    }
}

facts! {
    /// Estimated runtimes of the ranks' graphs.
    #[derive(Clone)]
    struct RuntimeComparison<'a> {
        /// Whether they can be compared.
        comparable: bool => number,
        /// Why not.
        why_not: Option<Text<'a>> => dropped,
        /// Graphs.
        graphs: List<'a, GraphRuntimes<'a>> => dropped,
    }
}

facts! {
    /// Estimated runtimes of a graph.
    #[derive(Clone)]
    struct GraphRuntimes<'a> {
        /// Folder of the compile.
        graph: Text<'a> => dropped,
        /// The shortest.
        fastest: RankTime => number,
        /// The longest.
        slowest: RankTime => number,
        /// Their difference.
        delta_ms: f64 => number,
        /// The mean of all ranks.
        mean_ms: f64 => number,
    }
}

/// Runtime on a rank.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RankTime {
    /// The rank.
    pub rank: Option<u64>,
    /// Milliseconds.
    pub ms: f64,
}

facts! {
    /// A graph whose code does not call the collectives that were scheduled.
    struct RankParity<'a> {
        /// The rank.
        rank: Option<u64> => number,
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

facts! {
    /// Several logs that do not belong together, each with a report in a folder of its own.
    struct SeveralReports<'a> {
        /// Version of this format.
        #[serde(default)]
        #[schemars(extend("const" = 2))]
        schema: u64 => number,
        /// What the report is about.
        #[serde(default)]
        #[schemars(extend("const" = "logs"))]
        kind: Text<'a> => word,
        /// What wrote the report.
        #[serde(default)]
        tool: Tool<'a> => tool,
        /// The logs, in order of time.
        logs: List<'a, OneOfSeveral<'a>> => dropped,
    }
}

facts! {
    /// One of several logs.
    struct OneOfSeveral<'a> {
        /// Name of its file; of a job, of the first log.
        name: Text<'a> => dropped,
        /// What its report is about.
        #[serde(default)]
        #[schemars(extend("enum" = ["log", "job"]))]
        kind: Text<'a> => word,
        /// The folder of its report.
        #[serde(default)]
        #[schemars(regex(pattern = "^log_[0-9]+$"))]
        dir: Text<'a> => report_folder,
        /// The first sentence of its report; null without a report.
        #[serde(default)]
        verdict: Option<Text<'a>> => dropped,
        /// Why there is no report.
        #[serde(default)]
        error: Option<Text<'a>> => dropped,
        /// Whether no record is damaged.
        #[serde(default)]
        intact: bool => number,
        /// Findings that are errors.
        #[serde(default)]
        errors: u64 => number,
        /// Findings that are warnings.
        #[serde(default)]
        warnings: u64 => number,
        /// All findings.
        #[serde(default)]
        findings: u64 => number,
    }
}

impl OneOfSeveral<'_> {
    /// The first sentence of its report, or why there is none.
    pub fn said(&self) -> &str {
        self.verdict.as_deref().or(self.error.as_deref()).unwrap_or_default()
    }
}
