//! A highlighter's memory: the states of the parser, and the line shapes read in each.

use crate::model::Language;
use crate::report::kit::highlight_classes::Class;
use std::collections::HashMap;
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

/// Largest memory for shapes per worker; recorded logs with 10 MB of code need 2 MB.
pub(super) const TABLE_BYTES: usize = 8 << 20;

/// Approximate overhead per shape: two boxes, their lengths, the next state, a map slot.
const ENTRY_BYTES: usize = 80;

/// Most parser states kept. Recorded logs need 18; code that needs more loses its colors.
pub(super) const MOST_STATES: usize = 256;

/// The parser's state between two lines, as a number in the table; None if the rest of the text is not parsed.
pub(super) type Place = Option<usize>;

/// The parser's state between two lines.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) parser: ParseState,
    pub(super) scopes: ScopeStack,
}

impl State {
    pub(super) fn start(syntaxes: &SyntaxSet, extension: &str) -> Option<Self> {
        let syntax = syntaxes.find_syntax_by_extension(extension)?;
        Some(Self { parser: ParseState::new(syntax), scopes: ScopeStack::new() })
    }
}

/// The states of the parser, and the shapes of the lines read in each of them.
#[derive(Default)]
pub(super) struct Table {
    pub(super) states: Vec<Known>,
    pub(super) bytes: usize,
}

pub(super) struct Known {
    state: State,
    origin: Origin,
    pub(super) shapes: Shapes,
}

/// The parsed form of a line shape.
pub(super) struct Seen {
    pub(super) tokens: Box<[Token]>,
    /// The state after it.
    pub(super) next: Place,
}

/// How a state was first reached.
#[derive(Clone)]
pub(super) enum Origin {
    /// As the initial state of this language.
    Start(Language),
    /// By a line of this shape.
    After {
        /// The number of the state before the line.
        state: usize,
        shape: Box<str>,
    },
}

/// A table without parser states, which cannot move to another thread and are rebuilt from their origins.
pub(super) struct Learned {
    pub(super) states: Vec<(Origin, Shapes)>,
    pub(super) bytes: usize,
}

/// The shapes of the lines read in a state.
// The standard hasher, as lines of a hostile log could collide in a simpler one.
pub(super) type Shapes = HashMap<Box<str>, Seen>;

impl Table {
    /// Between pages, state numbers are unused, so the states may be dropped.
    pub(super) fn start_page(&mut self) {
        if self.states.len() > MOST_STATES / 2 {
            *self = Self::default();
        }
    }

    /// The number of a state; None if there are too many.
    pub(super) fn number_of(&mut self, state: &State, origin: impl FnOnce() -> Origin) -> Place {
        let known = self.states.iter().position(|known| known.state == *state);
        if known.is_none() && self.states.len() < MOST_STATES {
            self.states.push(Known { state: state.clone(), origin: origin(), shapes: Shapes::new() });
            return Some(self.states.len() - 1);
        }
        known
    }

    /// Adds a state from another table.
    pub(super) fn learn(&mut self, state: State, (origin, shapes): (Origin, Shapes)) {
        self.states.push(Known { state, origin, shapes });
    }

    /// The part that can move to another worker.
    pub(super) fn into_learned(self) -> Learned {
        let states = self.states.into_iter().map(|known| (known.origin, known.shapes)).collect();
        Learned { states, bytes: self.bytes }
    }

    pub(super) fn state(&self, number: usize) -> Option<&State> {
        self.states.get(number).map(|known| &known.state)
    }

    pub(super) fn get(&self, from: usize, shape: &str) -> Option<&Seen> {
        self.states.get(from)?.shapes.get(shape)
    }

    pub(super) fn insert(&mut self, from: usize, shape: &str, seen: Seen) {
        let bytes = shape.len() + size_of_val(&*seen.tokens) + ENTRY_BYTES;
        if self.bytes + bytes > TABLE_BYTES {
            self.states.iter_mut().for_each(|known| known.shapes = Shapes::new());
            self.bytes = 0;
        }
        if let Some(known) = self.states.get_mut(from) {
            known.shapes.insert(shape.into(), seen);
            self.bytes += bytes;
        }
    }
}

/// A token, as a range of the line's shape.
pub(super) struct Token {
    pub(super) class: Option<Class>,
    pub(super) bytes: usize,
}
