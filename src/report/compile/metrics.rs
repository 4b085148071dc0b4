//! All that the metrics records of a compile say, and the page of each record.

use super::Subject;
use super::times::write_times;
use super::why::text;
use crate::model::{Artifact, Compile, Fields, MetricsKind, MetricsRecord};
use crate::output::Page;
use crate::report::metric_fields::{GRAPH, meaning};
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::shell::{Shell, Tab, write_page};
use crate::report::units::{bytes, count, counted, whole};
use crate::report::{Html, Report, Worker, paths};
use crate::trace::Md5;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;

/// The metrics of a compile: what describes the graph, custom operators, then each record whole.
pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let records = &subject.compile.metrics;
    if records.is_empty() {
        return Ok(());
    }
    let note = "as torch wrote them";
    view.open_section(out, ("metrics", "Metrics", note), Some(whole(records.len())), Html::default())?;
    let forward = records.iter().rposition(|m| m.kind == MetricsKind::Forward);
    let main = forward.unwrap_or(records.len() - 1);
    for (index, record) in records.iter().enumerate() {
        subject.report.with_fields(record.header, record.first_line, |fields| {
            if index == main {
                write_graph(view, out, fields)?;
            }
            writeln!(out, "{}", summary(record, fields, records.len() == 1).as_str())?;
            if index != main {
                write_times(view, out, fields, &format!("times-{}", record.number))?;
                write_graph(view, out, fields)?;
            }
            write_fields(view, out, fields, (record, true))?;
            writeln!(out, "</details>").map_err(anyhow::Error::from)
        })??;
    }
    writeln!(out, "</section>")?;
    Ok(())
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

/// The fold of one record begins.
fn summary(record: &MetricsRecord, fields: &Fields<'_>, only: bool) -> Html {
    let set = fields.iter().filter(|(_, value)| value.get() != "null").count();
    let all = fields.iter().count();
    let attempt = if record.attempt > 0 { format!(" of attempt {}", record.attempt) } else { String::new() };
    let words = if only { "All fields".to_owned() } else { format!("{}{attempt}", title(record.kind)) };
    let size = format!(
        "{} set of {}, line {} of the log",
        whole(set),
        counted(all, "field", "fields"),
        whole(record.line)
    );
    Html::trusted(format!(
        "<details class=\"fold after\" id=\"record-{}\"><summary class=\"tw\">{words} <span class=\"soft\">{size}</span></summary>",
        record.number
    ))
}

/// Counts of the graph and custom operators, as labels and values.
fn write_graph(view: View<'_>, out: &mut dyn Write, fields: &Fields<'_>) -> anyhow::Result<()> {
    let counts = GRAPH.iter().filter_map(|(field, title, about)| {
        let number = fields.number(field)?;
        let shown = if field.ends_with("_bytes") { bytes(number) } else { count(number) };
        let about = Html::escaped(about);
        Some((*title, Html::trusted(format!("{shown} <span class=\"soft\">{}</span>", about.as_str()))))
    });
    let mut facts: Vec<(&str, Html)> = counts.collect();
    for (field, title) in [
        ("compliant_custom_ops", "Custom operators, compliant"),
        ("non_compliant_ops", "Custom operators, not compliant"),
    ] {
        let Some(ops) = fields.get::<Vec<String>>(field) else { continue };
        let names = Html::joined(ops.iter().map(|op| view.code(op)), ", ");
        facts.push((title, if ops.is_empty() { Html::escaped("none") } else { names }));
    }
    writeln!(out, "{}", view.facts(facts)?.as_str())?;
    Ok(())
}

/// Every field that is set, with its value and what it means; the names of the others.
fn write_fields(
    view: View<'_>,
    out: &mut dyn Write,
    fields: &Fields<'_>,
    (record, on_compile_page): (&MetricsRecord, bool),
) -> anyhow::Result<()> {
    let (set, unset): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.get() != "null");
    let heads = vec![Head::text("Field"), Head::unsorted("What it means"), Head::unsorted("Value")];
    let id = format!("fields-{}", record.number);
    let table = Table { id: &id, label: "Fields of the record", heads };
    let rows = set.into_iter().map(|(field, raw)| {
        Ok(Row::of(vec![
            Td::text(field).class("mono"),
            Td::text(meaning(field)).class("soft"),
            Td::html(value(view, field, raw, (record, on_compile_page))),
        ]))
    });
    view.table(out, &table, rows)?;
    if !unset.is_empty() {
        let names: Vec<&str> = unset.iter().map(|(field, _)| *field).collect();
        let names = Html::escaped(&names.join(", "));
        writeln!(out, "<p class=\"soft after\">Not set: <span class=\"mono\">{}</span></p>", names.as_str())?;
    }
    Ok(())
}

