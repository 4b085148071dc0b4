//! Inductor runs: which files of a compile belong together.
//!
//! One folder may hold several: forward and backward share an id, and after `torch._dynamo.reset()` the same id is
//! compiled again. Files of a run follow each other in the log in the order of the compiler's work.

use crate::model::{Artifact, Compile, Content, Form, Language};
use fxhash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// The files of one Inductor run: indices into the artifacts of its compile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InductorRun {
    /// Attempt of the compile.
    pub attempt: u32,
    /// From 1, among the runs of the same attempt.
    pub order: usize,
    /// `0_forward`, as the generated code names itself.
    pub aot_id: Option<String>,
    /// The graph before AOTAutograd.
    pub pre: Option<usize>,
    /// The graph that code was made of.
    pub post: Option<usize>,
    /// Generated code, what calls the kernels first.
    pub code: Vec<CodeFile>,
    /// Node mappings; torch 2.7 wrote them in two artifacts.
    pub mappings: Vec<usize>,
    /// Stack traces of kernels.
    pub stacks: Option<usize>,
    /// All artifacts of the run.
    pub artifacts: Range<usize>,
}

/// A file of generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFile {
    /// Index of its artifact.
    pub artifact: usize,
    /// What it holds.
    pub kind: CodeKind,
}

/// What a file of generated code holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeKind {
    /// The Python wrapper, with kernels in strings.
    Python,
    /// The C++ wrapper.
    Cpp,
    /// Kernels of the C++ wrapper.
    Kernels,
    /// Its header.
    Header,
}

/// Where in a run an artifact is written. An artifact of an earlier step than the last begins the next run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Runnable,
    BeforePost,
    Post,
    Code,
    Provenance,
    Cache,
}

enum Role {
    Pre,
    Of(Step),
    Other,
}

impl InductorRun {
    /// Whether the log says where the kernels of this run come from. `with_data` tells which artifacts say something.
    pub fn has_data(&self, compile: &Compile, with_data: impl Fn(u32) -> bool) -> bool {
        let artifacts = self.mappings.iter().chain(&self.stacks).filter_map(|at| compile.artifacts.get(*at));
        artifacts.into_iter().any(|artifact| with_data(artifact.number))
    }

    /// `forward`, `backward`, `inference`.
    pub fn direction(&self) -> Option<&str> {
        let (_, direction) = self.aot_id.as_deref()?.split_once('_')?;
        (!direction.is_empty()).then_some(direction)
    }

    /// Whether Inductor was not asked because its result was found in a cache.
    pub fn from_cache(&self, compile: &Compile) -> bool {
        let artifacts = compile.artifacts.get(self.artifacts.clone()).unwrap_or_default();
        artifacts.iter().any(|artifact| artifact.name == "fx_graph_cache_hit")
    }
}

/// The runs of a compile in the order of the log, those of each attempt by themselves. `aot_id` gives what the code
/// with that number calls itself.
pub fn inductor_runs<'m>(compile: &Compile, aot_id: impl Fn(u32) -> Option<&'m str>) -> Vec<InductorRun> {
    let mut attempts: BTreeMap<u32, Cutter<'_>> = BTreeMap::new();
    for (index, artifact) in compile.artifacts.iter().enumerate() {
        let cutter = attempts.entry(artifact.attempt).or_insert_with(|| Cutter::of(artifact.attempt));
        cutter.take(index, artifact, aot_id(artifact.number));
    }
    attempts.into_values().flat_map(Cutter::finish).collect()
}

/// Cuts the artifacts of an attempt into runs.
struct Cutter<'m> {
    attempt: u32,
    run: Option<InductorRun>,
    last: Step,
    /// Artifacts of provenance that the run has.
    named: Vec<&'m str>,
    /// The pre-grad graph that came last.
    pre: Option<usize>,
    /// Pre-grad graphs of the forward runs, by the number that the code has in common with its backward.
    forwards: FxHashMap<String, Option<usize>>,
    found: Vec<InductorRun>,
}

