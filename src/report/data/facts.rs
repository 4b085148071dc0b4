//! report.json: the model and the findings. It is streamed, and the metrics records are read again one by one.

use crate::analysis::Step;
use crate::model::{
    BorrowedText, CONFIG_FIELDS, CacheLookup, Compile, CompileIndex, Content, Frame, GraphBreak,
    MetricsRecord, ProblemKind, Reason, Recompile, TextFrame,
};
use crate::report::data::cross_rank::CrossRank;
use crate::report::data::entries::{Each, id_text};
use crate::report::data::measured::measured;
use crate::report::data::raw::{compact, readable};
use crate::report::kit::log_text::RecordFields;
use crate::report::kit::paths;
use crate::report::subject::Report;
use fxhash::FxHashMap;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::Write;

/// Writes report.json of one log.
pub(crate) fn write(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, &LogReport(report))?;
    Ok(out.write_all(b"\n")?)
}

struct LogReport<'m>(Report<'m>);

impl Serialize for LogReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let model = report.model;
        let time = &report.found.time;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &2)?;
        map.serialize_entry("kind", "log")?;
        map.serialize_entry("tool", &json!({ "name": "tlparse", "version": env!("CARGO_PKG_VERSION") }))?;
        let torch = model.torch.as_ref().map(|t| json!({ "version": t.version, "commit": t.commit }));
        map.serialize_entry("torch", &torch)?;
        map.serialize_entry("log", &log(report))?;
        map.serialize_entry("integrity", &integrity(report))?;
        map.serialize_entry(
            "compiles",
            &Each(|| model.compiles.indexed().map(|(index, compile)| CompileView { report, index, compile })),
        )?;
        map.serialize_entry("configs", &Configs(report))?;
        map.serialize_entry("graph_breaks", &Each(|| model.graph_breaks.iter().map(graph_break)))?;
        let steps = recompile_steps(report);
        let recompiles = || model.recompiles.iter().map(|entry| recompile(report, &steps, entry));
        map.serialize_entry("recompiles", &Each(recompiles))?;
        map.serialize_entry("failures", &Each(|| failures(report)))?;
        map.serialize_entry("restarts", &Each(|| restarts(report)))?;
        map.serialize_entry("caches", &Each(|| model.caches.iter().map(|c| cache(report, c))))?;
        let phase = |p: &crate::analysis::Phase| json!({ "name": &*p.name, "self_s": p.self_s, "total_s": p.total_s, "count": p.count });
        let phases: Vec<Value> = time.phases.iter().map(phase).collect();
        map.serialize_entry(
            "compile_time",
            &json!({
                "total_s": time.total_s,
                "parts": super::times::of_log(&report.found.split),
                "one_offs": super::times::one_offs(report),
                "phases": phases,
            }),
        )?;
        map.serialize_entry("cross_rank", &CrossRank(report))?;
        map.serialize_entry("findings", &Each(|| crate::report::data::findings(report)))?;
        map.serialize_entry("performance", &report.found.performance.as_ref().map(measured))?;
        map.end()
    }
}

fn log(report: Report<'_>) -> Value {
    let log = &report.model.log;
    json!({
        "file": log.file,
        "bytes": log.bytes,
        "records": log.records,
        "rank": log.rank,
        "pids": log.pids,
        "first_time": report.model.time(log.first),
        "last_time": report.model.time(log.last),
    })
}

fn integrity(report: Report<'_>) -> Value {
    let integrity = &report.model.integrity;
    let mut map = serde_json::Map::new();
    map.insert("ok".to_owned(), json!(integrity.ok()));
    for kind in ProblemKind::ALL {
        map.insert(kind.name().to_owned(), json!(integrity.count(kind)));
    }
    map.insert("events".to_owned(), json!(integrity.events));
    map.insert("artifacts".to_owned(), json!(integrity.artifacts));
    map.insert("unknown_events".to_owned(), json!(integrity.unknown_events));
    let problems = integrity.problems.iter();
    let problems = problems.map(|p| json!({ "line": p.line, "kind": p.kind.name(), "detail": p.detail }));
    map.insert("problems".to_owned(), problems.collect());
    Value::Object(map)
}

struct CompileView<'m> {
    report: Report<'m>,
    index: CompileIndex,
    compile: &'m Compile,
}

