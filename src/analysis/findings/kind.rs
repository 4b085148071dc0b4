//! The kinds of findings, with what `kinds.toml` knows of each.

use super::cost::ChargeOrder;
use super::rules::Rule;
use crate::facts::Aspect;
use crate::model::words::worded;
use crate::model::{Compile, Model};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

worded! {
    /// A kind of finding, with its word in report.json: those of logs in the order in which the sentence on what was checked
    /// names them, then those of jobs.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum KindOfFinding.word {
        RunTimeError = "run_time_error",
        DamagedLog = "damaged_log",
        CutOff = "cut_off",
        MissingNames = "missing_names",
        MissingMetrics = "missing_metrics",
        WorkerDeath = "worker_death",
        WorkerStall = "worker_stall",
        SpmdMismatch = "spmd_mismatch",
        #[default]
        Notice = "notice",
        Recompilation = "recompilation",
        RecompileLimit = "recompile_limit",
        Failure = "failure",
        GraphBreak = "graph_break",
        Specialization = "specialization",
        Export = "export",
        CacheBypass = "cache_bypass",
        CacheMiss = "cache_miss",
        BackwardVariants = "backward_variants",
        CacheError = "cache_error",
        MemoryEstimate = "memory_estimate",
        OverlapCycle = "overlap_cycle",
        NativeCompiles = "native_compiles",
        CudaGraphSkipped = "cuda_graph_skipped",
        CudaGraphSplit = "cuda_graph_split",
        CudaGraphSizes = "cuda_graph_sizes",
        CudagraphSkip = "cudagraph_skip",
        CudagraphsOnCpu = "cudagraphs_on_cpu",
        HostOperator = "host_operator",
        Float32Products = "float32_products",
        Restart = "restart",
        RuntimeCost = "runtime_cost",
        SlowGuards = "slow_guards",
        SerialBuilds = "serial_builds",
        NearLimit = "near_limit",
        Toolchain = "toolchain",
        Autotuning = "autotuning",
        RepeatedLayers = "repeated_layers",
        SlowLog = "slow_log",
        FirstRun = "first_run",
        OtherRun = "other_run",
        ImplausibleKernel = "implausible_kernel",
        WrongCounts = "wrong_counts",
        SlowKernel = "slow_kernel",
        LaunchBound = "launch_bound",
        DamagedTrace = "damaged_trace",
        GraphBreaksDiffer = "graph_breaks_differ",
        CacheDiffers = "cache_differs",
        CollectivesDiffer = "collectives_differ",
        CompileIdsDiffer = "compile_ids_differ",
        StatusDiffers = "status_differs",
        OpsDiffer = "ops_differ",
        ExecOrderDiffers = "exec_order_differs",
        TensorMetaDiffers = "tensor_meta_differs",
        InputsDiffer = "inputs_differ",
        ConfigDiffers = "config_differs",
        ProcessGroupsDiffer = "process_groups_differ",
        CacheKeysDiffer = "cache_keys_differ",
        GuardsDiffer = "guards_differ",
        GraphsDiffer = "graphs_differ",
        FailuresDiffer = "failures_differ",
        Failures = "failures",
        CollectiveParity = "collective_parity",
        RuntimeDiffers = "runtime_differs",
        DamagedRank = "damaged_rank",
        MissingRanks = "missing_ranks",
        WrongRank = "wrong_rank",
        EmptyRank = "empty_rank",
        Alarm = "alarm",
        TorchDiffers = "torch_differs",
        SeveralPrograms = "several_programs",
        NoGraph = "no_graph",
        RecompilesDiffer = "recompiles_differ",
        OnAllRanks = "on_all_ranks",
        RankStopped = "rank_stopped",
        Straggler = "straggler",
    }
}

