//! What changed between two compiles of a function, read from the guard that failed.

use crate::analysis::{ChangeKind, classify};
use crate::model::Reason;

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Changed {
    /// A tensor's size or number of dimensions.
    Size,
    /// A tensor's dtype.
    Dtype,
    /// A tensor's device.
    Device,
    /// A tensor's strides.
    Stride,
    /// A number, text or other plain value of Python.
    Value,
    /// Which object it is, or its type.
    Identity,
    /// Grad mode, a tensor's `requires_grad` or other state of torch.
    State,
    /// The backend of `torch.compile`.
    Backend,
    /// Something else.
    Other,
    /// The log gives no reason.
    Unrecorded,
}

impl Changed {
    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Changed::Size => "size",
            Changed::Dtype => "dtype",
            Changed::Device => "device",
            Changed::Stride => "stride",
            Changed::Value => "Python value",
            Changed::Identity => "object identity",
            Changed::State => "global or grad state",
            Changed::Backend => "backend",
            Changed::Other => "other",
            Changed::Unrecorded => "no reason recorded",
        }
    }
}

/// A change: of what, and from which value to which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing.
    pub changed: Changed,
    /// What it is in the user's program: `x.shape[0]`, `cfg.mode`, `grad_mode`; empty where the guard does not tell.
    pub subject: String,
    /// The tensor or value, as torch names it: `x`.
    pub source: String,
    /// Dimension of a size or stride.
    pub dim: Option<u64>,
    /// The value that the older compile is for.
    pub from: Option<String>,
    /// The value that came.
    pub to: Option<String>,
}

impl Change {
    /// Reads the guard of a reason.
    pub fn of(reason: &Reason) -> Change {
        let guard = if reason.guard.is_empty() { &reason.text } else { &reason.guard };
        // Several guards of one entry are joined; the first says enough.
        let guard = guard.split("; ").next().unwrap_or(guard).trim();
        let read = classify(guard);
        let short = |value: Option<String>| value.filter(|value| value.len() <= LONGEST_VALUE);
        Change {
            changed: if guard.is_empty() { Changed::Unrecorded } else { read.kind.into() },
            subject: read.subject().unwrap_or_default(),
            source: read.source.unwrap_or_default(),
            dim: read.dimension,
            from: short(read.old),
            to: short(read.new),
        }
    }
}

impl From<ChangeKind> for Changed {
    fn from(kind: ChangeKind) -> Changed {
        match kind {
            ChangeKind::Size => Changed::Size,
            ChangeKind::Dtype => Changed::Dtype,
            ChangeKind::Device => Changed::Device,
            ChangeKind::Stride => Changed::Stride,
            ChangeKind::PythonValue => Changed::Value,
            ChangeKind::ObjectIdentity => Changed::Identity,
            ChangeKind::GlobalState => Changed::State,
            ChangeKind::Backend => Changed::Backend,
            ChangeKind::Other => Changed::Other,
        }
    }
}

/// Characters of a value; a longer one is not a value that people compare.
const LONGEST_VALUE: usize = 80;

/// `L['x']` as `x`; other sources as they are.
pub(super) fn plain(source: &str) -> String {
    let inner = source.strip_prefix("L['").and_then(|rest| rest.split_once("']"));
    inner.map_or_else(|| source.to_owned(), |(name, rest)| format!("{name}{rest}"))
}
