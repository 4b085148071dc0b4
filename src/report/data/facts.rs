//! `report.json` of a log: the types of [`crate::facts`] filled from model and analysis. Long lists are streamed, and the
//! metrics records are read again one by one.

use super::cross_rank::cross_rank;
use super::entries::{counts, id, line};
use super::findings;
use super::measured::performance;
use super::raw::{compact, readable};
use super::run_console::console;
use super::times;
use crate::analysis::failures::failure_causes;
use crate::analysis::findings::{EntryKey, by_entry};
use crate::analysis::{Finding, Operation, Step};
use crate::facts::{
    Artifact, Attempt, CacheLookup, Change, Compile, CudaGraphObstacle, CudaGraphs, Failure, Function,
    GraphBreak, GuardSource, Id, Integrity, Json, List, LogReport, Map, Metrics, Problem, Reason, Recompile,
    Restart, SCHEMA, StackFrame, Text, Tool, Torch, maybe,
};
use crate::model::{
    self, BorrowedText, CONFIG_FIELDS, CompileIndex, Content, DeviceSettings, Frame, MetricsRecord,
    ProblemKind, TextFrame,
};
use crate::report::kit::log_text::RecordFields;
use crate::report::kit::paths;
use crate::report::subject::Report;
use crate::trace::TextMap;
use fxhash::FxHashMap;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

/// Writes `report.json` of one log.
pub(crate) fn write(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, &facts(report))?;
    Ok(out.write_all(b"\n")?)
}

