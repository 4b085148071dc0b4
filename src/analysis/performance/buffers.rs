//! Bytes moved by a call in generated code, from the sizes, strides and types of its buffers.
//!
//! Inductor writes these where it allocates a buffer (`empty_strided_cuda((8, 16), (16, 1), torch.float32)`), checks an
//! input (`assert_size_stride(arg0_1, (8, 16), (16, 1))`), checks the result of a library
//! (`assert_tensor_metadata(buf2, (2, 32), (32, 1), torch.float32, ..)`), describes a frozen parameter
//! (`_frozen_param0 = None  # device(type='cpu') torch.float32 (30, 16) (16, 1) ..`) and views one in another shape
//! (`reinterpret_tensor`). The types of inputs are in the graph (`f32[8, 16]`) and in the sources of the kernels.

use super::cpp_wrapper::{CppStatements, is_cpp, kernels_of};
use super::footprint::{Extent, Footprint, Used};
use super::formulas::element_bytes;
use super::kernel_source::{KernelSource, Parameter};
use super::touched::Touched;
use crate::limits::{KEPT_OF_ONE, SAME_NAME};
use crate::read::fx_graph::annotations;
use crate::read::generated::{CodeKind, Definition, definitions};
use crate::read::source_text::{arguments, is_name};
use crate::trace::{TextMap, TextSet};

/// Limit on the pieces of views that are compared with each other in a wrapper: a tenth of a second of work.
const MOST_PIECES: i64 = 1 << 22;

/// A tensor passed to a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// Sizes; None if one is known only at run time.
    pub(super) sizes: Option<Vec<i64>>,
    /// Whether the call writes its result to it.
    pub(super) is_out: bool,
}

/// What is known about one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CallBuffers {
    /// Bytes that it must move; None if the size or type of a buffer is unknown.
    pub(super) bytes: Option<f64>,
    /// Its tensors, in order.
    pub(super) arguments: Vec<Argument>,
    /// Keyword arguments other than tensors: `stride` and `(1, 1)`.
    pub(super) settings: Vec<(String, String)>,
}

/// What a wrapper says.
#[derive(Debug, Default)]
pub(super) struct Wrapper {
    /// By the line of the call, from 1.
    pub(super) calls: TextMap<u32, CallBuffers>,
    /// Generated kernels by the name under which the wrapper calls them.
    pub(super) kernels: TextMap<String, KernelSource>,
}

/// Reads a wrapper in Python, or in C++ with its kernels after it. `calls` has the lines (from 1) that call kernels, each
/// with the kernel's name; `graph` is the graph that the code was generated from.
pub(super) fn read_wrapper<'c>(
    code: &str,
    graph: Option<&str>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> Wrapper {
    let calls: TextMap<u32, &str> = calls.into_iter().collect();
    let mut reader = Reader {
        annotated: graph.map(tensors_of_graph).unwrap_or_default(),
        pieces_left: MOST_PIECES,
        ..Reader::default()
    };
    let mut cpp = is_cpp(code).then(CppStatements::default);
    if cpp.is_some() {
        reader.kernels = kernels_of(code);
    }
    reader.kernels.extend(kernels_in_quotes(code));
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
            let buffers = reader.call(in_python.as_deref().unwrap_or(text), kernel);
            found.extend(buffers.map(|buffers| (number, buffers)));
        }
        let in_python = cpp.as_mut().and_then(|cpp| cpp.in_python(text));
        reader.statement(in_python.as_deref().unwrap_or(text));
    }
    Wrapper { calls: found, kernels: reader.kernels }
}

/// A buffer as the code sees it at one point.
#[derive(Debug, Clone, Default)]
struct Buffer {
    /// The buffer whose memory it is a view of.
    memory: String,
    sizes: Option<Vec<i64>>,
    strides: Vec<i64>,
    /// Elements from the start of the memory; None if it is a symbol.
    offset: Option<i64>,
    element: Option<f64>,
}

impl Buffer {
    fn extent(&self) -> Option<Extent> {
        Extent::of(self.sizes.as_deref()?, &self.strides, self.element? as i64, self.offset?)
    }
}

#[derive(Default)]
struct Reader {
    /// Tensors as the graph annotates them: inputs that the code does not check have their sizes only there.
    annotated: TextMap<String, Buffer>,
    buffers: TextMap<String, Buffer>,
    /// Memory that was allocated and not written yet. A kernel that is given it does not read it.
    fresh: TextSet<String>,
    /// By kernel, for those whose source was read.
    kernels: TextMap<String, KernelSource>,
    /// How many more pieces of views may be compared.
    pieces_left: i64,
}

impl Reader {
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
            _ => described(name, text).or_else(|| self.buffer(value)),
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
    fn buffer(&self, expression: &str) -> Option<Buffer> {
        self.buffer_within(expression, SAME_NAME)
    }

    /// The same for a nested expression; `deeper` is how many more levels are unwrapped.
    fn buffer_within(&self, expression: &str, deeper: usize) -> Option<Buffer> {
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
        let base = self.buffer_within(base, deeper)?;
        let offset: Option<i64> = parts.get(3).copied().unwrap_or("0").parse().ok();
        Some(Buffer {
            memory: base.memory,
            offset: base.offset.zip(offset).and_then(|(base, offset)| base.checked_add(offset)),
            sizes: numbers(sizes),
            strides: strides_of(strides),
            element: base.element,
        })
    }

