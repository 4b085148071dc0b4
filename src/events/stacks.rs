//! Python stacks as torch writes them, with equal texts and equal stacks shared.

use super::scalar::Scalar;
use crate::limits::{LONGEST_LINE, LONGEST_NAME, bounded};
use crate::model::{Column, Frame, Function, PhaseName, Stack};
use crate::trace::TextSet;
use crate::trace::{FileRef, StringTable};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Keeps equal texts, functions, stacks and heads of tables once.
#[derive(Default)]
pub(super) struct Texts {
    texts: TextSet<Arc<str>>,
    phases: TextSet<PhaseName>,
    functions: TextSet<Arc<Function>>,
    stacks: TextSet<Stack>,
    columns: TextSet<Arc<[Column]>>,
}

impl Texts {
    /// The shared copy of a text.
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let shared: Arc<str> = text.into();
        self.texts.insert(shared.clone());
        shared
    }

    /// The shared copy of the name of a phase.
    pub(super) fn phase(&mut self, name: &str) -> PhaseName {
        if let Some(known) = self.phases.get(name) {
            return known.clone();
        }
        let shared = PhaseName::from(name);
        self.phases.insert(shared.clone());
        shared
    }

    /// The shared copy of the heads of a table.
    pub(super) fn columns(&mut self, columns: &[Column]) -> Arc<[Column]> {
        if let Some(known) = self.columns.get(columns) {
            return known.clone();
        }
        let shared: Arc<[Column]> = columns.into();
        self.columns.insert(shared.clone());
        shared
    }

    /// The shared copy of a function.
    pub(super) fn function(&mut self, function: Function) -> Arc<Function> {
        if let Some(known) = self.functions.get(&function) {
            return known.clone();
        }
        let shared = Arc::new(function);
        self.functions.insert(shared.clone());
        shared
    }

    fn stack(&mut self, frames: Vec<Frame>) -> Stack {
        if let Some(known) = self.stacks.get(frames.as_slice()) {
            return known.clone();
        }
        let shared: Stack = frames.into();
        self.stacks.insert(shared.clone());
        shared
    }
}

/// A frame as the log has it. A field that is missing or of another type is unknown.
#[derive(Deserialize)]
struct WireFrame<'a> {
    #[serde(default)]
    line: Scalar<'a>,
    #[serde(borrow, default)]
    name: Scalar<'a>,
    #[serde(borrow, default)]
    filename: Scalar<'a>,
    #[serde(borrow, default)]
    loc: Scalar<'a>,
}

/// How many frames of a stack are kept, counted from the innermost. Python's own recursion limit is 1,000, and pages nest
/// lists as deep as stacks are.
const DEEPEST: usize = 512;

/// Reads a list of frames. None if the value is not such a list, or has no frame.
pub(super) fn read(json: &RawValue, pid: u64, strings: &mut StringTable, texts: &mut Texts) -> Option<Stack> {
    let mut wire: Vec<WireFrame<'_>> = serde_json::from_str(json.get()).ok()?;
    if wire.len() > DEEPEST {
        wire.drain(..wire.len() - DEEPEST);
    }
    let frames: Vec<Frame> = wire.into_iter().map(|frame| shared(frame, pid, strings, texts)).collect();
    (!frames.is_empty()).then(|| texts.stack(frames))
}

fn shared(frame: WireFrame<'_>, pid: u64, strings: &mut StringTable, texts: &mut Texts) -> Frame {
    let file = match &frame.filename {
        Scalar::Number(id) => strings.slot(pid, *id),
        Scalar::Text(path) => strings.literal(path),
        Scalar::Other => FileRef::NONE,
    };
    Frame {
        file,
        line: frame.line.count(),
        name: texts.text(&bounded(frame.name.text().unwrap_or("?"), LONGEST_NAME)),
        loc: frame.loc.text().map(|loc| texts.text(&bounded(loc, LONGEST_LINE))),
    }
}