fn facts(report: Report<'_>) -> LogReport<'_> {
    let model = report.model;
    LogReport {
        schema: SCHEMA,
        kind: "log".into(),
        tool: Tool::this(),
        torch: model.torch.as_ref().map(|torch| Torch {
            version: Some((&torch.version).into()),
            commit: maybe(torch.commit.as_deref()),
        }),
        log: model.log.clone(),
        integrity: integrity(&model.integrity),
        compiles: List::made(move || compiles(report)),
        configs: configs(report),
        graph_breaks: List::made(move || graph_breaks(report)),
        recompiles: List::made(move || recompiles(report)),
        failures: List::made(move || failures(report)),
        restarts: List::made(move || restarts(report)),
        caches: List::made(move || caches(report)),
        compile_time: times::of_log(report),
        cross_rank: cross_rank(report),
        findings: List::made(move || findings::all(report)),
        performance: report.found.performance.as_ref().map(|found| performance(report, found)),
        cuda_graphs: List::made_unless_empty(move || cuda_graphs(report)),
        console: console(report),
    }
}

/// The facts of each list, in the order of the model.
pub(crate) fn compiles(report: Report<'_>) -> impl Iterator<Item = Compile<'_>> {
    report.model.compiles.indexed().map(move |(index, _)| compile(report, index))
}

pub(crate) fn graph_breaks(report: Report<'_>) -> impl Iterator<Item = GraphBreak<'_>> {
    let findings = by_entry(&report.found.findings);
    let causes = 0..report.model.failures.len();
    let of_failures = causes.filter_map(|place| findings.get(&EntryKey::Failure(place)).copied());
    // A break at which a compile failed is part of the finding about that.
    let mut failed_at: TextMap<(Option<&str>, Option<u64>), &Finding> = TextMap::default();
    for finding in of_failures {
        failed_at.entry((finding.place.file.as_deref(), finding.place.line)).or_insert(finding);
    }
    report.model.graph_breaks.iter().enumerate().map(move |(place, entry)| {
        let failed = || failed_at.get(&(entry.file.as_deref(), entry.line)).copied();
        let own = findings.get(&EntryKey::Break(place)).copied();
        let cost = own.and_then(findings::cost);
        GraphBreak { cost, ..graph_break(entry, own.or_else(failed)) }
    })
}

pub(crate) fn failures(report: Report<'_>) -> impl Iterator<Item = Failure<'_>> {
    let findings = by_entry(&report.found.findings);
    let causes = failure_causes(report.model);
    let of_cause = causes.iter().enumerate().filter_map(|(place, cause)| {
        let finding = *findings.get(&EntryKey::Failure(place))?;
        Some(cause.failures.iter().map(move |one| (one.record, finding)))
    });
    let of_record: FxHashMap<u64, &Finding> = of_cause.flatten().collect();
    report.model.failures.iter().map(move |one| failure(one, of_record.get(&one.record).copied()))
}

pub(crate) fn restarts(report: Report<'_>) -> impl Iterator<Item = Restart<'_>> {
    report.model.restarts.iter().map(restart)
}

pub(crate) fn caches(report: Report<'_>) -> impl Iterator<Item = CacheLookup<'_>> {
    report.model.caches.iter().map(move |lookup| cache(report, lookup))
}

fn integrity(integrity: &model::Integrity) -> Integrity<'_> {
    Integrity {
        ok: integrity.ok(),
        bad_prefix: integrity.count(ProblemKind::BadPrefix),
        bad_json: integrity.count(ProblemKind::BadJson),
        bad_payload_md5: integrity.count(ProblemKind::BadPayloadMd5),
        truncated: integrity.count(ProblemKind::Truncated),
        non_utf8: integrity.count(ProblemKind::NonUtf8),
        other_rank: integrity.count(ProblemKind::OtherRank),
        parser_errors: integrity.count(ProblemKind::ParserErrors),
        unresolved_strings: integrity.count(ProblemKind::UnresolvedStrings),
        events: counts(integrity.events.iter()),
        artifacts: counts(integrity.artifacts.iter()),
        unknown_events: counts(integrity.unknown_events.iter()),
        problems: List::made(move || {
            integrity.problems.iter().map(|one| Problem {
                line: one.line,
                kind: one.kind.name().into(),
                detail: (&*one.detail).into(),
            })
        }),
    }
}

pub(crate) fn compile(report: Report<'_>, index: CompileIndex) -> Compile<'_> {
    let Some(compile) = report.model.compiles.get(index) else { return Compile::default() };
    let attempt =
        |one: &model::Attempt| Attempt { attempt: one.number.into(), dir: compile.folder(one.number).into() };
    let function = compile.function.as_ref().map(|function| Function {
        name: Some((&function.name).into()),
        file: maybe(function.file.as_deref()),
        line: line(function.line),
    });
    let stack = compile.stack.as_ref();
    Compile {
        id: id(&compile.id),
        status: compile.status.word().into(),
        function,
        attempts: compile.attempts.iter().map(attempt).collect(),
        occurrences: compile.occurrences,
        graph_breaks: compile.graph_breaks,
        stack: List::made(move || {
            stack.into_iter().flat_map(|stack| stack.iter()).map(move |one| frame(report, one))
        }),
        metrics: List::made(move || compile.metrics.iter().map(move |record| metrics(report, record))),
        artifacts: List::made(move || artifacts(report, compile)),
        time: times::of_compile(report, index),
        kernels: Map::made(move || compile.kernels.iter().map(|(name, count)| (name.into(), count))),
        device: device(report, compile),
    }
}

fn device(report: Report<'_>, compile: &model::Compile) -> Option<DeviceSettings> {
    let settings = compile.on_device.settings;
    let says_something =
        settings.cudagraphs || settings.max_autotune == Some(true) || settings.tf32.is_some();
    (report.found.on_device.uses_gpu && says_something).then_some(settings)
}

/// The compiles that asked for CUDA graphs.
fn cuda_graphs(report: Report<'_>) -> impl Iterator<Item = CudaGraphs<'_>> {
    let asked =
        report.found.on_device.iter().filter_map(|(index, of)| Some((index, of.cuda_graphs.as_ref()?)));
    asked.map(move |(index, graphs)| CudaGraphs {
        compile_id: report.model.compiles.get(index).and_then(|compile| id(&compile.id)),
        parts: graphs.parts.into(),
        recordings: graphs.recordings as u64,
        seconds: graphs.us.round() / 1e6,
        obstacles: graphs.obstacles().map(obstacle).collect(),
    })
}

fn obstacle((reason, one): (&'static str, &Operation)) -> CudaGraphObstacle<'static> {
    CudaGraphObstacle {
        reason: reason.into(),
        input: one.input.clone().map(Into::into),
        file: one.place.file.clone().map(Into::into),
        line: line(one.place.line),
    }
}

fn artifacts<'m>(report: Report<'m>, compile: &'m model::Compile) -> impl Iterator<Item = Artifact<'m>> + 'm {
    let files = compile.artifacts.iter().filter(|one| !matches!(one.content, Content::Link(_)));
    files.map(move |artifact| Artifact {
        name: paths::stem(artifact).into(),
        path: paths::artifact(compile, artifact, report.settings).into_string().into(),
        number: artifact.number.into(),
        line: artifact.line,
        attempt: Some(artifact.attempt.into()),
        subgraph: maybe(artifact.subgraph.as_deref()),
        cache: artifact.cache.map(|outcome| outcome.word().into()),
    })
}

fn frame<'m>(report: Report<'m>, frame: &'m Frame) -> StackFrame<'m> {
    StackFrame {
        file: maybe(report.model.strings.get(frame.file)),
        line: line(frame.line),
        name: Some((&*frame.name).into()),
        loc: maybe(frame.loc.as_deref()),
    }
}

fn text_frame(frame: &TextFrame) -> StackFrame<'_> {
    StackFrame {
        file: Some((&*frame.file).into()),
        line: line(frame.line.into()),
        name: Some((&*frame.function).into()),
        loc: maybe(frame.loc.as_deref()),
    }
}

fn metrics<'m>(report: Report<'m>, record: &'m MetricsRecord) -> Metrics<'m> {
    let fields = Json::Made(Arc::new(AllFields { report, record }));
    Metrics { kind: record.kind.word().into(), attempt: record.attempt.into(), line: record.line, fields }
}

/// All fields of a metrics record, which are read from the log while they are written. Configurations are named by their md5.
struct AllFields<'m> {
    report: Report<'m>,
    record: &'m MetricsRecord,
}

impl Serialize for AllFields<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let config = |key: &str| self.record.configs.iter().find(|(name, _)| *name == key);
        let written = self.report.with_metrics(self.record, |fields| {
            to.collect_map(fields.iter().map(|(key, value)| {
                let changed = match config(key) {
                    Some((_, md5)) => to_raw_value(&md5.to_string()).ok(),
                    None => readable(value),
                };
                (key, changed.map_or(Cow::Borrowed(value), Cow::Owned))
            }))
        });
        written.map_err(|error| S::Error::custom(format!("{error:#}")))?
    }
}

/// Each configuration once, by its md5.
fn configs(report: Report<'_>) -> Map<'_, Json<'_>> {
    Map::made(move || {
        let mut records = RecordFields::new(report, &CONFIG_FIELDS);
        report.model.configs.iter().map(move |(md5, place)| {
            let json = records.json(place.header, place.field);
            let json = json.map(|json| configuration(json.unwrap_or("null")));
            let settings = match json {
                Ok(settings) => settings.map_or_else(Json::default, |raw| Json::Text(Cow::Owned(raw))),
                Err(error) => Json::Failed(error),
            };
            (md5.to_string().into(), settings)
        })
    })
}

/// The settings of a field: torch writes them as a text that is JSON itself. A text that is not JSON is kept.
fn configuration(json: &str) -> Option<Box<RawValue>> {
    let text = serde_json::from_str::<BorrowedText<'_>>(json).ok();
    text.and_then(|BorrowedText(text)| compact(&text)).or_else(|| compact(json))
}

fn graph_break<'m>(entry: &'m model::GraphBreak, finding: Option<&Finding>) -> GraphBreak<'m> {
    GraphBreak {
        reason: (&entry.reason).into(),
        context: maybe(entry.context.as_deref()),
        explanation: maybe(entry.explanation.as_deref()),
        debug_context: maybe(entry.debug_context.as_deref()),
        hints: entry.hints.iter().map(Text::from).collect(),
        gb_id: maybe(entry.gb_id.as_deref()),
        url: maybe(entry.url.as_deref()),
        file: maybe(entry.file.as_deref()),
        line: line(entry.line),
        compile_ids: entry.compiles.iter().map(id).collect(),
        count: entry.count,
        user_stack: entry.stack.iter().map(text_frame).collect(),
        title: finding.map(|one| one.title.text().into()),
        cost: None,
    }
}

pub(crate) fn recompiles(report: Report<'_>) -> impl Iterator<Item = Recompile<'_>> {
    let steps = report.found.chains.iter().flat_map(|chain| &chain.steps);
    let steps: FxHashMap<CompileIndex, &Step<'_>> = steps.map(|step| (step.compile, step)).collect();
    report.model.recompiles.iter().map(move |entry| recompile(report, &steps, entry))
}

fn recompile<'m>(
    report: Report<'m>,
    steps: &FxHashMap<CompileIndex, &'m Step<'m>>,
    entry: &'m model::Recompile,
) -> Recompile<'m> {
    let index = report.model.by_id.get(&entry.compile);
    let function = index.and_then(|index| report.model.compiles.get(*index)?.function.as_ref());
    let step = index.and_then(|index| steps.get(index)).copied();
    Recompile {
        compile_id: id(&entry.compile),
        function: function.map(|function| (&function.name).into()),
        change: step.and_then(|step| change(report, step)),
        reasons: entry.reasons.iter().map(reason).collect(),
        at_limit: step.is_some_and(|step| step.over_limit),
    }
}

/// What separates the call that was compiled again from the closest version.
fn change<'m>(report: Report<'m>, step: &'m Step<'m>) -> Option<Change<'m>> {
    let change = step.change.as_ref()?;
    let against = step.against.and_then(|against| report.model.compiles.get(against));
    Some(Change {
        kind: change.kind.word().into(),
        subject: change.subject().map(Text::from),
        old: maybe(change.old.as_deref()),
        new: maybe(change.new.as_deref()),
        against: against.map(|compile| Id::new(compile.label())),
        same_for: step.same_for().into_iter().map(Text::from).collect(),
        became_dynamic: change.became_dynamic,
        expected: step.cause.is_some_and(|cause| cause.expected),
    })
}

