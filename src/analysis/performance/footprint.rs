//! Which bytes of memory a call reads and writes. Tensors of a call may be views of one buffer: the whole of it, parts that
//! lie side by side, or every other row. Bytes that two views share are moved once.

use crate::trace::TextMap;

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
    /// Of a tensor with sizes and strides in elements, `offset` elements into its buffer. A broadcast dimension (stride 0)
    /// counts once. None if a number is negative or too large.
    pub(super) fn of(sizes: &[i64], strides: &[i64], element: i64, offset: i64) -> Option<Extent> {
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
    fn add(&mut self, extent: Extent, at_most: Option<f64>) {
        self.at_most += at_most.unwrap_or(f64::INFINITY);
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

/// A tensor of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Used {
    /// Whether the call reads what was there before it.
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Bytes that it reads at most, if it may read a part only.
    pub(super) reads_at_most: Option<f64>,
    /// Bytes that it writes at most.
    pub(super) writes_at_most: Option<f64>,
}

/// The memory of a call, by buffer.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    buffers: TextMap<String, Uses>,
}

impl Footprint {
    /// Adds a tensor.
    pub(super) fn add(&mut self, buffer: &str, extent: Extent, used: Used) {
        let uses = match self.buffers.get_mut(buffer) {
            Some(uses) => uses,
            None => self.buffers.entry(buffer.to_owned()).or_default(),
        };
        if used.reads {
            uses.read.add(extent.clone(), used.reads_at_most);
        }
        if used.writes {
            uses.written.add(extent, used.writes_at_most);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(sizes: &[i64], strides: &[i64], offset: i64) -> Extent {
        Extent::of(sizes, strides, 4, offset).unwrap()
    }

    fn bytes(tensors: &[(Extent, bool, bool)]) -> f64 {
        let mut found = Footprint::default();
        for (extent, reads, writes) in tensors {
            let used = Used { reads: *reads, writes: *writes, ..Used::default() };
            found.add("buf0", extent.clone(), used);
        }
        found.bytes(&mut i64::MAX.clone())
    }

    #[test]
    fn views_of_a_buffer_count_what_they_cover_together() {
        let whole = extent(&[10, 18], &[18, 1], 0);
        let left = extent(&[10, 4], &[18, 1], 0);
        let right = extent(&[10, 8], &[18, 1], 4);
        assert_eq!(bytes(&[(left.clone(), false, true), (right.clone(), false, true)]), 4.0 * 120.0);
        assert_eq!(bytes(&[(whole, true, false), (left, false, false), (right, false, false)]), 4.0 * 180.0);
        let transposed = extent(&[18, 10], &[1, 18], 0);
        assert_eq!(bytes(&[(transposed, true, false), (extent(&[180], &[1], 0), true, false)]), 4.0 * 180.0);
    }

    #[test]
    fn what_is_read_and_written_counts_twice() {
        let all = extent(&[8], &[1], 0);
        assert_eq!(bytes(&[(all.clone(), true, true)]), 64.0);
        assert_eq!(bytes(&[(all.clone(), true, false), (all.clone(), false, true)]), 64.0);
        assert_eq!(bytes(&[(all.clone(), false, true)]), 32.0);
        assert_eq!(bytes(&[(all, true, false), (extent(&[2], &[1], 3), false, true)]), 40.0);
    }

    #[test]
    fn a_call_moves_no_more_than_it_touches() {
        let mut found = Footprint::default();
        let used = |reads, at_most| Used { reads, writes: !reads, reads_at_most: at_most, ..Used::default() };
        found.add("table", extent(&[1000, 8], &[8, 1], 0), used(true, Some(64.0)));
        found.add("ids", extent(&[2], &[1], 0), used(true, Some(1e9)));
        found.add("out", extent(&[2, 8], &[8, 1], 0), used(false, None));
        assert_eq!(found.bytes(&mut i64::MAX.clone()), 64.0 + 8.0 + 64.0);
    }

    #[test]
    fn a_broadcast_dimension_counts_once_and_an_empty_tensor_nothing() {
        assert_eq!(extent(&[4, 8], &[0, 1], 0).bytes(), 32.0);
        assert_eq!(extent(&[4, 0], &[1, 1], 0).bytes(), 0.0);
        assert_eq!(extent(&[3, 1], &[1, 7], 0).bytes(), 12.0);
    }

    #[test]
    fn windows_that_slide_count_what_they_cover() {
        assert_eq!(bytes(&[(extent(&[5, 4], &[2, 1], 0), true, false)]), 4.0 * 12.0);
    }

    #[test]
    fn impossible_and_huge_sizes_are_no_extent_and_cost_nothing() {
        assert_eq!(Extent::of(&[-1], &[1], 4, 0), None);
        assert_eq!(Extent::of(&[i64::MAX, i64::MAX], &[i64::MAX, 1], 4, 0), None);
        let many = Extent::of(&[1 << 30, 2], &[4, 1], 4, 0).unwrap();
        let other = Extent::of(&[1 << 30, 2], &[4, 1], 4, 2).unwrap();
        assert_eq!(bytes(&[(many, true, false), (other, true, false)]), 8.0 * (1_i64 << 30) as f64);
    }
}
