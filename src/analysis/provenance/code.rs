//! Generated code: which line calls which kernel, and where each kernel is defined.

use super::CodeKind;
use super::lines::{Line, Marks, MarksOfLine, ends_in_word, is_word, last_word, numbered_lines, words};
use crate::trace::TextMap;

/// A call of a kernel or of a library's operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'t> {
    /// As the code names it: `extern_kernels.mm`, `triton_poi_fused_add_0`.
    pub kernel: &'t str,
    /// Its number in the comment above it.
    pub handle: Option<&'t str>,
    /// Line, from 1.
    pub line: u32,
    /// Nodes that the comment above it names, as the user's graph calls them.
    pub source_nodes: Vec<&'t str>,
}

/// A kernel whose source stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'t> {
    /// As the code calls it.
    pub kernel: &'t str,
    /// `C++`, `Triton`, ..
    pub language: &'static str,
    /// First line, from 1.
    pub line: u32,
    /// Lines of its source.
    pub lines: u32,
    /// Nodes of the post-grad graph that the comment above it lists.
    pub fragment: Vec<&'t str>,
    /// Nodes that the comment above it names, as the user's graph calls them.
    pub source_nodes: Vec<&'t str>,
}

/// What is known of a file of generated code.
#[derive(Debug, Default)]
pub struct CodeText<'t> {
    /// In the order of the file.
    pub calls: Vec<Call<'t>>,
    /// In the order of the file.
    pub definitions: Vec<Definition<'t>>,
    /// Whether comments name handles.
    pub has_handles: bool,
}

/// What Inductor writes above each call while provenance is on.
const HANDLE: &str = "[Provenance debug handles] ";

/// Handles that wait for their call; a combined kernel has a few.
const MOST_WAITING: usize = 16;

/// Names of kernels in one line that may be what it calls; a line made of names would be read once for each.
const MOST_CANDIDATES: usize = 8;

impl<'t> CodeText<'t> {
    /// Reads a file. `known` are kernels that other files of the run define.
    pub fn read(text: &'t str, kind: CodeKind, known: &[&str]) -> CodeText<'t> {
        let mut code = CodeText { definitions: definitions(text, kind), ..CodeText::default() };
        code.has_handles = text.contains(HANDLE);
        if matches!(kind, CodeKind::Python | CodeKind::Cpp) {
            let names = code.definitions.iter().map(|d| d.kernel).chain(known.iter().copied());
            let names: TextMap<&str, ()> = names.map(|name| (name, ())).collect();
            let mut reader = Reader::new(names, kind);
            let mut marks = Marks::of(text);
            for (number, line) in numbered_lines(text) {
                let marks = marks.up_to(line.end);
                reader.line(number, line.text, marks);
            }
            reader.flush();
            code.calls = reader.calls;
            code.calls.sort_by_key(|call| call.line);
        }
        code
    }
}

/// A handle whose call was not reached yet.
struct Waiting<'t> {
    kernel: &'t str,
    handle: &'t str,
    /// The first line of code after the comment, and the first that names the kernel.
    next: Option<u32>,
    named: Option<u32>,
    source_nodes: Vec<&'t str>,
}

struct Reader<'t, 'n> {
    known: TextMap<&'n str, ()>,
    /// Whether the line is in the source of a kernel.
    in_kernel: bool,
    /// Whether the next string is a whole C++ program.
    cpp_follows: bool,
    cpp: bool,
    /// Whether the C++ function at hand runs the model.
    runs: bool,
    waiting: Vec<Waiting<'t>>,
    source_nodes: Vec<&'t str>,
    calls: Vec<Call<'t>>,
}

impl<'t, 'n> Reader<'t, 'n> {
    fn new(known: TextMap<&'n str, ()>, kind: CodeKind) -> Self {
        Reader {
            known,
            in_kernel: false,
            cpp_follows: false,
            cpp: kind == CodeKind::Cpp,
            runs: false,
            waiting: Vec::new(),
            source_nodes: Vec::new(),
            calls: Vec::new(),
        }
    }

