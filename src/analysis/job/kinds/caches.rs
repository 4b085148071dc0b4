//! Caches that have a graph for one rank and not for another.

use crate::analysis::caches::cache_title;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, verb};
use crate::facts::ranks::{Aspect, ComparedFact, FactValue, GraphId, RankSummary, Step, TextId};
use crate::model::Sentence;
use crate::model::sentence::{compile_id, sentence, value};
use crate::model::words::list_of;
use fxhash::FxHashSet;
use std::collections::BTreeMap;

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let mut detail = format!("Lookups on {}; {}.", counts(sides, sides.other), counts(sides, sides.most));
    let (severity, case) = match races(sides) {
        Some(longest_ms) => {
            detail = format!("{detail}\nAsked {longest_ms:.0} ms earlier by the rank that missed.");
            (Severity::Info, "race")
        }
        None => (Severity::Warning, folders(sides, &mut detail)),
    };
    sides.finding(KindOfFinding::CacheDiffers, severity, title(sides)).with_detail(detail).in_case(case)
}

/// The case of the folders that the ranks use, which are named where they differ.
fn folders(sides: &Sides<'_>, detail: &mut String) -> &'static str {
    let names = |rank: Option<&RankSummary>| -> Vec<String> {
        let folders = rank.into_iter().flat_map(|rank| rank.cache_folders.iter());
        folders.map(|folder| format!("`{}`", sides.texts().get(*folder))).collect()
    };
    let (other, most) = (names(rank_of(sides, sides.other)), names(rank_of(sides, sides.most)));
    if other.is_empty() || most.is_empty() {
        return "unknown_folder";
    }
    if other.iter().any(|folder| most.contains(folder)) {
        return "same_folder";
    }
    let (others, most_ranks) = (sides.who(sides.other), sides.who(sides.most));
    *detail = format!(
        "{detail}\nCache folders: {} on {others}; {} on {most_ranks}.",
        list_of(&other),
        list_of(&most)
    );
    "other_folders"
}

fn rank_of<'j>(sides: &Sides<'j>, group: &Group) -> Option<&'j RankSummary> {
    sides.job.ranks.get(*group.ranks.first()?)
}

/// Milliseconds between a miss and the hit of the same key by another rank, after the first one had compiled the entry, the
/// longest; None where the sides differ in anything else.
fn races(sides: &Sides<'_>) -> Option<f64> {
    let (other, most) = (rank_of(sides, sides.other)?, rank_of(sides, sides.most)?);
    let differing = differing_graphs(sides);
    let mut longest = 0.0_f64;
    let mut explained: FxHashSet<GraphId> = FxHashSet::default();
    // Each key that a rank missed, when its entry was compiled, and when it was asked for.
    let missed = sides.job.ranks.iter().flat_map(|rank| &rank.keys).filter(|lookup| !lookup.hit);
    let missed: BTreeMap<(TextId, u64), u64> =
        missed.filter_map(|miss| Some(((miss.key, miss.stored_ns?), miss.asked_ns?))).collect();
    for rank in [other, most] {
        // What a rank has compiled itself before, it does not owe to another.
        let own: FxHashSet<TextId> = rank.keys.iter().filter(|one| !one.hit).map(|one| one.key).collect();
        for hit in rank.keys.iter().filter(|lookup| lookup.hit && !own.contains(&lookup.key)) {
            let Some((asked_ns, graph)) = hit.asked_ns.zip(hit.graph) else { continue };
            if let Some((_, miss_ns)) = missed.range((hit.key, 0)..=(hit.key, asked_ns)).next_back() {
                longest = longest.max(asked_ns.saturating_sub(*miss_ns) as f64 / 1e6);
                explained.insert(graph);
            }
        }
    }
    let all = !differing.is_empty()
        && differing.iter().all(|graph| graph.is_some_and(|graph| explained.contains(&graph)));
    all.then_some(longest)
}

/// Compiles to which the caches gave the two sides different answers.
fn differing_graphs(sides: &Sides<'_>) -> Vec<Option<GraphId>> {
    let of = |step: &Step| step.compared(Aspect::Cache);
    let values = |group: &Group| group.steps.iter().map(of).collect::<FxHashSet<ComparedFact>>();
    let (mine, theirs) = (values(sides.most), values(sides.other));
    let only_mine = sides.most.steps.iter().filter(|step| !theirs.contains(&of(step)));
    let only_theirs = sides.other.steps.iter().filter(|step| !mine.contains(&of(step)));
    // A value that one side lacks is not compared.
    let has_gap = |graph| {
        let mut all = sides.most.steps.iter().chain(sides.other.steps.iter());
        all.any(|step| step.graph == graph && step.value.is_none())
    };
    only_mine.chain(only_theirs).map(|step| step.graph).filter(|graph| !has_gap(*graph)).collect()
}

/// A question to a cache and its answer.
struct Lookup<'j> {
    graph: Option<GraphId>,
    id: Option<&'j str>,
    cache: &'j str,
    outcome: &'j str,
}

fn lookup<'j>(sides: &Sides<'j>, step: Option<Step>) -> Option<Lookup<'j>> {
    let texts = sides.texts();
    match step?.value? {
        FactValue::Lookup { cache, outcome } => Some(Lookup {
            graph: step?.graph,
            id: sides.id(step),
            cache: cache_title(texts.get(cache)),
            outcome: texts.get(outcome),
        }),
        _ => None,
    }
}

fn title(sides: &Sides<'_>) -> Sentence {
    let (theirs, mine) = (lookup(sides, sides.theirs), lookup(sides, sides.mine));
    if let (Some(theirs), Some(mine)) = (&theirs, &mine)
        && let Some(id) = theirs.id
        && (theirs.cache, theirs.graph, theirs.id) == (mine.cache, mine.graph, mine.id)
    {
        let (other, most) =
            (outcome_words(sides.other, theirs.outcome), outcome_words(sides.most, mine.outcome));
        let (others, most_ranks) = (sides.who(sides.other), sides.who(sides.most));
        let cache = sentence![" the ", value(theirs.cache), " cache for ", compile_id(id), ", "];
        return sentence![others, other, cache, most_ranks, most, " it"];
    }
    sides.both(|group, step| side(sides, group, step))
}

fn side(sides: &Sides<'_>, group: &Group, step: Option<Step>) -> Sentence {
    let who = sides.who(group);
    let Some(lookup) = lookup(sides, step) else {
        return sentence![who, verb(group, " looks up nothing more", " look up nothing more")];
    };
    let outcome = outcome_words(group, lookup.outcome);
    let id = lookup.id.map_or_else(|| "a graph without id".into(), |id| Sentence::from(compile_id(id)));
    sentence![who, outcome, " the ", value(lookup.cache), " cache for ", id]
}

/// `rank 1: hit 0, missed 6`
fn counts(sides: &Sides<'_>, group: &Group) -> String {
    let count = |outcome: &str| {
        let lookups = group.steps.iter().filter_map(|step| lookup(sides, Some(*step)));
        lookups.filter(|lookup| lookup.outcome == outcome).count()
    };
    let bypassed = match count("bypass") {
        0 => String::new(),
        bypassed => format!(", bypassed {bypassed}"),
    };
    format!("{}: hit {}, missed {}{bypassed}", sides.who(group), count("hit"), count("miss"))
}

/// What a group's lookup came to, as a verb.
fn outcome_words(group: &Group, outcome: &str) -> &'static str {
    match outcome {
        "hit" => verb(group, " hits", " hit"),
        "miss" => verb(group, " misses", " miss"),
        _ => verb(group, " bypasses", " bypass"),
    }
}
