//! Exceptions that torch's own exceptions quote.

/// An exception that the text of another one quotes.
#[derive(Debug, PartialEq, Eq)]
pub struct QuotedException<'t> {
    pub class: &'t str,
    pub message: &'t str,
}

/// The exception behind one that names the backend only: `backend='inductor' raised:`, then `RuntimeError: no kernel`.
pub fn raised_in_backend(text: &str) -> Option<QuotedException<'_>> {
    let (_, rest) = text.strip_prefix("backend=")?.split_once(" raised:\n")?;
    let (class, message) = rest.lines().next()?.split_once(": ")?;
    is_class(class).then_some(QuotedException { class, message })
}

fn is_class(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// The exception that the user's call raised, where torch only says that something was raised: `got RuntimeError('a and b
/// must have the same size')`, `raised exception ValueError('no')`.
pub fn quoted_exception(text: &str) -> Option<QuotedException<'_>> {
    let says_nothing = [
        "RuntimeError when making fake tensor call",
        "TypeError when making fake tensor call",
        "Observed exception",
        "Dynamo failed to run FX node",
    ];
    if !says_nothing.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let (_, rest) = text.split_once(": got ").or_else(|| text.split_once("raised exception "))?;
    let (class, rest) = rest.split_once('(')?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let message = rest.strip_prefix(quote)?;
    let message = message.get(..message.find(&format!("{quote})"))?)?;
    let message = message.split(". ").next().unwrap_or(message).trim_end_matches('.');
    (is_class(class) && !message.is_empty()).then_some(QuotedException { class, message })
}
