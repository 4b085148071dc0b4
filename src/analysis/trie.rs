//! The stacks of all compiles as one tree of callers.

use crate::model::{Frame, Model, Stack};
use crate::trace::TextMap;

/// A tree of frames.
#[derive(Debug, Default)]
pub struct Trie {
    /// All nodes; children come after their parent.
    pub nodes: Vec<TrieNode>,
    /// The outermost frames.
    pub roots: Vec<usize>,
}

/// A frame under the frames that called it.
#[derive(Debug)]
pub struct TrieNode {
    pub frame: Frame,
    /// Frames called by it, in order of first appearance.
    pub children: Vec<usize>,
    /// The stacks that end with this frame, by place.
    pub stacks: Vec<usize>,
}

impl Trie {
    /// Builds the tree from stacks and their places. Equal frames under one parent are one node.
    pub fn of<'s>(stacks: impl Iterator<Item = (usize, &'s Stack)>) -> Trie {
        let mut trie = Trie::default();
        let mut known: TextMap<(Option<usize>, &Frame), usize> = TextMap::default();
        for (place, stack) in stacks {
            let mut parent = None;
            for frame in stack.iter() {
                let next = trie.nodes.len();
                let node = *known.entry((parent, frame)).or_insert(next);
                if node == next {
                    let frame = frame.clone();
                    trie.nodes.push(TrieNode { frame, children: Vec::new(), stacks: Vec::new() });
                    match parent.and_then(|p| trie.nodes.get_mut(p)) {
                        Some(above) => above.children.push(node),
                        None => trie.roots.push(node),
                    }
                }
                parent = Some(node);
            }
            if let Some(node) = parent.and_then(|p| trie.nodes.get_mut(p)) {
                node.stacks.push(place);
            }
        }
        trie
    }

    /// The node, if there is one.
    pub fn node(&self, index: usize) -> Option<&TrieNode> {
        self.nodes.get(index)
    }

    /// Nodes from `index` down to the first one that branches or ends a stack.
    pub fn chain(&self, mut index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(TrieNode { children, stacks, .. }) = self.node(index)
            && let ([only], true) = (children.as_slice(), stacks.is_empty())
        {
            index = *only;
            chain.push(index);
        }
        chain
    }
}

/// The tree of the stacks of a log's compiles; the place of a stack is the place of its compile.
pub(super) fn of_log(model: &Model) -> Trie {
    let stacks = model
        .compiles
        .indexed()
        .filter_map(|(index, compile)| Some((index.place(), compile.stack.as_ref()?)));
    Trie::of(stacks)
}