    fn call(&mut self, text: &str, kernel: &str) -> Option<CallBuffers> {
        // The sizes of a returned value are only in later lines.
        let has_result = text.split_once(" = ").is_some_and(|(name, _)| is_name(name));
        let at = text.find(kernel)? + kernel.len();
        let rest = text.get(at..)?.trim_start_matches(".run").strip_prefix('(')?;
        let source = self.kernels.get(kernel).filter(|source| !source.parameters.is_empty());
        let mut memory = Footprint::default();
        let mut found = CallBuffers::default();
        let (mut is_known, mut written) = (!has_result, Vec::new());
        for (place, argument) in flattened(rest).into_iter().take(KEPT_OF_ONE) {
            let (keyword, expression) = keyword(argument);
            let of_source = source.map(|source| source.parameters.get(place).copied().unwrap_or_default());
            let Some(mut buffer) = self.buffer(expression) else {
                if let Some(name) = keyword {
                    found.settings.push((name.to_owned(), expression.to_owned()));
                }
                // An unknown buffer makes the sum unknown; a number does not.
                let is_buffer =
                    of_source.map_or(is_buffer_name(expression), |parameter| parameter.is_pointer);
                is_known &= keyword.is_some() || !is_buffer;
                continue;
            };
            let is_first = found.arguments.is_empty();
            let parameter = of_source.unwrap_or_else(|| of_library(kernel, is_first, keyword == Some("out")));
            let is_out = of_source.is_none() && parameter.writes && !parameter.reads;
            buffer.element = buffer.element.or(parameter.element);
            match buffer.extent() {
                Some(extent) => {
                    let element = buffer.element.unwrap_or_default();
                    let bytes = |is_used: bool, touched: Option<Touched>| {
                        is_used.then(|| touched.map_or(f64::INFINITY, |touched| touched.bytes(element)))
                    };
                    // Memory that nobody wrote yet is there to be written.
                    let is_fresh = self.fresh.contains(&buffer.memory);
                    let used = Used {
                        reads: bytes(parameter.reads && !is_fresh, parameter.read),
                        writes: bytes(parameter.writes || is_fresh, parameter.written),
                    };
                    memory.add(&buffer.memory, extent, used);
                }
                None => is_known = false,
            }
            if parameter.writes {
                written.push(buffer.memory);
            }
            found.arguments.push(Argument { sizes: buffer.sizes, is_out });
        }
        written.iter().for_each(|memory| {
            self.fresh.remove(memory);
        });
        found.bytes = is_known.then(|| memory.bytes(&mut self.pieces_left)).filter(|bytes| *bytes > 0.0);
        Some(found)
    }
}

/// The kernels whose sources are between the quotes of a wrapper, by the name under which it calls them.
fn kernels_in_quotes(code: &str) -> TextMap<String, KernelSource> {
    let lines: Vec<&str> = code.split('\n').collect();
    let mut found = TextMap::default();
    for Definition { kernel, body, .. } in definitions(code, CodeKind::Python) {
        let [head, source @ .., _] = &lines[body.first as usize - 1..body.last as usize] else { continue };
        // A kernel of the program: `swiglu_kernel_0 = async_compile.triton('swiglu_kernel', '''`.
        let defined = head.split_once("triton('").and_then(|(_, rest)| rest.split('\'').next());
        let defined = defined.unwrap_or(kernel);
        let mut source = KernelSource::read(defined, &source.join("\n"));
        if defined != kernel && !defined.starts_with("triton_") {
            source.recorded.get_or_insert(defined.to_owned());
        }
        found.insert(kernel.to_owned(), source);
    }
    found
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
fn described(name: &str, text: &str) -> Option<Buffer> {
    let (_, about) = text.split_once(" = None  # device(")?;
    let (kind, rest) = about.split_once(" torch.")?.1.split_once(" (")?;
    let (sizes, rest) = rest.split_once(')')?;
    let strides = rest.trim_start().strip_prefix('(')?.split(')').next()?;
    Some(whole(name, sizes, strides, kind))
}

/// `(8, 16), (16, 1), torch.float32)`
fn made(name: &str, rest: &str) -> Option<Buffer> {
    let parts = arguments(rest);
    let [sizes, strides, kind, ..] = parts.as_slice() else { return None };
    Some(whole(name, sizes, strides, kind))
}

/// A tensor that starts where its memory starts.
fn whole(name: &str, sizes: &str, strides: &str, kind: &str) -> Buffer {
    Buffer {
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
fn tensors_of_graph(graph: &str) -> TextMap<String, Buffer> {
    let mut found = TextMap::default();
    for (name, annotation) in annotations(graph) {
        let mut parts = annotation.split('[');
        let Some(element) = parts.next().and_then(element_bytes) else { continue };
        let mut lists = parts.map(|part| part.split(']').next().unwrap_or_default());
        let (sizes, strides) = (lists.next(), lists.next());
        found.entry(name.to_owned()).or_insert_with(|| Buffer {
            memory: name.to_owned(),
            sizes: sizes.and_then(numbers),
            strides: strides.map(strides_of).unwrap_or_default(),
            offset: Some(0),
            element: Some(element),
        });
    }
    found
}
