//! When a difference of times is more than noise.

use crate::facts::Threshold;

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold { share: 0.05, seconds: 0.05 }
    }
}

impl Threshold {
    /// Parses `5%`, `50ms`, `0.2s` or `5%,50ms`. What is not given keeps its default.
    ///
    /// # Errors
    /// Describes the expected form.
    pub fn parse(text: &str) -> Result<Threshold, String> {
        let mut threshold = Threshold::default();
        for part in text.split(',').map(str::trim) {
            let number = |unit: &str| {
                let number: f64 = part.strip_suffix(unit)?.trim().parse().ok()?;
                (number.is_finite() && number >= 0.0).then_some(number)
            };
            if let Some(percent) = number("%") {
                threshold.share = percent / 100.0;
            } else if let Some(millis) = number("ms") {
                threshold.seconds = millis / 1e3;
            } else if let Some(seconds) = number("s") {
                threshold.seconds = seconds;
            } else {
                return Err("give a share, a time or both: 5%, 50ms or 5%,50ms".to_owned());
            }
        }
        Ok(threshold)
    }
}

/// The times of one thing in the runs of a side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Times {
    pub median: f64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
    /// How many runs have one.
    pub runs: usize,
}

impl Times {
    /// Ignores runs without a time; None if all lack one.
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Times> {
        let mut known: Vec<f64> = values.into_iter().flatten().filter(|value| value.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        let (least, most) = (*known.first()?, *known.last()?);
        let upper = known.get(known.len() / 2).copied()?;
        let lower = known.get((known.len() - 1) / 2).copied()?;
        Some(Times { median: (upper + lower) / 2.0, least, most, runs: known.len() })
    }
}

/// A value of each side, where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sides<T> {
    pub a: Option<T>,
    pub b: Option<T>,
}

/// The times of one thing on both sides.
pub(crate) type Pair = Sides<Times>;

impl Pair {
    /// B minus A; a missing side counts as 0.
    pub fn difference(&self) -> f64 {
        let of = |side: Option<Times>| side.map_or(0.0, |times| times.median);
        of(self.b) - of(self.a)
    }

    /// The same of times in microseconds, in seconds.
    pub fn in_seconds(self) -> Pair {
        let seconds = |times: Times| Times {
            median: times.median / 1e6,
            least: times.least / 1e6,
            most: times.most / 1e6,
            runs: times.runs,
        };
        Pair { a: self.a.map(seconds), b: self.b.map(seconds) }
    }

    /// Whether the difference is more than noise. If a side has several runs, the ranges of both sides must not overlap.
    pub fn differs(&self, threshold: Threshold) -> bool {
        let difference = self.difference().abs();
        let base = self.a.map_or(0.0, |times| times.median);
        if difference == 0.0 {
            return false;
        }
        if difference < threshold.seconds || difference < threshold.share * base {
            return false;
        }
        match (self.a, self.b) {
            (Some(a), Some(b)) if a.runs > 1 || b.runs > 1 => a.most < b.least || b.most < a.least,
            _ => true,
        }
    }

    /// How many times longer B takes, if both are known.
    pub fn factor(&self) -> Option<f64> {
        let (a, b) = (self.a?.median, self.b?.median);
        (a > 0.0 && b > 0.0).then(|| b / a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &[f64], b: &[f64]) -> Pair {
        let times = |values: &[f64]| Times::of(values.iter().map(|value| Some(*value)));
        Pair { a: times(a), b: times(b) }
    }

    #[test]
    fn a_difference_counts_only_beyond_both_limits() {
        let threshold = Threshold::default();
        assert!(!pair(&[0.010], &[0.055]).differs(threshold), "under 50 ms");
        assert!(!pair(&[10.0], &[10.4]).differs(threshold), "under 5 %");
        assert!(pair(&[10.0], &[10.6]).differs(threshold));
        assert!(pair(&[10.6], &[10.0]).differs(threshold));
        assert!(pair(&[], &[0.06]).differs(threshold));
    }

    #[test]
    fn several_runs_differ_only_where_their_ranges_lie_apart() {
        let threshold = Threshold::default();
        assert!(!pair(&[1.0, 1.1, 2.0], &[1.5, 1.9, 2.2]).differs(threshold));
        assert!(pair(&[1.0, 1.1, 1.2], &[1.5, 1.9, 2.2]).differs(threshold));
        assert_eq!(pair(&[1.0, 1.1, 1.2], &[1.5, 1.9]).difference(), 1.7 - 1.1);
    }

    #[test]
    fn a_threshold_is_a_share_a_time_or_both() {
        assert_eq!(Threshold::parse("10%"), Ok(Threshold { share: 0.1, seconds: 0.05 }));
        assert_eq!(Threshold::parse("2 %, 1s"), Ok(Threshold { share: 0.02, seconds: 1.0 }));
        assert_eq!(Threshold::parse("20ms"), Ok(Threshold { share: 0.05, seconds: 0.02 }));
        for wrong in ["", "5", "-1%", "nan%", "fast"] {
            assert!(Threshold::parse(wrong).is_err(), "{wrong}");
        }
    }
}
