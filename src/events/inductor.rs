//! Inductor's output: the code that runs, its kernels, and where they come from.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Cell, Column, Fields, Form, Language, Readable, Unit};
use serde_json::value::RawValue;

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(OutputCode), Box::new(KernelInfo), Box::new(KernelStacks)]
}

/// `inductor_output_code`: the code that Inductor wrote.
struct OutputCode;

impl StructuredLogParser for OutputCode {
    fn name(&self) -> &'static str {
        "inductor_output_code"
    }

    fn about(&self) -> &'static str {
        "The code that Inductor wrote and that runs, highlighted."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["inductor_output_code"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let fields = event.fields();
        let path = fields.text("filename").or_else(|| fields.text("file_path"));
        let file = path.as_deref().and_then(|p| p.rsplit(['/', '\\']).next());
        let (stem, extension) = file.map_or(("", ""), |f| f.rsplit_once('.').unwrap_or((f, "")));
        let name = match stem {
            "" => event.key.to_owned(),
            stem => format!("{}_{stem}", event.key),
        };
        let text = event.payload_text().unwrap_or_default();
        let cpp = extension == "cpp" || text.trim_start().starts_with("#include");
        cx.artifact_of_payload(event, &name, Form::Code(if cpp { Language::Cpp } else { Language::Python }));
        cx.collectives_in_code(&text);
        Ok(Flow::Handled)
    }
}

/// `triton_kernel_info`: autotuning and compile time of Triton kernels.
struct KernelInfo;

const KERNEL_COLUMNS: [Column; 5] = [
    Column::text("Kernel"),
    Column::number("Compile time"),
    Column::text("Autotuning"),
    Column::number("Configurations"),
    Column::text("Chosen"),
];

impl StructuredLogParser for KernelInfo {
    fn name(&self) -> &'static str {
        "triton_kernel_info"
    }

    fn about(&self) -> &'static str {
        "Triton kernels with their compile time, autotuning state and chosen configuration."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["artifact:triton_kernel_info"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        cx.artifact_of_payload(event, "triton_kernel_info", Form::Json);
        let text = event.payload_text().unwrap_or_default();
        let kernels = Fields::parse(&text)?;
        let mut section =
            cx.section("triton-kernels", "Triton kernels", "as autotuning left them", &KERNEL_COLUMNS);
        for (kernel, info) in kernels.iter() {
            let info = Fields::parse(info.get()).unwrap_or_default();
            let chosen = info.raw("best_config").or_else(|| info.raw("only_config"));
            section.row(vec![
                Cell::Code(kernel.to_owned()),
                Cell::number(info.number("compile_time_us"), Unit::Micros),
                Cell::text(info.text("autotune_cache_state")),
                Cell::number(info.number("num_configs"), Unit::Count),
                Cell::code(chosen.map(RawValue::get)),
            ]);
        }
        Ok(Flow::Handled)
    }
}

/// `inductor_provenance_tracking_kernel_stack_traces`: the user's lines behind each kernel.
struct KernelStacks;

impl StructuredLogParser for KernelStacks {
    fn name(&self) -> &'static str {
        "kernel_stack_traces"
    }

    fn about(&self) -> &'static str {
        "The user's lines behind each kernel, as JSON and as a readable page."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["artifact:inductor_provenance_tracking_kernel_stack_traces"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let id =
            cx.artifact_of_payload(event, "inductor_provenance_tracking_kernel_stack_traces", Form::Json);
        cx.readable(id, Readable::KernelStacks);
        Ok(Flow::Handled)
    }
}
