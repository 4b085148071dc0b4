//! How many versions of a function torch caches, what happens at the limit, and whether the log can say why each was compiled.

use crate::analysis::torch_version::TorchVersion;
use crate::model::words::headline;
use crate::model::{Failure, Model, ProblemKind};

/// Default of `torch._dynamo.config.recompile_limit`, used if the log does not record it.
const USUAL_LIMIT: u64 = 8;

/// Versions of a function that torch caches before it gives up.
pub fn recompile_limit(model: &Model) -> u64 {
    model.recompile_limit.unwrap_or(USUAL_LIMIT).max(1)
}

/// What happened to a function at the limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Limit {
    /// It was not reached.
    #[default]
    NotReached,
    /// A call that fits no version runs in eager mode.
    RunsEagerly,
    /// A call that fits no version raises: `fail_on_recompile_limit_hit` is set.
    Raises,
}

/// Whether a failure says that a function was compiled too often: since torch 2.15 by its text, before by the name of the
/// exception.
pub(in crate::analysis) fn is_limit(failure: &Failure) -> bool {
    let first = first_line(failure);
    let words = ["recompile_limit", "recompile limit", "cache_size_limit"];
    let errors = ["RecompileLimit", "CacheLimit"];
    errors.iter().any(|name| failure.error.contains(name)) || words.iter().any(|word| first.contains(word))
}

/// What a failure at the limit does to the program.
pub(super) fn limit_of(failure: &Failure) -> Limit {
    let first = first_line(failure);
    let settings = ["fail_on_recompile_limit_hit", "fail_on_cache_limit_hit"];
    let raises = failure.error.starts_with("FailOn") || settings.iter().any(|name| first.contains(name));
    if raises { Limit::Raises } else { Limit::RunsEagerly }
}

fn first_line(failure: &Failure) -> String {
    headline(failure.reason.as_deref().unwrap_or_default())
}

/// Why a log cannot have the reason of each recompile, for a title: an older torch records none, and damage may have lost one.
pub(in crate::analysis) fn unrecorded(model: &Model) -> Option<String> {
    if let Some(shown) = &model.log.console {
        let prints_reasons = shown.iter().any(|name| name.starts_with("recompiles"));
        return (!prints_reasons).then(|| "TORCH_LOGS=recompiles prints the reasons".to_owned());
    }
    let is_damaged =
        || ProblemKind::ALL.iter().any(|kind| kind.is_damage() && model.integrity.count(*kind) > 0);
    let old = TorchVersion::of(model).is_none_or(|version| Some(version) < TorchVersion::parse("2.6"));
    let is_recorded = model.recompiles.iter().any(|one| !one.reasons.is_empty());
    if old && !is_recorded && !model.recompiles.is_empty() {
        return Some("this version of torch records no reasons".to_owned());
    }
    is_damaged().then(|| "the record of the reason is damaged or missing".to_owned())
}
