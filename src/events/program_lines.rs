//! Which lines of the program a captured graph or a guard tree names.

use crate::model::{CapturedLine, ProgramLines};
use crate::read::fx_graph::Statement;
use fxhash::FxHashMap;

/// Distinct lines that are kept of graphs, and of guards. A model of a library has some hundreds.
const MOST_KEPT: usize = 100_000;

/// Longer comments are left out: they quote a line of code.
const LONGEST_COMMENT: usize = 4_000;

/// Reads the lines that a graph names above its operators, in order, each with the number of its operators.
pub(super) fn captured_lines(graph: &str, known: &mut ProgramLines) -> Box<[CapturedLine]> {
    let mut lines: Vec<CapturedLine> = Vec::new();
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut above: Option<usize> = None;
    for line in graph.lines().map(str::trim_start) {
        if let Some(comment) = line.strip_prefix('#') {
            above = number_of(comment.trim(), known).map(|comment| {
                *places.entry(comment).or_insert_with(|| {
                    lines.push(CapturedLine { comment, operators: 0 });
                    lines.len() - 1
                })
            });
        } else if Statement::read(line).is_some_and(|statement| !statement.is_name())
            && let Some(captured) = above.and_then(|at| lines.get_mut(at))
        {
            captured.operators = captured.operators.saturating_add(1);
        }
    }
    lines.into()
}

/// The number of a comment that names a line; None for any other comment.
fn number_of(comment: &str, known: &mut ProgramLines) -> Option<u32> {
    if !comment.starts_with("File: ") || comment.len() > LONGEST_COMMENT {
        return None;
    }
    let at = known.comments.get_index_of(comment).or_else(|| {
        let is_full = known.comments.len() >= MOST_KEPT;
        (!is_full).then(|| known.comments.insert_full(comment.into(), ()).0)
    });
    u32::try_from(at?).ok()
}

/// Counts the guards of a tree by the line that made them. A guard ends with `  # code  # path:line in function`.
pub(super) fn guard_origins(tree: &str, known: &mut ProgramLines) {
    for line in tree.lines() {
        let Some((before, origin)) = line.rsplit_once("  # ") else { continue };
        let origin = origin.trim_end();
        if origin.len() > LONGEST_COMMENT || !origin.contains(" in ") || !origin.contains(':') {
            continue;
        }
        if let Some(found) = known.origins.get_mut(origin) {
            found.guards += 1;
        } else if known.origins.len() < MOST_KEPT {
            let code = before.rsplit_once("  # ").map(|(_, code)| code.trim());
            let found = known.origins.entry(origin.into()).or_default();
            found.code = code.filter(|code| code.len() <= LONGEST_COMMENT).map(Box::from);
            found.guards = 1;
        }
    }
}
