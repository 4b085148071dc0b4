//! The graphs of the log as a trace meets them: by the key of their code, with the calls of that code in order.

use super::buffers::{CallBuffers, buffers_of_calls};
use super::estimates::{ReadPayload, estimated_runtimes};
use super::formulas::Formula;
use super::node_flops::flops_of_nodes;
use crate::analysis::provenance::{CodeKind, InductorRun, Provenance, RunTexts, inductor_runs};
use crate::model::{Compile, CompileIndex, InputDims, Model, Operator};
use crate::trace::TextMap;

/// A line of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramLine {
    /// File.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Its text, where the log has it.
    pub code: Option<String>,
}

/// A part of a call's time that a line of the program takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineShare {
    /// Place in [`Graphs::lines`].
    pub(super) line: usize,
    /// 1 being all of it.
    pub(super) share: f64,
}

/// A call of a kernel in generated code.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeCall {
    /// As a trace names it: `aten::addmm`, `cpp_fused_add_0`, `triton_poi_fused_add_0`.
    pub(super) name: String,
    /// Whether its source was generated.
    pub(super) generated: bool,
    pub(super) bytes: Option<f64>,
    pub(super) flops: Option<f64>,
    pub(super) lines: Vec<LineShare>,
    /// What Inductor expected it to take, microseconds.
    pub(super) estimated_us: Option<f64>,
}

/// A graph that Inductor compiled.
pub(super) struct Graph {
    pub(super) compile: CompileIndex,
    pub(super) calls: Vec<CodeCall>,
    /// Places of the calls by name, ascending.
    pub(super) by_name: TextMap<String, Vec<usize>>,
}

/// All graphs of the log.
#[derive(Default)]
pub(super) struct Graphs {
    pub(super) graphs: Vec<Graph>,
    /// Which graph has a cache key.
    by_key: TextMap<String, usize>,
    /// Which graph defines a generated kernel; None where several do.
    by_kernel: TextMap<String, Option<usize>>,
    /// Which graph's code names the file of a Triton kernel; None where several do.
    by_file: TextMap<String, Option<usize>>,
    pub(super) lines: Vec<ProgramLine>,
}

impl Graphs {
    /// Reads the code of every graph.
    ///
    /// # Errors
    /// The log cannot be read any more.
    pub(super) fn read(model: &Model, read: ReadPayload<'_>) -> anyhow::Result<Graphs> {
        let mut found = Graphs::default();
        let mut places: TextMap<(String, u64), usize> = TextMap::default();
        for (index, compile) in model.compiles.indexed() {
            for run in inductor_runs(compile, |number| model.aot_ids.get(&number).map(String::as_str)) {
                let place = found.graphs.len();
                for key in keys_of(model, index, &run) {
                    found.by_key.entry(key.to_owned()).or_insert(place);
                }
                let graph = found.graph(index, (compile, &run), read, &mut places)?;
                for call in graph.calls.iter().filter(|call| call.generated) {
                    let known = found.by_kernel.entry(call.name.clone()).or_insert(Some(place));
                    *known = known.filter(|known| *known == place);
                }
                found.graphs.push(graph);
            }
        }
        Ok(found)
    }