impl<'m> Cutter<'m> {
    fn of(attempt: u32) -> Cutter<'m> {
        Cutter {
            attempt,
            run: None,
            last: Step::Runnable,
            named: Vec::new(),
            pre: None,
            forwards: FxHashMap::default(),
            found: Vec::new(),
        }
    }

    fn take(&mut self, index: usize, artifact: &'m Artifact, aot_id: Option<&str>) {
        let name = artifact.name.as_str();
        let step = match role(artifact) {
            Role::Pre => {
                self.pre = Some(index);
                return;
            }
            Role::Other => {
                self.extend(index);
                return;
            }
            Role::Of(step) => step,
        };
        if self.run.is_none() || step < self.last || self.is_second(step, artifact) {
            self.close();
            self.run = Some(InductorRun {
                attempt: self.attempt,
                pre: self.pre,
                artifacts: index..index,
                ..InductorRun::default()
            });
        }
        self.last = step;
        self.extend(index);
        let Some(run) = &mut self.run else { return };
        match (step, code_kind(artifact)) {
            (Step::Post, _) => run.post = Some(index),
            (Step::Code, Some(kind)) => {
                run.code.push(CodeFile { artifact: index, kind });
                run.code.sort_by_key(|file| file.kind);
                run.aot_id = run.aot_id.take().or_else(|| aot_id.map(str::to_owned));
            }
            (Step::Provenance, _) => {
                self.named.push(name);
                match name.ends_with("kernel_stack_traces") {
                    true => run.stacks = Some(index),
                    false => run.mappings.push(index),
                }
            }
            _ => {}
        }
    }

    fn extend(&mut self, index: usize) {
        if let Some(run) = &mut self.run {
            run.artifacts.end = index + 1;
        }
    }

    /// Whether the run has that artifact already, so that this one is of the next.
    fn is_second(&self, step: Step, artifact: &Artifact) -> bool {
        let Some(run) = &self.run else { return false };
        match step {
            Step::Runnable => !run.artifacts.is_empty(),
            Step::Code => code_kind(artifact).is_some_and(|kind| run.code.iter().any(|f| f.kind == kind)),
            Step::Provenance => self.named.contains(&artifact.name.as_str()),
            _ => false,
        }
    }

    /// Keeps the run at hand. A backward that is compiled when it is first called belongs to its forward's graph, which
    /// need not be the last that was captured under the id.
    fn close(&mut self) {
        self.named.clear();
        let Some(mut run) = self.run.take() else { return };
        if run.code.is_empty() && run.mappings.is_empty() && run.stacks.is_none() {
            return;
        }
        if let Some((direction, pair)) = run.direction().zip(run.aot_id.as_deref().and_then(number)) {
            match direction {
                "forward" => drop(self.forwards.insert(pair.to_owned(), run.pre)),
                "backward" => run.pre = self.forwards.get(pair).copied().unwrap_or(run.pre),
                _ => {}
            }
        }
        run.order = self.found.len() + 1;
        self.found.push(run);
    }

    fn finish(mut self) -> Vec<InductorRun> {
        self.close();
        self.found
    }
}

/// `0` of `0_backward`.
fn number(aot_id: &str) -> Option<&str> {
    aot_id.split_once('_').map(|(number, _)| number)
}

fn role(artifact: &Artifact) -> Role {
    Role::Of(match artifact.name.as_str() {
        // Up to torch 2.6 no graph is written between Dynamo and AOTAutograd; where one is, it comes later.
        "before_pre_grad_graph" | "inductor_pre_grad_graph" | "dynamo_output_graph" => return Role::Pre,
        "fx_graph_runnable" => Step::Runnable,
        "before_post_grad_graph" => Step::BeforePost,
        "inductor_post_grad_graph" | "after_post_grad_graph" => Step::Post,
        "inductor_provenance_tracking_node_mappings"
        | "inductor_provenance_tracking_kernel_stack_traces"
        | "inductor_post_to_pre_grad_nodes"
        | "inductor_triton_kernel_to_post_grad_nodes"
        | "inductor_generated_kernel_to_post_grad_nodes" => Step::Provenance,
        "fx_graph_cache_hit" | "fx_graph_cache_miss" | "fx_graph_cache_bypass" => Step::Cache,
        _ if code_kind(artifact).is_some() => Step::Code,
        _ => return Role::Other,
    })
}

