//! Compilation metrics: what each compile cost, how it ended, and with which configuration.

use super::{Event, Flow, ParseEvents, RankContext};
use crate::limits::{LONGEST_NAME, LONGEST_PATH, bounded};
use crate::model::{
    CONFIG_FIELDS, ConfigRef, Content, Failure, Fields, Function, InductorSettings, Metrics, MetricsKind,
    MetricsRecord, Restart, Torch,
};
use crate::trace::{Md5, is_key, push_mostly_one, written_fields};
use std::ops::Range;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct CompilationMetrics {
    /// The last configuration of each field. Torch writes the same 40 KB with every compile: comparing them is thirty times
    /// as fast as reading and hashing them again.
    last: Vec<LastConfig>,
    /// The configurations of the last record.
    of_last_record: Arc<[(&'static str, Md5)]>,
}

struct LastConfig {
    field: &'static str,
    json: String,
    md5: Md5,
}

impl ParseEvents for CompilationMetrics {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let kind = MetricsKind::of_key(event.key).unwrap_or(MetricsKind::Forward);
        let written = WrittenConfig::all_in(event.value.get());
        let others = without_configs(event.value.get(), &written);
        let fields = Fields::parse(&others).unwrap_or_default();
        let facts = typed_metrics(&fields);
        let facts =
            Metrics { function: compiled_function(&fields).map(|f| cx.reading.texts.function(f)), ..facts };
        if let Some(end) = facts.end_us {
            cx.model().clock.anchor(event.stamp.time, end as i64);
        }
        if cx.model().torch.is_none() {
            cx.model().torch = fields.text("pytorch_version").map(|version| Torch { version, commit: None });
        }
        let configs = self.configs(&written, event, cx);
        if let Some(error) = facts.fail_type.as_deref().filter(|error| !error.is_empty()) {
            cx.failure(Failure {
                compile: event.compile_id.cloned(),
                kind,
                error: error.to_owned(),
                reason: fields.text("fail_reason"),
                file: fields.text("fail_user_frame_filename"),
                line: fields.count("fail_user_frame_lineno"),
                record: event.line,
            });
        }
        for reason in restart_reasons(&fields) {
            cx.model().restarts.push(Restart { compile: event.compile_id.cloned(), reason });
        }
        let index = cx.here().map_or(0, |c| c.metrics.len());
        cx.add(event.key, Content::Metrics(index));
        let record = MetricsRecord {
            kind,
            attempt: event.attempt,
            line: event.line,
            header: event.header,
            config_places: written.iter().map(WrittenConfig::place).collect(),
            configs,
            facts,
        };
        if let Some(compile) = cx.here() {
            push_mostly_one(&mut compile.metrics, record);
        }
        check(&fields)?;
        Ok(Flow::Handled)
    }
}

/// Nothing takes longer, in microseconds: ten thousand years. Sums of greater numbers would leave the range of JSON.
const LONGEST_US: f64 = 3.2e17;

/// The numbers that lists and findings need, without the function. Where a field in microseconds is missing, the legacy one in seconds is used.
fn typed_metrics(fields: &Fields<'_>) -> Metrics {
    let micros = |new: &str, legacy_s: &str| {
        fields
            .number(new)
            .or_else(|| fields.number(legacy_s).map(|seconds| seconds * 1e6))
            .filter(|us| us.abs() <= LONGEST_US)
    };
    Metrics {
        set_fields: fields.iter().filter(|(_, value)| value.get() != "null").count(),
        function: None,
        fail_type: fields.text("fail_type").map(|class| bare_class(&class).into()),
        restarts: restart_reasons(fields).len(),
        dynamo_us: micros("dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s"),
        aot_us: micros("aot_autograd_cumulative_compile_time_us", "backend_compile_time_s"),
        inductor_us: micros("inductor_cumulative_compile_time_us", "inductor_compile_time_s"),
        codegen_us: micros("inductor_code_gen_cumulative_compile_time_us", "code_gen_time_s"),
        duration_us: micros("duration_us", "elapsed_time"),
        backward_us: fields.number("backward_cumulative_compile_time_us"),
        wasted_us: micros("dynamo_compile_time_before_restart_us", "dynamo_time_before_restart_s"),
        saved_us: fields.number("remote_cache_time_saved_s").map(|s| s * 1e6),
        autotune_us: fields.number("compile_time_autotune_time_us"),
        runtime_tuning_us: fields.number("runtime_triton_autotune_time_us"),
        runtime_cudagraphs_us: fields.number("runtime_cudagraphify_time_us"),
        end_us: fields.number("end_time_us"),
        graph_op_count: fields.count("graph_op_count"),
        graph_node_count: fields.count("graph_node_count"),
        graph_input_count: fields.count("graph_input_count"),
        guard_count: fields.count("guard_count"),
        guard_latency_us: fields.number("guard_latency_us"),
        cache_size: fields.count("cache_size"),
        accumulated_cache_size: fields.count("accumulated_cache_size"),
        has_guarded_code: fields.get("has_guarded_code"),
        cudagraph_skip_reason: fields.text("cudagraph_skip_reason").map(String::into_boxed_str),
    }
}

/// `BackendCompilerFailed` of `<class 'torch._dynamo.exc.BackendCompilerFailed'>`, as torch 2.4 writes it.
fn bare_class(text: &str) -> &str {
    let written = text.strip_prefix("<class '").and_then(|rest| rest.strip_suffix("'>"));
    written.map_or(text, |class| class.rsplit('.').next().unwrap_or(class))
}

/// The function that a record names.
fn compiled_function(fields: &Fields<'_>) -> Option<Function> {
    let file = fields.text("co_filename");
    Some(Function {
        name: bounded(&fields.text("co_name")?, LONGEST_NAME).into_owned(),
        file: file.map(|file| bounded(&file, LONGEST_PATH).into_owned()),
        line: fields.count("co_firstlineno"),
    })
}

impl CompilationMetrics {
    /// Notes the configurations of a record by their MD5, with the place where each was seen first.
    fn configs(
        &mut self,
        configs: &[WrittenConfig<'_>],
        event: &Event<'_>,
        cx: &mut RankContext<'_>,
    ) -> Arc<[(&'static str, Md5)]> {
        let mut found = Vec::with_capacity(configs.len());
        for &WrittenConfig { field, json, .. } in configs {
            let (md5, text) = self.config(field, json);
            found.push((field, md5));
            let Some(text) = text.filter(|_| !cx.model().configs.contains_key(&md5)) else { continue };
            let values = Fields::parse(&text).ok();
            let settings = values.as_ref().map(|values| values.iter().count());
            let place = ConfigRef { header: event.header, field, settings };
            cx.model().configs.insert(md5, place);
            if field == "dynamo_config" && cx.model().recompile_limit.is_none() {
                cx.model().recompile_limit = recompile_limit(json);
            }
            if let Some(values) = values.filter(|_| field == "inductor_config") {
                note_inductor_settings(&values, &mut cx.model().inductor);
            }
        }
        if *found != *self.of_last_record {
            self.of_last_record = found.into();
        }
        self.of_last_record.clone()
    }

    /// The MD5 of a configuration, and its text unless the record before had the same.
    fn config(&mut self, field: &'static str, json: &str) -> (Md5, Option<String>) {
        let last = self.last.iter_mut().find(|last| last.field == field);
        if let Some(last) = last.as_ref().filter(|last| last.json == json) {
            return (last.md5, None);
        }
        let (md5, text) = read_config(json);
        match last {
            Some(last) => (last.json, last.md5) = (json.to_owned(), md5),
            None => self.last.push(LastConfig { field, json: json.to_owned(), md5 }),
        }
        (md5, Some(text))
    }
}

/// A configuration as a record has it.
pub(super) struct WrittenConfig<'v> {
    pub(super) field: &'static str,
    pub(super) json: &'v str,
    /// Where it is in the value of the event.
    at: usize,
}

impl<'v> WrittenConfig<'v> {
    /// The configurations in the value of an event, in the order of [`CONFIG_FIELDS`].
    pub(super) fn all_in(value: &'v str) -> Vec<Self> {
        let mut found: Vec<_> = written_fields(value)
            .filter_map(|field| {
                let order = CONFIG_FIELDS.into_iter().position(|config| is_key(field.key, config))?;
                let config =
                    WrittenConfig { field: CONFIG_FIELDS.get(order)?, json: field.value, at: field.at };
                (field.value != "null").then_some((order, config))
            })
            .collect();
        found.sort_by_key(|(order, _)| *order);
        found.dedup_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, config)| config).collect()
    }

    /// Where its text is in the value; nowhere if it is not a text.
    pub(super) fn place(&self) -> Range<u32> {
        let text = self.json.starts_with('"').then_some(self.at..self.at + self.json.len());
        let place = text.and_then(|text| Some(text.start.try_into().ok()?..text.end.try_into().ok()?));
        place.unwrap_or_default()
    }
}

