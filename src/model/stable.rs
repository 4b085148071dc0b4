//! Texts of a log without what differs between processes that do the same.

use std::hash::Hasher;

/// This many digits in a row can only be an address or the id of an object.
const ADDRESS_DIGITS: usize = 11;

/// The same for digits after `0x`.
const HEX_DIGITS: usize = 6;

/// The text before the number of a device, which each rank has of its own.
const DEVICES: [&str; 4] = ["cuda:", "xpu:", "npu:", "hpu:"];

/// The text without what differs between processes that do the same: addresses and ids of objects.
pub fn stable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    stable_pieces(text, |piece| kept.push_str(piece));
    kept
}

/// The same without the numbers of devices, `cuda:1`, for a hash.
pub fn hash_stable(text: &str, hasher: &mut impl Hasher) {
    let mut is_device = false;
    stable_pieces(text, |piece| {
        if !is_device {
            hasher.write(piece.as_bytes());
        }
        is_device = DEVICES.iter().any(|device| piece.ends_with(device));
    });
}

/// Gives the text in pieces: each number is a piece of its own.
fn stable_pieces(text: &str, mut take: impl FnMut(&str)) {
    let has_ids = text.contains("___check_");
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        take(before);
        let hex = digits.strip_prefix("0x");
        let (run, least) = match hex {
            Some(hex) => (hex, HEX_DIGITS),
            None => (digits, ADDRESS_DIGITS),
        };
        let is_digit = |c: char| if hex.is_some() { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        let length = run.find(|c: char| !is_digit(c)).unwrap_or(run.len());
        let end = digits.len() - run.len() + length;
        let (number, after) = digits.split_at(end);
        // Python may be built so that addresses of objects are short.
        let is_id = has_ids && before.ends_with(", ") && after.starts_with(')');
        take(if length >= least || is_id { "…" } else { number });
        rest = after;
    }
    take(rest);
}
