//! Bytes moved by pointwise operators, whose result has the shape to which the inputs are broadcast.

use super::formulas::elements;
use crate::model::words::lines_of;
use crate::model::{InputDims, Operator};
use crate::read::element_type::element_bytes;
use std::sync::LazyLock;

/// Operators that compute each element of the result from one element of each input, sorted.
pub(super) static POINTWISE: LazyLock<Vec<&str>> = LazyLock::new(|| lines_of(include_str!("pointwise.txt")));

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
