//! Inductor runs: the files of a compile that belong together.
//!
//! A compile may have several runs: forward and backward share an id, and after `torch._dynamo.reset()` an id is compiled
//! again. The files of a run are consecutive in the log; their order depends on the version of torch.

use crate::model::{Artifact, Compile, Content, Form, Language, Model};
use crate::read::generated::CodeKind;
use crate::trace::TextMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// The files of one Inductor run: indices into the artifacts of its compile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InductorRun {
    /// Attempt of the compile.
    pub attempt: u32,
    /// From 1, among the runs of the same attempt.
    pub order: usize,
    /// `0_forward`: the name in the generated code.
    pub aot_id: Option<String>,
    /// The graph before AOTAutograd.
    pub pre: Option<usize>,
    /// The graph that code was generated from.
    pub post: Option<usize>,
    /// Generated code, the wrapper first.
    pub code: Vec<CodeFile>,
    /// Node mappings; torch 2.7 wrote two artifacts.
    pub mappings: Vec<usize>,
    /// Stack traces of kernels.
    pub stacks: Option<usize>,
    pub artifacts: Range<usize>,
}

/// A file of generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFile {
    /// Index of its artifact.
    pub artifact: usize,
    pub kind: CodeKind,
}

/// The role of an artifact in its run.
enum Role {
    /// A graph from before Inductor; `captured` if Dynamo wrote it.
    Pre {
        captured: bool,
    },
    /// The program that torch writes when it calls Inductor.
    Runnable,
    /// A graph of Inductor. Code is generated from the last one.
    Graph {
        last: bool,
    },
    Code(CodeKind),
    Mapping,
    Stacks,
    Cache,
    Other,
}

impl InductorRun {
    /// Whether the log says where the kernels of this run come from.
    pub fn has_data(&self, compile: &Compile) -> bool {
        let mut artifacts =
            self.mappings.iter().chain(&self.stacks).filter_map(|at| compile.artifacts.get(*at));
        artifacts.any(|artifact| artifact.names_kernels)
    }

    /// `forward`, `backward`, `inference`.
    pub fn direction(&self) -> Option<&str> {
        let (_, direction) = self.aot_id.as_deref()?.split_once('_')?;
        (!direction.is_empty()).then_some(direction)
    }

    /// Whether its result came from a cache.
    pub fn is_from_cache(&self, compile: &Compile) -> bool {
        let artifacts = compile.artifacts.get(self.artifacts.clone()).unwrap_or_default();
        artifacts.iter().any(|artifact| &*artifact.name == "fx_graph_cache_hit")
    }
}

/// The runs of a compile in log order, attempt by attempt.
pub fn inductor_runs(model: &Model, compile: &Compile) -> Vec<InductorRun> {
    let mut attempts: BTreeMap<u32, Cutter<'_>> = BTreeMap::new();
    for (index, artifact) in compile.artifacts.iter().enumerate() {
        let cutter = attempts
            .entry(artifact.attempt)
            .or_insert_with(|| Cutter { attempt: artifact.attempt, ..Cutter::default() });
        cutter.take(index, artifact, model.aot_ids.get(&artifact.number).map(String::as_str));
    }
    attempts.into_values().flat_map(Cutter::finish).collect()
}

/// Divides the artifacts of an attempt into runs.
///
/// Graphs come before the code generated from them. Everything else can be anywhere in a run: torch 2.7 writes node
/// mappings before the code, later versions after it. So the next run begins with a graph after code, and with any
/// artifact that the run already has.
#[derive(Default)]
struct Cutter<'m> {
    attempt: u32,
    run: Option<InductorRun>,
    /// Names that the run already has and that occur once per run.
    named: Vec<&'m str>,
    pre: PreGraph<'m>,
    /// Pre-grad graphs of forward runs, by the number that they share with their backward.
    forwards: TextMap<String, Option<usize>>,
    found: Vec<InductorRun>,
}

