//! What of the log was lost, and what nobody knows: how far the rest of the text can be trusted.

use crate::limits::{LIST, LONG_LINE, QUOTE};
use crate::model::ProblemKind;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::markdown::{Markdown, code, plain, prose};
use crate::report::subject::Report;
use crate::report::words::problems::{damaged, problem_words};
use crate::report::words::verdict;

pub(super) fn write(report: Report<'_>, document: &mut Markdown) {
    let integrity = &report.model.integrity;
    let mut part = document.part(6_000);
    part.heading(2, "What was lost");
    part.text(&match damaged(report) {
        _ if report.model.log.records == 0 => {
            format!("{} {}", verdict::sentence(report), verdict::how_to_record(report))
        }
        0 => "Nothing: every line, payload hash and rank is in order.".to_owned(),
        count => plain(&format!(
            "{} damaged or of another rank, so numbers may be too low.",
            counted(count, "record is", "records are")
        )),
    });
    let kinds = ProblemKind::ALL.into_iter().filter(|kind| integrity.count(*kind) > 0);
    let rows = kinds.map(|kind| {
        let (name, meaning) = problem_words(kind);
        vec![name.to_owned(), whole(integrity.count(kind)), meaning.to_owned()]
    });
    part.table(&["Problem", "Count:", "What it means"], rows);
    let rows = integrity.problems.iter().take(LIST).map(|problem| {
        let (name, _) = problem_words(problem.kind);
        vec![whole(problem.line), name.to_owned(), prose(&problem.detail, LONG_LINE)]
    });
    part.table(&["Line of the log:", "Problem", "What was found"], rows);
    if !integrity.unknown_events.is_empty() {
        let unknown = integrity.unknown_events.iter().take(LIST);
        let names = unknown.map(|(key, count)| format!("{} {}", code(key, QUOTE), whole(*count)));
        part.entry(&format!(
            "Events that this version of tlparse does not know, kept as files: {}.",
            names.collect::<Vec<_>>().join(", ")
        ));
    }
    part.end(
        integrity.problems.len().saturating_sub(LIST),
        ("problem", "problems"),
        "`report.json` lists them under `integrity`",
    );
}
