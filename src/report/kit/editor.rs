//! Links that open the reader's files in an editor.

use crate::hidden::is_hidden;
use crate::report::kit::markup::{close, open_data, script_json};
use crate::report::kit::urls::encoded;
use std::io::Write;

/// An address that opens a file in an editor, with the placeholders `{file}` and `{line}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    pattern: String,
}

/// Editors known by name.
const KNOWN: [(&str, &str); 2] =
    [("vscode", "vscode://file{file}:{line}"), ("pycharm", "pycharm://open?file={file}&line={line}")];

/// Schemes of addresses that run or contain a program.
const UNSAFE: [&str; 6] = ["javascript", "data", "vbscript", "blob", "about", "view-source"];

const FILE: &str = "{file}";
const LINE: &str = "{line}";

impl Editor {
    /// Reads `vscode`, `pycharm`, or an address with `{file}` and, optionally, `{line}`.
    ///
    /// # Errors
    /// A message for the terminal if it is not valid, or its scheme is not safe in a link.
    pub fn parse(text: &str) -> Result<Editor, String> {
        if let Some((_, pattern)) = KNOWN.iter().find(|(name, _)| *name == text) {
            return Ok(Editor { pattern: (*pattern).to_owned() });
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(format!("give vscode, pycharm, or an address such as {}", KNOWN[0].1));
        };
        let mut letters = scheme.chars();
        let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic());
        if !begins || !letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
            return Err(format!("{scheme:?} is not the scheme of an address"));
        }
        if UNSAFE.contains(&scheme.to_ascii_lowercase().as_str()) {
            return Err(format!("links to {scheme}: are not safe in a report"));
        }
        if !rest.contains(FILE) {
            return Err("the address needs {file} in place of the file's path".to_owned());
        }
        if text.chars().any(|c| is_hidden(c) || c.is_whitespace()) {
            return Err("the address must not contain spaces".to_owned());
        }
        Ok(Editor { pattern: text.to_owned() })
    }

    /// Writes the pattern as data for `editor.js`, which makes links to places. Nothing without an editor.
    pub(crate) fn write_pattern(editor: Option<&Editor>, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(editor) = editor else { return Ok(()) };
        open_data(out, "editor")?;
        out.write_all(script_json(&editor.pattern)?.as_bytes())?;
        Ok(close(out, "script")?)
    }

    /// The address of a line; None if it is not in a file on disk (`<string>`) or the path is relative.
    pub(crate) fn href(&self, file: &str, line: Option<u64>) -> Option<String> {
        let unix = file.replace('\\', "/");
        let path = match unix.as_bytes() {
            [b'/', ..] => unix,
            [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => format!("/{unix}"),
            _ => return None,
        };
        let line = line.unwrap_or(1).to_string();
        Some(self.pattern.replace(LINE, &line).replace(FILE, &encoded(&path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn href(editor: &str, file: &str) -> Option<String> {
        Editor::parse(editor).unwrap().href(file, Some(7))
    }

    #[test]
    fn an_editor_is_a_name_or_an_address_with_the_place_in_it() {
        assert_eq!(href("vscode", "/app/my model.py").unwrap(), "vscode://file/app/my%20model.py:7");
        assert_eq!(href("pycharm", "/app/m.py").unwrap(), "pycharm://open?file=/app/m.py&line=7");
        assert_eq!(href("vscode", "C:\\app\\m.py").unwrap(), "vscode://file/C%3A/app/m.py:7");
        let web = "https://example.org/blob/main{file}#L{line}";
        assert_eq!(href(web, "/m.py").unwrap(), "https://example.org/blob/main/m.py#L7");
    }

    #[test]
    fn a_file_name_cannot_leave_its_place_in_the_address() {
        let hostile = "/a\"onclick=alert(1)/{line}?x#y&z.py";
        let expected = "vscode://file/a%22onclick%3Dalert%281%29/%7Bline%7D%3Fx%23y%26z.py:7";
        assert_eq!(href("vscode", hostile).unwrap(), expected);
        for nowhere in ["<eval_with_key>.7", "<string>", "model.py", "", "javascript:alert(1)"] {
            assert_eq!(href("vscode", nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn addresses_that_would_run_something_are_refused() {
        for pattern in [
            "javascript:alert('{file}')",
            "JavaScript:{file}",
            "data:text/html,{file}",
            "vbscript:{file}",
            " javascript:{file}",
            "java\nscript:{file}",
            "{file}:{line}",
            "emacs",
            "vscode://file",
            "vscode://file {file}",
        ] {
            assert!(Editor::parse(pattern).is_err(), "{pattern:?}");
        }
    }
}
