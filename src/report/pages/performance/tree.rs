//! Lines of the program below the lines that call them, and below those the blocks of the model that they ran for.

use crate::analysis::performance::{LinePart, Performance, ProgramLine};
use crate::model::{CompileIndex, Model};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Nested calls that are followed; recursive programs have more.
const DEEPEST: usize = 12;

/// The time of a row, including the rows below it.
#[derive(Debug, Default, Clone)]
pub(super) struct Time {
    pub(super) us: f64,
    /// The part from kernels of one line alone.
    pub(super) own_us: f64,
    pub(super) backward_us: f64,
    /// Places of its kernels, which are ordered by time.
    pub(super) kernels: BTreeSet<usize>,
}

impl Time {
    fn add(&mut self, part: &LinePart) {
        self.us += part.us;
        self.own_us += part.own_us;
        self.backward_us += if part.backward { part.us } else { 0.0 };
        self.kernels.extend(&part.kernels);
    }
}

/// A compiled function with all of its lines.
#[derive(Debug, Default)]
pub(super) struct Root<'p> {
    pub(super) compiles: BTreeSet<CompileIndex>,
    pub(super) time: Time,
    pub(super) lines: Lines<'p>,
}

/// Lines of one level, by file and line.
pub(super) type Lines<'p> = BTreeMap<(&'p str, u64), Line<'p>>;

/// A line, the lines that it called, and the blocks of the model that it ran for.
#[derive(Debug, Default)]
pub(super) struct Line<'p> {
    pub(super) code: Option<&'p str>,
    /// Its place in the list of lines, if it has kernels of its own.
    pub(super) place: Option<usize>,
    pub(super) time: Time,
    pub(super) lines: Lines<'p>,
    pub(super) blocks: BTreeMap<Block, BlockTime>,
}

/// `self.blocks.0`, ordered with numbers by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block(Vec<BlockPart>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum BlockPart {
    Number(u64),
    Name(String),
}

/// Time of a block, and the names of what ran in it: `norm, up`.
#[derive(Debug, Default)]
pub(super) struct BlockTime {
    pub(super) time: Time,
    pub(super) inner: BTreeSet<String>,
}

impl Line<'_> {
    /// The numbered blocks for which it and what it called ran.
    pub(super) fn repeated(&self) -> BTreeSet<&Block> {
        let own = self.blocks.keys().filter(|block| matches!(block.0.last(), Some(BlockPart::Number(_))));
        own.chain(self.lines.values().flat_map(|line| line.repeated())).collect()
    }
}

impl Block {
    /// Its path as the program writes it; empty if unknown.
    pub(super) fn path(&self) -> String {
        let part = |part: &BlockPart| match part {
            BlockPart::Number(number) => number.to_string(),
            BlockPart::Name(name) => name.clone(),
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(".")
    }
}

/// `self.blocks.0` and `up` for `self.blocks.0.up`: repeated blocks are numbered, so a block ends at its last number.
fn block_of(module: Option<&str>) -> (Block, Option<String>) {
    let parts: Vec<&str> = module.unwrap_or_default().split('.').filter(|part| !part.is_empty()).collect();
    let end = parts.iter().rposition(|part| part.parse::<u64>().is_ok()).map_or(parts.len(), |last| last + 1);
    let (block, inner) = parts.split_at(end);
    let part = |part: &&str| match part.parse() {
        Ok(number) => BlockPart::Number(number),
        Err(_) => BlockPart::Name((*part).to_owned()),
    };
    let inner = Some(inner.join(".")).filter(|inner| !inner.is_empty());
    (Block(block.iter().map(part).collect()), inner)
}

/// The trees of all compiled functions, the longest first.
pub(super) fn roots<'p>(model: &Model, found: &'p Performance) -> Vec<Root<'p>> {
    let mut roots: IndexMap<_, Root<'p>> = IndexMap::new();
    for (place, line) in found.lines.iter().enumerate() {
        for part in &line.parts {
            // All compiles of a function share a tree.
            let function = model.compiles.get(part.compile).and_then(|compile| compile.function.clone());
            let of = function.is_none().then_some(part.compile);
            let root = roots.entry((function, of)).or_default();
            root.compiles.insert(part.compile);
            root.time.add(part);
            root.lines_of(part, (place, &line.line));
        }
    }
    let mut roots: Vec<Root<'p>> = roots.into_values().collect();
    roots.sort_by(|left, right| right.time.us.total_cmp(&left.time.us));
    roots
}

impl<'p> Root<'p> {
    fn lines_of(&mut self, part: &'p LinePart, (place, own): (usize, &'p ProgramLine)) {
        let mut level = &mut self.lines;
        for caller in part.callers.iter().take(DEEPEST) {
            let line = line_at(level, caller);
            line.time.add(part);
            level = &mut line.lines;
        }
        let line = line_at(level, own);
        line.time.add(part);
        line.place = Some(place);
        let (block, inner) = block_of(part.module.as_deref());
        let of_block = line.blocks.entry(block).or_default();
        of_block.time.add(part);
        of_block.inner.extend(inner);
    }
}

fn line_at<'l, 'p>(level: &'l mut Lines<'p>, line: &'p ProgramLine) -> &'l mut Line<'p> {
    let found = level.entry((line.file.as_str(), line.line)).or_default();
    found.code = found.code.or(line.code.as_deref());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::performance::LineTime;
    use crate::model::{Compile, Function};

    #[test]
    fn a_block_ends_at_its_last_number_and_blocks_are_counted_as_numbers() {
        let (block, inner) = block_of(Some("self.layers.10.mlp.up"));
        assert_eq!((block.path().as_str(), inner.as_deref()), ("self.layers.10", Some("mlp.up")));
        assert!(block_of(Some("self.layers.9")).0 < block);
        assert_eq!(block_of(Some("self.head")).0.path(), "self.head");
        assert_eq!(block_of(None).0.path(), "");
    }

    #[test]
    fn compiles_of_one_function_are_one_tree_and_another_function_has_its_own() {
        let mut model = Model::default();
        let mut found = Performance::default();
        let line = ProgramLine { file: "model.py".to_owned(), line: 7, code: None };
        for (function, us) in [("forward", 3.0), ("loss", 8.0), ("forward", 4.0)] {
            let mut compile = Compile::new(None);
            compile.function = Some(Function { name: function.to_owned(), file: None, line: None }.into());
            let compile = model.compiles.push(compile);
            let (callers, module, kernels) = (Vec::new(), None, Vec::new());
            let part = LinePart { compile, callers, module, backward: false, us, own_us: us, kernels };
            let (kernels, parts) = (Vec::new(), vec![part]);
            found.lines.push(LineTime { line: line.clone(), us, own_us: us, kernels, parts });
        }
        let times: Vec<f64> = roots(&model, &found).iter().map(|root| root.time.us).collect();
        assert_eq!(times, [8.0, 7.0], "the longest first");
    }
}
