//! The way from one folder to another.

use std::path::{Component, Path};

/// The path from the folder `from`, which need not exist yet, to `to`: parts separated by `/`. None if there is none,
/// as between two drives, or where a name is not UTF-8.
pub fn relative(from: &Path, to: &Path) -> Option<String> {
    let to = std::fs::canonicalize(to).ok()?;
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    if shared == 0 {
        return None;
    }
    let up = from.iter().skip(shared).map(|_| Some(".."));
    let down = to.iter().skip(shared).map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = up.chain(down).collect();
    parts.map(|parts| if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}
