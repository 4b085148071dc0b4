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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_count_at_the_line_above_them_and_inputs_do_not() {
        let graph = "class G:\n    def forward(self, L_x_: \"f32[4]\"):\n        l_x_ = L_x_\n\n\
                     \x20       # File: /app/m.py:6 in f, code: y = x.sum() > 0\n        w = self.L__w\n\
                     \x20       sum_1: \"f32[]\" = l_x_.sum();  l_x_ = None\n        gt: \"b8[]\" = sum_1 > 0;  sum_1 = None\n\
                     \x20       # File: /app/m.py:7 in f, code: return y\n        # a comment\n        z = gt + 1\n\
                     \x20       # File: /app/m.py:6 in f, code: y = x.sum() > 0\n        t = gt.t()\n        return (t,)\n";
        let mut known = ProgramLines::default();
        let lines = captured_lines(graph, &mut known);
        let counts: Vec<_> = lines.iter().map(|line| (line.comment, line.operators)).collect();
        assert_eq!(counts, [(0, 3), (1, 0)]);
        assert_eq!(known.comments.len(), 2);
    }

    #[test]
    fn guards_count_at_the_line_that_made_them() {
        let tree = "+- RootGuardManager\n| +- ID_MATCH: a  # x = f(x)  # app/m.py:55 in outer\n\
                    | +- TYPE_MATCH: b == '# x'\n| +- TYPE_MATCH: c  # x = f(x)  # app/m.py:55 in outer\n\
                    | +- DEFAULT_DEVICE: d == None   # _dynamo/output_graph.py:1222 in init_ambient_guards\n";
        let mut known = ProgramLines::default();
        guard_origins(tree, &mut known);
        let found = &known.origins["app/m.py:55 in outer"];
        assert_eq!((found.code.as_deref(), found.guards), (Some("x = f(x)"), 2));
        assert_eq!(known.origins["_dynamo/output_graph.py:1222 in init_ambient_guards"].guards, 1);
        assert_eq!(known.origins.len(), 2);
    }
}
