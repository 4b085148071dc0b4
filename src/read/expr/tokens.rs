//! The tokens of an expression.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
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
pub struct Token<'t> {
    pub kind: TokenKind,
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
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    while let Some(rest) = text.get(start..)
        && let Some(first) = rest.chars().next().filter(|first| *first != '#')
    {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (kind, length) = first_token(rest, first);
        depth = depth.saturating_sub(usize::from(kind == TokenKind::Close));
        found.push(Token { kind, text: rest.get(..length).unwrap_or(rest), start, depth });
        depth += usize::from(kind == TokenKind::Open);
        start += length;
    }
    found
}

/// Kind and length of the token at the start of a text.
fn first_token(rest: &str, first: char) -> (TokenKind, usize) {
    if let Some(length) = string_length(rest) {
        return (TokenKind::Text, length);
    }
    match first {
        '(' | '[' | '{' => (TokenKind::Open, 1),
        ')' | ']' | '}' => (TokenKind::Close, 1),
        '0'..='9' => (TokenKind::Number, number_length(rest)),
        _ if first.is_alphabetic() || first == '_' => {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            (TokenKind::Name, end.unwrap_or(rest.len()))
        }
        _ => {
            let long = LONG_OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            (TokenKind::Operator, long.map_or(first.len_utf8(), |operator| operator.len()))
        }
    }
}

/// `12`, `0.5`, `1e-05`, `0x1f`, `1_000`, `2j`.
fn number_length(rest: &str) -> usize {
    let mut last = ' ';
    let end = rest.find(|c: char| {
        let is_exponent_sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E') && !rest.starts_with("0x");
        last = c;
        !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || is_exponent_sign)
    });
    end.unwrap_or(rest.len())
}

/// Length of the string literal at the start, including its prefix.
fn string_length(rest: &str) -> Option<usize> {
    let prefix = rest.bytes().take_while(|byte| b"rbfuRBFU".contains(byte)).count();
    let quote = rest.get(prefix..)?.chars().next().filter(|c| prefix <= 2 && matches!(c, '\'' | '"'))?;
    let mut is_escaped = false;
    let end = rest.get(prefix + 1..)?.find(|c: char| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    Some(end.map_or(rest.len(), |end| prefix + 1 + end + 1))
}
