//! Sheets: a block with its boxes in place. Blocks in it are closed boxes, or open with their own boxes inside.

use super::blocks::{Block, Item, MOST_BOXES};
use super::graph::Drawing;
use super::layered::{Point, Size, layered};
use crate::limits::{KEPT_OF_ONE, LABEL};

/// Width of a letter: of names, of small code, of small words.
const NAME_LETTER: f64 = 7.3;
const SMALL_LETTER: f64 = 6.7;
const WORD_LETTER: f64 = 6.2;

const OPERATOR_HEIGHT: f64 = 38.0;
const QUIET_HEIGHT: f64 = 24.0;
const BLOCK_HEIGHT: f64 = 46.0;
const PORT_HEIGHT: f64 = 15.0;

/// Space inside an open block: at its sides, above its boxes, below them.
const SIDE: f64 = 14.0;
const HEAD: f64 = 34.0;
const FOOT: f64 = 14.0;

/// How far the second and third sheet of equal layers stand out.
const STACK: f64 = 8.0;

/// Which blocks are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No block.
    Closed,
    /// Only layers that are drawn once, which are the model.
    Modules,
    /// All blocks.
    All,
}

/// A part of a sheet, in the order of drawing.
#[derive(Debug)]
pub enum SheetPiece {
    /// A box. A block may be open: a frame around what follows.
    Box {
        /// What it stands for.
        item: Item,
        /// Its upper left corner.
        at: (f64, f64),
        /// Its width and height.
        size: (f64, f64),
        /// Whether it is an open block.
        open: bool,
    },
    /// The name of what comes from outside, in the middle below this point.
    Port {
        /// Its name.
        label: String,
        /// The middle of its base line.
        at: (f64, f64),
    },
    Edge {
        /// Where it comes from; None for a port.
        from: Option<Item>,
        /// Where it leads; None if it leaves the block.
        to: Option<Item>,
        /// From the upper to the lower end.
        points: Vec<(f64, f64)>,
    },
}

/// A block with its boxes in place.
#[derive(Debug, Default)]
pub struct Sheet {
    /// In the order of drawing.
    pub pieces: Vec<SheetPiece>,
    /// Width and height.
    pub size: (f64, f64),
    /// Edges that are not drawn because they are too long.
    pub edges_left_out: usize,
}

/// A box of a block while the block is laid out.
enum Slot {
    Item(Item, Option<Sheet>),
    Port(String),
    Exit,
}

impl Drawing {
    /// Whether operators are drawn, and not only modules.
    pub fn draws_operators(&self) -> bool {
        self.operators.len() <= KEPT_OF_ONE
    }

    /// The level that shows the graph best: all operators if they are few, else modules.
    pub fn first_level(&self) -> Level {
        let all = self.boxes_at(Level::All);
        let few = if self.kernels.is_empty() { 40 } else { 150 };
        if all.is_some_and(|boxes| boxes <= few) { Level::All } else { Level::Modules }
    }

    /// Boxes on the sheet of the whole graph; None if they are too many to be drawn.
    pub fn boxes_at(&self, level: Level) -> Option<usize> {
        if level == Level::All && !self.draws_operators() {
            return None;
        }
        let mut boxes = 0;
        let mut open = vec![(0, 0)];
        while let Some((block, depth)) = open.pop() {
            let block = &self.blocks[block];
            boxes += block.links.items.len();
            if boxes > MOST_BOXES && level != Level::Closed {
                return None;
            }
            let inner = self.blocks_in(block).filter(|inner| self.is_open(*inner, level, depth));
            open.extend(inner.map(|inner| (inner, depth + 1)));
        }
        Some(boxes)
    }

