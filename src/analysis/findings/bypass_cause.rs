//! Why caches were bypassed: many records share one cause, often a choice of the user.

use crate::model::sentence::{quoted, sentence};
use crate::model::{Sentence, SentencePart};

/// What keeps results out of the caches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BypassCause {
    /// `torch._inductor.config.freezing`: parameters became constants of the code.
    Freezing,
    /// An operator with a function among its arguments that torch cannot make part of a key.
    HigherOrderOperator(String),
    /// Graphs of compiled autograd.
    CompiledAutograd,
    /// Graphs that DDPOptimizer split.
    SplitForDdp,
    /// A pass of the user without an id.
    CustomPass,
    /// Anything else: the first line of torch's reason.
    Other(String),
}

impl BypassCause {
    /// Reads torch's reason.
    pub(super) fn parse(reason: &str) -> BypassCause {
        let lower = reason.to_lowercase();
        let has = |mark: &str| lower.contains(mark);
        if has("freezing") || has("frozen") {
            BypassCause::Freezing
        } else if has("higherorderoperator") || has("higher order op") {
            let name = reason.rsplit_once(": ").map_or("", |(_, name)| name);
            BypassCause::HigherOrderOperator(
                name.lines().next().unwrap_or_default().trim_end_matches('.').to_owned(),
            )
        } else if has("compiled_autograd") || has("compiled autograd") {
            BypassCause::CompiledAutograd
        } else if has("fakify_first_call") {
            BypassCause::SplitForDdp
        } else if has("custom pass") {
            BypassCause::CustomPass
        } else {
            BypassCause::Other(reason.lines().next().unwrap_or_default().trim().to_owned())
        }
    }

    /// Whether the program chose something that torch never caches: then the bypass is on purpose.
    pub(super) fn is_on_purpose(&self) -> bool {
        !matches!(self, BypassCause::CustomPass | BypassCause::Other(_))
    }

    /// The cause, as it reads after a colon.
    pub(super) fn words(&self) -> Sentence {
        match self {
            BypassCause::Freezing => "freezing is on".into(),
            BypassCause::HigherOrderOperator(name) if name.is_empty() => {
                "torch cannot cache a higher-order operator".into()
            }
            BypassCause::HigherOrderOperator(name) => {
                sentence![
                    "torch cannot cache the higher-order operator ",
                    SentencePart::Operator(name.clone())
                ]
            }
            BypassCause::CompiledAutograd => "AOTAutograd does not cache graphs of compiled autograd".into(),
            BypassCause::SplitForDdp => "AOTAutograd does not cache graphs that DDPOptimizer split".into(),
            BypassCause::CustomPass => "a custom pass has no id".into(),
            BypassCause::Other(reason) if reason.is_empty() => "no reason recorded".into(),
            BypassCause::Other(reason) => quoted(reason).into(),
        }
    }

    /// The case that says what to do about it.
    pub(super) fn case(&self) -> Option<&'static str> {
        Some(match self {
            BypassCause::Freezing => "freezing",
            BypassCause::HigherOrderOperator(_) => "higher_order_operator",
            BypassCause::CompiledAutograd | BypassCause::SplitForDdp => "not_by_aotautograd",
            BypassCause::CustomPass => "custom_pass",
            BypassCause::Other(_) => return None,
        })
    }
}
