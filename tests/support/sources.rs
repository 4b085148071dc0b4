//! The source tree as the structural tests see it: every file is read and blanked once for all of them.

use super::{files_below, source, source_text};
use regex::Regex;
use std::sync::OnceLock;

/// A source file, with and without comments, texts and tests.
pub struct SourceFile {
    /// Below `src`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Code only: comments and texts are blank, tests are cut off. Lines stay where they are.
    pub code: String,
}

/// All files below `src`, without those that hold tests only.
pub fn sources() -> &'static [SourceFile] {
    static SOURCES: OnceLock<Vec<SourceFile>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let paths = files_below(&source("src"))
            .into_iter()
            .filter(|path| path.ends_with(".rs") && !path.ends_with("tests.rs") && !path.contains("tests/"));
        paths.map(|path| SourceFile::new(path.clone(), source_text(&format!("src/{path}")))).collect()
    })
}

impl SourceFile {
    /// A file of that content.
    pub fn new(path: String, text: String) -> SourceFile {
        static TESTS: OnceLock<Regex> = OnceLock::new();
        let tests = TESTS
            .get_or_init(|| Regex::new(r"(?m)^#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod \w+ \{").unwrap());
        let end = tests.find(&text).map_or(text.len(), |found| found.start());
        let code = blanked(&text[..end]);
        SourceFile { path, text, code }
    }
}

/// The code with comments, strings and characters replaced by spaces.
pub fn blanked(text: &str) -> String {
    static PARTS: OnceLock<Regex> = OnceLock::new();
    let parts = PARTS.get_or_init(|| {
        Regex::new(concat!(
            r#"(?s)//[^\n]*|/\*.*?\*/|b?r#"".*?"#,
            "\"#",
            r##"|b?r"[^"]*"|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'"##
        ))
        .unwrap()
    });
    parts
        .replace_all(text, |found: &regex::Captures<'_>| -> String {
            found[0].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect()
        })
        .into_owned()
}
