//! The change that a failed guard reports.

use super::kind::ChangeKind;
use crate::read::expr::as_written;

/// The change that a failed guard reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing changed.
    pub kind: ChangeKind,
    /// The expression whose value changed, without the property that the kind names: `x` for a size or a dtype,
    /// `cfg.mode`, `grad_mode`.
    pub source: Option<String>,
    /// The dimension, for sizes and strides.
    pub dimension: Option<u64>,
    /// The value that the cached version was compiled for.
    pub old: Option<String>,
    /// The value that arrived, if known. Guards on Python values do not name it; the guard of the next compile does.
    pub new: Option<String>,
    /// The condition that no longer holds, as a user writes it, if values do not express it: `x.shape[0] % 8 == 0`.
    pub condition: Option<String>,
    /// The address of the expected object. It identifies the object and is never shown.
    pub address: Option<u64>,
    /// Whether this compile made it symbolic: further values do not recompile.
    pub became_dynamic: bool,
    /// Whether the compiled code itself changes the value, so that its guard fails on the next call.
    pub is_own_effect: bool,
    /// Whether the tensor is a parameter or buffer.
    pub of_parameter: bool,
}

impl Change {
    pub(super) fn new(kind: ChangeKind, source: Option<&str>) -> Self {
        let source = source.map(as_written).filter(|source| !source.is_empty());
        Self { kind, source, ..Self::default() }
    }

    pub(super) fn with_values(mut self, old: Option<&str>, new: Option<&str>) -> Self {
        let tidy = |value: &str| value.trim().trim_end_matches(['.', ',']).to_owned();
        self.old = old.map(tidy).filter(|value| !value.is_empty());
        self.new = new.map(tidy).filter(|value| !value.is_empty());
        self
    }

    /// Inputs that were, or were not, the same object.
    pub(super) fn of_alias(source: Option<String>, [old, new]: [&str; 2]) -> Self {
        Self { kind: ChangeKind::Alias, source, ..Self::default() }.with_values(Some(old), Some(new))
    }

    /// A key or an item that a container had, or lacked, and now lacks, or has.
    pub(super) fn of_item(kind: ChangeKind, container: &str, item: &str, was_in: bool) -> Self {
        let (old, new) = if was_in { ("with", "without") } else { ("without", "with") };
        let values = (format!("{old} {item}"), format!("{new} {item}"));
        Self::new(kind, Some(container)).with_values(Some(&values.0), Some(&values.1))
    }

    pub(super) fn with_condition(mut self, condition: impl Into<String>) -> Self {
        self.condition = Some(condition.into());
        self
    }

    /// The full expression as written in Python: `x.shape[1]`, `x.dtype`, `k`; for a relation, its condition.
    pub fn subject(&self) -> Option<String> {
        let source = self.source.as_deref()?;
        Some(match (self.kind, self.dimension) {
            (ChangeKind::Size | ChangeKind::ParameterSize | ChangeKind::ZeroOne, Some(dimension)) => {
                format!("{source}.shape[{dimension}]")
            }
            (ChangeKind::Rank, _) => format!("{source}.ndim"),
            (ChangeKind::Stride, Some(dimension)) => format!("{source}.stride({dimension})"),
            (ChangeKind::StorageOffset, _) => format!("{source}.storage_offset()"),
            (ChangeKind::Relation | ChangeKind::NumberRelation | ChangeKind::EqualSizes, _) => {
                self.condition.clone().unwrap_or_else(|| source.to_owned())
            }
            (ChangeKind::Dtype, _) => format!("{source}.dtype"),
            (ChangeKind::Device, _) => format!("{source}.device"),
            (ChangeKind::RequiresGrad, _) => format!("{source}.requires_grad"),
            (ChangeKind::Length, _) => format!("len({source})"),
            _ => source.to_owned(),
        })
    }

    /// The expression that torch can make symbolic: `x.shape[0]` for a size, `k` for a number.
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

    /// Whether another change is about the same expression and dimension.
    pub(super) fn is_of_the_same(&self, other: &Change) -> bool {
        self.source.is_some() && self.source == other.source && self.dimension == other.dimension
    }
}
