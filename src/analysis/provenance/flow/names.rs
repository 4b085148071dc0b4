//! The operators in the name of a generated kernel.

use crate::limits::FIRST;

/// Whether a kernel's name is complete, given the operators of nodes that it may compute.
///
/// `cpp_fused_add_mean_var_2` has the operators of the program, before AOTAutograd decomposed them. If all of them are
/// operators of the graph, nothing was decomposed, and the kernel computes nothing else.
pub fn is_complete<'o>(kernel: &str, operators: impl Iterator<Item = &'o str>) -> bool {
    let words = words_of(kernel);
    let operators: Vec<Vec<&str>> = operators.map(split).filter(|words| !words.is_empty()).collect();
    let mut rest = words.as_slice();
    let mut named = 0;
    while !rest.is_empty() {
        let known = operators.iter().filter(|operator| rest.starts_with(operator)).map(Vec::len).max();
        let Some(after) = known.and_then(|length| rest.get(length..)) else { return false };
        rest = after;
        named += 1;
    }
    named > 0 && named < FIRST
}

/// Whether the name has that operator in it.
pub fn names(kernel: &str, operator: &str) -> bool {
    let operator = split(operator);
    !operator.is_empty() && words_of(kernel).windows(operator.len()).any(|words| words == operator)
}

/// Whether the name lacks that operator. Operators are in alphabetical order, so a truncated name says nothing about
/// operators after its last.
pub fn leaves_out(kernel: &str, operator: &str) -> bool {
    let words = words_of(kernel);
    let whole = words.len() < FIRST || words.last().is_some_and(|last| operator < *last);
    whole && !names(kernel, operator)
}

/// The words after `cpp_fused_`, without the number at the end.
fn words_of(kernel: &str) -> Vec<&str> {
    let operators = kernel.split_once("fused_").map_or("", |(_, operators)| operators);
    let (operators, _) = operators.rsplit_once('_').unwrap_or((operators, ""));
    split(operators)
}

fn split(operator: &str) -> Vec<&str> {
    operator.split('_').filter(|word| !word.is_empty()).collect()
}
