//! What a line of generated code says, read from its text.

/// The operator that a line of the wrapper calls: `extern_kernels.mm(..)`, `torch.ops.aten.cumsum.default(..)`,
/// `aoti_torch_cpu_mm_out(..)`.
pub(crate) fn called(line: &str) -> Option<&str> {
    if !line.starts_with(' ') {
        return None;
    }
    let marks = ["extern_kernels.", "torch.ops.", "aoti_torch_cpu_", "aoti_torch_cuda_"];
    let at = marks.iter().find_map(|mark| Some((line.find(mark)?, *mark)));
    let (start, mark) = at?;
    let rest = line.get(start..)?;
    let (name, _) = rest.split_once('(')?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let shown = if mark == "extern_kernels." { name.strip_prefix(mark)? } else { name };
    (plain && name.len() < 100).then_some(shown)
}
