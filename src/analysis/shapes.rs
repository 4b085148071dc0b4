//! Dynamic sizes: the fate of each symbol, and whether each dimension of each input is dynamic.

mod dimensions;
mod fate;

pub use dimensions::{Answer, Dimension, Seen, State, TensorSizes, dimensions, guarded_sizes};
pub use fate::{Fate, SymbolFate};

use crate::model::{CompileIndex, Model, Recorded, Specialization, SymbolGuard};
use crate::read::source_text;
use crate::trace::TextMap;

/// A symbol of one attempt of one compile.
type Place<'m> = (CompileIndex, u32, &'m str);

/// All symbols in log order; equal records of one attempt count once.
pub fn symbols(model: &Model) -> Vec<SymbolFate<'_>> {
    let shapes = &model.shapes;
    let mut guards: TextMap<Place<'_>, Vec<&SymbolGuard>> = TextMap::default();
    for guard in &shapes.guards {
        for name in source_text::symbols(&guard.expr, 2) {
            let of = guards.entry(place(&guard.at, name)).or_default();
            if of.last().is_none_or(|last| !std::ptr::eq(*last, guard)) {
                of.push(guard);
            }
        }
    }
    let mut fixed: TextMap<Place<'_>, &Specialization> = TextMap::default();
    for one in &shapes.specializations {
        fixed.entry(place(&one.at, &one.symbol)).or_insert(one);
    }
    let mut known: TextMap<(Place<'_>, Option<&str>), usize> = TextMap::default();
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

fn place<'m>(at: &Recorded, name: &'m str) -> Place<'m> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Symbol;

    fn symbol(name: &str, attempt: u32) -> Symbol {
        let at = Recorded { attempt, ..Recorded::default() };
        Symbol { at, name: name.to_owned(), ..Symbol::default() }
    }

    fn guard(expr: &str) -> SymbolGuard {
        SymbolGuard { expr: expr.to_owned(), ..SymbolGuard::default() }
    }

    fn fixed(symbol: &str, value: &str) -> Specialization {
        Specialization { symbol: symbol.to_owned(), value: value.to_owned(), ..Specialization::default() }
    }

    #[test]
    fn each_symbol_has_the_guards_that_name_it_and_its_fate() {
        let mut model = Model::default();
        let shapes = &mut model.shapes;
        shapes.symbols = ["s1", "s11", "s2", "s3"].map(|name| symbol(name, 0)).into();
        shapes.symbols.push(Symbol { unbacked: true, ..symbol("u0", 0) });
        shapes.guards = ["Eq(s1, 12)", "Eq(s2, s11)", "5*s3 <= 2147483647", "s11*s11 >= 4"].map(guard).into();
        shapes.specializations = vec![fixed("s1", "12"), fixed("s2", "s11")];
        let fates = symbols(&model);
        let words: Vec<_> = fates.iter().map(|f| (f.fate.word(), f.guards.len(), f.narrow)).collect();
        assert_eq!(
            words,
            [
                ("fixed", 1, false),
                ("dynamic", 2, false),
                ("equal", 1, false),
                ("dynamic", 1, true),
                ("unbacked", 0, false)
            ]
        );
    }

    #[test]
    fn equal_records_of_one_attempt_are_one_symbol_and_those_of_another_are_not() {
        let mut model = Model::default();
        model.shapes.symbols = vec![symbol("s1", 0), symbol("s1", 0), symbol("s1", 1)];
        let made: Vec<_> = symbols(&model).iter().map(|f| (f.symbol.at.attempt, f.made)).collect();
        assert_eq!(made, [(0, 2), (1, 1)]);
    }
}
