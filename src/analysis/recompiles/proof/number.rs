//! The numbers of guard expressions: fractions, so that a division is exact.

use std::cmp::Ordering;

/// The largest exponent that is evaluated.
const LARGEST_EXPONENT: i128 = 64;

/// A fraction; its denominator is positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    above: i128,
    below: i128,
}

impl Number {
    /// A whole number.
    pub fn of(value: i64) -> Number {
        Number { above: i128::from(value), below: 1 }
    }

    /// True or False, as Python counts them.
    pub fn of_flag(flag: bool) -> Number {
        Number { above: i128::from(flag), below: 1 }
    }

    /// `12`, `0.5`; None for other forms.
    pub fn read(text: &str) -> Option<Number> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{decimals}");
        let is_plain = !digits.is_empty() && digits.len() <= 30 && digits.bytes().all(|b| b.is_ascii_digit());
        let below = 10_i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        is_plain.then(|| digits.parse().ok()).flatten().and_then(|above| Number::fraction(above, below))
    }

    fn fraction(above: i128, below: i128) -> Option<Number> {
        if below == 0 {
            return None;
        }
        let sign = if below < 0 { -1 } else { 1 };
        let divisor = divisor(above.checked_abs()?, below.checked_abs()?);
        Some(Number {
            above: (above / divisor).checked_mul(sign)?,
            below: (below / divisor).checked_mul(sign)?,
        })
    }

    /// Whether Python takes it for true.
    pub fn is_true(self) -> bool {
        self.above != 0
    }

    /// The sum; None if it is too large.
    pub fn plus(self, other: Number) -> Option<Number> {
        let left = self.above.checked_mul(other.below)?;
        let right = other.above.checked_mul(self.below)?;
        Number::fraction(left.checked_add(right)?, self.below.checked_mul(other.below)?)
    }

    /// The difference.
    pub fn minus(self, other: Number) -> Option<Number> {
        self.plus(Number { above: other.above.checked_neg()?, ..other })
    }

    /// The product.
    pub fn times(self, other: Number) -> Option<Number> {
        Number::fraction(self.above.checked_mul(other.above)?, self.below.checked_mul(other.below)?)
    }

    /// The quotient; None for a division by zero.
    pub fn over(self, other: Number) -> Option<Number> {
        Number::fraction(self.above.checked_mul(other.below)?, self.below.checked_mul(other.above)?)
    }

    /// The largest whole number that is not larger.
    pub fn floor(self) -> Option<Number> {
        Some(Number { above: self.above.div_euclid(self.below), below: 1 })
    }

    /// The smallest whole number that is not smaller.
    pub fn ceiling(self) -> Option<Number> {
        let floor = self.floor()?;
        if floor == self { Some(floor) } else { floor.plus(Number::of(1)) }
    }

    /// The remainder, with the sign of the divisor as in Python.
    pub fn modulo(self, other: Number) -> Option<Number> {
        self.minus(other.times(self.over(other)?.floor()?)?)
    }

    /// A power with a whole exponent of moderate size.
    pub fn power(self, exponent: Number) -> Option<Number> {
        let times = (exponent.below == 1 && (0..=LARGEST_EXPONENT).contains(&exponent.above))
            .then_some(exponent.above)?;
        (0..times).try_fold(Number::of(1), |power, _| power.times(self))
    }

    /// How it compares.
    pub fn order(self, other: Number) -> Option<Ordering> {
        Some(self.minus(other)?.above.cmp(&0))
    }
}

/// The greatest common divisor, at least 1.
fn divisor(one: i128, other: i128) -> i128 {
    let (mut large, mut small) = (one, other);
    while small != 0 {
        (large, small) = (small, large % small);
    }
    large.max(1)
}
