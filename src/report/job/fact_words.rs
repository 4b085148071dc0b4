//! What the facts by which ranks are compared are called, and which setting records them.

use crate::analysis::job::Unknown;
use crate::model::Fact;

/// What a kind of fact is called.
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
        Fact::ProcessGroups => "Process groups",
        Fact::CacheKeys => "Cache keys",
    }
}

/// What would record a kind of fact that no log holds.
pub(super) fn setting(fact: Fact, why: Unknown) -> &'static str {
    match (why, fact) {
        (Unknown::NoRank, _) => "no rank's log could be read",
        (Unknown::Cached, _) => {
            "graphs came from a cache, and torch records this for graphs that it compiles; `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` makes it compile all"
        }
        (_, Fact::ExecOrder) => {
            "run the program inside `with torch._inductor.debug.record_and_log_graph_execution_order():`"
        }
        (_, Fact::Collectives) => {
            "torch 2.9 and newer record a schedule for each graph in which Inductor compiles a collective; collectives that DDP or FSDP call outside the graphs are not in it"
        }
        (_, Fact::TensorMeta) => {
            "set `torch._inductor.config.log_tlparse = True`, or `LOG_TLPARSE=1` in the environment"
        }
        (_, Fact::Inputs) => "torch 2.5 and newer describe the input tensors of each compilation",
        (_, Fact::ProcessGroups) => "no generated code calls a collective",
        (_, Fact::CacheKeys) => "no log says which graphs the cache was asked for",
        (_, Fact::Cache) => "no cache was asked: caches are disabled, or no graph reached Inductor",
        (_, Fact::Config) => "no compilation ended with metrics that hold the settings",
        _ => "no log holds it",
    }
}
