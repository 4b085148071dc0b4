//! Tensors that calls in generated code are given: their sizes, strides, types and places in memory.
//!
//! Inductor writes these where it allocates a buffer (`empty_strided_cuda((8, 16), (16, 1), torch.float32)`), checks an
//! input (`assert_size_stride(arg0_1, (8, 16), (16, 1))`), checks the result of a library
//! (`assert_tensor_metadata(buf2, (2, 32), (32, 1), torch.float32, ..)`), describes a frozen parameter
//! (`_frozen_param0 = None  # device(type='cpu') torch.float32 (30, 16) (16, 1) ..`) and views one in another shape
//! (`reinterpret_tensor`). The types of inputs are in the graph (`f32[8, 16]`) and in the sources of the kernels.

use super::cpp_wrapper::{CppStatements, is_cpp};
use super::kernel_source::{KernelSources, Parameter};
use crate::limits::{KEPT_OF_ONE, SAME_NAME};
use crate::read::element_type::element_bytes;
use crate::read::fx_graph::annotations;
use crate::read::source_text::{arguments, is_name};
use crate::trace::{TextMap, TextSet};

/// A tensor that a call is given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Argument {
    pub tensor: Tensor,
    /// What the call does with it.
    pub parameter: Parameter,
    /// Whether the call of a library writes its result to it.
    pub is_out: bool,
    /// Whether it is in memory that nobody wrote yet.
    pub is_fresh: bool,
}

/// What a call is given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TensorCall {
    /// Its tensors, in order.
    pub arguments: Vec<Argument>,
    /// Whether these are all of its tensors, and its result is one of them.
    pub is_complete: bool,
    /// Keyword arguments other than tensors: `stride` and `(1, 1)`.
    pub settings: Vec<(String, String)>,
}

/// Reads a wrapper in Python or C++. `calls` has the lines (from 1) that call kernels, each with the kernel's name; `graph` is
/// the graph that the code was generated from. Returns the calls by their lines.
pub fn tensor_calls<'c>(
    code: &str,
    graph: Option<&str>,
    kernels: &KernelSources<'_>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> TextMap<u32, TensorCall> {
    let calls: TextMap<u32, &str> = calls.into_iter().collect();
    let annotated = graph.map(tensors_of_graph).unwrap_or_default();
    let mut reader =
        TensorReader { annotated, kernels, buffers: TextMap::default(), fresh: TextSet::default() };
    let mut cpp = is_cpp(code).then(CppStatements::default);
    let mut found = TextMap::default();
    let mut in_kernel = false;
    for (number, line) in (1_u32..).zip(code.split('\n')) {
        let is_edge = line.matches("'''").count() % 2 == 1;
        in_kernel ^= is_edge;
        if is_edge || in_kernel {
            continue;
        }
        let text = line.trim();
        if let Some(kernel) = calls.get(&number) {
            let in_python = cpp.as_ref().and_then(|cpp| cpp.call_in_python(text, kernel));
            let call = reader.call(in_python.as_deref().unwrap_or(text), kernel);
            found.extend(call.map(|call| (number, call)));
        }
        let in_python = cpp.as_mut().and_then(|cpp| cpp.in_python(text));
        reader.statement(in_python.as_deref().unwrap_or(text));
    }
    found
}

/// A tensor as the code sees it at one point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensor {
    /// The buffer whose memory it is a view of.
    pub memory: String,
    /// None if one is known only at run time.
    pub sizes: Option<Vec<i64>>,
    pub strides: Vec<i64>,
    /// Elements from the start of the memory; None if it is a symbol.
    pub offset: Option<i64>,
    /// Bytes of an element.
    pub element: Option<f64>,
}

struct TensorReader<'r> {
    /// Tensors as the graph annotates them: inputs that the code does not check have their sizes only there.
    annotated: TextMap<String, Tensor>,
    buffers: TextMap<String, Tensor>,
    /// Memory that was allocated and not written yet. A kernel that is given it does not read it.
    fresh: TextSet<String>,
    kernels: &'r KernelSources<'r>,
}

