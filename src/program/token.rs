//! Random words that nobody else can know.

use anyhow::Context;

/// A new token.
pub fn token() -> anyhow::Result<String> {
    // 128 bits cannot be guessed.
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system provides no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
