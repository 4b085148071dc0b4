//! Where a rank's program calls a collective: read from the graph that Dynamo captured, in which each operation is below
//! the line that it comes from.

use super::evidence::text;
use crate::analysis::CodeText;
use crate::analysis::is_library;
use crate::analysis::job::{Call, CallLine, RankCompile};
use crate::facts::ranks::Job;
use crate::model::{TextFrame, source_comment};
use crate::output::RankFolder;
use crate::read::fx_graph::short_operation;

/// The line of a collective, from the report of a rank, an index into the job's.
pub(crate) fn call_line(folders: &[RankFolder], job: &Job, rank: usize, call: &Call) -> Option<CallLine> {
    let compile = RankCompile { rank, compile: job.texts.maybe(call.compile)? };
    let graph = text(folders, job, compile, CodeText::Graph)?;
    in_graph(&graph.text, job.texts.get(call.operation), call.same_before)
}

/// The line of an operation that the graph calls as often before.
fn in_graph(text: &str, operation: &str, same_before: usize) -> Option<CallLine> {
    // The functional form of what Inductor makes a call in place.
    let operation = short_operation(operation).trim_end_matches('_');
    let calls = [format!(".{operation}("), format!(".{operation}.default(")];
    let mut lines = text.lines();
    let (mut last, mut left) = (None, same_before);
    loop {
        let line = lines.next()?;
        let comment = line.trim_start().strip_prefix('#').and_then(source_comment);
        if let Some(origin) = comment.filter(|origin| origin.loc.is_some()) {
            last = Some(origin).filter(|origin| !is_library(&origin.file)).or(last);
        } else if calls.iter().any(|call| line.contains(call.as_str())) {
            match left.checked_sub(1) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    }
    // What torch computes from the result of a call may name the line of the call that names none itself.
    let next = lines.filter_map(|line| line.trim_start().strip_prefix('#').and_then(source_comment));
    let next = next.into_iter().find(|origin| !is_library(&origin.file));
    let is_exact = |origin: &TextFrame| {
        words_of(operation).iter().all(|word| origin.loc.as_ref().is_some_and(|loc| loc.contains(word)))
    };
    let exact = last.iter().chain(&next).find(|origin| is_exact(origin)).cloned();
    let is_exact = exact.is_some();
    let TextFrame { file, line, .. } = exact.or(last)?;
    Some(CallLine { file, line, is_exact })
}

/// What the source of a call of an operation holds: `all` and `reduce` of `all_reduce`.
fn words_of(operation: &str) -> Vec<&str> {
    operation.split('_').take(2).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAPH: &str = "\
        # File: /app/p.py:15 in forward, code: h = fc.all_reduce(self.lin(x), \"sum\")
        linear = torch._C._nn.linear(x)

        # File: /venv/lib/python3.11/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops(
        tensor = torch.ops._c10d_functional.all_reduce(linear, 'sum', '0')

        # File: /app/p.py:17 in forward, code: y = h * 2
        y = tensor * 2

        # File: /venv/lib/python3.11/site-packages/torch/distributed/_functional_collectives.py:195 in all_reduce, code: tensor = torch.ops(
        again = torch.ops._c10d_functional.all_reduce(y, 'sum', '0')
";

    #[test]
    fn a_call_is_in_the_users_line_above_it_or_in_one_below_that() {
        let operation = "torch.ops._c10d_functional.all_reduce_.default";
        let line = |nth| in_graph(GRAPH, operation, nth).map(|found| (found.line, found.is_exact));
        assert_eq!([line(0), line(1), line(2)], [Some((15, true)), Some((17, false)), None]);
    }
}
