//! Parts of guard expressions: comparisons, calls, and variables.

use super::tokens::{Token, TokenKind, tokens};

/// A condition without the comment, hint and type that follow it.
pub(super) fn condition(text: &str) -> &str {
    let text = text.lines().next().unwrap_or_default();
    let found = tokens(text);
    let is_hint = |pair: &[Token<'_>]| matches!(pair, [open, hint] if open.is("(") && hint.is("HINT"));
    let hint =
        found.windows(2).find(|pair| is_hint(pair)).and_then(|pair| pair.first()).map(|open| open.start);
    let end = hint.or_else(|| found.last().map(Token::end)).unwrap_or(0);
    text.get(..end).unwrap_or(text).trim()
}

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

/// How a message about a tensor begins.
const TENSOR: &str = "tensor '";

/// The class that torch 2.15 adds to an object check: `type=<class '__main__.Color'>`.
pub(super) fn checked_class(text: &str) -> Option<&str> {
    let found = tokens(text);
    let at = found.windows(2).position(
        |pair| matches!(pair, [name, sign] if name.is("type") && sign.is("=") && name.depth == 0),
    )?;
    let class = found.get(at + 2..)?.iter().find(|token| token.kind == TokenKind::Text)?;
    Some(class.text.trim_matches('\''))
}

/// A comparison, perhaps a chain of them: `2 <= n <= 100` has three operands and two operators.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Comparison<'t> {
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

/// Comparison operators, written with single spaces.
const COMPARISONS: [&str; 10] = ["==", "!=", "<=", ">=", "<", ">", "is not", "not in", "is", "in"];

/// Reads a comparison outside of all brackets, if there is one.
pub(super) fn comparison(text: &str) -> Option<Comparison<'_>> {
    let found = tokens(text);
    let mut read = Comparison { operands: Vec::new(), operators: Vec::new() };
    let mut start = 0;
    let mut at = 0;
    while let Some(token) = found.get(at) {
        let next = found.get(at + 1);
        let two = next.map(|next| format!("{} {}", token.text, next.text)).unwrap_or_default();
        let is_operator = token.depth == 0 && token.kind != TokenKind::Text;
        // A value may be written in angle brackets: `c == <Color.RED: 1>`.
        let is_value = is_operator
            && token.is("<")
            && !read.operands.is_empty()
            && token.start == next_word(text, start);
        if is_value {
            break;
        }
        let operator = COMPARISONS.iter().find(|sign| is_operator && (**sign == two || **sign == token.text));
        // A condition joined by `and`, `or` or `if` is not one comparison.
        if is_operator && token.kind == TokenKind::Name && ["and", "or", "if"].contains(&token.text) {
            return None;
        }
        let Some(operator) = operator else {
            at += 1;
            continue;
        };
        let tokens = if operator.contains(' ') { 2 } else { 1 };
        read.operands.push(text.get(start..token.start)?.trim());
        read.operators.push(operator);
        start = found.get(at + tokens - 1)?.end();
        at += tokens;
    }
    read.operands.push(text.get(start..found.last()?.end())?.trim());
    let is_whole = !read.operators.is_empty() && read.operands.iter().all(|operand| !operand.is_empty());
    is_whole.then_some(read)
}

/// The start of the next word.
fn next_word(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.len() - rest.trim_start().len()
}

/// Name and arguments of a call that is the whole expression: `len(xs)`, `set.__contains__(s, 'a')`.
pub(super) fn call(text: &str) -> Option<(&str, Vec<&str>)> {
    let found = tokens(text);
    let open = found.iter().position(|token| token.depth == 0 && token.is("("))?;
    let (open, close) = (found.get(open)?, found.last()?);
    let callee = text.get(..open.start)?.trim();
    // `not f(a)` is not a call.
    let is_name = !callee.contains(' ')
        && tokens(callee).iter().all(|token| token.kind == TokenKind::Name || token.is("."));
    let is_whole = close.is(")")
        && close.depth == 0
        && found.iter().filter(|token| token.depth == 0 && token.kind == TokenKind::Close).count() == 1;
    if callee.is_empty() || !is_name || !is_whole {
        return None;
    }
    Some((callee, split(text.get(open.end()..close.start)?, ",")))
}