    fn line(&mut self, number: u32, line: &'t str, marks: MarksOfLine) {
        if !self.enters_code(line, marks) {
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
    fn enters_code(&mut self, line: &str, marks: MarksOfLine) -> bool {
        let quotes = if self.cpp && !self.cpp_follows { 0 } else { marks.quotes };
        if marks.cpp_program {
            (self.cpp_follows, self.cpp) = (true, true);
        } else if self.cpp_follows && quotes > 0 {
            // The end of the C++ program is the end of what is of interest.
            (self.in_kernel, self.cpp_follows) = (false, false);
            return false;
        } else if quotes % 2 == 1 {
            self.in_kernel = !self.in_kernel;
            return false;
        }
        // A function begins at the start of a line; torch 2.7 writes a statement there, too.
        let begins = || !line.starts_with([' ', '\t', '}', '/', '#']) && !line.trim_end().ends_with(';');
        if self.cpp && begins() && line.contains('(') {
            self.runs = line.contains("::run_impl(") || line.contains("::_const_run_impl(");
            self.runs |= line.contains("inductor_entry_impl(");
        }
        !self.in_kernel
    }

    fn handle(&mut self, text: &'t str) {
        // A handle whose call follows stands directly above it; one that waits since earlier code has none.
        if self.waiting.iter().any(|waiting| waiting.next.is_some()) || self.waiting.len() >= MOST_WAITING {
            self.flush();
        }
        let (kernel, handle) = text.trim().rsplit_once(':').unwrap_or((text.trim(), ""));
        let source_nodes = std::mem::take(&mut self.source_nodes);
        self.waiting.push(Waiting { kernel, handle, next: None, named: None, source_nodes });
    }

    fn statement(&mut self, number: u32, line: &'t str) {
        let mut called: Vec<&str> = Vec::new();
        let mut found = Vec::new();
        for (index, waiting) in self.waiting.iter_mut().enumerate() {
            waiting.next = waiting.next.or(Some(number));
            match named(line, waiting.kernel) {
                Some(true) if !called.contains(&waiting.kernel) => {
                    called.push(waiting.kernel);
                    found.push(index);
                }
                Some(_) => waiting.named = waiting.named.or(Some(number)),
                None => {}
            }
        }
        for (removed, index) in found.into_iter().enumerate() {
            let waiting = self.waiting.remove(index - removed);
            self.call(&waiting, number);
        }
        if !called.is_empty() {
            return;
        }
        let Some(kernel) = self.plain_call(line) else { return };
        if BY_TABLE.contains(&kernel) && !self.waiting.is_empty() {
            let waiting = self.waiting.remove(0);
            return self.call(&waiting, number);
        }
        let source_nodes = std::mem::take(&mut self.source_nodes);
        self.calls.push(Call { kernel, handle: None, line: number, source_nodes });
    }

    /// The kernel or operator that a line without handle calls.
    fn plain_call(&self, line: &'t str) -> Option<&'t str> {
        if !line.starts_with([' ', '\t']) || self.cpp && !self.runs {
            return None;
        }
        let is_known = |word: &str| self.known.contains_key(word);
        // Most lines call nothing that is known, which is seen by the few words that stand where a call has its name.
        let may_call = words_at_brackets(line).any(|word| is_known(without_call(word)));
        let words = may_call.then(|| words(line)).into_iter().flatten();
        let known = words.map(without_call).filter(|word| is_known(word));
        let mut called = known.take(MOST_CANDIDATES).filter(|word| named(line, word) == Some(true));
        // Waiting for a collective is no work.
        let waits = |name: &&str| name.ends_with(".wait_tensor.default");
        called.next().or_else(|| library_call(line).filter(|name| !waits(name)))
    }

    fn call(&mut self, waiting: &Waiting<'t>, line: u32) {
        let handle = Some(waiting.handle).filter(|handle| !handle.is_empty());
        let source_nodes = waiting.source_nodes.clone();
        self.calls.push(Call { kernel: waiting.kernel, handle, line, source_nodes });
    }

    /// Gives handles without a call the line that names their kernel, or that follows their comment.
    fn flush(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            if let Some(line) = waiting.named.or(waiting.next) {
                self.call(&waiting, line);
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

/// Whether a line names a kernel as a whole word (Some), and whether it calls it.
fn named(line: &str, kernel: &str) -> Option<bool> {
    let mut found = None;
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find(kernel)).filter(|_| !kernel.is_empty()) {
        let (start, end) = (from + at, from + at + kernel.len());
        let before = line.get(..start).unwrap_or_default();
        // The C++ wrapper calls a Triton kernel through a function of its own.
        let free = !before.ends_with(is_word) || before.ends_with("call_") && !ends_in_word(before, "call_");
        let after = line.get(end..).unwrap_or_default();
        if free && !after.starts_with(is_word) {
            let defines = before.ends_with("def ") || before.ends_with("void ");
            if !defines && is_called_after(after) || is_launched_before(before) {
                return Some(true);
            }
            found = Some(false);
        }
        from = end;
    }
    found
}

/// What stands behind the name of a kernel that is called.
fn is_called_after(after: &str) -> bool {
    after.starts_with('(') || after.starts_with(".run(")
}

/// What stands before the name of a kernel that a function launches.
fn is_launched_before(before: &str) -> bool {
    before.ends_with("launchKernel(") || before.ends_with("launchKernel(kernels.")
}

/// The words of a line that stand where a call has its name: what [`named`] finds to be called is one of them.
fn words_at_brackets(line: &str) -> impl Iterator<Item = &str> {
    memchr::memchr_iter(b'(', line.as_bytes()).flat_map(move |bracket| {
        let (before, after) = line.split_at_checked(bracket).unwrap_or_default();
        let run = before.strip_suffix(".run").and_then(last_word);
        let arguments = before.ends_with("launchKernel").then(|| after.trim_start_matches('('));
        let launched = arguments.and_then(|text| words(text.strip_prefix("kernels.").unwrap_or(text)).next());
        [last_word(before), run, launched].into_iter().flatten()
    })
}

fn without_call(word: &str) -> &str {
    word.strip_prefix("call_").unwrap_or(word)
}

/// How the names of operators begin that a wrapper calls. `aten`, `inductor_ops` and `_quantized` are short names that
/// the head of each Python wrapper gives to parts of `torch.ops`.
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

/// Functions through which C++ calls operators that it does not name: those of the user, and those without a function
/// of their own.
const BY_TABLE: [&str; 2] = ["aoti_torch_proxy_executor_call_function", "aoti_torch_call_dispatcher"];

/// The operator that a line of the wrapper calls: `extern_kernels.mm`, `torch.ops.aten.cumsum.default`, in C++
/// `aoti_torch_cpu_addmm_out`.
pub fn library_call(line: &str) -> Option<&str> {
    // Every line of every text passes here, and most call nothing: eleven searches a line would be most of the work of the
    // index of texts. A name that is called stands before a bracket.
    memchr::memchr_iter(b'(', line.as_bytes()).find_map(|bracket| {
        let before = line.get(..bracket)?;
        let name = path_at_end(before);
        let may_begin = matches!(name.bytes().next(), Some(b'e' | b't' | b'a' | b'i' | b'_'));
        let is_library = may_begin && LIBRARIES.iter().any(|start| name.starts_with(start));
        let is_part = || before.strip_suffix(name).is_some_and(|path| path.ends_with([':', '\'', '"']));
        (is_library && !is_part()).then_some(name)
    })
}

/// The name at the end of a text with the path to it: `torch.ops.aten.mm` of `buf0 = torch.ops.aten.mm`.
fn path_at_end(text: &str) -> &str {
    // Byte by byte, since nearly all code is ASCII.
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let start = text.bytes().rposition(|byte| !is_plain(&byte)).map_or(0, |at| at + 1);
    let is_cut = text.as_bytes().get(..start).and_then(<[u8]>::last).is_some_and(|byte| !byte.is_ascii());
    let start = if is_cut { text.trim_end_matches(|c| is_word(c) || c == '.').len() } else { start };
    text.get(start..).unwrap_or_default()
}

/// Kernels in the order of a file.
fn definitions(text: &str, kind: CodeKind) -> Vec<Definition<'_>> {
    let mut found: Vec<Definition<'_>> = Vec::new();
    let mut open: Option<&'static str> = None;
    let mut has_body = false;
    let mut comment = Comment::default();
    for (number, Line { text: line, .. }) in numbered_lines(text) {
        if let (Some(end), Some(definition)) = (open, found.last_mut()) {
            has_body = has_body || line.contains('{');
            if line.starts_with(end) {
                definition.lines = number - definition.line + 1;
                open = None;
            } else if !has_body && line.trim_end().ends_with(';') {
                // Only declared: its source stands in another file.
                found.pop();
                open = None;
            }
            continue;
        }
        if comment.takes(line) {
            continue;
        }
        let begun = match kind {
            CodeKind::Python => python_kernel(line),
            CodeKind::Cpp | CodeKind::Kernels => cpp_kernel(line),
            CodeKind::Header => None,
        };
        let comment = std::mem::take(&mut comment);
        if let Some((kernel, language, end)) = begun {
            let (fragment, source_nodes) = (comment.fragment, comment.source_nodes);
            found.push(Definition { kernel, language, line: number, lines: 1, fragment, source_nodes });
            open = end;
            // Python opens a string, which is not looked into.
            has_body = kind == CodeKind::Python || line.contains('{');
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
    /// Whether the line is part of it.
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

/// The kernel that a line of Python defines, its language, and how the line after its source begins.
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

/// The name that a line of Python binds a kernel to, and how the kernel is made: `cpp_fused_add_0` and
/// `cpp_pybinding([..], '''` of `cpp_fused_add_0 = async_compile.cpp_pybinding([..], '''`.
pub fn kernel_bound(line: &str) -> Option<(&str, &str)> {
    // The name has no equals sign, so the first one of the line is that before the kernel.
    let (name, value) = line.split_at_checked(memchr::memchr(b'=', line.as_bytes())?)?;
    let (name, value) = (name.strip_suffix(' ')?, value.strip_prefix("= async_compile.")?);
    name.chars().all(is_word).then_some((name, value))
}

/// The same for a line of C++.
fn cpp_kernel(line: &str) -> Option<(&str, &'static str, Option<&'static str>)> {
    let signature = line.strip_prefix("extern \"C\"")?.trim_start().strip_prefix("void ")?;
    let (name, rest) = signature.trim_start().split_once('(')?;
    let declared = rest.trim_end().ends_with(';');
    (!declared && name.chars().all(is_word)).then_some((name, "C++", Some("}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str, kind: CodeKind) -> Vec<(String, Option<String>, u32)> {
        let code = CodeText::read(text, kind, &[]);
        code.calls.iter().map(|c| (c.kernel.to_owned(), c.handle.map(str::to_owned), c.line)).collect()
    }

    fn call(kernel: &str, handle: &str, line: u32) -> (String, Option<String>, u32) {
        (kernel.to_owned(), (!handle.is_empty()).then(|| handle.to_owned()), line)
    }

    #[test]
    fn a_handle_means_the_next_line_that_calls_its_kernel() {
        let text = "triton_a_1 = async_compile.triton('triton_a_1', '''\ndef triton_a_1(x):\n    triton_a_1(x)\n''', device_str='cuda')\n\
                    def call(args):\n    # Topologically Sorted Source Nodes: [h, y], Original ATen: []\n    \
                    # [Provenance debug handles] triton_a_1:10\n    stream0 = get_raw_stream(0)\n    triton_a_10.run(a)\n    \
                    triton_a_1.run(a)\n    # [Provenance debug handles] torch.ops.ns::op:2\n    b = torch.ops.ns::op(c)\n    \
                    extern_kernels.mm(a, b, out=c)\n";
        let code = CodeText::read(text, CodeKind::Python, &[]);
        assert_eq!(code.calls[0].source_nodes, ["h", "y"]);
        assert_eq!(code.definitions[0].lines, 4);
        assert_eq!(
            calls(text, CodeKind::Python),
            [
                call("triton_a_1", "10", 10),
                call("torch.ops.ns::op", "2", 12),
                call("extern_kernels.mm", "", 13)
            ]
        );
    }

    #[test]
    fn two_handles_above_one_another_mean_their_own_calls_or_the_same_line() {
        let text = "def call(args):\n    # [Provenance debug handles] a_0:1\n    # [Provenance debug handles] b_0:2\n    \
                    combo(a_0(x), b_0(y))\n    # [Provenance debug handles] a_0:3\n    # [Provenance debug handles] a_0:4\n    \
                    a_0(x)\n    a_0(y)\n";
        assert_eq!(
            calls(text, CodeKind::Python),
            [call("a_0", "1", 4), call("b_0", "2", 4), call("a_0", "3", 7), call("a_0", "4", 8)]
        );
    }

    #[test]
    fn declarations_and_earlier_functions_of_the_cpp_wrapper_call_nothing() {
        let text = "void AOTInductorModel::_const_run_impl(\n    int a) {\n    call_k_0(x);\n}\nvoid other(\n) {\n    call_k_0(x);\n}\n\
                    void AOTInductorModel::run_impl(\n) {\n    // [Provenance debug handles] k_0:1\n    int64_t k_0_xnumel = 4;\n    \
                    call_k_0(x, k_0_xnumel);\n    // [Provenance debug handles] torch.ops.mine.op.default:2\n    \
                    aoti_torch_proxy_executor_call_function(p, 0);\n    // [Provenance debug handles] aoti_torch_cpu_mm_out:3\n    \
                    static int n;\n    CHECK(aoti_torch_cpu_mm_out(a));\n}\n";
        let known = CodeText::read(text, CodeKind::Cpp, &["k_0"]);
        let lines: Vec<(&str, u32)> = known.calls.iter().map(|c| (c.kernel, c.line)).collect();
        assert_eq!(
            lines,
            [("k_0", 3), ("k_0", 13), ("torch.ops.mine.op.default", 15), ("aoti_torch_cpu_mm_out", 18)]
        );
    }

    #[test]
    fn calls_of_operators_are_told_by_the_names_that_the_wrapper_gives_to_libraries() {
        let calls = [
            ("        extern_kernels.mm(a, b, out=c)", Some("extern_kernels.mm")),
            (
                "        aten.randint.low_out(-9223372036854775808, 7, [38], out=buf6)",
                Some("aten.randint.low_out"),
            ),
            (
                "        buf1 = inductor_ops.accumulate_grad_.default(a, b)",
                Some("inductor_ops.accumulate_grad_.default"),
            ),
            (
                "        buf15 = torch.ops.aten.cumsum.default(buf14, dim=-1)",
                Some("torch.ops.aten.cumsum.default"),
            ),
            ("    CHECK(aoti_torch_cpu_mm_out(buf0, a, b));", Some("aoti_torch_cpu_mm_out")),
            ("        assert_alignment(buf15, 16, 'torch.ops.aten.cumsum.default')", None),
            ("        assert_metadata(buf15, 'aten.cumsum', (2, 3))", None),
            ("        my_aten.f(x)", None),
            ("        é_aten.f(aten.mm(x))", Some("aten.mm")),
            ("        日aten.f(x)", None),
            ("aten = torch.ops.aten", None),
        ];
        for (line, name) in calls {
            assert_eq!(library_call(line), name, "{line}");
        }
    }

    #[test]
    fn kernels_without_a_handle_are_called_where_either_wrapper_calls_them() {
        let python = "triton_a_1 = async_compile.triton('triton_a_1', '''\n''', device_str='cuda')\n\
                      def call(args):\n    stream0 = get_raw_stream(0)\n    triton_a_1.run(b, 8, grid=grid(8), stream=stream0)\n    \
                      aten.randint.low_out(0, 7, [38], out=buf6)\n";
        assert_eq!(
            calls(python, CodeKind::Python),
            [call("triton_a_1", "", 5), call("aten.randint.low_out", "", 6)]
        );
        let cpp = "void AOTInductorModel::run_impl(\n) {\n__check_inputs_outputs(a);\n    launchKernel(kernels.triton_a_1, grid_0);\n    \
                   call_triton_b_2(x, stream);\n    cpp_c_3((float*)(buf2.data_ptr()), s0);\n    \
                   aoti_torch_proxy_executor_call_function(proxy_executor, 0, 0, nullptr);\n}\n";
        let code = CodeText::read(cpp, CodeKind::Cpp, &["triton_a_1", "triton_b_2", "cpp_c_3"]);
        let lines: Vec<(&str, u32)> = code.calls.iter().map(|call| (call.kernel, call.line)).collect();
        assert_eq!(
            lines,
            [
                ("triton_a_1", 4),
                ("triton_b_2", 5),
                ("cpp_c_3", 6),
                ("aoti_torch_proxy_executor_call_function", 7)
            ]
        );
    }

    #[test]
    fn a_kernel_that_is_only_declared_is_defined_elsewhere() {
        let text =
            "extern \"C\"  void  k_0(float* a,\n    int b);\nextern \"C\" void k_1(int a)\n{\n    x;\n}\n";
        let code = CodeText::read(text, CodeKind::Cpp, &[]);
        let found: Vec<(&str, u32, u32)> =
            code.definitions.iter().map(|d| (d.kernel, d.line, d.lines)).collect();
        assert_eq!(found, [("k_1", 3, 4)]);
    }

    #[test]
    fn comments_above_a_kernel_name_its_nodes_without_provenance() {
        let text = "# kernel path: /tmp/x.py\n# Topologically Sorted Source Nodes: [x], Original ATen: [aten.add]\n\
                    # Source node to ATen node mapping:\n#   x => add\n# Graph fragment:\n#   %arg : Tensor = PlaceHolder[target=arg]\n\
                    #   %add_3 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%arg, 1), kwargs = {})\n\
                    triton_poi_0 = async_compile.triton('triton_poi_0', '''\n''')\n";
        let code = CodeText::read(text, CodeKind::Python, &[]);
        assert_eq!(code.definitions[0].fragment, ["add_3"]);
        assert_eq!(code.definitions[0].source_nodes, ["x"]);
    }
}
