//! Expressions that torch writes: guards, sizes and relations of sizes, as Python with a few functions of sympy.
//!
//! All queries start from the tokens, so that brackets, strings and comments mean the same to each. Some guards are no
//! Python (`KeyError on d['a']`, `c == <Color.RED: 1>`): a query takes what it knows and leaves the rest as it is.

mod relation;
mod tokens;
mod variables;

pub use relation::holds;
pub use tokens::{TokenKind, tokens};
pub use variables::{Property, SizeCondition, SizeOf, as_written, size_as_written, size_condition};

use tokens::Token;

/// A condition without the comment, hint and type that follow it.
pub fn condition(text: &str) -> &str {
    let text = text.lines().next().unwrap_or_default();
    let found = tokens(text);
    let mut pairs = found.iter().zip(found.iter().skip(1));
    let hint = pairs.find(|(open, hint)| open.is("(") && hint.is("HINT")).map(|(open, _)| open.start);
    let end = hint.or_else(|| found.last().map(Token::end)).unwrap_or(0);
    text.get(..end).unwrap_or(text).trim()
}

/// How a message about a tensor begins.
const TENSOR: &str = "tensor '";

/// A failed guard in the same form for all versions of torch: variables as in the program, no comment.
pub fn guard_as_written(text: &str) -> String {
    let text = condition(text);
    // A message quotes its tensor, and the name has quotes of its own: `tensor 'L['x']' size mismatch`.
    let quoted = text.strip_prefix(TENSOR).and_then(|rest| rest.split_once("' "));
    match quoted {
        Some((name, mismatch)) => format!("{TENSOR}{}' {mismatch}", as_written(name)),
        None => as_written(text),
    }
}

/// The class that torch 2.15 adds to an object check: `type=<class '__main__.Color'>`.
pub fn checked_class(text: &str) -> Option<&str> {
    let found = tokens(text);
    let mut pairs = found.iter().zip(found.iter().skip(1));
    let at = pairs.position(|(name, sign)| name.is("type") && sign.is("=") && name.depth == 0)?;
    let class = found.get(at + 2..)?.iter().find(|token| token.kind == TokenKind::Text)?;
    Some(class.text.trim_matches('\''))
}

/// A comparison, perhaps a chain of them: `2 <= n <= 100` has three operands and two operators.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison<'t> {
    /// What is compared, in order.
    pub operands: Vec<&'t str>,
    /// The operators between them: `==`, `is not`, `in`, ..
    pub operators: Vec<&'static str>,
}

impl<'t> Comparison<'t> {
    /// Left side, operator and right side, unless it is a chain.
    pub fn pair(&self) -> Option<(&'t str, &'static str, &'t str)> {
        match (self.operands.as_slice(), self.operators.as_slice()) {
            ([left, right], [operator]) => Some((left, operator, right)),
            _ => None,
        }
    }
}

/// Comparison operators, written with single spaces; those of two words before those of one.
const COMPARISONS: [&str; 10] = ["==", "!=", "<=", ">=", "<", ">", "is not", "not in", "is", "in"];

/// Reads a comparison outside of all brackets, if there is one.
pub fn comparison(text: &str) -> Option<Comparison<'_>> {
    let found = tokens(text);
    let mut read = Comparison::default();
    let mut start = 0;
    let mut rest = found.iter().peekable();
    while let Some(token) = rest.next() {
        if token.depth > 0 || token.kind == TokenKind::Text {
            continue;
        }
        // A condition joined by `and`, `or` or `if` is not one comparison.
        if ["and", "or", "if"].contains(&token.text) {
            return None;
        }
        let left = text.get(start..token.start)?.trim();
        // A value may be written in angle brackets: `c == <Color.RED: 1>`.
        if token.is("<") && left.is_empty() && !read.operands.is_empty() {
            break;
        }
        let next = rest.peek().map_or("", |next| next.text);
        let operator = COMPARISONS.iter().find(|sign| match sign.split_once(' ') {
            Some((first, second)) => first == token.text && second == next,
            None => **sign == token.text,
        });
        let Some(operator) = operator else { continue };
        read.operands.push(left);
        read.operators.push(operator);
        start = if operator.contains(' ') { rest.next()?.end() } else { token.end() };
    }
    read.operands.push(text.get(start..found.last()?.end())?.trim());
    let is_whole = !read.operators.is_empty() && read.operands.iter().all(|operand| !operand.is_empty());
    is_whole.then_some(read)
}

/// Name and arguments of a call that is the whole expression: `len(xs)`, `set.__contains__(s, 'a')`.
pub fn call(text: &str) -> Option<(&str, Vec<&str>)> {
    let found = tokens(text);
    let open = found.iter().position(|token| token.depth == 0 && token.is("("))?;
    let (name, [open, within @ .., close]) = found.split_at_checked(open)? else { return None };
    let callee = text.get(..open.start)?.trim();
    // `not f(a)` is not a call.
    let is_name = !callee.contains(' ')
        && !name.is_empty()
        && name.iter().all(|token| token.kind == TokenKind::Name || token.is("."));
    let closes = |token: &Token<'_>| token.depth == 0 && token.kind == TokenKind::Close;
    let is_whole = close.is(")") && closes(close) && !within.iter().any(closes);
    let arguments = text.get(open.end()..close.start)?;
    (is_name && is_whole).then(|| (callee, split(arguments, ",")))
}

/// The call that a check begins with: `___check_obj_id(L['c'], 1406), type=<class 'Color'>`.
pub fn check(text: &str) -> Option<(&str, Vec<&str>)> {
    call(split(text, ",").first()?)
}

/// Splits at a sign outside of all brackets; an empty text has no parts.
pub fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for token in tokens(text).iter().filter(|token| token.depth == 0 && token.is(sign)) {
        parts.extend(text.get(start..token.start));
        start = token.end();
    }
    parts.extend(text.get(start..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Removes brackets around the whole expression: `(x % 8)` is `x % 8`.
pub fn unwrapped(text: &str) -> &str {
    let found = tokens(text);
    // How many tokens have each number of brackets around them: within a pair around the whole, only the pair has its own.
    let mut at_depth: Vec<usize> = vec![0; found.len() + 1];
    for depth in found.iter().map(|token| token.depth) {
        at_depth.get_mut(depth).into_iter().for_each(|count| *count += 1);
    }
    let mut whole = text.trim();
    let mut inner = found.as_slice();
    while let [open, within @ .., close] = inner
        && open.is("(")
        && close.is(")")
        && !within.is_empty()
        && at_depth.get(open.depth) == Some(&2)
    {
        whole = text.get(open.end()..close.start).unwrap_or_default().trim();
        inner = within;
    }
    whole
}

#[cfg(test)]
mod tests;