impl Serialize for CompileView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (report, compile) = (self.report, self.compile);
        let attempts = compile.attempts.iter();
        let attempts = attempts.map(|a| json!({ "attempt": a.number, "dir": compile.folder(a.number) }));
        let function = compile.function.as_ref();
        let function = function.map(|f| json!({ "name": f.name, "file": f.file, "line": f.line }));
        let stack = compile.stack.as_ref();
        let metrics = || compile.metrics.iter().map(|record| MetricsView { report, record });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &id_text(&compile.id))?;
        map.serialize_entry("status", compile.status.word())?;
        map.serialize_entry("function", &function)?;
        map.serialize_entry("attempts", &attempts.collect::<Vec<_>>())?;
        map.serialize_entry("occurrences", &compile.occurrences)?;
        map.serialize_entry("graph_breaks", &compile.graph_breaks)?;
        let frames = || stack.iter().flat_map(|stack| stack.iter()).map(|frame| frame_view(report, frame));
        map.serialize_entry("stack", &Each(frames))?;
        map.serialize_entry("metrics", &Each(metrics))?;
        map.serialize_entry("artifacts", &Each(|| artifacts(report, compile)))?;
        map.serialize_entry("time", &super::times::of_compile(report, self.index))?;
        map.serialize_entry("kernels", &compile.kernels)?;
        map.end()
    }
}

/// A file of a compile.
#[derive(Serialize)]
struct ArtifactView<'m> {
    name: Cow<'m, str>,
    path: String,
    number: u32,
    line: u64,
    attempt: u32,
    subgraph: Option<&'m str>,
    cache: Option<&'static str>,
}

fn artifacts<'m>(report: Report<'m>, compile: &'m Compile) -> impl Iterator<Item = ArtifactView<'m>> {
    let files = compile.artifacts.iter().filter(|a| !matches!(a.content, Content::Link(_)));
    files.map(move |artifact| ArtifactView {
        name: paths::stem(artifact),
        path: paths::artifact(compile, artifact, report.settings).into_string(),
        number: artifact.number,
        line: artifact.line,
        attempt: artifact.attempt,
        subgraph: artifact.subgraph.as_deref(),
        cache: artifact.cache.map(|outcome| outcome.word()),
    })
}

/// A frame of a stack.
#[derive(Serialize)]
struct FrameView<'m> {
    file: Option<&'m str>,
    line: Option<u64>,
    name: &'m str,
    loc: Option<&'m str>,
}

fn frame_view<'m>(report: Report<'m>, frame: &'m Frame) -> FrameView<'m> {
    FrameView {
        file: report.model.strings.get(frame.file),
        line: frame.line,
        name: &frame.name,
        loc: frame.loc.as_deref(),
    }
}

/// A metrics record with all its fields; configurations are named by their md5.
struct MetricsView<'m> {
    report: Report<'m>,
    record: &'m MetricsRecord,
}

impl Serialize for MetricsView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.record;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", record.kind.word())?;
        map.serialize_entry("attempt", &record.attempt)?;
        map.serialize_entry("line", &record.line)?;
        map.serialize_entry("fields", &MetricsFields { report: self.report, record })?;
        map.end()
    }
}

struct MetricsFields<'m> {
    report: Report<'m>,
    record: &'m MetricsRecord,
}

impl Serialize for MetricsFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.record;
        let config = |key: &str| record.configs.iter().find(|(name, _)| *name == key).map(|(_, md5)| *md5);
        let written = self.report.with_metrics(record, |fields| {
            let mut map = serializer.serialize_map(None)?;
            for (key, value) in fields.iter() {
                match config(key) {
                    Some(md5) => map.serialize_entry(key, &md5.to_string())?,
                    None => match readable(value) {
                        Some(readable) => map.serialize_entry(key, &readable)?,
                        None => map.serialize_entry(key, value)?,
                    },
                }
            }
            map.end()
        });
        written.map_err(S::Error::custom)?
    }
}

/// `{md5: {..}}`, each configuration once.
struct Configs<'m>(Report<'m>);

impl Serialize for Configs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut records = RecordFields::new(self.0, &CONFIG_FIELDS);
        for (md5, place) in &self.0.model.configs {
            let json = records.json(place.header, place.first_line, place.field).map_err(S::Error::custom)?;
            map.serialize_entry(&md5.to_string(), &configuration(json.unwrap_or("null")))?;
        }
        map.end()
    }
}

/// The settings of a field: torch writes them as a text that is JSON itself. What is none stays a text.
fn configuration(json: &str) -> Option<Box<RawValue>> {
    let text = serde_json::from_str::<BorrowedText<'_>>(json).ok();
    text.and_then(|BorrowedText(text)| compact(&text)).or_else(|| compact(json))
}

