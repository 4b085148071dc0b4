//! The page of one metrics record: every field as torch wrote it.

use crate::limits::{LARGEST_NOTE, PARAGRAPH};
use crate::model::{Artifact, Compile, Content, Fields, GraphSizes, MetricsRecord};
use crate::report::kit::log_settings;
use crate::report::kit::markup::fold_below;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::metrics::{folded, title};
use crate::report::words::metrics::{TIMES, glosses, older};
use crate::trace::Md5;
use serde_json::value::RawValue;

/// The page of one record.
pub(crate) fn page<'m>(
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
            report.with_metrics(record, |fields| Of { view, compile, record, fields }.write(out))?
        })
    }))
}

#[derive(Serialize)]
struct RecordHead {
    title: String,
    id: String,
    function: Html,
    line: String,
    meanings: Option<String>,
}

/// A record that is shown.
struct Of<'a> {
    view: View<'a>,
    compile: &'a Compile,
    record: &'a MetricsRecord,
    fields: &'a Fields<'a>,
}

/// Common values, under which fields are grouped.
const PLAIN: [&str; 4] = ["0", "false", "true", "empty"];

impl Of<'_> {
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let (view, fields) = (self.view, self.fields);
        let attempt = match self.record.attempt {
            0 => String::new(),
            attempt => format!(", attempt {attempt}"),
        };
        let set = |field| fields.raw(field).is_some_and(|value| value.get() != "null");
        let known = || glosses().any(|(field, _)| set(field));
        let explained = log_settings::present(view.report) && known();
        let head = RecordHead {
            title: format!("{}{attempt}", title(self.record.kind)),
            id: self.compile.id.as_ref().map_or_else(|| "no compile".to_owned(), ToString::to_string),
            function: view.named(self.compile),
            line: whole(self.record.line),
            meanings: explained.then(|| view.href_with_anchor("configuration.html#fields")),
        };
        write_line(out, &view.render("metrics_head", &head)?)?;
        self.write_fields(out)?;
        Ok(close_section(out)?)
    }

    /// Each field with its value: times first, then single values, long ones folded, and common values grouped.
    fn write_fields(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let older = older(self.fields);
        let (lines, timed) = self.times(&older);
        if !lines.is_empty() {
            write_line(out, &Element::new("pre").class("value-list single space-above").around(lines))?;
        }
        write!(out, "{}", Element::new("pre").class("value-list space-above").open().as_str())?;
        let (mut plain, mut unset): ([Vec<&str>; PLAIN.len()], Vec<&str>) = Default::default();
        let mut long = Vec::new();
        for (field, raw) in self.fields.iter() {
            if timed.contains(&field) || older.contains(&field) {
                continue;
            }
            if raw.get() == "null" {
                unset.push(field);
                continue;
            }
            if let Some(names) = plain_value(raw).and_then(|at| plain.get_mut(at)) {
                names.push(field);
                continue;
            }
            match self.value(field, raw)? {
                Value::Short(value) => {
                    writeln!(out, "{} = {}", Html::content(field).as_str(), value.as_str())?;
                }
                Value::Long(text) => long.push((field, text)),
            }
        }
        close(out, "pre")?;
        for (field, text) in long {
            write_line(out, &folded(field, &text))?;
        }
        let few = match unset.as_slice() {
            [one] => format!("Not set: {one}."),
            _ => String::new(),
        };
        let seconds = ("Same as a field above, in another unit", older);
        let groups = PLAIN.into_iter().zip(plain).chain([seconds]).filter(|(_, names)| !names.is_empty());
        let groups = groups.map(|(value, names)| format!("{value}: {}.", names.join(", ")));
        let sentences = groups.chain([few]).filter(|sentence| !sentence.is_empty());
        paragraph_below(out, stacked(sentences.map(Html::from)))?;
        if unset.len() > 1 {
            let summary = format!("{} further fields are not set", whole(unset.len()));
            write_line(out, &fold_below(summary, &Element::new("p").class("mono").around(unset.join(", "))))?;
        }
        Ok(())
    }

    /// Non-zero times, one per line, indented below the time that includes them; and their fields.
    fn times(&self, older: &[&str]) -> (String, Vec<&'static str>) {
        let (mut lines, mut timed, mut around) = (String::new(), Vec::new(), Vec::new());
        for time in TIMES.iter() {
            let Some((us, field)) = time.read(self.fields).filter(|(us, _)| *us != 0.0) else { continue };
            let Some(raw) = self.fields.raw(field) else { continue };
            if older.contains(&field) {
                continue;
            }
            while around.last().is_some_and(|depth| *depth >= time.depth) {
                around.pop();
            }
            let (indent, raw) = ("  ".repeat(around.len()), raw.get());
            let read =
                if us < 1e3 && field.ends_with("_us") { String::new() } else { format!(" ({})", micros(us)) };
            lines.push_str(&format!("{indent}{field} = {raw}{read}\n"));
            around.push(time.depth);
            timed.push(field);
        }
        (lines, timed)
    }

    /// A value as people read it: text without quotes; a link if the report shows the value elsewhere.
    fn value(&self, field: &str, raw: &RawValue) -> anyhow::Result<Value> {
        // A configuration has 40 KB and is only linked, so it is not parsed.
        if let Some((_, md5)) = self.record.configs.iter().find(|(name, _)| *name == field)
            && let Some(config) = config(self.view, field, *md5)
        {
            return Ok(Value::Short(config));
        }
        // Parsing as the wrong type is avoided: the error would contain the whole text.
        let written = raw.get();
        let of_list = |list: Vec<String>| match list.iter().all(|item| !item.contains(['\n', ','])) {
            true => list.join(", "),
            false => list.join("\n"),
        };
        let text = match written.as_bytes().first() {
            Some(b'"') => serde_json::from_str(written).ok(),
            Some(b'[') => serde_json::from_str(written).ok().map(of_list),
            Some(b'{') => named_values(written),
            _ => None,
        };
        let text = text.unwrap_or_else(|| written.to_owned());
        if let Some(link) = self.elsewhere(field, &text)? {
            return Ok(Value::Short(link));
        }
        let text = text.trim();
        if !text.contains('\n') && !clipped(text, PARAGRAPH).1 {
            return Ok(Value::Short(Html::content(text)));
        }
        Ok(Value::Long(text.to_owned()))
    }

    /// The address of a file of the report, relative to this page.
    fn href(&self, path: &RelPath) -> String {
        self.view.href_beside(path, &self.compile.folder(self.record.attempt))
    }

    /// A link to the place where the report shows a value already.
    fn elsewhere(&self, field: &str, text: &str) -> anyhow::Result<Option<Html>> {
        let view = self.view;
        let page = self.href(&paths::compile_page(self.compile));
        let to = |is_there: bool, anchor: &str, words: String| {
            is_there.then(|| view.link(&format!("{page}#{anchor}"), &words))
        };
        Ok(match field {
            "stack_trace" => {
                let stack = self.compile.stack.as_deref().unwrap_or_default();
                let line = |frame: &crate::model::Frame| {
                    let number = frame.line.map_or_else(String::new, |line| line.to_string());
                    format!("Line: {number}, Name: {}, Filename: {}", frame.name, view.file(frame))
                };
                let same = !stack.is_empty() && stack.iter().map(line).eq(text.lines());
                to(same, "stack", counted(stack.len(), "frame", "frames"))
            }
            "graph_node_shapes" => {
                let sizes = &self.compile.graph_sizes;
                let same = !sizes.is_empty() && as_python(sizes) == text;
                to(same, "graph-sizes", counted(sizes.len(), "size", "sizes"))
            }
            "fail_reason" => {
                // Failures are in the order of their records.
                let failures = &view.report.model.failures;
                let at = failures.binary_search_by_key(&self.record.line, |failure| failure.record);
                let failure = at.ok().and_then(|at| failures.get(at));
                let same = failure.is_some_and(|failure| failure.reason.as_deref() == Some(text));
                to(same, "failures", counted(text.lines().count(), "line", "lines"))
            }
            "exception_stack_trace" => self.error_file(text)?,
            _ => None,
        })
    }

    /// A link to the file of the error with this traceback.
    fn error_file(&self, traceback: &str) -> anyhow::Result<Option<Html>> {
        let report = self.view.report;
        let errors = self.compile.artifacts.iter().filter(|a| &*a.name == "dynamo_error");
        for artifact in errors.filter(|a| a.attempt == self.record.attempt) {
            if let Content::Payload(at, _) = &artifact.content
                && at.text_len <= LARGEST_NOTE
                && report.payload(at)?.contains(traceback.trim())
            {
                let file = paths::artifact(self.compile, artifact, report.settings);
                let words =
                    format!("{}, {}", artifact.name, counted(traceback.lines().count(), "line", "lines"));
                return Ok(Some(self.view.link(&self.href(&file), &words)));
            }
        }
        Ok(None)
    }
}

enum Value {
    Short(Html),
    Long(String),
}

/// The index of a common value in [`PLAIN`].
fn plain_value(raw: &RawValue) -> Option<usize> {
    let text = raw.get();
    let value = match text {
        "\"\"" | "[]" | "{}" | "\"[]\"" | "\"{}\"" => "empty",
        _ if text.parse::<f64>() == Ok(0.0) => "0",
        other => other,
    };
    PLAIN.iter().position(|plain| *plain == value)
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