/// The latest graph before Inductor.
#[derive(Default)]
struct PreGraph<'m> {
    index: Option<usize>,
    /// Names of such graphs since the last code.
    named: Vec<&'m str>,
    /// Whether one of them is from after Dynamo. Mappings refer to that one; up to torch 2.6 there is none.
    traced: bool,
}

impl<'m> PreGraph<'m> {
    fn take(&mut self, index: usize, name: &'m str, captured: bool) {
        if self.named.contains(&name) {
            self.end();
        }
        self.named.push(name);
        if captured && self.traced {
            return;
        }
        self.traced |= !captured;
        self.index = Some(index);
    }

    /// The next graphs belong to another compilation.
    fn end(&mut self) {
        self.named.clear();
        self.traced = false;
    }
}

impl<'m> Cutter<'m> {
    fn take(&mut self, index: usize, artifact: &'m Artifact, aot_id: Option<&str>) {
        let role = role(artifact);
        if self.begins_another(&role, artifact) {
            self.close();
        }
        match role {
            Role::Pre { captured } => {
                self.pre.take(index, &artifact.name, captured);
                if let Some(run) = self.run.as_mut().filter(|run| run.code.is_empty()) {
                    run.pre = self.pre.index;
                }
            }
            Role::Other => {}
            _ => self.open(index, once(artifact)),
        }
        let Some(run) = &mut self.run else { return };
        run.artifacts.end = index + 1;
        match role {
            Role::Graph { last: true } => run.post = Some(index),
            Role::Code(kind) => {
                run.code.push(CodeFile { artifact: index, kind });
                run.code.sort_by_key(|file| file.kind);
                run.aot_id = run.aot_id.take().or_else(|| aot_id.map(str::to_owned));
                self.pre.end();
            }
            Role::Mapping => run.mappings.push(index),
            Role::Stacks => run.stacks = Some(index),
            _ => {}
        }
    }

    /// Adds the artifact to the current run, or to a new one.
    fn open(&mut self, index: usize, name: &'m str) {
        self.named.push(name);
        self.run.get_or_insert_with(|| InductorRun {
            attempt: self.attempt,
            pre: self.pre.index,
            artifacts: index..index,
            ..InductorRun::default()
        });
    }

    /// Whether the artifact begins the next run.
    fn begins_another(&self, role: &Role, artifact: &Artifact) -> bool {
        let Some(run) = &self.run else { return false };
        match role {
            Role::Other => false,
            Role::Pre { .. } => !run.code.is_empty(),
            Role::Graph { .. } => !run.code.is_empty() || self.named.contains(&once(artifact)),
            Role::Code(kind) => run.code.iter().any(|file| file.kind == *kind),
            Role::Runnable | Role::Mapping | Role::Stacks | Role::Cache => {
                self.named.contains(&once(artifact))
            }
        }
    }

