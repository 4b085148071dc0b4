//! The page of one metrics record: every field as torch wrote it.

use crate::model::{Artifact, Compile, Content, Failure, Fields, GraphSizes, MetricsRecord};
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

/// Values that many fields have, each with its fields.
const PLAIN: [&str; 4] = ["0", "false", "true", "empty"];

/// Characters of a value that stands in the list; longer ones are folded below it.
const LONGEST_VALUE: usize = 600;

/// Bytes of an error's file that is compared with the record's traceback; real ones have 6 KB.
const LONGEST_ERROR: u64 = 1 << 20;

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
        put(out, &view.render("metrics_head", &head)?)?;
        self.write_fields(out)?;
        close_section(out)?;
        Ok(())
    }

    /// Each field with its value: times first, what is long folded below, and what says least together.
    fn write_fields(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let older = older(self.fields);
        let (lines, timed) = self.times(&older);
        if !lines.is_empty() {
            put(out, &Element::new("pre").class("value-list single space-above").around(lines))?;
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
            put(out, &folded(field, &text))?;
        }
        let few = match unset.as_slice() {
            [one] => format!("Not set: {one}."),
            _ => String::new(),
        };
        let seconds = ("The same as a field above, in another unit", older);
        let groups = PLAIN.into_iter().zip(plain).chain([seconds]).filter(|(_, names)| !names.is_empty());
        let groups = groups.map(|(value, names)| format!("{value}: {}.", names.join(", ")));
        let sentences = groups.chain([few]).filter(|sentence| !sentence.is_empty());
        paragraph_below(out, stacked(sentences.map(Html::from)))?;
        if unset.len() > 1 {
            let summary = format!("{} further fields are not set", whole(unset.len()));
            put(out, &fold_below(summary, &Element::new("p").class("mono").around(unset.join(", "))))?;
        }
        Ok(())
    }

    /// Times that are not zero, a line each, those in another below it; and their fields.
    fn times(&self, older: &[&str]) -> (String, Vec<&'static str>) {
        let (mut lines, mut timed, mut around) = (String::new(), Vec::new(), Vec::new());
        for time in &TIMES {
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
            lines.push_str(&format!(
                "{indent}{field} = {raw}{read}
"
            ));
            around.push(time.depth);
            timed.push(field);
        }
        (lines, timed)
    }

    /// A value as people read it: text without quotes, a configuration or what stands elsewhere as the way to it.
    fn value(&self, field: &str, raw: &RawValue) -> anyhow::Result<Value> {
        // A configuration has 40 KB and is not shown here, so it is not read either.
        if let Some((_, md5)) = self.record.configs.iter().find(|(name, _)| *name == field)
            && let Some(config) = config(self.view, field, *md5)
        {
            return Ok(Value::Short(config));
        }
        // What a text is not must not be tried: the error would hold all of the text.
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
        if !text.contains('\n') && !clipped(text, LONGEST_VALUE).1 {
            return Ok(Value::Short(Html::content(text)));
        }
        Ok(Value::Long(text.to_owned()))
    }

    /// Where the page of the compile stands.
    fn page(&self) -> String {
        self.href(&paths::compile_page(self.compile))
    }

    /// Where a file of the report stands, seen from this page.
    fn href(&self, path: &RelPath) -> String {
        self.view.href_beside(path, &self.compile.folder(self.record.attempt))
    }

    /// The way to the place where a value stands already, if it does.
    fn elsewhere(&self, field: &str, text: &str) -> anyhow::Result<Option<Html>> {
        let view = self.view;
        let to = |anchor: &str, words: &str| Some(view.link(&format!("{}#{anchor}", self.page()), words));
        Ok(match field {
            "stack_trace" => {
                let stack = self.compile.stack.as_deref().unwrap_or_default();
                let line = |frame: &crate::model::Frame| {
                    let number = frame.line.map_or_else(String::new, |line| line.to_string());
                    format!("Line: {number}, Name: {}, Filename: {}", frame.name, view.file(frame))
                };
                let same = !stack.is_empty() && stack.iter().map(line).eq(text.lines());
                if same { to("stack", &counted(stack.len(), "frame", "frames")) } else { None }
            }
            "graph_node_shapes" => {
                let sizes = &self.compile.graph_sizes;
                let same = !sizes.is_empty() && as_python(sizes) == text;
                if same { to("graph-sizes", &counted(sizes.len(), "size", "sizes")) } else { None }
            }
            "fail_reason" => {
                let failures = view.report.model.failures.iter();
                let same = |failure: &Failure| {
                    failure.record == self.record.line && failure.reason.as_deref() == Some(text)
                };
                let lines = counted(text.lines().count(), "line", "lines");
                if failures.clone().any(same) { to("failures", &lines) } else { None }
            }
            "exception_stack_trace" => self.error_file(text)?,
            _ => None,
        })
    }

    /// The file of the error that holds this traceback.
    fn error_file(&self, traceback: &str) -> anyhow::Result<Option<Html>> {
        let report = self.view.report;
        let errors = self.compile.artifacts.iter().filter(|a| &*a.name == "dynamo_error");
        for artifact in errors.filter(|a| a.attempt == self.record.attempt) {
            if let Content::Payload(at, _) = &artifact.content
                && at.text_len <= LONGEST_ERROR
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

/// Index in [`PLAIN`] of a value that many fields have.
fn plain_value(raw: &RawValue) -> Option<usize> {
    let text = raw.get();
    let value = match text {
        "\"\"" | "[]" | "{}" | "\"[]\"" | "\"{}\"" => "empty",
        _ if text.parse::<f64>() == Ok(0.0) => "0",
        other => other,
    };
    PLAIN.iter().position(|plain| *plain == value)
}

/// An object of plain values as people read it: `fx_cache: true, triton_bundling: false`. None if a value is a list or
/// an object.
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

/// Sizes as Python prints a dictionary of them.
fn as_python(sizes: &GraphSizes) -> String {
    let pairs = sizes.iter().map(|one| format!("'{}': {}", one.value, one.size));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
}

/// The way to a configuration. Torch repeats the same 40 KB with every compile; the report has it once.
fn config(view: View<'_>, field: &str, md5: Md5) -> Option<Html> {
    let settings = view.report.model.configs.get(&md5)?.settings?;
    let page = view.href_with_anchor(&log_settings::address(field)?);
    let words = counted(settings, "setting", "settings");
    let alike = view.report.model.configs.values().filter(|config| config.field == field).count();
    let words = if alike > 1 { format!("{words}, md5 {}..", clipped(&md5.to_string(), 8).0) } else { words };
    Some(view.link(&page, &words))
}
