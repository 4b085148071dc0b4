//! The four files that readers open most: the captured graph, the graph that Inductor lowers, its code, the guards. A
//! missing one says why.

use crate::analysis::is_capture;
use crate::model::{Artifact, Content, Outcome, Status};
use crate::report::kit::graph_files::graphs_href;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::Subject;

/// Further files of the same kind that are linked by number: those of the backward pass, and of earlier attempts.
const ALSO: usize = 3;

/// A kind of file.
struct Kind {
    title: &'static str,
    /// Beginnings of the names of its records, the best first.
    names: &'static [&'static str],
    /// Whether Inductor writes it.
    by_inductor: bool,
    /// Whether it is shown in the viewer of graphs.
    is_graph: bool,
}

const KINDS: [Kind; 4] = [
    Kind { title: "Dynamo graph", names: &["dynamo_output_graph"], by_inductor: false, is_graph: true },
    Kind {
        title: "Post-grad graph",
        names: &["inductor_post_grad_graph", "after_post_grad_graph"],
        by_inductor: true,
        is_graph: true,
    },
    Kind { title: "Output code", names: &["inductor_output_code"], by_inductor: true, is_graph: false },
    Kind {
        title: "Guards",
        names: &["dynamo_guards", "dynamo_cpp_guards_str"],
        by_inductor: false,
        is_graph: false,
    },
];

#[derive(Serialize)]
struct Wanted {
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    title: Html,
    note: Html,
}

/// The row of files below the title.
pub(crate) fn files(view: View<'_>, subject: Subject<'_>) -> anyhow::Result<Html> {
    let files = KINDS.iter().map(|kind| file(view, subject, kind)).collect();
    view.render("compile_wanted", &Wanted { files })
}

fn file(view: View<'_>, subject: Subject<'_>, kind: &Kind) -> File {
    let artifacts = &subject.compile.artifacts;
    let named = |name: &&str| artifacts.iter().filter(|one| one.name.starts_with(*name)).collect::<Vec<_>>();
    let found = kind.names.iter().map(named).find(|found| !found.is_empty()).unwrap_or_default();
    // The last attempt is the one that counts.
    let last = found.iter().map(|one| one.attempt).max();
    let (kept, earlier): (Vec<&Artifact>, Vec<&Artifact>) =
        found.into_iter().partition(|one| Some(one.attempt) == last);
    let Some((first, rest)) = kept.split_first() else {
        return File { title: kind.title.into(), note: soft(format!("none: {}", missing(subject, kind))) };
    };
    let also = rest.iter().copied().chain(earlier).take(ALSO);
    let also = also.map(|one| view.link(&href(view, subject, kind, one), &one.number.to_string()));
    let also = Html::joined(also, ", ");
    let note = soft(note(subject, kind, first));
    let note = if also.is_empty() { note } else { Html::joined([note, soft("; also"), also], " ") };
    File { title: view.link(&href(view, subject, kind, first), kind.title), note }
}

/// Its page: graphs are read in the viewer.
fn href(view: View<'_>, subject: Subject<'_>, kind: &Kind, artifact: &Artifact) -> String {
    match graphs_href(view, subject.compile).filter(|_| kind.is_graph) {
        Some(viewer) => format!("{viewer}#{}", artifact.number),
        None => view.href(&paths::artifact(subject.compile, artifact, subject.report.settings)),
    }
}

/// How much is in it.
fn note(subject: Subject<'_>, kind: &Kind, artifact: &Artifact) -> String {
    let outcome = subject.compile.outcome();
    let count = match kind.title {
        "Dynamo graph" => outcome
            .and_then(|metrics| metrics.graph_op_count)
            .map(|operators| counted(operators, "operator", "operators")),
        "Guards" => outcome
            .and_then(|metrics| metrics.guard_count)
            .map(|conditions| counted(conditions, "condition", "conditions")),
        _ => None,
    };
    count.unwrap_or_else(|| match &artifact.content {
        Content::Payload(at, _) => bytes(at.text_len as f64),
        _ => format!("file {}", artifact.number),
    })
}

/// Why a compile has no such file.
fn missing(subject: Subject<'_>, kind: &Kind) -> &'static str {
    let compile = subject.compile;
    let has_inductor = || compile.artifacts.iter().any(|one| one.name.starts_with("inductor_"));
    let is_hit = || subject.report.found.cache.get(&subject.index) == Some(&Outcome::Hit);
    match compile.status {
        Status::Error => "the compile failed before it",
        Status::Missing if is_capture(compile) => "a captured backward pass",
        Status::Missing if compile.metrics.is_empty() => "the log ends before it",
        Status::Empty => "no operator was captured",
        _ if kind.by_inductor && is_hit() => "a cache had the result",
        _ if kind.by_inductor && !has_inductor() => "it did not go through Inductor",
        _ => "not in this log",
    }
}
