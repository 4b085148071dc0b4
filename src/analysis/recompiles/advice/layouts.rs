//! The memory layouts of a tensor.

use super::situation::Situation;
use crate::model::{CompileIndex, TensorDescription};
use crate::read::expr::as_written;

/// How a tensor lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Contiguous,
    ChannelsLast,
    /// Dense, its dimensions in another order.
    Permuted,
    /// Not dense: part of a larger tensor, or expanded.
    Part,
}

/// The layouts that the tensor has in the versions of which the log describes it.
pub(super) fn layouts(at: &Situation<'_>) -> Vec<Layout> {
    let compiles = at.chain.steps.iter().map(|step| step.compile);
    compiles.filter_map(|compile| layout(description(at, compile)?)).collect()
}

/// Whether the tensor has the same sizes in all versions.
pub(super) fn has_one_shape(at: &Situation<'_>) -> bool {
    let mut shapes =
        at.chain.steps.iter().filter_map(|step| description(at, step.compile)).map(|one| &one.shape);
    let first = shapes.next();
    shapes.all(|shape| Some(shape) == first)
}

fn description<'s>(at: &Situation<'s>, compile: CompileIndex) -> Option<&'s TensorDescription> {
    let source = at.subject.source()?;
    let inputs = &at.model.compiles.get(compile)?.inputs;
    inputs.iter().find(|input| as_written(&input.source) == source).map(|input| &*input.tensor)
}

pub(super) fn layout(tensor: &TensorDescription) -> Option<Layout> {
    let numbers =
        |texts: &[String]| -> Option<Vec<i64>> { texts.iter().map(|text| text.parse().ok()).collect() };
    let (sizes, strides) = (numbers(&tensor.sizes)?, numbers(tensor.strides.as_ref()?)?);
    let order: Vec<usize> = (0..sizes.len()).collect();
    if is_dense(&sizes, &strides, &order) {
        return Some(Layout::Contiguous);
    }
    // Images are (batch, channels, height, width): in channels_last, the channels lie closest to each other.
    let channels_last: &[usize] = match sizes.len() {
        4 => &[0, 2, 3, 1],
        5 => &[0, 2, 3, 4, 1],
        _ => &[],
    };
    if !channels_last.is_empty() && is_dense(&sizes, &strides, channels_last) {
        return Some(Layout::ChannelsLast);
    }
    let mut order = order;
    order.sort_by_key(|dimension| std::cmp::Reverse(strides.get(*dimension)));
    Some(if is_dense(&sizes, &strides, &order) { Layout::Permuted } else { Layout::Part })
}

/// Whether the elements lie one after the other, with the dimensions in this order, the outermost first.
fn is_dense(sizes: &[i64], strides: &[i64], order: &[usize]) -> bool {
    let mut expected: i64 = 1;
    for &dimension in order.iter().rev() {
        let (Some(&size), Some(&stride)) = (sizes.get(dimension), strides.get(dimension)) else {
            return false;
        };
        if size != 1 && stride != expected {
            return false;
        }
        expected = expected.saturating_mul(size);
    }
    true
}
