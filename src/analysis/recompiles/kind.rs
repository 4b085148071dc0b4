//! The kinds of things that change between compiles of one function.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What changed between two compiles of one function. Each kind has its own words; `recompile_rules.toml` has the advice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum ChangeKind {
    /// A dimension of an input.
    Size,
    /// A dimension of a parameter or buffer.
    ParameterSize,
    /// How many dimensions a tensor has.
    Rank,
    /// A size changed to or from 0 or 1, which torch always compiles separately.
    ZeroOne,
    /// Two sizes that were equal when the code was compiled and now differ.
    EqualSizes,
    /// A relation of sizes that the code relies on: a bound, a multiple.
    Relation,
    /// A relation of a Python number that the code relies on: a branch tested it, or an operation needs it.
    NumberRelation,
    Stride,
    /// Where a tensor starts in its memory.
    StorageOffset,
    DispatchKeys,
    Dtype,
    Device,
    /// Whether an input needs a gradient.
    RequiresGrad,
    /// Grad mode, or inference mode.
    GradMode,
    Autocast,
    /// Another setting of torch: threads, deterministic algorithms, default dtype or device.
    Setting,
    Type,
    Object,
    /// Whether an object that the code relies on still exists.
    Freed,
    /// Which function it is: its code, or a function itself.
    Function,
    EnumMember,
    /// A tensor in some calls, something else in others.
    NotATensor,
    /// Whether inputs are the same tensor.
    Alias,
    /// A number of Python.
    Number,
    /// A string of Python.
    Text,
    /// True or False.
    Flag,
    /// None in some calls, something else in others.
    NoneOrNot,
    /// The `training` flag of a module.
    Training,
    /// Another value of Python.
    Value,
    /// How many items a container has.
    Length,
    /// How many items an iterator has left.
    IteratorLength,
    Keys,
    /// Whether a set has an item.
    Member,
    /// Whether an object has an attribute.
    Attribute,
    /// The backend given to `torch.compile`.
    Backend,
    /// Which dimensions are marked as dynamic.
    Marks,
    /// torch found that every guard holds: threads that compile at the same time, or a fault of torch.
    Race,
    /// torch gives an empty reason: another backend in versions before 2.9, or a race.
    Unnamed,
    /// Nothing of the above.
    #[default]
    Other,
}

/// What is known of a kind: its entry in `change_kinds.toml`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct KindFacts {
    word: String,
    /// The noun before the name of what changed, in a title.
    pub(super) noun: String,
    /// One sentence on what it means for compiled code.
    meaning: String,
    expected: bool,
    /// Whether the value may be replaced by a scalar of another kind: None after a number.
    pub(super) scalar: bool,
    /// When torch checks it among the guards of a version: see the top of the table.
    pub(super) stage: Option<u8>,
}

static KINDS: LazyLock<BTreeMap<ChangeKind, KindFacts>> =
    LazyLock::new(|| toml::from_str(include_str!("change_kinds.toml")).unwrap_or_default());

impl ChangeKind {
    pub(super) fn facts(self) -> &'static KindFacts {
        static UNKNOWN: LazyLock<KindFacts> = LazyLock::new(KindFacts::default);
        KINDS.get(&self).unwrap_or(&UNKNOWN)
    }

    /// The kind in words, as in report.json.
    pub fn word(self) -> &'static str {
        &self.facts().word
    }

    /// One sentence on what it means for compiled code.
    pub fn meaning(self) -> &'static str {
        &self.facts().meaning
    }

    /// Whether what changed is the shape or the dtype of a tensor, and not a value of the program.
    pub fn is_of_tensor(self) -> bool {
        use ChangeKind::{Dtype, ParameterSize, Rank, Size, Stride, ZeroOne};
        matches!(self, Size | ParameterSize | Rank | Stride | ZeroOne | Dtype)
    }

    /// Whether each value needs a version of its own, as dtypes do.
    pub fn is_expected(self) -> bool {
        self.facts().expected
    }

    /// Whether it is about the contents of an object: the items of a container, an attribute.
    pub(super) fn is_state(self) -> bool {
        matches!(self, Self::Length | Self::Keys | Self::Member | Self::Attribute)
    }

    /// When torch checks it among the guards of a version.
    pub(super) fn stage(self) -> u8 {
        self.facts().stage.unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_entry() {
        let kinds: BTreeMap<ChangeKind, KindFacts> =
            toml::from_str(include_str!("change_kinds.toml")).unwrap();
        assert_eq!(kinds.len(), ChangeKind::Other as usize + 1);
        assert!(kinds.values().all(|facts| !facts.word.is_empty() && facts.meaning.ends_with('.')));
    }
}
