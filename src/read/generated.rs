//! Code that Inductor generates: the calls and definitions of kernels.

pub(super) mod cpp_wrapper;
pub mod kernel_source;
pub mod memory;
pub mod tensors;
pub(super) mod touched;

use super::source_text::{is_word, words};
use crate::limits::SAME_NAME;
use crate::trace::TextSet;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// A kind of file of generated code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeKind {
    /// The Python wrapper, with kernels in strings.
    #[default]
    Python,
    /// The C++ wrapper.
    Cpp,
    /// Kernels of the C++ wrapper.
    Kernels,
    Header,
}

/// A call of a kernel or of a library's operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'t> {
    /// As the code names it: `extern_kernels.mm`, `triton_poi_fused_add_0`.
    pub kernel: &'t str,
    /// Its debug handle, from the comment above it.
    pub handle: Option<&'t str>,
    /// Line, from 1.
    pub line: u32,
    /// Nodes of the pre-grad graph that the comment above it names.
    pub source_nodes: Vec<&'t str>,
}

/// A kernel whose source is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'t> {
    /// As the code calls it.
    pub kernel: &'t str,
    /// `C++`, `Triton`, ..
    pub language: &'static str,
    pub body: KernelBody,
    /// Nodes of the post-grad graph that the comment above it lists.
    pub fragment: Vec<&'t str>,
    /// Nodes of the pre-grad graph that the comment above it names.
    pub source_nodes: Vec<&'t str>,
}

/// The source of a kernel in a file of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelBody {
    pub file: CodeKind,
    /// First line, from 1.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

impl KernelBody {
    /// How many lines it has.
    pub fn lines(self) -> u32 {
        self.last - self.first + 1
    }
}

/// A file of generated code.
#[derive(Debug)]
pub struct CodeText<'t> {
    pub kind: CodeKind,
    pub text: &'t str,
    /// In the order of the file.
    pub calls: Vec<Call<'t>>,
    /// In the order of the file.
    pub definitions: Vec<Definition<'t>>,
}

/// Inductor writes this above each call while provenance is on.
const HANDLE: &str = "[Provenance debug handles] ";

impl<'t> CodeText<'t> {
    /// Reads a file. `known` are kernels that other files of the run define.
    pub fn read(text: &'t str, kind: CodeKind, known: &[&str]) -> CodeText<'t> {
        let mut code = CodeText { kind, text, calls: Vec::new(), definitions: definitions(text, kind) };
        if matches!(kind, CodeKind::Python | CodeKind::Cpp) {
            let names = code.definitions.iter().map(|d| d.kernel).chain(known.iter().copied());
            let cpp = kind == CodeKind::Cpp;
            let mut reader = CodeReader { known: names.collect(), cpp, ..CodeReader::default() };
            for (number, line) in (1..).zip(text.split('\n')) {
                reader.line(number, line);
            }
            reader.flush();
            code.calls = reader.calls;
            code.calls.sort_by_key(|call| call.line);
        }
        code
    }
}

/// Begins and ends a string; built once, because that takes longer than searching a line.
static QUOTES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("'''"));

/// Begins a C++ program in a Python file.
static CPP_PROGRAM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("cpp_wrapper_src = ("));

/// A handle whose call has not been seen yet.
struct Waiting<'t> {
    kernel: &'t str,
    handle: &'t str,
    /// The first line of code after the comment.
    next: Option<u32>,
    /// The first line that names the kernel.
    named: Option<u32>,
    source_nodes: Vec<&'t str>,
}

#[derive(Default)]
struct CodeReader<'t, 'n> {
    known: TextSet<&'n str>,
    /// Whether the current line is in the source of a kernel.
    in_kernel: bool,
    /// Whether the current string is a whole C++ program.
    cpp_follows: bool,
    cpp: bool,
    /// Whether the current C++ function runs the model.
    runs: bool,
    waiting: Vec<Waiting<'t>>,
    source_nodes: Vec<&'t str>,
    calls: Vec<Call<'t>>,
}

