//! In what compiles can differ: between the ranks of a job, between two runs, and from a budget or a baseline.

use serde::{Deserialize, Serialize, Serializer};

/// Defines the aspects with their words.
macro_rules! aspects {
    ($($(#[$doc:meta])* $aspect:ident $key:literal $topic:literal $name:literal
        $([$($one:literal $many:literal)?])? $($page:literal)?;)*) => {
        /// In what compiles can differ: what went wrong, what was compiled and what for, and what that took.
        #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        pub enum Aspect {
            $($(#[$doc])* $aspect,)*
        }

        impl Aspect {
            /// All of them, in the order in which they are shown.
            pub const ALL: [Aspect; [$($key),*].len()] = [$(Aspect::$aspect),*];

            const fn words(self) -> AspectWords {
                match self {
                    $(Aspect::$aspect => AspectWords {
                        key: $key,
                        topic: $topic,
                        name: $name,
                        nouns: [concat!("", $($($one)?)?), concat!("", $($($many)?)?)],
                        page: concat!("", $($page)?),
                    },)*
                }
            }
        }
    };
}

/// What an aspect is called; a text is empty where nothing shows it.
struct AspectWords {
    key: &'static str,
    topic: &'static str,
    name: &'static str,
    nouns: [&'static str; 2],
    page: &'static str,
}

// The key in report.json of a job, which is an anchor too; the topic in diff.json; the name; one thing that differs, and several;
// and the page of a log's report that lists them.
aspects! {
    /// Compiles that failed.
    Failures "failures" "failure" "Failures" ["failure" "failures"] "failures_and_restarts.html";
    /// Logs that end within a compile.
    Ends "" "ended" "";
    /// What is wrong with a job, beyond its ranks.
    Ranks "" "ranks" "";
    /// Graph breaks by the user's line.
    GraphBreaks "graph_breaks" "graph_break" "Graph breaks" ["graph break" "graph breaks"] "graph_breaks.html";
    /// Recompilations with their reasons.
    Recompiles "recompiles" "recompile" "Recompilations" ["recompilation" "recompilations"] "recompilations.html";
    /// What was compiled: id, function, file, line.
    Functions "compile_ids" "function" "Compiles" ["function" "functions"];
    /// How often a function is compiled.
    Compiles "" "compiles" "";
    Status "status" "" "Status";
    /// How many operators were captured.
    Ops "ops" "" "Ops captured";
    /// Sizes, strides and dtypes of the input tensors of each compile.
    Inputs "inputs" "inputs" "Inputs";
    /// Conditions of the guards.
    Guards "guards" "guards" "Guards" ["tree of guards" "trees of guards"];
    /// What Dynamo captured.
    Graphs "graphs" "operators" "Graphs" ["graph" "graphs"];
    /// Kernels of the generated code.
    Kernels "" "kernels" "" ["kernel" "kernels"] "kernels.html";
    /// Calls of operators that Inductor leaves to torch.
    FallbackOps "" "" "" ["call of a fallback operator" "calls of fallback operators"] "kernels.html";
    /// Scheduled collectives, by graph.
    Collectives "collectives" "" "Collectives";
    /// Process groups in which generated code calls its collectives.
    ProcessGroups "process_groups" "" "Process groups";
    /// Shapes, strides and dtypes of what operations return.
    TensorMeta "tensor_meta" "" "Tensors" ["operation" "operations"];
    /// The order in which graphs ran.
    ExecOrder "exec_order" "" "Execution order";
    /// Results of cache lookups.
    Cache "cache" "cache" "Caches" ["cache lookup" "cache lookups"] "caches.html";
    /// Keys that were looked up in the cache of FX graphs.
    CacheKeys "cache_keys" "" "Cache keys" ["cache key" "cache keys"] "caches.html";
    /// The whole compile time.
    CompileTime "" "compile_time" "" [] "time.html";
    /// The compile time of a part of the compiler.
    Part "" "part" "" [] "time.html";
    FunctionTime "" "function_time" "";
    /// The device time of a step.
    DeviceTime "" "measured" "";
    /// A kernel or operator that a profiler timed.
    Measured "" "measured" "" ["measured kernel" "measured kernels"];
    /// The version of torch.
    Torch "" "torch" "";
    Settings "config" "setting" "Settings" ["setting" "settings"] "configuration.html";
    /// Errors and warnings about anything else.
    #[default]
    Findings "" "" "" ["other error or warning" "other errors and warnings"];
}

impl Aspect {
    /// Its key in report.json of a job, which is its anchor too.
    pub fn key(self) -> &'static str {
        self.words().key
    }

    /// Its topic in diff.json.
    pub fn topic(self) -> &'static str {
        self.words().topic
    }

    /// In what ranks are compared.
    pub fn of_ranks() -> impl Iterator<Item = Aspect> {
        Aspect::ALL.into_iter().filter(|aspect| !aspect.key().is_empty())
    }

    /// In what rows of diff.json differ, each by its topic.
    pub fn topics() -> impl Iterator<Item = &'static str> {
        Aspect::ALL.into_iter().map(Aspect::topic).filter(|topic| !topic.is_empty())
    }

    /// What pages call it.
    pub fn name(self) -> &'static str {
        self.words().name
    }

    /// One thing that differs in it, and several.
    pub fn nouns(self) -> [&'static str; 2] {
        self.words().nouns
    }

    /// The page of a log's report that lists such things; the landing page where none does.
    pub fn page(self) -> &'static str {
        Some(self.words().page).filter(|page| !page.is_empty()).unwrap_or("index.html")
    }

    /// Whether report.json of a job compares it; status, operators and failures are only shown.
    pub fn is_compared(self) -> bool {
        !matches!(self, Aspect::Status | Aspect::Ops | Aspect::Failures)
    }

    /// Whether a difference in it means that the programs took different ways.
    pub fn is_of_program(self) -> bool {
        !matches!(self, Aspect::Cache | Aspect::CacheKeys | Aspect::Settings | Aspect::ProcessGroups)
    }

    /// Whether each of a rank's facts about it belongs to a graph, in the job's order of graphs.
    pub fn is_by_graph(self) -> bool {
        matches!(
            self,
            Aspect::Cache
                | Aspect::TensorMeta
                | Aspect::Status
                | Aspect::Ops
                | Aspect::Inputs
                | Aspect::Graphs
                | Aspect::Guards
                | Aspect::ProcessGroups
                | Aspect::CacheKeys
        )
    }
}

/// As diff.json has it.
impl Serialize for Aspect {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.topic())
    }
}
