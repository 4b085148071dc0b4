//! Python stacks as torch writes them, with equal texts and equal stacks shared.

use crate::limits::{DEEPEST_STACK, LONGEST_LINE, LONGEST_NAME, bounded};
use crate::model::{BorrowedText, Column, Frame, Function, PhaseName, Stack};
use crate::trace::{FileRef, StringTable, TextSet, shared};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// Keeps equal texts, functions, stacks and heads of tables once: each method gives the shared copy.
#[derive(Default)]
pub(super) struct Texts {
    texts: TextSet<Arc<str>>,
    phases: TextSet<PhaseName>,
    functions: TextSet<Arc<Function>>,
    stacks: TextSet<Stack>,
    columns: TextSet<Arc<[Column]>>,
}

impl Texts {
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        shared(&mut self.texts, text)
    }

    pub(super) fn phase(&mut self, name: &str) -> PhaseName {
        shared(&mut self.phases, name)
    }

    /// Heads of a table.
    pub(super) fn columns(&mut self, columns: &[Column]) -> Arc<[Column]> {
        shared(&mut self.columns, columns)
    }

    pub(super) fn function(&mut self, function: Function) -> Arc<Function> {
        shared(&mut self.functions, function)
    }
}

/// A frame as the log has it. A field that is missing or of another type is unknown.
#[derive(Deserialize)]
struct WireFrame<'a> {
    #[serde(borrow)]
    line: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    filename: Option<&'a RawValue>,
    #[serde(borrow)]
    loc: Option<&'a RawValue>,
}

/// Reads a list of frames. None if the value is not such a list, or has no frame.
pub(super) fn read(json: &RawValue, pid: u64, strings: &mut StringTable, texts: &mut Texts) -> Option<Stack> {
    let mut wire: Vec<WireFrame<'_>> = serde_json::from_str(json.get()).ok()?;
    if wire.len() > DEEPEST_STACK {
        wire.drain(..wire.len() - DEEPEST_STACK);
    }
    let frames: Vec<Frame> = wire.into_iter().map(|frame| kept(frame, pid, strings, texts)).collect();
    (!frames.is_empty()).then(|| shared(&mut texts.stacks, frames))
}

fn kept(frame: WireFrame<'_>, pid: u64, strings: &mut StringTable, texts: &mut Texts) -> Frame {
    let file = match frame.filename {
        Some(path) if path.get().starts_with('"') => text(path).map(|path| strings.literal(&path)),
        Some(id) => serde_json::from_str(id.get()).ok().map(|id| strings.slot(pid, id)),
        None => None,
    };
    let name = frame.name.and_then(text).unwrap_or(Cow::Borrowed("?"));
    Frame {
        file: file.unwrap_or(FileRef::NONE),
        line: frame.line.and_then(|line| serde_json::from_str(line.get()).ok()),
        name: texts.text(&bounded(&name, LONGEST_NAME)),
        loc: frame.loc.and_then(text).map(|loc| texts.text(&bounded(&loc, LONGEST_LINE))),
    }
}

/// The text that a value is.
fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str(value.get()).ok().map(|BorrowedText(text)| text)
}
