//! Generates the stored grammars from those of the crate, and compares both.

use super::*;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use syntect::parsing::syntax_definition::{Pattern, SyntaxDefinition};
use syntect::parsing::{ParseState, Regex, ScopeStack, SyntaxSetBuilder};

/// ASCII replacements of character classes within brackets. Negated classes within brackets are kept.
const IN_BRACKETS: [(&str, &str); 13] = [
    (r"\w", "a-zA-Z0-9_"),
    (r"\d", "0-9"),
    (r"\s", r"\t-\r "),
    ("[:alpha:]", "a-zA-Z"),
    ("[:alnum:]", "a-zA-Z0-9"),
    ("[:upper:]", "A-Z"),
    ("[:lower:]", "a-z"),
    ("[:digit:]", "0-9"),
    ("[:space:]", r"\t-\r "),
    (r"\p{L}", "a-zA-Z"),
    (r"\p{Lu}", "A-Z"),
    (r"\p{N}", "0-9"),
    (r"\p{Nd}", "0-9"),
];

/// The same outside of brackets.
const OUTSIDE: [(&str, &str); 10] = [
    (r"\w", "[a-zA-Z0-9_]"),
    (r"\W", "[^a-zA-Z0-9_]"),
    (r"\d", "[0-9]"),
    (r"\D", "[^0-9]"),
    (r"\s", r"[\t-\r ]"),
    (r"\S", r"[^\t-\r ]"),
    (r"\p{L}", "[a-zA-Z]"),
    (r"\p{Lu}", "[A-Z]"),
    (r"\p{N}", "[0-9]"),
    (r"\p{Nd}", "[0-9]"),
];

/// Options that ignore case, for a whole rule or a part.
const IGNORES_CASE: [&str; 3] = ["(?i)", "(?i:", "(?xi)"];

/// A rule that means the same for ASCII.
fn in_ascii(rule: &str) -> String {
    let with_comments = rule.contains("(?x");
    let (mut made, mut depth, mut rest) = (String::new(), 0, rule);
    while let Some(first) = rest.chars().next() {
        let known: &[(&str, &str)] = if depth > 0 { &IN_BRACKETS } else { &OUTSIDE };
        let length = if let Some((class, ascii)) = known.iter().find(|(class, _)| rest.starts_with(class)) {
            made.push_str(ascii);
            rest = &rest[class.len()..];
            continue;
        } else if first == '\\' {
            1 + rest.chars().nth(1).map_or(0, char::len_utf8)
        } else if depth > 0 && rest.starts_with("[:") {
            rest.find(":]").unwrap() + 2
        } else if first == '[' {
            depth += 1;
            // A `]` directly after the opening bracket is a member of the class.
            1 + usize::from(rest[1..].starts_with('^'))
                + usize::from(rest[1..].trim_start_matches('^').starts_with(']'))
        } else if depth == 0 && with_comments && first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            depth -= usize::from(depth > 0 && first == ']');
            first.len_utf8()
        };
        made.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    assert_eq!(depth, 0, "{rule}");
    // If a whole rule ignores case, it ignores only ASCII case.
    if IGNORES_CASE.iter().any(|option| made.contains(option)) { format!("(?I){made}") } else { made }
}

/// The numbers of all grammars reachable from a grammar.
fn named(value: &serde_json::Value, numbers: &mut BTreeSet<u64>) {
    match value {
        serde_json::Value::Object(fields) => {
            numbers.extend(fields.get("syntax_index").and_then(serde_json::Value::as_u64));
            fields.values().for_each(|value| named(value, numbers));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| named(value, numbers)),
        _ => {}
    }
}

