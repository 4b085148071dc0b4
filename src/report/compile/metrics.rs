//! All that the metrics records of a compile say, and the page of each record.

use super::Subject;
use super::times::write_times;
use super::why::text;
use crate::model::{Artifact, Compile, Content, Fields, MetricsKind, MetricsRecord};
use crate::output::Page;
use crate::report::metric_fields::{GRAPH, TIMES, meaning};
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::shell::{Shell, write_page};
use crate::report::units::{bytes, clipped, count, counted, micros, whole};
use crate::report::{Html, Report, Worker, configuration, paths};
use crate::trace::Md5;
use serde::Serialize;
use serde_json::value::RawValue;
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
        let page = view.href(&paths::artifact(subject.compile, artifact, subject.report.settings));
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
fn title(kind: MetricsKind) -> &'static str {
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

/// Every field that is set, with its value and what it means; how many others there are.
fn write_fields(
    view: View<'_>,
    out: &mut dyn Write,
    fields: &Fields<'_>,
    record: &MetricsRecord,
) -> anyhow::Result<()> {
    let (set, unset): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.get() != "null");
    let heads = vec![
        Head::unsorted("Field").mono(),
        Head::unsorted("Value").mono(),
        Head::unsorted("What it means").soft(),
    ];
    let table = Table { id: "fields", label: "Fields of the record", heads };
    let rows = set.into_iter().map(|(field, raw)| {
        Ok(Row::of(vec![
            Td::text(field),
            Td::html(value(view, field, raw, (fields, record))),
            Td::text(meaning(field)),
        ]))
    });
    view.whole_table(out, &table, rows)?;
    let unset = match unset.as_slice() {
        [] => return Ok(()),
        [(one, _)] => format!("Not set: {one}."),
        many => format!("{} further fields are not set (null in raw.jsonl).", whole(many.len())),
    };
    writeln!(out, "<p class=\"soft after\">{}</p>", Html::escaped(&unset).as_str())?;
    Ok(())
}

/// A value as people read it: text without quotes, a list as one item a line, a configuration as the way to it.
fn value(
    view: View<'_>,
    field: &str,
    raw: &RawValue,
    (fields, record): (&Fields<'_>, &MetricsRecord),
) -> Html {
    let string = serde_json::from_str::<String>(raw.get()).ok();
    if let Some((_, md5)) = record.configs.iter().find(|(name, _)| *name == field)
        && let Some(config) = config(view, (field, string.as_deref().unwrap_or(raw.get())), *md5)
    {
        return config;
    }
    if let Ok(list) = serde_json::from_str::<Vec<String>>(raw.get()) {
        return if list.is_empty() { Html::escaped("none") } else { lines(&list.join("\n"), MOST_LINES) };
    }
    let text = lines(string.as_deref().unwrap_or(raw.get()), MOST_LINES);
    let time = TIMES.iter().filter_map(|time| time.read(fields)).find(|(_, from)| *from == field);
    match time {
        Some((us, _)) if us != 0.0 => {
            Html::trusted(format!("{} <small>{}</small>", text.as_str(), micros(us)))
        }
        _ => text,
    }
}

/// The way to a configuration. Torch repeats the same 40 KB with every compile; the report has it once.
fn config(view: View<'_>, (field, json): (&str, &str), md5: Md5) -> Option<Html> {
    let settings = Fields::parse(json).ok()?.iter().count();
    let page = view.href_with_anchor(&configuration::address(field)?);
    let md5 = md5.to_string();
    let words = format!("{}, md5 {}..", counted(settings, "setting", "settings"), clipped(&md5, 8).0);
    Some(view.link(&page, &words))
}

/// Characters and lines of a value beyond which it is folded.
const LONGEST_VALUE: usize = 600;
const MOST_LINES: usize = 8;

/// Code or text; of more than `most` lines it is folded behind the first.
pub(super) fn lines(value: &str, most: usize) -> Html {
    let one_line = !value.trim().contains('\n');
    if one_line && value.len() <= LONGEST_VALUE {
        return Html::escaped(value);
    }
    let count = value.lines().count();
    if count <= most && value.len() <= LONGEST_VALUE {
        return text(value);
    }
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let first = Html::escaped(clipped(first, 120).0);
    let size = if one_line {
        counted(value.chars().count(), "character", "characters")
    } else {
        counted(count, "line", "lines")
    };
    Html::trusted(format!(
        "<details class=\"fold\"><summary class=\"tw\">{} … <span class=\"soft\">{size}</span></summary>{}</details>",
        first.as_str(),
        text(value).as_str()
    ))
}

/// The page of one record.
pub(super) fn page<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    artifact: &'m Artifact,
    index: usize,
) -> Option<Page<'m, Worker>> {
    let record = compile.metrics.get(index)?;
    let path = paths::artifact(compile, artifact, report.settings);
    Some(Page::rendered(path, move |worker, out| {
        let shell = Shell::of_compile(report, compile, Some(&artifact.name));
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 1);
            report.with_fields(record.header, record.first_line, |fields| {
                write_record(view, (compile, record), fields, out)
            })?
        })
    }))
}

#[derive(Serialize)]
struct RecordHead {
    title: String,
    pill: Html,
    function: Html,
    page: String,
    line: String,
}

fn write_record(
    view: View<'_>,
    (compile, record): (&Compile, &MetricsRecord),
    fields: &Fields<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let attempt = if record.attempt > 0 { format!(", attempt {}", record.attempt) } else { String::new() };
    let head = RecordHead {
        title: format!("{}{attempt}", title(record.kind)),
        pill: view.pill_beside(compile)?,
        function: compile.function.as_ref().map(|f| view.function(&f.name)).unwrap_or_default(),
        page: view.href(&paths::compile_page(compile)),
        line: whole(record.line),
    };
    writeln!(out, "{}", view.render("metrics_head", &head)?.as_str())?;
    let on_compile_page = main_record(compile).is_some_and(|main| main.number == record.number);
    if !on_compile_page {
        let about = "a time includes those indented below it";
        view.open_section(out, ("times", "Times", about), None, Html::default())?;
        write_times(view, out, fields, "times-table")?;
        writeln!(out, "</section>")?;
    }
    view.open_section(out, ("all", "All fields", "as torch wrote them"), None, Html::default())?;
    write_fields(view, out, fields, record)?;
    writeln!(out, "</section>")?;
    Ok(())
}
