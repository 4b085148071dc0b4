//! Texts of a log without what differs between processes that do the same.

/// This many digits in a row can only be an address or the id of an object.
const ADDRESS_DIGITS: usize = 11;

/// The same for digits after `0x`.
const HEX_DIGITS: usize = 6;

/// The text without what differs between processes that do the same: addresses and ids of objects.
pub fn stable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        kept.push_str(before);
        let hex = digits.strip_prefix("0x");
        let (run, least) = match hex {
            Some(hex) => (hex, HEX_DIGITS),
            None => (digits, ADDRESS_DIGITS),
        };
        let is_digit = |c: char| if hex.is_some() { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        let length = run.find(|c: char| !is_digit(c)).unwrap_or(run.len());
        let end = digits.len() - run.len() + length;
        let (number, after) = digits.split_at(end);
        kept.push_str(if length >= least { "…" } else { number });
        rest = after;
    }
    kept.push_str(rest);
    kept
}
