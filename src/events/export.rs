//! Events of torch.export and draft_export.

use super::values::shown;
use super::{Event, Flow, ParseEvents, RankContext};
use crate::limits::{LIST, LISTED, TRIED};
use crate::model::{
    Cell, Content, ExportKind, ExportProblem, ExportedProgram, Fields, Form, Language, MadeExpression,
    Readable, Stack, TextFrame, read_program, source_comment,
};
use crate::read::source_text::symbols;
use crate::trace::TextMap;

pub(super) fn parse_fake_kernels(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let fields = event.fields();
    let (kind, state) = match event.key {
        "missing_fake_kernel" => (ExportKind::MissingFakeKernel, "missing"),
        _ => (ExportKind::MismatchedFakeKernel, "differs from the real one"),
    };
    let row =
        vec![Cell::code(fields.text("op")), Cell::Text(state.to_owned()), Cell::text(fields.text("reason"))];
    cx.table("fake-kernels").row(row);
    let problem = ExportProblem {
        subject: fields.raw("op").map(shown).unwrap_or_default(),
        result: fields.raw("reason").map(shown),
        ..problem(event, kind, cx)
    };
    cx.model().export.problems.push(problem);
    cx.listed_if_any(event);
    Ok(Flow::Handled)
}

/// A problem with the fields that all kinds share.
fn problem(event: &Event<'_>, kind: ExportKind, cx: &mut RankContext<'_>) -> ExportProblem {
    ExportProblem {
        compile: cx.compile_at_hand(),
        kind,
        header: event.header,
        line: event.line,
        ..ExportProblem::default()
    }
}

/// Their name.
const PAGE: &str = "symbolic_guard_information";

/// An expression on sizes or data whose value export needed to know.
pub(super) fn decided(
    event: &Event<'_>,
    kind: ExportKind,
    (user_stack, stack): (Option<Stack>, Option<Stack>),
    cx: &mut RankContext<'_>,
) {
    let fields = event.fields();
    let index = cx.model().export.problems.len();
    let id = fields.get("expr_node_id").or_else(|| fields.get("expr_id"));
    let problem = ExportProblem {
        subject: fields.raw("expr").map(shown).unwrap_or_default(),
        result: fields.raw("result").map(shown),
        source: first_source(&fields),
        user_stack,
        stack,
        made: id.and_then(|id: i64| cx.reading.expressions.get(&id).cloned()),
        page: (index < LISTED).then(|| cx.uncounted(|cx| cx.add(PAGE, Content::Guard(index))).place.place()),
        ..problem(event, kind, cx)
    };
    cx.model().export.problems.push(problem);
}

/// The input of the symbol that an expression begins with: `Eq(s77, 6)`.
fn first_source(fields: &Fields<'_>) -> Option<String> {
    let expr = fields.text("expr")?;
    let symbol = symbols(&expr, 1).find(|symbol| symbol.starts_with('s'))?;
    let sources = fields.get::<serde_json::Map<String, serde_json::Value>>("symbol_to_sources")?;
    sources.get(symbol)?.as_str().map(str::to_owned)
}

/// `exported_program`: the program, and which of the user's lines call the operators that problems named.
#[derive(Default)]
pub(super) struct Program {
    /// How many problems were looked at.
    seen: usize,
    /// Operators whose calls are not known yet, with their problems.
    waiting: TextMap<String, Vec<usize>>,
}

impl ParseEvents for Program {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let id = cx.uncounted(|cx| cx.artifact_of_payload(event, event.key, Form::Text));
        cx.readable(id, Readable::Code(Language::Python));
        // Scripts find it under its hash too, where upstream has it without --export.
        if let Some(payload) = event.payload {
            cx.kept_payload(payload);
        }
        let problems = &mut cx.model().export.problems;
        for (index, one) in problems.iter().enumerate().skip(self.seen) {
            if one.kind.of_operator() {
                self.waiting.entry(one.subject.clone()).or_default().push(index);
            }
        }
        self.seen = problems.len();
        let mut calls: TextMap<String, Vec<TextFrame>> = TextMap::default();
        let facts = event.payload_text().map(|text| {
            read_program(&text, |operator, place| {
                if self.waiting.contains_key(operator) {
                    let known = calls.entry(operator.to_owned()).or_default();
                    if known.len() < LIST && !known.contains(place) {
                        known.push(place.clone());
                    }
                }
            })
        });
        for (operator, places) in calls {
            for index in self.waiting.remove(&operator).unwrap_or_default() {
                if let Some(one) = problems.get_mut(index) {
                    one.calls.clone_from(&places);
                }
            }
        }
        let program = ExportedProgram {
            compile: id.place.compile,
            artifact: id.place.place(),
            line: event.line,
            facts,
        };
        cx.model().export.programs.push(program);
        Ok(Flow::Handled)
    }
}

pub(super) fn parse_started(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let compile = cx.compile_at_hand();
    cx.model().export.started.push(compile);
    cx.listed_if_any(event);
    Ok(Flow::Handled)
}

/// `make_fx_fail_partial`: where exports stopped, by the last operation of the graph that each had until then. The next parser
/// makes a file of the graph.
#[derive(Default)]
pub(super) struct Partial {
    stopped: Vec<ExportProblem>,
}

impl ParseEvents for Partial {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let text = event.payload_text().filter(|_| self.stopped.len() < LISTED).unwrap_or_default();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(TRIED);
        let last = lines.next().unwrap_or_default();
        let Some(place) = lines.find_map(|line| source_comment(line.strip_prefix('#')?)) else {
            return Ok(Flow::Ignored);
        };
        let line = place.loc.clone().unwrap_or_default();
        let mut found = problem(event, ExportKind::Stopped, cx);
        // In a `torch._check`, the program states the condition itself.
        match decided_by(last).filter(|_| !line.contains("_check(")) {
            Some((operation, expression)) => {
                found.kind = ExportKind::Undecided;
                found.subject = expression.to_owned();
                found.made = Some(MadeExpression { method: operation.into(), user_stack: None });
            }
            None => found.subject = line,
        }
        found.calls.push(place);
        self.stopped.push(found);
        Ok(Flow::Ignored)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        let model = cx.model();
        for one in self.stopped {
            // What is compiled has a record of why it failed, and with TORCH_DTRACE an export has one, too.
            let is_export =
                model.compiles.get(one.compile).is_some_and(|at| at.stack.is_none() && at.metrics.is_empty());
            let is_told = |known: &ExportProblem| known.compile == one.compile && known.kind.is_end();
            if is_export && !model.export.problems.iter().any(is_told) {
                model.export.problems.push(one);
            }
        }
        Ok(())
    }
}

/// The operation and the condition of `gt: "Sym(u0 > 3)" = item > 3;`.
fn decided_by(operation: &str) -> Option<(&str, &str)> {
    let (name, rest) = operation.split_once(": \"Sym(")?;
    let (expression, _) = rest.split_once(")\" = ")?;
    let is_condition = ["<", ">", "==", "!=", "Eq(", "Ne("].iter().any(|sign| expression.contains(sign));
    is_condition.then(|| (name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_'), expression))
}
