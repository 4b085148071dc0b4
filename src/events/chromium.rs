//! Chromium events: begin and end of each phase of the compiler, paired into spans.

use super::{Event, Flow, ParseEvents, RankContext};
use crate::limits::DEEPEST_JSON;
use crate::model::{Cell, TemplateChoice, TraceSpan, Unit};
use crate::trace::{CompileId, ListedPayload, TextMap, has_half_pair, nests_deeper, strict_json};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// `chromium_event`: kept for chromium_events.json, and paired into spans.
///
/// All events name thread 0, whichever thread wrote them, so begins and ends are paired with one stack per process: an end
/// closes the latest begin of its name, and any begin above that in the stack was never ended.
#[derive(Default)]
pub(super) struct Chromium {
    processes: TextMap<u64, ChromiumProcess>,
}

#[derive(Default)]
struct ChromiumProcess {
    /// Spans that are open: indices into the model's spans.
    open: Vec<usize>,
    /// How many spans of each name are open, so that an end without a begin needs no search.
    names: TextMap<String, usize>,
    last_us: f64,
    /// Candidates of the template at hand that could not be built, and those that need too much shared memory.
    failed: (usize, usize),
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    ph: Cow<'a, str>,
    ts: f64,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

/// What an event says beside its name and time, as far as it is read.
#[derive(Deserialize, Default)]
struct Arguments<'a> {
    #[serde(borrow)]
    kernel_name: Option<Cow<'a, str>>,
    /// The compile that the kernel belongs to, also where it is tuned while the model runs.
    #[serde(borrow)]
    compile_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    autotune_shape: Option<&'a RawValue>,
    #[serde(borrow)]
    autotune_dtypes: Option<&'a RawValue>,
    /// What the candidates took: JSON in a text.
    #[serde(borrow)]
    autotune_choices_stats: Option<&'a RawValue>,
    /// At the end of building the candidates: JSON in a text with those that failed.
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

/// What the candidates of a template took, in milliseconds.
#[derive(Deserialize)]
struct Stats {
    num_choices: u64,
    best_kernel: String,
    best_kernel_desc: Option<String>,
    best_time: f64,
    best_triton_kernel: Option<String>,
    best_triton_kernel_desc: Option<String>,
    best_triton_time: Option<f64>,
}

#[derive(Deserialize)]
struct Failures {
    exceptions: Vec<Failed>,
}

#[derive(Deserialize)]
struct Failed {
    /// Bytes of shared memory; absent if something else failed.
    required_memory: Option<serde_json::Value>,
}

/// The text that a value is.
fn text(value: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(value?.get()).ok()
}

/// The value of which a text is the JSON.
fn json_in_text<T: serde::de::DeserializeOwned>(value: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(&text(value)?).ok()
}

/// Names of the phases that build and measure candidates, after the operator.
const PRECOMPILING: &str = "_template_precompiling";
const AUTOTUNING: &str = "_template_autotuning";

impl Wire<'_> {
    /// The arguments of an event that has one of them; those of most events say no more than their record.
    fn arguments(&self, of: &[&str]) -> Option<Arguments<'_>> {
        let args = self.args.map(RawValue::get).filter(|args| of.iter().any(|name| args.contains(name)))?;
        serde_json::from_str(args).ok()
    }
}

impl ChromiumProcess {
    /// Reads what autotuning built, measured and chose from the end of its phases.
    fn note_choice(&mut self, wire: &Wire<'_>, cx: &mut RankContext<'_>) {
        if wire.name.ends_with(PRECOMPILING) {
            let failures = wire.arguments(&["exceptions"]).and_then(|of| json_in_text(of.metadata));
            let failures = failures.map_or_else(Vec::new, |failures: Failures| failures.exceptions);
            let too_large = failures.iter().filter(|failed| failed.required_memory.is_some()).count();
            self.failed = (failures.len(), too_large);
        }
        let Some(operator) = wire.name.strip_suffix(AUTOTUNING) else { return };
        let (failed, too_large) = std::mem::take(&mut self.failed);
        let Some(of) = wire.arguments(&["autotune_choices_stats"]) else { return };
        let Some(stats) = json_in_text::<Stats>(of.autotune_choices_stats) else { return };
        let us = |ms: f64| ms * 1e3;
        let choice = TemplateChoice {
            operator: operator.to_owned(),
            shapes: text(of.autotune_shape).unwrap_or_default(),
            dtypes: text(of.autotune_dtypes).unwrap_or_default(),
            choices: stats.num_choices,
            best: stats.best_kernel,
            best_us: us(stats.best_time),
            config: stats.best_kernel_desc.or(stats.best_triton_kernel_desc),
            triton: stats.best_triton_kernel.zip(stats.best_triton_time.map(us)),
            failed,
            too_large,
        };
        let mut section = cx.table("template-choices");
        let (triton, triton_us) = choice.triton.clone().unzip();
        section.row(vec![
            Cell::Code(choice.operator.clone()),
            Cell::Code(format!("{} ({})", choice.shapes, choice.dtypes)),
            Cell::number(Some(choice.choices as f64), Unit::Count),
            Cell::number(Some(choice.failed as f64), Unit::Count),
            Cell::Code(choice.best.clone()),
            Cell::number(Some(choice.best_us), Unit::Micros),
            Cell::code(triton),
            Cell::number(triton_us, Unit::Micros),
            Cell::code(choice.config.clone()),
        ]);
        if let Some(compile) = cx.here() {
            compile.template_choices.push(choice);
        }
    }
}