    /// The graph whose code a trace names by its cache key.
    pub(super) fn with_key(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The one graph that has a generated kernel.
    pub(super) fn with_kernel(&self, kernel: &str) -> Option<usize> {
        self.by_kernel.get(kernel).copied().flatten()
    }

    /// Whether products of `float` in a graph may be made in tf32, as guards of its compile say; outside of graphs as those
    /// of all compiles do, where they agree.
    pub(super) fn may_use_tf32(&self, model: &Model, graph: Option<usize>) -> Option<bool> {
        let compile = graph.and_then(|graph| self.graphs.get(graph)).map(|graph| graph.compile);
        if let Some(known) = compile.and_then(|compile| model.guards.get(&compile)?.allow_tf32) {
            return Some(known);
        }
        let mut told = model.guards.values().filter_map(|guards| guards.allow_tf32);
        let first = told.next()?;
        told.all(|other| other == first).then_some(first)
    }

    /// The one graph whose code names the file of a Triton kernel.
    pub(super) fn with_file(&self, file: &str) -> Option<usize> {
        self.by_file.get(file).copied().flatten()
    }

    fn graph(
        &mut self,
        compile: CompileIndex,
        (owner, run): (&Compile, &InductorRun),
        read: ReadPayload<'_>,
        places: &mut TextMap<(String, u64), usize>,
    ) -> anyhow::Result<Graph> {
        let texts = RunTexts::read(owner, run, read)?;
        let known = texts.provenance();
        let code =
            texts.code.iter().find(|(kind, _)| *kind == CodeKind::Python).map(|(_, text)| text.as_str());
        let lines = known.kernels.iter().map(|call| (call.line, call.kernel.as_str()));
        let buffers = buffers_of_calls(code.unwrap_or_default(), texts.post.as_deref(), lines);
        let flops = texts.post.as_deref().map(flops_of_nodes).unwrap_or_default();
        for file in code.into_iter().flat_map(kernel_files) {
            let known = self.by_file.entry(file.to_owned()).or_insert(Some(self.graphs.len()));
            *known = known.filter(|known| *known == self.graphs.len());
        }
        let estimates = estimated_runtimes(owner, run, read)?;
        let mut graph = Graph { compile, calls: Vec::new(), by_name: TextMap::default() };
        for (place, call) in known.kernels.iter().enumerate() {
            let name = name_in_trace(&call.kernel);
            let of_code = buffers.get(&call.line);
            let of_nodes: f64 = call.nodes.iter().filter_map(|node| flops.get(node)).sum();
            let of_nodes = Some(of_nodes).filter(|flops| *flops > 0.0);
            graph.by_name.entry(name.clone()).or_default().push(place);
            graph.calls.push(CodeCall {
                flops: of_nodes.or_else(|| flops_of_call(&name, of_code?)),
                bytes: of_code.and_then(|buffers| buffers.bytes),
                generated: call.language.is_some(),
                lines: self.shares(&known, place, places),
                estimated_us: estimates.get(&call.kernel).map(|of| of.ns / f64::from(of.calls) / 1e3),
                name,
            });
        }
        Ok(graph)
    }

    /// The lines of a call. Each of its nodes has an equal share, and each line those of its nodes.
    fn shares(
        &mut self,
        known: &Provenance,
        call: usize,
        places: &mut TextMap<(String, u64), usize>,
    ) -> Vec<LineShare> {
        let Some(call) = known.kernels.get(call) else { return Vec::new() };
        let lines = call.source.iter().filter_map(|at| known.source.get(*at));
        let weighted: Vec<(usize, f64)> = lines
            .map(|line| {
                let nodes = call.nodes.iter().filter(|node| line.nodes.contains(node)).count();
                let place = *places.entry((line.file.clone(), line.line)).or_insert_with(|| {
                    let code = line.code.clone();
                    self.lines.push(ProgramLine { file: line.file.clone(), line: line.line, code });
                    self.lines.len() - 1
                });
                (place, nodes.max(1) as f64)
            })
            .collect();
        let all: f64 = weighted.iter().map(|(_, nodes)| nodes).sum();
        weighted.into_iter().map(|(line, nodes)| LineShare { line, share: nodes / all }).collect()
    }
}

/// Keys under which the cache keeps the code of a run.
fn keys_of<'m>(model: &'m Model, compile: CompileIndex, run: &InductorRun) -> impl Iterator<Item = &'m str> {
    let of_run = run.artifacts.clone();
    let lookups = model.caches.iter().filter(move |lookup| {
        let at = lookup.artifact;
        lookup.cache == "fx_graph" && at.compile == compile && of_run.contains(&at.artifact)
    });
    lookups.filter_map(|lookup| lookup.key.as_deref())
}

/// How a trace names what the code calls: `aten::mm` for `extern_kernels.mm` and `torch.ops.aten.mm.default`.
fn name_in_trace(kernel: &str) -> String {
    let operator = |space: &str, rest: &str| {
        let name = rest.split('.').next().unwrap_or_default();
        format!("{space}::{name}")
    };
    if let Some(rest) = kernel.strip_prefix("torch.ops.") {
        let (space, rest) = rest.split_once('.').unwrap_or(("aten", rest));
        return operator(space, rest);
    }
    for (start, space) in [
        ("extern_kernels.", "aten"),
        ("aten.", "aten"),
        ("inductor_ops.", "inductor"),
        ("_quantized.", "_quantized"),
    ] {
        if let Some(rest) = kernel.strip_prefix(start) {
            return operator(space, rest);
        }
    }
    for start in ["aoti_torch_cpu_", "aoti_torch_cuda_", "aoti_torch_xpu_", "aoti_torch_mps_"] {
        if let Some(rest) = kernel.strip_prefix(start) {
            return format!("aten::{}", rest.strip_suffix("_out").unwrap_or(rest));
        }
    }
    kernel.to_owned()
}

