//! Recompiles whose reasons are not in the log.

use crate::analysis::torch_version::TorchVersion;
use crate::model::{Model, ProblemKind};

/// Why the log has no reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis) enum NoReason {
    /// This version of torch records none.
    NotRecorded(TorchVersion),
    /// Records of the log are damaged, and it may have been among them.
    Damaged,
    /// The log does not show it.
    Unknown,
}

impl NoReason {
    pub(in crate::analysis) fn of(model: &Model) -> NoReason {
        let version = TorchVersion::of(model).filter(|_| model.recompiles.is_empty());
        match version.filter(|version| Some(*version) < TorchVersion::parse("2.5")) {
            Some(version) => NoReason::NotRecorded(version),
            None if ProblemKind::ALL
                .iter()
                .any(|kind| kind.is_damage() && model.integrity.count(*kind) > 0) =>
            {
                NoReason::Damaged
            }
            None => NoReason::Unknown,
        }
    }

    /// In a title.
    pub(in crate::analysis) fn words(self) -> String {
        match self {
            NoReason::NotRecorded(version) => format!("reasons are not recorded by torch {version}"),
            NoReason::Damaged => "the record of the reason is damaged or missing".to_owned(),
            NoReason::Unknown => "no reason recorded".to_owned(),
        }
    }
}
