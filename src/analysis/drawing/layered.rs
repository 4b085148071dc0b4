//! Places boxes in rows so that edges lead downwards: longest paths give rows, an edge that crosses a row has a place in it,
//! sweeps with barycenters order the rows, and averages of neighbors give positions. Deterministic, and bounded in time.

use std::collections::VecDeque;

/// Space between boxes of a row, and between rows.
const GAP_X: f64 = 18.0;
const GAP_Y: f64 = 26.0;

/// Width of an edge that crosses a row.
const EDGE_WIDTH: f64 = 10.0;

/// Boxes in a row. More would be too wide to look at, and are moved to the next row.
const MOST_IN_ROW: usize = 14;

/// Places of edges in all rows, and in one; longer edges than these have room for are not drawn.
const MOST_CROSSINGS: usize = 3_000;
const MOST_CROSSINGS_OF_ROW: usize = 60;

/// Sweeps that order the rows, and those that find positions. With many places there are fewer.
const SWEEPS: usize = 10;
const POSITION_SWEEPS: usize = 16;
const MANY_PLACES: usize = 2_000;

pub(super) type Point = (f64, f64);

pub(super) type Size = (f64, f64);

/// Boxes with positions.
#[derive(Debug, Default)]
pub(super) struct Layered {
    /// The upper left corner of each box.
    pub(super) at: Vec<Point>,
    /// For each edge its points, from the lower side of a box to the upper side of another; empty if it is not drawn.
    pub(super) routes: Vec<Vec<Point>>,
    pub(super) size: Size,
}

/// A layout while it is made. Places are the boxes, and then one for each row that an edge crosses.
struct Rows<'b> {
    boxes: &'b [Size],
    rows: Vec<Vec<usize>>,
    row_of: Vec<usize>,
    widths: Vec<f64>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// For each edge the places that it goes through, from its upper end to its lower end.
    chains: Vec<Vec<usize>>,
    x: Vec<f64>,
}

/// Lays out boxes with edges between them. An edge that would lead to an earlier box, which blocks can have between them,
/// is drawn from the lower box to the upper one.
pub(super) fn layered(boxes: &[Size], edges: &[(usize, usize)]) -> Layered {
    if boxes.is_empty() {
        return Layered { routes: vec![Vec::new(); edges.len()], ..Layered::default() };
    }
    let mut rows = Rows::new(boxes, edges);
    let many = rows.widths.len() > MANY_PLACES;
    rows.order(if many { SWEEPS / 2 } else { SWEEPS });
    rows.position(if many { POSITION_SWEEPS / 2 } else { POSITION_SWEEPS });
    rows.finish()
}

