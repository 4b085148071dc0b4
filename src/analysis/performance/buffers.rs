//! Bytes moved by a call in generated code, from the sizes, strides and types of its buffers.
//!
//! Inductor writes these where it allocates a buffer (`empty_strided_cuda((8, 16), (16, 1), torch.float32)`), checks an
//! input (`assert_size_stride(arg0_1, (8, 16), (16, 1))`), checks the result of a library
//! (`assert_tensor_metadata(buf2, (2, 32), (32, 1), torch.float32, ..)`) and views one in another shape (`reinterpret_tensor`).
//! The types of inputs are in the graph (`f32[8, 16]`) and in the signatures of the kernels.

use super::formulas::{element_bytes, elements};
use super::node_flops::annotations;
use crate::analysis::source_text::{arguments, is_name};
use crate::trace::TextMap;

/// Limit on the arguments read per call. The largest recorded call, a combined kernel, has a few hundred.
const MOST_ARGUMENTS: usize = 4_096;

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

/// Reads a Python wrapper. `calls` has the lines (from 1) that call kernels, with the names of these; `graph` is the graph
/// that the code was generated from.
pub(super) fn buffers_of_calls<'c>(
    code: &str,
    graph: Option<&str>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> TextMap<u32, CallBuffers> {
    let calls: TextMap<u32, &str> = calls.into_iter().collect();
    let mut reader =
        Reader { annotated: graph.map(tensors_of_graph).unwrap_or_default(), ..Reader::default() };
    let mut found = TextMap::default();
    let mut in_kernel = false;
    for (number, line) in (1_u32..).zip(code.split('\n')) {
        reader.signature(line);
        if line.matches("'''").count() % 2 == 1 {
            in_kernel = !in_kernel;
            continue;
        }
        if in_kernel {
            continue;
        }
        let text = line.trim();
        if let Some(buffers) = calls.get(&number).and_then(|kernel| reader.call(text, kernel)) {
            found.insert(number, buffers);
        }
        reader.statement(text);
    }
    found
}

/// A buffer as the code sees it at one point.
#[derive(Debug, Clone, Default)]
struct Buffer {
    /// Identifies its memory: views of one buffer at one offset are the same memory.
    memory: String,
    sizes: Option<Vec<i64>>,
    strides: Vec<i64>,
    element: Option<f64>,
}

impl Buffer {
    fn bytes(&self) -> Option<f64> {
        Some(elements(self.sizes.as_deref()?, &self.strides) * self.element?)
    }
}

/// A parameter of a generated kernel.
#[derive(Debug, Clone, Copy, Default)]
struct Parameter {
    /// Whether the kernel both reads and writes it.
    in_place: bool,
    element: Option<f64>,
}

#[derive(Default)]
struct Reader {
    /// Tensors as the graph annotates them: inputs that the code does not check have their sizes only there.
    annotated: TextMap<String, Buffer>,
    buffers: TextMap<String, Buffer>,
    /// By kernel, for those whose source was read.
    signatures: TextMap<String, Vec<Parameter>>,
    /// The kernel whose head is being read, and the head so far.
    open: Option<(String, String)>,
}

impl Reader {
    /// Tracks the buffers that a statement allocates, checks or renames.
    fn statement(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix("assert_size_stride_grouped(") {
            return self.check_group(rest);
        }
        if let Some(rest) = text.strip_prefix("assert_size_stride(") {
            let parts = arguments(rest);
            if let [name, sizes, strides, ..] = parts.as_slice() {
                self.check(name, sizes, strides);
            }
            return;
        }
        if let Some(rest) = text.strip_prefix("assert_tensor_metadata(") {
            let parts = arguments(rest);
            if let [name, sizes, strides, dtype, ..] = parts.as_slice() {
                self.check(name, sizes, strides);
                if let Some(known) = self.buffers.get_mut(*name) {
                    known.element = element_bytes(dtype).or(known.element);
                }
            }
            return;
        }
        let Some((name, value)) = text.split_once(" = ").filter(|(name, _)| is_name(name)) else { return };
        let value = value.split(';').next().unwrap_or_default().trim();
        let value = value.split("  #").next().unwrap_or_default().trim();
        let made = match value.split_once('(') {
            Some((maker, rest)) if maker.starts_with("empty_strided") => made(name, rest),
            _ => self.buffer(value),
        };
        if let Some(buffer) = made {
            self.buffers.insert(name.to_owned(), buffer);
        } else {
            self.buffers.remove(name);
        }
    }

