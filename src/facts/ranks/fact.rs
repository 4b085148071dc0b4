//! The facts by which ranks are compared, each with its parts.

use super::ids::{CodePlace, GraphId, TensorListId, TextId, TextListId};
use std::sync::Arc;

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
    Compiled {
        id: TextId,
        function: FunctionFact,
    },
    Lookup {
        graph: Option<GraphId>,
        cache: TextId,
        /// `hit`, `miss`, `bypass`
        outcome: TextId,
    },
    /// A key that was looked up in a cache.
    Key {
        graph: Option<GraphId>,
        cache: TextId,
        key: TextId,
    },
    /// A scheduled collective, or the wait for one: by its place in the order, whatever graph holds it.
    Collective(TextId),
    /// A call of a collective in generated code.
    Call {
        graph: Option<GraphId>,
        operation: TextId,
        group: TextId,
    },
    Input {
        graph: Option<GraphId>,
        /// `L['x']`
        name: TextId,
        tensor: TensorFact,
    },
    Output {
        graph: Option<GraphId>,
        operation: TextId,
        outputs: TensorListId,
    },
    /// A graph whose operations are known by a hash only.
    Hashed {
        graph: Option<GraphId>,
        count: u64,
        md5: TextId,
    },
    /// A text of which only a hash is kept: the captured graph, or the guards.
    Text {
        graph: Option<GraphId>,
        hash: TextId,
    },
    Executed(GraphId),
    Break {
        place: Option<CodePlace>,
        /// What could not be traced.
        reason: TextId,
        times: u64,
    },
    Recompiled {
        function: FunctionFact,
        /// The guards that failed, one for each earlier compile; that of the closest version first.
        guards: TextListId,
        /// The user's line that the first of these guards protects.
        place: Option<CodePlace>,
    },
    Failed {
        error: TextId,
        function: FunctionFact,
        place: Option<CodePlace>,
        message: Option<TextId>,
        /// Whether it is the backward pass that failed.
        is_backward: bool,
    },
    Status {
        graph: Option<GraphId>,
        /// `ok`, `break`, ..
        status: TextId,
    },
    Operations {
        graph: Option<GraphId>,
        /// Their number; None if its metrics do not say.
        count: Option<u64>,
    },
    Setting {
        config: TextId,
        name: TextId,
        value: TextId,
    },
    /// A configuration that is known by its hash only.
    HashedConfig {
        config: TextId,
        md5: TextId,
    },
}