impl<'b> Rows<'b> {
    fn new(boxes: &'b [Size], edges: &[(usize, usize)]) -> Rows<'b> {
        let order = order(boxes.len(), edges);
        let mut rank = vec![0; boxes.len()];
        order.iter().enumerate().for_each(|(place, at)| rank[*at] = place);
        // Edges that lead up are turned round.
        let down = |(from, to): &(usize, usize)| match rank[*from] <= rank[*to] {
            true => (*from, *to),
            false => (*to, *from),
        };
        let down: Vec<(usize, usize)> = edges.iter().map(down).collect();
        let row_of = rows_of(&order, &down, boxes.len());
        let count = row_of.iter().max().map_or(0, |last| last + 1);
        let mut rows = Rows {
            boxes,
            rows: vec![Vec::new(); count],
            widths: boxes.iter().map(|(width, _)| *width).collect(),
            above: vec![Vec::new(); boxes.len()],
            below: vec![Vec::new(); boxes.len()],
            chains: vec![Vec::new(); edges.len()],
            x: Vec::new(),
            row_of,
        };
        order.iter().for_each(|at| rows.rows[rows.row_of[*at]].push(*at));
        rows.add_edges(&down);
        rows
    }

    /// Gives each edge a place in the rows that it crosses, short edges first.
    fn add_edges(&mut self, down: &[(usize, usize)]) {
        let mut by_length: Vec<usize> = (0..down.len()).filter(|at| down[*at].0 != down[*at].1).collect();
        by_length.sort_by_key(|at| self.row_of[down[*at].1] - self.row_of[down[*at].0]);
        let mut room = MOST_CROSSINGS;
        let mut crossings = vec![0; self.rows.len()];
        for at in by_length {
            let (from, to) = down[at];
            let crossed = self.row_of[from] + 1..self.row_of[to];
            if crossed.len() > room {
                break;
            }
            if crossed.clone().any(|row| crossings[row] >= MOST_CROSSINGS_OF_ROW) {
                continue;
            }
            room -= crossed.len();
            crossed.clone().for_each(|row| crossings[row] += 1);
            let mut chain = vec![from];
            for row in crossed {
                let place = self.widths.len();
                self.widths.push(EDGE_WIDTH);
                self.above.push(Vec::new());
                self.below.push(Vec::new());
                self.row_of.push(row);
                self.rows[row].push(place);
                chain.push(place);
            }
            chain.push(to);
            for pair in chain.windows(2) {
                self.below[pair[0]].push(pair[1]);
                self.above[pair[1]].push(pair[0]);
            }
            self.chains[at] = chain;
        }
    }

    /// Orders each row by the mean position of its neighbors in the row before.
    fn order(&mut self, sweeps: usize) {
        let mut place_in_row = vec![0.0; self.widths.len()];
        let number = |row: &[usize], place_in_row: &mut [f64]| {
            row.iter().enumerate().for_each(|(place, at)| place_in_row[*at] = place as f64);
        };
        self.rows.iter().for_each(|row| number(row, &mut place_in_row));
        for sweep in 0..sweeps {
            let neighbors = if sweep % 2 == 0 { &self.above } else { &self.below };
            for row in sweep_order(self.rows.len(), sweep) {
                let mean = |at: &usize| mean(&neighbors[*at], &place_in_row).unwrap_or(place_in_row[*at]);
                let mut sorted: Vec<(f64, usize)> = self.rows[row].iter().map(|at| (mean(at), *at)).collect();
                sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
                self.rows[row] = sorted.into_iter().map(|(_, at)| at).collect();
                number(&self.rows[row], &mut place_in_row);
            }
        }
    }

    /// Moves each place towards the mean of its neighbors, keeping order and distances.
    fn position(&mut self, sweeps: usize) {
        self.x = vec![0.0; self.widths.len()];
        for row in &self.rows {
            let mut x = 0.0;
            for at in row {
                self.x[*at] = x + self.widths[*at] / 2.0;
                x += self.widths[*at] + GAP_X;
            }
        }
        for sweep in 0..sweeps {
            for row in sweep_order(self.rows.len(), sweep) {
                let neighbors = if sweep % 2 == 0 { &self.above } else { &self.below };
                let wanted = |at: &usize| mean(&neighbors[*at], &self.x).unwrap_or(self.x[*at]);
                let wanted: Vec<f64> = self.rows[row].iter().map(wanted).collect();
                for (at, x) in self.rows[row].iter().zip(self.fitted(&self.rows[row], &wanted)) {
                    self.x[*at] = x;
                }
            }
        }
    }

    /// Positions near the wanted ones without overlap: the mean of what fits from the left and from the right.
    fn fitted(&self, row: &[usize], wanted: &[f64]) -> Vec<f64> {
        let distance =
            |left: usize, right: usize| (self.widths[row[left]] + self.widths[row[right]]) / 2.0 + GAP_X;
        let mut from_left = wanted.to_vec();
        for at in 1..row.len() {
            from_left[at] = from_left[at].max(from_left[at - 1] + distance(at - 1, at));
        }
        let mut from_right = wanted.to_vec();
        for at in (0..row.len().saturating_sub(1)).rev() {
            from_right[at] = from_right[at].min(from_right[at + 1] - distance(at, at + 1));
        }
        let mut fitted: Vec<f64> =
            from_left.iter().zip(&from_right).map(|(left, right)| (left + right) / 2.0).collect();
        for at in 1..row.len() {
            fitted[at] = fitted[at].max(fitted[at - 1] + distance(at - 1, at));
        }
        fitted
    }

    fn finish(&self) -> Layered {
        let edges_left = (0..self.widths.len()).map(|at| self.x[at] - self.widths[at] / 2.0);
        let left = edges_left.fold(f64::INFINITY, f64::min);
        let right = (0..self.widths.len()).map(|at| self.x[at] + self.widths[at] / 2.0);
        let width = right.fold(f64::NEG_INFINITY, f64::max) - left;
        let is_box = |at: &&usize| **at < self.boxes.len();
        let mut tops = Vec::with_capacity(self.rows.len());
        let mut y = 0.0;
        for row in &self.rows {
            let height = row.iter().filter(is_box).map(|at| self.boxes[*at].1).fold(0.0, f64::max);
            tops.push((y, height));
            y += height + GAP_Y;
        }
        let at: Vec<Point> = (0..self.boxes.len())
            .map(|at| {
                let (top, height) = tops[self.row_of[at]];
                let (own_width, own_height) = self.boxes[at];
                (self.x[at] - own_width / 2.0 - left, top + (height - own_height) / 2.0)
            })
            .collect();
        let routes = self.chains.iter().map(|chain| self.route(chain, &at, &tops, left)).collect();
        Layered { at, routes, size: (width, y - GAP_Y) }
    }

    /// The points of an edge. It runs straight to the end of its row first, else it would be hidden by a tall neighbor.
    fn route(&self, chain: &[usize], at: &[Point], tops: &[(f64, f64)], left: f64) -> Vec<Point> {
        let ([first, between @ .., last], true) = (chain, chain.len() > 1) else { return Vec::new() };
        let x = |place: usize| self.x[place] - left;
        let (top, height) = tops[self.row_of[*first]];
        let mut points = vec![(x(*first), at[*first].1 + self.boxes[*first].1), (x(*first), top + height)];
        for place in between {
            let (top, height) = tops[self.row_of[*place]];
            points.extend([(x(*place), top), (x(*place), top + height)]);
        }
        let (top, _) = tops[self.row_of[*last]];
        points.extend([(x(*last), top), (x(*last), at[*last].1)]);
        points.dedup();
        points
    }
}

/// The rows in the order of a sweep: downwards, then upwards.
fn sweep_order(count: usize, sweep: usize) -> Box<dyn Iterator<Item = usize>> {
    match sweep % 2 {
        0 => Box::new(1..count),
        _ => Box::new((0..count.saturating_sub(1)).rev()),
    }
}

fn mean(neighbors: &[usize], values: &[f64]) -> Option<f64> {
    let sum: f64 = neighbors.iter().map(|at| values[*at]).sum();
    (!neighbors.is_empty()).then(|| sum / neighbors.len() as f64)
}

/// The boxes in an order in which edges lead forward, if there is one. Where boxes depend on each other, the first is next.
fn order(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut waits = vec![0_usize; count];
    let mut following: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        waits[*to] += 1;
        following[*from].push(*to);
    }
    let mut ready: VecDeque<usize> = (0..count).filter(|at| waits[*at] == 0).collect();
    let mut is_placed = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut stuck_at = 0;
    while order.len() < count {
        let next = ready.pop_front().or_else(|| {
            stuck_at += (stuck_at..count).take_while(|at| is_placed[*at]).count();
            (stuck_at < count).then_some(stuck_at)
        });
        let Some(next) = next else { break };
        if std::mem::replace(&mut is_placed[next], true) {
            continue;
        }
        order.push(next);
        for to in &following[next] {
            waits[*to] = waits[*to].saturating_sub(1);
            if waits[*to] == 0 && !is_placed[*to] {
                ready.push_back(*to);
            }
        }
    }
    order
}

