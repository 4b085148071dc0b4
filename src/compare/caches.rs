//! Differences in cache lookups, and why a lookup missed: what differs between its key and that of the other run.

use super::graphs::{CompilePair, pairs, sides};
use super::recording::{Compile, Lookup};
use super::rows::LogComparison;
use super::runs::{Runs, function_words};
use crate::analysis::caches::{Components, Difference};
use crate::facts::{DiffRow, DiffSide, RowKind, RowTopic};
use crate::limits::{IN_ROW, LABEL, LARGEST_ARTIFACT, TRIED};
use crate::model::words::{counted, first_of, shortened};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeMap;

/// What a lookup was answered on both sides, and why it missed.
#[derive(PartialEq, Eq, Hash)]
struct Turn {
    old: String,
    new: String,
    why: Option<Why>,
}

/// Why a lookup of B missed.
#[derive(PartialEq, Eq, Hash)]
enum Why {
    /// A used the same key.
    SameKey,
    /// The graph is another one.
    Graph,
    /// The same graph has another key: what differs.
    Key(String),
}

/// The lookups of a turn.
#[derive(Default)]
struct Lookups {
    count: usize,
    caches: BTreeMap<String, usize>,
    functions: IndexSet<String>,
    sides: Option<[DiffSide; 2]>,
}

/// The component of a key that is the graph.
const GRAPH: &str = "gm";

/// Other results of cache lookups, and misses under other keys: one row per kind of change.
pub(super) fn caches(runs: &Runs<'_>, found: &mut LogComparison) {
    let mut turns: IndexMap<Turn, Lookups> = IndexMap::new();
    // Each key is a file of a hundred kilobytes.
    let mut keys_left = TRIED;
    for function in &runs.functions {
        let Some((log, place)) = runs.firsts(&function.places)[1] else { continue };
        let Some(shown) = runs.function(log, place) else { continue };
        for pair @ [(_, a), (_, b)] in pairs(runs, function, |one| format!("{:?}", outcomes(one))) {
            let caches: IndexSet<&String> = a.lookups.keys().chain(b.lookups.keys()).collect();
            for cache in caches {
                let (old, new) = (lookups(a, cache), lookups(b, cache));
                for at in 0..old.len().max(new.len()) {
                    let both = [old.get(at), new.get(at)];
                    let [a, b] = both.map(|one| one.map_or("no lookup", |one| one.outcome.as_str()));
                    let missed = b == "miss" && a != "no lookup";
                    let why = missed.then(|| why(runs, pair, both, &mut keys_left)).flatten();
                    if a == b && !matches!(why, Some(Why::Key(_))) {
                        found.same.lookups += 1;
                        found.same.missed_again += usize::from(why == Some(Why::SameKey));
                        continue;
                    }
                    let turn = Turn { old: a.to_owned(), new: b.to_owned(), why };
                    let turn = turns.entry(turn).or_default();
                    turn.count += 1;
                    *turn.caches.entry(cache.clone()).or_default() += 1;
                    turn.functions.insert(function_words(&shown.told.name));
                    turn.sides.get_or_insert_with(|| sides(runs, pair));
                }
            }
        }
    }
    // What differs between two keys says most.
    turns.sort_by_cached_key(|turn, _| !matches!(turn.why, Some(Why::Key(_))));
    found.rows.extend(turns.into_iter().map(|(turn, lookups)| turn.row(lookups)));
}

fn outcomes(compile: &Compile) -> Vec<(&String, Vec<&str>)> {
    compile
        .lookups
        .iter()
        .map(|(cache, all)| (cache, all.iter().map(|one| one.outcome.as_str()).collect()))
        .collect()
}

fn lookups<'c>(compile: &'c Compile, cache: &str) -> &'c [Lookup] {
    compile.lookups.get(cache).map(Vec::as_slice).unwrap_or_default()
}

/// Why the lookup of B missed: by the components of both keys, as far as torch logs them.
fn why(
    runs: &Runs<'_>,
    [(log_a, _), (log_b, _)]: CompilePair<'_>,
    [a, b]: [Option<&Lookup>; 2],
    keys_left: &mut usize,
) -> Option<Why> {
    let (a, b) = (a?, b?);
    if a.key.as_ref()? == b.key.as_ref()? {
        return Some(Why::SameKey);
    }
    *keys_left = keys_left.checked_sub(1)?;
    let mut components = Components::default();
    let [old, new] = [(log_a, a), (log_b, b)].map(|(log, lookup)| {
        let text = runs.logs.get(log)?.report.text(lookup.file.as_ref()?.as_str(), LARGEST_ARTIFACT).ok()?;
        Some(components.key_of_artifact(&text))
    });
    let differences = components.differences(&old?, &new?);
    let is_graph = |one: &Difference<'_>| one.name.split(['[', '.']).next() == Some(GRAPH);
    if differences.iter().any(is_graph) {
        return Some(Why::Graph);
    }
    let first = differences.first()?;
    let value = |one: Option<&crate::analysis::caches::Component>| match one {
        Some(component) => format!("`{}`", shortened(&component.value.replace('`', "'"), LABEL)),
        None => "nothing".to_owned(),
    };
    let more = match differences.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let name = first.name.replace('`', "'");
    Some(Why::Key(format!("`{name}` ({} → {}){more}", value(first.old), value(first.new))))
}

impl Turn {
    fn row(self, lookups: Lookups) -> DiffRow {
        let kind = match (self.old.as_str(), self.new.as_str()) {
            (_, "hit") => RowKind::Better,
            ("hit", _) => RowKind::Worse,
            _ => RowKind::Changed,
        };
        let count = counted(lookups.count, "cache lookup", "cache lookups");
        let keys = if lookups.count == 1 { "its key differs" } else { "their keys differ" };
        let why = match &self.why {
            None => String::new(),
            Some(Why::SameKey) => ", under the same keys: the cache did not have the results".to_owned(),
            Some(Why::Graph) => ", as the graphs differ".to_owned(),
            Some(Why::Key(what)) => format!(", as {keys} in {what}"),
        };
        let subject = match self.old == self.new {
            true => format!("{count} missed on both sides{why}"),
            false => format!("{count}: {} → {}{why}", self.old, self.new),
        };
        let mut row = DiffRow::new(kind, RowTopic::Cache, subject);
        let caches: Vec<String> =
            lookups.caches.iter().map(|(cache, count)| format!("`{cache}` {count}")).collect();
        let functions: Vec<&String> = lookups.functions.iter().collect();
        row.detail = Some(format!("{}; {}", caches.join(", "), first_of(&functions, IN_ROW)));
        [row.a, row.b] = lookups.sides.unwrap_or_default();
        (row.a.value, row.b.value) = (Some(self.old), Some(self.new));
        row
    }
}
