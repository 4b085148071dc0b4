//! What the metrics records of a compile say of its graph, and the way to each record.

use super::Subject;
use super::why::text;
use crate::model::{Compile, Content, Fields, MetricsKind, MetricsRecord};
use crate::report::metric_fields::GRAPH;
use crate::report::parts::View;
use crate::report::units::{bytes, clipped, count, counted, micros, whole};
use crate::report::{Html, paths};
use std::io::Write;

/// The metrics of a compile: what the head of the page does not say of its graph, then each record with the way to its
/// page, which has every field.
pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let records = &subject.compile.metrics;
    let Some(main) = main_record(subject.compile) else { return Ok(()) };
    let note = "numbers of this compile, as torch wrote them";
    view.open_section(out, ("metrics", "Metrics", note), Some(whole(records.len())), Html::default())?;
    subject.report.with_fields(main.header, main.first_line, |fields| write_graph(view, out, fields))??;
    writeln!(out, "<ul class=\"after\">")?;
    for artifact in &subject.compile.artifacts {
        let Content::Metrics(index) = artifact.content else { continue };
        let Some(record) = records.get(index) else { continue };
        let path = paths::artifact(subject.compile, artifact, subject.report.settings);
        let page = view.href_beside(&path, &subject.compile.folder(0));
        writeln!(out, "{}", entry(view, subject, record, &page)?.as_str())?;
    }
    writeln!(out, "</ul></section>")?;
    Ok(())
}

/// The record whose times stand on the page of the compile: the last forward one, else the last.
pub(super) fn main_record(compile: &Compile) -> Option<&MetricsRecord> {
    let records = &compile.metrics;
    records.iter().rfind(|m| m.kind == MetricsKind::Forward).or(records.last())
}

/// What a kind of record measures.
pub(super) fn title(kind: MetricsKind) -> &'static str {
    match kind {
        MetricsKind::Forward => "Forward compile",
        MetricsKind::Backward | MetricsKind::AotBackward => "Backward compile",
        MetricsKind::Runtime => "While the model ran",
        MetricsKind::BackwardRuntime => "While the backward ran",
    }
}

/// One record: what it measures, its time, and where all its fields stand.
fn entry(view: View<'_>, subject: Subject<'_>, record: &MetricsRecord, page: &str) -> anyhow::Result<Html> {
    let set = subject.report.with_fields(record.header, record.first_line, |fields| {
        fields.iter().filter(|(_, value)| value.get() != "null").count()
    })?;
    let attempt = if record.attempt > 0 { format!(" of attempt {}", record.attempt) } else { String::new() };
    let words = format!("{}{attempt}, {}", title(record.kind), counted(set, "field", "fields"));
    let time = record.total_us().map(|us| format!("{}, ", micros(us))).unwrap_or_default();
    Ok(Html::trusted(format!(
        "<li id=\"record-{}\">{} <span class=\"soft\">{time}line {} of the log</span>",
        record.number,
        view.link(page, &words).as_str(),
        whole(record.line)
    )))
}

/// Counts that the head of the page shows.
const IN_HEAD: [&str; 4] = ["graph_op_count", "graph_node_count", "graph_input_count", "guard_count"];

/// Further counts of the graph, and custom operators, as labels and values.
fn write_graph(view: View<'_>, out: &mut dyn Write, fields: &Fields<'_>) -> anyhow::Result<()> {
    let counts =
        GRAPH.iter().filter(|(field, ..)| !IN_HEAD.contains(field)).filter_map(|(field, title, _)| {
            let number = fields.number(field).filter(|number| *number != 0.0)?;
            let shown = if field.ends_with("_bytes") { bytes(number) } else { count(number) };
            Some((*title, Html::escaped(&shown)))
        });
    let mut facts: Vec<(&str, Html)> = counts.collect();
    for (field, title) in [
        ("compliant_custom_ops", "Custom operators, compliant"),
        ("non_compliant_ops", "Custom operators, not compliant"),
    ] {
        let ops = fields.get::<Vec<String>>(field).unwrap_or_default();
        if !ops.is_empty() {
            facts.push((title, Html::joined(ops.iter().map(|op| view.code(op)), ", ")));
        }
    }
    if !facts.is_empty() {
        writeln!(out, "{}", view.facts(facts)?.as_str())?;
    }
    Ok(())
}

/// Characters of a value beyond which it is folded, and of its beginning that stands before the fold.
const LONGEST_VALUE: usize = 600;
const LONGEST_START: usize = 120;

/// Code or text; of more than `most` lines it is folded behind the first.
pub(super) fn lines(value: &str, most: usize) -> Html {
    let one_line = !value.trim().contains('\n');
    if one_line && value.len() <= LONGEST_VALUE {
        return Html::escaped(value);
    }
    if value.lines().count() <= most && value.len() <= LONGEST_VALUE {
        return text(value);
    }
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    fold(&format!("{} …", clipped(first, LONGEST_START).0), value)
}

/// A long text folded behind `words`, and its size.
pub(super) fn fold(words: &str, value: &str) -> Html {
    let size = match value.trim().lines().count() {
        0 | 1 => counted(value.chars().count(), "character", "characters"),
        lines => counted(lines, "line", "lines"),
    };
    Html::trusted(format!(
        "<details class=\"fold\"><summary class=\"tw\">{} <span class=\"soft\">{size}</span></summary>{}</details>",
        Html::content(words).as_str(),
        text(value).as_str()
    ))
}
