//! The stacks of all compiles as one tree: who called what was compiled.

use crate::model::{Frame, Model, Stack};
use crate::trace::TextMap;

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
    /// The stacks of which this is the innermost frame, by their place among those of the tree.
    pub stacks: Vec<usize>,
}

impl Trie {
    /// The tree of stacks, each with the place of what has it. Equal frames under one parent are one node.
    pub fn of<'s>(stacks: impl Iterator<Item = (usize, &'s Stack)>) -> Trie {
        let mut trie = Trie::default();
        let mut known: TextMap<(Option<usize>, &Frame), usize> = TextMap::default();
        for (place, stack) in stacks {
            let mut parent = None;
            for frame in stack.iter() {
                let next = trie.nodes.len();
                let node = *known.entry((parent, frame)).or_insert(next);
                if node == next {
                    trie.nodes.push(TrieNode {
                        frame: frame.clone(),
                        children: Vec::new(),
                        stacks: Vec::new(),
                    });
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

    /// Nodes from `index` down while each has one child and ends no stack; the last is where it branches or ends.
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

/// The tree of the stacks of a log's compiles; the place of a stack is that of its compile.
pub(super) fn of_log(model: &Model) -> Trie {
    let stacks = model
        .compiles
        .indexed()
        .filter_map(|(index, compile)| Some((index.place(), compile.stack.as_ref()?)));
    Trie::of(stacks)
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
        assert_eq!(trie.nodes[2].stacks, [0, 2]);
    }
}
