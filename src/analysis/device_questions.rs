//! Which compiles raise a question about the device, so that their graphs are read.

use super::performance::DevicePeaks;
use crate::model::{Compile, CompileIndex, Model};

/// Kernels of libraries that multiply matrices.
pub(super) const PRODUCTS: [&str; 4] = ["mm", "addmm", "bmm", "baddbmm"];

/// The first compute capability with TF32.
const AMPERE: u32 = 80;

/// Whether the program runs on a GPU: an input is there, or a kernel was built for one.
pub(super) fn uses_gpu(model: &Model) -> bool {
    model.compiles.iter().any(|compile| compile.on_device.capability.is_some())
        || model.inputs().any(|(_, input)| input.tensor.device.starts_with("cuda"))
}

/// The compiles of a program on a GPU whose graphs say why something is not as it should be: CUDA graphs were asked for,
/// kernels were generated for the CPU, or products may not use TF32.
pub(super) fn with_questions(model: &Model) -> Vec<CompileIndex> {
    if !uses_gpu(model) {
        return Vec::new();
    }
    let has_tf32 = has_tf32(model);
    let asks = |compile: &Compile| {
        let kernel = |is: &dyn Fn(&str) -> bool| compile.kernels.iter().any(|(name, _)| is(name));
        compile.on_device.settings.cudagraphs
            || kernel(&|name| name.starts_with("cpp_"))
            || (has_tf32 && compile.on_device.settings.tf32 == Some(false) && kernel(&is_product))
    };
    model.compiles.indexed().filter(|(_, compile)| asks(compile)).map(|(index, _)| index).collect()
}

/// Whether a kernel multiplies matrices, by its name in generated code.
fn is_product(kernel: &str) -> bool {
    let library = kernel.strip_prefix("extern_kernels.");
    library.is_some_and(|name| PRODUCTS.contains(&name)) || kernel.starts_with("triton_tem_")
}

/// Whether the device of the log has TF32.
pub(super) fn has_tf32(model: &Model) -> bool {
    let built = model.compiles.iter().filter_map(|compile| compile.on_device.capability).min();
    let named = || DevicePeaks::named(model.gpu.as_deref()?);
    built.map_or_else(
        || named().is_some_and(|peaks| peaks.matrix.contains_key("tf32")),
        |built| built >= AMPERE,
    )
}
