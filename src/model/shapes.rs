//! Facts about sizes: the symbols that torch created for them, and what was assumed about those.

use super::{CompileIndex, Stack};
use crate::limits::SAME_NAME;
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// What a log says about sizes, each list in log order.
#[derive(Debug, Default, Clone)]
pub struct Shapes {
    /// Symbols made, one entry per record.
    pub symbols: Vec<Symbol>,
    pub guards: Vec<SymbolGuard>,
    /// Symbols that became constants or other symbols.
    pub specializations: Vec<Specialization>,
    /// Places of the specializations of each compile, which each failure and each recompiled function asks for.
    fixed: FxHashMap<CompileIndex, Vec<usize>>,
    /// Places of conditions with a line of the reader, by compile and text.
    guarded: TextMap<(CompileIndex, String), Vec<usize>>,
}

impl Shapes {
    pub fn add_guard(&mut self, guard: SymbolGuard) {
        if guard.user_stack.is_some() {
            let alike = self.guarded.entry((guard.at.compile, guard.expr.clone())).or_default();
            alike.extend((alike.len() < SAME_NAME).then_some(self.guards.len()));
        }
        self.guards.push(guard);
    }

    pub fn add_specialization(&mut self, one: Specialization) {
        self.fixed.entry(one.at.compile).or_default().push(self.specializations.len());
        self.specializations.push(one);
    }

    /// The symbols of a compile that became constants.
    pub fn fixed_in(&self, compile: CompileIndex) -> impl Iterator<Item = &Specialization> {
        let places = self.fixed.get(&compile).into_iter().flatten();
        places.filter_map(|place| self.specializations.get(*place))
    }

    /// The first conditions of a compile with one of these texts and a line of the reader.
    pub fn guards_with(&self, compile: CompileIndex, texts: [String; 2]) -> Vec<&SymbolGuard> {
        let alike = texts.into_iter().filter_map(|text| self.guarded.get(&(compile, text))).flatten();
        let mut places: Vec<usize> = alike.copied().collect();
        places.sort_unstable();
        places.into_iter().filter_map(|place| self.guards.get(place)).collect()
    }
}

/// Where a fact about sizes was recorded.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    pub compile: CompileIndex,
    pub attempt: u32,
    pub line: u64,
}

/// A symbolic size (`create_symbol`, `create_unbacked_symbol`).
#[derive(Debug, Default, Clone)]
pub struct Symbol {
    pub at: Recorded,
    /// `s77`, `u0`
    pub name: String,
    /// Whether it is unbacked: only the data determines its value.
    pub unbacked: bool,
    /// Its value in the inputs of this compile.
    pub hint: Option<String>,
    /// `[2, int_oo]`
    pub range: Option<String>,
    /// `L['x'].size()[0]`
    pub source: Option<String>,
    pub user_stack: Option<Stack>,
}

/// A condition on symbols that the compiled code relies on (`guard_added_fast`, `guard_added`).
#[derive(Debug, Default, Clone)]
pub struct SymbolGuard {
    pub at: Recorded,
    /// `Eq(s77, 12)`
    pub expr: String,
    pub user_stack: Option<Stack>,
    /// All lines, torch's among them.
    pub stack: Option<Stack>,
}

/// A symbol that became a constant (`symbolic_shape_specialization`).
#[derive(Debug, Default, Clone)]
pub struct Specialization {
    pub at: Recorded,
    pub symbol: String,
    /// Inputs that it stood for.
    pub sources: Vec<String>,
    /// The constant, or another symbol.
    pub value: String,
    /// torch's word for the reason: `range_refined_to_singleton`, `find`, ..
    pub reason: Option<String>,
    pub user_stack: Option<Stack>,
    /// All lines, torch's among them.
    pub stack: Option<Stack>,
}
