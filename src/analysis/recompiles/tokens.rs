//! The tokens of a guard expression.
//!
//! torch writes most guards as Python: `___check_obj_id(L['self'].f, 7)`, `2 <= x.size()[0] <= 100`. Strings, brackets
//! and comments must be recognized to read them reliably, so every reader of guards starts here.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Name,
    /// `2`, `1e-05`
    Number,
    /// A string with its quotes and prefix.
    Text,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// Anything else that is not white space: `==`, `.`, `,`.
    Operator,
}

/// A token of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text.
    pub text: &'t str,
    /// Byte offset of its start.
    pub start: usize,
    /// Number of brackets around it.
    pub depth: usize,
}

impl Token<'_> {
    /// Byte offset of its end.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is that name, operator or bracket.
    pub fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Text && self.text == text
    }
}

/// Operators of more than one character, longest first.
const LONG_OPERATORS: [&str; 9] = ["==", "!=", "<=", ">=", "//", "**", "->", "<<", ">>"];

/// Splits an expression into tokens, up to a comment. Total: invalid Python also gives tokens, and an unterminated string
/// extends to the end.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if first == '#' {
            break;
        }
        let (kind, length) = read(rest, first);
        if kind == TokenKind::Close {
            depth = depth.saturating_sub(1);
        }
        found.push(Token { kind, text: rest.get(..length).unwrap_or(rest), start: at, depth });
        if kind == TokenKind::Open {
            depth += 1;
        }
        at += length;
    }
    found
}

/// Kind and length of the token at the start of `rest`.
fn read(rest: &str, first: char) -> (TokenKind, usize) {
    if let Some(length) = string_length(rest) {
        return (TokenKind::Text, length);
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return (TokenKind::Name, end);
    }
    if first.is_ascii_digit() {
        return (TokenKind::Number, number_length(rest));
    }
    let kind = match first {
        '(' | '[' | '{' => TokenKind::Open,
        ')' | ']' | '}' => TokenKind::Close,
        _ => TokenKind::Operator,
    };
    let long = LONG_OPERATORS.iter().find(|operator| rest.starts_with(**operator));
    (kind, long.map_or(first.len_utf8(), |operator| operator.len()))
}

/// `12`, `0.5`, `1e-05`, `0x1f`, `1_000`, `2j`.
fn number_length(rest: &str) -> usize {
    let mut last = ' ';
    let end = rest.find(|c: char| {
        let is_exponent_sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E') && !rest.starts_with("0x");
        let is_part = c.is_ascii_alphanumeric() || c == '.' || c == '_' || is_exponent_sign;
        last = c;
        !is_part
    });
    end.unwrap_or(rest.len())
}

/// Length of the string literal at the start, including its prefix.
fn string_length(rest: &str) -> Option<usize> {
    let prefix = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let is_prefix =
        rest.get(..prefix).is_some_and(|p| p.len() <= 2 && p.chars().all(|c| "rbfuRBFU".contains(c)));
    let body = rest.get(prefix..).filter(|_| is_prefix)?;
    let quote = body.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(prefix + at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn names_strings_numbers_brackets_and_operators_are_told_apart() {
        let text = "___check_obj_id(L['args'][0], 139717272483856)";
        assert_eq!(
            words(text),
            ["___check_obj_id", "(", "L", "[", "'args'", "]", "[", "0", "]", ",", "139717272483856", ")"]
        );
        assert_eq!(
            words("2 <= x.size()[0] <= 100"),
            ["2", "<=", "x", ".", "size", "(", ")", "[", "0", "]", "<=", "100"]
        );
        assert_eq!(words("c.eps == 1e-05"), ["c", ".", "eps", "==", "1e-05"]);
        assert_eq!(words("-k//2 != 3**4"), ["-", "k", "//", "2", "!=", "3", "**", "4"]);
    }

    #[test]
    fn a_string_may_hold_brackets_quotes_and_number_signs() {
        assert_eq!(words(r#"mode == 'a) # "b"' # comment"#), ["mode", "==", r#"'a) # "b"'"#]);
        assert_eq!(words(r"s == 'it\'s' "), ["s", "==", r"'it\'s'"]);
        assert_eq!(words("b == b'x'"), ["b", "==", "b'x'"]);
        assert_eq!(words("s == 'open ("), ["s", "==", "'open ("]);
    }

    #[test]
    fn depth_counts_the_brackets_around_a_token() {
        let depths: Vec<usize> = tokens("f(a[0])").into_iter().map(|token| token.depth).collect();
        assert_eq!(depths, [0, 0, 1, 1, 2, 1, 0]);
        assert_eq!(tokens(")) x").last().map(|token| token.depth), Some(0));
    }
}
