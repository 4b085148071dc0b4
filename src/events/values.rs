//! JSON values of events as text for readers.

use crate::model::Cell;
use serde_json::value::RawValue;

/// A JSON value as text; a string has no quotes.
pub(super) fn shown(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

/// A JSON value as people read it: strings without quotes, a list with one item per line.
pub(super) fn plain(value: &RawValue) -> Cell {
    if let Ok(text) = serde_json::from_str::<String>(value.get()) {
        return Cell::Code(text);
    }
    match serde_json::from_str::<Vec<String>>(value.get()) {
        Ok(list) => Cell::Codes(list),
        Err(_) => Cell::Code(value.get().to_owned()),
    }
}
