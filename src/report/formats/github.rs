//! Commands of GitHub's workflows: lines that it shows as annotations, at the line of the file where there is one.

use super::notice::Notice;
use crate::analysis::Severity;
use crate::report::words::kinds;
use crate::source_tree::SourceTree;

/// GitHub shows ten annotations of each level for a step and drops the others.
const MOST: usize = 10;

/// The worst of each level, as `::error file=..,line=..::message`.
pub(crate) fn github(notices: &[Notice], tree: &SourceTree) -> String {
    let levels = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "notice")];
    let mut text = String::new();
    for (level, command) in levels {
        for notice in notices.iter().filter(|notice| notice.level == level).take(MOST) {
            text.push_str(&line(command, notice, tree));
            text.push('\n');
        }
    }
    text
}

fn line(command: &str, notice: &Notice, tree: &SourceTree) -> String {
    let property = |name: &str, value: &str| format!("{name}={}", property(value));
    let mut properties = Vec::new();
    if let Some(file) = notice.file.as_deref().and_then(|file| tree.relative(file)) {
        properties.push(property("file", &file));
        properties.extend(notice.line.map(|line| format!("line={line}")));
    }
    let label = kinds::label(&notice.rule);
    properties.push(property("title", &format!("torch.compile: {label}")));
    format!("::{command} {}::{}", properties.join(","), data(&message(notice, tree)))
}

/// The message, which names the place if the annotation cannot be attached to it.
fn message(notice: &Notice, tree: &SourceTree) -> String {
    let outside = notice.file.as_deref().filter(|file| tree.relative(file).is_none());
    let line = notice.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = outside.map(|file| format!("\nAt {file}{line}")).unwrap_or_default();
    format!("{}{place}", notice.message())
}

/// Text behind the second pair of colons, as the runner reads it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property: colons and commas would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(level: Severity, title: &str, file: &str) -> Notice {
        Notice {
            rule: "graph_break".to_owned(),
            level,
            title: title.to_owned(),
            details: Vec::new(),
            file: Some(file.to_owned()),
            line: Some(7),
            cost: Some("27 ms wasted".to_owned()),
            page: None,
            fingerprint: String::new(),
        }
    }

    fn tree() -> (tempfile::TempDir, SourceTree) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a,b:c%.py"), "").unwrap();
        let tree = SourceTree::below(folder.path()).unwrap();
        (folder, tree)
    }

    #[test]
    fn what_would_end_a_command_or_begin_another_is_escaped() {
        let (_folder, tree) = tree();
        let hostile = notice(Severity::Error, "100%\r\n::set-env name=A::b", "/app/a,b:c%.py");
        let text = github(&[hostile], &tree);
        assert_eq!(text.lines().count(), 1, "{text}");
        let title = ["title", "torch.compile%3A Graph break"].join("=");
        assert!(text.starts_with(&format!("::error file=a%2Cb%3Ac%25.py,line=7,{title}::")), "{text}");
        assert!(text.contains("::100%25%0A::set-env name=A::b (27 ms wasted)\n"), "{text}");
    }

    #[test]
    fn ten_of_each_level_are_told() {
        let (_folder, tree) = tree();
        let many: Vec<Notice> = (0..25)
            .map(|n| notice(if n % 2 == 0 { Severity::Error } else { Severity::Warning }, "x", "/gone.py"))
            .collect();
        let text = github(&many, &tree);
        assert_eq!((text.matches("::error ").count(), text.matches("::warning ").count()), (10, 10));
        assert!(text.contains("%0AAt /gone.py:7"), "{text}");
    }
}
