//! Mistakes in a command line that clap does not see, each with a sentence that says what was meant.

use std::path::{Path, PathBuf};
use tlparse::Subject;
pub use tlparse::most_similar as similar;

/// The words of `tlparse show`.
pub fn subjects() -> impl Iterator<Item = &'static str> + Clone {
    Subject::lists().into_iter().chain(Subject::NAMED)
}

/// Whether a word can be a mistyped command: no file of that name is there, and it does not look like a path.
fn is_word(path: &Path) -> Option<&str> {
    let word = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    word.chars().all(|c| c.is_ascii_alphabetic()).then_some(word)
}

/// What is wrong with the paths of `tlparse PATH..`, given the names of all commands.
pub fn in_paths(paths: &[PathBuf], commands: &[String]) -> Option<String> {
    let first = paths.first()?;
    if let Some(word) = is_word(first) {
        let rest: String = paths.iter().skip(1).map(|path| format!(" {}", path.display())).collect();
        let meant = match subjects().any(|subject| subject == word) {
            true => Some(format!("show {word}")),
            false => similar(word, commands.iter().map(String::as_str)).map(str::to_owned),
        };
        if let Some(meant) = meant {
            return Some(format!("there is no file or command {word}; did you mean tlparse {meant}{rest}?"));
        }
    }
    match paths {
        [log, out] if log.exists() && out.symlink_metadata().is_err() && is_plain(out) => Some(format!(
            "cannot open {}: no such file or folder; to write the report there, pass -o {}",
            out.display(),
            out.display()
        )),
        _ => None,
    }
}

/// Whether it can be the name of a folder: no pattern, no address, and no file that was meant to be read.
fn is_plain(path: &Path) -> bool {
    path.extension().is_none() && !path.to_string_lossy().contains(['*', '?', '[', ':'])
}

/// What is wrong with the words of `tlparse show WHAT PATH` where the first is none that it knows.
pub fn in_subject(first: &str, rest: &str) -> Option<String> {
    if first.is_empty() || Path::new(first).exists() {
        return None;
    }
    let rest = if rest.is_empty() { String::new() } else { format!(" {rest}") };
    let is_id = first.contains('/')
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '_' | '[' | ']'));
    if is_id {
        return Some(format!("{first} is the id of a compile: tlparse show compile {first}{rest}"));
    }
    similar(first, subjects()).map(|meant| format!("unknown section `{first}`; did you mean `{meant}`?"))
}

/// What is wrong with a word behind the path of `tlparse show PATH WORD`.
pub fn behind_path(path: &str, word: &str) -> String {
    match similar(word, subjects()) {
        Some(meant) => format!("what is shown comes first: tlparse show {meant} {path}"),
        None => format!("unexpected argument `{word}`"),
    }
}
