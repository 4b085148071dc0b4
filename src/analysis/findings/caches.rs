//! Cache bypasses and misses.

use super::advice::Advice;
use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use super::rules::{About, Found, Told};
use crate::analysis::caches::cache_title;
use crate::limits::SAME_NAME;
use crate::model::sentence::{count, sentence};
use crate::model::words::counted;
use crate::model::{CacheLookup, CompileIndex, Model, Outcome, Sentence};
use crate::trace::TextSet;
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// Inductor's cache of compiled graphs.
const INDUCTOR_CACHE: &str = "fx_graph";

/// What keeps results out of the caches: many records share one cause, often a choice of the user.
struct Cause<'m> {
    words: Sentence,
    advice: Vec<Advice>,
    /// Whether the program chose something that torch never caches.
    is_on_purpose: bool,
    lookups: Vec<&'m CacheLookup>,
}

impl Cause<'_> {
    fn of(reason: &str) -> Self {
        let told = Told::of_reason(About::Bypass, reason);
        let found = told.cause();
        Cause {
            words: found.as_ref().and_then(Found::plain).unwrap_or_default(),
            advice: found.as_ref().map_or_else(Vec::new, Found::advice),
            is_on_purpose: found.is_some_and(|found| found.is_expected()),
            lookups: Vec::new(),
        }
    }

    /// Whether nothing is known but what torch says.
    fn is_in_words_of_torch(&self) -> bool {
        self.advice.is_empty()
    }
}

/// Bypasses by cause, then all misses as one.
pub(super) fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let mut causes: IndexMap<String, Cause<'_>> = IndexMap::new();
    for one in model.caches.iter().filter(|c| c.outcome == Outcome::Bypass) {
        let cause = Cause::of(one.reason.as_deref().unwrap_or_default());
        causes.entry(cause.words.text().to_string()).or_insert(cause).lookups.push(one);
    }
    let mut causes: Vec<Cause<'_>> = causes.into_values().collect();
    once_per_compile(&mut causes);
    let asked =
        model.caches.iter().filter(|one| one.cache == INDUCTOR_CACHE && one.outcome != Outcome::Bypass);
    let asked: FxHashSet<CompileIndex> = asked.map(|one| one.artifact.compile).collect();
    let found = causes.into_iter().map(|cause| bypass(model, &asked, cause));
    let mut found: Vec<Finding> = found.collect();
    found.extend(misses(model));
    found
}

/// Two caches word one cause each in their own way: a cause without a name of its own goes to the one that the same
/// compiles have in another cache.
fn once_per_compile(causes: &mut Vec<Cause<'_>>) {
    let mut of_compiles: FxHashMap<Vec<CompileIndex>, Vec<usize>> = FxHashMap::default();
    for (at, cause) in causes.iter().enumerate() {
        of_compiles.entry(compiles(&cause.lookups)).or_default().push(at);
    }
    for at in 0..causes.len() {
        let Some(cause) = causes.get(at).filter(|cause| cause.is_in_words_of_torch()) else { continue };
        let cache = cause.lookups.first().map(|one| one.cache.as_str());
        let is_twin = |twin: &usize| {
            let others = causes.get(*twin).map_or(&[][..], |other| other.lookups.as_slice());
            !others.is_empty() && others.iter().all(|one| Some(one.cache.as_str()) != cache)
        };
        let alike = of_compiles.get(&compiles(&cause.lookups)).into_iter().flatten().take(SAME_NAME).copied();
        if let Some(twin) = alike.filter(|twin| *twin != at).find(is_twin) {
            let moved =
                causes.get_mut(at).map(|cause| std::mem::take(&mut cause.lookups)).unwrap_or_default();
            causes.get_mut(twin).into_iter().for_each(|kept| kept.lookups.extend(&moved));
        }
    }
    causes.retain(|cause| !cause.lookups.is_empty());
}

/// Lookups per cache: `FX graph 2 times, AOTAutograd 2 times`.
fn by_cache(lookups: &[&CacheLookup]) -> String {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for one in lookups {
        *counts.entry(&one.cache).or_default() += 1;
    }
    counts
        .iter()
        .map(|(cache, n)| format!("{} {}", cache_title(cache), counted(*n, "time", "times")))
        .collect::<Vec<_>>()
        .join(", ")
}

fn compiles(lookups: &[&CacheLookup]) -> Vec<CompileIndex> {
    let mut compiles: Vec<CompileIndex> = lookups.iter().map(|one| one.artifact.compile).collect();
    compiles.sort_unstable();
    compiles.dedup();
    compiles
}

