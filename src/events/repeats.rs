//! Layers that a captured graph repeats.

use crate::model::{RepeatedLines, TextFrame, source_comment};
use crate::trace::TextMap;
use fxhash::{FxHashSet, FxHasher64};
use indexmap::IndexMap;
use std::hash::Hasher;

/// How many repetitions are worth mentioning: a model of two or three equal blocks gains little from compiling one of them.
const LEAST_TIMES: usize = 4;

/// How many lines must repeat equally often to be taken for a layer: a helper that is called from many places has one or two.
const LEAST_LINES: usize = 3;

/// The lines of one file that occur equally often in a graph, if there are enough of them; of several such counts, the one
/// that most lines share. A graph names the user's line above the operations that came of it.
///
/// Lines that repeat without as many numbered modules are no layer that could be compiled by itself.
pub(super) fn repeated_lines(graph: &str) -> Option<RepeatedLines> {
    let places = places(graph);
    let mut layers: TextMap<(String, usize), Vec<Repeated<'_>>> = TextMap::default();
    for (comment, place) in places.iter().filter(|(_, place)| place.times >= LEAST_TIMES) {
        let Some(frame) = comment.strip_prefix('#').and_then(source_comment) else { continue };
        let key = (frame.file.clone(), place.times);
        layers.entry(key).or_default().push(Repeated { frame, place });
    }
    let enough = layers.into_iter().filter(|(_, lines)| lines.len() >= LEAST_LINES);
    let ((_, times), lines) =
        enough.max_by_key(|((file, times), lines)| (lines.len(), *times, file.clone()))?;
    if numbered_modules(graph) < LEAST_TIMES {
        return None;
    }
    let alike = lines.iter().all(|line| line.place.alike);
    let count = lines.len();
    Some(RepeatedLines { times, lines: count, first: lines.into_iter().next()?.frame, alike })
}

/// How many numbers the modules of lists have, whose parameters are inputs: `l_self_modules_layers_modules_3_parameters_..`.
fn numbered_modules(graph: &str) -> usize {
    let number = |rest: &str| rest.split_once('_').and_then(|(number, _)| number.parse::<u64>().ok());
    graph.split("modules_").skip(1).filter_map(number).collect::<FxHashSet<u64>>().len()
}

struct Repeated<'p> {
    frame: TextFrame,
    place: &'p Place,
}

/// A source line that a graph names.
#[derive(Default)]
struct Place {
    times: usize,
    /// Hash of the shapes that its operations have where it stands first.
    shapes: u64,
    /// Whether they have the same shapes wherever it stands.
    alike: bool,
}

/// The source lines of a graph, with what stands below them.
fn places(graph: &str) -> IndexMap<&str, Place> {
    let mut places: IndexMap<&str, Place> = IndexMap::new();
    let mut above: Option<&str> = None;
    let mut shapes = FxHasher64::default();
    let end = |comment: Option<&str>, hash: u64, places: &mut IndexMap<&str, Place>| {
        let Some(place) = comment.and_then(|comment| places.get_mut(comment)) else { return };
        match place.times {
            1 => (place.shapes, place.alike) = (hash, true),
            _ => place.alike &= place.shapes == hash,
        }
    };
    for line in graph.lines().map(str::trim_start) {
        if line.starts_with("# File: ") {
            end(above, shapes.finish(), &mut places);
            shapes = FxHasher64::default();
            places.entry(line).or_default().times += 1;
            above = Some(line);
        } else if let Some((_, annotated)) = line.split_once(": \"")
            && let Some((shape, _)) = annotated.split_once('"')
        {
            shapes.write(shape.as_bytes());
        }
    }
    end(above, shapes.finish(), &mut places);
    places
}