fn reason(reason: &model::Reason) -> Reason<'_> {
    Reason {
        against: reason.against.as_deref().map(Id::new),
        text: (&reason.text).into(),
        guard: Some((&reason.guard).into()),
        source: reason.source.as_ref().map(|source| GuardSource {
            code: (&source.code).into(),
            file: (&source.file).into(),
            line: source.line,
            function: Some((&source.function).into()),
        }),
        hint: maybe(reason.hint.as_deref()),
        user_stack: reason.user_stack.iter().map(text_frame).collect(),
    }
}

fn failure<'m>(failure: &'m model::Failure, finding: Option<&Finding>) -> Failure<'m> {
    Failure {
        compile_id: id(&failure.compile),
        kind: failure.kind.word().into(),
        error: (&failure.error).into(),
        reason: maybe(failure.reason.as_deref()),
        file: maybe(failure.file.as_deref()),
        line: line(failure.line),
        title: finding.map(|one| one.title.text().into()),
    }
}

fn restart(restart: &model::Restart) -> Restart<'_> {
    Restart { compile_id: id(&restart.compile), reason: (&restart.reason).into() }
}

fn cache<'m>(report: Report<'m>, lookup: &'m model::CacheLookup) -> CacheLookup<'m> {
    let compile = report.model.compiles.get(lookup.artifact.compile);
    let artifact = compile.and_then(|c| Some((c, c.artifacts.get(lookup.artifact.place())?)));
    CacheLookup {
        compile_id: id(&lookup.compile),
        attempt: lookup.attempt.into(),
        cache: (&lookup.cache).into(),
        outcome: lookup.outcome.word().into(),
        key: maybe(lookup.key.as_deref()),
        reason: maybe(lookup.reason.as_deref()),
        path: artifact.map(|(c, a)| paths::artifact(c, a, report.settings).into_string().into()),
    }
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