    fn check_group(&mut self, rest: &str) {
        let parts = arguments(rest);
        let [names, sizes, strides, ..] = parts.as_slice() else { return };
        let [names, sizes, strides] = [names, sizes, strides].map(|part| items(part));
        for ((name, sizes), strides) in names.iter().zip(&sizes).zip(&strides) {
            self.check(name, sizes, strides);
        }
    }

    fn check(&mut self, name: &str, sizes: &str, strides: &str) {
        let element = self.annotated.get(name).and_then(|tensor| tensor.element);
        let known = self.buffers.entry(name.to_owned()).or_default();
        known.sizes = numbers(sizes);
        known.strides = strides_of(strides);
        known.element = known.element.or(element);
        if known.memory.is_empty() {
            known.memory = name.to_owned();
        }
    }

    /// The buffer that an expression refers to: a name, or a view of one.
    fn buffer(&self, expression: &str) -> Option<Buffer> {
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
        let base = self.buffer(base)?;
        let offset = parts.get(3).copied().unwrap_or("0");
        Some(Buffer {
            memory: if offset == "0" { base.memory } else { format!("{}+{offset}", base.memory) },
            sizes: numbers(sizes),
            strides: strides_of(strides),
            element: base.element,
        })
    }

    /// The buffers of a call.
    fn call(&self, text: &str, kernel: &str) -> Option<CallBuffers> {
        // The sizes of a returned value are only in later lines.
        let has_result = text.split_once(" = ").is_some_and(|(name, _)| is_name(name));
        let at = text.find(kernel)? + kernel.len();
        let rest = text.get(at..)?.trim_start_matches(".run").strip_prefix('(')?;
        let signature = self.signatures.get(kernel).map(Vec::as_slice).unwrap_or_default();
        let mut seen: TextMap<String, f64> = TextMap::default();
        let mut found = CallBuffers { bytes: Some(0.0), ..CallBuffers::default() };
        for (place, argument) in arguments(rest).iter().enumerate().take(MOST_ARGUMENTS) {
            let (keyword, expression) = keyword(argument);
            let Some(mut buffer) = self.buffer(expression) else {
                if let Some(name) = keyword {
                    found.settings.push((name.to_owned(), expression.to_owned()));
                }
                // An unknown buffer makes the sum unknown; a number does not.
                if keyword.is_none() && is_buffer_name(expression) {
                    found.bytes = None;
                }
                continue;
            };
            let parameter = signature.get(place).copied().unwrap_or_default();
            buffer.element = buffer.element.or(parameter.element);
            let times = if parameter.in_place { 2.0 } else { 1.0 };
            match buffer.bytes() {
                Some(bytes) => {
                    let known = seen.entry(buffer.memory).or_insert(0.0);
                    *known = known.max(bytes * times);
                }
                None => found.bytes = None,
            }
            found.arguments.push(Argument { sizes: buffer.sizes, is_out: keyword == Some("out") });
        }
        let known = found.bytes.is_some() && !has_result;
        found.bytes = known.then(|| seen.values().sum::<f64>()).filter(|bytes| *bytes > 0.0);
        Some(found)
    }

    /// Reads the head of a kernel's source, which lists its parameters.
    fn signature(&mut self, line: &str) {
        if let Some((name, _)) = line.split_once(" = async_compile.") {
            if is_name(name) {
                self.open = Some((name.to_owned(), String::new()));
            }
            return;
        }
        let Some((name, head)) = &mut self.open else { return };
        if head.is_empty() {
            let begins = line.contains("def ") && line.contains(name.as_str());
            if !begins && !line.contains("kernel(") {
                // Triton's types are above the head.
                if let Some((_, types)) = line.split_once("'signature': {") {
                    let types = triton_signature(types);
                    self.signatures.insert(name.clone(), types);
                }
                return;
            }
        }
        head.push_str(line);
        if !line.contains(')') || head.len() > LONGEST_HEAD {
            if head.len() > LONGEST_HEAD {
                self.open = None;
            }
            return;
        }
        let (name, head) = (name.clone(), std::mem::take(head));
        self.open = None;
        let parameters = head.split_once('(').map(|(_, rest)| rest).unwrap_or_default();
        let parameters = parameters.split(')').next().unwrap_or_default();
        let of_types = self.signatures.remove(&name).unwrap_or_default();
        let read = |(place, parameter): (usize, &str)| Parameter {
            in_place: parameter.contains("in_out_ptr"),
            element: pointee_bytes(parameter).or_else(|| of_types.get(place)?.element),
        };
        self.signatures.insert(name, parameters.split(',').enumerate().map(read).collect());
    }
}

