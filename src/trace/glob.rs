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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The names in a folder of some files that a pattern means.
    fn meant(pattern: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("rank_0")).unwrap();
        for name in ["b.log", "a.log", ".c.log", "d.txt", "aXbYbZc", "rank_2_x.log", "rank_0/e.log"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = expanded(&folder.path().join(pattern));
        let names = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap());
        names.map(|name| name.to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    fn a_pattern_means_what_it_means_in_a_shell() {
        for (pattern, names) in [
            ("*.log", &["a.log", "b.log", "rank_2_x.log"][..]),
            (".*.log", &[".c.log"]),
            ("?.log", &["a.log", "b.log"]),
            ("[!a].log", &["b.log"]),
            ("[a-c].log", &["a.log", "b.log"]),
            ("a*b*c", &["aXbYbZc"]),
            ("rank_[0-3]_?.log", &["rank_2_x.log"]),
            ("*/*.log", &["rank_0/e.log"]),
            ("*.gz", &[]),
            ("*.logs", &[]),
        ] {
            assert_eq!(meant(pattern), names, "{pattern}");
        }
    }

    #[test]
    fn what_exists_or_is_not_a_pattern_means_itself() {
        for path in ["-", "missing.log", "missing[.log"] {
            assert_eq!(expanded(Path::new(path)), [Path::new(path)]);
        }
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a[1].log");
        fs::write(&odd, "").unwrap();
        assert_eq!(expanded(&odd), [odd]);
    }
}
