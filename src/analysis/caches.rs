//! Why a cache missed: which components of a key differ from those of an earlier one.

use super::one_offs::{OneOff, OneOffKind};
use crate::limits::{KEPT_OF_LOG, LABEL, SENTENCE};
use crate::model::words::shortened;
use crate::model::{BorrowedText, CacheLookup, CompileIndex, Function, Model, Outcome};
use crate::trace::{FrameId, OrderedMap, TextHasher, TextMap, TextSet};
use fxhash::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// The distinct components of all keys.
#[derive(Debug, Default)]
pub struct Components {
    /// By a hash of their hash and name, which a log cannot control.
    pub(super) all: IndexMap<u64, Component, FxBuildHasher>,
    hasher: TextHasher,
    names: OrderedMap<String, ()>,
}

/// A component of a key, as torch writes it: `[hash] name: value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    name: usize,
    /// Its hash, which is the only part of it in the key.
    pub hash: String,
    /// The beginning of its value.
    pub value: String,
}

/// The components of one key: places in [`Components`], in the order of the log.
#[derive(Debug, Default, Clone)]
pub struct Key(Vec<u32>);

#[derive(Deserialize, Default)]
struct WireKey<'a> {
    #[serde(borrow, default)]
    components: Option<Vec<BorrowedText<'a>>>,
}

/// A component that differs between two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference<'c> {
    /// `inductor_config[max_autotune]`
    pub name: &'c str,
    /// In the earlier key.
    pub old: Option<&'c Component>,
    /// In the later key.
    pub new: Option<&'c Component>,
}

impl Components {
    /// Reads the components of a key.
    pub fn key<'t>(&mut self, components: impl IntoIterator<Item = &'t str>) -> Key {
        Key(components.into_iter().filter_map(|text| self.place(text)).collect())
    }

    /// Reads the components of the key in the artifact of a lookup. A log of 300 MB has half a million of them, so they are not
    /// copied first.
    pub fn key_of_artifact(&mut self, json: &str) -> Key {
        let key: WireKey<'_> = serde_json::from_str(json).unwrap_or_default();
        self.key(key.components.unwrap_or_default().iter().map(|text| &*text.0))
    }

    fn place(&mut self, text: &str) -> Option<u32> {
        let (hash, name, value) = parse(text)?;
        let id = self.hasher.hash_one((hash, name));
        if let Some(at) = self.all.get_index_of(&id) {
            return u32::try_from(at).ok();
        }
        if self.all.len() >= KEPT_OF_LOG {
            return None;
        }
        let name =
            self.names.get_index_of(name).unwrap_or_else(|| self.names.insert_full(name.to_owned(), ()).0);
        let value = value.trim();
        // A text has at most as many characters as bytes, so that short values need no counting.
        let cut = (value.len() > SENTENCE).then(|| value.char_indices().nth(SENTENCE)).flatten();
        let value = cut.and_then(|(end, _)| value.get(..end)).unwrap_or(value).to_owned();
        let (at, _) = self.all.insert_full(id, Component { name, hash: hash.to_owned(), value });
        u32::try_from(at).ok()
    }

    fn get(&self, at: u32) -> Option<&Component> {
        self.all.get_index(at as usize).map(|(_, component)| component)
    }

    /// Components of `new` that are different or missing in `old`, then those that only `old` has.
    pub fn differences(&self, old: &Key, new: &Key) -> Vec<Difference<'_>> {
        let (of_old, of_new): (FxHashSet<u32>, FxHashSet<u32>) =
            (old.0.iter().copied().collect(), new.0.iter().copied().collect());
        let mut left: IndexMap<usize, VecDeque<&Component>> = IndexMap::new();
        for component in old.0.iter().filter(|at| !of_new.contains(at)).filter_map(|at| self.get(*at)) {
            left.entry(component.name).or_default().push_back(component);
        }
        let mut found = Vec::new();
        for component in new.0.iter().filter(|at| !of_old.contains(at)).filter_map(|at| self.get(*at)) {
            let old = left.get_mut(&component.name).and_then(VecDeque::pop_front);
            found.push(Difference { name: self.name(component), old, new: Some(component) });
        }
        let rest = left.into_values().flatten();
        found.extend(rest.map(|old| Difference { name: self.name(old), old: Some(old), new: None }));
        found
    }

    fn name(&self, component: &Component) -> &str {
        self.names.get_index(component.name).map_or("", |(name, ())| name.as_str())
    }

    fn named(&self, key: &Key, name: &str) -> Option<u32> {
        let name = self.names.get_index_of(name)?;
        key.0.iter().copied().find(|at| self.get(*at).is_some_and(|c| c.name == name))
    }
}

/// Why one of two keys is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    /// The graph differs.
    Graph,
    /// A component of another name does.
    Component {
        name: String,
        /// The beginning of its value in each key that has it.
        values: [Option<String>; 2],
        /// How many more differ.
        more: usize,
    },
    /// All components are equal, as far as torch writes them down.
    Unwritten,
}

/// The component of a key that is the graph.
const GRAPH: &str = "gm";

