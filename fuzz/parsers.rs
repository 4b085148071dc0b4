//! The parsers of single texts, for the search in `fuzz/`: each takes any bytes, ends, and keeps what is promised of it.
//!
//! For that search, for tests and for the measurements of `benches/speed`: a module of the library, since it calls what the
//! library's interface does not have, with the feature `fuzzing`. Inputs that once failed are in `fuzz/regressions`.

use crate::analysis::provenance::{CodeKind, CodeOfKind, RunTexts};
use crate::analysis::{self, classify, guard_diff, parameter_name};
use crate::events::{self, Registry};
use crate::model::{self, Fields, Language};
use crate::output::{self, Sink};
use crate::read::generated::library_call;
use crate::read::{expr::as_written, fx_graph::GraphText, guard_tree::read_guard_tree};
use crate::report::kit::highlight::Highlighter;
use crate::report::{self, Cached, Settings, Worker};
use crate::trace::{
    self, CompileId, Entry, Envelope, Limit, Md5, Prefix, Records, Source, clean_header, readable_text,
    strict_json,
};
use crate::{facts, profile};
use std::io::Write;
use std::num::NonZeroUsize;

/// A parser, by the name of its folder in `fuzz/regressions`.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Gives it an input. A promise that does not hold is a panic.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 9] = [
    Target { name: "records", run: records },
    Target { name: "envelope", run: envelope },
    Target { name: "events", run: events },
    Target { name: "guards", run: guards },
    Target { name: "programs", run: programs },
    Target { name: "code", run: code },
    Target { name: "highlight", run: highlight },
    Target { name: "traces", run: traces },
    Target { name: "report_json", run: report_json },
];

/// A part of the program whose speed is measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// What it is called.
    pub name: &'static str,
    /// Whether its input is generated code, else a log.
    pub of_code: bool,
    /// Takes an input; the number only shows that nothing was left out.
    pub run: fn(&[u8]) -> usize,
}

/// All of them.
pub const MEASURED: [Measured; 3] = [
    Measured { name: "scanning", of_code: false, run: scan },
    Measured { name: "envelopes", of_code: false, run: envelopes },
    Measured { name: "highlighting", of_code: true, run: color },
];

/// Cuts a log into records and hashes their payloads.
fn scan(log: &[u8]) -> usize {
    let mut records = Records::new(log);
    let mut count = 0;
    while records.next().is_ok_and(|entry| entry.is_some()) {
        count += 1;
    }
    count
}

/// Reads the header lines of a log.
fn envelopes(log: &[u8]) -> usize {
    let headers = log.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"\t"));
    headers
        .map(|line| {
            let cleaned = clean_header(line);
            let envelope = Prefix::parse(&cleaned.text).and_then(|(_, json)| Envelope::parse(json).ok());
            envelope.map_or(0, |envelope| envelope.events.len())
        })
        .sum()
}

/// Colors generated code, with nothing known of it before.
fn color(text: &[u8]) -> usize {
    let text = String::from_utf8_lossy(text);
    let mut html = Vec::new();
    let Ok(mut highlighter) = Highlighter::new() else { return 0 };
    let written = highlighter.write_lines(Language::Python, &text, &mut html);
    if written.is_ok() { html.len() } else { 0 }
}

/// Reads a log and gives `measure` what writes all files of its report to memory and tells how many bytes they have.
pub fn with_pages(log: &[u8], measure: impl FnOnce(&dyn Fn() -> usize)) {
    let Some((source, model)) = model_of(log) else { return };
    let found = analysis::of_log(&model, None, &analysis::GuardTexts::default(), NonZeroUsize::MIN);
    let settings = Settings::default();
    measure(&|| {
        let cached = Cached::default();
        let pages = report::pages(report::on(
            &model,
            &found,
            &source,
            (&settings, report::Around::nothing()),
            &[],
            &cached,
        ));
        let sink = Sink::in_memory();
        let written = output::write(pages, &sink, NonZeroUsize::MIN, Worker::new);
        if written.is_ok() { sink.into_files().values().map(Vec::len).sum() } else { 0 }
    });
}