impl<'t, 'n> CodeReader<'t, 'n> {
    fn line(&mut self, number: u32, line: &'t str) {
        if !self.enters_code(line) {
            return;
        }
        let text = line.trim();
        let is_comment_line = is_comment(text);
        let handle = || text.split_once(HANDLE).filter(|(before, _)| is_comment(before));
        if let Some((_, handle)) = is_comment_line.then(handle).flatten() {
            self.handle(handle);
        } else if is_comment_line {
            self.source_nodes = source_nodes(text).unwrap_or(std::mem::take(&mut self.source_nodes));
        } else if !text.is_empty() {
            self.statement(number, line);
        }
    }

    /// Whether the line is code of the wrapper, not of a kernel.
    fn enters_code(&mut self, line: &str) -> bool {
        let in_cpp = self.cpp && !self.cpp_follows;
        let quotes = if in_cpp { 0 } else { QUOTES.find_iter(line.as_bytes()).count() };
        if CPP_PROGRAM.find(line.as_bytes()).is_some() {
            (self.cpp_follows, self.cpp) = (true, true);
        } else if self.cpp_follows && quotes > 0 {
            // Nothing of interest follows the C++ program.
            (self.in_kernel, self.cpp_follows) = (false, false);
            return false;
        } else if quotes % 2 == 1 {
            self.in_kernel = !self.in_kernel;
            return false;
        }
        // Functions begin at the start of a line; torch 2.7 also writes a statement there.
        let begins = || !line.starts_with([' ', '\t', '}', '/', '#']) && !line.trim_end().ends_with(';');
        if self.cpp && begins() && line.contains('(') {
            self.runs = line.contains("::run_impl(") || line.contains("::_const_run_impl(");
            self.runs |= line.contains("inductor_entry_impl(");
        }
        !self.in_kernel
    }

    fn handle(&mut self, text: &'t str) {
        // A handle is directly above its call; one that still waits from earlier code has no call.
        if self.waiting.iter().any(|waiting| waiting.next.is_some()) || self.waiting.len() >= SAME_NAME {
            self.flush();
        }
        let (kernel, handle) = text.trim().rsplit_once(':').unwrap_or((text.trim(), ""));
        let source_nodes = std::mem::take(&mut self.source_nodes);
        self.waiting.push(Waiting { kernel, handle, next: None, named: None, source_nodes });
    }

    fn statement(&mut self, number: u32, line: &'t str) {
        let mut called: Vec<&str> = Vec::new();
        for mut waiting in std::mem::take(&mut self.waiting) {
            waiting.next = waiting.next.or(Some(number));
            match named(line, waiting.kernel) {
                Some(true) if !called.contains(&waiting.kernel) => {
                    called.push(waiting.kernel);
                    self.call(waiting, number);
                    continue;
                }
                Some(_) => waiting.named = waiting.named.or(Some(number)),
                None => {}
            }
            self.waiting.push(waiting);
        }
        if !called.is_empty() {
            return;
        }
        let Some(kernel) = self.plain_call(line) else { return };
        if BY_TABLE.contains(&kernel) && !self.waiting.is_empty() {
            let waiting = self.waiting.remove(0);
            return self.call(waiting, number);
        }
        let source_nodes = std::mem::take(&mut self.source_nodes);
        self.calls.push(Call { kernel, handle: None, line: number, source_nodes });
    }

