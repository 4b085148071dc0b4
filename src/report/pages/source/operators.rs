//! Operators that a line has in captured graphs, read from the graphs again: the log has too many to keep.

use crate::analysis::lines::Lines;
use crate::limits::{FIRST, LARGEST_ARTIFACT, SEARCHED};
use crate::model::{Artifact, Compile, CompileIndex, Content, source_comment};
use crate::read::fx_graph::Statement;
use crate::report::subject::Report;
use fxhash::FxHashMap;

/// An operator of a captured graph.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operator {
    /// The compile whose graph has it.
    pub(super) compile: CompileIndex,
    /// Its value: `sum_1`.
    pub(super) value: String,
    /// What is called: `sum`, `>`.
    pub(super) target: String,
    /// Type and sizes of its value: `f32[4, 8]`.
    pub(super) shape: Option<String>,
}

/// The first operators of each line on the page, by the place of its file and its number.
#[derive(Default)]
pub(super) struct Operators(FxHashMap<(usize, u64), Vec<Operator>>);

impl Operators {
    pub(super) fn of(&self, file: usize, line: u64) -> &[Operator] {
        self.0.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    /// Reads the graphs that are needed.
    pub(super) fn read(report: Report<'_>) -> anyhow::Result<Operators> {
        let mut found = Operators::default();
        let comments: Vec<Option<(usize, u64)>> = report
            .model
            .program_lines
            .comments
            .keys()
            .map(|comment| place(&report.found.lines, comment))
            .collect();
        let mut left = SEARCHED;
        for (index, compile) in report.model.compiles.indexed() {
            let places = compile.captured.iter().filter(|line| line.operators > 0);
            let mut places = places.filter_map(|line| *comments.get(line.comment as usize)?);
            let is_needed = places.any(|(file, line)| found.of(file, line).len() < FIRST);
            if !is_needed || left == 0 {
                continue;
            }
            left -= 1;
            if let Some(text) = graph(report, compile)? {
                found.add(&report.found.lines, index, &text);
            }
        }
        Ok(found)
    }

    fn add(&mut self, lines: &Lines, compile: CompileIndex, graph: &str) {
        let mut above = None;
        for line in graph.lines().map(str::trim_start) {
            if let Some(comment) = line.strip_prefix('#') {
                above = place(lines, comment.trim());
            } else if let Some(place) = above
                && let Some(operator) = operator(compile, line)
            {
                let known = self.0.entry(place).or_default();
                if known.len() < FIRST {
                    known.push(operator);
                }
            }
        }
    }
}

/// The line that a comment names, if the page shows it.
fn place(lines: &Lines, comment: &str) -> Option<(usize, u64)> {
    let frame = source_comment(comment)?;
    let (file, line) = lines.find(&frame.file, frame.line)?;
    line.listed.then_some((file, frame.line))
}

/// The graph that Dynamo captured last.
fn graph(report: Report<'_>, compile: &Compile) -> anyhow::Result<Option<String>> {
    let is_graph = |artifact: &&Artifact| &*artifact.name == "dynamo_output_graph";
    let artifact = compile.artifacts.iter().rev().find(is_graph);
    match artifact.map(|artifact| &artifact.content) {
        Some(Content::Payload(at, _)) if at.text_len <= LARGEST_ARTIFACT => Ok(Some(report.payload(at)?)),
        _ => Ok(None),
    }
}

/// `sum_1: "f32[][]cpu" = l_x_.sum();  l_x_ = None`
fn operator(compile: CompileIndex, statement: &str) -> Option<Operator> {
    let statement = Statement::read(statement).filter(|statement| !statement.is_name())?;
    let called = statement.value.split_once('(').map(|(called, _)| Statement { value: called, ..statement });
    let target = match called.filter(Statement::is_name) {
        Some(called) => called.value.rsplit('.').next().unwrap_or(called.value),
        // `a + b`, `x[0]`
        None => statement.value.split(' ').nth(1).unwrap_or("[]"),
    };
    let shape = statement.annotation.split_once(']').map(|(shape, _)| format!("{shape}]"));
    Some(Operator { compile, value: statement.name.to_owned(), target: target.to_owned(), shape })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_of_a_graph_has_a_value_a_target_and_a_shape() {
        let read = |text| {
            let one = operator(CompileIndex::new(0), text)?;
            Some((one.value, one.target, one.shape.unwrap_or_default()))
        };
        let expected = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(
            read("sum_1: \"f32[][]cpu\" = l_x_.sum();  l_x_ = None"),
            expected("sum_1", "sum", "f32[]")
        );
        assert_eq!(read("gt: \"b8[4, 8][8, 1]cpu\" = sum_1 > 0;"), expected("gt", ">", "b8[4, 8]"));
        assert_eq!(read("h = torch._C._nn.gelu(x)"), expected("h", "gelu", ""));
        assert_eq!(read("y = x[0]"), expected("y", "[]", ""));
        assert_eq!(read("l_x_ = L_x_"), None);
        assert_eq!(read("return (y,)"), None);
    }
}
