//! The fields of a JSON object, read one by one: a field of an unexpected type counts as absent, and the others are read.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The fields of an object in the order of the log.
#[derive(Debug, Default)]
pub struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads an object. Errors when the text is not one.
    pub fn parse(json: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// All fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(k, v)| (k.as_ref(), *v))
    }

    /// The raw value of a field; null counts as absent.
    pub fn raw(&self, key: &str) -> Option<&'a RawValue> {
        let (_, value) = self.0.iter().find(|(k, _)| k == key)?;
        (value.get() != "null").then_some(*value)
    }

    /// The value of a field, if it has that type.
    pub fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.raw(key)?.get()).ok()
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key)
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)
    }

    /// A count, also where it is written as `3.0`.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key).or_else(|| {
            let value: f64 = self.get(key)?;
            (value >= 0.0 && value.fract() == 0.0 && value < 9e15).then_some(value as u64)
        })
    }

    /// Whether the object has no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                // Most objects of a log have five to eight fields.
                let mut fields = Vec::with_capacity(8);
                while let Some(BorrowedText(key)) = map.next_key()? {
                    fields.push((key, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A text of JSON that borrows from the input where it has no escapes.
#[derive(serde::Deserialize)]
pub struct BorrowedText<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// For `#[serde(deserialize_with)]`: a field of an unexpected type is None.
pub fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}
