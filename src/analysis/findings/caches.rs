//! Caches that were not asked, or did not have the result.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use crate::model::words::{counted, first_line};
use crate::model::{CacheLookup, CompileIndex, Model, Outcome};
use indexmap::IndexMap;

/// Caches.
pub(super) const FAMILY: Family = Family { kinds: &[&CACHE_BYPASS, &CACHE_MISS], of_log };

/// A cache was not asked.
static CACHE_BYPASS: KindOfFinding = KindOfFinding {
    checked: Some("cache bypass"),
    topic: Some(Topic::Caches),
    records: &["fx_graph_cache_bypass", "aotautograd_cache_bypass"],
    charged: ChargeOrder::Cache,
    ..KindOfFinding::of("cache_bypass", "Cache bypass")
};

/// A cache did not have the result.
static CACHE_MISS: KindOfFinding = KindOfFinding {
    topic: Some(Topic::Caches),
    records: &["fx_graph_cache_miss"],
    ..KindOfFinding::of("cache_miss", "Cache miss")
};

/// Bypasses by reason, then all misses as one.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let mut reasons: IndexMap<&str, Vec<&CacheLookup>> = IndexMap::new();
    for one in model.caches.iter().filter(|c| c.outcome == Outcome::Bypass) {
        reasons.entry(one.reason.as_deref().unwrap_or_default().trim()).or_default().push(one);
    }
    let mut found: Vec<Finding> = reasons.iter().map(|(why, same)| bypass(model, why, same)).collect();
    found.extend(misses(model));
    found
}

/// `fx_graph` as people call it.
fn name(cache: &str) -> String {
    match cache {
        "fx_graph" => "FX graph".to_owned(),
        "aotautograd" => "AOTAutograd".to_owned(),
        other => other.to_owned(),
    }
}

/// How often of each cache: `FX graph 2 times, AOTAutograd 2 times`.
fn by_cache(lookups: &[&CacheLookup]) -> String {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for one in lookups {
        *counts.entry(&one.cache).or_default() += 1;
    }
    counts
        .iter()
        .map(|(cache, n)| format!("{} {}", name(cache), counted(*n, "time", "times")))
        .collect::<Vec<_>>()
        .join(", ")
}

fn compiles(lookups: &[&CacheLookup]) -> Vec<CompileIndex> {
    let mut compiles: Vec<CompileIndex> = lookups.iter().map(|one| one.artifact.compile).collect();
    compiles.sort_unstable();
    compiles.dedup();
    compiles
}

fn bypass(model: &Model, why: &str, same: &[&CacheLookup]) -> Finding {
    let all = model.caches.iter().all(|c| c.outcome == Outcome::Bypass);
    let one_reason = same.len() == model.caches.len();
    let first = first_line(why);
    let first = if first.is_empty() { "no reason recorded" } else { first };
    let concerned = compiles(same);
    let title = match all && one_reason {
        true => format!("No compile of this log can be cached: {first}"),
        false => {
            let caches = by_cache(same);
            let times = counted(concerned.len(), "compile", "compiles");
            format!("{times} cannot be cached ({caches}): {first}")
        }
    };
    let mut found = Finding::new(&CACHE_BYPASS, Severity::Warning, title);
    found.detail =
        Some("A result that is not cached is compiled again in every run of the program.".to_owned());
    // Another run repeats what these caches would have kept. Kernels are kept by content, whoever asks for them.
    let words = "that every run of the program spends again";
    for (cache, work) in [("fx_graph", Work::InductorGraph), ("aotautograd", Work::AotGraph)] {
        let of: Vec<&CacheLookup> = same.iter().filter(|one| one.cache == cache).copied().collect();
        found.claim(Claim::avoidable(work, compiles(&of), words));
    }
    found.count = same.len() as u64;
    found.fact("Reason in the log", Value::Prose(why.to_owned()).or_unknown());
    found.fact("Bypasses", Value::Prose(by_cache(same)));
    found.hints.extend(hint(why).map(str::to_owned));
    found.compiles = concerned;
    found.reason = why.to_owned();
    found
}

impl Value {
    fn or_unknown(self) -> Value {
        match self {
            Value::Prose(text) if text.is_empty() => Value::Prose("no reason recorded".to_owned()),
            other => other,
        }
    }
}

/// What to do about a bypass whose cause is known.
fn hint(why: &str) -> Option<&'static str> {
    [
        ("custom pass", "Give the custom pass a `uuid()` (`torch._inductor.custom_graph_pass.CustomGraphPass`), so that it can be part of a cache key."),
        ("compiled_autograd", "Compiled autograd's graphs are not cached by AOTAutograd; their kernels are, by the FX graph cache."),
        ("fakify_first_call", "DDPOptimizer's split graphs are not cached by AOTAutograd; their kernels are, by the FX graph cache."),
    ]
    .into_iter()
    .find_map(|(mark, hint)| why.contains(mark).then_some(hint))
}

/// All misses of a log, as one: a first run misses.
fn misses(model: &Model) -> Option<Finding> {
    let missed: Vec<&CacheLookup> = model.caches.iter().filter(|c| c.outcome == Outcome::Miss).collect();
    if missed.is_empty() {
        return None;
    }
    let concerned = compiles(&missed);
    let everything: Vec<&CacheLookup> = model.caches.iter().collect();
    let all = compiles(&everything).len();
    let title = format!("{} of {} missed a cache", concerned.len(), counted(all, "compile", "compiles"));
    let mut found = Finding::new(&CACHE_MISS, Severity::Info, title);
    let mut reasons: IndexMap<&str, usize> = IndexMap::new();
    for one in &missed {
        *reasons.entry(one.reason.as_deref().unwrap_or("no reason recorded")).or_default() += 1;
    }
    let full = reasons.keys().all(|reason| *reason == "full_miss");
    let words = if full {
        "Every miss is a full miss: no earlier entry had this key. A second run of the same program finds them."
    } else {
        "Some keys were there, but not for these inputs, or the log does not say more."
    };
    found.detail = Some(words.to_owned());
    let listed = reasons.iter().map(|(reason, n)| format!("{reason}: {n}"));
    found.fact("Reasons in the log", Value::Prose(listed.collect::<Vec<_>>().join("; ")));
    found.fact("Misses", Value::Prose(by_cache(&missed)));
    let hits: Vec<&CacheLookup> = model.caches.iter().filter(|c| c.outcome == Outcome::Hit).collect();
    if !hits.is_empty() {
        found.fact("Hits", Value::Prose(by_cache(&hits)));
    }
    found.count = missed.len() as u64;
    found.compiles = concerned;
    Some(found)
}
