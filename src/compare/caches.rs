//! Differences in cache lookups, and why a lookup missed: what differs between its key and that of the other run.

use super::graphs::{CompilePair, pairs, sides};
use super::recording::{Compile, Lookup};
use super::rows::LogComparison;
use super::runs::{Runs, function_words};
use crate::analysis::caches::{KeyChange, key_change};
use crate::facts::{Aspect, DiffRow, DiffSide, RowKind};
use crate::limits::{IN_ROW, LARGEST_ARTIFACT, TRIED};
use crate::model::words::{counted, first_of};
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
    /// The same for a key whose components in the log are equal.
    Unwritten,
}

/// The lookups of a turn.
#[derive(Default)]
struct Lookups {
    count: usize,
    caches: BTreeMap<String, usize>,
    functions: IndexSet<String>,
    sides: Option<[DiffSide; 2]>,
}

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
                        *found.same.entry(Aspect::Cache).or_default() += 1;
                        found.missed_again += usize::from(why == Some(Why::SameKey));
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
    turns.sort_by_cached_key(|turn, _| (!matches!(turn.why, Some(Why::Key(_))), turn.why.is_none()));
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
    let texts = [(log_a, a), (log_b, b)].map(|(log, lookup)| {
        runs.logs.get(log)?.report.text(lookup.file.as_ref()?.as_str(), LARGEST_ARTIFACT).ok()
    });
    let [old, new] = texts;
    Some(match key_change([&old?, &new?])? {
        KeyChange::Graph => Why::Graph,
        KeyChange::Unwritten => Why::Unwritten,
        KeyChange::Component { name, values, more } => {
            let code = |text: String| format!("`{}`", text.replace('`', "'"));
            let [old, new] = values.map(|value| value.map_or_else(|| "nothing".to_owned(), code));
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Why::Key(format!("{} ({old} → {new}){more}", code(name)))
        }
    })
}

impl Turn {
    fn row(self, lookups: Lookups) -> DiffRow {
        let kind = match (self.old.as_str(), self.new.as_str()) {
            (_, "hit") => RowKind::Better,
            ("hit", _) => RowKind::Worse,
            _ => RowKind::Changed,
        };
        let [one, many] = Aspect::Cache.nouns();
        let count = counted(lookups.count, one, many);
        let keys = if lookups.count == 1 { "its key differs" } else { "their keys differ" };
        let why = match &self.why {
            None => String::new(),
            Some(Why::SameKey) => ", under the same keys: the cache did not have the results".to_owned(),
            Some(Why::Graph) => ", as the graphs differ".to_owned(),
            Some(Why::Unwritten) => format!(", as {keys} in something that the log does not record"),
            Some(Why::Key(what)) => format!(", as {keys} in {what}"),
        };
        let subject = match self.old == self.new {
            true => format!("{count} missed on both sides{why}"),
            false => format!("{count}: {} → {}{why}", self.old, self.new),
        };
        let mut row = DiffRow::new(kind, Aspect::Cache, subject);
        let caches: Vec<String> =
            lookups.caches.iter().map(|(cache, count)| format!("`{cache}` {count}")).collect();
        let functions: Vec<&String> = lookups.functions.iter().collect();
        row.detail = Some(format!("{}; {}", caches.join(", "), first_of(&functions, IN_ROW)));
        [row.a, row.b] = lookups.sides.unwrap_or_default();
        (row.a.value, row.b.value) = (Some(self.old), Some(self.new));
        row
    }
}
