//! The stacks of all compiles as one tree: who called what was compiled.

use crate::model::{Frame, Model, Stack};
use fxhash::FxHashMap;

/// A tree of frames.
#[derive(Debug, Default)]
pub struct Trie {
    /// All nodes; a child stands after its parent.
    pub nodes: Vec<TrieNode>,
    /// The outermost frames.
    pub roots: Vec<usize>,
}

/// A frame under the frames that called it.
#[derive(Debug)]
pub struct TrieNode {
    /// The frame.
    pub frame: Frame,
    /// Frames that it called, in order of first appearance.
    pub children: Vec<usize>,
    /// Compiles, or whatever else has stacks, by index, of which this is the innermost frame.
    pub compiles: Vec<usize>,
}

impl Trie {
    /// The tree of stacks, each with the index of what has it. Equal frames under one parent are one node.
    pub fn of<'s>(stacks: impl Iterator<Item = (usize, &'s Stack)>) -> Trie {
        let mut trie = Trie::default();
        let mut known: FxHashMap<(Option<usize>, &Frame), usize> = FxHashMap::default();
        for (index, stack) in stacks {
            let mut parent = None;
            for frame in stack.iter() {
                let next = trie.nodes.len();
                let node = *known.entry((parent, frame)).or_insert(next);
                if node == next {
                    trie.nodes.push(TrieNode {
                        frame: frame.clone(),
                        children: Vec::new(),
                        compiles: Vec::new(),
                    });
                    match parent.and_then(|p| trie.nodes.get_mut(p)) {
                        Some(above) => above.children.push(node),
                        None => trie.roots.push(node),
                    }
                }
                parent = Some(node);
            }
            if let Some(node) = parent.and_then(|p| trie.nodes.get_mut(p)) {
                node.compiles.push(index);
            }
        }
        trie
    }

    /// The node, if there is one.
    pub fn node(&self, index: usize) -> Option<&TrieNode> {
        self.nodes.get(index)
    }

    /// Nodes from `index` down while each has one child and no compile; the last is where it branches or ends.
    pub fn chain(&self, mut index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(TrieNode { children, compiles, .. }) = self.node(index)
            && let ([only], true) = (children.as_slice(), compiles.is_empty())
        {
            index = *only;
            chain.push(index);
        }
        chain
    }
}

/// The tree of the stacks of a log's compiles.
pub(super) fn of_log(model: &Model) -> Trie {
    Trie::of(model.compiles.iter().enumerate().filter_map(|(i, compile)| Some((i, compile.stack.as_ref()?))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::CompileId;

    #[test]
    fn stacks_share_their_outer_frames() {
        let mut model = Model::default();
        let file = model.strings.literal("/app/a.py");
        let frame = |line| Frame { file, line: Some(line), name: "f".into(), loc: None };
        for (id, lines) in
            [("0/0", vec![1, 2, 3]), ("1/0", vec![1, 2, 4]), ("0/1", vec![1, 2, 3]), ("2/0", vec![])]
        {
            let index = model.compile_index(CompileId::parse(id).as_ref());
            model.compiles[index].stack = Some(lines.into_iter().map(frame).collect());
        }
        let trie = of_log(&model);
        assert_eq!((trie.nodes.len(), &trie.roots), (4, &vec![0]));
        assert_eq!(trie.chain(0), [0, 1]);
        assert_eq!(trie.nodes[1].children, [2, 3]);
        assert_eq!(trie.nodes[2].compiles, [0, 2]);
    }
}