/// A value as people read it: text without quotes, a list as one item a line, a configuration as its settings.
fn value(view: View<'_>, field: &str, raw: &RawValue, (record, shown): (&MetricsRecord, bool)) -> Html {
    let string = serde_json::from_str::<String>(raw.get()).ok();
    if let Some((_, md5)) = record.configs.iter().find(|(name, _)| *name == field)
        && let Some(config) =
            config(view, (field, string.as_deref().unwrap_or(raw.get())), (record, shown), *md5)
    {
        return config;
    }
    if let Ok(list) = serde_json::from_str::<Vec<String>>(raw.get()) {
        return if list.is_empty() {
            Html::escaped("none")
        } else {
            lines(view, &list.join("\n"), MOST_LINES)
        };
    }
    lines(view, string.as_deref().unwrap_or(raw.get()), MOST_LINES)
}

/// A configuration: its settings where the log has it first, else a link there. Torch repeats the same 40 KB with every
/// compile.
fn config(
    view: View<'_>,
    (field, json): (&str, &str),
    (record, shown): (&MetricsRecord, bool),
    md5: Md5,
) -> Option<Html> {
    let settings = settings(json)?;
    let first = view.report.model.configs.get(&md5)?;
    let anchor = format!("config-{md5}");
    if !shown || first.header != record.header || first.field != field {
        let compile = view.report.model.compiles.get(first.compile)?;
        let href = format!("{}#{anchor}", view.href(&paths::compile_page(compile)));
        let (href, label) = (Html::escaped(&href), Html::escaped(&compile.label()));
        return Some(Html::trusted(format!(
            "<a href=\"{}\">the settings shown with {}</a>",
            href.as_str(),
            label.as_str()
        )));
    }
    let lines = counted(settings.lines().count(), "setting", "settings");
    Some(Html::trusted(format!(
        "<details class=\"fold\" id=\"{anchor}\"><summary class=\"tw\">{lines} <span class=\"soft\">md5 \
         {md5}</span></summary>{}</details>",
        text(&settings).as_str()
    )))
}

/// Characters and lines of a value beyond which it is folded.
const LONGEST_VALUE: usize = 600;
const MOST_LINES: usize = 8;

/// Code or text; of more than `most` lines it is folded behind the first.
pub(super) fn lines(view: View<'_>, value: &str, most: usize) -> Html {
    if !value.trim().contains('\n') {
        return view.folded(value, true);
    }
    let count = value.lines().count();
    if count <= most && value.len() <= LONGEST_VALUE {
        return text(value);
    }
    let first = value.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let first = view.code(crate::report::units::clipped(first, 120).0);
    Html::trusted(format!(
        "<details class=\"fold\"><summary class=\"tw\">{} … <span class=\"soft\">{}</span></summary>{}</details>",
        first.as_str(),
        counted(count, "line", "lines"),
        text(value).as_str()
    ))
}

/// One line a setting: `name: value`.
fn settings(config: &str) -> Option<String> {
    let fields = Fields::parse(config).ok()?;
    let lines = fields.iter().map(|(name, value)| format!("{name}: {}", value.get()));
    Some(lines.collect::<Vec<_>>().join("\n"))
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
        let mut shell = Shell::of_compile(report, compile, Some(&artifact.name));
        shell.tabs = vec![
            Tab::section("times", "Times", None),
            Tab::section("graph", "Graph", None),
            Tab::section("all", "All fields", None),
        ];
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
    sections: Vec<SectionLink>,
    stack: bool,
}

#[derive(Serialize)]
struct SectionLink {
    id: &'static str,
    title: String,
    rows: String,
}

fn write_record(
    view: View<'_>,
    (compile, record): (&Compile, &MetricsRecord),
    fields: &Fields<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let sections = super::sections(compile).into_iter();
    let sections =
        sections.map(|s| SectionLink { id: s.id, title: s.title.clone(), rows: whole(s.rows.len()) });
    let attempt = if record.attempt > 0 { format!(", attempt {}", record.attempt) } else { String::new() };
    let head = RecordHead {
        title: format!("{}{attempt}", title(record.kind)),
        pill: view.pill(compile)?,
        function: compile.function.as_ref().map(|f| view.function(&f.name)).unwrap_or_default(),
        page: view.href(&paths::compile_page(compile)),
        line: whole(record.line),
        sections: sections.collect(),
        stack: compile.stack.is_some(),
    };
    writeln!(out, "{}", view.render("metrics_head", &head)?.as_str())?;
    view.open_section(
        out,
        ("times", "Times", "a time includes those indented below it"),
        None,
        Html::default(),
    )?;
    write_times(view, out, fields, "times-table")?;
    writeln!(out, "</section>")?;
    view.open_section(out, ("graph", "Graph", "what was captured and lowered"), None, Html::default())?;
    write_graph(view, out, fields)?;
    writeln!(out, "</section>")?;
    view.open_section(out, ("all", "All fields", "as torch wrote them"), None, Html::default())?;
    write_fields(view, out, fields, (record, false))?;
    writeln!(out, "</section>")?;
    Ok(())
}
