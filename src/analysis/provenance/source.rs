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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_that_were_written_as_two_characters_become_newlines() {
        let old = kernel_stacks(r#"{"k": ["File \"x.py\", line 1, in f\\n    y = x"]}"#).unwrap();
        assert_eq!(old["k"], ["File \"x.py\", line 1, in f\n    y = x"]);
        let new = kernel_stacks(r#"{"k": ["File \"x.py\"\n    y = \"a\\n\"\n"]}"#).unwrap();
        assert_eq!(new["k"], ["File \"x.py\"\n    y = \"a\\n\"\n"]);
        assert!(kernel_stacks("[]").is_none());
    }

    #[test]
    fn the_line_of_a_stack_is_the_innermost_one_outside_of_libraries() {
        let stack = "File \"/app/x.py\", line 14, in forward\n    h = self.a(x)\n  \
                     File \"/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return F.linear(x)";
        let mut lines = Lines::default();
        lines.of_stack(stack).unwrap().calls.push(0);
        let lines = lines.sorted();
        assert_eq!((lines[0].file.as_str(), lines[0].line), ("/app/x.py", 14));
        assert_eq!(lines[0].code.as_deref(), Some("h = self.a(x)"));
    }
}
