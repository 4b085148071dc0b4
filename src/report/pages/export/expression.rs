//! The derivation of an expression, as a tree.

use crate::model::{Argument, ExportProblem, Expression, ExpressionPart, Stack};
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, close, close_branch, fold, note_below, open_branch, open_part, soft, soft_paragraph, span,
    tree_leaf, write_line,
};
use crate::report::kit::view::View;
use std::io::Write;

/// Most levels shown; deeper parts are counted as left out.
const DEEPEST: usize = 40;

/// Most frames of all parts together.
const MOST_FRAMES: usize = 20_000;

struct Tree<'v> {
    view: View<'v>,
    problem: &'v ExportProblem,
    expression: &'v Expression,
    shown: Vec<bool>,
    cut: bool,
    /// Frames written so far.
    frames: usize,
}

/// The tree of an expression; empty if the log does not record how it was made.
pub(crate) fn write(view: View<'_>, problem: &ExportProblem, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(expression) = problem.expression.as_ref().filter(|e| !e.parts.is_empty()) else {
        if !problem.kind.of_operator() {
            let text = "The log does not record how the expression was made.";
            open_part(out, "Expression")?;
            soft_paragraph(out, text)?;
            close(out, "div")?;
        }
        return Ok(());
    };
    let shown = vec![false; expression.parts.len()];
    let mut tree = Tree { view, problem, expression, shown, cut: expression.cut, frames: 0 };
    open_part(out, "Expression")?;
    write_line(out, &Element::new("div").class("tree").region("Expression").open())?;
    write_line(out, &Element::new("ul").open())?;
    tree.part(0, (0, None), out)?;
    close(out, "ul")?;
    close(out, "div")?;
    if tree.cut {
        note_below(out, "Some parts are left out, as the expression is too large.")?;
    }
    close(out, "div")?;
    Ok(())
}

impl Tree<'_> {
    /// A part and its operands, with its source line if that differs from the one above.
    fn part(
        &mut self,
        index: usize,
        (depth, above): (usize, Option<&Stack>),
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let expression = self.expression;
        let Some(part) = expression.parts.get(index) else { return Ok(()) };
        let seen = self.shown.get_mut(index).is_none_or(|shown| std::mem::replace(shown, true));
        let line = self.line(part, above, seen);
        let stacks = if seen { Html::default() } else { self.stacks(part) };
        if seen || part.arguments.is_empty() || depth >= DEEPEST {
            self.cut |= !seen && depth >= DEEPEST;
            write_line(out, &tree_leaf(Html::joined([line, stacks], "\n")))?;
            return Ok(());
        }
        open_branch(out, line, true)?;
        if !stacks.is_empty() {
            write_line(out, &tree_leaf(stacks))?;
        }
        for argument in &part.arguments {
            match argument {
                Argument::Part(inner) => self.part(*inner, (depth + 1, part.user_stack.as_ref()), out)?,
                Argument::Leaf(text) => {
                    write_line(out, &tree_leaf(self.leaf(text)))?;
                }
            }
        }
        close_branch(out)?;
        Ok(())
    }

    fn line(&self, part: &ExpressionPart, above: Option<&Stack>, seen: bool) -> Html {
        let mut words = vec![part.method.to_string()];
        if seen {
            words.push("as above".to_owned());
        }
        let stack = part.user_stack.as_ref().filter(|stack| !seen && above != Some(*stack));
        self.described(&part.text, &words.join(", "), stack)
    }

    /// The stack of a part, folded: the user's frames, and all of them.
    fn stacks(&mut self, part: &ExpressionPart) -> Html {
        let stacks = [("User stack", &part.user_stack), ("Framework stack", &part.stack)];
        let mut folds = Vec::new();
        for (title, stack) in stacks {
            let Some(stack) = stack else { continue };
            self.frames += stack.len();
            let frames = counted(stack.len(), "frame", "frames");
            if self.frames > MOST_FRAMES {
                folds.push(soft(format!("{title}, {frames}: in raw.jsonl")));
                continue;
            }
            folds.push(fold(soft(format!("{title}, {frames}")), &self.view.frames_of(stack)));
        }
        Html::joined(folds, "\n")
    }

    fn leaf(&self, text: &str) -> Html {
        let (model, export) = (self.view.report.model, &self.view.report.found.export);
        match export.symbol(model, self.problem.compile, text) {
            Some(symbol) => {
                let words = match symbol.source.as_deref() {
                    Some(source) => format!("size {source}"),
                    None => "symbol".to_owned(),
                };
                self.described(text, &words, symbol.user_stack.as_ref())
            }
            None if text.chars().all(|c| c.is_ascii_digit() || c == '-') => {
                self.described(text, "constant", None)
            }
            None => self.described(text, "", None),
        }
    }

    /// `Eq(u0, 4)  eq, made by model.py:22  if a.shape[0] == 4:`
    fn described(&self, text: &str, words: &str, stack: Option<&Stack>) -> Html {
        let view = self.view;
        let frame = stack.and_then(|stack| stack.get(view.innermost_own(stack)?));
        let place = frame.map(|frame| view.plain_place(Some(view.file(frame)), frame.line));
        let mut about = vec![Html::escaped(words)];
        if let Some(place) = place {
            about.push(Html::escaped(if words.is_empty() { "made by " } else { ", made by " }));
            about.push(place);
        }
        let mut pieces = vec![text.into(), " ".into(), soft(Html::joined(about, ""))];
        if let Some(loc) = frame.and_then(|frame| frame.loc.as_deref()) {
            pieces.push(span("source-line", Html::escaped(loc)));
        }
        Html::joined(pieces, "")
    }
}
