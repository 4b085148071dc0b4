//! What a line of generated code says, read from its text.

use crate::analysis::provenance::library_call;

/// How many characters the name of an operator may have.
const LONGEST_NAME: usize = 100;

/// The operator that a line of the wrapper calls, as an index shows it: `mm`, `torch.ops.aten.cumsum.default`,
/// `aoti_torch_cpu_mm_out`.
pub(crate) fn called(line: &str) -> Option<&str> {
    let name = if line.starts_with(' ') { library_call(line)? } else { return None };
    (name.len() < LONGEST_NAME).then_some(name.strip_prefix("extern_kernels.").unwrap_or(name))
}