impl TensorReader<'_> {
    /// Tracks the buffers that a statement allocates, checks or renames.
    fn statement(&mut self, text: &str) {
        if let Some((check, rest)) = text.strip_prefix("assert_").and_then(|rest| rest.split_once('(')) {
            match (check, arguments(rest).as_slice()) {
                ("size_stride", [name, sizes, strides, ..]) => self.check(name, sizes, strides, ""),
                ("tensor_metadata", [name, sizes, strides, kind, ..]) => {
                    self.check(name, sizes, strides, kind)
                }
                ("size_stride_grouped", [names, sizes, strides, ..]) => {
                    let [names, sizes, strides] = [names, sizes, strides].map(|part| items(part));
                    for ((name, sizes), strides) in names.iter().zip(&sizes).zip(&strides) {
                        self.check(name, sizes, strides, "");
                    }
                }
                _ => {}
            }
            return;
        }
        let Some((name, value)) = text.split_once(" = ").filter(|(name, _)| is_name(name)) else { return };
        let value = value.split(';').next().unwrap_or_default().trim();
        let value = value.split("  #").next().unwrap_or_default().trim();
        let made = match value.split_once('(') {
            Some((maker, rest)) if maker.starts_with("empty_strided") => {
                self.fresh.insert(name.to_owned());
                made(name, rest)
            }
            _ => described(name, text).or_else(|| self.tensor(value)),
        };
        if let Some(buffer) = made {
            self.buffers.insert(name.to_owned(), buffer);
        } else {
            self.buffers.remove(name);
        }
    }

    /// A tensor whose sizes, strides and, unless that is empty, type the code checks.
    fn check(&mut self, name: &str, sizes: &str, strides: &str, kind: &str) {
        let element = self.annotated.get(name).and_then(|tensor| tensor.element);
        let known = self.buffers.entry(name.to_owned()).or_default();
        known.sizes = numbers(sizes);
        known.strides = strides_of(strides);
        known.element = element_bytes(kind).or(known.element).or(element);
        known.offset.get_or_insert(0);
        if known.memory.is_empty() {
            known.memory = name.to_owned();
        }
    }

    /// The buffer that an expression refers to: a name, or a view of one.
    fn tensor(&self, expression: &str) -> Option<Tensor> {
        self.tensor_within(expression, SAME_NAME)
    }

    /// The same for a nested expression; `deeper` is how many more levels are unwrapped.
    fn tensor_within(&self, expression: &str, deeper: usize) -> Option<Tensor> {
        let deeper = deeper.checked_sub(1)?;
        if is_name(expression) {
            if let Some(known) = self.buffers.get(expression) {
                return Some(known.clone());
            }
            return self.annotated.get(expression).cloned();
        }
        let (function, rest) = expression.split_once('(')?;
        if !function.ends_with("reinterpret_tensor") {
            return None;
        }
        let parts = arguments(rest);
        let [base, sizes, strides, ..] = parts.as_slice() else { return None };
        let base = self.tensor_within(base, deeper)?;
        let offset: Option<i64> = parts.get(3).copied().unwrap_or("0").parse().ok();
        Some(Tensor {
            memory: base.memory,
            offset: base.offset.zip(offset).and_then(|(base, offset)| base.checked_add(offset)),
            sizes: numbers(sizes),
            strides: strides_of(strides),
            element: base.element,
        })
    }

    fn call(&mut self, text: &str, kernel: &str) -> Option<TensorCall> {
        // The sizes of a returned value are only in later lines.
        let has_result = text.split_once(" = ").is_some_and(|(name, _)| is_name(name));
        let at = text.find(kernel)? + kernel.len();
        let rest = text.get(at..)?.trim_start_matches(".run").strip_prefix('(')?;
        let source = self.kernels.get(kernel).filter(|source| !source.parameters.is_empty());
        let mut found = TensorCall { is_complete: !has_result, ..TensorCall::default() };
        for (place, argument) in flattened(rest).into_iter().take(KEPT_OF_ONE) {
            let (keyword, expression) = keyword(argument);
            let of_source = source.map(|source| source.parameters.get(place).copied().unwrap_or_default());
            let Some(mut tensor) = self.tensor(expression) else {
                if let Some(name) = keyword {
                    found.settings.push((name.to_owned(), expression.to_owned()));
                }
                // An unknown buffer makes the call incomplete; a number does not.
                let is_buffer =
                    of_source.map_or(is_buffer_name(expression), |parameter| parameter.is_pointer);
                found.is_complete &= keyword.is_some() || !is_buffer;
                continue;
            };
            let is_first = found.arguments.is_empty();
            let parameter = of_source.unwrap_or_else(|| of_library(kernel, is_first, keyword == Some("out")));
            let is_out = of_source.is_none() && parameter.writes && !parameter.reads;
            let is_fresh = self.fresh.contains(&tensor.memory);
            tensor.element = tensor.element.or(parameter.element);
            found.arguments.push(Argument { tensor, parameter, is_out, is_fresh });
        }
        for written in found.arguments.iter().filter(|argument| argument.parameter.writes) {
            self.fresh.remove(&written.tensor.memory);
        }
        Some(found)
    }
}