/// A log: records and damage in the order of the log, within it, each byte at most once; payloads have the hash that is
/// told.
fn records(log: &[u8]) {
    let mut records = Records::new(log);
    let (mut line, mut end) = (0, 0);
    while let Some(entry) = records.next().unwrap_or_default() {
        let record = match entry {
            Entry::Record(record) => record,
            Entry::Damage(damage) => {
                assert!(damage.line >= line, "damage of line {} behind line {line}", damage.line);
                assert!(damage.detail.chars().count() <= 400, "a long detail");
                continue;
            }
        };
        assert!(record.line > line && record.header.offset >= end, "records go backwards");
        line = record.line;
        end = record.header.offset + record.header.len;
        if let Some(payload) = record.payload {
            assert!(payload.at.span.offset >= end, "a payload before its header");
            end = payload.at.span.offset + payload.at.span.len;
            if let Some(text) = payload.text {
                assert!(text.len() as u64 == payload.at.text_len, "a payload of another length");
                assert!(Md5::of(text) == payload.at.md5, "a payload of another hash");
            }
        }
        assert!(end <= log.len() as u64, "a record ends behind the log");
    }
    assert!(records.offset() == log.len() as u64, "the log was not read to its end");
}

/// A header line, and JSON that is not strict.
fn envelope(line: &[u8]) {
    let cleaned = clean_header(line);
    let json = Prefix::parse(&cleaned.text).map_or(cleaned.text.as_ref(), |(_, json)| json);
    if let Ok(envelope) = Envelope::parse(json) {
        if let Some(id) = &envelope.compile_id {
            assert!(id.folder(envelope.attempt).len() < 256, "a folder of a long name");
            let again = CompileId::parse(&id.to_string());
            assert!(id.odd_part().is_some() || again.as_ref() == Some(id), "{id} is read as {again:?}");
        }
        for (_, value) in &envelope.events {
            let _ = Fields::parse(value.get()).map(|fields| fields.iter().count());
        }
    }
    let text = readable_text(line);
    let strict = strict_json(&text);
    let parses = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    assert!(!parses(&text) || parses(&strict), "JSON was made worse");
}

/// A log through the parsers of all events to its findings.
fn events(log: &[u8]) {
    let Some((_, model)) = model_of(log) else { return };
    let found = analysis::of_log(&model, None, &analysis::GuardTexts::default(), NonZeroUsize::MIN);
    let named = |index: &model::CompileIndex| model.compiles.get(*index).is_some();
    assert!(
        found.findings.iter().flat_map(|finding| &finding.compiles).all(named),
        "a finding of no compile"
    );
}

/// Bytes as an opened log, and its facts.
fn model_of(log: &[u8]) -> Option<(Source, model::Model)> {
    let (source, registry, threads) = (source_of(log)?, Registry::default(), NonZeroUsize::MIN);
    let read = events::read_log(&source, &registry, None, threads, &|_| {}, crate::report::is_own_path);
    Some((source, read.ok()?))
}

/// Bytes as an opened log.
fn source_of(log: &[u8]) -> Option<Source> {
    let mut file = tempfile::NamedTempFile::new().ok()?;
    file.write_all(log).ok()?;
    Source::open(file.path(), Limit { bytes: u64::MAX }).ok()
}

/// Guard expressions, one a line, and a guard tree.
fn guards(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    for line in text.lines() {
        let change = classify(line);
        let _ = change.subject();
        assert!(as_written(line).len() <= line.len(), "a guard grows when it is written plainly");
        let _ = parameter_name(line);
    }
    let nodes = read_guard_tree(&text);
    assert!(nodes.len() <= text.lines().count() + 1, "more nodes than lines");
    if let Some((old, new)) = text.split_once("\n----\n") {
        let _ = guard_diff(old, new, None);
    }
}