/// How the components that are settings begin.
const OF_SETTINGS: &str = "inductor_config[";

impl KeyChange {
    /// Whether a setting differs.
    pub fn is_of_setting(&self) -> bool {
        matches!(self, KeyChange::Component { name, .. } if name.starts_with(OF_SETTINGS))
    }
}

/// Why one of two keys is another one, by the artifacts of their lookups; None where these do not say.
pub fn key_change(artifacts: [&str; 2]) -> Option<KeyChange> {
    let mut components = Components::default();
    let [old, new] = artifacts.map(|artifact| components.key_of_artifact(artifact));
    let differences = components.differences(&old, &new);
    if differences.iter().any(|one| one.name.split(['[', '.']).next() == Some(GRAPH)) {
        return Some(KeyChange::Graph);
    }
    if differences.is_empty() && !old.is_empty() {
        return Some(KeyChange::Unwritten);
    }
    // A setting says more than what follows from it.
    let first = differences.iter().find(|one| one.name.starts_with(OF_SETTINGS)).or(differences.first())?;
    let value = |one: &Component| shortened(&one.value, LABEL).into_owned();
    Some(KeyChange::Component {
        name: first.name.to_owned(),
        values: [first.old, first.new].map(|one| one.map(value)),
        more: differences.len() - 1,
    })
}

impl Key {
    /// Whether the log has no components of it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Hash, name and value of `[hash] name: value`.
fn parse(text: &str) -> Option<(&str, &str, &str)> {
    let (hash, rest) = text.strip_prefix('[')?.split_once("] ")?;
    let (name, value) = rest.split_once(": ").unwrap_or_else(|| (rest.trim_end_matches(':'), ""));
    Some((hash, name, value))
}

/// Says whether a key belongs to a backward graph; such keys are compared only with each other.
const BACKWARD: &str = "fx_kwargs[is_backward]";

/// What a compile or a lookup was for. Only keys of the same function are compared.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Owner<'m> {
    Function(&'m Function),
    /// The log does not name the function.
    Frame(FrameId),
    /// A record without a compile id.
    Nobody,
}

/// For each lookup, the earlier lookup to compare it with, as an index: the latest one of an earlier compile with the same
/// cache, function and pass; None for the first. `keys` has one key per lookup.
pub fn nearest(model: &Model, keys: &[Key], components: &Components) -> Vec<Option<usize>> {
    type Last = (usize, Option<usize>);
    // The last lookup of each kind, and the last one of an earlier compile.
    let mut known: TextMap<(&str, Owner<'_>, Option<u32>), Last> = TextMap::default();
    let compile = |index: usize| model.caches.get(index).map(|lookup| lookup.artifact.compile);
    let mut found = Vec::with_capacity(model.caches.len());
    for (index, (lookup, key)) in model.caches.iter().zip(keys).enumerate() {
        if key.is_empty() {
            found.push(None);
            continue;
        }
        let of = (lookup.cache.as_str(), owner(model, lookup), components.named(key, BACKWARD));
        let before = known.get(&of).and_then(|(last, before)| {
            if compile(*last) == Some(lookup.artifact.compile) { *before } else { Some(*last) }
        });
        found.push(before);
        known.insert(of, (index, before));
    }
    found
}

fn owner<'m>(model: &'m Model, lookup: &CacheLookup) -> Owner<'m> {
    let function = model.compiles.get(lookup.artifact.compile).and_then(|compile| compile.function.as_ref());
    match (function, &lookup.compile) {
        (Some(function), _) => Owner::Function(function),
        (None, Some(id)) => Owner::Frame(id.frame()),
        (None, None) => Owner::Nobody,
    }
}

/// The usual name of a cache of torch; otherwise its name in the log.
pub fn cache_title(cache: &str) -> &str {
    match cache {
        "fx_graph" => "FX graph",
        "fx_graph_bundled" => "FX graph, bundled",
        "aotautograd" => "AOTAutograd",
        other => other,
    }
}

/// The reason for an answer in plain words, or as torch has it; None if the answer is enough.
pub fn reason_words(lookup: &CacheLookup) -> Option<String> {
    match lookup.reason.as_deref()? {
        "hit" | "full_miss" | "miss" => None,
        text => Some(match text.strip_prefix("guard_miss") {
            Some(guard) => format!("found, but its guard does not hold{guard}"),
            None => text.to_owned(),
        }),
    }
}

/// The answers of one cache over the whole log.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct CacheSum {
    /// Lookups by answer.
    pub hits: usize,
    /// See `hits`.
    pub misses: usize,
    /// See `hits`.
    pub bypasses: usize,
    /// Microseconds saved by hits, without what another cache saved; None if no record has any.
    pub saved_us: Option<f64>,
}

/// The cache whose entries contain those of other caches.
const OUTER: &str = "aotautograd";