impl ParseEvents for Chromium {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let Some(payload) = event.payload else { anyhow::bail!("it has no payload") };
        let readable = event.payload_text().unwrap_or_default();
        let strict;
        let mut text = &*readable;
        let mut is_strict = matches!(readable, Cow::Borrowed(_));
        let mut wire: Result<Wire<'_>, _> = serde_json::from_str(text);
        if wire.is_err() || has_half_pair(text) {
            strict = strict_json(&readable);
            (text, is_strict) = (&strict, false);
            wire = serde_json::from_str(text);
        }
        let wire = match wire {
            Ok(wire) => wire,
            Err(error) => {
                cx.kept_payload(payload);
                // A damaged payload is listed already.
                return if payload.at.intact { Err(error.into()) } else { Ok(Flow::Handled) };
            }
        };
        if nests_deeper(text, DEEPEST_JSON) {
            cx.kept_payload(payload);
            anyhow::bail!("it nests deeper than {DEEPEST_JSON} levels");
        }
        cx.model().chromium.push(ListedPayload { is_strict, ..(&payload.at).into() });
        if wire.ts.is_nan() || wire.ts.abs() > LATEST_US {
            return Ok(Flow::Handled);
        }
        cx.model().clock.anchor(event.stamp.time, wire.ts as i64);
        let process = self.processes.entry(event.pid).or_default();
        process.last_us = process.last_us.max(wire.ts);
        match wire.ph.as_ref() {
            "B" => process.begin(&wire, event, cx),
            "E" => {
                process.end(&wire, cx);
                if event.compile_id.is_some() {
                    process.note_choice(&wire, cx);
                }
            }
            _ => {}
        }
        Ok(Flow::Handled)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        for process in self.processes.into_values() {
            for index in process.open {
                close(cx, index, process.last_us, true);
            }
        }
        Ok(())
    }
}

/// No record is later, in microseconds: the year 10000. With greater numbers, sums of times would leave the range of JSON.
const LATEST_US: f64 = 253_402_300_800e6;

impl ChromiumProcess {
    fn begin(&mut self, wire: &Wire<'_>, event: &Event<'_>, cx: &mut RankContext<'_>) {
        let name = cx.reading.texts.phase(&wire.name);
        let mut span = TraceSpan::begin(name, wire.ts, event.pid, self.open.last().copied());
        span.compile = cx.compile.filter(|_| event.compile_id.is_some());
        if let Some(Arguments { kernel_name: Some(kernel), compile_id, .. }) =
            wire.arguments(&["kernel_name"])
        {
            let (index, kernel) = (cx.model().spans.len(), cx.reading.texts.text(&kernel));
            cx.model().span_kernels.insert(index, kernel);
            let compile = compile_id.and_then(|id| CompileId::parse(&id));
            let known = compile.and_then(|id| cx.model().by_id.get(&Some(id)).copied());
            span.compile = span.compile.or(known);
        }
        self.open.push(cx.model().spans.len());
        *self.names.entry(wire.name.to_string()).or_default() += 1;
        cx.model().spans.push(span);
    }

    fn end(&mut self, wire: &Wire<'_>, cx: &mut RankContext<'_>) {
        if self.names.get(wire.name.as_ref()).is_none_or(|&open| open == 0) {
            return;
        }
        while let Some(index) = self.open.pop() {
            let Some(name) = cx.model().spans.get(index).map(|span| span.name.clone()) else { continue };
            if let Some(open) = self.names.get_mut(&*name) {
                *open = open.saturating_sub(1);
            }
            let found = *name == *wire.name;
            close(cx, index, wire.ts, !found);
            if found {
                return;
            }
        }
    }
}

fn close(cx: &mut RankContext<'_>, index: usize, end_us: f64, is_open: bool) {
    if let Some(span) = cx.model().spans.get_mut(index) {
        span.close(end_us, is_open);
    }
}
