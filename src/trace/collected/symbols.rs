//! What torch prints about symbolic sizes (`TORCH_LOGS=dynamic`), as the records that it writes about the same.

use serde_json::{Map, Value, json};

/// What `TORCH_LOGS` calls these messages, which do not name it.
pub(super) const DYNAMIC: &str = "dynamic";
/// The event about a symbol that became a constant.
pub(super) const SPECIALIZATION: &str = "symbolic_shape_specialization";
/// The text between a condition and its place.
const GUARD_ADDED: &str = " [guard added] ";
/// How messages about symbols begin.
const STARTS: [&str; 7] = [
    "create_env",
    "produce_guards",
    "create_symbol ",
    "create_unbacked_",
    "set_replacement ",
    "eval ",
    "runtime_assert ",
];

/// Whether a message is one about symbols.
pub(super) fn is_about_symbols(message: &str) -> bool {
    let is_guard = !message.starts_with("eval ") && !message.starts_with("runtime_assert ")
        || message.contains(GUARD_ADDED);
    is_guard && STARTS.iter().any(|start| message.starts_with(start))
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

/// `return x * 2  # app/a.py:8 in f (app/kernels.py:52 in fake)`
#[derive(Debug)]
pub(super) struct SymbolPlace {
    /// The line that was traced.
    pub traced: LineInFile,
    pub code: String,
    /// The line that asked, which is one of torch or of a function that torch called.
    pub asked: Option<LineInFile>,
}

#[derive(Debug)]
pub(super) struct LineInFile {
    /// The file, without the folders that it shares with torch; torch leaves out a letter where it shares none.
    pub file: String,
    pub line: u64,
    pub function: String,
}

impl SymbolEvent {
    /// Reads a message; `None` for those that torch writes no record about.
    pub fn parse(message: &str) -> Option<SymbolEvent> {
        if let Some(rest) = message.strip_prefix("create_symbol ") {
            let (symbol, rest) = rest.split_once(" = ")?;
            let (value, rest) = rest.split_once(" for ")?;
            let (source, range, place) = around_range(rest)?;
            let fields = json!({"symbol": symbol, "val": value, "vr": range, "source": source});
            return SymbolEvent::of("create_symbol", fields, SymbolPlace::parse(place));
        }
        if let Some(rest) = message.strip_prefix("create_unbacked_sym") {
            let (_, rest) = rest.split_once(' ')?;
            let (symbol, range, place) = around_range(rest)?;
            let fields = json!({"symbol": symbol, "vr": range});
            return SymbolEvent::of("create_unbacked_symbol", fields, SymbolPlace::parse(place));
        }
        if let Some(rest) = message.strip_prefix("set_replacement ") {
            let (symbol, rest) = rest.split_once(" = ")?;
            let (value, reason) = rest.split_once(" (")?;
            // Other replacements are by another symbol.
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            let fields = json!({"symbol": symbol, "value": value, "reason": reason.split(')').next()});
            return number.and_then(|_| SymbolEvent::of(SPECIALIZATION, fields, None));
        }
        if let Some(rest) = message.strip_prefix("propagate_real_tensors ") {
            let (expression, result) = rest.split_once('(')?.1.rsplit_once(") -> ")?;
            return SymbolEvent::of(
                "propagate_real_tensors",
                json!({"expr": expression, "result": result}),
                None,
            );
        }
        let (condition, place) = message.split_once(GUARD_ADDED)?;
        let (_, condition) = condition.split_once(' ')?;
        let kinds = ["[guard suppressed] ", "(forcing_spec) "];
        let condition = kinds.iter().fold(condition, |rest, kind| rest.strip_prefix(kind).unwrap_or(rest));
        SymbolEvent::of("guard_added_fast", json!({"expr": condition}), SymbolPlace::parse(place))
    }

    fn of(key: &'static str, fields: Value, place: Option<SymbolPlace>) -> Option<SymbolEvent> {
        let Value::Object(fields) = fields else { return None };
        Some(SymbolEvent { key, fields, place })
    }

    pub fn text(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether its condition names a symbol.
    pub fn names(&self, symbol: &str) -> bool {
        self.text("expr").split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == symbol)
    }
}

/// Splits a text at a range such as ` [2, int_oo] `: the text before it, the range, and the text after it.
fn around_range(text: &str) -> Option<(&str, &str, &str)> {
    let is_number = |c: char| c.is_alphanumeric() || "_+-.".contains(c);
    text.match_indices(" [").find_map(|(at, _)| {
        let (range, place) = text.get(at + 1..)?.split_once(']')?;
        let (from, to) = range.strip_prefix('[')?.split_once(", ")?;
        let is_range = [from, to].iter().all(|end| !end.is_empty() && end.chars().all(is_number));
        let range = text.get(at + 1..at + 1 + range.len() + 1)?;
        is_range.then(|| (text.get(..at).unwrap_or_default(), range, place.trim_start()))
    })
}

impl SymbolPlace {
    fn parse(text: &str) -> Option<SymbolPlace> {
        let text = text.split(", for more info run with ").next()?;
        let (traced, asked) = text.rsplit_once(" (")?;
        let (code, traced) = traced.rsplit_once("  # ")?;
        let asked = asked.strip_suffix(')').and_then(LineInFile::parse);
        Some(SymbolPlace { traced: LineInFile::parse(traced)?, code: code.trim().to_owned(), asked })
    }
}

impl LineInFile {
    fn parse(text: &str) -> Option<LineInFile> {
        let (place, function) = text.rsplit_once(" in ")?;
        let (file, line) = place.rsplit_once(':')?;
        Some(LineInFile { file: file.to_owned(), line: line.parse().ok()?, function: function.to_owned() })
    }
}