    /// The kernel or operator that a line without a handle calls.
    fn plain_call(&self, line: &'t str) -> Option<&'t str> {
        if !line.starts_with([' ', '\t']) || self.cpp && !self.runs {
            return None;
        }
        let known = words(line).map(without_call).filter(|word| self.known.contains(word));
        let mut called = known.take(SAME_NAME).filter(|word| named(line, word) == Some(true));
        // Waiting for a collective is not a kernel.
        let waits = |name: &&str| name.ends_with(".wait_tensor.default");
        called.next().or_else(|| library_call(line).filter(|name| !waits(name)))
    }

    fn call(&mut self, waiting: Waiting<'t>, line: u32) {
        let Waiting { kernel, handle, source_nodes, .. } = waiting;
        let handle = Some(handle).filter(|handle| !handle.is_empty());
        self.calls.push(Call { kernel, handle, line, source_nodes });
    }

    /// Assigns handles without a call to the line that names their kernel, or that follows their comment.
    fn flush(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            if let Some(line) = waiting.named.or(waiting.next) {
                self.call(waiting, line);
            }
        }
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with('#') && !text.starts_with("#include") || text.starts_with("//")
}

/// `a, b` of `# Topologically Sorted Source Nodes: [a, b], Original ATen: [..]`.
fn source_nodes(comment: &str) -> Option<Vec<&str>> {
    let (_, rest) = comment.split_once("Source Nodes: [")?;
    let (names, _) = rest.split_once(']')?;
    Some(names.split(", ").map(str::trim).filter(|name| !name.is_empty()).collect())
}

/// Whether a line calls a kernel; None if it does not contain the kernel as a whole word.
fn named(line: &str, kernel: &str) -> Option<bool> {
    let mut found = None;
    for (start, _) in line.match_indices(kernel).filter(|_| !kernel.is_empty()) {
        let (before, after) = (&line[..start], &line[start + kernel.len()..]);
        // The C++ wrapper calls a Triton kernel through a function of its own.
        let free = !before.strip_suffix("call_").unwrap_or(before).ends_with(is_word);
        if free && !after.starts_with(is_word) {
            let defines = before.ends_with("def ") || before.ends_with("void ");
            let called = after.starts_with('(') || after.starts_with(".run(");
            let launched = before.ends_with("launchKernel(") || before.ends_with("launchKernel(kernels.");
            if !defines && called || launched {
                return Some(true);
            }
            found = Some(false);
        }
    }
    found
}

/// The kernel that the C++ wrapper calls through a function of its own: `triton_b_2` of `call_triton_b_2`.
fn without_call(word: &str) -> &str {
    word.strip_prefix("call_").unwrap_or(word)
}

/// Prefixes of operators that wrappers call. `aten`, `inductor_ops` and `_quantized` are aliases for parts of `torch.ops`
/// that each Python wrapper defines.
const LIBRARIES: [&str; 11] = [
    "extern_kernels.",
    "torch.ops.",
    "aten.",
    "inductor_ops.",
    "_quantized.",
    "aoti_torch_cpu_",
    "aoti_torch_cuda_",
    "aoti_torch_xpu_",
    "aoti_torch_mps_",
    "aoti_torch_proxy_executor_call_function",
    "aoti_torch_call_dispatcher",
];

/// Functions through which C++ calls operators without naming them: custom operators and those without a C function.
const BY_TABLE: [&str; 2] = ["aoti_torch_proxy_executor_call_function", "aoti_torch_call_dispatcher"];

/// The operator that a line of the wrapper calls: `extern_kernels.mm`, `torch.ops.aten.cumsum.default`, in C++
/// `aoti_torch_cpu_addmm_out`.
pub fn library_call(line: &str) -> Option<&str> {
    // Every line of every text passes here, and most call nothing, so names are looked for only before a bracket.
    memchr::memchr_iter(b'(', line.as_bytes()).find_map(|bracket| {
        let before = line.get(..bracket)?;
        let name = path_at_end(before);
        let may_begin = matches!(name.bytes().next(), Some(b'e' | b't' | b'a' | b'i' | b'_'));
        let is_library = may_begin && LIBRARIES.iter().any(|start| name.starts_with(start));
        let is_part = || before.strip_suffix(name).is_some_and(|path| path.ends_with([':', '\'', '"']));
        (is_library && !is_part()).then_some(name)
    })
}

/// The library and the operator that code calls: `aten` and `mm` of `extern_kernels.mm`, of `torch.ops.aten.mm.default` and of
/// `aoti_torch_cpu_mm_out`. None for a generated kernel.
pub fn operator(called: &str) -> Option<(&str, &str)> {
    if let Some((_, operator)) = called.strip_prefix("aoti_torch_").and_then(|rest| rest.split_once('_')) {
        return Some(("aten", operator.strip_suffix("_out").unwrap_or(operator)));
    }
    let (space, path) = match called.strip_prefix("torch.ops.") {
        Some(path) => path.split_once('.').unwrap_or(("aten", path)),
        None => ALIASES.iter().find_map(|(start, space)| Some((*space, called.strip_prefix(start)?)))?,
    };
    Some((space, path.split('.').next().unwrap_or_default()))
}

/// Other names for libraries.
const ALIASES: [(&str, &str); 4] = [
    ("extern_kernels.", "aten"),
    ("aten.", "aten"),
    ("inductor_ops.", "inductor"),
    ("_quantized.", "_quantized"),
];

/// The name at the end of a text with the path to it: `torch.ops.aten.mm` of `buf0 = torch.ops.aten.mm`.
fn path_at_end(text: &str) -> &str {
    let start = text.trim_end_matches(|c| is_word(c) || c == '.').len();
    text.get(start..).unwrap_or_default()
}

/// Kernels defined in a file, in order.
pub fn definitions(text: &str, kind: CodeKind) -> Vec<Definition<'_>> {
    let mut found: Vec<Definition<'_>> = Vec::new();
    let mut open: Option<&'static str> = None;
    let mut has_body = false;
    let mut comment = Comment::default();
    for (number, line) in (1..).zip(text.split('\n')) {
        if let (Some(end), Some(definition)) = (open, found.last_mut()) {
            has_body = has_body || line.contains('{');
            if line.starts_with(end) {
                definition.body.last = number;
                open = None;
            } else if !has_body && line.trim_end().ends_with(';') {
                // Only declared: its source is in another file.
                found.pop();
                open = None;
            }
            continue;
        }
        if comment.takes(line) {
            continue;
        }
        let comment = std::mem::take(&mut comment);
        // A Python file may hold a whole program in C++.
        if let Some((kernel, language, end)) = python_kernel(line).or_else(|| cpp_kernel(line)) {
            let body = KernelBody { file: kind, first: number, last: number };
            let Comment { fragment, source_nodes, .. } = comment;
            found.push(Definition { kernel, language, body, fragment, source_nodes });
            open = end;
            // In Python the source is a string, which is not read.
            has_body = end != Some("}") || line.contains('{');
        }
    }
    found
}