    /// Ends the current run. A lazily compiled backward belongs to the graph of its forward, which may not be the last
    /// graph captured under the id.
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

/// The name that occurs once per run: a cache hit, miss and bypass count as the same name.
fn once(artifact: &Artifact) -> &str {
    match &*artifact.name {
        "fx_graph_cache_hit" | "fx_graph_cache_miss" | "fx_graph_cache_bypass" => "fx_graph_cache",
        name => name,
    }
}

/// `0` of `0_backward`.
fn number(aot_id: &str) -> Option<&str> {
    aot_id.split_once('_').map(|(number, _)| number)
}

fn role(artifact: &Artifact) -> Role {
    match &*artifact.name {
        "dynamo_output_graph" => Role::Pre { captured: true },
        "before_pre_grad_graph" | "inductor_pre_grad_graph" => Role::Pre { captured: false },
        "fx_graph_runnable" => Role::Runnable,
        "before_post_grad_graph" => Role::Graph { last: false },
        "inductor_post_grad_graph" | "after_post_grad_graph" => Role::Graph { last: true },
        "inductor_provenance_tracking_kernel_stack_traces" => Role::Stacks,
        "inductor_provenance_tracking_node_mappings"
        | "inductor_post_to_pre_grad_nodes"
        | "inductor_triton_kernel_to_post_grad_nodes"
        | "inductor_generated_kernel_to_post_grad_nodes" => Role::Mapping,
        "fx_graph_cache_hit" | "fx_graph_cache_miss" | "fx_graph_cache_bypass" => Role::Cache,
        _ => code_kind(artifact).map_or(Role::Other, Role::Code),
    }
}

fn code_kind(artifact: &Artifact) -> Option<CodeKind> {
    match &*artifact.name {
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
    use super::super::tests::runs;
    use super::*;

    /// Calls `see` with all permutations of the items.
    fn each_order<'a>(items: &mut [&'a str], done: usize, see: &mut impl FnMut(&[&'a str])) {
        if done == items.len() {
            return see(items);
        }
        for next in done..items.len() {
            items.swap(done, next);
            each_order(items, done + 1, see);
            items.swap(done, next);
        }
    }

    /// The names of a run, sorted.
    fn held(run: &InductorRun, names: &[&str]) -> String {
        let code = run.code.iter().map(|file| file.artifact);
        let graphs = code.chain(run.pre).chain(run.post);
        let indices = graphs.chain(run.mappings.iter().copied()).chain(run.stacks);
        let mut held: Vec<&str> = indices.map(|index| names[index]).collect();
        held.sort_unstable();
        held.join(" ")
    }

    /// Asserts that two runs under one id are separated for every order of their artifacts in which graphs come before
    /// code; the second run has the same order, and shares the pre-grad graph of the first.
    fn every_order_gives_two_runs(first: &[&str]) {
        let other = ["fx_graph_runnable", "fx_graph_cache_miss", "before_post_grad_graph"];
        let mut kept: Vec<&str> = first.iter().copied().filter(|name| !other.contains(name)).collect();
        kept.sort_unstable();
        let mut seen = 0;
        each_order(&mut first.to_vec(), 0, &mut |order| {
            let code = order.iter().position(|name| name.contains("_code")).unwrap();
            if order.iter().skip(code).any(|name| name.contains("_graph") && !name.starts_with("fx_")) {
                return;
            }
            seen += 1;
            let late = order.iter().filter(|name| **name != first[0]);
            let late: Vec<String> = late.map(|name| name.replace("forward", "backward")).collect();
            let names: Vec<&str> = order.iter().copied().chain(late.iter().map(String::as_str)).collect();
            let runs = runs(&names);
            let [one, two] = runs.as_slice() else { panic!("{} runs of {names:?}", runs.len()) };
            assert_eq!(held(one, &names), kept.join(" "), "{names:?}");
            assert_eq!(held(two, &names), kept.join(" ").replace("forward", "backward"), "{names:?}");
            assert_eq!((two.pre, two.artifacts.start), (one.pre, order.len()), "{names:?}");
        });
        assert!(seen > 500);
    }

    #[test]
    fn artifacts_of_torch_2_7_and_2_15_belong_to_their_run_in_every_order() {
        let of_2_7 = "inductor_pre_grad_graph fx_graph_runnable inductor_post_grad_graph \
                      inductor_post_to_pre_grad_nodes inductor_triton_kernel_to_post_grad_nodes \
                      inductor_provenance_tracking_node_mappings inductor_output_code_a:0_forward fx_graph_cache_miss";
        let of_2_15 = "before_pre_grad_graph fx_graph_runnable before_post_grad_graph inductor_post_grad_graph \
                       inductor_output_code_a:0_forward inductor_provenance_tracking_node_mappings \
                       inductor_provenance_tracking_kernel_stack_traces fx_graph_cache_miss";
        for first in [of_2_7, of_2_15] {
            every_order_gives_two_runs(&first.split(' ').collect::<Vec<_>>());
        }
    }
}
