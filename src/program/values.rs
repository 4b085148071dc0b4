//! Values of options that several commands share.

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tlparse::{Format, SourceTree};

/// Whether there is a file or folder of this name.
pub fn is_there(path: &str) -> bool {
    Path::new(path).exists()
}

/// A folder that exists.
pub fn folder(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.is_dir() { Ok(path) } else { Err("not a folder".to_owned()) }
}

/// The report that is read if none is named: `tl_out`, or the newest run in `$TORCH_TRACE`.
pub fn usual_report() -> anyhow::Result<PathBuf> {
    const USUAL: &str = "tl_out";
    if Path::new(USUAL).is_dir() { Ok(PathBuf::from(USUAL)) } else { tlparse::default_input() }
}

/// A number of bytes: `500MB`, `1.5 GB`, `64g`, with units of 1024 bytes; a number alone is bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 500MB or 100GB".to_owned();
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let power = match unit.trim().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * 1024f64.powi(power);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is at least 1 and below 2^63"
    )]
    if (1.0..9.0e18).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// Reads the name of a format.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let of_name = |name: String| Format::ALL.into_iter().find(|(known, _)| *known == name);
    let parser = PossibleValuesParser::new(Format::ALL.map(|(name, _)| name));
    parser.try_map(move |name| of_name(name).map(|(_, format)| format).ok_or("no such format"))
}

/// The folder that source paths are relative to.
pub fn source_tree(root: Option<&Path>) -> anyhow::Result<SourceTree> {
    match root {
        Some(root) => SourceTree::below(root).with_context(|| format!("--root {}", root.display())),
        None => SourceTree::of_current_folder().context("the current folder cannot be read; pass --root"),
    }
}

/// The folder of the reader's sources; the git work tree around the current folder if none is named.
pub fn sources(folder: Option<&Path>) -> anyhow::Result<Arc<SourceTree>> {
    let tree = match folder {
        Some(folder) => SourceTree::below(folder).with_context(|| format!("--sources {}", folder.display())),
        None => SourceTree::of_current_folder()
            .context("the current folder cannot be read; name one: --sources DIR"),
    };
    tree.map(Arc::new)
}

/// The text of a file that an option names; `what` is what it should contain.
pub fn text_of(file: &Path, what: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {} as a {what}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units_of_1024_bytes() {
        let read = ["7", "1kb", "1.5 MB", "2GiB", "1t"].map(|text| bytes(text).unwrap());
        assert_eq!(read, [7, 1024, 3 << 19, 2 << 30, 1 << 40]);
        for text in ["", "0", "-1", "many", "1e9", "5 XB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
