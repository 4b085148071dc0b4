//! What a line of generated code calls or defines.

use crate::model::Language;
use crate::read::generated::{cpp_signature, kernel_bound, library_call};

/// Characters of an operator's name.
const LONGEST_NAME: usize = 100;

/// The operator that a line of the wrapper calls: `mm`, `torch.ops.aten.cumsum.default`, `aoti_torch_cpu_mm_out`.
pub(crate) fn called(line: &str) -> Option<&str> {
    let name = if line.starts_with(' ') { library_call(line)? } else { return None };
    (name.len() < LONGEST_NAME).then_some(name.strip_prefix("extern_kernels.").unwrap_or(name))
}

/// The kernel whose source begins on this line of generated code.
pub(crate) fn kernel_defined(line: &str, language: Language) -> Option<&str> {
    // A definition is at the beginning of its line, and most lines are indented.
    if line.starts_with(' ') {
        return None;
    }
    let name = match language {
        Language::Python => kernel_bound(line)?.0,
        Language::Cpp => cpp_signature(line)?.0,
    };
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}
