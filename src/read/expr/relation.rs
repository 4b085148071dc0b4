//! Evaluates relations that guards require: `L['hi'].size()[0] == 2*L['lo'].size()[0]`, `Mod(s, 8) == 0`. What is not known
//! makes the whole unknown: then the guard proves nothing.

use super::tokens::{Token, TokenKind, tokens};
use super::variables::{SizeOf, asked};
use crate::limits::KEPT_OF_ONE;

/// Brackets within brackets.
const DEEPEST: usize = 40;

/// Whether a relation holds, with the sizes and strides that `lookup` knows; None if something in it is not known.
pub fn holds(text: &str, lookup: &dyn Fn(SizeOf<'_>) -> Option<i64>) -> Option<bool> {
    let tokens = tokens(text);
    let mut reader = RelationReader { text, tokens: &tokens, at: 0, depth: 0, lookup };
    let value = if tokens.len() > KEPT_OF_ONE { None } else { reader.expression() }?;
    (reader.at == tokens.len()).then(|| value.is_true())
}

/// Operators by how tightly they bind; `not` and comparisons are between the second level and the third.
const LEVELS: [&[&str]; 4] = [&["or", "|"], &["and", "&"], &["+", "-"], &["*", "//", "/", "%"]];

/// The level of the operands of a comparison.
const SUM: usize = 2;

const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// Reads an expression from left to right, and evaluates it.
struct RelationReader<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    lookup: &'t dyn Fn(SizeOf<'_>) -> Option<i64>,
}

impl<'t> RelationReader<'t> {
    fn rest(&self) -> &'t [Token<'t>] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// The next token, if it is one of these.
    fn takes(&mut self, texts: &[&'static str]) -> Option<&'static str> {
        let next = self.rest().first()?;
        let taken = texts.iter().find(|text| next.is(text))?;
        self.at += 1;
        Some(taken)
    }

    fn expression(&mut self) -> Option<Fraction> {
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { self.level(0) };
        self.depth -= 1;
        value
    }

    /// Operands and operators of a level, from left to right.
    fn level(&mut self, level: usize) -> Option<Fraction> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let operand = |reader: &mut Self| match level + 1 {
            SUM => reader.negation(),
            tighter => reader.level(tighter),
        };
        let mut value = operand(self)?;
        while let Some(operator) = self.takes(operators) {
            value = value.combined(operator, operand(self)?)?;
        }
        Some(value)
    }

    /// `not 2 <= a <= 100`
    fn negation(&mut self) -> Option<Fraction> {
        let mut is_negated = false;
        while self.takes(&["not"]).is_some() {
            is_negated = !is_negated;
        }
        let mut left = self.level(SUM)?;
        let mut all = None;
        while let Some(sign) = self.takes(&COMPARISONS) {
            let right = self.level(SUM)?;
            all = Some(all.unwrap_or(true) && left.combined(sign, right)?.is_true());
            left = right;
        }
        let value = all.map_or(left, Fraction::of);
        Some(if is_negated { Fraction::of(!value.is_true()) } else { value })
    }

    /// `-a**2`
    fn signed(&mut self) -> Option<Fraction> {
        let mut is_negative = false;
        while let Some(sign) = self.takes(&["-", "+"]) {
            is_negative ^= sign == "-";
        }
        let mut value = self.operand()?;
        if let Some(power) = self.takes(&["**"]) {
            value = value.combined(power, self.operand()?)?;
        }
        if is_negative { Fraction::of(0).combined("-", value) } else { Some(value) }
    }

    /// A number, a size, a call or an expression in brackets.
    fn operand(&mut self) -> Option<Fraction> {
        let token = self.rest().first()?;
        if token.kind == TokenKind::Name && (token.is("L") || token.is("G")) {
            return self.size(token.start);
        }
        self.at += 1;
        match token.kind {
            TokenKind::Open if token.is("(") => {
                let value = self.expression()?;
                self.takes(&[")"]).map(|_| value)
            }
            TokenKind::Number => Fraction::read(token.text),
            TokenKind::Name if token.is("True") || token.is("False") => Some(Fraction::of(token.is("True"))),
            TokenKind::Name => self.call(token.text),
            _ => None,
        }
    }

    /// `L['x'].size()[0]`
    fn size(&mut self, start: usize) -> Option<Fraction> {
        loop {
            self.at += 1;
            let rest = self.rest();
            let first = rest.first()?;
            match asked(rest) {
                // torch writes no `.shape` in relations.
                Some(asked) if !rest.get(1)?.is("shape") => {
                    self.at += asked.tokens;
                    return (self.lookup)(asked.of_source(self.text.get(start..first.start)?))
                        .map(Fraction::of);
                }
                _ if first.is(".") && rest.get(1)?.kind == TokenKind::Name => self.at += 1,
                _ if first.is("[") => {
                    self.at += rest.iter().position(|token| token.is("]") && token.depth == first.depth)?;
                }
                _ => return None,
            }
        }
    }

    /// `Mod(a, b)`, `math.floor(a)`
    fn call(&mut self, mut name: &'t str) -> Option<Fraction> {
        while self.takes(&["."]).is_some() {
            name = self.rest().first().filter(|token| token.kind == TokenKind::Name)?.text;
            self.at += 1;
        }
        self.takes(&["("])?;
        let mut arguments = Vec::new();
        while self.takes(&[")"]).is_none() {
            arguments.push(self.expression()?);
            if self.takes(&[","]).is_none() {
                self.takes(&[")"])?;
                break;
            }
        }
        function(name, &arguments)
    }
}

