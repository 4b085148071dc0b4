//! Which bytes of memory a call reads and writes. Tensors of a call may be views of one buffer: the whole of it, parts that
//! lie side by side, or every other row. Bytes that two views share are moved once.

use crate::read::generated::kernel_source::Touched;
use crate::read::generated::tensors::{Argument, TensorCall};
use crate::trace::TextMap;

/// Limit on the pieces of views that are compared with each other in a wrapper: a tenth of a second of work.
pub(super) const MOST_PIECES_TOGETHER: i64 = 1 << 22;

/// Bytes that a call must move; None if the size or type of a tensor is unknown. `pieces_left` is how many more pieces of views
/// may be compared.
pub(super) fn bytes_of_call(call: &TensorCall, pieces_left: &mut i64) -> Option<f64> {
    let mut memory = Footprint::default();
    for argument in &call.arguments {
        memory.add(&argument.tensor.memory, Extent::of_tensor(argument)?, Used::of(argument));
    }
    call.is_complete.then(|| memory.bytes(pieces_left)).filter(|bytes| *bytes > 0.0)
}

/// Where a tensor lies in its buffer, in bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Extent {
    offset: i64,
    /// Bytes in one piece.
    piece: i64,
    /// How often a piece is repeated, and how far apart, the widest distance first.
    repeats: Vec<Repeat>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Repeat {
    count: i64,
    distance: i64,
}

/// Limit on the pieces of the views of one buffer that are laid side by side. Beyond it, a view is compared as a whole.
const MOST_PIECES: i64 = 1 << 16;

impl Extent {
    fn of_tensor(Argument { tensor, .. }: &Argument) -> Option<Extent> {
        Extent::new(tensor.sizes.as_deref()?, &tensor.strides, tensor.element? as i64, tensor.offset?)
    }

    /// Of a tensor with sizes and strides in elements, `offset` elements into its buffer. A broadcast dimension (stride 0)
    /// counts once. None if a number is negative or too large.
    pub(super) fn new(sizes: &[i64], strides: &[i64], element: i64, offset: i64) -> Option<Extent> {
        if offset < 0 {
            return None;
        }
        let mut repeats = Vec::with_capacity(sizes.len());
        let mut contiguous = 1_i64;
        for (at, size) in sizes.iter().enumerate().rev() {
            // Where the code gives no strides, the tensor is contiguous.
            let stride = strides.get(at).copied().unwrap_or(contiguous);
            contiguous = contiguous.checked_mul((*size).max(1))?;
            match (*size, stride) {
                (size, stride) if size < 0 || stride < 0 => return None,
                (0, _) => return Some(Extent::default()),
                (1, _) | (_, 0) => {}
                (count, stride) => repeats.push(Repeat { count, distance: stride.checked_mul(element)? }),
            }
        }
        repeats.sort_by_key(|repeat| std::cmp::Reverse(repeat.distance));
        let mut piece = element;
        while let Some(last) = repeats.last().copied().filter(|last| last.distance == piece) {
            piece = piece.checked_mul(last.count)?;
            repeats.pop();
        }
        let found = Extent { offset: offset.checked_mul(element)?, piece, repeats };
        found.end()?;
        Some(found)
    }

    /// Bytes of all pieces.
    pub(super) fn bytes(&self) -> f64 {
        self.repeats.iter().fold(self.piece as f64, |bytes, repeat| bytes * repeat.count as f64)
    }

    /// Whether pieces overlap, as those of a window do that slides by less than its length.
    fn overlaps(&self) -> bool {
        let mut inner = self.piece;
        self.repeats.iter().rev().any(|repeat| {
            let is_over = repeat.distance < inner;
            inner = inner.saturating_add(repeat.distance.saturating_mul(repeat.count - 1));
            is_over
        })
    }

    fn pieces(&self) -> i64 {
        self.repeats.iter().fold(1_i64, |all, repeat| all.saturating_mul(repeat.count))
    }

    fn end(&self) -> Option<i64> {
        let mut end = self.offset.checked_add(self.piece)?;
        for repeat in &self.repeats {
            end = end.checked_add(repeat.distance.checked_mul(repeat.count - 1)?)?;
        }
        Some(end)
    }

