//! Reads the texts that conclusions about recompiles need from the log.

use crate::analysis::{GuardTexts, TextOfLog};
use crate::model::Model;
use crate::trace::Source;
use std::io;

/// The guard trees, graphs and settings of functions that were compiled again.
pub(crate) fn guard_texts(model: &Model, source: &Source) -> io::Result<GuardTexts> {
    let mut bytes = Vec::new();
    GuardTexts::of_log(model, |text| {
        match text {
            TextOfLog::Payload(payload) => source.read_payload(payload, &mut bytes)?,
            TextOfLog::Header(span) => source.read_span(span, &mut bytes)?,
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}
