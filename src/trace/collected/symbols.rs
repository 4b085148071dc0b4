//! What torch prints about symbolic sizes (`TORCH_LOGS=dynamic`), as the records that it writes about the same.

use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// What `TORCH_LOGS` calls these messages, which do not name it.
pub(super) const DYNAMIC: &str = "dynamic";
/// The event about a symbol that became a constant.
pub(super) const SPECIALIZATION: &str = "symbolic_shape_specialization";

/// Events, each with the message that tells of it: its groups are fields of the record, and the place in the program.
const MESSAGES: [(&str, &str); 5] = [
    (
        "create_symbol",
        r"^create_symbol (?<symbol>.*?) = (?<val>.*?) for (?<source>.*?) (?<vr>\[[\w+.-]+, [\w+.-]+\])(?<place>.*)",
    ),
    (
        "create_unbacked_symbol",
        r"^create_unbacked_sym\S* (?<symbol>.*?) (?<vr>\[[\w+.-]+, [\w+.-]+\])(?<place>.*)",
    ),
    // Other replacements are by another symbol.
    (
        SPECIALIZATION,
        r"^set_replacement (?<symbol>.*?) = (?<value>[+-]?[\d.]+(e[+-]?\d+)?) \((?<reason>[^)]*)",
    ),
    ("propagate_real_tensors", r"^propagate_real_tensors [^(]*\((?<expr>.*)\) -> (?<result>.*)"),
    (
        "guard_added_fast",
        r"^(eval|runtime_assert) (\[guard suppressed\] )?(\(forcing_spec\) )?(?<expr>.*?) \[guard added\](?<place>.*)",
    ),
];
/// How messages about symbols begin, also those that torch writes no record about.
const BEGINS: &str = r"^(create_env|produce_guards|create_symbol |create_unbacked_|set_replacement |(eval|runtime_assert) .*\[guard added\] )";
/// A place: `return x * 2  # app/a.py:8 in f (app/kernels.py:52 in fake), for more info run with ..`
const PLACE: &str = r"^ *(?<code>.*)  # (?<file>[^#]*):(?<line>\d+) in (?<function>.*?) \(((?<asked_file>.*):(?<asked_line>\d+) in (?<asked_function>.*)|.*)\)(, for more info.*)?$";

static READ_MESSAGES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    MESSAGES.iter().filter_map(|(key, message)| Some((*key, Regex::new(message).ok()?))).collect()
});
static READ_BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(BEGINS).ok());
static READ_PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PLACE).ok());

/// Whether a message is one about symbols.
pub(super) fn is_about_symbols(message: &str) -> bool {
    READ_BEGIN.as_ref().is_some_and(|begin| begin.is_match(message))
}

/// An event about a symbol, as far as a message tells it.
#[derive(Debug)]
pub(super) struct SymbolEvent {
    /// The key of its record, and what that has.
    pub key: &'static str,
    pub fields: Map<String, Value>,
    /// The line of the program that it is about.
    pub place: Option<SymbolPlace>,
}

#[derive(Debug)]
pub(super) struct SymbolPlace {
    /// The line that was traced.
    pub traced: LineInFile,
    pub code: String,
    /// The line that asked, which is one of torch or of a function that torch called.
    pub asked: Option<LineInFile>,
}

/// A line of a function, or the one that it begins at.
#[derive(Debug, Clone)]
pub(super) struct LineInFile {
    /// About symbols, torch leaves out the folders that a file shares with it; a letter where it shares none.
    pub file: String,
    pub line: u64,
    pub function: String,
}

impl SymbolEvent {
    /// Reads a message; `None` for those that torch writes no record about.
    pub fn parse(message: &str) -> Option<SymbolEvent> {
        let mut messages = READ_MESSAGES.iter();
        let (key, regex, found) =
            messages.find_map(|(key, regex)| Some((*key, regex, regex.captures(message)?)))?;
        let names = regex.capture_names().flatten().filter(|name| *name != "place");
        let fields = names.filter_map(|name| Some((name.to_owned(), found.name(name)?.as_str().into())));
        let place = found.name("place").and_then(|place| SymbolPlace::parse(place.as_str()));
        Some(SymbolEvent { key, fields: fields.collect(), place })
    }

    pub fn text(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether its condition names a symbol.
    pub fn names(&self, symbol: &str) -> bool {
        self.text("expr").split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == symbol)
    }
}

impl SymbolPlace {
    fn parse(text: &str) -> Option<SymbolPlace> {
        let found = READ_PLACE.as_ref()?.captures(text)?;
        Some(SymbolPlace {
            traced: LineInFile::of(&found, ["file", "line", "function"])?,
            code: found["code"].trim().to_owned(),
            asked: LineInFile::of(&found, ["asked_file", "asked_line", "asked_function"]),
        })
    }
}

impl LineInFile {
    /// What the groups for file, line and function hold.
    pub fn of(found: &Captures<'_>, groups: [&str; 3]) -> Option<LineInFile> {
        let [file, line, function] = groups.map(|group| found.name(group).map(|text| text.as_str()));
        Some(LineInFile { file: file?.to_owned(), line: line?.parse().ok()?, function: function?.to_owned() })
    }
}
