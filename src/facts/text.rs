//! Texts, lists and maps of a report: borrowed when they are read, made on the fly when they are written.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A text that borrows from the file if it has no escapes there, or from what the report is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    /// An owned copy.
    pub fn owned(&self) -> String {
        self.0.clone().into_owned()
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Text<'a> {
        Text(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(text: &'a String) -> Text<'a> {
        Text(Cow::Borrowed(text))
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Text<'a> {
        Text(text)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// The id of a compile as torch writes it, without brackets and attempt: `0/0`, `!1/0/0`, `!1`. Never empty: records without
/// an id have null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Id<'a>(Text<'a>);

impl<'a> Id<'a> {
    /// The id with this text, which is not empty.
    pub fn new(text: impl Into<Text<'a>>) -> Id<'a> {
        Id(text.into())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Id<'a>, D::Error> {
        let text = Text::deserialize(reader)?;
        if text.is_empty() { Err(D::Error::custom("a compile id is empty")) } else { Ok(Id(text)) }
    }
}

impl JsonSchema for Id<'_> {
    fn schema_name() -> Cow<'static, str> {
        "compile_id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A compile as torch writes its id, without brackets and attempt: 0/0, !1/0/0, !1.",
            "type": "string",
            "minLength": 1
        })
    }
}

impl Deref for Id<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A list: read back it is a slice; when a report is written its entries are made one by one, because a log may have a
/// hundred thousand compiles.
#[derive(Clone)]
pub(crate) enum List<'a, T> {
    /// Of a report that was read, or short enough to be kept.
    Read(Vec<T>),
    /// Made while it is written.
    Made(Made<'a>),
}

impl<'a, T: Serialize + 'a> List<'a, T> {
    /// A list whose entries, owned or borrowed, are made while it is written.
    pub fn made<E: Borrow<T> + Serialize, I: Iterator<Item = E> + 'a>(
        make: impl Fn() -> I + Send + Sync + 'a,
    ) -> List<'a, T> {
        List::Made(Arc::new(Each(make)))
    }

    /// The same; None if it has no entry.
    pub fn made_unless_empty<I: Iterator<Item = T> + 'a>(
        make: impl Fn() -> I + Send + Sync + 'a,
    ) -> Option<List<'a, T>> {
        make().next().is_some().then(|| List::made(make))
    }
}

/// The entries of a list or map, made while they are written.
pub(crate) type Made<'a> = Arc<dyn erased_serde::Serialize + Send + Sync + 'a>;

/// Entries that are made while they are written.
struct Each<F>(F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The same with names.
struct EachNamed<F>(F);

impl<N: Serialize, V: Serialize, I: Iterator<Item = (N, V)>, F: Fn() -> I> Serialize for EachNamed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

impl<T: fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_list().entries(self).finish()
    }
}

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        List::Read(Vec::new())
    }
}

impl<T> From<Vec<T>> for List<'_, T> {
    fn from(entries: Vec<T>) -> Self {
        List::Read(entries)
    }
}

impl<T> FromIterator<T> for List<'_, T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        List::Read(entries.into_iter().collect())
    }
}

impl<T> Deref for List<'_, T> {
    type Target = [T];

    /// The entries of a list that was read.
    fn deref(&self) -> &[T] {
        match self {
            List::Read(entries) => entries,
            List::Made(_) => &[],
        }
    }
}

impl<'l, T> IntoIterator for &'l List<'_, T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            List::Made(made) => erased_serde::serialize(&**made, serializer),
            List::Read(entries) => serializer.collect_seq(entries),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<'_, T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(List::from(Vec::deserialize(reader)?))
    }
}

impl<T: JsonSchema> JsonSchema for List<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}

/// Values by name: read back it is a sorted map; when a report is written its entries are made one by one, in their order.
pub(crate) struct Map<'a, V> {
    read: BTreeMap<Text<'a>, V>,
    made: Option<Made<'a>>,
}

impl<'a, V: Serialize + 'a> Map<'a, V> {
    /// A map whose entries are made while it is written.
    pub fn made<I: Iterator<Item = (Text<'a>, V)> + 'a>(
        make: impl Fn() -> I + Send + Sync + 'a,
    ) -> Map<'a, V> {
        Map { read: BTreeMap::new(), made: Some(Arc::new(EachNamed(make))) }
    }
}

impl<V> Default for Map<'_, V> {
    fn default() -> Self {
        Map { read: BTreeMap::new(), made: None }
    }
}

impl<'a, V> Deref for Map<'a, V> {
    type Target = BTreeMap<Text<'a>, V>;

    /// The entries of a map that was read.
    fn deref(&self) -> &BTreeMap<Text<'a>, V> {
        &self.read
    }
}

impl<'l, 'a, V> IntoIterator for &'l Map<'a, V> {
    type Item = (&'l Text<'a>, &'l V);
    type IntoIter = std::collections::btree_map::Iter<'l, Text<'a>, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.read.iter()
    }
}

impl<'a, V> FromIterator<(Text<'a>, V)> for Map<'a, V> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, V)>>(entries: I) -> Self {
        Map { read: entries.into_iter().collect(), made: None }
    }
}

impl<V: Serialize> Serialize for Map<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.made {
            Some(made) => erased_serde::serialize(&**made, serializer),
            None => serializer.collect_map(&self.read),
        }
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Map<'a, V> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(Map { read: BTreeMap::deserialize(reader)?, made: None })
    }
}

impl<V: JsonSchema> JsonSchema for Map<'_, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, V>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, V>::json_schema(generator)
    }
}

/// JSON of the log itself: settings, shapes.
pub(crate) enum Json<'a> {
    /// As it is written.
    Text(Cow<'a, RawValue>),
    /// Made while it is written.
    Made(Made<'a>),
    /// The log could not be read.
    Failed(anyhow::Error),
}

impl Json<'_> {
    /// The text of JSON that was read.
    pub fn get(&self) -> &str {
        match self {
            Json::Text(raw) => raw.get(),
            Json::Made(_) | Json::Failed(_) => "null",
        }
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Json::Text(Cow::Borrowed(RawValue::NULL))
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Text(raw) => raw.serialize(serializer),
            Json::Failed(error) => Err(S::Error::custom(format!("{error:#}"))),
            Json::Made(made) => erased_serde::serialize(&**made, serializer),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(Json::Text(Cow::Borrowed(<&RawValue>::deserialize(reader)?)))
    }
}

impl JsonSchema for Json<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}

/// An optional text as an owned one.
pub(crate) fn owned<T: Deref<Target = str>>(text: &Option<T>) -> Option<String> {
    text.as_deref().map(str::to_owned)
}

/// An optional text as a field of a report.
pub(crate) fn maybe(text: Option<&str>) -> Option<Text<'_>> {
    text.map(Text::from)
}

/// A line, if the number can be one: torch writes -1 for code that it made itself.
pub(crate) fn line_number(line: Option<i64>) -> Option<u64> {
    line.and_then(|line| u64::try_from(line).ok())
}

/// The words of an enum as a schema lists them, and null.
pub(super) fn or_null<const N: usize>(words: [&'static str; N]) -> Vec<Option<&'static str>> {
    words.into_iter().map(Some).chain([None]).collect()
}
