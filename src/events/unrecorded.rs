//! torch before 2.6 has no records of graph breaks, and before 2.5 none of why a function was compiled again. Other records tell
//! that both happened: ids of compiles, restarts, and functions that resume.

use crate::limits::{LISTED, SEARCHED};
use crate::model::{
    ArtifactIndex, BreakOccurrence, CompileIndex, Content, GraphBreak, Model, Recompile, Restart, TextFrame,
};
use std::sync::Arc;

/// Notes them in the model of such a log.
pub(super) fn note(model: &mut Model) {
    if model.torch.as_ref().is_some_and(|torch| !torch.version.starts_with("2.5.")) {
        return;
    }
    // torch 2.5 writes spans of phases, and why a function was compiled again.
    if model.recompiles.is_empty() && model.chromium.iter().next().is_none() {
        let ids = model.compiles.indexed().filter_map(|(_, compile)| compile.id.clone());
        let again = ids.filter(|id| id.version().is_some_and(|version| version > 0));
        let writer = model.log.pids.first().copied().unwrap_or_default();
        let recompile = |compile| Recompile { compile: Some(compile), writer, reasons: Vec::new() };
        model.recompiles = again.map(recompile).collect();
    }
    if model.graph_breaks.is_empty() && model.restarts.len() <= LISTED {
        for one in std::mem::take(&mut model.restarts) {
            let place = resumed_after(model, &one);
            model.restarts.push(one.clone());
            place.into_iter().for_each(|place| add_break(model, &one, place));
        }
    }
}

/// Where a function resumes after the compile that was restarted: there its graph broke.
fn resumed_after(model: &Model, restart: &Restart) -> Option<BrokenLine> {
    let compile = *model.by_id.get(&restart.compile)?;
    let function = |index| model.compiles.get(index)?.function.as_deref();
    let broken = function(compile)?;
    let whole = broken.name.strip_prefix(RESUMED).and_then(|name| Some(name.rsplit_once("_at_")?.0));
    let whole = whole.unwrap_or(&broken.name);
    let mut later = model.compiles.indices().filter(|index| *index > compile).take(SEARCHED);
    let line = later.find_map(|index| {
        let later = function(index).filter(|later| later.file == broken.file)?;
        let (name, line) = later.name.strip_prefix(RESUMED)?.rsplit_once("_at_")?;
        (name == whole).then(|| line.parse().ok())?
    })?;
    Some(BrokenLine { compile, file: broken.file.clone()?, function: whole.to_owned(), line })
}

/// How the name of a function begins that resumes after a graph break.
const RESUMED: &str = "torch_dynamo_resume_in_";

/// A line at which the graph of a compile broke.
struct BrokenLine {
    compile: CompileIndex,
    file: String,
    function: String,
    line: u64,
}

/// Adds the break to its entry; each reason and line is one.
fn add_break(model: &mut Model, restart: &Restart, at: BrokenLine) {
    let Model { graph_breaks, compiles, .. } = model;
    let is_its = |one: &GraphBreak| {
        (&one.reason, &one.file, one.line) == (&restart.reason, &Some(at.file.clone()), Some(at.line))
    };
    let index = graph_breaks.iter().position(is_its).unwrap_or(graph_breaks.len());
    let frame = TextFrame { file: at.file.clone(), line: at.line, function: at.function, loc: None };
    if index == graph_breaks.len() {
        let (reason, stack) = (restart.reason.clone(), vec![frame.clone()]);
        graph_breaks.push(GraphBreak {
            reason,
            stack,
            file: Some(at.file),
            line: Some(at.line),
            ..GraphBreak::default()
        });
    }
    let metrics = compiles.get_mut(at.compile).map_or(0, |compile| {
        compile.graph_breaks += 1;
        compile.first_break.get_or_insert(index);
        compile
            .artifacts
            .iter()
            .position(|artifact| matches!(artifact.content, Content::Metrics(_)))
            .unwrap_or(0)
    });
    if let Some(entry) = graph_breaks.get_mut(index) {
        entry.count += 1;
        let artifact = ArtifactIndex::new(at.compile, metrics);
        entry.occurrences.push(BreakOccurrence { artifact, stack: Arc::from([frame]) });
        if !entry.compiles.contains(&restart.compile) {
            entry.compiles.push(restart.compile.clone());
        }
    }
}