fn code_kind(artifact: &Artifact) -> Option<CodeKind> {
    match artifact.name.as_str() {
        "inductor_aot_wrapper_code" | "inductor_aot_code" => Some(CodeKind::Cpp),
        "inductor_aot_kernel_code" => Some(CodeKind::Kernels),
        "inductor_aot_header_code" => Some(CodeKind::Header),
        name if name.starts_with("inductor_output_code") => match artifact.content {
            Content::Payload(_, Form::Code(Language::Cpp)) => Some(CodeKind::Cpp),
            _ => Some(CodeKind::Python),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compile with artifacts of these names; a name may be followed by what the code calls itself.
    fn runs(names: &[&str]) -> Vec<InductorRun> {
        let mut compile = Compile::new(None);
        let artifact =
            |(number, name): (u32, &&str)| Artifact::named(name.split(' ').next().unwrap(), number);
        compile.artifacts = (0..).zip(names).map(artifact).collect();
        inductor_runs(&compile, |number| names[number as usize].split_once(' ').map(|(_, id)| id))
    }

    const MAP: &str = "inductor_provenance_tracking_node_mappings";

    #[test]
    fn a_run_begins_where_the_compilers_work_begins_anew() {
        let names = [
            "before_pre_grad_graph",
            "fx_graph_runnable",
            "before_post_grad_graph",
            "inductor_post_grad_graph",
            "inductor_output_code_a 0_forward",
            MAP,
            "fx_graph_cache_miss",
            "compilation_metrics",
            "fx_graph_runnable",
            "before_post_grad_graph",
            "inductor_post_grad_graph",
            "inductor_output_code_b 0_backward",
            MAP,
        ];
        let runs = runs(&names);
        assert_eq!(runs.len(), 2);
        assert_eq!((runs[0].direction(), runs[1].direction()), (Some("forward"), Some("backward")));
        assert_eq!((runs[0].post, runs[1].post), (Some(3), Some(10)));
        assert_eq!((runs[0].pre, runs[1].pre), (Some(0), Some(0)));
        assert_eq!((runs[0].mappings.as_slice(), runs[1].mappings.as_slice()), (&[5][..], &[12][..]));
        assert_eq!(runs[1].order, 2);
    }

    #[test]
    fn runs_without_a_runnable_are_cut_at_their_graphs_or_their_code() {
        let names = ["inductor_post_grad_graph", "inductor_output_code_a", "inductor_post_grad_graph"];
        assert_eq!(runs(&[names[0], names[1], names[2], names[1]]).len(), 2);
        assert_eq!(runs(&[names[1], names[1], MAP, MAP]).len(), 3);
        assert_eq!(runs(&["inductor_post_grad_graph"]).len(), 0);
    }

    #[test]
    fn a_late_backward_has_the_pre_grad_graph_of_its_forward() {
        let names = [
            "before_pre_grad_graph",
            "fx_graph_runnable",
            "inductor_output_code_a 0_forward",
            "before_pre_grad_graph",
            "fx_graph_runnable",
            "inductor_output_code_b 1_inference",
            "fx_graph_runnable",
            "inductor_output_code_c 0_backward",
        ];
        let pre: Vec<_> = runs(&names).iter().map(|run| run.pre).collect();
        assert_eq!(pre, [Some(0), Some(3), Some(0)]);
    }

    #[test]
    fn all_files_of_aotinductor_are_one_run_and_its_wrapper_comes_first() {
        let names = [
            "inductor_post_grad_graph",
            "inductor_aot_header_code",
            "inductor_aot_kernel_code",
            "inductor_aot_wrapper_code",
            MAP,
        ];
        let runs = runs(&names);
        assert_eq!(runs.len(), 1);
        let kinds: Vec<CodeKind> = runs[0].code.iter().map(|file| file.kind).collect();
        assert_eq!(kinds, [CodeKind::Cpp, CodeKind::Kernels, CodeKind::Header]);
    }
}