/// `asked` are the compiles that looked into the cache of Inductor's graphs.
fn bypass(model: &Model, asked: &FxHashSet<CompileIndex>, cause: Cause<'_>) -> Finding {
    let same = cause.lookups.as_slice();
    let concerned = compiles(same);
    let everything = same.len() == model.caches.len();
    let times = count(concerned.len(), "compile", "compiles");
    let kept = concerned.iter().all(|compile| asked.contains(compile));
    let title = match (kept, everything) {
        (false, true) => sentence!["No compile of this log can be cached: ", cause.words.clone()],
        (false, false) => sentence![times, " cannot be cached: ", cause.words.clone()],
        (true, _) => sentence!["AOTAutograd's cache is bypassed in ", times, ": ", cause.words.clone()],
    };
    let severity = if cause.is_on_purpose { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(KindOfFinding::CacheBypass, severity, title);
    found.say(if kept { "kept_by_inductor" } else { "not_kept" }, &[]);
    found.claims = claims(&cause);
    found.count = same.len() as u64;
    let mut reasons: Vec<&str> = same.iter().filter_map(|one| one.reason.as_deref().map(str::trim)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let reasons = if reasons.is_empty() { vec!["no reason recorded"] } else { reasons };
    found.fact("Reason in the log", Value::Prose(reasons.join("; ")));
    found.fact("Bypasses", Value::Prose(by_cache(same)));
    found.advise_all(cause.advice);
    found.compiles = concerned;
    found.reason = cause.words.text();
    found
}

/// Every run repeats what these caches would have kept. Kernel binaries are cached by content either way.
fn claims(cause: &Cause<'_>) -> Vec<Claim> {
    let kind = if cause.is_on_purpose { Claim::expected } else { Claim::avoidable };
    let claim = |(of_cache, work): (&str, Work)| {
        let of = cause.lookups.iter().filter(|one| one.cache == of_cache);
        let of: Vec<&CacheLookup> = of.copied().collect();
        kind(work, compiles(&of), "that every run of the program spends again".to_owned())
    };
    let claims = [(INDUCTOR_CACHE, Work::InductorGraph), ("aotautograd", Work::AotGraph)].map(claim);
    claims.into_iter().filter(|claim| !claim.compiles.is_empty()).collect()
}

/// All misses of a log as one finding: a first run always misses.
fn misses(model: &Model) -> Option<Finding> {
    let missed: Vec<&CacheLookup> = model.caches.iter().filter(|c| c.outcome == Outcome::Miss).collect();
    if missed.is_empty() {
        return None;
    }
    let hits: Vec<&CacheLookup> = model.caches.iter().filter(|c| c.outcome == Outcome::Hit).collect();
    let cold = is_cold(model);
    let mut reasons: IndexMap<&str, usize> = IndexMap::new();
    for one in &missed {
        *reasons.entry(one.reason.as_deref().unwrap_or("no reason recorded")).or_default() += 1;
    }
    let full = missed.iter().all(|one| is_full(one));
    let number = count(missed.len(), "miss", "misses");
    let mut found = if cold {
        let title = sentence!["Cold cache: ", number, ", a second run will hit the cache"];
        Finding::new(KindOfFinding::CacheMiss, Severity::Info, title)
    } else {
        let title = sentence![number, " and ", count(hits.len(), "hit", "hits")];
        let mut found = Finding::new(KindOfFinding::CacheMiss, Severity::Info, title);
        found.say(if full { "no_entry" } else { "other_guard" }, &[]);
        let listed = reasons.iter().map(|(reason, n)| format!("{}: {n}", reason_words(reason)));
        found.fact("Reasons", Value::Prose(listed.collect::<Vec<_>>().join("; ")));
        found
    };
    found.fact("Misses", Value::Prose(by_cache(&missed)));
    if !hits.is_empty() {
        found.fact("Hits", Value::Prose(by_cache(&hits)));
    }
    found.count = missed.len() as u64;
    found.compiles = compiles(&missed);
    Some(found)
}

/// Whether nothing of an earlier run was in the caches: every miss is a full one, and what was found this run itself
/// compiled, as the same key missed before.
pub(super) fn is_cold(model: &Model) -> bool {
    let mut missed: TextSet<(&str, Option<&str>)> = TextSet::default();
    for one in &model.caches {
        let known = (one.cache.as_str(), one.key.as_deref());
        match one.outcome {
            Outcome::Miss if !is_full(one) => return false,
            Outcome::Miss => _ = missed.insert(known),
            Outcome::Hit if one.key.is_none() || !missed.contains(&known) => return false,
            Outcome::Hit | Outcome::Bypass => {}
        }
    }
    !missed.is_empty()
}

/// Whether there was no entry with the key.
fn is_full(miss: &CacheLookup) -> bool {
    matches!(miss.reason.as_deref(), None | Some("full_miss" | "miss" | "no reason recorded"))
}

/// torch's reason for a miss in plain words.
fn reason_words(reason: &str) -> String {
    match reason {
        "full_miss" | "miss" => "no entry with this key".to_owned(),
        _ => reason.replacen("guard_miss", "an entry whose guard does not hold", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::CostKind;
    use super::*;
    use crate::analysis::sketch::Sketch;

    #[test]
    fn a_bypass_claims_what_the_bypassed_cache_would_have_kept_and_one_on_purpose_is_expected() {
        for (reason, kind) in [
            ("Unsupported post grad custom pass", CostKind::Avoidable),
            ("Skipping graph with frozen constants", CostKind::Expected),
        ] {
            let lookups = ["0/0 fx_graph", "1/0 fx_graph", "1/0 aotautograd"];
            let log = lookups.map(|lookup| format!("cache {lookup} bypass {reason}\n")).concat();
            let found = of_log(Basis::of_model(&Sketch::parse(&log).model)).remove(0);
            let claims = found.claims.iter().map(|claim| (claim.kind, claim.work, claim.compiles.len()));
            let expected = [(kind, Work::InductorGraph, 2), (kind, Work::AotGraph, 1)];
            assert_eq!(claims.collect::<Vec<_>>(), expected);
        }
    }
}
