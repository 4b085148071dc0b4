//! The names of the formats.

/// A form in which a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines for a terminal.
    Text,
    /// JSON.
    Json,
    /// Markdown of at most 60 KB, for a pull request or the summary of a job.
    Markdown,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, for test reports.
    Junit,
    /// Commands that GitHub shows as annotations of a run.
    Github,
}

impl Format {
    /// All, by the names that the command line knows.
    pub const ALL: [(&'static str, Format); 6] = [
        ("text", Format::Text),
        ("json", Format::Json),
        ("markdown", Format::Markdown),
        ("sarif", Format::Sarif),
        ("junit", Format::Junit),
        ("github", Format::Github),
    ];

    /// A result in this format without a control character that a terminal or a viewer would obey: names of files and
    /// titles may hold any. In JSON they are escaped as JSON does it; elsewhere as `\u{1b}`.
    pub(crate) fn printable(self, text: String) -> String {
        let is_plain = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\t');
        if text.chars().all(is_plain) {
            return text;
        }
        let escaped = |letter: char| match self {
            _ if is_plain(letter) => letter.to_string(),
            Format::Json | Format::Sarif => format!("\\u{:04x}", u32::from(letter)),
            _ => letter.escape_unicode().to_string(),
        };
        text.chars().map(escaped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_format_prints_a_control_character_and_json_stays_the_same_json() {
        let hostile = "/app/\u{1b}[31m\u{7f}\u{9b}2J.py";
        let json = serde_json::json!({ "file": hostile });
        let printed = Format::Sarif.printable(format!("{json:#}\n"));
        assert!(!printed.chars().any(|letter| letter.is_control() && letter != '\n'), "{printed:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), json);
        let printed = Format::Github.printable(format!("{hostile}\n"));
        assert_eq!(printed, "/app/\\u{1b}[31m\\u{7f}\\u{9b}2J.py\n");
        assert_eq!(Format::Text.printable("a\tb\n".to_owned()), "a\tb\n");
    }
}
