//! Names of kernels, shortened for tables.

use crate::analysis::performance::MeasuredKernel;
use crate::model::InputDims;

/// Inputs that are named.
const MOST_INPUTS: usize = 4;

/// The beginning and the end of a name: long names of kernels in one graph differ in their last number.
pub(super) fn short(name: &str, longest: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= longest {
        return name.to_owned();
    }
    let end = (longest / 3).min(16);
    let start: String = characters.iter().take(longest.saturating_sub(end + 1)).collect();
    let end: String = characters.iter().skip(characters.len() - end).collect();
    format!("{start}…{end}")
}

/// The operator that launched a kernel, if there is exactly one and its name says more: `mm` of `aten::mm`.
pub(super) fn operator(kernel: &MeasuredKernel) -> Option<&str> {
    match kernel.operators.as_slice() {
        [only] if *only != kernel.name => Some(only),
        _ => None,
    }
}

/// `8944×1024, 1024×2816`: the tensors among the inputs; further ones are counted.
pub(super) fn inputs(dims: &[InputDims]) -> String {
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
    fn a_long_name_keeps_its_beginning_and_its_number() {
        let name = "cpp_fused__unsafe_view_add_gelu_gelu_backward_sum_transpose_view_3";
        let shown = short(name, 40);
        assert_eq!(shown, "cpp_fused__unsafe_view_add…nspose_view_3");
        assert_eq!(short("triton_poi_fused_0", 40), "triton_poi_fused_0");
        assert_eq!(short("ééééé", 4).chars().count(), 4);
    }

    #[test]
    fn inputs_are_tensors_and_further_ones_are_counted() {
        let one = |sizes: &[i64]| InputDims::One(sizes.to_vec());
        let dims = [one(&[8, 16]), one(&[]), InputDims::List(vec![vec![1], vec![2]]), one(&[4])];
        assert_eq!(inputs(&dims), "8×16, 2 tensors, 4");
        let many = vec![one(&[2]); 6];
        assert_eq!(inputs(&many), "2, 2, 2, 2, 2 more");
    }
}
