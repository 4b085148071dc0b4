//! The texts and lists in the reports of a job's ranks, each kept once: a job may have a thousand ranks, and most of their
//! reports say the same.

use super::fact::{GraphKey, ReaderName, Sequence, Step, TensorFact};
use super::ids::{GraphId, TensorListId, TextId, TextListId};
use super::runtime::GraphRuntime;
use crate::trace::{TextSet, shared};
use fxhash::FxHashMap;
use indexmap::IndexSet;
use std::sync::Arc;

/// All texts in the reports of a job's ranks, each once, and the lists made of them.
#[derive(Default)]
pub struct Texts {
    texts: IndexSet<Box<str>>,
    bytes: usize,
    lists: IndexSet<Box<[TextId]>>,
    tensor_lists: IndexSet<Box<[TensorFact]>>,
    name_lists: TextSet<Arc<[TextId]>>,
    sequences: TextSet<Sequence>,
    runtimes: TextSet<Arc<GraphRuntime>>,
    graphs: IndexSet<GraphKey>,
    /// None where ranks call a function differently.
    reader_names: FxHashMap<GraphId, Option<ReaderName>>,
}

impl Texts {
    pub fn add(&mut self, text: &str) -> TextId {
        let index = match self.texts.get_index_of(text) {
            Some(index) => index,
            None => {
                self.bytes += text.len();
                self.texts.insert_full(text.into()).0
            }
        };
        TextId::of_index(index)
    }

    /// The id of a text that is there.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.texts.get_index_of(text).map(TextId::of_index)
    }

    /// The id of a text that may be missing.
    pub fn add_maybe(&mut self, text: Option<&str>) -> Option<TextId> {
        text.map(|text| self.add(text))
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn get(&self, id: TextId) -> &str {
        self.texts.get_index(id.index()).map_or("", |text| text)
    }

    /// The text of an id that may not be there.
    pub fn maybe(&self, id: Option<TextId>) -> Option<&str> {
        id.map(|id| self.get(id))
    }

    pub fn add_list(&mut self, texts: Vec<TextId>) -> TextListId {
        TextListId::of_index(self.lists.insert_full(texts.into()).0)
    }

    pub fn list(&self, id: TextListId) -> &[TextId] {
        self.lists.get_index(id.index()).map_or(&[], |list| list)
    }

    pub fn add_tensors(&mut self, tensors: Vec<TensorFact>) -> TensorListId {
        TensorListId::of_index(self.tensor_lists.insert_full(tensors.into()).0)
    }

    pub fn tensors(&self, id: TensorListId) -> &[TensorFact] {
        self.tensor_lists.get_index(id.index()).map_or(&[], |list| list)
    }

    /// The id of a compile of a function.
    pub fn add_graph(&mut self, key: GraphKey) -> GraphId {
        GraphId::of_index(self.graphs.insert_full(key).0)
    }

    /// Which compile of which function it is.
    pub fn graph(&self, id: GraphId) -> Option<GraphKey> {
        self.graphs.get_index(id.index()).copied()
    }

    /// Notes what the reader calls the function of a compile on one more rank.
    pub fn name_graph(&mut self, graph: GraphId, name: ReaderName) {
        let known = self.reader_names.entry(graph).or_insert(Some(name));
        *known = known.filter(|known| *known == name);
    }

    /// What the reader calls the function of a compile; None where that is torch's name, or where ranks differ in it.
    pub fn reader_name(&self, graph: GraphId) -> Option<ReaderName> {
        self.reader_names.get(&graph).copied().flatten()
    }

    /// The shared copy of a list of facts.
    pub fn sequence(&mut self, steps: Vec<Step>) -> Sequence {
        shared(&mut self.sequences, steps)
    }

    /// The same for a list of names.
    pub fn names(&mut self, names: Vec<TextId>) -> Arc<[TextId]> {
        shared(&mut self.name_lists, names)
    }

    /// The same for a graph's estimated runtimes.
    pub fn runtime(&mut self, graph: GraphRuntime) -> Arc<GraphRuntime> {
        shared(&mut self.runtimes, graph)
    }
}
