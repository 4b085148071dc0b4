//! How far a compile came before it failed, in which step, and whose function raised there.

use super::failures::FailureCause;
use super::own_code::is_library;
use crate::model::TextFrame;

/// The part of the compiler that a compile had reached when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reached {
    /// Dynamo was reading the user's code.
    Dynamo,
    /// The graph had been given to the backend; for Inductor, AOTAutograd comes first.
    Backend,
    /// Inductor was rewriting or lowering the graph.
    Inductor,
    /// Inductor was generating or building kernels.
    CodeGeneration,
}

/// Where a compile failed.
#[derive(Debug, Clone)]
pub struct FailedIn {
    /// How far it came.
    pub reached: Reached,
    /// The step within that part: `post-grad passes`; empty if the traceback does not show it.
    pub step: &'static str,
    /// The user's function that raised because the compiler called it, with the line that raised.
    pub own: Option<TextFrame>,
    /// The setting by which the compiler calls that function: `post_grad_custom_post_pass`.
    pub setting: Option<&'static str>,
    /// Names of the records with the graph that this step worked on, the best first.
    pub graphs: &'static [&'static str],
}

impl FailedIn {
    /// The part of the compiler and the step, in words: `Inductor, post-grad passes`.
    pub fn words(&self) -> String {
        let part = match (self.reached, self.step, &self.own) {
            (Reached::Backend, BACKEND, Some(_)) => return "your backend".to_owned(),
            (Reached::Backend, BACKEND, None) => return "the backend".to_owned(),
            (Reached::Dynamo, ..) => "Dynamo",
            (Reached::Backend, ..) => "AOTAutograd",
            (Reached::Inductor | Reached::CodeGeneration, ..) => "Inductor",
        };
        match self.step {
            "" => part.to_owned(),
            step => format!("{part}, {step}"),
        }
    }

    /// Whether the step is the call of a backend, of which the log knows no parts.
    pub fn is_backend(&self) -> bool {
        self.step == BACKEND
    }
}

/// The call of a backend.
const BACKEND: &str = "backend";

/// A step of the compiler.
#[derive(Clone, Copy)]
struct Step {
    /// Part of the path of its files.
    path: &'static str,
    reached: Reached,
    name: &'static str,
    graphs: &'static [&'static str],
}

const CAPTURED: &[&str] = &["dynamo_output_graph"];

const LOWERED: &[&str] = &["inductor_post_grad_graph", "after_post_grad_graph", "before_post_grad_graph"];

const fn step(
    path: &'static str,
    reached: Reached,
    name: &'static str,
    graphs: &'static [&'static str],
) -> Step {
    Step { path, reached, name, graphs }
}

/// Steps by the files that run them. The innermost frame in one of these files decides.
const STEPS: &[Step] = &[
    step(
        "torch/_inductor/fx_passes/post_grad.py",
        Reached::Inductor,
        "post-grad passes",
        &["before_post_grad_graph"],
    ),
    step(
        "torch/_inductor/fx_passes/joint_graph.py",
        Reached::Inductor,
        "joint-graph passes",
        &["before_joint_graph"],
    ),
    step(
        "torch/_inductor/fx_passes/pre_grad.py",
        Reached::Inductor,
        "pre-grad passes",
        &["before_pre_grad_graph"],
    ),
    step("torch/_inductor/fx_passes/", Reached::Inductor, "graph passes", LOWERED),
    step("torch/_inductor/select_algorithm.py", Reached::CodeGeneration, "autotuning", LOWERED),
    step("torch/_inductor/async_compile.py", Reached::CodeGeneration, "building kernels", LOWERED),
    step("torch/_inductor/cpp_builder.py", Reached::CodeGeneration, "building kernels", LOWERED),
    step("torch/_inductor/runtime/", Reached::CodeGeneration, "building kernels", LOWERED),
    step("torch/_inductor/codecache.py", Reached::CodeGeneration, "loading its code", LOWERED),
    step("torch/_inductor/codegen/", Reached::CodeGeneration, "code generation", LOWERED),
    step("torch/_inductor/scheduler.py", Reached::Inductor, "scheduling and fusion", LOWERED),
    step("torch/_inductor/lowering.py", Reached::Inductor, "lowering", LOWERED),
    step("torch/_inductor/ir.py", Reached::Inductor, "lowering", LOWERED),
    step("torch/_inductor/graph.py", Reached::Inductor, "lowering", LOWERED),
    step("torch/_inductor/", Reached::Inductor, "", LOWERED),
    step("torch/_functorch/", Reached::Backend, "", CAPTURED),
    step("torch/_dynamo/backends/distributed.py", Reached::Backend, "splitting the graph for DDP", CAPTURED),
    step("torch/_dynamo/repro/after_dynamo.py", Reached::Backend, BACKEND, CAPTURED),
    step("torch/_dynamo/backends/", Reached::Backend, BACKEND, CAPTURED),
];

/// Settings that name a function of the user which Inductor calls with a graph.
const SETTINGS: [&str; 5] = [
    "post_grad_custom_pre_pass",
    "post_grad_custom_post_pass",
    "joint_custom_pre_pass",
    "joint_custom_post_pass",
    "pre_grad_custom_pass",
];

/// Where the compiles of a cause failed, by the traceback of the first; without one, by the exception.
pub fn failed_in(cause: &FailureCause<'_>) -> FailedIn {
    let failure = cause.first();
    let raised = cause.trace.map(|trace| trace.raised.as_slice()).unwrap_or_default();
    // The first exception with frames of the user caused the others.
    let is_own = |frame: &&TextFrame| !is_library(&frame.file);
    let decisive = raised.iter().find(|frames| frames.iter().any(|frame| is_own(&frame))).or(raised.first());
    let frames = decisive.map(Vec::as_slice).unwrap_or_default();
    let found = frames.iter().rev().find_map(step_of);
    let own = frames.iter().rev().find(is_own).cloned();
    let setting = frames.iter().rev().find_map(|frame| {
        let code = frame.loc.as_deref()?;
        SETTINGS.into_iter().find(|setting| code.contains(setting))
    });
    let by_name = || {
        let error = failure.map_or("", |failure| &failure.error);
        let backward = failure.is_some_and(|failure| failure.kind.contains("backward"));
        match error.rsplit('.').next().unwrap_or_default() {
            "BackendCompilerFailed" => step("", Reached::Backend, BACKEND, CAPTURED),
            "InductorError" | "LoweringException" => step("", Reached::Inductor, "", LOWERED),
            _ if backward => step("", Reached::Inductor, "backward graph", LOWERED),
            "TorchRuntimeError" => step("", Reached::Dynamo, "fake tensors", CAPTURED),
            _ => step("", Reached::Dynamo, "", CAPTURED),
        }
    };
    let at = found.unwrap_or_else(by_name);
    FailedIn { reached: at.reached, step: at.name, own, setting, graphs: at.graphs }
}

fn step_of(frame: &TextFrame) -> Option<Step> {
    STEPS.iter().find(|step| frame.file.contains(step.path)).copied()
}
