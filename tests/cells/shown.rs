//! Whether a cell shows a value of report.json.

use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A value that report.json does not tell, though a page does; `lists.rs` says where and why.
pub const UNTOLD: &str = "untold";

/// A number with its unit, as a cell shows it.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:up to )?([+−-]?[\d,]+(?:\.(\d+))?)(?:\s*(\S+))?").unwrap());

/// The id of a compile: `3/1`, `!0/2/0`.
static ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"!\d+(?:/\d+)*|\d+(?:/\d+)+").unwrap());

/// The function of code behind a graph break, as Dynamo names it.
static RESUMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"torch_dynamo_resume_in_(.+)_at_(\d+)").unwrap());

/// A value from before a graph break, as Dynamo names it.
static STACK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"___stack\d+").unwrap());

/// How many ids a cell leaves out: `+3`, `3 more`.
static LEFT_OUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\+\s?|, |and )(\d+)(?: more)?$").unwrap());

/// Whether a cell has the line of a file.
static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"([^\s/`(]+):(\d+)").unwrap());

/// How many of the base unit of a key one of that unit is.
fn scale(unit: &str, key: &str) -> Option<f64> {
    let seconds = match unit {
        "s" => Some(1.0),
        "ms" => Some(1e-3),
        "us" => Some(1e-6),
        "ns" => Some(1e-9),
        "min" => Some(60.0),
        _ => None,
    };
    let base = key.rsplit('.').next().unwrap_or_default();
    match base {
        _ if base.ends_with("seconds") || base.ends_with("_s") => seconds.or(unit.is_empty().then_some(1.0)),
        _ if base == "us" || base.ends_with("_us") || base.contains("_us_") => {
            seconds.map(|one| one * 1e6).or(unit.is_empty().then_some(1.0))
        }
        _ if base == "ns" || base.ends_with("_ns") => seconds.map(|one| one * 1e9),
        _ if base.ends_with("bytes") => {
            let thousands = ["B", "kB", "MB", "GB"].iter().position(|one| *one == unit)?;
            Some(1000_f64.powi(i32::try_from(thousands).ok()?))
        }
        _ if base.starts_with("share") => (unit == "%").then_some(0.01),
        _ if base == "flops" => Some(1e9).filter(|_| unit == "GFLOP"),
        _ if base == "tflops" => {
            [("", 1.0), ("TFLOP/s", 1.0), ("GFLOP/s", 1e-3)].iter().find(|it| it.0 == unit).map(|it| it.1)
        }
        _ => Some(1.0),
    }
}

/// Whether the number at the start of a cell is this one, as precisely as it is shown.
fn is_number(cell: &str, told: f64, key: &str) -> bool {
    let Some(found) = NUMBER.captures(cell) else { return false };
    let decimals = found.get(2).map_or(0, |digits| digits.as_str().len());
    let number: f64 = found[1].replace(',', "").replace('−', "-").parse().unwrap_or(f64::NAN);
    let unit = found.get(3).map_or("", |unit| unit.as_str());
    let Some(scale) = scale(unit, key) else { return false };
    let half_of_the_last_digit = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap());
    // report.json has whole microseconds, rounded from nanoseconds.
    let rounded = if key.ends_with("seconds") || key.ends_with("_s") { 0.5e-6 / scale } else { 0.0 };
    (number - told / scale).abs() <= half_of_the_last_digit * 1.001 + rounded + 1e-9
}

/// A text in lower-case letters and digits: `fxgraph` of `FX graph` and of `fx_graph`.
fn squeezed(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether a cell shows that text, or the beginning of it before a `…`.
fn is_text(cell: &str, told: &str) -> bool {
    let told = RESUMED.replace_all(told, "$1 resumed at $2");
    if STACK.is_match(&told)
        && is_text(cell, &STACK.replace_all(&told, "a value from before the graph break"))
    {
        return true;
    }
    let (cell_before, _) = cell.split_once('…').unwrap_or((cell, ""));
    let (shown, told) = (squeezed(cell_before), squeezed(told.lines().next().unwrap_or_default()));
    let raw = squeezed(&RESUMED.replace_all(cell, "$1 resumed at $2"));
    // Of a cell that is cut, its last value: `4 → 16384.0000…`.
    let last = squeezed(cell_before.rsplit('→').next().unwrap_or_default());
    shown.contains(&told) || raw.contains(&told) || (last.len() > 12 && told.contains(&last))
}

/// Ids of compiles that a cell names.
fn ids(cell: &str) -> BTreeSet<String> {
    ID.find_iter(cell).map(|found| found.as_str().to_owned()).collect()
}

/// Whether a cell names these ids; it may stop after some and count the others.
fn are_ids(cell: &str, told: &[&str]) -> bool {
    let (shown, told) = (ids(cell), told.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>());
    let others = LEFT_OUT.captures(cell).map_or(0, |found| found[1].parse().unwrap());
    shown.is_subset(&told) && shown.len() + others == told.len() && (told.is_empty() || !shown.is_empty())
}

/// Whether a cell names that line of a file.
fn is_place(cell: &str, place: &Value) -> bool {
    let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) else {
        return is_nothing(cell);
    };
    let name = file.rsplit('/').next().unwrap();
    PLACE.captures_iter(cell).any(|found| &found[1] == name && found[2] == line.to_string())
}

/// Words that stand where report.json has nothing.
const NOTHING: [&str; 11] = [
    "",
    "–",
    "-",
    "no id",
    "no line",
    "none of them",
    "first compile",
    "backward pass, captured",
    "file",
    "flipped (expected)",
    "not recorded, expected",
];

/// Whether a cell says that there is nothing to say.
fn is_nothing(cell: &str) -> bool {
    NOTHING.contains(&cell)
}

/// Whether a cell shows the value of that key.
pub fn shows(cell: &str, value: &Value, key: &str) -> bool {
    let bare = cell.replace('`', "");
    let bare = bare.trim();
    match (key.rsplit('.').next().unwrap_or_default(), value) {
        (_, Value::String(told)) if told == UNTOLD => true,
        (_, Value::Null) => is_nothing(bare),
        ("place", Value::Object(_)) => is_place(bare, value),
        ("function", Value::Object(_)) => {
            let named = value["name"].as_str().is_none_or(|name| is_text(bare, name));
            named && (!PLACE.is_match(bare) || is_place(bare, value))
        }
        ("id" | "compile_id" | "against", Value::String(id)) => are_ids(bare, &[id.as_str()]),
        ("rank", Value::Number(number)) => bare.trim_start_matches("rank ") == number.to_string(),
        (_, Value::Number(number)) => {
            let told = number.as_f64().unwrap();
            is_number(bare, told, key) || (told == 0.0 && is_nothing(bare))
        }
        (_, Value::Bool(told)) => bare == if *told { "yes" } else { "no" },
        (_, Value::String(told)) => is_text(bare, told),
        (_, Value::Array(told)) => {
            let told: Vec<&str> = told.iter().filter_map(Value::as_str).collect();
            are_ids(bare, &told)
        }
        _ => false,
    }
}