/// Answers by cache, in order of first appearance.
pub fn sums<'m>(model: &'m Model, saved: &[SavedTime<'m>]) -> IndexMap<&'m str, CacheSum> {
    let mut sums: IndexMap<&str, CacheSum> = IndexMap::new();
    for lookup in &model.caches {
        let sum = sums.entry(&lookup.cache).or_default();
        match lookup.outcome {
            Outcome::Hit => sum.hits += 1,
            Outcome::Miss => sum.misses += 1,
            Outcome::Bypass => sum.bypasses += 1,
        }
        if lookup.saved_ns.is_some_and(f64::is_finite) {
            sum.saved_us.get_or_insert(0.0);
        }
    }
    for one in saved {
        if let Some(saved_us) = sums.get_mut(one.cache).and_then(|sum| sum.saved_us.as_mut()) {
            *saved_us += one.us;
        }
    }
    sums
}

/// Time that a cache saved a compile, by torch's estimate: how long its result took when it was stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SavedTime<'m> {
    pub cache: &'m str,
    pub compile: CompileIndex,
    /// Microseconds.
    pub us: f64,
}

/// What caches saved. It counts once: an entry that is found again, with builds that are kept anyway, and the graphs within an
/// entry of AOTAutograd. Work that fell by chance into the compile that stored an entry is not saved, as far as this log has that
/// compile.
pub(super) fn saved_times<'m>(model: &'m Model, one_offs: &[OneOff]) -> Vec<SavedTime<'m>> {
    let mut found: TextSet<(&str, &str)> = TextSet::default();
    let mut stored: TextMap<(&str, &str), f64> = TextMap::default();
    let mut around: IndexMap<CompileIndex, SavedTime<'m>> = IndexMap::new();
    let mut within: FxHashMap<CompileIndex, f64> = FxHashMap::default();
    let mut saved = Vec::new();
    for lookup in &model.caches {
        let (cache, compile) = (&*lookup.cache, lookup.artifact.compile);
        let entry = lookup.key.as_deref().map(|key| (cache, key));
        if let Some(entry) = entry.filter(|_| lookup.outcome == Outcome::Miss) {
            stored.insert(entry, by_chance_us(one_offs, compile));
        }
        let Some(ns) = lookup.saved_ns.filter(|ns| ns.is_finite()) else { continue };
        if entry.is_some_and(|entry| !found.insert(entry)) {
            continue;
        }
        let by_chance_us = entry.and_then(|entry| stored.get(&entry)).copied().unwrap_or_default();
        let one = SavedTime { cache, compile, us: (ns / 1e3 - by_chance_us).max(0.0) };
        if cache == OUTER {
            around.entry(compile).or_insert(SavedTime { us: 0.0, ..one }).us += one.us;
        } else {
            *within.entry(compile).or_default() += one.us;
            saved.push(one);
        }
    }
    let beyond = |one: SavedTime<'m>| {
        let us = one.us - within.get(&one.compile).copied().unwrap_or_default();
        (us > 0.0).then_some(SavedTime { us, ..one })
    };
    saved.extend(around.into_values().filter_map(beyond));
    saved.sort_by_key(|one| one.compile);
    saved
}

/// Microseconds that caches saved a compile, of what they saved, which is sorted by compile; None if nothing.
pub fn saved_us(saved: &[SavedTime<'_>], compile: CompileIndex) -> Option<f64> {
    let of = saved.iter().skip(saved.partition_point(|one| one.compile < compile));
    let of = of.take_while(|one| one.compile == compile);
    of.map(|one| one.us).filter(|us| *us > 0.0).reduce(|sum, us| sum + us)
}

/// Microseconds in a compile of trying the C++ compiler.
fn by_chance_us(one_offs: &[OneOff], compile: CompileIndex) -> f64 {
    let of = one_offs.iter().skip(one_offs.partition_point(|one| one.compile < compile));
    let of = of.take_while(|one| one.compile == compile).filter(|one| one.kind == OneOffKind::Toolchain);
    of.map(|one| one.us).sum()
}

/// Differences in words: the graph, its inputs, settings and so on, each with the number of differing components.
pub fn in_words(differences: &[Difference<'_>]) -> Vec<String> {
    let counted = kinds(differences).into_iter();
    counted.map(|(word, n)| if n > 1 { format!("{word} ({n})") } else { word }).collect()
}

/// The same without numbers, sorted, so that equal causes have equal words.
pub fn in_kinds(differences: &[Difference<'_>]) -> Vec<String> {
    let mut words: Vec<String> = kinds(differences).into_keys().collect();
    words.sort();
    words
}

/// How many components of each kind differ.
fn kinds(differences: &[Difference<'_>]) -> IndexMap<String, usize> {
    let kind = |name: &str| match name.split(['[', '.']).next().unwrap_or(name) {
        "gm" => "the graph".to_owned(),
        "example_inputs" => "inputs of the graph".to_owned(),
        "inductor_config" | "inductor_config_comms" => "settings of Inductor".to_owned(),
        "system_info" | "torch_version" => "the machine or torch".to_owned(),
        "fx_kwargs" => "how the graph is compiled".to_owned(),
        other => other.to_owned(),
    };
    let mut words: IndexMap<String, usize> = IndexMap::new();
    for difference in differences {
        *words.entry(kind(difference.name)).or_default() += 1;
    }
    words
}
