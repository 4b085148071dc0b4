//! The outcome of a compile, in a sentence or two.

use crate::model::{Outcome, Status};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::Subject;
use crate::trace::{CompileId, TextSet};

/// Characters of a failure's first line in the sentence; the whole text follows below.
const LONGEST_REASON: usize = 160;

/// Older compiles that are named.
const MOST_OLDER: usize = 4;

pub(crate) fn outcome_and_cause(view: View<'_>, subject: Subject<'_>) -> Html {
    let sentences =
        [Some(outcome(view, subject)), origin(view, subject), troubles(view, subject), caches(subject)];
    Html::joined(sentences.into_iter().flatten(), " ")
}

fn outcome(view: View<'_>, subject: Subject<'_>) -> Html {
    let compile = subject.compile;
    let words = match compile.status {
        Status::Error => return failure(view, subject),
        _ if compile.id.is_none() => {
            "Records without a compile id: written outside of any compile, or by a tool that sets none."
        }
        Status::Missing if view.report.found.export.compiles.contains(&subject.index) => {
            "An export: torch writes no metrics for it. The export report has its outcome."
        }
        Status::Missing if compile.metrics.is_empty() => {
            "No metrics: the log ends before the compile does, or its process was killed."
        }
        Status::Missing => "This log has metrics of the backward only, not of the forward.",
        Status::Empty if compile.outcome().is_some_and(|m| m.has_guarded_code == Some(false)) => {
            "Nothing was compiled: Dynamo found no operator to capture, and the frame runs unchanged."
        }
        Status::Empty => "No operator was captured: the frame runs as Python, behind guards.",
        Status::Break => "Compiled up to a graph break.",
        Status::Ok => "Compiled.",
    };
    let only_restarted = compile.status == Status::Break && subject.of.breaks.is_empty();
    Html::escaped(if only_restarted { "Compiled after tracing restarted." } else { words })
}

fn failure(view: View<'_>, subject: Subject<'_>) -> Html {
    let Some(failure) = subject.of.failures.last() else { return Html::escaped("Failed.") };
    let mut lines =
        failure.reason.as_deref().unwrap_or_default().lines().filter(|line| !line.trim().is_empty());
    let mut line = lines.next().map(|line| line.trim().to_owned());
    // `backend='x' raised:` means nothing without the next line.
    if let (Some(first), Some(next)) = (line.as_mut().filter(|line| line.ends_with(':')), lines.next()) {
        first.push(' ');
        first.push_str(next.trim());
    }
    let error = view.code(&failure.error);
    match line.as_deref().map(|line| clipped(line, LONGEST_REASON)) {
        None => Html::joined(["Failed with ".into(), error, ".".into()], ""),
        Some((line, cut)) => {
            let end = match cut {
                true => "…",
                false if line.ends_with(['.', '!', '?']) => "",
                false => ".",
            };
            Html::joined(["Failed with ".into(), error, format!(": {line}{end}").into()], "")
        }
    }
}

/// Which compile of its function it is.
fn origin(view: View<'_>, subject: Subject<'_>) -> Option<Html> {
    let named = subject.compile.function.is_some();
    let id = subject.compile.id.as_ref().filter(|id| named && id.has_frame());
    let (true, true, Some(id)) = (subject.is_first(), subject.of.recompiles.is_empty(), id) else {
        return recompile(view, subject);
    };
    let words = match id.version() {
        Some(0) | None => "First compile of its function.",
        Some(_) => "Earlier compiles of its function are not in this log.",
    };
    Some(Html::escaped(words))
}

fn recompile(view: View<'_>, subject: Subject<'_>) -> Option<Html> {
    let (mut older, mut known) = (Vec::new(), TextSet::default());
    for against in subject.of.recompiles.iter().flat_map(|r| &r.reasons).filter_map(|r| r.against.as_deref())
    {
        let id = CompileId::parse(against).filter(|id| Some(id) != subject.compile.id.as_ref());
        older.extend(id.filter(|id| known.insert(id.clone())));
    }
    let first = subject.chain.first().filter(|first| **first != subject.index);
    if older.is_empty() && subject.of.recompiles.is_empty() {
        let pill = view.pill(subject.report.model.compiles.get(*first?)?);
        let words = "; the log does not say why it was recompiled.";
        return Some(Html::joined(["Same code as ".into(), pill, words.into()], ""));
    }
    let pills = older.iter().take(MOST_OLDER).map(|id| view.pill_of(Some(id)));
    let pills = Html::joined(pills, " ");
    let end = format!("{}.", and_more(older.len(), MOST_OLDER));
    let link = view.link("#recompilation", "recompile");
    let between = if older.is_empty() { "" } else { " of " };
    Some(Html::joined(["A ".into(), link, between.into(), pills, end.into()], ""))
}

fn troubles(view: View<'_>, subject: Subject<'_>) -> Option<Html> {
    let (breaks, restarts) = (subject.of.breaks.len(), subject.of.restarts.len());
    match subject.compile.status {
        Status::Ok => return Some(Html::escaped("No graph break, no restart.")),
        _ if breaks + restarts == 0 => return None,
        _ => {}
    }
    let mut parts = Vec::new();
    if breaks > 0 {
        parts.push(view.link("#breaks", &counted(breaks, "graph break", "graph breaks")));
    }
    if restarts > 0 {
        parts.push(view.link("#restarts", &counted(restarts, "restart", "restarts")));
    }
    Some(Html::wrapped("", &Html::joined(parts, ", "), "."))
}

fn caches(subject: Subject<'_>) -> Option<Html> {
    let caches = subject.of.caches;
    let hit = !caches.is_empty() && caches.iter().all(|c| c.outcome == Outcome::Hit);
    hit.then(|| {
        Html::escaped(if caches.len() == 1 { "The cache lookup hit." } else { "All cache lookups hit." })
    })
}
