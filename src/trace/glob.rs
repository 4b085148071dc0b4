//! Patterns such as `trace/*.log`, for shells that do not expand them, and for patterns in quotes.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The files that a pattern means, by name; a path that exists, or has no `*`, `?` or `[`, means itself.
pub fn expanded(path: &Path) -> Vec<PathBuf> {
    if !is_pattern(&path.to_string_lossy()) || path.exists() {
        return vec![path.to_owned()];
    }
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        found = found.into_iter().flat_map(|folder| below(&folder, part)).collect();
    }
    found.sort();
    found
}

/// Whether a text has a sign that stands for others.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// What a part of the pattern means in a folder.
fn below(folder: &Path, part: Component<'_>) -> Vec<PathBuf> {
    let pattern = part.as_os_str().to_string_lossy();
    if !matches!(part, Component::Normal(_)) || !is_pattern(&pattern) {
        return vec![folder.join(part)];
    }
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let pattern: Vec<char> = pattern.chars().collect();
    let mut found = Vec::new();
    for entry in fs::read_dir(listed).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let text: Vec<char> = name.to_string_lossy().chars().collect();
        // As in a shell, a hidden file is named.
        if fits(&pattern, &text) && (text.first() != Some(&'.') || pattern.first() == Some(&'.')) {
            found.push(folder.join(name));
        }
    }
    found
}

/// Whether a name fits a pattern.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    // Where the last star stands, and how far the name is that it takes.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(in_name) {
        let rest = pattern.get(at..).unwrap_or_default();
        if rest.first() == Some(&'*') {
            star = Some((at, in_name));
            at += 1;
        } else if let Some(len) = fits_one(rest, *c) {
            at += len;
            in_name += 1;
        } else if let Some((star_at, taken)) = star {
            star = Some((star_at, taken + 1));
            (at, in_name) = (star_at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern.iter().skip(at).all(|c| *c == '*')
}

/// How many signs of the pattern stand for this character; None if it does not fit.
fn fits_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.split_first()? {
        ('?', _) => Some(1),
        ('[', rest) => {
            // A bracket right behind the first stands for itself.
            let is_not = rest.first().is_some_and(|first| matches!(first, '!' | '^'));
            let rest = if is_not { rest.get(1..)? } else { rest };
            let Some(end) = rest.iter().skip(1).position(|c| *c == ']') else {
                return (c == '[').then_some(1);
            };
            let set = rest.get(..=end)?;
            (holds(set, c) != is_not).then_some(3 + end + usize::from(is_not))
        }
        (literal, _) => (*literal == c).then_some(1),
    }
}

/// Whether a set such as `a-z0` holds a character.
fn holds(set: &[char], c: char) -> bool {
    match set {
        [from, '-', to, rest @ ..] => (*from <= c && c <= *to) || holds(rest, c),
        [one, rest @ ..] => *one == c || holds(rest, c),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fit(pattern: &str, name: &str) -> bool {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        fits(&chars(pattern), &chars(name))
    }

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, name) in [
            ("*.log", "a.log"),
            ("*", ""),
            ("a*b*c", "aXbYbZc"),
            ("rank_[0-3]_?.log", "rank_2_x.log"),
            ("[!a]", "b"),
            ("[]]x", "]x"),
            ("[", "["),
            ("**", "x"),
        ] {
            assert!(is_fit(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.log", "a.logs"), ("?", ""), ("[!a]", "a"), ("[0-3]", "4"), ("a*b", "ac")]
        {
            assert!(!is_fit(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_means_what_the_folder_holds() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.log", "a.log", ".c.log", "d.txt"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let names: Vec<_> = expanded(&dir.path().join("*.log"));
        assert_eq!(names, ["a.log", "b.log"].map(|name| dir.path().join(name)));
        assert!(expanded(&dir.path().join("*.gz")).is_empty());
        assert_eq!(expanded(Path::new("-")), [Path::new("-")]);
    }
}
