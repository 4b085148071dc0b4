//! A function with nearly as many compiled versions as torch keeps: one more kind of call and it runs in eager mode.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::names::FunctionWords;
use crate::analysis::own_code::is_library;
use crate::analysis::recompiles::{Chain, recompile_limit};
use crate::analysis::user_place::UserPlace;
use crate::model::Model;
use crate::model::sentence::sentence;

/// Versions below the limit from which a function is near it.
const NEAR: u64 = 2;

/// One finding per function that is near the limit and did not reach it.
pub(super) fn of_log(Basis { model, chains, .. }: Basis<'_>) -> Vec<Finding> {
    let limit = recompile_limit(model);
    let near = |chain: &&Chain<'_>| {
        let versions = chain.versions as u64;
        !chain.limit_hit() && versions < limit && versions > 2 && versions + NEAR >= limit
    };
    let words = FunctionWords::of(model);
    chains.iter().filter(near).filter_map(|chain| finding(model, &words, chain, limit)).collect()
}

fn finding(model: &Model, words: &FunctionWords<'_>, chain: &Chain<'_>, limit: u64) -> Option<Finding> {
    let compiles = chain.compiles();
    let first = *compiles.first()?;
    let function = words.at(first).unwrap_or_else(|| "a function".into());
    let place = UserPlace::of_definition(model, first);
    let title = sentence![function, " has ", chain.versions, " of the ", limit, " versions that torch keeps"];
    let mut found = Finding::new(KindOfFinding::NearLimit, Severity::Info, title);
    let function = model.compiles.get(first).and_then(|compile| compile.function.as_ref());
    if function.is_some_and(|function| function.file.as_deref().is_some_and(is_library)) {
        found.say("of_library", &[]);
    }
    found.fact("Compiled versions", Value::Prose(format!("{} of {limit}", chain.versions)));
    found.count = chain.versions as u64;
    found.place = place;
    found.compiles = compiles;
    Some(found)
}
