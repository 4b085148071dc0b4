//! Random words that nobody else can know.

use anyhow::Context;
use std::fmt::Write;

/// Random bytes in a token: 128 bits cannot be guessed.
const BYTES: usize = 16;

/// A new token.
pub fn token() -> anyhow::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).context("the system provides no random numbers")?;
    let mut token = String::new();
    for byte in bytes {
        write!(token, "{byte:02x}")?;
    }
    Ok(token)
}