/// What is known of a kind: its entry in `kinds.toml`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindFacts {
    /// The name that people read, where it has no aspect.
    pub label: String,
    /// What a log without findings of this kind was checked for.
    pub checked: Option<String>,
    /// What has a page or section with more about it.
    pub topic: Option<Topic>,
    /// Names of the artifacts that are its evidence.
    pub records: Vec<String>,
    /// When it is charged for work that several findings claim.
    pub(super) charged: ChargeOrder,
    /// The words of a group's title between the number of its findings and what they have in common.
    pub(super) grouped: Option<String>,
    /// Whether it comes first, regardless of its cost.
    pub first_of_all: bool,
    /// In what ranks differ, where it is about such a difference.
    pub aspect: Option<Aspect>,
    /// Whether the verdict on ranks that agree names it.
    pub in_verdict: bool,
    /// Whether the source line comes first on the landing page, and the title below it.
    pub code_first: bool,
    /// What the list of compiles is called there.
    pub compiles_label: Option<String>,
    /// How much is said there about the cost.
    pub costs: CostDetail,
    /// Whether the landing page leaves out the stack.
    pub no_stack: bool,
    /// What it means, by case.
    pub(super) explain: BTreeMap<String, String>,
    /// What to do, by case.
    pub(super) advice: BTreeMap<String, Vec<Rule>>,
}

/// How much an entry says about the parts of its cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum CostDetail {
    /// Each part with the compiles that it consists of.
    #[default]
    WithCompiles,
    /// Each part; the page of the topic has the compiles.
    Parts,
    /// Nothing beyond the sum.
    SumOnly,
}

/// What a report may have a page or section of its own about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Topic {
    GraphBreaks,
    Recompilations,
    /// All cache lookups.
    Caches,
    /// All symbolic sizes.
    Shapes,
    /// All failures and restarts.
    Failures,
    /// What export found wanting.
    Export,
    /// Where the time went.
    Time,
    /// What could be read of the log.
    Log,
    /// Measured kernels.
    Performance,
}

/// Read entry by entry: parsing the whole file at once takes two megabytes more, a tenth of what a small log needs.
static KINDS: LazyLock<BTreeMap<String, KindFacts>> = LazyLock::new(|| {
    let entries = include_str!("kinds.toml").split("\n\n");
    entries
        .flat_map(|entry| toml::from_str::<BTreeMap<String, KindFacts>>(entry).unwrap_or_default())
        .collect()
});

impl KindOfFinding {
    /// The first kind of findings about a job.
    const FIRST_OF_JOBS: KindOfFinding = KindOfFinding::GraphBreaksDiffer;

    /// All kinds that a finding about a log may have.
    pub fn of_logs() -> impl Iterator<Item = KindOfFinding> {
        KindOfFinding::ALL.into_iter().take_while(|kind| *kind < KindOfFinding::FIRST_OF_JOBS)
    }

    /// The kind of findings about a log with that word.
    pub fn of_log(word: &str) -> Option<KindOfFinding> {
        KindOfFinding::of_logs().find(|kind| kind.word() == word)
    }

    /// In what ranks differ that have a finding with that word.
    pub fn differing(word: &str) -> Option<Aspect> {
        KindOfFinding::ALL.into_iter().find(|kind| kind.word() == word)?.facts().aspect
    }

    /// What is known of it.
    pub fn facts(self) -> &'static KindFacts {
        static UNKNOWN: LazyLock<KindFacts> = LazyLock::new(KindFacts::default);
        KINDS.get(self.word()).unwrap_or(&UNKNOWN)
    }

    /// The name that people read.
    pub fn label(self) -> &'static str {
        let facts = self.facts();
        facts.aspect.map_or(&facts.label, Aspect::name)
    }

    /// Whether a log could show one, so that its absence says something.
    pub(super) fn would_show(self, model: &Model) -> bool {
        match self {
            KindOfFinding::WorkerStall => model.inductor.compile_threads.is_some_and(|threads| threads > 1),
            KindOfFinding::SpmdMismatch => model.log.rank.is_some(),
            KindOfFinding::Failure => !model.has_only_inputs(),
            KindOfFinding::CacheBypass => !model.caches.is_empty(),
            KindOfFinding::SlowGuards => {
                let mut outcomes = model.compiles.iter().filter_map(Compile::outcome);
                outcomes.any(|outcome| outcome.guard_latency_us.is_some())
            }
            _ => true,
        }
    }
}
