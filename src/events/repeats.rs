//! Layers that a captured graph repeats.

use super::program_lines::GraphLine;
use crate::model::{RepeatedLines, TextFrame, source_comment};
use crate::trace::TextMap;
use fxhash::FxHashSet;
use indexmap::IndexMap;

/// How many repetitions are worth mentioning: a model of two or three equal blocks gains little from compiling one of them.
const LEAST_TIMES: usize = 4;

/// How many lines must repeat equally often to be taken for a layer: a helper that is called from many places has one or two.
const LEAST_LINES: usize = 3;

/// The lines of one file that occur equally often in a graph, if there are enough of them; of several such counts, the one
/// that most lines share. A graph names the user's line above the operations that came of it.
///
/// Lines that repeat without as many numbered modules are no layer that could be compiled by itself.
pub(super) fn repeated_lines(graph: &str, lines: &IndexMap<&str, GraphLine>) -> Option<RepeatedLines> {
    let mut layers: TextMap<(String, usize), Vec<(TextFrame, &GraphLine)>> = TextMap::default();
    for (comment, line) in lines.iter().filter(|(_, line)| line.times >= LEAST_TIMES) {
        let Some(frame) = source_comment(comment) else { continue };
        layers.entry((frame.file.clone(), line.times)).or_default().push((frame, line));
    }
    let enough = layers.into_iter().filter(|(_, lines)| lines.len() >= LEAST_LINES);
    let ((_, times), lines) =
        enough.max_by_key(|((file, times), lines)| (lines.len(), *times, file.clone()))?;
    if numbered_modules(graph) < LEAST_TIMES {
        return None;
    }
    let alike = lines.iter().all(|(_, line)| line.alike);
    Some(RepeatedLines { times, lines: lines.len(), first: lines.into_iter().next()?.0, alike })
}

/// How many numbers the modules of lists have, whose parameters are inputs: `l_self_modules_layers_modules_3_parameters_..`.
fn numbered_modules(graph: &str) -> usize {
    let number = |rest: &str| rest.split_once('_').and_then(|(number, _)| number.parse::<u64>().ok());
    graph.split("modules_").skip(1).filter_map(number).collect::<FxHashSet<u64>>().len()
}
