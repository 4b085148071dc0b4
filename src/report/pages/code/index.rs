//! An index of generated code: kernels, library calls, and important functions.

use crate::limits::LONG_LIST;
use crate::read::generated::{CodeKind, Definition, KernelBody, definitions};
use crate::report::kit::code_text::called;
use indexmap::IndexMap;

/// Contents of a file of generated code.
#[derive(Debug, Default)]
pub(crate) struct CodeIndex<'t> {
    /// `['0_backward']`, as the code names itself.
    pub(crate) aot_id: Option<String>,
    pub(crate) lines: usize,
    /// Kernels whose source is in the file, in its order.
    pub(crate) kernels: Vec<Definition<'t>>,
    /// Calls of library operators: the count, and the line of the first.
    pub(crate) calls: IndexMap<String, (usize, usize)>,
    /// Names and lines of important functions: `call`, `benchmark_compiled_module`, ..
    pub(crate) places: Vec<(&'static str, usize)>,
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

impl<'t> CodeIndex<'t> {
    /// The line at which readers begin: the first kernel, or the main function; None near the top of the file. Before it
    /// are imports and helpers, the same in each file.
    pub(crate) fn begins_at(&self) -> Option<usize> {
        let main =
            || self.places.iter().find(|(name, _)| matches!(*name, "call" | "run")).map(|(_, line)| *line);
        let first = self.kernels.first().map(|kernel| kernel.body.first as usize).or_else(main)?;
        (first > FEW).then_some(first)
    }

    /// Reads Python or C++ that Inductor wrote.
    pub(crate) fn of(text: &'t str) -> CodeIndex<'t> {
        let mut index = CodeIndex { kernels: definitions(text, CodeKind::Python), ..CodeIndex::default() };
        index.kernels.retain(|kernel| kernel.body.lines() > 1);
        let bodies: Vec<KernelBody> = index.kernels.iter().map(|kernel| kernel.body).collect();
        index.kernels.truncate(LONG_LIST);
        let mut bodies = bodies.into_iter().peekable();
        for (number, line) in (1..).zip(text.lines()) {
            index.lines = number;
            while bodies.next_if(|body| (body.last as usize) < number).is_some() {}
            if bodies.peek().is_none_or(|body| number < body.first as usize) {
                index.place(line, number);
                index.call(line, number);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels(index: &CodeIndex<'_>) -> Vec<String> {
        let kernels = index.kernels.iter();
        kernels.map(|one| format!("{} in {} to {}", one.kernel, one.body.first, one.body.last)).collect()
    }

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
        assert_eq!(kernels(&index), ["cpp_fused_0 in 3 to 7"]);
        assert_eq!(index.places, [("call", 10), ("benchmark", 15)]);
        assert_eq!(index.calls.get("mm"), Some(&(2, 11)));
        assert_eq!(index.calls.get("torch.ops.aten.cumsum.default"), Some(&(1, 13)));
    }

    #[test]
    fn kernels_in_cpp_end_with_their_brace() {
        let declared = CodeIndex::of(
            "extern \"C\"  void  g_0(float* a,\n   int b);\nextern \"C\" void g_1(int b);\nint x;\n}\n",
        );
        assert_eq!(kernels(&declared), [""; 0], "a declared kernel is defined elsewhere");
        let index =
            CodeIndex::of("extern \"C\"  void  f_0(float* a,\n   int b)\n{\n    {\n    }\n}\nint x;\n");
        assert_eq!(kernels(&index), ["f_0 in 1 to 6"]);
    }
}
