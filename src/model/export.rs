//! What a log says about torch.export: the program, and the problems that it found.

use super::{CompileIndex, Stack, TextFrame};
use crate::trace::Span;
use std::sync::Arc;

/// Facts about an export, each list in log order.
#[derive(Debug, Default)]
pub struct Export {
    /// Compiles in which an export began (`export`), one entry per record; only `TORCH_DTRACE` has them.
    pub started: Vec<CompileIndex>,
    pub problems: Vec<ExportProblem>,
    pub programs: Vec<ExportedProgram>,
}

impl Export {
    /// Whether the log holds anything that an export records.
    pub fn is_recorded(&self) -> bool {
        let of_export = |one: &ExportProblem| one.kind != ExportKind::GuardEvaluated;
        !self.started.is_empty() || !self.programs.is_empty() || self.problems.iter().any(of_export)
    }
}

/// The kind of a problem that export found.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// An operator without a fake kernel (`missing_fake_kernel`).
    #[default]
    MissingFakeKernel,
    /// An operator whose fake kernel disagrees with the real one (`mismatched_fake_kernel`).
    MismatchedFakeKernel,
    /// An expression that depends on data; export used the value that this data gives (`propagate_real_tensors_provenance`).
    Assumed,
    /// An expression that depends on data; export could not go on (`guard_on_data_dependent_error`).
    Undecided,
    /// The last line in the graph of an export that stopped, for a reason that is not in the log (`make_fx_fail_partial`).
    Stopped,
    /// A condition on sizes that was evaluated while exporting (`guard_added` with the prefix `eval`).
    GuardEvaluated,
}

impl ExportKind {
    pub fn of_operator(self) -> bool {
        matches!(self, ExportKind::MissingFakeKernel | ExportKind::MismatchedFakeKernel)
    }

    /// Whether export could not go on.
    pub fn is_end(self) -> bool {
        matches!(self, ExportKind::Undecided | ExportKind::Stopped)
    }
}

/// A problem that export found: an operator without a correct fake kernel, or an expression whose value it needed.
#[derive(Debug, Default, Clone)]
pub struct ExportProblem {
    pub compile: CompileIndex,
    pub kind: ExportKind,
    /// The operator or the expression.
    pub subject: String,
    /// What is wrong with the operator, or what was assumed about the expression.
    pub result: Option<String>,
    pub user_stack: Option<Stack>,
    /// All frames, torch's among them.
    pub stack: Option<Stack>,
    /// The user's lines that call the operator, taken from the exported program: the event has no stack.
    pub calls: Vec<TextFrame>,
    /// The input that the first symbol of the expression is for: `L['x'].size()[0]`.
    pub source: Option<String>,
    pub made: Option<MadeExpression>,
    /// Its page among the artifacts of the compile.
    pub page: Option<usize>,
    /// The record's header line: the text of the user's line is read there again.
    pub header: Span,
    pub line: u64,
}

/// How an expression was made (`expression_created`).
#[derive(Debug, Clone)]
pub struct MadeExpression {
    /// The operation: `eq`.
    pub method: Arc<str>,
    pub user_stack: Option<Stack>,
}

/// An exported program (`exported_program`).
#[derive(Debug, Clone)]
pub struct ExportedProgram {
    pub compile: CompileIndex,
    /// Its file among the artifacts of the compile.
    pub artifact: usize,
    pub line: u64,
    /// The content of its text; None if it has no text, or the text is too long to be kept in memory.
    pub facts: Option<ProgramFacts>,
}

/// The content of the text of an exported program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFacts {
    /// Names of inputs with what they are: `x`, `USER_INPUT`.
    pub inputs: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Symbols with the range in which the program holds: `u0`, `[4, 4]`.
    pub ranges: Vec<(String, String)>,
    /// Checks of an expression at run time.
    pub assertions: usize,
    pub lines: usize,
    /// How many inputs, outputs and ranges are not kept.
    pub left_out: usize,
}
