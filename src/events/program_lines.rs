//! Which lines of the program a captured graph or a guard tree names.

use crate::limits::{KEPT_OF_LOG, LONGEST_VALUE};
use crate::model::{CapturedLine, ProgramLines};
use crate::read::fx_graph::Statement;
use fxhash::FxHasher64;
use indexmap::IndexMap;
use std::hash::Hasher;

/// A line of the program that a graph names above its operators.
#[derive(Default)]
pub(super) struct GraphLine {
    pub(super) times: usize,
    operators: u32,
    /// Hash of the shapes that its operations have where it stands first.
    shapes: u64,
    /// Whether they have the same shapes wherever it stands.
    pub(super) alike: bool,
}

impl GraphLine {
    /// Takes the shapes below it, where the next line begins.
    fn end(&mut self, shapes: u64) {
        match self.times {
            1 => (self.shapes, self.alike) = (shapes, true),
            _ => self.alike &= self.shapes == shapes,
        }
    }
}

/// The comments of a graph that name source lines, in order, each with a summary of the operators below it.
pub(super) fn graph_lines(graph: &str) -> IndexMap<&str, GraphLine> {
    let mut found: IndexMap<&str, GraphLine> = IndexMap::new();
    let mut above: Option<usize> = None;
    // Any other comment says that what follows comes of another line.
    let mut is_below = false;
    let mut shapes = FxHasher64::default();
    for line in graph.lines().map(str::trim_start) {
        let comment = line.strip_prefix('#').map(str::trim);
        let named = above.and_then(|at| found.get_index_mut(at)).map(|(_, named)| named);
        if let Some(comment) = comment.filter(|comment| comment.starts_with("File: ")) {
            named.into_iter().for_each(|named| named.end(shapes.finish()));
            shapes = FxHasher64::default();
            let entry = found.entry(comment);
            (above, is_below) = (Some(entry.index()), true);
            entry.or_default().times += 1;
            continue;
        }
        is_below &= comment.is_none();
        if let Some(named) = named.filter(|_| is_below)
            && Statement::read(line).is_some_and(|statement| !statement.is_name())
        {
            named.operators = named.operators.saturating_add(1);
        }
        let annotated = line.split_once(": \"").and_then(|(_, annotated)| annotated.split_once('"'));
        if let Some((shape, _)) = annotated {
            shapes.write(shape.as_bytes());
        }
    }
    if let Some((_, named)) = above.and_then(|at| found.get_index_mut(at)) {
        named.end(shapes.finish());
    }
    found
}

/// The lines of a graph, each with the number of its operators.
pub(super) fn captured_lines(
    lines: &IndexMap<&str, GraphLine>,
    known: &mut ProgramLines,
) -> Box<[CapturedLine]> {
    let captured = |(comment, line): (&&str, &GraphLine)| {
        Some(CapturedLine { comment: number_of(comment, known)?, operators: line.operators })
    };
    lines.iter().filter_map(captured).collect()
}

/// The number of a comment that names a line; None beyond the bounds.
fn number_of(comment: &str, known: &mut ProgramLines) -> Option<u32> {
    if comment.len() > LONGEST_VALUE {
        return None;
    }
    let at = known.comments.get_index_of(comment).or_else(|| {
        let is_full = known.comments.len() >= KEPT_OF_LOG;
        (!is_full).then(|| known.comments.insert_full(comment.into(), ()).0)
    });
    u32::try_from(at?).ok()
}

/// Counts the guards of a tree by the line that made them. A guard ends with `  # code  # path:line in function`.
pub(super) fn guard_origins(tree: &str, known: &mut ProgramLines) {
    for line in tree.lines() {
        let Some((before, origin)) = line.rsplit_once("  # ") else { continue };
        let origin = origin.trim_end();
        if origin.len() > LONGEST_VALUE || !origin.contains(" in ") || !origin.contains(':') {
            continue;
        }
        if let Some(found) = known.origins.get_mut(origin) {
            found.guards += 1;
        } else if known.origins.len() < KEPT_OF_LOG {
            let code = before.rsplit_once("  # ").map(|(_, code)| code.trim());
            let found = known.origins.entry(origin.into()).or_default();
            found.code = code.filter(|code| code.len() <= LONGEST_VALUE).map(Box::from);
            found.guards = 1;
        }
    }
}