/// The comment above a kernel.
#[derive(Default)]
struct Comment<'t> {
    in_fragment: bool,
    fragment: Vec<&'t str>,
    source_nodes: Vec<&'t str>,
}

impl<'t> Comment<'t> {
    /// Reads the line; false if it is not part of the comment.
    fn takes(&mut self, line: &'t str) -> bool {
        let Some(text) = line.strip_prefix('#') else { return false };
        if let Some(nodes) = source_nodes(text) {
            self.source_nodes = nodes;
        } else if text.trim() == "Graph fragment:" {
            self.in_fragment = true;
        } else if self.in_fragment
            && text.contains("= call_function[")
            && let Some((name, _)) = text.trim_start().strip_prefix('%').and_then(|t| t.split_once(" :"))
        {
            self.fragment.push(name);
        }
        true
    }
}

/// The kernel that a line of Python defines, its language, and the prefix of the line that ends its source.
fn python_kernel(line: &str) -> Option<(&str, &'static str, Option<&'static str>)> {
    let (name, rest) = kernel_bound(line)?;
    let language = match rest.split_once('(')?.0 {
        "cpp_pybinding" | "cpp" => "C++",
        "triton" => "Triton",
        "multi_kernel" => "several of Triton",
        "cuda" => "CUDA",
        "rocm" => "ROCm",
        "cutedsl" => "CuteDSL",
        "halide" => "Halide",
        _ => return None,
    };
    let end = line.ends_with("'''").then_some("'''");
    Some((name, language, end))
}

/// The name of the kernel that a line of Python defines, and its definition: `cpp_fused_add_0` and
/// `cpp_pybinding([..], '''` of `cpp_fused_add_0 = async_compile.cpp_pybinding([..], '''`.
pub fn kernel_bound(line: &str) -> Option<(&str, &str)> {
    // The name has no equals sign, so the first one of the line precedes the definition.
    let (name, value) = line.split_at_checked(memchr::memchr(b'=', line.as_bytes())?)?;
    let (name, value) = (name.strip_suffix(' ')?, value.strip_prefix("= async_compile.")?);
    name.chars().all(is_word).then_some((name, value))
}

/// The same for a line of C++.
fn cpp_kernel(line: &str) -> Option<(&str, &'static str, Option<&'static str>)> {
    let (name, rest) = cpp_signature(line)?;
    let declared = rest.trim_end().ends_with(';');
    (!declared && name.chars().all(is_word)).then_some((name, "C++", Some("}")))
}

/// The kernel that a line of C++ declares or defines, and its parameters.
pub fn cpp_signature(line: &str) -> Option<(&str, &str)> {
    let signature = line.strip_prefix("extern \"C\"")?.trim_start().strip_prefix("void ")?;
    signature.trim_start().split_once('(')
}