/// Programs as torch prints them: graphs, exported programs, and the texts of graph breaks.
fn programs(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let facts = model::read_program(&text, |_, _| {});
    assert!(facts.lines <= text.lines().count(), "a program of more lines than its text");
    let _ = analysis::break_text(&text);
    let _ = model::traceback(&text);
    let _ = model::stable(&text);
    let graph = GraphText::read(&text);
    let lines = text.lines().count();
    for line in text.lines() {
        let _ = model::source_comment(line);
        let _ = library_call(line);
        let name = line.trim().split([' ', ':', '=']).next().unwrap_or_default();
        assert!(graph.lines(name).iter().all(|line| *line as usize <= lines), "a node behind its text");
    }
}

/// The texts of an Inductor run, separated by a line of dashes: graphs before and after, Python and C++, mapping, stacks.
fn code(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let parts: Vec<&str> = text.split("\n----\n").collect();
    let part = |at: usize| parts.get(at).map(ToString::to_string);
    let kinds = [(2, CodeKind::Python), (3, CodeKind::Cpp)];
    let files = kinds.into_iter().filter_map(|(at, kind)| Some(CodeOfKind { kind, text: part(at)? }));
    let texts = RunTexts {
        pre: part(0),
        post: part(1),
        code: files.collect(),
        mappings: part(4).into_iter().collect(),
        stacks: part(5),
    };
    let found = texts.provenance();
    for call in &found.kernels {
        let of = texts.code.iter().find(|file| file.kind == call.file);
        let lines = of.map_or(0, |file| file.text.lines().count());
        assert!(call.line as usize <= lines, "a call of {} behind its text", call.kernel);
        assert!(call.source.iter().all(|at| *at < found.source.len()), "a call from no line");
    }
    for file in &texts.code {
        let calls = found.kernels.iter().filter(|call| call.file == file.kind);
        let calls = calls.map(|call| (call.line, call.kernel.as_str()));
        for bytes in analysis::performance::bytes_of_calls(&file.text, texts.post.as_deref(), calls) {
            assert!(bytes.is_finite() && bytes > 0.0, "a call moves {bytes} bytes");
        }
    }
}

/// Generated code as a page shows it: each line once, and only our own tags.
fn highlight(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let Ok(mut highlighter) = Highlighter::new() else { return };
    for language in [Language::Python, Language::Cpp] {
        let mut html = Vec::new();
        let written = highlighter.write_lines(language, &text, &mut html);
        assert!(written.is_ok(), "writing to memory fails");
        let html = String::from_utf8_lossy(&html);
        assert!(html.len() <= 400 + 60 * text.len() + 400 * text.lines().count(), "colors without end");
        assert!(html.matches("<li ").count() == text.lines().count(), "a line is missing");
        let tags = html.split('<').skip(1);
        let ours = ["li id=\"L", "/li>", "span class=\"", "/span>"];
        tags.for_each(|tag| {
            assert!(ours.iter().any(|start| tag.starts_with(start)), "a foreign tag: {tag:.40}")
        });
    }
}

/// A trace of torch.profiler.
fn traces(trace: &[u8]) {
    let profile = profile::read_from(trace);
    let none = model::Model::default();
    let options = analysis::performance::DeviceOptions::default();
    let joined = analysis::performance::performance(&none, &profile, &options, &|_| Ok(String::new()));
    assert!(joined.is_ok(), "a trace without a log is an error");
}

/// A report.json from anywhere.
fn report_json(json: &[u8]) {
    let kind = facts::kind(json);
    let log = facts::log_report(json);
    let job = facts::job_report(json);
    for error in [kind.err(), log.err(), job.err()].into_iter().flatten() {
        assert!(error.to_string().starts_with("has a report.json"), "no sentence: {error}");
    }
    let _ = trace::CompileId::parse(&String::from_utf8_lossy(json));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn what_the_search_found_is_read() {
        for target in TARGETS {
            (target.run)(b"");
            let folder = Path::new("fuzz/regressions").join(target.name);
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries {
                (target.run)(&std::fs::read(entry.unwrap().path()).unwrap());
            }
        }
    }
}