/// Base names of the files that Inductor wrote Triton kernels to: `# kernel path: /tmp/torchinductor_me/h4/ch4l.py`.
fn kernel_files(code: &str) -> impl Iterator<Item = &str> {
    let paths = code.lines().filter_map(|line| line.trim().strip_prefix("# kernel path:"));
    paths.filter_map(|path| path.trim().rsplit(['/', '\\']).next()).filter(|file| !file.is_empty())
}

/// Arguments of a convolution behind its tensors, in the order of its operator.
const CONVOLUTION: [&str; 6] = ["stride", "padding", "dilation", "transposed", "output_padding", "groups"];

/// FLOPs of a library's operator from the sizes of the buffers that it is given, and from its settings.
fn flops_of_call(name: &str, buffers: &CallBuffers) -> Option<f64> {
    let formula = Formula::of(name)?;
    let inputs = buffers.arguments.iter().filter(|argument| !argument.is_out);
    let dims: Option<Vec<InputDims>> =
        inputs.map(|argument| argument.sizes.clone().map(InputDims::One)).collect();
    let mut operator = Operator { name: name.to_owned(), dims: dims?, ..Operator::default() };
    match formula {
        Formula::Convolution => {
            // Without its settings a convolution's work is not known.
            let setting = |name: &str| {
                let (_, value) = buffers.settings.iter().find(|(known, _)| known == name)?;
                Some(value.replace('(', "[").replace(",)", "]").replace(')', "]"))
            };
            let settings: Option<Vec<String>> = CONVOLUTION.iter().map(|name| setting(name)).collect();
            operator.dims.truncate(2);
            operator.values = vec![String::new(); 3];
            operator.values.extend(settings?);
        }
        // Whether attention is causal, and which gradients are asked for, the buffers do not tell.
        Formula::ConvolutionBackward | Formula::Attention | Formula::AttentionBackward => return None,
        Formula::Mm | Formula::Addmm | Formula::Bmm | Formula::Baddbmm => {}
    }
    formula.work(&operator).flops
}

#[cfg(test)]
mod tests {
    use super::super::buffers::Argument;
    use super::*;

    #[test]
    fn files_of_kernels_are_read_from_the_comments_above_them() {
        let code =
            "# kernel path: /tmp/torchinductor_me/h4/ch4lah.py\n# Source node to ATen node mapping:\nx = 1\n";
        assert_eq!(kernel_files(code).collect::<Vec<_>>(), ["ch4lah.py"]);
    }

    #[test]
    fn calls_of_libraries_are_named_as_a_trace_names_them() {
        for (in_code, in_trace) in [
            ("extern_kernels.addmm", "aten::addmm"),
            ("torch.ops.aten.convolution_backward.default", "aten::convolution_backward"),
            ("torch.ops.mylib.thing.default", "mylib::thing"),
            ("aoti_torch_cuda_mm_out", "aten::mm"),
            ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
        ] {
            assert_eq!(name_in_trace(in_code), in_trace);
        }
    }

    #[test]
    fn a_convolution_has_its_settings_from_the_arguments_of_its_call() {
        let argument = |sizes: &[i64]| Argument { sizes: Some(sizes.to_vec()), is_out: false };
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut buffers = CallBuffers {
            arguments: vec![argument(&[2, 8, 16, 16]), argument(&[32, 4, 3, 3])],
            settings: vec![
                setting("stride", "(2, 2)"),
                setting("padding", "(1, 1)"),
                setting("dilation", "(1,)"),
                setting("transposed", "False"),
                setting("output_padding", "(0, 0)"),
                setting("groups", "2"),
                setting("bias", "None"),
            ],
            ..CallBuffers::default()
        };
        let flops = 2.0 * 2.0 * 32.0 * 4.0 * 9.0 * 64.0;
        assert_eq!(flops_of_call("aten::convolution", &buffers), Some(flops));
        buffers.settings.remove(1);
        assert_eq!(flops_of_call("aten::convolution", &buffers), None, "no padding is not a padding of 0");
    }
}
