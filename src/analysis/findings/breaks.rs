//! Graph breaks: what could not be traced, what tracing was thrown away for it, what was compiled in addition.

use super::{Finding, Kind, Place, Severity, Value, counted, own_frame, place_of, prose, time_of};
use crate::model::{Failure, GraphBreak, Model};

/// One finding a reason and place. A break that made its compile fail is told with the failure.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    let resumed = resume_functions(model);
    let breaks = model.graph_breaks.iter().enumerate();
    breaks.filter_map(|(index, one)| finding(model, index, one, &resumed)).collect()
}

/// The break that made a compile fail: both are at one place.
pub(super) fn of_failure<'m>(model: &'m Model, failure: &Failure) -> Option<&'m GraphBreak> {
    failure.file.as_ref()?;
    let same = |one: &&GraphBreak| one.file == failure.file && one.line == failure.line;
    model.graph_breaks.iter().filter(same).find(|one| one.compiles.contains(&failure.compile))
}

fn finding(model: &Model, index: usize, one: &GraphBreak, resumed: &[(usize, usize)]) -> Option<Finding> {
    let failed = |id: &Option<crate::trace::CompileId>| {
        let failure = model.failures.iter().find(|f| f.compile == *id);
        failure.is_some_and(|f| of_failure(model, f).is_some_and(|b| std::ptr::eq(b, one)))
    };
    let ids: Vec<_> = one.compiles.iter().filter(|id| !failed(id)).collect();
    if ids.is_empty() {
        return None;
    }
    let compiles: Vec<usize> = ids.iter().filter_map(|id| model.by_id.get(*id).copied()).collect();
    let reason = if one.reason.is_empty() { "no reason recorded" } else { &one.reason };
    let mut found = Finding::new(Kind::GraphBreak, Severity::Warning, reason.to_owned());
    let folded = one.compiles.len() - ids.len();
    found.count = one.count.saturating_sub(folded as u64).max(1);
    found.detail = one.explanation.clone();
    found.place = place(one);
    found.stack.clone_from(&one.stack);
    found.hints = prose::useful(one.hints.clone());
    found.costs(wasted(model, &compiles), "of tracing thrown away".to_owned(), Vec::new());
    let extra: Vec<usize> = resumed.iter().filter(|(_, at)| *at == index).map(|(c, _)| *c).collect();
    let words = counted(extra.len(), "resume function", "resume functions");
    found.costs(time_of(model, &extra), format!("compiling {words}"), extra);
    found.compiles = compiles;
    if let Some(own) = own_frame(&one.stack).filter(|own| {
        one.file.as_deref().is_some_and(super::super::is_library) && one.file.as_ref() != Some(&own.0)
    }) {
        let (file, line, function, code) = own;
        let code = code.as_deref().unwrap_or_default();
        found.fact("Called from", Value::Code(vec![format!("{file}:{line} in {function}  {code}")]));
    }
    if let Some(context) = &one.context {
        found.fact("When", Value::Prose(context.trim_end_matches(':').to_owned()));
    }
    if let Some(url) = &one.url {
        let name = one.gb_id.as_deref().unwrap_or("torch's page");
        found.read_more = Some((format!("{name} in the graph break catalogue"), url.clone()));
    }
    found.reason = reason.to_owned();
    Some(found)
}

/// Where torch says that it broke, with the line's text from the stack.
fn place(one: &GraphBreak) -> Place {
    let innermost = one.stack.last();
    match innermost.filter(|(file, line, ..)| Some(file) == one.file.as_ref() && Some(*line) == one.line) {
        Some(frame) => place_of(frame),
        None => Place { file: one.file.clone(), line: one.line, ..Place::default() },
    }
}

/// Microseconds of attempts that these compiles threw away.
pub(super) fn wasted(model: &Model, compiles: &[usize]) -> f64 {
    let of = |&index: &usize| model.compiles.get(index)?.outcome()?.wasted_us;
    compiles.iter().filter_map(of).sum()
}

/// Compiles of resume functions, each with the break that made it: the last one before it whose stack has a frame that
/// the function resumes.
fn resume_functions(model: &Model) -> Vec<(usize, usize)> {
    let of_break = |one: &GraphBreak| -> Vec<usize> {
        one.compiles.iter().filter_map(|id| model.by_id.get(id).copied()).collect()
    };
    let breaks: Vec<(Vec<usize>, &GraphBreak)> =
        model.graph_breaks.iter().map(|one| (of_break(one), one)).collect();
    let mut found = Vec::new();
    for (index, compile) in model.compiles.iter().enumerate() {
        let Some(function) = &compile.function else { continue };
        let Some((name, line)) = super::super::resumed(&function.name) else { continue };
        let line = line.parse().ok();
        let led = |one: &GraphBreak| {
            one.stack.iter().any(|(file, at, frame, _)| {
                frame == name && Some(*at) == line && function.file.as_ref().is_none_or(|f| f == file)
            })
        };
        let latest = |compiles: &[usize]| compiles.iter().copied().filter(|c| *c < index).max();
        let causes = breaks.iter().enumerate().filter(|(_, (_, one))| led(one));
        let cause = causes.filter_map(|(at, (compiles, _))| Some((latest(compiles)?, at))).max();
        found.extend(cause.map(|(_, at)| (index, at)));
    }
    found
}
