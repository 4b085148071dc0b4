//! Logarithmic scales of a drawing, with lines and numbers.

use crate::report::kit::prelude::*;

/// A logarithmic axis: whole powers of ten between two ends of the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Exponents of its ends.
    from: f64,
    to: f64,
    /// Positions of its ends.
    start: f64,
    end: f64,
}

impl Scale {
    /// The powers of ten around these values, from `start` to `end`.
    pub(super) fn around(values: &[f64], (start, end): (f64, f64)) -> Scale {
        let known = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
        let from = known().fold(f64::INFINITY, f64::min).log10().floor();
        let to = known().fold(0.0, f64::max).log10().ceil();
        match from.is_finite() && to.is_finite() {
            true if to > from => Scale { from, to, start, end },
            true => Scale { from, to: from + 1.0, start, end },
            false => Scale { from: 0.0, to: 1.0, start, end },
        }
    }

    /// The position of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        self.start + (self.end - self.start) * (value.log10() - self.from) / (self.to - self.from)
    }

    /// The smallest value.
    pub(super) fn least(&self) -> f64 {
        10_f64.powf(self.from)
    }

    /// About ten powers of ten, with their positions.
    pub(super) fn powers(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let step = ((self.to - self.from) / 10.0).ceil().max(1.0) as usize;
        let exponents = (self.from as i32..=self.to as i32).step_by(step);
        exponents.map(|exponent| 10_f64.powi(exponent)).map(|value| (value, self.at(value)))
    }
}

/// A straight line.
pub(super) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Html {
    let path = format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1);
    Element::new("path").class(class).attribute("d", &path).around("")
}

/// Text anchored at a place: `start`, `middle` or `end`.
pub(super) fn text(at: (f64, f64), anchor: &str, words: &str) -> Html {
    words_at(at, anchor).around(words)
}

/// The same, rotated.
pub(super) fn turned_text(at: (f64, f64), degrees: f64, words: &str) -> Html {
    let turn = format!("rotate({degrees:.1} {:.1} {:.1})", at.0, at.1);
    words_at(at, "middle").attribute("transform", &turn).around(words)
}

fn words_at(at: (f64, f64), anchor: &str) -> Element {
    Element::new("text")
        .attribute("x", &format!("{:.1}", at.0))
        .attribute("y", &format!("{:.1}", at.1))
        .attribute("text-anchor", anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_powers_of_ten_around_its_values() {
        let scale = Scale::around(&[20.0, 300.0], (0.0, 100.0));
        assert_eq!((scale.least(), scale.at(1000.0)), (10.0, scale.end));
        assert_eq!(scale.at(100.0), 50.0);
        assert_eq!(scale.powers().map(|(value, _)| value).collect::<Vec<_>>(), [10.0, 100.0, 1000.0]);
    }

    #[test]
    fn values_that_cannot_be_drawn_make_no_scale_without_width() {
        for values in [&[][..], &[0.0], &[f64::NAN], &[10.0]] {
            let scale = Scale::around(values, (0.0, 100.0));
            assert!(scale.at(10.0).is_finite(), "{values:?}");
        }
    }
}
