//! Texts and numbers of a report, as they are read.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::borrow::{Borrow, Cow};
use std::ops::Deref;

/// A text that borrows from the file where it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    /// The text for itself.
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

/// The id of a compile. What has none is null; an empty one would be copied into files that promise more.
#[derive(PartialEq, Eq)]
pub(crate) struct Id<'a>(Text<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Id<'a>, D::Error> {
        let text = Text::deserialize(reader)?;
        if text.is_empty() { Err(D::Error::custom("a compile id is empty")) } else { Ok(Id(text)) }
    }
}

impl Deref for Id<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A text that may be missing, for itself.
pub(crate) fn owned<T: Deref<Target = str>>(text: &Option<T>) -> Option<String> {
    text.as_deref().map(str::to_owned)
}

/// A line, where the number can be one: torch writes -1 for code that it made itself.
pub(crate) fn line_number(line: Option<i64>) -> Option<u64> {
    line.and_then(|line| u64::try_from(line).ok())
}