fn graph_break(entry: &GraphBreak) -> Value {
    json!({
        "reason": entry.reason,
        "context": entry.context,
        "explanation": entry.explanation,
        "debug_context": entry.debug_context,
        "hints": entry.hints,
        "gb_id": entry.gb_id,
        "url": entry.url,
        "file": entry.file,
        "line": entry.line,
        "compile_ids": entry.compiles.iter().map(id_text).collect::<Vec<_>>(),
        "count": entry.count,
        "user_stack": entry.stack.iter().map(text_frame).collect::<Vec<_>>(),
    })
}

/// What analysis knows of each recompile.
fn recompile_steps<'m>(report: Report<'m>) -> FxHashMap<CompileIndex, &'m Step<'m>> {
    let steps = report.found.chains.iter().flat_map(|chain| &chain.steps);
    steps.map(|step| (step.compile, step)).collect()
}

fn recompile(report: Report<'_>, steps: &FxHashMap<CompileIndex, &Step<'_>>, entry: &Recompile) -> Value {
    let index = report.model.by_id.get(&entry.compile);
    let function = index.and_then(|index| report.model.compiles.get(*index)?.function.as_ref());
    let step = index.and_then(|index| steps.get(index)).copied();
    json!({
        "compile_id": id_text(&entry.compile),
        "function": function.map(|function| &function.name),
        "change": step.and_then(|step| change(report, step)),
        "reasons": entry.reasons.iter().map(reason).collect::<Vec<_>>(),
    })
}

/// What separates the call that was compiled again from the closest version.
fn change(report: Report<'_>, step: &Step<'_>) -> Option<Value> {
    let change = step.change.as_ref()?;
    let against = step.against.and_then(|against| report.model.compiles.get(against));
    Some(json!({
        "kind": change.kind.word(),
        "subject": change.subject(),
        "old": change.old,
        "new": change.new,
        "against": against.map(Compile::label),
        "same_for": step.same_for(),
    }))
}

fn reason(reason: &Reason) -> Value {
    let source = reason.source.as_ref();
    let frames = reason.user_stack.iter();
    json!({
        "against": reason.against,
        "text": reason.text,
        "guard": reason.guard,
        "source": source.map(|s| json!({ "code": s.code, "file": s.file, "line": s.line, "function": s.function })),
        "hint": reason.hint,
        "user_stack": frames.map(text_frame).collect::<Vec<_>>(),
    })
}

fn text_frame(frame: &TextFrame) -> Value {
    json!({ "file": frame.file, "line": frame.line, "name": frame.function, "loc": frame.loc })
}

fn failures<'m>(report: Report<'m>) -> impl Iterator<Item = Value> + 'm {
    report.model.failures.iter().map(|f| {
        json!({
            "compile_id": id_text(&f.compile),
            "kind": f.kind,
            "type": f.error,
            "reason": f.reason,
            "file": f.file,
            "line": f.line,
        })
    })
}

fn restarts<'m>(report: Report<'m>) -> impl Iterator<Item = Value> + 'm {
    report.model.restarts.iter().map(|r| json!({ "compile_id": id_text(&r.compile), "reason": r.reason }))
}

fn cache(report: Report<'_>, lookup: &CacheLookup) -> Value {
    let compile = report.model.compiles.get(lookup.artifact.compile);
    let artifact = compile.and_then(|c| Some((c, c.artifacts.get(lookup.artifact.place())?)));
    let path = artifact.map(|(c, a)| paths::artifact(c, a, report.settings).as_str().to_owned());
    json!({
        "compile_id": id_text(&lookup.compile),
        "attempt": lookup.attempt,
        "cache": lookup.cache,
        "outcome": lookup.outcome.word(),
        "key": lookup.key,
        "reason": lookup.reason,
        "path": path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_the_json_within_its_text_and_what_is_no_json_stays_a_text() {
        let shown = |json: &str| configuration(json).map(|value| value.get().to_owned());
        assert_eq!(shown(r#""{\"a\": [1.50, \"b c\"]}""#).as_deref(), Some(r#"{"a":[1.5,"b c"]}"#));
        assert_eq!(shown(r#"{"a": 1}"#).as_deref(), Some(r#"{"a":1}"#));
        for text in [r#""{cut""#, r#""1 2""#, r#""""#] {
            assert_eq!(shown(text).as_deref(), Some(text));
        }
        let deep = format!("\"{}{}\"", "[".repeat(200), "]".repeat(200));
        assert_eq!(shown(&deep), Some(deep));
    }
}
