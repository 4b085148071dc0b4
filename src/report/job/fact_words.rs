//! Names of the compared facts, and the settings that record them.

use crate::analysis::job::Unknown;
use crate::facts::ranks::Fact;

/// The name of a kind of fact.
pub(super) fn name(fact: Fact) -> &'static str {
    match fact {
        Fact::CompileIds => "Compiles",
        Fact::Cache => "Caches",
        Fact::Collectives => "Collectives",
        Fact::TensorMeta => "Tensors",
        Fact::ExecOrder => "Execution order",
        Fact::GraphBreaks => "Graph breaks",
        Fact::Recompiles => "Recompilations",
        Fact::Config => "Settings",
        Fact::Status => "Status",
        Fact::Ops => "Ops captured",
        Fact::Failures => "Failures",
        Fact::Inputs => "Inputs",
        Fact::Graphs => "Graphs",
        Fact::Guards => "Guards",
        Fact::ProcessGroups => "Process groups",
        Fact::CacheKeys => "Cache keys",
    }
}

/// How to record a kind of fact that no log has.
pub(super) fn setting(fact: Fact, why: Unknown) -> &'static str {
    match (why, fact) {
        (Unknown::NoRank, _) => "no rank's log could be read",
        (Unknown::Cached, _) => {
            "torch records this only for graphs that it compiles, but graphs came from a cache; \
            `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` compiles all graphs"
        }
        (_, Fact::ExecOrder) => {
            "run the program inside `with torch._inductor.debug.record_and_log_graph_execution_order():`"
        }
        (_, Fact::Collectives) => {
            "torch 2.9 and newer record a schedule for each graph in which Inductor compiles a collective; \
            it does not include collectives that DDP or FSDP call outside of graphs"
        }
        (_, Fact::TensorMeta) => {
            "set `torch._inductor.config.log_tlparse = True`, or `LOG_TLPARSE=1` in the environment"
        }
        (_, Fact::Inputs) => "torch 2.5 and newer describe the input tensors of each compilation",
        (_, Fact::ProcessGroups) => "generated code calls no collectives",
        (_, Fact::CacheKeys) => "no log records cache lookups",
        (_, Fact::Cache) => "there were no cache lookups: caches are disabled, or no graph reached Inductor",
        (_, Fact::Config) => "no compilation has metrics with settings",
        _ => "no log has it",
    }
}
