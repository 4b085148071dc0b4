//! What a highlighter remembers: the states of the parser, and for each the shapes of lines that it read.

use crate::model::Language;
use crate::report::kit::highlight_classes::Class;
use std::collections::HashMap;
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

/// How many bytes the remembered shapes of one worker may take; recorded logs with 10 MB of code need 2 MB.
pub(super) const TABLE_BYTES: usize = 8 << 20;

/// How many bytes the table itself takes for one shape, roughly: two boxes, their lengths, the next state, a slot of the map.
const ENTRY_BYTES: usize = 80;

/// How many states of the parser are kept. Recorded logs need 18; code that needs more than this loses its colors.
pub(super) const MOST_STATES: usize = 256;

/// The state of the parser between two lines, as its number in the table; None if the rest of the text is not parsed.
pub(super) type Place = Option<usize>;

/// What the parser knows between two lines.
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

/// What a line of some shape is.
pub(super) struct Seen {
    pub(super) tokens: Box<[Token]>,
    /// The state after it.
    pub(super) next: Place,
}

/// How a state was come by, the first time.
#[derive(Clone)]
pub(super) enum Origin {
    /// A text of this language begins in it.
    Start(Language),
    /// A line of this shape leads to it.
    After {
        /// The number of the state before the line.
        state: usize,
        /// The shape.
        shape: Box<str>,
    },
}

/// What a table knows without the states of the parser, which cannot be given to another thread: they are made again from
/// where they come from.
pub(super) struct Learned {
    pub(super) states: Vec<(Origin, Shapes)>,
    pub(super) bytes: usize,
}

/// The shapes of the lines read in a state.
// The standard hasher: the lines are the log's, and could be chosen to collide in a simpler one.
pub(super) type Shapes = HashMap<Box<str>, Seen>;

impl Table {
    /// Between pages nobody holds the number of a state, so the states may be forgotten.
    pub(super) fn start_page(&mut self) {
        if self.states.len() > MOST_STATES / 2 {
            *self = Self::default();
        }
    }

    /// The number of a state; none when there are too many.
    pub(super) fn number_of(&mut self, state: &State, origin: impl FnOnce() -> Origin) -> Place {
        let known = self.states.iter().position(|known| known.state == *state);
        if known.is_none() && self.states.len() < MOST_STATES {
            self.states.push(Known { state: state.clone(), origin: origin(), shapes: Shapes::new() });
            return Some(self.states.len() - 1);
        }
        known
    }

    /// Adds a state that another table knew.
    pub(super) fn learn(&mut self, state: State, (origin, shapes): (Origin, Shapes)) {
        self.states.push(Known { state, origin, shapes });
    }

    /// What can be given away.
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

/// A part of a line, in bytes of the line's shape.
pub(super) struct Token {
    pub(super) class: Option<Class>,
    pub(super) bytes: usize,
}
