//! An index of generated code: kernels, library calls, and important functions.

use crate::limits::LONG_LIST;
use crate::report::kit::code_text::called;
use indexmap::IndexMap;

/// Contents of a file of generated code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeIndex {
    /// `['0_backward']`, as the code names itself.
    pub(crate) aot_id: Option<String>,
    pub(crate) lines: usize,
    /// Kernels in the order of the file.
    pub(crate) kernels: Vec<Kernel>,
    /// Calls of library operators: the count, and the line of the first.
    pub(crate) calls: IndexMap<String, (usize, usize)>,
    /// Names and lines of important functions: `call`, `benchmark_compiled_module`, ..
    pub(crate) places: Vec<(&'static str, usize)>,
}

/// A kernel whose source is in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name in the code.
    pub(crate) name: String,
    /// First line, from 1.
    pub(crate) line: usize,
    /// Number of source lines.
    pub(crate) lines: usize,
}

/// Beginnings of lines that are listed, without indentation, and their names.
const PLACES: [(&str, &str); 5] = [
    ("def call(", "call"),
    ("def get_args(", "get_args"),
    ("def benchmark_compiled_module(", "benchmark"),
    ("void AOTInductorModel::run_impl(", "run"),
    ("void AOTInductorModel::_const_run_impl(", "constants"),
];

/// Fewer lines before the first kernel are not worth a fold.
const FEW: usize = 12;

impl CodeIndex {
    /// The line at which readers begin: the first kernel, or the main function; None near the top of the file. Before it
    /// are imports and helpers, the same in each file.
    pub(crate) fn begins_at(&self) -> Option<usize> {
        let main =
            || self.places.iter().find(|(name, _)| matches!(*name, "call" | "run")).map(|(_, line)| *line);
        let first = self.kernels.first().map(|kernel| kernel.line).or_else(main)?;
        (first > FEW).then_some(first)
    }

    /// Reads Python or C++ that Inductor wrote.
    pub(crate) fn of(text: &str) -> CodeIndex {
        let mut index = CodeIndex::default();
        let mut open: Option<(Kernel, &str)> = None;
        let mut has_body = false;
        for (number, line) in (1..).zip(text.lines()) {
            index.lines = number;
            if let Some((kernel, end)) = &mut open {
                has_body |= line.contains('{');
                if !has_body && line.trim_end().ends_with(';') {
                    // Only declared: its source is in another file.
                    open = None;
                    continue;
                }
                if !line.starts_with(*end) {
                    continue;
                }
                kernel.lines = number - kernel.line + 1;
                index.kernels.extend(open.take().map(|(kernel, _)| kernel));
                continue;
            }
            if index.kernels.len() < LONG_LIST {
                open = opens_kernel(line).map(|(name, end)| (Kernel { name, line: number, lines: 1 }, end));
                // Strings in Python are skipped.
                has_body = line.contains('{') || line.contains(" = async_compile.");
            }
            index.place(line, number);
            index.call(line, number);
        }
        index.kernels.extend(open.map(|(kernel, _)| kernel));
        index
    }

    fn place(&mut self, line: &str, number: usize) {
        if let (None, Some(id)) = (&self.aot_id, line.strip_prefix("# AOT ID: ")) {
            self.aot_id = Some(id.to_owned());
        }
        let start = line.trim_start();
        let place = PLACES.iter().find(|(begin, _)| start.starts_with(begin));
        if let Some((_, name)) = place.filter(|_| self.places.len() < LONG_LIST) {
            self.places.push((name, number));
        }
    }

    fn call(&mut self, line: &str, number: usize) {
        let Some(name) = called(line) else { return };
        if let Some((count, _)) = self.calls.get_mut(name) {
            *count += 1;
        } else if self.calls.len() < LONG_LIST {
            self.calls.insert(name.to_owned(), (1, number));
        }
    }
}

/// The kernel that a line opens, and the beginning of the line after its source.
fn opens_kernel(line: &str) -> Option<(String, &'static str)> {
    if let Some((name, _)) = line.split_once(" = async_compile.") {
        let source = line.ends_with("'''") && is_name(name);
        return source.then(|| (name.to_owned(), "'''"));
    }
    let signature = line.strip_prefix("extern \"C\"")?.trim_start().strip_prefix("void ")?;
    let (name, rest) = signature.trim_start().split_once('(')?;
    let declared = rest.trim_end().ends_with(';');
    (is_name(name) && !declared).then(|| (name.to_owned(), "}"))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_names_kernels_calls_and_places_with_their_lines() {
        let text = "# AOT ID: ['0_forward']\nimport torch\ncpp_fused_0 = \
            async_compile.cpp_pybinding(['float*'], r'''\n\
                    extern \"C\"  void  kernel(float* x)\n{\n}\n''')\n\nclass Runner:\n    def call(self, \
                        args):\n        \
                    extern_kernels.mm(a, b, out=c)\n        extern_kernels.mm(a, b, out=d)\n        \
                    buf = torch.ops.aten.cumsum.default(c, -1)\n\ndef benchmark_compiled_module(args):\n";
        let index = CodeIndex::of(text);
        assert_eq!(index.aot_id.as_deref(), Some("['0_forward']"));
        assert_eq!(index.lines, 15);
        assert_eq!(index.kernels, [Kernel { name: "cpp_fused_0".to_owned(), line: 3, lines: 5 }]);
        assert_eq!(index.places, [("call", 10), ("benchmark", 15)]);
        assert_eq!(index.calls.get("mm"), Some(&(2, 11)));
        assert_eq!(index.calls.get("torch.ops.aten.cumsum.default"), Some(&(1, 13)));
    }

    #[test]
    fn kernels_in_cpp_end_with_their_brace() {
        let declared = CodeIndex::of(
            "extern \"C\"  void  g_0(float* a,\n   int b);\nextern \"C\" void g_1(int b);\nint x;\n}\n",
        );
        assert_eq!(declared.kernels, [], "a declared kernel is defined elsewhere");
        let index =
            CodeIndex::of("extern \"C\"  void  f_0(float* a,\n   int b)\n{\n    {\n    }\n}\nint x;\n");
        assert_eq!(index.kernels, [Kernel { name: "f_0".to_owned(), line: 1, lines: 6 }]);
    }
}