/// The row of each box: below all that lead to it. A box that nothing leads to is just above the first that it leads to.
fn rows_of(order: &[usize], down: &[(usize, usize)], count: usize) -> Vec<usize> {
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (from, to) in down.iter().filter(|(from, to)| from != to) {
        below[*from].push(*to);
        above[*to].push(*from);
    }
    let mut rows = vec![0; count];
    let mut in_row: Vec<usize> = Vec::new();
    for at in order {
        let mut row = above[*at].iter().map(|one: &usize| rows[*one] + 1).max().unwrap_or(0);
        while in_row.get(row).is_some_and(|boxes| *boxes >= MOST_IN_ROW) {
            row += 1;
        }
        in_row.resize(in_row.len().max(row + 1), 0);
        in_row[row] += 1;
        rows[*at] = row;
    }
    for at in order.iter().rev().filter(|at| above[**at].is_empty()) {
        if let Some(first) = below[*at].iter().map(|one: &usize| rows[*one]).min() {
            let row = first.saturating_sub(1).max(rows[*at]);
            if row != rows[*at] && in_row[row] < MOST_IN_ROW {
                in_row[rows[*at]] -= 1;
                in_row[row] += 1;
                rows[*at] = row;
            }
        }
    }
    without_empty_rows(rows)
}

