//! How far a compile came before it failed, in which step, and whose function raised there.

use super::failures::FailureCause;
use super::own_code::is_library;
use crate::model::TextFrame;
use crate::model::words::words_of;
use std::sync::LazyLock;

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
    /// Names of the records with the graph that this step worked on, the best first, with spaces between them.
    pub graphs: &'static str,
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
struct CompilerStep {
    /// Part of the path of its files, or the class of an exception that it raises.
    of: &'static str,
    reached: Reached,
    name: &'static str,
    graphs: &'static str,
}

const CAPTURED: &str = "dynamo_output_graph";

const LOWERED: &str = "inductor_post_grad_graph after_post_grad_graph before_post_grad_graph";

/// Steps by the files that run them.
static STEPS: LazyLock<Vec<CompilerStep>> = LazyLock::new(|| {
    let step = |(of, rest): (&'static str, &'static str)| {
        let mut parts = rest.split('|').map(str::trim);
        let reached = match parts.next()? {
            "Backend" => Reached::Backend,
            "Inductor" => Reached::Inductor,
            "CodeGeneration" => Reached::CodeGeneration,
            _ => Reached::Dynamo,
        };
        let (name, graphs) = (parts.next()?, parts.next()?);
        let graphs = match graphs {
            "captured" => CAPTURED,
            "lowered" => LOWERED,
            name => name,
        };
        Some(CompilerStep { of, reached, name, graphs })
    };
    words_of(include_str!("failed_in.txt")).into_iter().filter_map(step).collect()
});

/// Any other failure.
static TRACING: CompilerStep = CompilerStep { of: "", reached: Reached::Dynamo, name: "", graphs: CAPTURED };

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
    let by_class = || {
        let class = failure.and_then(|failure| failure.error.rsplit('.').next());
        let is_backward = failure.is_some_and(|failure| failure.kind.is_backward());
        let step = |of: &str| STEPS.iter().find(|step| step.of == of && !of.contains('/'));
        let of_class = class.and_then(step);
        // Classes of Dynamo are raised for backward graphs too.
        match of_class.filter(|step| !is_backward || step.reached != Reached::Dynamo) {
            None if is_backward => step("a backward graph"),
            found => found,
        }
    };
    let at = found.or_else(by_class).unwrap_or(&TRACING);
    FailedIn { reached: at.reached, step: at.name, own, setting, graphs: at.graphs }
}

/// The innermost frame in a file of a step decides.
fn step_of(frame: &TextFrame) -> Option<&'static CompilerStep> {
    STEPS.iter().find(|step| step.of.contains('/') && frame.file.contains(step.of))
}
