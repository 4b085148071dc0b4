//! Dynamic sizes: the fate of each symbol, and whether each dimension of each input is dynamic.

mod dimensions;
mod fate;

pub use dimensions::{Answer, Dimension, Seen, State, TensorSizes, dimensions, guarded_sizes};
pub use fate::{Fate, SymbolFate};

use crate::model::{CompileIndex, Model, Recorded, Specialization, SymbolGuard};
use crate::read::source_text;
use crate::trace::TextMap;

/// A symbol of one attempt of one compile.
type OperatorPlace<'m> = (CompileIndex, u32, &'m str);

/// All symbols in log order; equal records of one attempt count once.
pub fn symbols(model: &Model) -> Vec<SymbolFate<'_>> {
    let shapes = &model.shapes;
    let mut guards: TextMap<OperatorPlace<'_>, Vec<&SymbolGuard>> = TextMap::default();
    for guard in &shapes.guards {
        for name in source_text::symbols(&guard.expr, 2) {
            let of = guards.entry(place(&guard.at, name)).or_default();
            if of.last().is_none_or(|last| !std::ptr::eq(*last, guard)) {
                of.push(guard);
            }
        }
    }
    let mut fixed: TextMap<OperatorPlace<'_>, &Specialization> = TextMap::default();
    for one in &shapes.specializations {
        fixed.entry(place(&one.at, &one.symbol)).or_insert(one);
    }
    let mut known: TextMap<(OperatorPlace<'_>, Option<&str>), usize> = TextMap::default();
    let mut fates: Vec<SymbolFate<'_>> = Vec::new();
    for symbol in &shapes.symbols {
        let place = place(&symbol.at, &symbol.name);
        let at = *known.entry((place, symbol.source.as_deref())).or_insert(fates.len());
        if let Some(same) = fates.get_mut(at) {
            same.made += 1;
            continue;
        }
        let guards = guards.get(&place).cloned().unwrap_or_default();
        let fate = match fixed.get(&place) {
            Some(one) if is_number(&one.value) => Fate::Fixed(one),
            Some(one) => Fate::Equal(one),
            None if symbol.unbacked => Fate::Unbacked,
            None => Fate::Dynamic,
        };
        let narrow = guards.iter().any(|guard| is_narrow(guard));
        fates.push(SymbolFate { symbol, made: 1, guards, fate, narrow });
    }
    fates
}

fn place<'m>(at: &Recorded, name: &'m str) -> OperatorPlace<'m> {
    (at.compile, at.attempt, name)
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

/// Whether a guard is for 32-bit indices in kernels: from its bound, or from its stack.
fn is_narrow(guard: &SymbolGuard) -> bool {
    // 2^31 - 1 and 2^31: the last index that fits, and the first that does not.
    guard.expr.contains("2147483647")
        || guard.expr.contains("2147483648")
        || guard.stack.iter().flat_map(|stack| stack.iter()).any(|f| f.name.contains("32bit_indexing"))
}
