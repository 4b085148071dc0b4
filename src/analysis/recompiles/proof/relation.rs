//! Evaluates relations that guards require: `L['hi'].size()[0] == 2*L['lo'].size()[0]`, `Mod(s, 8) == 0`.
//!
//! torch prints them as Python with a few functions of sympy. What this reader does not know, it says so: then the
//! guard proves nothing.

use super::number::Number;
use crate::analysis::recompiles::tokens::{Token, TokenKind, tokens};

/// Why a relation has no value here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unknown;

/// Tokens of a relation that is read; torch's have some tens.
const MOST_TOKENS: usize = 2_000;

/// Brackets within brackets.
const DEEPEST: usize = 40;

/// A size or stride in a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place<'t> {
    /// The tensor as torch writes it: `L['x']`.
    pub source: &'t str,
    /// Whether it is a stride.
    pub is_stride: bool,
    /// The dimension.
    pub dimension: usize,
}

/// Whether a relation holds, with the sizes and strides that `lookup` knows.
pub(super) fn holds(text: &str, lookup: &dyn Fn(Place<'_>) -> Option<i64>) -> Result<bool, Unknown> {
    let tokens = tokens(text);
    if tokens.is_empty() || tokens.len() > MOST_TOKENS {
        return Err(Unknown);
    }
    let mut reader = Reader { text, tokens: &tokens, at: 0, depth: 0, lookup };
    let value = reader.disjunction()?;
    if reader.at < tokens.len() { Err(Unknown) } else { Ok(value.is_true()) }
}

/// Reads an expression from left to right, and evaluates it.
struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    lookup: &'t dyn Fn(Place<'_>) -> Option<i64>,
}