/// The grammars of Python and C++ and all reachable ones, reduced to ASCII. The others keep only their numbers.
fn made() -> SyntaxSet {
    let all: Vec<SyntaxDefinition> = SyntaxSet::load_defaults_newlines().into_builder().syntaxes().to_vec();
    let is_wanted = |grammar: &SyntaxDefinition| matches!(&*grammar.name, "Python" | "C++");
    let mut wanted: BTreeSet<u64> =
        (0..).zip(&all).filter(|(_, grammar)| is_wanted(grammar)).map(|(number, _)| number).collect();
    loop {
        let before = wanted.len();
        for number in wanted.clone() {
            named(&serde_json::to_value(&all[number as usize]).unwrap(), &mut wanted);
        }
        if wanted.len() == before {
            break;
        }
    }
    let mut builder = SyntaxSetBuilder::new();
    for (number, mut grammar) in (0..).zip(all) {
        if !is_wanted(&grammar) {
            (grammar.name, grammar.file_extensions) = (String::new(), Vec::new());
        }
        (grammar.first_line_match, grammar.variables) = (None, HashMap::new());
        if !wanted.contains(&number) {
            grammar.contexts = HashMap::new();
        }
        for pattern in grammar.contexts.values_mut().flat_map(|context| &mut context.patterns) {
            if let Pattern::Match(pattern) = pattern {
                pattern.regex = Regex::new(in_ascii(pattern.regex.regex_str()));
            }
        }
        builder.add(grammar);
    }
    builder.build()
}

#[test]
fn the_stored_grammars_are_those_of_the_crate_reduced_to_ascii() {
    let scratch = tempfile::tempdir().unwrap();
    let new = scratch.path().join("grammars");
    syntect::dumps::dump_to_uncompressed_file(&made(), &new).unwrap();
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/kit/grammars.packdump");
    let new = std::fs::read(new).unwrap();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&stored, &new).unwrap();
    }
    assert!(std::fs::read(stored).unwrap() == new, "run this test with INSTA_UPDATE=always");
}

#[test]
fn classes_of_characters_become_those_of_ascii_and_nothing_else_changes() {
    assert_eq!(in_ascii(r"\b([[:alpha:]_]\w*)\s*(?=\()"), r"\b([a-zA-Z_][a-zA-Z0-9_]*)[\t-\r ]*(?=\()");
    assert_eq!(in_ascii(r"[^\]\\w\W][]\s]\\w"), r"[^\]\\w\W][]\t-\r ]\\w");
    assert_eq!(in_ascii(r"(?i)0x\h|[\p{L}\p{N}]\p{Lu}"), r"(?I)(?i)0x\h|[a-zA-Z0-9][A-Z]");
    assert_eq!(in_ascii("(?x) a # it's [ \n \\d"), "(?x) a # it's [ \n [0-9]");
}

/// Both grammars read the texts of a recorded log alike.
fn read_alike(extension: &str) {
    let (ascii, whole) = (of_ascii().unwrap(), of_any_text());
    let log = "tests/inputs/01_inference/dedicated_log_torch_trace_0d5xvg8u.log";
    let log = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(log)).unwrap();
    let start = |set: &SyntaxSet| ParseState::new(set.find_syntax_by_extension(extension).unwrap());
    let (mut one, mut other) = (start(ascii), start(whole));
    let mut seen = BTreeSet::new();
    for line in log.lines().filter(|line| line.is_ascii() && line.len() < 500) {
        let Some(text) = line.strip_prefix('\t') else {
            // Each payload is one text.
            (one, other) = (start(ascii), start(whole));
            continue;
        };
        if seen.insert(text) {
            let text = format!("{text}\n");
            assert_eq!(
                one.parse_line(&text, ascii).unwrap(),
                other.parse_line(&text, whole).unwrap(),
                "{text}"
            );
            assert!(one == other, "{text}");
        }
    }
    assert!(seen.len() > 1_000, "{} lines", seen.len());
}

#[test]
fn python_is_read_as_by_the_grammars_of_the_crate() {
    read_alike("py");
}

#[test]
fn cpp_is_read_as_by_the_grammars_of_the_crate() {
    read_alike("cpp");
}

#[test]
fn a_line_that_is_not_ascii_continues_from_the_state_of_one_that_is() {
    let (ascii, whole) = (of_ascii().unwrap(), of_any_text());
    let mut state = ParseState::new(ascii.find_syntax_by_extension("py").unwrap());
    let mut scopes = ScopeStack::new();
    for (line, set) in [("def f(x,\n", ascii), ("      größe=1):\n", whole), ("    return größe\n", whole)]
    {
        for (_, operation) in state.parse_line(line, set).unwrap() {
            scopes.apply(&operation).unwrap();
        }
    }
    assert_eq!(scopes.to_string().trim(), "source.python");
}
