//! Characters that nobody sees: whatever shows text of a log to a person or an assistant spells them out.

use crate::assistants::Session;
use crate::support::{Log, Run, input, report};
use regex::Regex;
use serde_json::{Value, json};

/// Marks that change the direction of text, spaces without a width, a tag, a variation and controls of a terminal.
const HIDDEN: &str = "\u{61c}\u{200b}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{e0041}\u{e0101}\u{7f}\u{9b}";

/// The first of them in a text.
fn hidden(text: &str) -> Option<char> {
    text.chars().find(|c| HIDDEN.contains(*c))
}

/// A log with hidden characters in names of files and functions, in the titles of findings, and in code.
fn log() -> Vec<u8> {
    let mut log = Log::of(input("03_graph_breaks"));
    for record in &mut log.records {
        let header = String::from_utf8(record.header.clone()).unwrap();
        let header = header.replace("/app/s03_", &format!("/app/{HIDDEN}s03_"));
        record.header = header.replace("\"inner_print\"", &format!("\"inner{HIDDEN}_print\"")).into_bytes();
        if !record.payload.is_empty() {
            let text = String::from_utf8(record.text()).unwrap();
            let text = text.replace("/app/s03_", &format!("/app/{HIDDEN}s03_"));
            // Of a break whose cause is known, titles have the cause in place of torch's words.
            let text = text.replace("`print`", "`show`").replace("builtin print", "builtin show");
            let text = text.replace("Failed to trace builtin", &format!("Failed to {HIDDEN} trace builtin"));
            let text = text.replace("y = x + 1", &format!("y = x + 1  # {HIDDEN}"));
            record.set_payload(text.as_bytes());
        }
    }
    log.bytes()
}

/// The texts in JSON, as a viewer shows them.
fn strings(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(all) => all.iter().map(strings).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}\n{}", strings(value))).collect()
        }
        _ => String::new(),
    }
}

#[test]
fn a_report_shows_no_hidden_character_as_it_is_and_marks_those_of_code() {
    let report = Run::of_bytes("hidden.log", &log()).args(["-v"]).ok();
    assert_eq!(hidden(&report.stdout), None, "{}", report.stdout);
    assert!(report.stdout.contains("\\u{202e}"), "{}", report.stdout);
    let summary = report.read("report.md");
    assert!(hidden(&summary).is_none() && summary.contains("\\u{202e}"), "{summary}");
    let marked = Regex::new("<span class=\"unseen\" data-code=\"[0-9a-f]+\">.</span>").unwrap();
    let mut marks = 0;
    for page in report.pages() {
        let text = report.read(&page);
        marks += marked.find_iter(&text).count();
        let without = marked.replace_all(&text, "");
        let at = without.find(|c| HIDDEN.contains(c));
        let around = at.map(|at| without[..at].chars().rev().take(200).collect::<String>());
        let around = around.map(|around| around.chars().rev().collect::<String>());
        assert_eq!(around, None, "{page}");
    }
    assert!(marks >= HIDDEN.chars().count(), "{marks}");
    // What is marked is copied as it is.
    let code =
        report.pages().into_iter().find(|page| report.read(page).contains("class=\"unseen\"")).unwrap();
    assert!(report.page(&code).text().contains('\u{202e}'), "{code}");
    let mut texts = report.manifest().into_iter().filter(|file| file.ends_with(".txt"));
    assert!(texts.any(|file| report.read(&file).contains(HIDDEN)), "files have the bytes of the log");
}

#[test]
fn no_format_lets_a_hidden_character_through_also_once_it_is_read() {
    let log = log();
    for format in ["text", "json", "markdown", "sarif", "junit", "github"] {
        let printed = Run::of_bytes("hidden.log", &log).args(["--format", format]).ok().stdout;
        assert_eq!(hidden(&printed), None, "{format}");
        let shown = match format {
            "sarif" => strings(&serde_json::from_str(&printed).unwrap()),
            "junit" => {
                let document = roxmltree::Document::parse(&printed).unwrap();
                let texts = document.descendants().flat_map(|node| {
                    node.text()
                        .map(str::to_owned)
                        .into_iter()
                        .chain(node.attributes().map(|a| a.value().to_owned()))
                });
                texts.collect()
            }
            // A program reads it, which may need the bytes.
            "json" => continue,
            _ => printed,
        };
        assert_eq!(hidden(&shown), None, "{format}: {shown}");
        assert!(shown.contains("\\u{202e}"), "{format}: {shown}");
    }
}

#[test]
fn show_and_assistants_are_told_what_nobody_sees() {
    let report = Run::of_bytes("hidden.log", &log()).ok();
    let folder = report.folder.display().to_string();
    for args in [
        &["breaks"][..],
        &["--json", "breaks"],
        &["--format", "jsonl", "breaks"],
        &["--format", "csv", "breaks"],
    ] {
        let shown = Run::bare().go_with(&[&["show"], args, &[&folder]].concat()).stdout;
        assert_eq!(hidden(&shown), None, "{args:?}: {shown}");
        assert!(shown.contains("202e"), "{args:?}: {shown}");
    }
    let mut session = Session::start();
    for (tool, arguments) in [
        ("open", json!({ "path": folder })),
        ("findings", json!({})),
        ("list", json!({ "what": "breaks" })),
        ("compile", json!({ "id": "1/0" })),
        ("search", json!({ "text": "y = x + 1" })),
        ("artifact", json!({ "compile": "1/0", "name": "dynamo_output_graph", "lines": 2000 })),
        ("check", json!({ "budget": "graph_breaks = 0" })),
        ("artifact", json!({ "compile": "1/0", "name": format!("gone{HIDDEN}") })),
    ] {
        let answer = session.ask(tool, arguments);
        let answer = answer.unwrap_or_else(|error| error);
        assert_eq!(hidden(&answer), None, "{tool}: {answer}");
        assert!(answer.contains("202e"), "{tool}: {answer}");
    }
    session.end();
}

#[test]
fn a_report_of_a_plain_log_has_no_mark() {
    let report = report("03_graph_breaks");
    assert!(report.pages().iter().all(|page| !report.read(page).contains("class=\"unseen\"")));
}
