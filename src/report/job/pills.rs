//! Compiles of ranks as pills.

use super::view::JobView;
use crate::analysis::job::NamedFunction;
use crate::facts::ranks::{Aspect, FactValue, RankSummary, Step};
use crate::report::kit::html::Html;
use crate::report::kit::pills::{Pill, known_status};

/// A compile of a rank with its status.
pub(super) fn pill_of(view: JobView<'_>, rank: &RankSummary, text: &str) -> Html {
    let job = view.report.job;
    let known = |step: &&Step| job.texts.maybe(step.compile) == Some(text);
    let status = rank.fact(Aspect::Status).and_then(|steps| steps.iter().find(known));
    let href = status.map(|_| view.compile_page(rank, text));
    let word = status.and_then(|step| match step.value? {
        FactValue::Status(status) => Some(job.texts.get(status)),
        _ => None,
    });
    let word = word.and_then(known_status);
    let graph = status.and_then(|step| step.graph);
    let title = NamedFunction::of_graph(&job.texts, graph).map(|name| name.plain());
    Pill { id: text, status: word, href: href.as_deref(), title: title.as_deref() }.html()
}
