//! The metrics records of a compile with every field as torch wrote it, and the files that lead there.

use crate::limits::PARAGRAPH;
use crate::model::{Artifact, Compile, Content, Fields, GraphSizes, MetricsRecord};
use crate::report::doc::{Block, Cell, Section, own, page};
use crate::report::kit::log_settings;
use crate::report::kit::markup::fold_below;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::metrics::{about, folded};
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::words::metrics::glosses;
use crate::trace::Md5;
use serde_json::value::RawValue;

/// The anchor of a record on the page of its compile.
pub(super) fn anchor(artifact: &Artifact) -> String {
    format!("metrics-{}", artifact.number)
}

/// The record of a file.
fn record_of<'m>(compile: &'m Compile, artifact: &Artifact) -> Option<&'m MetricsRecord> {
    match artifact.content {
        Content::Metrics(index) => compile.metrics.get(index),
        _ => None,
    }
}

/// The file that upstream has for a record; it leads to the page of the compile, which has the fields.
pub(super) fn page<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    artifact: &'m Artifact,
) -> Option<Page<'m, Worker>> {
    let record = record_of(compile, artifact)?;
    Some(Page::rendered(paths::artifact(compile, artifact, report.settings), move |worker, out| {
        let shell = Shell::of_compile(report, compile, Some(&artifact.name));
        let there = format!("{}#{}", links::compile(report, compile), anchor(artifact));
        let pieces = vec![
            "Metrics of ".into(),
            Cell::Compile { compile, after: ": ".to_owned() },
            own(about(record)).linked(there),
            ".".into(),
        ];
        let note =
            own(format!("They are on the page of the compile. Line {} of the log.", whole(record.line)));
        let verdict = Block::Verdict { sentence: Cell::Beside(pieces, ""), notes: vec![note] };
        page::write_in(shell, report, &[verdict], worker, out)
    }))
}

/// All records of a compile, folded.
pub(super) fn section<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let compile = subject.compile;
    let records = compile.artifacts.iter().filter_map(|it| Some((it, record_of(compile, it)?)));
    let blocks = records.map(|(artifact, record)| {
        Block::Drawn(Box::new(move |view, out| {
            let fold = Element::new("details").class("more").id(&anchor(artifact));
            write_line(out, &fold.open())?;
            write_line(out, &Element::new("summary").around(about(record)))?;
            view.report.with_metrics(record, |fields| Of { view, compile, record, fields }.write(out))??;
            Ok(close(out, "details")?)
        }))
    });
    let blocks: Vec<Block<'m>> = blocks.collect();
    let count = blocks.len();
    let section = Section::new("metrics", "Metrics", blocks).about("all fields, as torch wrote them");
    (count > 0).then(|| section.counted(count).without_tab())
}

/// A record that is shown.
struct Of<'a> {
    view: View<'a>,
    compile: &'a Compile,
    record: &'a MetricsRecord,
    fields: &'a Fields<'a>,
}

