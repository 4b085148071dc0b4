//! Words, names, arguments and symbols in pieces of Python, C++ and printed graphs.

/// Whether a character can be part of a name.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The runs of letters, digits and `_` in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// The name that a text ends with: `kernel` of `void kernel`. Empty if the text does not end with a name.
pub fn last_word(text: &str) -> &str {
    text.rsplit(|c| !is_word(c)).next().unwrap_or_default()
}

/// Whether the text is a single name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_word)
}

/// The arguments of a call, trimmed: the text between commas outside of brackets and quotes, up to the bracket that
/// closes the call. `text` starts behind the opening bracket.
pub fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut from) = (0_usize, None, 0);
    for (at, c) in text.char_indices().chain([(text.len(), ')')]) {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) if at < text.len() => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 && at < text.len() => depth -= 1,
            (None, ',') if depth > 0 => {}
            (_, ',' | ')' | ']' | '}') => {
                found.extend(text.get(from..at).map(str::trim).filter(|argument| !argument.is_empty()));
                from = at + 1;
                if c != ',' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// Where the bracket is that closes one which was opened before the text, if it is among the first `most` bytes.
pub fn closing(text: &str, [open, close]: [u8; 2], most: usize) -> Option<usize> {
    let mut depth = 1_usize;
    text.bytes().take(most).position(|byte| {
        depth += usize::from(byte == open);
        depth -= usize::from(byte == close);
        depth == 0
    })
}

/// Symbols in an expression: up to `most_letters` lower-case letters and a number, such as `s77`, `u0` and `zuf3`.
pub fn symbols(text: &str, most_letters: usize) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(move |word| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let letters = word.len() - digits.len();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number && (1..=most_letters).contains(&letters)
    })
}