/// What a library does with an argument: it reads it, unless it is the result. An operator whose name ends in `_` updates
/// its first tensor.
fn of_library(kernel: &str, is_first: bool, is_out: bool) -> Parameter {
    // The functions that a C++ wrapper calls take their result first.
    let is_out = is_out || (is_first && kernel.starts_with("aoti_torch_") && kernel.ends_with("_out"));
    let in_place = is_first && kernel.split('.').any(|part| part.ends_with('_'));
    Parameter { is_pointer: true, reads: !is_out, writes: is_out || in_place, ..Parameter::default() }
}

/// A parameter or a constant of a frozen graph: `_frozen_param0 = None  # device(type='cpu') torch.float32 (30, 16) (16, 1) ..`.
fn described(name: &str, text: &str) -> Option<Tensor> {
    let (_, about) = text.split_once(" = None  # device(")?;
    let (kind, rest) = about.split_once(" torch.")?.1.split_once(" (")?;
    let (sizes, rest) = rest.split_once(')')?;
    let strides = rest.trim_start().strip_prefix('(')?.split(')').next()?;
    Some(whole(name, sizes, strides, kind))
}

/// `(8, 16), (16, 1), torch.float32)`
fn made(name: &str, rest: &str) -> Option<Tensor> {
    let parts = arguments(rest);
    let [sizes, strides, kind, ..] = parts.as_slice() else { return None };
    Some(whole(name, sizes, strides, kind))
}

/// A tensor that starts where its memory starts.
fn whole(name: &str, sizes: &str, strides: &str, kind: &str) -> Tensor {
    Tensor {
        memory: name.to_owned(),
        sizes: numbers(sizes),
        strides: strides_of(strides),
        offset: Some(0),
        element: element_bytes(kind),
    }
}

/// `a` and `b` of `(a, b)`.
fn items(tuple: &str) -> Vec<&str> {
    arguments(tuple.strip_prefix('(').unwrap_or(tuple))
}

/// The numbers of a tuple; None if one of them is a symbol.
fn numbers(tuple: &str) -> Option<Vec<i64>> {
    items(tuple).iter().map(|part| part.parse().ok()).collect()
}

/// Strides; a symbolic one counts as 1, because it is not 0.
fn strides_of(tuple: &str) -> Vec<i64> {
    items(tuple).iter().map(|part| part.parse().unwrap_or(1)).collect()
}

/// The arguments of a call with their places; those of a list, such as indices, have the place of the list.
fn flattened(call: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (place, argument) in arguments(call).into_iter().enumerate() {
        match argument.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            Some(list) => found.extend(arguments(list).into_iter().map(|one| (place, one))),
            None => found.push((place, argument)),
        }
    }
    found
}

fn keyword(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((name, value)) if is_name(name) => (Some(name), value),
        _ => (None, argument),
    }
}

/// Whether an argument is a buffer, not a number, a symbolic size or a stream.
fn is_buffer_name(text: &str) -> bool {
    is_name(text)
        && ["buf", "arg", "primals_", "tangents_", "constant", "_frozen_param"]
            .iter()
            .any(|start| text.starts_with(start))
}

/// The tensors that a graph annotates: `f32[8, 16][16, 1]cpu`, in older torch without strides.
fn tensors_of_graph(graph: &str) -> TextMap<String, Tensor> {
    let mut found = TextMap::default();
    for (name, annotation) in annotations(graph) {
        let mut parts = annotation.split('[');
        let Some(element) = parts.next().and_then(element_bytes) else { continue };
        let mut lists = parts.map(|part| part.split(']').next().unwrap_or_default());
        let (sizes, strides) = (lists.next(), lists.next());
        found.entry(name.to_owned()).or_insert_with(|| Tensor {
            memory: name.to_owned(),
            sizes: sizes.and_then(numbers),
            strides: strides.map(strides_of).unwrap_or_default(),
            offset: Some(0),
            element: Some(element),
        });
    }
    found
}
