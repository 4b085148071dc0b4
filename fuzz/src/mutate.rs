//! Mutations of JSON, of texts and of bytes, by a generator that gives the same for the same number.

use crate::corpus::Corpus;
use fastrand::Rng;
use serde_json::{Map, Number, Value};

/// Text that would act if it were not escaped, in every place where a text can stand.
pub const PROBE: &str = "\"'><script>probe4711()</script><img src=x onerror=probe4711()>";

/// Other texts that have been trouble somewhere.
const TEXTS: [&str; 30] = [
    "",
    " ",
    PROBE,
    "javascript:probe4711()",
    "../../../probe",
    "/probe",
    "C:\\probe",
    "a/b/../c",
    "\u{0}",
    "\n",
    "\r\n\t",
    "\u{202e}abc",
    "\u{feff}",
    "\u{2028}",
    "日本語のとても長い名前",
    "e\u{301}\u{301}\u{301}",
    "👩‍👩‍👧‍👦",
    "index.html",
    "report.json",
    "con",
    "-",
    "-_-_-_-",
    "0/0",
    "[0/0]",
    "{{x}}{# x #}",
    "%2e%2e%2f",
    "#L1",
    "]]>--><!--",
    "class=class=class=class=class=",
    "</style></textarea></title>",
];

/// Words of the languages that are read.
const WORDS: [&str; 64] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "((((((((",
    "))))))))",
    "[[[[[[[[",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "\\",
    "\n",
    "\t",
    "    ",
    "# ",
    ":",
    ",",
    ".",
    "=",
    "==",
    "!=",
    "<=",
    "<",
    ">",
    " is not ",
    " not in ",
    " and ",
    "L['x']",
    "G['x']",
    "._modules['0']",
    "len(",
    "def ",
    "class ",
    "return ",
    "import ",
    "async_compile.triton('",
    "''', device_str='cuda')",
    "extern_kernels.mm(",
    "buf0",
    "del buf0",
    ".run(",
    "[Provenance debug handles] ",
    "# Topologically Sorted Source Nodes: [",
    "], Original ATen: [",
    "# File: ",
    "a.py:1 in f",
    "+- ",
    "|  ",
    "GuardManager: ",
    "torch.ops.aten.mm.default(",
    "f32[2, 3][3, 1]cuda:0",
    "Graph signature:",
    "Range constraints: {",
    "Explanation: ",
    "Hint: ",
    "User code traceback:",
    "  File \"a.py\", line 1, in f",
    "-1",
    "99999999999999999999",
    "0x7f",
    "1e400",
];

/// One of a list.
pub fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> Option<&'a T> {
    if from.is_empty() { None } else { from.get(rng.usize(..from.len())) }
}

/// A text that may be trouble.
pub fn odd_text(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0 => "x".repeat(1 << rng.usize(..14)),
        1 => pick(rng, &TEXTS).copied().unwrap_or_default().repeat(rng.usize(..30)),
        2 => (0..rng.usize(..12)).map(|_| rng.char(..)).collect(),
        3 => pick(rng, &WORDS).copied().unwrap_or_default().to_owned(),
        4 => rng.i64(..).to_string(),
        _ => pick(rng, &TEXTS).copied().unwrap_or_default().to_owned(),
    }
}

/// A number that may be trouble.
fn odd_number(rng: &mut Rng) -> Value {
    match rng.u8(..12) {
        0 => 0.into(),
        1 => (-1).into(),
        2 => i64::MAX.into(),
        3 => i64::MIN.into(),
        4 => u64::MAX.into(),
        5 => u32::MAX.into(),
        6 => Number::from_f64(1e308).map_or(Value::Null, Value::Number),
        7 => Number::from_f64(-1e-308).map_or(Value::Null, Value::Number),
        8 => Number::from_f64(rng.f64()).map_or(Value::Null, Value::Number),
        9 => (1_u64 << rng.u32(..64)).into(),
        10 => rng.u64(..5).into(),
        _ => rng.i64(..).into(),
    }
}

/// A value of any type.
pub fn odd_value(rng: &mut Rng, corpus: &Corpus, key: &str) -> Value {
    match rng.u8(..12) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 | 3 => odd_number(rng),
        4..=6 => odd_text(rng).into(),
        7 => Value::Array((0..rng.usize(..6)).map(|_| odd_value(rng, corpus, key)).collect()),
        8 => {
            let mut fields = Map::new();
            for _ in 0..rng.usize(..4) {
                fields.insert(odd_text(rng), odd_value(rng, corpus, key));
            }
            Value::Object(fields)
        }
        9 => (0..rng.usize(..100)).fold(Value::Null, |inner, _| Value::Array(vec![inner])),
        _ => corpus.values.get(key).and_then(|values| pick(rng, values)).cloned().unwrap_or(Value::Null),
    }
}