/// The functions that torch prints in guards.
fn function(name: &str, arguments: &[Fraction]) -> Option<Fraction> {
    let operator = match name {
        "Mod" | "PythonMod" => "%",
        "FloorDiv" => "//",
        "CleanDiv" | "IntTrueDiv" | "FloatTrueDiv" | "CeilDiv" => "/",
        "max" | "Max" | "Gt" => ">",
        "min" | "Min" | "Lt" => "<",
        "Eq" => "==",
        "Ne" => "!=",
        "Le" => "<=",
        "Ge" => ">=",
        _ => "",
    };
    match (name, arguments) {
        ("floor" | "FloorToInt" | "int", [one]) => Some(one.floor()),
        ("ceil" | "ceiling" | "CeilToInt", [one]) => one.ceiling(),
        ("ToFloat" | "Identity", [one]) => Some(*one),
        ("max" | "Max" | "min" | "Min", [first, others @ ..]) => {
            others.iter().try_fold(*first, |kept, one| {
                let is_beyond = one.combined(operator, kept)?.is_true();
                Some(if is_beyond { *one } else { kept })
            })
        }
        ("CeilDiv", [left, right]) => left.combined(operator, *right)?.ceiling(),
        (_, [left, right]) => left.combined(operator, *right),
        _ => None,
    }
}

/// The largest exponent that is evaluated.
const LARGEST_EXPONENT: i128 = 64;

/// A fraction; its denominator is positive. All arithmetic is None where a number becomes too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction {
    above: i128,
    below: i128,
}

impl Fraction {
    /// A whole number; True and False as Python counts them.
    fn of(value: impl Into<i128>) -> Fraction {
        Fraction { above: value.into(), below: 1 }
    }

    /// `12`, `0.5`; None for other forms.
    fn read(text: &str) -> Option<Fraction> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{decimals}");
        let is_plain = digits.len() <= 30 && digits.bytes().all(|b| b.is_ascii_digit());
        let below = 10_i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        Fraction::reduced(digits.parse().ok().filter(|_| is_plain)?, below)
    }

    /// None for a division by zero.
    fn reduced(above: i128, below: i128) -> Option<Fraction> {
        let (mut divisor, mut rest) = (above.checked_abs()?, below.checked_abs()?);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let divisor = if below < 0 { -divisor } else { divisor };
        (below != 0).then(|| Fraction { above: above / divisor, below: below / divisor })
    }

    /// Whether Python takes it for true.
    fn is_true(self) -> bool {
        self.above != 0
    }

    /// What an operator makes of two numbers; of conditions, True or False.
    fn combined(self, sign: &str, other: Fraction) -> Option<Fraction> {
        let order = || Some(self.combined("-", other)?.above.cmp(&0));
        match sign {
            "+" => {
                let [left, right] =
                    [self.above.checked_mul(other.below)?, other.above.checked_mul(self.below)?];
                Fraction::reduced(left.checked_add(right)?, self.below.checked_mul(other.below)?)
            }
            "-" => self.combined("+", Fraction { above: other.above.checked_neg()?, ..other }),
            "*" => {
                Fraction::reduced(self.above.checked_mul(other.above)?, self.below.checked_mul(other.below)?)
            }
            "/" => {
                Fraction::reduced(self.above.checked_mul(other.below)?, self.below.checked_mul(other.above)?)
            }
            "//" => Some(self.combined("/", other)?.floor()),
            // The remainder has the sign of the divisor, as in Python.
            "%" => self.combined("-", other.combined("*", self.combined("//", other)?)?),
            "**" if other.below == 1 && (0..=LARGEST_EXPONENT).contains(&other.above) => {
                (0..other.above).try_fold(Fraction::of(1), |power, _| power.combined("*", self))
            }
            "or" | "|" => Some(Fraction::of(self.is_true() || other.is_true())),
            "and" | "&" => Some(Fraction::of(self.is_true() && other.is_true())),
            "==" => Some(Fraction::of(order()?.is_eq())),
            "!=" => Some(Fraction::of(order()?.is_ne())),
            "<=" => Some(Fraction::of(order()?.is_le())),
            ">=" => Some(Fraction::of(order()?.is_ge())),
            "<" => Some(Fraction::of(order()?.is_lt())),
            ">" => Some(Fraction::of(order()?.is_gt())),
            _ => None,
        }
    }

    /// The largest whole number that is not larger.
    fn floor(self) -> Fraction {
        Fraction::of(self.above.div_euclid(self.below))
    }

    /// The smallest whole number that is not smaller.
    fn ceiling(self) -> Option<Fraction> {
        let floor = self.floor();
        if floor == self { Some(floor) } else { floor.combined("+", Fraction::of(1)) }
    }
}
