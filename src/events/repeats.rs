//! Layers that a captured graph repeats.

use crate::model::{RepeatedLines, TextFrame, source_comment};
use crate::trace::TextMap;
use indexmap::IndexMap;

/// How many repetitions are worth mentioning: a model of two or three equal blocks gains little from compiling one of them.
const LEAST_TIMES: usize = 4;

/// How many lines must repeat equally often to be taken for a layer: a helper that is called from many places has one or two.
const LEAST_LINES: usize = 3;

/// The lines of one file that occur equally often in a graph, if there are enough of them; of several such counts, the one
/// that most lines share. A graph names the user's line above the operations that came of it.
pub(super) fn repeated_lines(graph: &str) -> Option<RepeatedLines> {
    let mut places: IndexMap<&str, usize> = IndexMap::new();
    for line in graph.lines().map(str::trim_start).filter(|line| line.starts_with("# File: ")) {
        *places.entry(line).or_default() += 1;
    }
    let mut layers: TextMap<(String, usize), Vec<TextFrame>> = TextMap::default();
    for (comment, times) in places.into_iter().filter(|(_, times)| *times >= LEAST_TIMES) {
        let Some(frame) = comment.strip_prefix('#').and_then(source_comment) else { continue };
        layers.entry((frame.file.clone(), times)).or_default().push(frame);
    }
    let enough = layers.into_iter().filter(|(_, lines)| lines.len() >= LEAST_LINES);
    let ((_, times), lines) =
        enough.max_by_key(|((file, times), lines)| (lines.len(), *times, file.clone()))?;
    Some(RepeatedLines { times, lines: lines.len(), first: lines.into_iter().next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(lines: &[(u64, usize)]) -> String {
        let comment =
            |line: &u64| format!("        # File: /app/m.py:{line} in forward, code: line {line}\n");
        lines.iter().map(|(line, times)| comment(line).repeat(*times)).collect()
    }

    #[test]
    fn the_lines_of_a_layer_are_those_that_stand_equally_often() {
        let text = graph(&[(3, 1), (20, 12), (21, 12), (22, 12), (40, 24), (50, 1)]);
        let found = repeated_lines(&text).expect("a layer");
        assert_eq!((found.times, found.lines, found.first.line), (12, 3, 20));
        assert_eq!(found.first.loc.as_deref(), Some("line 20"));
    }

    #[test]
    fn few_repetitions_or_a_single_line_are_no_layer() {
        assert_eq!(repeated_lines(&graph(&[(20, 3), (21, 3), (22, 3)])), None);
        assert_eq!(repeated_lines(&graph(&[(20, 12), (21, 9), (22, 5)])), None);
    }
}
