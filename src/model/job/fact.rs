//! The facts by which ranks are compared, each with its parts.

use super::ids::{CodePlace, GraphId, TensorListId, TextId, TextListId};
use crate::model::words::worded;
use std::sync::Arc;

worded! {
    /// What ranks are compared by, and what is shown beside it, with its key in report.json and its anchor in pages.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fact.key {
        /// What was compiled: id, function, file, line.
        CompileIds = "compile_ids",
        /// Results of cache lookups.
        Cache = "cache",
        /// Scheduled collectives, by graph.
        Collectives = "collectives",
        /// Shapes, strides and dtypes of what operations return, by graph.
        TensorMeta = "tensor_meta",
        /// The order in which graphs ran.
        ExecOrder = "exec_order",
        /// Graph breaks by user line.
        GraphBreaks = "graph_breaks",
        /// Recompilations with their reasons.
        Recompiles = "recompiles",
        /// Settings of the compiler.
        Config = "config",
        /// How each compile ended.
        Status = "status",
        /// Operations that each compile captured.
        Ops = "ops",
        /// What failed.
        Failures = "failures",
        /// Sizes, strides and dtypes of the input tensors of each compile.
        Inputs = "inputs",
        /// Process groups in which generated code calls its collectives.
        ProcessGroups = "process_groups",
        /// Keys that were looked up in the cache of FX graphs.
        CacheKeys = "cache_keys",
    }
}

impl Fact {
    /// Whether report.json compares it; the others are only shown.
    pub fn is_compared(self) -> bool {
        !matches!(self, Fact::Status | Fact::Ops | Fact::Failures)
    }

    /// Whether each of its facts belongs to a graph, in the job's order of graphs.
    pub fn is_by_graph(self) -> bool {
        matches!(
            self,
            Fact::Cache
                | Fact::TensorMeta
                | Fact::Status
                | Fact::Ops
                | Fact::Inputs
                | Fact::ProcessGroups
                | Fact::CacheKeys
        )
    }
}

/// Facts of one kind in their order; ranks with equal facts share it.
pub type Sequence = Arc<[Step]>;

/// One fact of a [`Sequence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// Compile that it belongs to, by its id on the rank.
    pub compile: Option<TextId>,
    /// The same compile as all ranks know it: its function, and which compile of that it is.
    pub graph: Option<GraphId>,
    /// What ranks are compared by; None if the log cannot know it, which counts as equal to everything.
    pub value: Option<FactValue>,
    /// What is shown beside it and not compared.
    pub note: Option<TextId>,
}

/// A function, as its compiles name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionFact {
    pub name: Option<TextId>,
    /// Where it is defined.
    pub place: Option<CodePlace>,
}

/// What the reader calls a function that torch calls otherwise, or that a library defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderName {
    /// The class of a model, a function with its class.
    pub title: TextId,
    /// The reader's line that calls it, where the function is not the reader's.
    pub called: Option<CodePlace>,
}

/// Which compile of which function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphKey {
    pub function: FunctionFact,
    /// How often it had been compiled before.
    pub nth: u32,
}

/// A tensor: an input, or what an operation returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorFact {
    /// Its dtype; the whole description where that has another form than expected.
    pub dtype: TextId,
    /// Its sizes, in brackets.
    pub sizes: Option<TextId>,
    /// Its strides, in brackets.
    pub strides: Option<TextId>,
}

/// What a fact says, in the parts that a sentence about it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactValue {
    /// A compile.
    Compiled {
        id: TextId,
        /// What was compiled.
        function: FunctionFact,
    },
    /// A cache lookup.
    Lookup {
        /// The compile that asked.
        graph: Option<GraphId>,
        cache: TextId,
        /// `hit`, `miss`, `bypass`
        outcome: TextId,
    },
    /// A key that was looked up in a cache.
    Key {
        /// The compile that asked.
        graph: Option<GraphId>,
        cache: TextId,
        key: TextId,
    },
    /// A scheduled collective, or the wait for one: by its place in the order, whatever graph holds it.
    Collective(TextId),
    /// A call of a collective in generated code.
    Call {
        /// The compile whose code calls it.
        graph: Option<GraphId>,
        /// The operation, as torch names it.
        operation: TextId,
        /// The name of the process group.
        group: TextId,
    },
    /// An input tensor.
    Input {
        /// The compile.
        graph: Option<GraphId>,
        /// `L['x']`
        name: TextId,
        /// What it is.
        tensor: TensorFact,
    },
    /// What an operation returns.
    Output {
        /// The compile whose graph holds it.
        graph: Option<GraphId>,
        /// The operation, as torch names it.
        operation: TextId,
        /// What it returns.
        outputs: TensorListId,
    },
    /// A graph whose operations are known by a hash only.
    Hashed {
        /// Its compile.
        graph: Option<GraphId>,
        /// How many operations it has.
        count: u64,
        /// The hash of them.
        md5: TextId,
    },
    /// A graph that ran.
    Executed(GraphId),
    /// A graph break.
    Break {
        /// The user's line.
        place: Option<CodePlace>,
        /// What could not be traced.
        reason: TextId,
        /// How often it was hit.
        times: u64,
    },
    /// A recompilation.
    Recompiled {
        /// What was compiled again.
        function: FunctionFact,
        /// The guards that failed, one for each earlier compile; that of the closest version first.
        guards: TextListId,
        /// The user's line that the first of these guards protects.
        place: Option<CodePlace>,
    },
    /// A failed compile.
    Failed {
        /// The class of the exception.
        error: TextId,
        /// What was compiled.
        function: FunctionFact,
        /// The user's line.
        place: Option<CodePlace>,
        /// The first line of the message.
        message: Option<TextId>,
        /// Whether it is the backward pass that failed.
        is_backward: bool,
    },
    /// How a compile ended.
    Status {
        /// The compile.
        graph: Option<GraphId>,
        /// `ok`, `break`, ..
        status: TextId,
    },
    /// How many operations a compile captured.
    Operations {
        /// The compile.
        graph: Option<GraphId>,
        /// Their number; None if its metrics do not say.
        count: Option<u64>,
    },
    /// A setting of the compiler.
    Setting {
        /// Which configuration holds it.
        config: TextId,
        name: TextId,
        value: TextId,
    },
    /// A configuration that is known by its hash only.
    HashedConfig {
        /// Which configuration.
        config: TextId,
        /// The hash of its settings.
        md5: TextId,
    },
}