/// How many values a JSON value holds, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(size).sum(),
        Value::Array(items) => items.iter().map(size).sum(),
        _ => 0,
    }
}

/// Changes one value somewhere below.
pub fn json(rng: &mut Rng, corpus: &Corpus, value: &mut Value) {
    let at = rng.usize(..size(value));
    change_at(rng, corpus, value, &mut { at }, "");
}

fn change_at(rng: &mut Rng, corpus: &Corpus, value: &mut Value, left: &mut usize, key: &str) -> bool {
    if *left == 0 {
        change(rng, corpus, value, key);
        return true;
    }
    *left -= 1;
    match value {
        Value::Object(fields) => {
            fields.iter_mut().any(|(key, inner)| change_at(rng, corpus, inner, left, key))
        }
        Value::Array(items) => items.iter_mut().any(|inner| change_at(rng, corpus, inner, left, key)),
        _ => false,
    }
}

fn change(rng: &mut Rng, corpus: &Corpus, value: &mut Value, key: &str) {
    match value {
        Value::Object(fields) if rng.u8(..4) != 0 => change_fields(rng, corpus, fields),
        Value::Array(items) if rng.u8(..4) != 0 && !items.is_empty() => {
            let (at, other) = (rng.usize(..items.len()), rng.usize(..items.len()));
            match rng.u8(..5) {
                0 => drop(items.remove(at)),
                1 => items.swap(at, other),
                2 => items.insert(other, items.get(at).cloned().unwrap_or_default()),
                3 => items.truncate(at),
                _ => items.insert(at, odd_value(rng, corpus, key)),
            }
        }
        Value::String(text) if rng.u8(..3) != 0 => {
            let mut bytes = std::mem::take(text).into_bytes();
            self::text(rng, &mut bytes);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Value::Number(_) if rng.u8(..3) != 0 => *value = odd_number(rng),
        _ => *value = odd_value(rng, corpus, key),
    }
}

fn change_fields(rng: &mut Rng, corpus: &Corpus, fields: &mut Map<String, Value>) {
    let keys: Vec<String> = fields.keys().cloned().collect();
    let key = pick(rng, &keys).cloned().unwrap_or_default();
    match rng.u8(..5) {
        0 => drop(fields.remove(&key)),
        1 => {
            let value = fields.remove(&key).unwrap_or_default();
            fields.insert(odd_text(rng), value);
        }
        2 => {
            let other = pick(rng, &keys).cloned().unwrap_or_default();
            let (one, two) = (fields.get(&key).cloned(), fields.get(&other).cloned());
            let (one, two) = (one.unwrap_or_default(), two.unwrap_or_default());
            fields.insert(key, two);
            fields.insert(other, one);
        }
        3 => {
            let names: Vec<&String> = corpus.values.keys().collect();
            let name = names.get(rng.usize(..names.len().max(1))).map(|name| (*name).clone());
            let name = name.unwrap_or_default();
            let value = odd_value(rng, corpus, &name);
            fields.insert(name, value);
        }
        _ => {
            let value = odd_value(rng, corpus, &key);
            fields.insert(key, value);
        }
    }
}

/// Changes a text by its lines, words or bytes.
pub fn text(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.usize(..=bytes.len());
    let other = rng.usize(..=bytes.len());
    let (start, end) = (at.min(other), at.max(other));
    match rng.u8(..10) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(start..end)),
        2 if end - start < 2_000 => {
            let part = bytes[start..end].to_vec();
            drop(bytes.splice(at..at, part.repeat(1 + rng.usize(..4))));
        }
        3 => lines(rng, bytes),
        4 if !bytes.is_empty() => {
            let at = at.min(bytes.len() - 1);
            bytes[at] = rng.u8(..);
        }
        5 => drop(bytes.splice(at..at, odd_text(rng).into_bytes())),
        6 => {
            let word = pick(rng, &WORDS).copied().unwrap_or_default().repeat(rng.usize(..20));
            drop(bytes.splice(at..at, word.into_bytes()));
        }
        7 => number(rng, bytes, at),
        _ => {
            let word = pick(rng, &WORDS).copied().unwrap_or_default();
            let end = bytes.len().min(at + rng.usize(..6));
            drop(bytes.splice(at..end, word.bytes()));
        }
    }
}

/// Removes, repeats or moves lines.
fn lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (at, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.u8(..4) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, other),
        2 => lines.insert(other, lines[at]),
        _ => drop(lines.drain(at.min(other)..at.max(other))),
    }
    *bytes = lines.join(&b'\n');
}

/// Replaces the number that stands at or behind a place.
fn number(rng: &mut Rng, bytes: &mut Vec<u8>, at: usize) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let new = odd_number(rng).to_string();
    drop(bytes.splice(start..start + length, new.into_bytes()));
}
