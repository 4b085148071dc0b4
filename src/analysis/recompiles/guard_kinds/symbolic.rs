//! Conditions on symbolic sizes, strides and offsets.

use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::kind::ChangeKind;
use crate::read::expr::{Comparison, Property, SizeCondition, SizeOf, comparison, size_condition, unwrapped};

/// `2 <= x.size()[0]`, `x.size()[0] == 2*y.size()[0]`, `(x.size()[0] % 8) == 0`, `x.stride()[0] == x.size()[1]`.
pub(super) fn sizes(text: &str) -> Option<Change> {
    let read = size_condition(text);
    let first = read.sizes.first()?;
    if let Some(layout) = layout(&read) {
        return Some(layout);
    }
    let compared = comparison(text);
    if let Some(change) = compared.as_ref().and_then(|compared| one_size(compared, first)) {
        return Some(change);
    }
    let is_duck = compared.as_ref().is_some_and(|compared| is_equality_of_sizes(compared));
    let kind = if is_duck { ChangeKind::EqualSizes } else { ChangeKind::Relation };
    let change = Change::new(kind, Some(&first.tensor())).with_condition(bare(&read.written));
    Some(Change { dimension: first.dimension, ..change })
}

/// A condition on strides or offsets is about the layout, whatever else it names.
fn layout(read: &SizeCondition<'_>) -> Option<Change> {
    let size = read.sizes.iter().find(|size| size.property != Property::Size)?;
    let kind = match size.property {
        Property::StorageOffset => ChangeKind::StorageOffset,
        _ => ChangeKind::Stride,
    };
    let old = comparison(&read.written).and_then(|compared| {
        let (left, operator, right) = compared.pair()?;
        let is_value = operator == "==" && left == size.written() && right.parse::<i64>().is_ok();
        is_value.then(|| right.to_owned())
    });
    let condition = old.is_none().then(|| read.written.clone());
    Some(Change { dimension: size.dimension, old, condition, ..Change::new(kind, Some(&size.tensor())) })
}

/// A size compared with a number: `x.size()[0] == 8` is a size, `2 <= x.size()[0]` excludes sizes 0 and 1.
fn one_size(compared: &Comparison<'_>, size: &SizeOf<'_>) -> Option<Change> {
    let (left, operator, right) = compared.pair()?;
    let plain = |side: &str| size_condition(side).written == size.written();
    let (number, is_left) = match (plain(left), plain(right)) {
        (true, false) => (right.parse::<i64>().ok()?, true),
        (false, true) => (left.parse::<i64>().ok()?, false),
        _ => return None,
    };
    let kind = match (operator, number, is_left) {
        ("==", 0 | 1, _) => ChangeKind::ZeroOne,
        ("==", ..) => ChangeKind::Size,
        ("<=", 2, false) | (">=", 2, true) | ("<", 1, false) | (">", 1, true) | ("!=", 0 | 1, _) => {
            ChangeKind::ZeroOne
        }
        _ => return None,
    };
    let old = (operator == "==").then(|| number.to_string());
    Some(Change { dimension: size.dimension, old, ..Change::new(kind, Some(&size.tensor())) })
}

/// Two input sizes that share a symbol because they were equal.
fn is_equality_of_sizes(compared: &Comparison<'_>) -> bool {
    let is_size = |side: &str| {
        let read = size_condition(side);
        matches!(read.sizes.as_slice(), [size] if size.written() == read.written)
    };
    compared.operators.iter().all(|operator| *operator == "==")
        && compared.operands.iter().all(|side| is_size(side))
}

/// Removes needless brackets: `(x.shape[0] % 8) == 0` is `x.shape[0] % 8 == 0`.
fn bare(written: &str) -> String {
    let Some((left, operator, right)) = comparison(written).and_then(|compared| compared.pair()) else {
        return unwrapped(written).to_owned();
    };
    format!("{} {operator} {}", unwrapped(left), unwrapped(right))
}