impl Of<'_> {
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let set = |field| self.fields.raw(field).is_some_and(|value| value.get() != "null");
        let known = || glosses().any(|(field, _)| set(field));
        let mut about = vec![format!("Line {} of the log", whole(self.record.line)).into()];
        if log_settings::present(self.view.report) && known() {
            let page = self.view.href_with_anchor("configuration.html#fields");
            about.push(self.view.link(&page, "what the fields mean"));
        }
        note_below(out, Html::joined([Html::joined(about, "; "), ".".into()], ""))?;
        self.write_fields(out)
    }

    /// Each field with its value, the long ones folded.
    fn write_fields(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        write!(out, "{}", Element::new("pre").class("value-list single space-above").open().as_str())?;
        let (mut long, mut unset) = (Vec::new(), Vec::new());
        for (field, raw) in self.fields.iter() {
            match self.value(field, raw) {
                None => unset.push(field),
                Some(Value::Short(value)) => {
                    writeln!(out, "{} = {}", Html::content(field).as_str(), value.as_str())?;
                }
                Some(Value::Long(text)) => long.push((field, text)),
            }
        }
        close(out, "pre")?;
        for (field, text) in long {
            write_line(out, &folded(field, &text))?;
        }
        match unset.as_slice() {
            [] => Ok(()),
            [one] => Ok(paragraph_below(out, format!("Not set: {one}."))?),
            several => {
                let summary = format!("{} further fields are not set", whole(several.len()));
                let names = Element::new("p").class("mono").around(several.join(", "));
                Ok(write_line(out, &fold_below(summary, &names))?)
            }
        }
    }

    /// A value as people read it: text without quotes; a link if the page shows the value elsewhere. None for null.
    fn value(&self, field: &str, raw: &RawValue) -> Option<Value> {
        // A configuration has 40 KB and is only linked, so it is not parsed.
        if let Some((_, md5)) = self.record.configs.iter().find(|(name, _)| *name == field)
            && let Some(config) = config(self.view, field, *md5)
        {
            return Some(Value::Short(config));
        }
        // Parsing as the wrong type is avoided: the error would contain the whole text.
        let written = raw.get();
        let of_list = |list: Vec<String>| match list.iter().all(|item| !item.contains(['\n', ','])) {
            true => list.join(", "),
            false => list.join("\n"),
        };
        let text = match written.as_bytes().first() {
            _ if written == "null" => return None,
            Some(b'"') => serde_json::from_str(written).ok(),
            Some(b'[') => serde_json::from_str(written).ok().map(of_list),
            Some(b'{') => named_values(written),
            _ => time_of(field, written),
        };
        let text = text.unwrap_or_else(|| written.to_owned());
        if let Some(link) = self.elsewhere(field, &text) {
            return Some(Value::Short(link));
        }
        let text = text.trim();
        if !text.contains('\n') && !clipped(text, PARAGRAPH).1 {
            return Some(Value::Short(Html::content(text)));
        }
        Some(Value::Long(text.to_owned()))
    }

    /// A link to the place where the page shows a value already.
    fn elsewhere(&self, field: &str, text: &str) -> Option<Html> {
        let view = self.view;
        let (anchor, is_there, words) = match field {
            "stack_trace" => {
                let stack = self.compile.stack.as_deref().unwrap_or_default();
                let line = |frame: &crate::model::Frame| {
                    let number = frame.line.map_or_else(String::new, |line| line.to_string());
                    format!("Line: {number}, Name: {}, Filename: {}", frame.name, view.file(frame))
                };
                let same = !stack.is_empty() && stack.iter().map(line).eq(text.lines());
                ("#stack", same, counted(stack.len(), "frame", "frames"))
            }
            "graph_node_shapes" => {
                let sizes = &self.compile.graph_sizes;
                let same = !sizes.is_empty() && as_python(sizes) == text;
                ("#graph-sizes", same, counted(sizes.len(), "size", "sizes"))
            }
            _ => return None,
        };
        is_there.then(|| view.link(anchor, &words))
    }
}

enum Value {
    Short(Html),
    Long(String),
}

/// A time in microseconds, with the same as people read it.
fn time_of(field: &str, written: &str) -> Option<String> {
    let us: f64 = written.parse().ok().filter(|us| *us >= 1e3 && field.ends_with("_us"))?;
    Some(format!("{written} ({})", micros(us)))
}

/// An object of plain values as people read it: `fx_cache: true, triton_bundling: false`. None for nested values.
fn named_values(json: &str) -> Option<String> {
    let fields = Fields::parse(json).ok()?;
    let pairs = fields.iter().map(|(name, raw)| {
        let text = match raw.get().as_bytes().first()? {
            b'[' | b'{' => return None,
            b'"' => serde_json::from_str(raw.get()).ok()?,
            _ => raw.get().to_owned(),
        };
        Some(format!("{name}: {text}"))
    });
    Some(pairs.collect::<Option<Vec<String>>>()?.join(", "))
}

/// Sizes as Python prints them in a dictionary.
fn as_python(sizes: &GraphSizes) -> String {
    let pairs = sizes.iter().map(|one| format!("'{}': {}", one.value, one.size));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
}

/// A link to a configuration. Torch repeats the same 40 KB with every compile; the report shows it once.
fn config(view: View<'_>, field: &str, md5: Md5) -> Option<Html> {
    let settings = view.report.model.configs.get(&md5)?.settings?;
    let page = view.href_with_anchor(&log_settings::address(field)?);
    let words = counted(settings, "setting", "settings");
    let alike = view.report.model.configs.values().filter(|config| config.field == field).count();
    let words = if alike > 1 { format!("{words}, md5 {}..", clipped(&md5.to_string(), 8).0) } else { words };
    Some(view.link(&page, &words))
}