/// The value of an event with `{}` for each configuration. They take 35 of the 40 KB of a record, and reading them with the
/// other fields took most of the time.
pub(super) fn without_configs(value: &str, configs: &[WrittenConfig<'_>]) -> String {
    let mut places: Vec<Range<usize>> = configs.iter().map(|one| one.at..one.at + one.json.len()).collect();
    places.sort_by_key(|place| place.start);
    let mut others = String::with_capacity(USUAL_BYTES);
    let mut from = 0;
    for place in places {
        others.push_str(value.get(from..place.start).unwrap_or_default());
        others.push_str("{}");
        from = place.end;
    }
    others.push_str(value.get(from..).unwrap_or_default());
    others
}

/// Bytes of a record without its configurations: torch 2.15 writes 4 to 6 KB.
const USUAL_BYTES: usize = 8 << 10;

/// Notes a configuration of Inductor. A setting counts as on if any configuration of the log turns it on.
fn note_inductor_settings(fields: &Fields<'_>, known: &mut InductorSettings) {
    let flag = |name| fields.get::<bool>(name);
    known.compile_threads = known.compile_threads.or(fields.count("compile_threads"));
    known.cudagraphs =
        flag("triton.cudagraphs").filter(|on| *on).or(known.cudagraphs).or(flag("triton.cudagraphs"));
    known.freezing = flag("freezing").filter(|on| *on).or(known.freezing).or(flag("freezing"));
}

/// `recompile_limit`, until torch 2.5 `cache_size_limit`, in the JSON of a configuration, which torch writes as a string.
fn recompile_limit(json: &str) -> Option<u64> {
    let plain = json.replace('\\', "");
    let names = ["\"recompile_limit\":", "\"cache_size_limit\":"];
    let (_, rest) = names.iter().find_map(|name| plain.split_once(name))?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A configuration and its name, the MD5 of its text. torch writes a configuration as a text; one of another type is kept as
/// it stands, and named by its compact JSON.
fn read_config(json: &str) -> (Md5, String) {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return (Md5::of(text.as_bytes()), text);
    }
    let compact = serde_json::from_str::<serde_json::Value>(json).map(|value| value.to_string());
    (Md5::of(compact.as_deref().unwrap_or(json).as_bytes()), json.to_owned())
}

/// Reasons as texts; a reason of another type is shown as JSON.
fn restart_reasons(fields: &Fields<'_>) -> Vec<String> {
    let reasons = fields.get::<Vec<serde_json::Value>>("restart_reasons").unwrap_or_default();
    let text = |reason| if let serde_json::Value::String(text) = reason { text } else { reason.to_string() };
    reasons.into_iter().map(text).collect()
}

/// Fails if no field of a record has the type that torch gives it: such a record is garbled. A single field of another type
/// is accepted, because torch changes its fields.
fn check(fields: &Fields<'_>) -> anyhow::Result<()> {
    anyhow::ensure!(!fields.is_empty(), "it has no field");
    let texts = ["co_name", "co_filename", "fail_type", "pytorch_version", "compile_id"];
    let numbers =
        ["start_time", "start_time_us", "elapsed_time", "guard_count", "graph_op_count", "duration_us"];
    let present = texts.iter().chain(&numbers).filter(|f| fields.raw(f).is_some()).count();
    let typed = texts.iter().filter(|f| fields.text(f).is_some()).count()
        + numbers.iter().filter(|f| fields.number(f).is_some()).count();
    anyhow::ensure!(present == 0 || typed > 0, "none of its fields has the type that torch gives it");
    Ok(())
}
