//! The facts by which ranks are compared, each with its parts.

use super::ids::{CodePlace, GraphId, TensorListId, TextId, TextListId};
use crate::facts::Aspect;
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

impl Step {
    /// What is compared: what it says, and of facts that go by graph, or are not known, of which graph.
    pub fn compared(&self, aspect: Aspect) -> ComparedFact {
        let is_of_graph = aspect.is_by_graph() || self.value.is_none();
        ComparedFact { graph: self.graph.filter(|_| is_of_graph), value: self.value }
    }
}

/// What ranks are compared by in one place of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ComparedFact {
    graph: Option<GraphId>,
    pub value: Option<FactValue>,
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
        cache: TextId,
        /// `hit`, `miss`, `bypass`
        outcome: TextId,
    },
    /// A key that was looked up in a cache.
    Key {
        cache: TextId,
        key: TextId,
    },
    /// A scheduled collective, or the wait for one: by its place in the order, whatever graph holds it.
    Collective(TextId),
    /// A call of a collective in generated code.
    Call {
        operation: TextId,
        group: TextId,
    },
    Input {
        /// `L['x']`
        name: TextId,
        tensor: TensorFact,
    },
    Output {
        operation: TextId,
        outputs: TensorListId,
    },
    /// A graph whose operations are known by a hash only.
    Hashed {
        count: u64,
        md5: TextId,
    },
    /// A text of which only a hash is kept: the captured graph, or the guards.
    Text(TextId),
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
    /// `ok`, `break`, ..
    Status(TextId),
    /// How many operations were captured.
    Operations(u64),
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
