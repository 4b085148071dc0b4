//! Inductor's output: the code that runs, its kernels, and where they come from.

use super::context::ArtifactId;
use super::kernel_names::kernels_of;
use super::{Event, Flow, RankContext};
use crate::limits::LONGEST_NAME;
use crate::model::words::{cache_folder, file_name};
use crate::model::{Cell, Fields, Form, Language, Readable, Torch, TritonKernel, Unit};
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) fn parse_output_code(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let fields = event.fields();
    let path = fields.text("filename").or_else(|| fields.text("file_path"));
    let file = path.as_deref().map(file_name);
    let (stem, extension) = file.map_or(("", ""), |f| f.rsplit_once('.').unwrap_or((f, "")));
    let name = match stem {
        "" => event.key.to_owned(),
        stem => format!("{}_{stem}", event.key),
    };
    let text = event.payload_text().unwrap_or_default();
    let cpp = extension == "cpp" || text.trim_start().starts_with("#include");
    let form = Form::Code(if cpp { Language::Cpp } else { Language::Python });
    let artifact = cx.artifact_of_payload(event, &name, form);
    if let Some(id) = aot_id(&text) {
        cx.model().aot_ids.insert(artifact.number, id.to_owned());
    }
    if let Some(folder) = path.as_deref().and_then(cache_folder) {
        cx.model().cross_rank.cache_folders.insert(folder.to_owned());
    }
    cx.collectives_in_code(&text);
    let parts = text.lines().filter(|line| line.starts_with(PART)).count();
    let capability = text.split_once(CAPABILITY).and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
    let kernels = kernels_of(&text);
    let of_user = kernels.of_user;
    let counts: Vec<_> =
        kernels.counts.into_iter().map(|(name, count)| (cx.reading.texts.text(name), count)).collect();
    if let Some(compile) = cx.here() {
        compile.on_device.parts =
            compile.on_device.parts.saturating_add(u32::try_from(parts).unwrap_or(u32::MAX));
        compile.on_device.capability = capability.or(compile.on_device.capability);
        compile.kernels.add(counts);
        compile.user_kernels.extend(of_user);
    }
    Ok(Flow::Handled)
}

/// How the function of a part begins that can become a CUDA graph.
const PART: &str = "def partition_";

/// What precedes the compute capability of a CUDA device in the source of a Triton kernel.
const CAPABILITY: &str = ", cc=";

pub(super) fn parse_runnable(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let text = event.payload_text().unwrap_or_default();
    if text.contains("config.triton.cudagraphs = True") {
        cx.model().inductor.cudagraphs = Some(true);
        if let Some(compile) = cx.here() {
            compile.on_device.settings.cudagraphs = true;
        }
    }
    let version = text.split_once("# torch version: ").and_then(|(_, rest)| rest.lines().next());
    if let Some(version) = version.filter(|version| version.len() <= LONGEST_NAME) {
        // A log that was cut off has no record of its own about the version.
        let torch = Torch { version: version.trim().to_owned(), commit: None };
        cx.model().torch.get_or_insert(torch);
    }
    let hardware =
        text.split_once("# GPU Hardware Info:").and_then(|(_, rest)| rest.trim_start().lines().next());
    let name = hardware.and_then(|line| line.strip_prefix("# ")?.rsplit_once(" : "));
    if let Some((name, _)) = name.filter(|(name, _)| name.len() <= LONGEST_NAME) {
        cx.model().gpu.get_or_insert_with(|| name.trim().to_owned());
    }
    // Whatever keeps its file does so for this one, too.
    Ok(Flow::Ignored)
}

/// `0_forward` of the first line `# AOT ID: ['0_forward']`.
fn aot_id(code: &str) -> Option<&str> {
    let first = code.lines().find(|line| !line.trim().is_empty())?;
    let id = first.strip_prefix("# AOT ID: ['")?.strip_suffix("']")?;
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && id.len() <= LONGEST_ID).then_some(id)
}

/// How many characters a name such as `12_inference` may have; anything longer is not such a name.
const LONGEST_ID: usize = 40;

pub(super) fn parse_kernel_info(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "triton_kernel_info", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let kernels = Fields::parse(&text)?;
    let kernel = |(name, info): (&str, &RawValue)| {
        let info = Fields::parse(info.get()).unwrap_or_default();
        let chosen = info.raw("best_config").or_else(|| info.raw("only_config"));
        TritonKernel {
            name: name.to_owned(),
            compile_us: info.number("compile_time_us"),
            state: info.text("autotune_cache_state"),
            candidates: info.number("num_configs"),
            chosen: chosen.map(configuration),
        }
    };
    let kernels: Vec<TritonKernel> = kernels.iter().map(kernel).collect();
    // The log is written before any of them ran.
    let mut section = cx.table("triton-kernels");
    for kernel in &kernels {
        section.row(vec![
            Cell::Code(kernel.name.clone()),
            Cell::number(kernel.compile_us, Unit::Micros),
            Cell::text(kernel.state.clone()),
            Cell::number(kernel.candidates, Unit::Count),
            Cell::code(kernel.chosen.clone()),
        ]);
    }
    if let Some(compile) = cx.here() {
        compile.triton_kernels.extend(kernels);
    }
    Ok(Flow::Handled)
}

/// `XBLOCK=64, num_warps=4` of an object or a list of pairs; anything else stays as it is written.
fn configuration(json: &RawValue) -> String {
    let named = match serde_json::from_str(json.get()) {
        Ok(Value::Object(settings)) => settings.into_iter().collect(),
        Ok(Value::Array(pairs)) => serde_json::from_value(Value::Array(pairs)).unwrap_or_default(),
        _ => Vec::<(String, Value)>::new(),
    };
    let words = named.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { json.get().to_owned() } else { words.join(", ") }
}

pub(super) fn parse_kernel_stacks(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let id = cx.artifact_of_payload(event, "inductor_provenance_tracking_kernel_stack_traces", Form::Json);
    cx.readable(id, Readable::KernelStacks);
    cx.names_kernels(event, id);
    Ok(Flow::Handled)
}

/// `inductor_provenance_tracking_node_mappings`, and what torch 2.7 wrote instead.
pub(super) fn parse_node_mappings(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let id = cx.artifact_of_payload(event, event.name.unwrap_or(event.key), event.form());
    cx.names_kernels(event, id);
    Ok(Flow::Handled)
}

impl RankContext<'_> {
    /// Notes whether an artifact of provenance names any node or kernel. Where torch knows none it writes
    /// `{"version": 2.0}` or `{}`; every name comes with a list.
    fn names_kernels(&mut self, event: &Event<'_>, id: ArtifactId) {
        if let Some(artifact) = self.artifact_mut(id) {
            artifact.names_kernels = event.payload_text().is_some_and(|text| text.contains('['));
        }
    }
}
