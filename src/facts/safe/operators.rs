//! Names of torch's operators, and of kernels that are made of them; dtypes and shapes.
//!
//! What is shown is not what the log says but the entry of a list that equals it: a name that is in no list is not shown.

use crate::model::words::lines_of;
use std::sync::LazyLock;

/// Sorted.
pub(super) static OPERATORS: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("operators.txt")));

/// Where torch's own operators live; programs and other libraries have spaces of their own.
const NAMESPACES: [&str; 13] = [
    "_c10d_functional",
    "_c10d_functional_autograd",
    "aten",
    "c10d",
    "c10d_functional",
    "extern_kernels",
    "higher_order",
    "inductor",
    "mkldnn",
    "prim",
    "prims",
    "quantized",
    "symm_mem",
];

/// How the names of kernels begin that Inductor generates.
const GENERATED: [&str; 8] = [
    "cpp_fused_",
    "mps_fused_",
    "triton_for_fused_",
    "triton_per_fused_",
    "triton_poi_fused_",
    "triton_red_fused_",
    "triton_split_scan_fused_",
    "triton_tem_fused_",
];

/// What a trace of torch.profiler calls copies and fills.
const COPIES: [&str; 6] = [
    "Memcpy DtoD (Device -> Device)",
    "Memcpy DtoH (Device -> Pageable)",
    "Memcpy DtoH (Device -> Pinned)",
    "Memcpy HtoD (Pageable -> Device)",
    "Memcpy HtoD (Pinned -> Device)",
    "Memset (Device)",
];

/// Element types, as graphs, guards and traces call them, and what a trace says of arguments that are no tensors.
pub(super) static DTYPES: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("dtypes.txt")));

/// The name of torch's operator that a text is, without its overload: `torch.ops.aten.mm.default` -> `aten.mm`.
pub fn operator(text: &str) -> Option<String> {
    let text = text.strip_prefix("torch.ops.").unwrap_or(text);
    let (space, rest) = text.split_once("::").or_else(|| text.split_once('.'))?;
    let separator = if text.contains("::") { "::" } else { "." };
    let space = NAMESPACES.iter().find(|known| **known == space)?;
    let name = known(rest.split('.').next().unwrap_or(rest))?;
    Some(format!("{space}{separator}{name}"))
}

/// The name alone, as torch has it.
fn known(name: &str) -> Option<&'static str> {
    let at = OPERATORS.binary_search(&name).ok()?;
    OPERATORS.get(at).copied()
}

/// The name of an operator without its namespace.
pub fn bare_operator(name: &str) -> Option<&'static str> {
    known(name)
}

/// The name of a kernel that says nothing but operators and numbers: `triton_poi_fused_add_mul_3`, `aten::mm`, `op1_op2`.
pub fn kernel(name: &str) -> Option<String> {
    if let Some(copy) = COPIES.iter().find(|copy| **copy == name) {
        return Some((*copy).to_owned());
    }
    if name.split('_').all(|part| part.strip_prefix("op").is_some_and(is_number)) {
        return Some(name.to_owned());
    }
    operator(name).or_else(|| generated(name))
}

/// A kernel that Inductor generated: `graph_0_cpp_fused_add_mul_3`, in a trace with the number of its graph.
fn generated(name: &str) -> Option<String> {
    let graph = name.strip_prefix("graph_").and_then(|rest| rest.split_once('_'));
    let graph = graph.filter(|(number, _)| is_number(number));
    let bare = graph.map_or(name, |(_, rest)| rest);
    let prefix = GENERATED.iter().find(|prefix| bare.starts_with(**prefix))?;
    let rest = bare.strip_prefix(prefix)?;
    let (operators, number) = rest.rsplit_once('_').unwrap_or(("", rest));
    if !is_number(number) {
        return None;
    }
    let mut parts: Vec<&str> = operators_of(operators)?;
    parts.push(number);
    let graph = graph.map(|(number, _)| format!("graph_{number}_")).unwrap_or_default();
    Some(format!("{graph}{prefix}{}", parts.join("_")))
}

/// The operators whose names are joined in a text; None where one is not torch's. `_` also stands within names, so the
/// longest name is taken.
fn operators_of(joined: &str) -> Option<Vec<&'static str>> {
    let (mut found, mut rest) = (Vec::new(), joined);
    while !rest.is_empty() {
        let ends = rest.match_indices('_').map(|(at, _)| at).filter(|at| *at > 0);
        let mut ends: Vec<usize> = ends.chain([rest.len()]).collect();
        ends.reverse();
        let (end, name) = ends.into_iter().find_map(|end| Some((end, known(rest.get(..end)?)?)))?;
        found.push(name);
        rest = rest.get(end..)?;
        rest = rest.strip_prefix('_').unwrap_or(rest);
    }
    Some(found)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An element type.
pub fn dtype(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("");
    }
    let at = DTYPES.binary_search(&text).ok()?;
    DTYPES.get(at).copied()
}

/// Sizes or strides: numbers and torch's symbols for them, such as `[8,s0*4]`.
pub fn sizes(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    inner.split([',', ' ', '+', '-', '*', '/', '(', ')']).all(is_size).then_some(text)
}

fn is_size(part: &str) -> bool {
    part.is_empty() || is_number(part) || part.strip_prefix(['s', 'u']).is_some_and(is_number)
}