fn without_empty_rows(mut rows: Vec<usize>) -> Vec<usize> {
    let mut used = rows.clone();
    used.sort_unstable();
    used.dedup();
    for row in &mut rows {
        *row = used.binary_search(row).unwrap_or(*row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of different sizes with pseudo-random edges forward.
    fn sample(count: usize, each: usize) -> (Vec<Size>, Vec<(usize, usize)>) {
        let mut seed = 7_u64;
        let mut next = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % most
        };
        let boxes = (0..count).map(|_| (60.0 + next(120) as f64, 20.0 + next(300) as f64)).collect();
        let mut edges = Vec::new();
        for to in 1..count {
            edges.extend((0..each).map(|_| (next(to), to)));
        }
        (boxes, edges)
    }

    fn overlap(boxes: &[Size], laid: &Layered) -> Option<(usize, usize)> {
        let pairs = (0..boxes.len()).flat_map(|left| (left + 1..boxes.len()).map(move |right| (left, right)));
        let apart = |(left, right): &(usize, usize)| {
            let ((x, y), (w, h)) = (laid.at[*left], boxes[*left]);
            let ((other_x, other_y), (other_w, other_h)) = (laid.at[*right], boxes[*right]);
            x + w <= other_x + 0.01
                || other_x + other_w <= x + 0.01
                || y + h <= other_y + 0.01
                || other_y + other_h <= y + 0.01
        };
        pairs.into_iter().find(|pair| !apart(pair))
    }

    #[test]
    fn edges_lead_downwards_and_boxes_do_not_overlap() {
        let (boxes, edges) = sample(120, 2);
        let laid = layered(&boxes, &edges);
        for (from, to) in &edges {
            assert!(laid.at[*from].1 + boxes[*from].1 < laid.at[*to].1, "{from} is above {to}");
        }
        assert_eq!(overlap(&boxes, &laid), None);
        for (edge, route) in edges.iter().zip(&laid.routes) {
            assert!(route.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{edge:?} goes down: {route:?}");
        }
        let inside = |(x, y): &Point| {
            *x >= -0.01 && *y >= -0.01 && *x <= laid.size.0 + 0.01 && *y <= laid.size.1 + 0.01
        };
        assert!(laid.at.iter().chain(laid.routes.iter().flatten()).all(inside));
    }

    #[test]
    fn the_same_graph_has_the_same_layout() {
        let (boxes, edges) = sample(80, 2);
        let (first, second) = (layered(&boxes, &edges), layered(&boxes, &edges));
        assert_eq!((first.at, first.routes), (second.at, second.routes));
    }

    #[test]
    fn blocks_that_depend_on_each_other_are_laid_out() {
        let boxes = vec![(100.0, 40.0); 3];
        let edges = [(0, 1), (1, 0), (1, 2), (2, 2)];
        let laid = layered(&boxes, &edges);
        assert!(laid.at[0].1 < laid.at[1].1 && laid.at[1].1 < laid.at[2].1);
        assert!(laid.routes[3].is_empty(), "an edge to itself is not drawn");
        assert_eq!(overlap(&boxes, &laid), None);
    }

    #[test]
    fn a_row_has_a_bounded_number_of_boxes() {
        let boxes = vec![(100.0, 40.0); 301];
        let edges: Vec<(usize, usize)> = (1..301).map(|to| (0, to)).collect();
        let laid = layered(&boxes, &edges);
        // Rows of this width, moved towards their neighbors.
        let widest = MOST_IN_ROW as f64 * 118.0 + MOST_CROSSINGS_OF_ROW as f64 * 28.0;
        assert!(laid.size.0 <= 1.5 * widest, "{}", laid.size.0);
        assert_eq!(overlap(&boxes, &laid), None);
    }

    #[test]
    fn edges_without_room_are_left_out() {
        // Each box leads to the next and to the last: 400 edges that cross 200 rows on average.
        let boxes = vec![(100.0, 40.0); 400];
        let mut edges: Vec<(usize, usize)> = (1..400).map(|to| (to - 1, to)).collect();
        edges.extend((0..398).map(|from| (from, 399)));
        let laid = layered(&boxes, &edges);
        assert!(laid.routes[..399].iter().all(|route| !route.is_empty()), "short edges are drawn");
        let left_out = laid.routes.iter().filter(|route| route.is_empty()).count();
        assert!(left_out > 100, "{left_out}");
    }

    #[test]
    fn nothing_has_no_layout() {
        assert_eq!(layered(&[], &[]).size, (0.0, 0.0));
    }
}
