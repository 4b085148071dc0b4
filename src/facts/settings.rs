//! Values of settings, by which ranks and runs are compared.

use crate::model::stable;
use crate::trace::ordered_json;
use serde_json::value::RawValue;

/// The value of a setting without what differs from run to run: addresses, and the order of sets and keys.
pub(crate) fn setting_value(value: &RawValue) -> String {
    let text = value.get();
    let ordered = text.starts_with(['[', '{']).then(|| ordered_json(text)).flatten();
    stable(ordered.as_deref().unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_equal_whatever_the_order_of_sets_and_keys() {
        let value = |text: &str| {
            let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
            setting_value(&raw)
        };
        assert_eq!(value(r#"["b", "a"]"#), value(r#"["a","b"]"#));
        assert_eq!(value(r#"{"y": ["b", "a"], "x": 1}"#), value(r#"{"x":1,"y":["a","b"]}"#));
        assert_ne!(value("[2, 1]"), value("[1, 2]"));
        assert_eq!(value("true"), "true");
        assert_eq!(value("\"<f at 0x7f9c1234abcd>\""), value("\"<f at 0x7f9c12340000>\""));
    }
}
