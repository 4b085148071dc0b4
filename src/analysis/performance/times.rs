//! Time as sets of intervals: how long a device was busy, and with what.

/// The value in the middle.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |place: usize| values.get(place).copied().unwrap_or_default();
    if values.len() % 2 == 1 { at(middle) } else { (at(middle.wrapping_sub(1)) + at(middle)) / 2.0 }
}

/// A set of stretches of time, microseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretches(Vec<(f64, f64)>);

impl Stretches {
    /// Adds a stretch; they may overlap and come in any order.
    pub(super) fn add(&mut self, begin: f64, dur: f64) {
        if dur > 0.0 {
            match self.0.last_mut() {
                Some(last) if last.0 <= begin && begin <= last.1 => last.1 = last.1.max(begin + dur),
                _ => self.0.push((begin, begin + dur)),
            }
        }
    }

    /// The same time as stretches in order that do not overlap.
    pub(super) fn merged(mut self) -> Stretches {
        self.0.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut merged: Vec<(f64, f64)> = Vec::new();
        for (begin, end) in self.0 {
            match merged.last_mut() {
                Some(last) if begin <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((begin, end)),
            }
        }
        Stretches(merged)
    }

    /// How long they are together, when they do not overlap.
    pub(super) fn length(&self) -> f64 {
        self.0.iter().map(|(begin, end)| end - begin).fold(0.0, |all, one| all + one)
    }

    /// How much of this time is also in the other; both must not overlap themselves.
    pub(super) fn shared_with(&self, other: &Stretches) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0.0;
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            shared += (one.1.min(two.1) - one.0.max(two.0)).max(0.0);
            if one.1 < two.1 {
                left.next()
            } else {
                right.next()
            };
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(of: &[(f64, f64)]) -> Stretches {
        let mut found = Stretches::default();
        for (begin, dur) in of {
            found.add(*begin, *dur);
        }
        found.merged()
    }

    #[test]
    fn time_that_two_streams_are_busy_counts_once() {
        assert_eq!(stretches(&[(5.0, 5.0), (0.0, 6.0), (20.0, 1.0)]).length(), 11.0);
    }

    #[test]
    fn what_two_sets_share_is_told() {
        let compute = stretches(&[(0.0, 10.0), (20.0, 10.0)]);
        assert_eq!(compute.shared_with(&stretches(&[(5.0, 20.0)])), 10.0);
        assert_eq!(compute.shared_with(&stretches(&[(12.0, 2.0)])), 0.0);
    }
}