    /// Where each piece starts and ends.
    fn spans(&self) -> Vec<Span> {
        let mut begins = vec![self.offset];
        for repeat in &self.repeats {
            let moved = (0..repeat.count).map(|number| number * repeat.distance);
            begins = moved.flat_map(|by| begins.iter().map(move |begin| begin + by)).collect();
        }
        begins.into_iter().map(|begin| Span { begin, end: begin + self.piece }).collect()
    }
}

/// Bytes without a gap.
#[derive(Debug, Clone, Copy)]
struct Span {
    begin: i64,
    end: i64,
}

/// One side of what a call does with a buffer: what it reads of what was there before, or what it writes.
#[derive(Debug, Default)]
struct Use {
    extents: Vec<Extent>,
    /// Bytes that it touches at most.
    at_most: f64,
}

impl Use {
    fn add(&mut self, extent: Extent, at_most: f64) {
        self.at_most += at_most;
        if !self.extents.contains(&extent) {
            self.extents.push(extent);
        }
    }

    fn bytes(&self, pieces_left: &mut i64) -> f64 {
        covered(&self.extents, pieces_left).min(self.at_most)
    }
}

/// What a call does with one buffer.
#[derive(Debug, Default)]
struct Uses {
    read: Use,
    written: Use,
}

/// What a call does with a tensor.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Used {
    /// Bytes that it reads at most of what was there before it; None if it reads nothing of that.
    pub(super) reads: Option<f64>,
    /// Bytes that it writes at most.
    pub(super) writes: Option<f64>,
}

impl Used {
    fn of(Argument { tensor, parameter, is_fresh, .. }: &Argument) -> Used {
        let element = tensor.element.unwrap_or_default();
        let bytes = |is_used: bool, touched: Option<Touched>| {
            is_used.then(|| touched.map_or(f64::INFINITY, |touched| touched.bytes(element)))
        };
        // Memory that nobody wrote yet is there to be written.
        Used {
            reads: bytes(parameter.reads && !is_fresh, parameter.read),
            writes: bytes(parameter.writes || *is_fresh, parameter.written),
        }
    }
}

/// The memory of a call, by buffer.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    buffers: TextMap<String, Uses>,
}

impl Footprint {
    /// Adds a tensor.
    pub(super) fn add(&mut self, buffer: &str, extent: Extent, used: Used) {
        let uses = self.buffers.entry(buffer.to_owned()).or_default();
        if let Some(at_most) = used.reads {
            uses.read.add(extent.clone(), at_most);
        }
        if let Some(at_most) = used.writes {
            uses.written.add(extent, at_most);
        }
    }

    /// Bytes that the call must move: what it reads and what it writes, each once. `pieces_left` is how many pieces may be laid
    /// side by side; those that were are taken off.
    pub(super) fn bytes(&self, pieces_left: &mut i64) -> f64 {
        self.buffers.values().map(|uses| uses.read.bytes(pieces_left) + uses.written.bytes(pieces_left)).sum()
    }
}

/// Bytes that any of the extents covers.
fn covered(extents: &[Extent], pieces_left: &mut i64) -> f64 {
    match (extents, spans(extents, pieces_left)) {
        ([], _) => 0.0,
        ([only], _) if !only.overlaps() => only.bytes(),
        (_, Some(spans)) => spans.iter().map(|span| (span.end - span.begin) as f64).sum(),
        // Too many pieces: views of one buffer mostly lie within the largest.
        (several, None) => several.iter().map(Extent::bytes).fold(0.0, f64::max),
    }
}

/// Spans that do not touch, in ascending order; None if there would be too many.
fn spans(extents: &[Extent], pieces_left: &mut i64) -> Option<Vec<Span>> {
    let pieces = extents.iter().fold(0_i64, |all, extent| all.saturating_add(extent.pieces()));
    let is_plain = extents.iter().all(|extent| extents.len() == 1 && !extent.overlaps());
    if is_plain || pieces > MOST_PIECES.min(*pieces_left) {
        return None;
    }
    *pieces_left -= pieces;
    let mut all: Vec<Span> = extents.iter().flat_map(Extent::spans).collect();
    all.sort_by_key(|span| span.begin);
    let mut joined: Vec<Span> = Vec::new();
    for span in all {
        match joined.last_mut().filter(|last| span.begin <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => joined.push(span),
        }
    }
    Some(joined)
}
