//! Bytes moved by pointwise operators, whose result has the shape to which the inputs are broadcast.

use super::formulas::{element_bytes, elements};
use crate::model::words::lines_of;
use crate::model::{InputDims, Operator};
use std::sync::LazyLock;

/// Operators that compute each element of the result from one element of each input, sorted.
static POINTWISE: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("pointwise.txt")));

/// Operators with a boolean result.
const COMPARE: [&str; 9] = ["eq", "ge", "gt", "le", "logical_and", "logical_not", "logical_or", "lt", "ne"];

/// The bytes that a call must move: each input once, and its result. None for other operators and for unknown sizes or
/// types.
pub(super) fn pointwise_bytes(operator: &Operator) -> Option<f64> {
    let name = operator.name.strip_prefix("aten::")?;
    let inputs = inputs_of(operator)?;
    // A copy writes its first input.
    if name == "copy_" {
        return (inputs.len() == 2).then(|| inputs.iter().map(Input::bytes).sum());
    }
    let (base, in_place) = match name.strip_suffix('_') {
        Some(base) => (base, true),
        None => (name, false),
    };
    POINTWISE.binary_search(&base).ok()?;
    let read: f64 = inputs.iter().map(Input::bytes).sum();
    let written = match in_place {
        true => inputs.first()?.bytes(),
        false => {
            // A number of the program comes as a tensor without dimensions, whose type does not widen the result.
            let tensors = inputs.iter().filter(|input| !input.sizes.is_empty());
            let widest = tensors.map(|input| input.element).fold(0.0, f64::max);
            broadcast(&inputs)? * if COMPARE.contains(&base) { 1.0 } else { widest }
        }
    };
    Some(read + written).filter(|bytes| *bytes > 0.0)
}

struct Input<'o> {
    sizes: &'o [i64],
    strides: &'o [i64],
    element: f64,
}

impl Input<'_> {
    fn bytes(&self) -> f64 {
        elements(self.sizes, self.strides) * self.element
    }
}

/// The tensors among the inputs; None if there are none, or if one is not fully known.
fn inputs_of(operator: &Operator) -> Option<Vec<Input<'_>>> {
    let mut found = Vec::new();
    for (at, kind) in operator.types.iter().enumerate() {
        if let InputDims::List(_) = operator.dims.get(at)? {
            return None;
        }
        let Some(element) = element_bytes(kind) else { continue };
        let sizes = operator.dims.get(at)?.one()?;
        let strides = operator.strides.get(at).and_then(InputDims::one).unwrap_or_default();
        found.push(Input { sizes, strides, element });
    }
    (!found.is_empty()).then_some(found)
}

/// The number of elements of the result; None if the shapes do not fit.
fn broadcast(inputs: &[Input<'_>]) -> Option<f64> {
    let dimensions = inputs.iter().map(|input| input.sizes.len()).max()?;
    let mut all = 1.0;
    for from_last in 1..=dimensions {
        let sizes = inputs.iter().filter_map(|input| {
            let at = input.sizes.len().checked_sub(from_last)?;
            input.sizes.get(at).copied()
        });
        let mut size = 1;
        for one in sizes.filter(|one| *one != 1) {
            if size != 1 && size != one {
                return None;
            }
            size = one;
        }
        all *= size as f64;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(name: &str, inputs: &[(&[i64], &str)]) -> Operator {
        Operator {
            name: name.to_owned(),
            dims: inputs.iter().map(|(sizes, _)| InputDims::One(sizes.to_vec())).collect(),
            types: inputs.iter().map(|(_, kind)| (*kind).to_owned()).collect(),
            ..Operator::default()
        }
    }

    #[test]
    fn each_input_is_read_once_and_the_broadcast_shape_is_written() {
        let add = operator("aten::add", &[(&[8, 16], "c10::BFloat16"), (&[16], "float"), (&[], "Scalar")]);
        assert_eq!(pointwise_bytes(&add), Some(8.0 * 16.0 * 2.0 + 16.0 * 4.0 + 8.0 * 16.0 * 4.0));
        let less = operator("aten::lt", &[(&[8, 16], "float"), (&[], "Scalar")]);
        assert_eq!(pointwise_bytes(&less), Some(8.0 * 16.0 * 5.0));
        let number = operator("aten::mul", &[(&[8, 16], "float"), (&[], "double")]);
        assert_eq!(pointwise_bytes(&number), Some(8.0 * 16.0 * 8.0 + 8.0));
        let outer = operator("aten::mul", &[(&[8, 1], "float"), (&[1, 16], "float")]);
        assert_eq!(pointwise_bytes(&outer), Some((8.0 + 16.0 + 128.0) * 4.0));
    }

    #[test]
    fn a_tensor_updated_in_place_is_read_and_written() {
        let add = operator("aten::add_", &[(&[8, 16], "float"), (&[8, 16], "float")]);
        assert_eq!(pointwise_bytes(&add), Some(3.0 * 8.0 * 16.0 * 4.0));
        let copy =
            operator("aten::copy_", &[(&[8, 16], "c10::BFloat16"), (&[8, 16], "float"), (&[], "Scalar")]);
        assert_eq!(pointwise_bytes(&copy), Some(8.0 * 16.0 * 6.0));
    }

    #[test]
    fn other_operators_and_shapes_that_do_not_fit_are_unknown() {
        assert_eq!(pointwise_bytes(&operator("aten::sum", &[(&[8], "float")])), None);
        assert_eq!(pointwise_bytes(&operator("aten::add", &[(&[8], "float"), (&[7], "float")])), None);
        assert_eq!(pointwise_bytes(&operator("aten::add", &[])), None);
        assert!(POINTWISE.is_sorted());
    }
}
