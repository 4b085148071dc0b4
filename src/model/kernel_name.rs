//! Names of kernels as a person reads them. A trace has the names of C++ templates with all their arguments, hundreds of
//! characters long, which all begin alike.

use super::InputDims;
use std::borrow::Cow;

/// Inputs that are named.
const MOST_INPUTS: usize = 4;

/// Arguments of templates that only wrap what a kernel computes.
const WRAPPERS: [&str; 6] = [
    "gpu_kernel_impl",
    "gpu_kernel_impl_nocast",
    "UnaryFunctor",
    "BinaryFunctor",
    "AUnaryFunctor",
    "BUnaryFunctor",
];

/// Ends of names after which nothing is said about the work: `silu_kernel`, `neg_kernel_cuda`.
const ENDINGS: [&str; 4] = ["_kernel_cuda", "_kernel_impl", "_kernel_hip", "_kernel"];

/// The name without its namespaces, its parameters and the arguments of its template, but for the one that says what it
/// computes: `vectorized_elementwise_kernel<silu>`. Names of another form stay as they are.
fn readable_kernel(name: &str) -> Cow<'_, str> {
    let without = name.replace("(anonymous namespace)::", "");
    let Some(signature) = without_return_type(&without) else { return Cow::Borrowed(name) };
    let end = signature.find(['<', '(']).unwrap_or(signature.len());
    let (path, arguments) = signature.split_at(end);
    let base = path.rsplit("::").next().unwrap_or(path);
    if arguments.is_empty() || base.is_empty() {
        return Cow::Borrowed(name);
    }
    let words = arguments.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    match words.filter_map(computed).next() {
        Some(work) => Cow::Owned(format!("{base}<{work}>")),
        None => Cow::Owned(base.to_owned()),
    }
}

/// A readable name, or its beginning and its end: long names of kernels in one graph differ in their last number.
pub fn short_kernel(name: &str, longest: usize) -> String {
    let name = readable_kernel(name);
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= longest {
        return name.into_owned();
    }
    let end = (longest / 3).min(16);
    let start: String = characters.iter().take(longest.saturating_sub(end + 1)).collect();
    let end: String = characters.iter().skip(characters.len() - end).collect();
    format!("{start}…{end}")
}

/// The signature without its return type. None if the name is not a C++ signature: `Memcpy DtoH (Device)`.
fn without_return_type(name: &str) -> Option<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in name.char_indices() {
        match character {
            '(' if depth == 0 => break,
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    let (returned, signature) = name.split_at(start);
    let is_type = returned.is_empty() || returned == "void " || returned.contains("::");
    (is_type && !signature.starts_with('(')).then_some(signature)
}

/// What the argument of a template says about the work.
fn computed(word: &str) -> Option<&str> {
    if WRAPPERS.contains(&word) {
        return None;
    }
    if word.contains("Functor") || word.starts_with("cutlass_") {
        return Some(word);
    }
    let kernel = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending));
    let reduction = || word.strip_suffix("Ops");
    kernel.or_else(reduction).filter(|work| !work.is_empty())
}

/// What a kernel of a library computes, by its name: `a matrix product`. None if the name does not say.
pub fn kernel_family(name: &str) -> Option<&'static str> {
    const FAMILIES: [(&str, &[&str]); 6] = [
        ("attention", &["flash_fwd", "flash_bwd", "fmha", "attention"]),
        ("communication", &["nccl", "rccl"]),
        ("a convolution", &["fprop", "wgrad", "dgrad", "conv2d", "convolution", "implicit_gemm"]),
        ("a matrix product", &["gemm", "gemv", "nvjet", "cijk_"]),
        ("a pointwise kernel", &["elementwise_kernel"]),
        ("a reduction", &["reduce_kernel"]),
    ];
    let name = name.to_ascii_lowercase();
    let fits = |(_, words): &&(&str, &[&str])| words.iter().any(|word| name.contains(word));
    FAMILIES.iter().find(fits).map(|(family, _)| *family)
}

/// `8944×1024, 1024×2816`: the tensors among the inputs; further ones are counted.
pub fn input_words(dims: &[InputDims]) -> String {
    let tensors = dims.iter().filter(|dims| **dims != InputDims::One(Vec::new()));
    let mut shown: Vec<String> = tensors
        .clone()
        .take(MOST_INPUTS)
        .map(|dims| match dims {
            InputDims::One(sizes) => sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("×"),
            InputDims::List(list) => format!("{} tensors", list.len()),
        })
        .collect();
    let more = tensors.count().saturating_sub(MOST_INPUTS);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_template_keeps_what_says_the_work() {
        for (name, expected) in [
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::silu_kernel(at::\
                 TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, \
                 2ul> >(int, std::array<char*, 2ul>)",
                "vectorized_elementwise_kernel<silu>",
            ),
            (
                "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::\
                 BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >(int)",
                "elementwise_kernel<MulFunctor>",
            ),
            (
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float> > \
                 >(at::native::ReduceOp<float>)",
                "reduce_kernel<Mean>",
            ),
            (
                "void pytorch_flash::flash_fwd_kernel<64, true>(pytorch_flash::Flash_fwd_params)",
                "flash_fwd_kernel",
            ),
            (
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)",
                "Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>",
            ),
            ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(int)", "kernel"),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            ),
        ] {
            assert_eq!(readable_kernel(name), expected, "{name}");
        }
    }

    #[test]
    fn other_names_stay_as_they_are() {
        for name in [
            "",
            "triton_poi_fused_add_0",
            "aten::mm",
            "Memset (Device)",
            "Memcpy DtoH (Device -> Pinned)",
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n",
            "<<<",
            "void ",
            "a b c",
        ] {
            assert_eq!(readable_kernel(name), name);
        }
    }

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_number() {
        let name = "cpp_fused__unsafe_view_add_gelu_gelu_backward_sum_transpose_view_3";
        assert_eq!(short_kernel(name, 40), "cpp_fused__unsafe_view_add…nspose_view_3");
        assert_eq!(short_kernel("triton_poi_fused_0", 40), "triton_poi_fused_0");
        assert_eq!(short_kernel("ééééé", 4).chars().count(), 4);
    }

    #[test]
    fn a_library_kernel_is_known_by_its_name() {
        assert_eq!(kernel_family("sm90_xmma_gemm_bf16bf16"), Some("a matrix product"));
        assert_eq!(kernel_family("Cijk_Alik_Bljk_B_BS_BH"), Some("a matrix product"));
        assert_eq!(kernel_family("pytorch_flash::flash_fwd_kernel"), Some("attention"));
        assert_eq!(kernel_family("ncclDevKernel_AllReduce"), Some("communication"));
        assert_eq!(kernel_family("triton_poi_fused_add_0"), None);
    }

    #[test]
    fn inputs_are_tensors_and_further_ones_are_counted() {
        let one = |sizes: &[i64]| InputDims::One(sizes.to_vec());
        let dims = [one(&[8, 16]), one(&[]), InputDims::List(vec![vec![1], vec![2]]), one(&[4])];
        assert_eq!(input_words(&dims), "8×16, 2 tensors, 4");
        let many = vec![one(&[2]); 6];
        assert_eq!(input_words(&many), "2, 2, 2, 2, 2 more");
    }
}
