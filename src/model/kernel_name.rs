//! Names of kernels as a person reads them. A trace has the names of C++ templates with all their arguments, hundreds of
//! characters long, which all begin alike.

use super::InputDims;
use crate::limits::IN_HEAD;
use std::borrow::Cow;

/// Arguments of templates that only wrap what a kernel computes.
const WRAPPERS: [&str; 6] = [
    "gpu_kernel_impl",
    "gpu_kernel_impl_nocast",
    "UnaryFunctor",
    "BinaryFunctor",
    "AUnaryFunctor",
    "BUnaryFunctor",
];

/// Ends of names after which nothing is said about the work: `silu_kernel`, `neg_kernel_cuda`.
const ENDINGS: [&str; 4] = ["_kernel_cuda", "_kernel_impl", "_kernel_hip", "_kernel"];

/// The name without its namespaces, its parameters and the arguments of its template, but for the one that says what it
/// computes: `vectorized_elementwise_kernel<silu>`. Names of another form stay as they are.
pub(super) fn readable_kernel(name: &str) -> Cow<'_, str> {
    let without = name.replace("(anonymous namespace)::", "");
    let Some(signature) = without_return_type(&without) else { return Cow::Borrowed(name) };
    let end = signature.find(['<', '(']).unwrap_or(signature.len());
    let (path, arguments) = signature.split_at(end);
    let base = path.rsplit("::").next().unwrap_or(path);
    if arguments.is_empty() || base.is_empty() {
        return Cow::Borrowed(name);
    }
    let words = arguments.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    match words.filter_map(computed).next() {
        Some(work) => Cow::Owned(format!("{base}<{work}>")),
        None => Cow::Owned(base.to_owned()),
    }
}

/// A readable name, or its beginning and its end: long names of kernels in one graph differ in their last number.
pub fn short_kernel(name: &str, longest: usize) -> String {
    let name = readable_kernel(name);
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= longest {
        return name.into_owned();
    }
    let end = (longest / 3).min(16);
    let start: String = characters.iter().take(longest.saturating_sub(end + 1)).collect();
    let end: String = characters.iter().skip(characters.len() - end).collect();
    format!("{start}…{end}")
}

/// The signature without its return type. None if the name is not a C++ signature: `Memcpy DtoH (Device)`.
fn without_return_type(name: &str) -> Option<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in name.char_indices() {
        match character {
            '(' if depth == 0 => break,
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    let (returned, signature) = name.split_at(start);
    let is_type = returned.is_empty() || returned == "void " || returned.contains("::");
    (is_type && !signature.starts_with('(')).then_some(signature)
}

/// What the argument of a template says about the work.
fn computed(word: &str) -> Option<&str> {
    if WRAPPERS.contains(&word) {
        return None;
    }
    if word.contains("Functor") || word.starts_with("cutlass_") {
        return Some(word);
    }
    let kernel = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
    let reduction = || word.strip_suffix("Ops");
    kernel.or_else(reduction).filter(|work| !work.is_empty())
}

/// What a kernel of a library computes, by its name: `a matrix product`. None if the name does not say.
pub fn kernel_family(name: &str) -> Option<&'static str> {
    const FAMILIES: [(&str, &[&str]); 6] = [
        ("attention", &["flash_fwd", "flash_bwd", "fmha", "attention"]),
        ("communication", &["nccl", "rccl"]),
        ("a convolution", &["fprop", "wgrad", "dgrad", "conv2d", "convolution", "implicit_gemm"]),
        ("a matrix product", &["gemm", "gemv", "nvjet", "cijk_"]),
        ("a pointwise kernel", &["elementwise_kernel"]),
        ("a reduction", &["reduce_kernel"]),
    ];
    let name = name.to_ascii_lowercase();
    let fits = |(_, words): &&(&str, &[&str])| words.iter().any(|word| name.contains(word));
    FAMILIES.iter().find(fits).map(|(family, _)| *family)
}

/// `8944×1024, 1024×2816`: the tensors among the inputs; further ones are counted.
pub fn input_words(dims: &[InputDims]) -> String {
    let tensors = dims.iter().filter(|dims| **dims != InputDims::One(Vec::new()));
    let mut shown: Vec<String> = tensors
        .clone()
        .take(IN_HEAD)
        .map(|dims| match dims {
            InputDims::One(sizes) => sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("×"),
            InputDims::List(list) => format!("{} tensors", list.len()),
        })
        .collect();
    let more = tensors.count().saturating_sub(IN_HEAD);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}
