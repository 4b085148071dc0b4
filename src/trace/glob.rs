//! Patterns such as `trace/*.log`, for shells that do not expand them, and for patterns in quotes.

use glob::{MatchOptions, Pattern, glob_with};
use std::path::{Path, PathBuf};

/// The files that a pattern means, by name; a path that exists, or is not a pattern, means itself.
pub fn expanded(path: &Path) -> Vec<PathBuf> {
    let text = path.to_string_lossy();
    if !is_pattern(&text) || Pattern::new(&text).is_err() || path.exists() {
        return vec![path.to_owned()];
    }
    // As in a shell, a hidden file has to be named; the crate would not list any.
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    let names_hidden = parts.any(|part| part.starts_with('.') && is_pattern(&part));
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: !names_hidden,
    };
    glob_with(&text, options).into_iter().flatten().flatten().collect()
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}
