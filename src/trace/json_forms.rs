//! JSON of the log in forms that can be shown and compared.

use serde_json::Value;

/// The JSON without spaces between its tokens; None if the text is not valid JSON.
pub fn compact_json(json: &str) -> Option<String> {
    Some(serde_json::from_str::<Value>(json).ok()?.to_string())
}

/// The compact JSON in a fixed order: keys are sorted, and so are lists of texts, because torch writes sets as lists in
/// the order of their hashes, which differs from run to run. None if the text is not valid JSON.
pub fn ordered_json(json: &str) -> Option<String> {
    let mut value = serde_json::from_str(json).ok()?;
    order(&mut value);
    Some(value.to_string())
}

fn order(value: &mut Value) {
    match value {
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        }
        Value::Array(items) => items.iter_mut().for_each(order),
        Value::Object(fields) => {
            fields.sort_keys();
            fields.values_mut().for_each(order);
        }
        _ => {}
    }
}