impl<'t> Reader<'t> {
    fn token(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    fn is(&self, text: &str) -> bool {
        self.token().is_some_and(|token| token.is(text))
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_next = self.is(text);
        self.at += usize::from(is_next);
        is_next
    }

    fn needs(&mut self, text: &str) -> Result<(), Unknown> {
        if self.takes(text) { Ok(()) } else { Err(Unknown) }
    }

    /// `a or b`, `a | b`
    fn disjunction(&mut self) -> Result<Number, Unknown> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Unknown);
        }
        let mut value = self.conjunction()?;
        while self.takes("or") || self.takes("|") {
            let other = self.conjunction()?;
            value = Number::of_flag(value.is_true() || other.is_true());
        }
        self.depth -= 1;
        Ok(value)
    }

    /// `a and b`, `a & b`
    fn conjunction(&mut self) -> Result<Number, Unknown> {
        let mut value = self.negation()?;
        while self.takes("and") || self.takes("&") {
            let other = self.negation()?;
            value = Number::of_flag(value.is_true() && other.is_true());
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Number, Unknown> {
        let mut is_negated = false;
        while self.takes("not") {
            is_negated = !is_negated;
        }
        let value = self.comparison()?;
        Ok(if is_negated { Number::of_flag(!value.is_true()) } else { value })
    }

    /// `2 <= a <= 100`
    fn comparison(&mut self) -> Result<Number, Unknown> {
        let mut left = self.sum()?;
        let mut all = None;
        while let Some(sign) = self.token().filter(|token| is_comparison(token)) {
            self.at += 1;
            let right = self.sum()?;
            all = Some(all.unwrap_or(true) && compares(sign.text, left, right)?);
            left = right;
        }
        Ok(all.map_or(left, Number::of_flag))
    }

    fn sum(&mut self) -> Result<Number, Unknown> {
        let mut value = self.product()?;
        loop {
            value = if self.takes("+") {
                value.plus(self.product()?)
            } else if self.takes("-") {
                value.minus(self.product()?)
            } else {
                return Ok(value);
            }
            .ok_or(Unknown)?;
        }
    }

    fn product(&mut self) -> Result<Number, Unknown> {
        let mut value = self.signed()?;
        loop {
            value = if self.takes("*") {
                value.times(self.signed()?)
            } else if self.takes("//") {
                value.over(self.signed()?).and_then(Number::floor)
            } else if self.takes("/") {
                value.over(self.signed()?)
            } else if self.takes("%") {
                value.modulo(self.signed()?)
            } else {
                return Ok(value);
            }
            .ok_or(Unknown)?;
        }
    }

    fn signed(&mut self) -> Result<Number, Unknown> {
        let mut is_negative = false;
        loop {
            if self.takes("-") {
                is_negative = !is_negative;
            } else if !self.takes("+") {
                break;
            }
        }
        let value = self.power()?;
        if is_negative { Number::of(0).minus(value).ok_or(Unknown) } else { Ok(value) }
    }

    fn power(&mut self) -> Result<Number, Unknown> {
        let base = self.operand()?;
        if !self.takes("**") {
            return Ok(base);
        }
        let exponent = self.operand()?;
        base.power(exponent).ok_or(Unknown)
    }

    /// A number, a size, a call or an expression in brackets.
    fn operand(&mut self) -> Result<Number, Unknown> {
        let token = self.token().ok_or(Unknown)?;
        if token.is("(") {
            self.at += 1;
            let value = self.disjunction()?;
            self.needs(")")?;
            return Ok(value);
        }
        match token.kind {
            TokenKind::Number => {
                self.at += 1;
                Number::read(token.text).ok_or(Unknown)
            }
            TokenKind::Name if token.is("True") || token.is("False") => {
                self.at += 1;
                Ok(Number::of_flag(token.is("True")))
            }
            TokenKind::Name if token.is("L") || token.is("G") => self.variable(),
            TokenKind::Name => self.call(token.text),
            _ => Err(Unknown),
        }
    }

    /// `L['x'].size()[0]`
    fn variable(&mut self) -> Result<Number, Unknown> {
        let start = self.token().map(|token| token.start).ok_or(Unknown)?;
        self.at += 1;
        loop {
            let rest = self.tokens.get(self.at..).unwrap_or_default();
            match rest {
                [dot, name, open, close, left, number, right, ..]
                    if dot.is(".")
                        && (name.is("size") || name.is("stride"))
                        && open.is("(")
                        && close.is(")")
                        && left.is("[")
                        && right.is("]") =>
                {
                    let source = self.text.get(start..dot.start).ok_or(Unknown)?;
                    let dimension = number.text.parse().map_err(|_| Unknown)?;
                    self.at += 7;
                    let place = Place { source, is_stride: name.is("stride"), dimension };
                    return (self.lookup)(place).map(Number::of).ok_or(Unknown);
                }
                [dot, name, ..] if dot.is(".") && name.kind == TokenKind::Name => self.at += 2,
                [open, ..] if open.is("[") => {
                    let depth = open.depth;
                    let close = rest.iter().position(|token| token.is("]") && token.depth == depth);
                    self.at += close.ok_or(Unknown)? + 1;
                }
                _ => return Err(Unknown),
            }
        }
    }

    /// `Mod(a, b)`, `math.floor(a)`
    fn call(&mut self, name: &'t str) -> Result<Number, Unknown> {
        self.at += 1;
        let mut name = name;
        while self.takes(".") {
            name = self.token().filter(|token| token.kind == TokenKind::Name).ok_or(Unknown)?.text;
            self.at += 1;
        }
        self.needs("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(self.disjunction()?);
            if !self.takes(",") {
                self.needs(")")?;
                break;
            }
        }
        function(name, &arguments).ok_or(Unknown)
    }
}

fn is_comparison(token: &Token<'_>) -> bool {
    ["==", "!=", "<=", ">=", "<", ">"].iter().any(|sign| token.is(sign))
}

fn compares(sign: &str, left: Number, right: Number) -> Result<bool, Unknown> {
    let order = left.order(right).ok_or(Unknown)?;
    Ok(match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "<" => order.is_lt(),
        _ => order.is_gt(),
    })
}