    fn blocks_in<'b>(&self, block: &'b Block) -> impl Iterator<Item = usize> + 'b {
        block.links.items.iter().filter_map(|item| match item {
            Item::Block(at) => Some(*at),
            _ => None,
        })
    }

    /// Whether a block is open at a level; `depth` counts the blocks around it.
    fn is_open(&self, at: usize, level: Level, depth: usize) -> bool {
        match level {
            Level::Closed => false,
            Level::Modules => self.blocks[at].layers > 1 && depth == 0,
            Level::All => true,
        }
    }

    pub fn sheet(&self, block: usize, level: Level) -> Sheet {
        self.compose(block, level, 0)
    }

    fn compose(&self, at: usize, level: Level, depth: usize) -> Sheet {
        let links = &self.blocks[at].links;
        let mut slots: Vec<Slot> = Vec::new();
        let mut sizes: Vec<Size> = Vec::new();
        for item in &links.items {
            let inner = match item {
                Item::Block(inner) if self.is_open(*inner, level, depth) => {
                    Some(self.compose(*inner, level, depth + 1))
                }
                _ => None,
            };
            sizes.push(self.size(*item, inner.as_ref()));
            slots.push(Slot::Item(*item, inner));
        }
        let mut edges: Vec<(usize, usize)> = links.edges.iter().copied().collect();
        for (label, to) in &links.ports {
            let letters = label.chars().count().min(LABEL + 20) as f64;
            edges.extend(to.iter().map(|to| (slots.len(), *to)));
            sizes.push((letters * WORD_LETTER, PORT_HEIGHT));
            slots.push(Slot::Port(label.clone()));
        }
        if !links.exits.is_empty() && at != 0 {
            edges.extend(links.exits.iter().map(|from| (*from, slots.len())));
            sizes.push((10.0, 1.0));
            slots.push(Slot::Exit);
        }
        place(slots, &sizes, &edges)
    }

    /// The size of a box.
    fn size(&self, item: Item, inner: Option<&Sheet>) -> Size {
        let letters = |text: &str| text.chars().count().min(LABEL) as f64;
        match item {
            Item::Input(at) => {
                ((letters(&self.inputs[at].name) * NAME_LETTER + 26.0).max(44.0), QUIET_HEIGHT)
            }
            Item::Operator(at) => {
                let operator = &self.operators[at];
                let number = if operator.kernels.is_empty() { 0.0 } else { 30.0 };
                let name = letters(&operator.op) * NAME_LETTER + 20.0 + number;
                let shape = letters(&operator.shape) * SMALL_LETTER + 20.0;
                match operator.quiet || operator.shape.is_empty() {
                    true => (name.max(88.0), QUIET_HEIGHT),
                    false => (name.max(shape).max(88.0), OPERATOR_HEIGHT),
                }
            }
            Item::Block(at) => {
                let block = &self.blocks[at];
                let about = self.about(block).chars().count() as f64 * WORD_LETTER;
                let name = letters(&block.name) * NAME_LETTER;
                let stack = if block.layers > 1 { STACK } else { 0.0 };
                match inner {
                    Some(sheet) => {
                        let (width, height) = sheet.size;
                        let width = width.max(name + about + 12.0) + 2.0 * SIDE;
                        (width + stack, height + HEAD + FOOT + stack)
                    }
                    None => (name.max(about).max(100.0) + 24.0 + stack, BLOCK_HEIGHT + stack),
                }
            }
        }
    }

    /// How much a block has: `53 nodes · 16 lines`, `×4, 84 nodes each, drawn once`.
    pub fn about(&self, block: &Block) -> String {
        let each = self.each(block);
        let nodes = if each == 1 { "1 node".to_owned() } else { format!("{each} nodes") };
        if block.layers > 1 {
            return format!("×{}, {nodes} each, drawn once", block.layers);
        }
        match block.places.as_slice() {
            [] => nodes,
            [only] => format!("{nodes} · line {}", self.places[*only].line),
            several => format!("{nodes} · {} lines", several.len()),
        }
    }
}

/// Lays out the boxes of a block, and moves what is inside of open ones to its place.
fn place(slots: Vec<Slot>, sizes: &[Size], edges: &[(usize, usize)]) -> Sheet {
    let laid = layered(sizes, edges);
    let item = |at: usize| match slots.get(at) {
        Some(Slot::Item(item, _)) => Some(*item),
        _ => None,
    };
    let mut sheet = Sheet { size: laid.size, ..Sheet::default() };
    for ((from, to), points) in edges.iter().zip(laid.routes) {
        match points.is_empty() {
            true => sheet.edges_left_out += 1,
            false => sheet.pieces.push(SheetPiece::Edge { from: item(*from), to: item(*to), points }),
        }
    }
    for ((slot, at), size) in slots.into_iter().zip(laid.at).zip(sizes) {
        match slot {
            Slot::Exit => {}
            Slot::Port(label) => {
                let middle = (at.0 + size.0 / 2.0, at.1 + PORT_HEIGHT - 4.0);
                sheet.pieces.push(SheetPiece::Port { label, at: middle });
            }
            Slot::Item(item, inner) => {
                sheet.pieces.push(SheetPiece::Box { item, at, size: *size, open: inner.is_some() });
                if let Some(inner) = inner {
                    // Wider names than boxes leave room at both sides.
                    let room = (size.0 - 2.0 * SIDE - inner.size.0).max(0.0) / 2.0;
                    sheet.take(inner, (at.0 + SIDE + room, at.1 + HEAD));
                }
            }
        }
    }
    sheet
}

impl Sheet {
    /// Adds the pieces of a sheet at a place.
    fn take(&mut self, inner: Sheet, (x, y): Point) {
        let moved = |(left, top): Point| (left + x, top + y);
        self.edges_left_out += inner.edges_left_out;
        self.pieces.extend(inner.pieces.into_iter().map(|piece| match piece {
            SheetPiece::Box { item, at, size, open } => SheetPiece::Box { item, at: moved(at), size, open },
            SheetPiece::Port { label, at } => SheetPiece::Port { label, at: moved(at) },
            SheetPiece::Edge { from, to, points } => {
                SheetPiece::Edge { from, to, points: points.into_iter().map(moved).collect() }
            }
        }));
    }
}
