//! What a call in generated code moves: sizes, strides and types of the buffers that it is given.
//!
//! Inductor writes them where a buffer is made (`empty_strided_cuda((8, 16), (16, 1), torch.float32)`), where an input is
//! checked (`assert_size_stride(arg0_1, (8, 16), (16, 1))`) and where one is seen in another shape (`reinterpret_tensor`).
//! Types of inputs stand in the graph (`f32[8, 16]`) and in the kernels' own signatures.

use super::formulas::elements;
use crate::trace::TextMap;

/// Arguments of one call that are read. The largest recorded call, a combined kernel, has some hundred.
const MOST_ARGUMENTS: usize = 4_096;

/// A tensor that a call is given.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// Sizes; None for one that is only known at run time.
    pub(super) sizes: Option<Vec<i64>>,
    /// Whether it is where the result goes.
    pub(super) is_out: bool,
}

/// What is known of one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CallBuffers {
    /// Bytes that it must move; None where a buffer's size or type is not known.
    pub(super) bytes: Option<f64>,
    /// Its tensors, in order.
    pub(super) arguments: Vec<Argument>,
    /// Bytes of an element of its first tensor.
    pub(super) element: Option<f64>,
    /// Arguments with a name that are no tensors: `stride` and `(1, 1)`.
    pub(super) settings: Vec<(String, String)>,
}

/// Reads a Python wrapper. `calls` are the lines (from 1) that call the kernels named beside them; `graph` is the graph
/// that the code was made of.
pub(super) fn buffers_of_calls<'c>(
    code: &str,
    graph: Option<&str>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> TextMap<u32, CallBuffers> {
    let calls: TextMap<u32, &str> = calls.into_iter().collect();
    let mut reader = Reader { types: graph.map(types_in_graph).unwrap_or_default(), ..Reader::default() };
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

/// A piece of memory as the code sees it at one time.
#[derive(Debug, Clone, Default)]
struct Buffer {
    /// The memory behind it, and where in it: views of one buffer at one place are the same memory.
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
    /// Whether the kernel reads and writes it.
    in_place: bool,
    element: Option<f64>,
}

#[derive(Default)]
struct Reader {
    types: TextMap<String, f64>,
    buffers: TextMap<String, Buffer>,
    /// Of the kernels whose source was met.
    signatures: TextMap<String, Vec<Parameter>>,
    /// The C++ kernel whose head is being read, and the head so far.
    open: Option<(String, String)>,
}

impl Reader {
    /// Makes, checks and renames buffers.
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
        let [names, sizes, strides] = [names, sizes, strides].map(|part| arguments(inside(part)));
        for ((name, sizes), strides) in names.iter().zip(&sizes).zip(&strides) {
            self.check(name, sizes, strides);
        }
    }

    fn check(&mut self, name: &str, sizes: &str, strides: &str) {
        let element = self.types.get(name).copied();
        let known = self.buffers.entry(name.to_owned()).or_default();
        known.sizes = numbers(sizes);
        known.strides = strides_of(strides);
        known.element = known.element.or(element);
        if known.memory.is_empty() {
            known.memory = name.to_owned();
        }
    }

    /// The buffer that an expression means: a name, or a view of one.
    fn buffer(&self, expression: &str) -> Option<Buffer> {
        if is_name(expression) {
            if let Some(known) = self.buffers.get(expression) {
                return Some(known.clone());
            }
            let element = self.types.get(expression).copied();
            return element.map(|element| Buffer {
                memory: expression.to_owned(),
                element: Some(element),
                ..Buffer::default()
            });
        }
        let (function, rest) = expression.split_once('(')?;
        if !function.ends_with("reinterpret_tensor") {
            return None;
        }
        let parts = arguments(rest);
        let [base, sizes, strides, ..] = parts.as_slice() else { return None };
        let base = self.buffer(base)?;
        let offset = parts.get(3).map_or("0", String::as_str);
        Some(Buffer {
            memory: if offset == "0" { base.memory } else { format!("{}+{offset}", base.memory) },
            sizes: numbers(sizes),
            strides: strides_of(strides),
            element: base.element,
        })
    }

    /// The buffers of a call.
    fn call(&self, text: &str, kernel: &str) -> Option<CallBuffers> {
        // What a call gives back has sizes that only later lines tell.
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
                // A number is no buffer; a buffer of which nothing is known makes the sum unknown.
                if keyword.is_none() && is_buffer_name(expression) {
                    found.bytes = None;
                }
                continue;
            };
            let parameter = signature.get(place).copied().unwrap_or_default();
            buffer.element = buffer.element.or(parameter.element);
            found.element = found.element.or(buffer.element);
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

    /// Takes the head of a kernel's source, which says what its parameters are.
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
                // What Triton says of the types stands above the head.
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
            element: cpp_element(parameter).or_else(|| of_types.get(place)?.element),
        };
        self.signatures.insert(name, parameters.split(',').enumerate().map(read).collect());
    }
}

