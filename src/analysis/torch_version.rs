//! Versions of torch, as rules compare them.

use crate::model::Model;
use serde::Deserialize;

/// A version of torch: `2.15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct TorchVersion {
    major: u32,
    minor: u32,
}

impl TryFrom<String> for TorchVersion {
    type Error = &'static str;

    fn try_from(text: String) -> Result<TorchVersion, &'static str> {
        TorchVersion::parse(&text).ok_or("no version of torch")
    }
}

impl TorchVersion {
    pub(super) fn parse(text: &str) -> Option<TorchVersion> {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Some(TorchVersion { major: numbers.next()?.ok()?, minor: numbers.next()?.ok()? })
    }

    /// The version that wrote the log, if it says so.
    pub(super) fn of(model: &Model) -> Option<TorchVersion> {
        model.torch.as_ref().and_then(|torch| TorchVersion::parse(&torch.version))
    }
}
