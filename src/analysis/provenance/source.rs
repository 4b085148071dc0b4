//! Lines of the program behind kernels and nodes.

use crate::analysis::is_library;
use crate::model::{TextFrame, traceback};
use crate::read::fx_graph::{Node, PlaceComment};
use crate::trace::TextMap;
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Stack traces of kernels, by kernel and handle.
pub type KernelStacks = BTreeMap<String, Vec<String>>;

/// Reads `inductor_provenance_tracking_kernel_stack_traces`; None if it is not valid.
///
/// torch 2.8 and 2.9 write each newline of a stack as the two characters `\n`.
pub fn kernel_stacks(text: &str) -> Option<KernelStacks> {
    let mut kernels: KernelStacks = serde_json::from_str(text).ok()?;
    for stack in kernels.values_mut().flatten() {
        if !stack.trim_end().contains('\n') {
            *stack = stack.replace("\\n", "\n");
        }
    }
    Some(kernels)
}

/// A line of the program, and what was generated from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Its text, if the log has it.
    pub code: Option<String>,
    /// Kernels with their handles, in call order.
    pub kernels: Vec<String>,
    /// Nodes of the post-grad graph, in order.
    pub nodes: Vec<String>,
    /// Lines of the pre-grad graph.
    pub pre: Vec<u32>,
    /// Lines of the post-grad graph.
    pub post: Vec<u32>,
    /// Calls: places in the list of kernels, from 0.
    #[serde(skip)]
    pub calls: Vec<usize>,
}

/// Collects the lines of a run.
#[derive(Default)]
pub(super) struct Lines(IndexMap<(String, u64), SourceLine>);

impl Lines {
    pub(super) fn at(&mut self, file: &str, line: u64, code: Option<&str>) -> &mut SourceLine {
        let entry = self.0.entry((file.to_owned(), line)).or_insert_with(|| SourceLine {
            file: file.to_owned(),
            line,
            ..SourceLine::default()
        });
        if entry.code.is_none() {
            entry.code = code.map(str::to_owned);
        }
        entry
    }

    pub(super) fn of_comment(&mut self, place: &PlaceComment<'_>) -> &mut SourceLine {
        self.at(place.file, place.line, place.code)
    }

    /// The line of a node, from its comment; for a line of a library, the line of the program that called it, if known.
    pub(super) fn of_node(
        &mut self,
        node: &Node<'_>,
        own: &TextMap<String, Place>,
    ) -> Option<&mut SourceLine> {
        let place = node.place?;
        match own.get(node.name).filter(|_| is_library(place.file)) {
            Some((file, line, code)) => Some(self.at(file, *line, code.as_deref())),
            None => Some(self.of_comment(&place)),
        }
    }

    /// The innermost line of the program in a stack.
    pub(super) fn of_stack(&mut self, stack: &str) -> Option<&mut SourceLine> {
        let (file, line, code) = own_place(&traceback(stack))?;
        Some(self.at(&file, line, code.as_deref()))
    }

    /// All lines, by file and number; libraries come last.
    pub(super) fn sorted(self) -> Vec<SourceLine> {
        let mut lines: Vec<SourceLine> = self.0.into_values().collect();
        lines.sort_by_cached_key(|line| (is_library(&line.file), line.file.clone(), line.line));
        lines
    }
}

/// File, line, and its text.
pub(super) type Place = (String, u64, Option<String>);

/// The innermost frame of the program; the innermost of all if every frame is in a library.
fn own_place(frames: &[TextFrame]) -> Option<Place> {
    let own = frames.iter().rev().find(|frame| !is_library(&frame.file));
    let frame = own.or(frames.last())?;
    Some((frame.file.clone(), frame.line, frame.loc.clone()))
}

/// For innermost frames in libraries, the line of the program that called them; None if several did.
pub(super) fn callers(stacks: &[String]) -> TextMap<(String, u64), Option<Place>> {
    let mut callers: TextMap<(String, u64), Option<Place>> = TextMap::default();
    for stack in stacks {
        let frames = traceback(stack);
        let (Some(innermost), Some(own)) = (frames.last(), own_place(&frames)) else { continue };
        if !is_library(&innermost.file) {
            continue;
        }
        let known =
            callers.entry((innermost.file.clone(), innermost.line)).or_insert_with(|| Some(own.clone()));
        if known.as_ref().is_some_and(|known| *known != own) {
            *known = None;
        }
    }
    callers
}