/// Splits at a sign outside of all brackets; an empty text has no parts.
pub(super) fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
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
pub(super) fn unwrapped(text: &str) -> &str {
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

/// A variable as the user writes it: `L['x'].y` is `x.y`, `G['N']` is `N`, `c._modules['layers']._modules['0']` is
/// `c.layers[0]`. Everything else is unchanged.
pub fn as_written(text: &str) -> String {
    let text = text.trim();
    let found = tokens(text);
    let mut written = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    while at < found.len() {
        let before = at.checked_sub(1).and_then(|before| found.get(before));
        match replaced(found.get(at..).unwrap_or_default(), before) {
            Some((start, end, count, by)) => {
                written.push_str(text.get(copied..start).unwrap_or_default());
                written.push_str(&by);
                copied = end;
                at += count;
            }
            None => at += 1,
        }
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    written
}

/// Dictionaries of a module whose items are attributes of the module.
const PARTS: [&str; 4] = ["_modules", "_parameters", "_buffers", "__dict__"];

/// Start and end in the text, number of tokens, and what to write for a lookup at the start of `found`.
fn replaced(found: &[Token<'_>], before: Option<&Token<'_>>) -> Option<(usize, usize, usize, String)> {
    match found {
        [scope, open, key, close, ..]
            if (scope.is("L") || scope.is("G"))
                && open.is("[")
                && close.is("]")
                && before.is_none_or(|token| !token.is(".")) =>
        {
            let name = identifier(key)?;
            Some((scope.start, close.end(), 4, name.to_owned()))
        }
        [dot, part, open, key, close, ..]
            if dot.is(".") && PARTS.contains(&part.text) && open.is("[") && close.is("]") =>
        {
            let by = match identifier(key) {
                Some(name) => format!(".{name}"),
                None => format!("[{}]", number_in(key)?),
            };
            Some((dot.start, close.end(), 5, by))
        }
        _ => None,
    }
}

/// The identifier in a string literal.
fn identifier<'t>(token: &Token<'t>) -> Option<&'t str> {
    let name = token.text.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])?;
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (token.kind == TokenKind::Text && is_name).then_some(name)
}

/// The number in a string literal: the key of an item of a `ModuleList`.
fn number_in<'t>(token: &Token<'t>) -> Option<&'t str> {
    let number = token.text.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_ends_before_its_comment_hint_and_type() {
        assert_eq!(condition("k == 2      # return x  # a.py:8 in f"), "k == 2");
        assert_eq!(
            condition("self.step == 0       (HINT: torch.compile considers integers)"),
            "self.step == 0"
        );
        assert_eq!(condition("mode == 'a  # b'  # c"), "mode == 'a  # b'");
        assert_eq!(condition(""), "");
    }

    #[test]
    fn the_class_of_a_checked_object_is_read() {
        let text = "___check_obj_id(c, 140696905928208), type=<class '__main__.Color'>  # def f(c): ..";
        assert_eq!(checked_class(text), Some("__main__.Color"));
        assert_eq!(checked_class("___check_obj_id(c, 140405004484816)"), None);
        assert_eq!(checked_class("f(type='x')"), None);
    }

    #[test]
    fn comparisons_are_read_outside_of_brackets_only() {
        let read = |text| comparison(text).and_then(|c| c.pair());
        assert_eq!(read("L['d']['a == b'] == 1"), Some(("L['d']['a == b']", "==", "1")));
        assert_eq!(read("a.b is not None"), Some(("a.b", "is not", "None")));
        assert_eq!(read("'a' not in d"), Some(("'a'", "not in", "d")));
        assert_eq!(read("f(a == b)"), None);
        assert_eq!(read("a == 1 and b == 2"), None);
        assert_eq!(read("a =="), None);
        let chain = comparison("2 <= x.size()[0] <= 100").unwrap();
        assert_eq!(chain.operands, ["2", "x.size()[0]", "100"]);
        assert_eq!(chain.operators, ["<=", "<="]);
    }

    #[test]
    fn arguments_are_split_outside_of_brackets_and_strings() {
        assert_eq!(call("___check_obj_id(args[0], 7)"), Some(("___check_obj_id", vec!["args[0]", "7"])));
        assert_eq!(call("set.__contains__(s, 'a, b')"), Some(("set.__contains__", vec!["s", "'a, b'"])));
        assert_eq!(call("f((a, b), g(c, d))"), Some(("f", vec!["(a, b)", "g(c, d)"])));
        assert_eq!(call("f(a)(b)"), None);
        assert_eq!(call("f(a) + 1"), None);
        assert_eq!(call("not f(a)"), None);
    }

    #[test]
    fn brackets_around_the_whole_are_taken_off() {
        assert_eq!(unwrapped("((x % 8))"), "x % 8");
        assert_eq!(unwrapped("(a) + (b)"), "(a) + (b)");
        assert_eq!(unwrapped("()"), "()");
    }

    #[test]
    fn variables_are_written_as_the_user_writes_them() {
        let pairs = [
            ("L['x']", "x"),
            ("L['self'].config.b", "self.config.b"),
            ("G['GLOBAL']", "GLOBAL"),
            ("c._modules['layers']._modules['0'].eps", "c.layers[0].eps"),
            ("L['m']._parameters['weight']", "m.weight"),
            ("L['d']['k']", "d['k']"),
            ("model['L']", "model['L']"),
            ("x.L['y']", "x.L['y']"),
            ("L['a b']", "L['a b']"),
            ("list(L['d'].keys())[0]", "list(d.keys())[0]"),
            ("L['x", "L['x"),
        ];
        for (torch, written) in pairs {
            assert_eq!(as_written(torch), written);
        }
        for guard in ["L['___stack0'] == -0.5   # if y:  # x.py:1 in f", "___stack0 == -0.5"] {
            assert_eq!(guard_as_written(guard), "___stack0 == -0.5");
        }
        for guard in [
            "tensor 'L['x']' rank mismatch. expected 1, actual 2",
            "tensor 'x' rank mismatch. expected 1, actual 2",
        ] {
            assert_eq!(guard_as_written(guard), "tensor 'x' rank mismatch. expected 1, actual 2");
        }
    }
}
