//! The compiles of a log, and the numbers by which facts refer to them.

use super::Compile;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::{Deref, DerefMut};

/// Identifies a compile of a log: its place among all compiles, by first appearance.
///
/// Every span has one, or none, so it is small: the number is one more than the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompileIndex(NonZeroU32);

/// The first compile.
impl Default for CompileIndex {
    fn default() -> Self {
        CompileIndex(NonZeroU32::MIN)
    }
}

impl CompileIndex {
    /// The compile at that place, from 0. It need not exist.
    pub fn new(place: usize) -> Self {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        CompileIndex(NonZeroU32::MIN.saturating_add(place))
    }

    /// Its place, from 0, by which compiles are sorted.
    pub fn place(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The compile after it, which need not exist.
    pub fn next(self) -> Self {
        CompileIndex(self.0.saturating_add(1))
    }
}

/// Its place, as anchors and the sort keys of tables have it.
impl fmt::Display for CompileIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place().fmt(f)
    }
}

/// Identifies an artifact of a compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactIndex {
    pub compile: CompileIndex,
    /// Its place among the compile's artifacts, from 0. Every record with a payload has one, so it is small.
    artifact: u32,
}

impl ArtifactIndex {
    /// The artifact of a compile at that place, from 0. It need not exist.
    pub fn new(compile: CompileIndex, place: usize) -> Self {
        ArtifactIndex { compile, artifact: u32::try_from(place).unwrap_or(u32::MAX) }
    }

    /// Its place among the compile's artifacts, from 0.
    pub fn place(self) -> usize {
        self.artifact as usize
    }
}

/// All compiles of a log, by first appearance.
#[derive(Debug, Default)]
pub struct Compiles(Vec<Compile>);

impl Compiles {
    pub fn get(&self, index: CompileIndex) -> Option<&Compile> {
        self.0.get(index.place())
    }

    pub fn get_mut(&mut self, index: CompileIndex) -> Option<&mut Compile> {
        self.0.get_mut(index.place())
    }

    pub fn push(&mut self, compile: Compile) -> CompileIndex {
        self.0.push(compile);
        CompileIndex::new(self.0.len() - 1)
    }

    pub fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    pub fn indexed(&self) -> impl Iterator<Item = (CompileIndex, &Compile)> {
        self.0.iter().enumerate().map(|(place, compile)| (CompileIndex::new(place), compile))
    }

    pub fn indices(&self) -> impl Iterator<Item = CompileIndex> + use<> {
        (0..self.0.len()).map(CompileIndex::new)
    }
}

impl Deref for Compiles {
    type Target = [Compile];

    fn deref(&self) -> &[Compile] {
        &self.0
    }
}

impl DerefMut for Compiles {
    fn deref_mut(&mut self) -> &mut [Compile] {
        &mut self.0
    }
}

impl<'c> IntoIterator for &'c Compiles {
    type Item = &'c Compile;
    type IntoIter = std::slice::Iter<'c, Compile>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
impl PartialEq<usize> for CompileIndex {
    fn eq(&self, place: &usize) -> bool {
        self.place() == *place
    }
}