/// Bytes of a kernel's head that are read; the largest combined kernels have some thousand.
const LONGEST_HEAD: usize = 64 << 10;

/// `(8, 16), (16, 1), torch.float32)`
fn made(name: &str, rest: &str) -> Option<Buffer> {
    let parts = arguments(rest);
    let [sizes, strides, kind, ..] = parts.as_slice() else { return None };
    Some(Buffer {
        memory: name.to_owned(),
        sizes: numbers(sizes),
        strides: strides_of(strides),
        element: kind.strip_prefix("torch.").and_then(torch_element),
    })
}

/// The arguments up to the parenthesis that closes the call, each without white space around it.
pub(super) fn arguments(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_i32;
    let mut from = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                found.push(rest.get(from..at).unwrap_or_default());
                from = rest.len();
                break;
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(rest.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(rest.get(from..).unwrap_or_default());
    found.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// `a, b` of `(a, b)`, with the closing parenthesis.
fn inside(tuple: &str) -> &str {
    tuple.strip_prefix('(').unwrap_or(tuple)
}

/// The numbers of a tuple; None where one of them is a symbol.
fn numbers(tuple: &str) -> Option<Vec<i64>> {
    arguments(inside(tuple)).iter().map(|part| part.parse().ok()).collect()
}

/// Strides, of which a symbolic one is not 0.
fn strides_of(tuple: &str) -> Vec<i64> {
    arguments(inside(tuple)).iter().map(|part| part.parse().unwrap_or(1)).collect()
}

fn keyword(argument: &str) -> (Option<&str>, &str) {
    match argument.split_once('=') {
        Some((name, value)) if is_name(name) => (Some(name), value),
        _ => (None, argument),
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether an argument is a buffer, not a number, a symbol of a size or a stream.
fn is_buffer_name(text: &str) -> bool {
    is_name(text)
        && ["buf", "arg", "primals_", "tangents_", "constant"].iter().any(|start| text.starts_with(start))
}

/// `f32[8, 16]` behind each name of a graph's text.
fn types_in_graph(graph: &str) -> TextMap<String, f64> {
    let mut found = TextMap::default();
    for (at, _) in graph.match_indices(": \"") {
        let before = graph.get(..at).unwrap_or_default();
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |end| end + 1);
        let after = graph.get(at + 3..).unwrap_or_default();
        let kind = after.split('[').next().unwrap_or_default();
        if let (Some(name), Some(element)) = (before.get(start..), graph_element(kind)) {
            found.entry(name.to_owned()).or_insert(element);
        }
    }
    found
}

/// Bytes of an element as graphs name types: `bf16`, `i64`, `b8`, `f8e4m3fn`.
fn graph_element(kind: &str) -> Option<f64> {
    if kind.len() > 12 {
        return None;
    }
    let letters = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let digits: String = letters.chars().take_while(char::is_ascii_digit).collect();
    let bits: f64 = digits.parse().ok()?;
    ["f", "bf", "i", "u", "b", "c"].contains(&kind.get(..kind.len() - letters.len())?).then_some(bits / 8.0)
}

/// Bytes of an element as Python names types: `float32`.
fn torch_element(kind: &str) -> Option<f64> {
    match kind {
        "bool" => Some(1.0),
        float8 if float8.starts_with("float8_") => Some(1.0),
        _ => {
            let bits: f64 = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            Some(bits / 8.0)
        }
    }
}

/// Bytes of an element that a parameter of a C++ kernel points at: `const float* in_ptr0`.
fn cpp_element(parameter: &str) -> Option<f64> {
    let (kind, _) = parameter.split_once('*')?;
    let bytes = match kind.trim().trim_start_matches("const ").trim() {
        "double" | "int64_t" | "uint64_t" => 8.0,
        "float" | "int32_t" | "uint32_t" | "int" => 4.0,
        "half" | "bfloat16" | "at::Half" | "at::BFloat16" | "int16_t" | "uint16_t" => 2.0,
        "bool" | "uint8_t" | "int8_t" | "unsigned char" | "signed char" => 1.0,
        _ => return None,
    };
    Some(bytes)
}

/// `'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32'}, ...`, in order; in torch before 2.6 `0: '*bf16'`.
fn triton_signature(types: &str) -> Vec<Parameter> {
    let types = types.split('}').next().unwrap_or_default();
    let element = |kind: &str| {
        let kind = kind.trim().trim_matches('\'').strip_prefix('*')?;
        let bits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        match kind {
            "i1" => Some(1.0),
            _ => bits
                .chars()
                .take_while(char::is_ascii_digit)
                .collect::<String>()
                .parse::<f64>()
                .ok()
                .map(|b| b / 8.0),
        }
    };
    let read = |part: &str| {
        let (name, kind) = part.split_once(':')?;
        Some(Parameter { in_place: name.contains("in_out_ptr"), element: element(kind) })
    };
    types.split(',').filter_map(read).collect()
}