/// Limit on the bytes of a kernel's head; the largest combined kernels have a few thousand.
const LONGEST_HEAD: usize = 64 << 10;

/// `(8, 16), (16, 1), torch.float32)`
fn made(name: &str, rest: &str) -> Option<Buffer> {
    let parts = arguments(rest);
    let [sizes, strides, kind, ..] = parts.as_slice() else { return None };
    Some(Buffer {
        memory: name.to_owned(),
        sizes: numbers(sizes),
        strides: strides_of(strides),
        element: element_bytes(kind),
    })
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

fn keyword(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((name, value)) if is_name(name) => (Some(name), value),
        _ => (None, argument),
    }
}

/// Whether an argument is a buffer, not a number, a symbolic size or a stream.
fn is_buffer_name(text: &str) -> bool {
    is_name(text)
        && ["buf", "arg", "primals_", "tangents_", "constant"].iter().any(|start| text.starts_with(start))
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
            element: Some(element),
        });
    }
    found
}

/// Bytes per element that a pointer parameter of a C++ kernel points at: `const float* in_ptr0`.
fn pointee_bytes(parameter: &str) -> Option<f64> {
    element_bytes(parameter.split_once('*')?.0.trim().trim_start_matches("const "))
}

/// `'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32'}, ...`, in order; before torch 2.6 `0: '*bf16'`.
fn triton_signature(types: &str) -> Vec<Parameter> {
    let types = types.split('}').next().unwrap_or_default();
    let read = |part: &str| {
        let (name, kind) = part.split_once(':')?;
        let element = kind.trim().trim_matches('\'').strip_prefix('*').and_then(element_bytes);
        Some(Parameter { in_place: name.contains("in_out_ptr"), element })
    };
    types.split(',').filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the call in the last line of a wrapper.
    fn bytes(code: &str, graph: &str, kernel: &str) -> Option<f64> {
        let line = u32::try_from(code.lines().count()).unwrap();
        buffers_of_calls(code, Some(graph), [(line, kernel)]).get(&line)?.bytes
    }

    #[test]
    fn the_result_of_a_library_has_the_sizes_and_the_type_that_the_code_checks() {
        let code = "buf2 = extern_kernels.convolution(buf0, buf1, stride=(2, 2), bias=None)\n\
                    assert_tensor_metadata(buf2, (2, 64, 32, 32), (65536, 1, 2048, 64), torch.float16, 'aten.convolution')\n\
                    buf3 = buf2; del buf2  # reuse\n\
                    buf4 = empty_strided_cpu((2, 64), (64, 1), torch.float32)\n\
                    cpp_fused_relu_1(buf3, buf4)";
        assert_eq!(bytes(code, "", "cpp_fused_relu_1"), Some(2.0 * 131_072.0 + 4.0 * 128.0));
    }

    #[test]
    fn inputs_that_the_code_does_not_check_have_the_sizes_of_the_graph() {
        let graph = "def forward(self, arg0_1: \"f32[2, 3, 4][12, 4, 1]cpu\", relu: \"bf16[8, 16]\", arg2_1: \"f32[s3]\"):";
        assert_eq!(bytes("cpp_fused_add_0(arg0_1, relu)", graph, "cpp_fused_add_0"), Some(96.0 + 256.0));
        let renamed = "buf26 = relu; del relu  # reuse\ncpp_fused_add_0(buf26)";
        assert_eq!(bytes(renamed, graph, "cpp_fused_add_0"), Some(256.0));
        assert_eq!(
            bytes("cpp_fused_add_0(arg0_1, arg2_1)", graph, "cpp_fused_add_0"),
            None,
            "a size is a symbol"
        );
    }

    #[test]
    fn checks_of_several_inputs_at_once_and_elements_of_a_result_are_read() {
        let code = "assert_size_stride_grouped((arg0_1, arg1_1), ((8, ), (4, 4)), ((1, ), (4, 1)), 'input')\n\
                    buf1 = buf0[0]\n\
                    assert_tensor_metadata(buf1, (3, ), (1, ), torch.float64, 'x')\n\
                    cpp_fused_add_0(arg0_1, arg1_1, buf1)";
        let graph = "arg0_1: \"f32[8]\", arg1_1: \"f32[4, 4]\"";
        assert_eq!(bytes(code, graph, "cpp_fused_add_0"), Some(32.0 + 64.0 + 24.0));
    }
}
