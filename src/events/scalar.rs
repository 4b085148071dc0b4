//! A value of JSON that should be a number or a text, read at once: a log has a million of them, in frames of stacks.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A whole number, a text, or anything else.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    Number(i64),
    Text(Cow<'a, str>),
    #[default]
    Other,
}

impl Scalar<'_> {
    /// A number that is not below zero.
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Scalar::Number(number) => u64::try_from(*number).ok(),
            Scalar::Text(_) | Scalar::Other => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Scalar::Text(text) => Some(text),
            Scalar::Number(_) | Scalar::Other => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Scalar::Other, Scalar::Number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_any_type_is_read_and_only_whole_numbers_and_texts_are_kept() {
        let json =
            r#"[7, -7, "a", "\"b\u00e9", 9223372036854775808, 1.5, true, null, [1, ["x"]], {"a": {"b": 2}}]"#;
        let read: Vec<Scalar<'_>> = serde_json::from_str(json).unwrap();
        let text = |text: &'static str| Scalar::Text(text.into());
        assert_eq!(read[..4], [Scalar::Number(7), Scalar::Number(-7), text("a"), text("\"b\u{e9}")]);
        assert!(read.len() == 10 && read[4..].iter().all(|value| *value == Scalar::Other));
        assert_eq!(read.iter().map(Scalar::count).collect::<Vec<_>>()[..3], [Some(7), None, None]);
    }
}
