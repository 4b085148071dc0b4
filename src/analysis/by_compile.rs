//! Index by compile of breaks, failures, cache lookups and so on.

use crate::model::{CacheLookup, Compile, CompileIndex, Failure, Model, Recompile, Restart};
use crate::trace::{CompileId, FrameId, TextMap};

/// Entries of the model's lists by compile.
///
/// Compiles without entries take no space: a log may have a hundred thousand.
pub struct ByCompile<'m> {
    pub caches: Grouped<&'m CacheLookup>,
    /// Reasons for a recompile.
    pub recompiles: Grouped<&'m Recompile>,
    /// Graph breaks, by their places in the model.
    pub breaks: Grouped<usize>,
    pub failures: Grouped<&'m Failure>,
    /// Restarts of its tracing.
    pub restarts: Grouped<&'m Restart>,
    /// By compile: the first compile of its frame, if it has a frame.
    firsts: Vec<Option<CompileIndex>>,
    /// Compiles by the first compile of their frame: a function with its recompiles.
    versions: Grouped<CompileIndex>,
}

impl<'m> ByCompile<'m> {
    /// Indexes the lists of the model.
    pub fn of(model: &'m Model) -> Self {
        let at = |id: &Option<CompileId>| model.by_id.get(id).copied();
        let breaks = model.graph_breaks.iter().enumerate();
        let breaks = breaks.flat_map(|(place, entry)| entry.compiles.iter().map(move |id| (at(id), place)));
        let firsts = firsts(model);
        let versions = model.compiles.indices().zip(&firsts).map(|(index, first)| (*first, index));
        ByCompile {
            caches: Grouped::of(model.caches.iter().map(|entry| (Some(entry.artifact.compile), entry))),
            recompiles: Grouped::of(model.recompiles.iter().map(|entry| (at(&entry.compile), entry))),
            breaks: Grouped::of(breaks),
            failures: Grouped::of(model.failures.iter().map(|entry| (at(&entry.compile), entry))),
            restarts: Grouped::of(model.restarts.iter().map(|entry| (at(&entry.compile), entry))),
            versions: Grouped::of(versions),
            firsts,
        }
    }

    /// The compiles of the same frame, including itself, in order.
    pub fn of_frame(&self, index: CompileIndex) -> &[CompileIndex] {
        let first = self.firsts.get(index.place()).copied().flatten();
        first.map_or(&[], |first| self.versions.at(first))
    }
}

/// By compile: the first compile of its frame.
fn firsts(model: &Model) -> Vec<Option<CompileIndex>> {
    let mut first_of: TextMap<FrameId, CompileIndex> = TextMap::default();
    let compiles = model.compiles.indexed();
    compiles.map(|(index, compile)| Some(*first_of.entry(frame(compile)?).or_insert(index))).collect()
}

/// The frame of a compile; captures of compiled autograd do not have one.
fn frame(compile: &Compile) -> Option<FrameId> {
    compile.id.as_ref().filter(|id| id.has_frame()).map(CompileId::frame)
}

/// Entries grouped by compile, otherwise in their original order.
pub struct Grouped<T> {
    /// The compiles with entries, ascending, each with the end of its entries.
    ends: Vec<(CompileIndex, usize)>,
    entries: Vec<T>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Grouped { ends: Vec::new(), entries: Vec::new() }
    }
}

impl<T> Grouped<T> {
    /// Groups the entries that have a compile.
    pub(super) fn of(entries: impl Iterator<Item = (Option<CompileIndex>, T)>) -> Self {
        let mut sorted: Vec<(CompileIndex, T)> =
            entries.filter_map(|(compile, entry)| Some((compile?, entry))).collect();
        sorted.sort_by_key(|(compile, _)| *compile);
        let mut ends: Vec<(CompileIndex, usize)> = Vec::new();
        for (place, (compile, _)) in (1..).zip(&sorted) {
            match ends.last_mut() {
                Some((last, end)) if last == compile => *end = place,
                _ => ends.push((*compile, place)),
            }
        }
        let mut entries = Vec::with_capacity(sorted.len());
        entries.extend(sorted.into_iter().map(|(_, entry)| entry));
        Grouped { ends, entries }
    }

    /// The entries of a compile, in log order.
    pub fn at(&self, index: CompileIndex) -> &[T] {
        let Ok(place) = self.ends.binary_search_by_key(&index, |(compile, _)| *compile) else { return &[] };
        let end = |place: usize| self.ends.get(place).map_or(0, |(_, end)| *end);
        let from = place.checked_sub(1).map_or(0, end);
        self.entries.get(from..end(place)).unwrap_or_default()
    }
}