/// The functions that torch prints in guards.
fn function(name: &str, arguments: &[Number]) -> Option<Number> {
    let compared = |sign| match arguments {
        [left, right] => compares(sign, *left, *right).ok().map(Number::of_flag),
        _ => None,
    };
    match (name, arguments) {
        ("Mod" | "PythonMod", [left, right]) => left.modulo(*right),
        ("FloorDiv", [left, right]) => left.over(*right)?.floor(),
        ("CleanDiv" | "IntTrueDiv" | "FloatTrueDiv", [left, right]) => left.over(*right),
        ("CeilDiv", [left, right]) => left.over(*right)?.ceiling(),
        ("floor" | "FloorToInt" | "int", [one]) => one.floor(),
        ("ceil" | "ceiling" | "CeilToInt", [one]) => one.ceiling(),
        ("ToFloat" | "Identity", [one]) => Some(*one),
        ("max" | "Max", [first, others @ ..]) => others
            .iter()
            .try_fold(*first, |most, one| Some(if one.order(most)?.is_gt() { *one } else { most })),
        ("min" | "Min", [first, others @ ..]) => others
            .iter()
            .try_fold(*first, |least, one| Some(if one.order(least)?.is_lt() { *one } else { least })),
        ("Eq", _) => compared("=="),
        ("Ne", _) => compared("!="),
        ("Le", _) => compared("<="),
        ("Ge", _) => compared(">="),
        ("Lt", _) => compared("<"),
        ("Gt", _) => compared(">"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_sizes(text: &str) -> Result<bool, Unknown> {
        holds(text, &|place| {
            let list = match (place.source, place.is_stride) {
                ("L['x']", false) => [6, 12],
                ("L['x']", true) => [12, 1],
                ("L['self']._buffers['y']", false) => [3, 1],
                ("L['cache'][0][1]", false) => [24, 8],
                _ => return None,
            };
            list.get(place.dimension).copied()
        })
    }

    #[test]
    fn relations_are_evaluated_as_python_does() {
        for text in [
            "2 <= L['x'].size()[0] <= 100",
            "L['x'].size()[0] == 2*L['self']._buffers['y'].size()[0]",
            "(L['x'].size()[1] % 4) == 0",
            "Mod(L['x'].size()[1], 4) == 0",
            "L['x'].stride()[0] == L['x'].size()[1]",
            "-7 // 2 == -4 and -7 % 3 == 2",
            "floor(L['x'].size()[0]/4) == 1",
            "((L['x'].size()[0] + 1)//2)*2 == L['x'].size()[0] or 1 > 2",
            "not L['x'].size()[0] > 6",
            "Max(1, L['x'].size()[0]) == 6 and 2**3 == 8",
            "L['cache'][0][1].size()[0] == 4*L['x'].size()[0]",
            "Eq(Mod(L['x'].size()[0], 2), 0)",
        ] {
            assert_eq!(with_sizes(text), Ok(true), "{text}");
        }
        for text in
            ["L['x'].size()[0] != 6", "2 <= L['self']._buffers['y'].size()[1]", "4*L['x'].size()[0] < 24"]
        {
            assert_eq!(with_sizes(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_said_and_never_taken_for_true() {
        for text in [
            "",
            "L['z'].size()[0] == 3",
            "L['x'].size()[9] == 3",
            "L['x'].storage_offset() == 0",
            "somefunction(L['x'].size()[0]) == 3",
            "L['x'].size()[0] == 3 3",
            "L['x'].size()[0] / 0 == 1",
            "99999999999999999999999999999999999999999 > 1",
            "9223372036854775807**9 > 1",
            "2 <= ",
        ] {
            assert_eq!(with_sizes(text), Err(Unknown), "{text}");
        }
        assert_eq!(with_sizes(&"(".repeat(100_000)), Err(Unknown));
        let deep = format!("{}1{} == 1", "(".repeat(500), ")".repeat(500));
        assert_eq!(with_sizes(&deep), Err(Unknown));
    }
}
