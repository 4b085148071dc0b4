//! Caches that have a graph for one rank and not for another.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, verb};
use crate::model::{Fact, FactValue, Step};

const KIND: JobKind = JobKind::difference(Fact::Cache, "cache_differs", "Caches");

const ADVICE: &str = "Results do not differ, times do: while one rank compiles, the others wait in their next collective, up to the timeout. Share the cache directory between ranks, or warm it on each node.";

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let detail = format!("Lookups on {}; {}.", counts(sides, sides.other), counts(sides, sides.most));
    sides.finding(KIND, Severity::Warning, title(sides)).with_detail(detail).with_hint(ADVICE)
}

/// A question to a cache and its answer.
struct Lookup<'j> {
    id: Option<&'j str>,
    cache: &'j str,
    outcome: &'j str,
}

fn lookup<'j>(sides: &Sides<'j>, step: Option<Step>) -> Option<Lookup<'j>> {
    let texts = sides.texts();
    match step?.value? {
        FactValue::Lookup { id, cache, outcome } => {
            Some(Lookup { id: texts.maybe(id), cache: texts.get(cache), outcome: texts.get(outcome) })
        }
        _ => None,
    }
}

fn title(sides: &Sides<'_>) -> String {
    let (theirs, mine) = (lookup(sides, sides.theirs), lookup(sides, sides.mine));
    if let (Some(theirs), Some(mine)) = (&theirs, &mine)
        && let Some(id) = theirs.id
        && (theirs.cache, theirs.id) == (mine.cache, mine.id)
    {
        let (other, most) =
            (outcome_words(sides.other, theirs.outcome), outcome_words(sides.most, mine.outcome));
        let (others, most_ranks) = (sides.who(sides.other), sides.who(sides.most));
        return format!("{others} {other} the {} cache for {id}, {most_ranks} {most} it", theirs.cache);
    }
    format!("{}, {}", side(sides, sides.other, theirs), side(sides, sides.most, mine))
}

fn side(sides: &Sides<'_>, group: &Group, lookup: Option<Lookup<'_>>) -> String {
    let who = sides.who(group);
    match lookup {
        Some(lookup) => format!(
            "{who} {} the {} cache for {}",
            outcome_words(group, lookup.outcome),
            lookup.cache,
            lookup.id.unwrap_or("a graph without id")
        ),
        None => format!("{who} {} nothing more", verb(group, "looks up", "look up")),
    }
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
        "hit" => verb(group, "hits", "hit"),
        "miss" => verb(group, "misses", "miss"),
        _ => verb(group, "bypasses", "bypass"),
    }
}
