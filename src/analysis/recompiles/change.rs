//! What a failed guard says about the change.

use super::expression::as_written;
use super::kind::ChangeKind;

/// What a failed guard says about the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing changed.
    pub kind: ChangeKind,
    /// The expression whose value changed, without the property that the kind names: `x` of a size or a dtype,
    /// `cfg.mode`, `grad_mode`.
    pub source: Option<String>,
    /// The dimension, for sizes and strides.
    pub dimension: Option<u64>,
    /// The value that the failed entry was compiled for.
    pub old: Option<String>,
    /// The value that arrived, where the text has it. A guard of Python has not: the next compile's guard tells.
    pub new: Option<String>,
    /// The condition that stopped holding, as a user writes it, where values do not tell it: `x.shape[0] % 8 == 0`.
    pub condition: Option<String>,
    /// The address of the object that was expected. It tells objects apart and is never shown.
    pub address: Option<u64>,
    /// Whether torch made it symbolic with the compile at hand: further values need none.
    pub became_dynamic: bool,
    /// Whether the compiled code itself changes it, so that its guard fails on the next call.
    pub is_own_effect: bool,
    /// Whether the tensor is a parameter or buffer of a module.
    pub of_parameter: bool,
}

impl Change {
    pub(super) fn new(kind: ChangeKind, source: Option<&str>) -> Self {
        let source = source.map(as_written).filter(|source| !source.is_empty());
        Self {
            kind,
            source,
            dimension: None,
            old: None,
            new: None,
            condition: None,
            address: None,
            became_dynamic: false,
            is_own_effect: false,
            of_parameter: false,
        }
    }

    pub(super) fn with_values(mut self, old: Option<&str>, new: Option<&str>) -> Self {
        let tidy = |value: &str| value.trim().trim_end_matches(['.', ',']).to_owned();
        self.old = old.map(tidy).filter(|value| !value.is_empty());
        self.new = new.map(tidy).filter(|value| !value.is_empty());
        self
    }

    pub(super) fn with_condition(mut self, condition: impl Into<String>) -> Self {
        self.condition = Some(condition.into());
        self
    }

    /// The expression in full, as one would write it in Python: `x.shape[1]`, `x.dtype`, `k`. A relation is its own.
    pub fn subject(&self) -> Option<String> {
        let source = self.source.as_deref()?;
        Some(match (self.kind, self.dimension) {
            (ChangeKind::Size | ChangeKind::ParameterSize | ChangeKind::ZeroOne, Some(dimension)) => {
                format!("{source}.shape[{dimension}]")
            }
            (ChangeKind::Rank, _) => format!("{source}.ndim"),
            (ChangeKind::Stride, Some(dimension)) => format!("{source}.stride({dimension})"),
            (ChangeKind::StorageOffset, _) => format!("{source}.storage_offset()"),
            (ChangeKind::Relation | ChangeKind::EqualSizes, _) => {
                self.condition.clone().unwrap_or_else(|| source.to_owned())
            }
            (ChangeKind::Dtype, _) => format!("{source}.dtype"),
            (ChangeKind::Device, _) => format!("{source}.device"),
            (ChangeKind::RequiresGrad, _) => format!("{source}.requires_grad"),
            (ChangeKind::Length, _) => format!("len({source})"),
            _ => source.to_owned(),
        })
    }

    /// The expression that torch would make a symbol of: `x.shape[0]` of a size, `k` of a number.
    pub(super) fn symbolic_subject(&self) -> Option<String> {
        let source = self.source.as_deref()?;
        match (self.kind, self.dimension) {
            (ChangeKind::Stride, Some(dimension)) => Some(format!("{source}.stride({dimension})")),
            (ChangeKind::Size | ChangeKind::ParameterSize, Some(dimension)) => {
                Some(format!("{source}.shape[{dimension}]"))
            }
            (ChangeKind::Number | ChangeKind::Value, None) => Some(source.to_owned()),
            (..) => None,
        }
    }

    /// Whether another change is of the same thing.
    pub(super) fn is_of_the_same(&self, other: &Change) -> bool {
        self.source.is_some() && self.source == other.source && self.dimension == other.dimension
    }
}
