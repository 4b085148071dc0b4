//! How symbolic expressions came about: remembered while the log is read, so that the few that export had to decide
//! can be told with all their parts.

use super::Event;
use super::stacks::Texts;
use crate::model::{Argument, Expression, ExpressionPart, Fields, Stack};
use fxhash::FxHashMap;
use std::sync::Arc;

/// Expressions that are remembered; a trace of a large model has some ten thousand. At about 150 bytes each they stay
/// below 40 MB.
const MOST_REMEMBERED: usize = 1 << 18;

/// Parts of one expression that the model keeps: more than anybody follows.
const MOST_PARTS: usize = 400;

/// Parts of all expressions together that the model keeps.
const MOST_KEPT: usize = 1 << 16;

/// Frames of torch's stacks that are remembered, at about 40 bytes each: one trace has some thousand.
const MOST_FRAMES: usize = 1 << 20;

/// Arguments of an expression that are kept; recorded ones have one or two.
const MOST_ARGUMENTS: usize = 64;

/// Characters of an expression's text that a part keeps; the table of the compile has all of it.
const LONGEST_TEXT: usize = 1_000;

/// The expressions of the log so far. An id is the address of an object and is used again for another one, so an
/// argument is the last expression of that id before it.
#[derive(Default)]
pub(super) struct Expressions {
    made: Vec<Made>,
    by_id: FxHashMap<i64, usize>,
    kept: usize,
    /// Frames of torch's stacks so far.
    frames: usize,
}

struct Made {
    text: Arc<str>,
    method: Arc<str>,
    arguments: Vec<Arc<str>>,
    /// The expression that an argument is, where it was made before.
    parts: Vec<Option<usize>>,
    /// Ids of arguments that were not made before.
    pending: Vec<i64>,
    user_stack: Option<Stack>,
    stack: Option<Stack>,
}

/// The stacks of an expression: the user's frames, and all frames.
pub(super) struct Stacks {
    pub(super) user: Option<Stack>,
    pub(super) all: Option<Stack>,
}

impl Expressions {
    /// Remembers an `expression_created`.
    pub(super) fn remember(&mut self, fields: &Fields<'_>, stacks: Stacks, texts: &mut Texts) {
        let id = fields.get::<i64>("result_id");
        if self.made.len() >= MOST_REMEMBERED {
            // The id is another object's from now on.
            id.map(|id| self.by_id.remove(&id));
            return;
        }
        let mut text = |raw: &serde_json::value::RawValue| {
            let text: String = serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned());
            let end = text.char_indices().nth(LONGEST_TEXT).map_or(text.len(), |(at, _)| at);
            texts.text(text.get(..end).unwrap_or_default())
        };
        let listed: Vec<&serde_json::value::RawValue> = fields.get("arguments").unwrap_or_default();
        let arguments: Vec<Arc<str>> = listed.into_iter().take(MOST_ARGUMENTS).map(&mut text).collect();
        let ids: Vec<serde_json::Value> = fields.get("argument_ids").unwrap_or_default();
        let mut made = Made {
            text: fields.raw("result").map(&mut text).unwrap_or_else(|| "?".into()),
            method: fields.raw("method").map(&mut text).unwrap_or_else(|| "?".into()),
            parts: vec![None; arguments.len()],
            arguments,
            pending: Vec::new(),
            user_stack: stacks.user,
            stack: stacks.all.filter(|stack| self.has_room_for(stack)),
        };
        for id in ids.iter().take(MOST_ARGUMENTS).filter_map(serde_json::Value::as_i64) {
            match self.by_id.get(&id) {
                Some(&part) => self.assign(&made.arguments, &mut made.parts, part),
                None => made.pending.push(id),
            }
        }
        if let Some(id) = id {
            self.by_id.insert(id, self.made.len());
        }
        self.made.push(made);
    }

    /// Whether the frames of one more stack are kept. Those that torch records here have three frames.
    fn has_room_for(&mut self, stack: &Stack) -> bool {
        self.frames += stack.len();
        self.frames <= MOST_FRAMES
    }

    /// The expression whose id an event names, with all its parts; None where the log does not tell how it was made.
    pub(super) fn recall(&mut self, id: i64) -> Option<Expression> {
        let root = *self.by_id.get(&id)?;
        let room = MOST_PARTS.min(MOST_KEPT.saturating_sub(self.kept));
        let expression = self.expression(root, room);
        self.kept += expression.parts.len();
        Some(expression)
    }

    /// Constants have no id, so ids are matched to arguments by their text.
    fn assign(&self, arguments: &[Arc<str>], parts: &mut [Option<usize>], part: usize) {
        let Some(known) = self.made.get(part) else { return };
        let mut slots = arguments.iter().zip(parts);
        if let Some((_, slot)) = slots.find(|(text, slot)| slot.is_none() && **text == known.text) {
            *slot = Some(part);
        }
    }

    /// The parts of `root`, each once, `room` at most.
    fn expression(&self, root: usize, room: usize) -> Expression {
        let mut order = vec![root];
        let mut places = FxHashMap::from_iter([(root, 0)]);
        let mut expression = Expression { parts: Vec::new(), cut: room == 0 };
        let mut at = 0;
        while let Some(made) = order.get(at).and_then(|&index| self.made.get(index)).filter(|_| at < room) {
            at += 1;
            let arguments = made.arguments.iter().zip(self.parts_of(made)).map(|(text, part)| {
                let Some(part) = part else { return Argument::Leaf(text.clone()) };
                if let Some(&place) = places.get(&part) {
                    return Argument::Part(place);
                }
                if order.len() >= room {
                    expression.cut = true;
                    return Argument::Leaf(text.clone());
                }
                places.insert(part, order.len());
                order.push(part);
                Argument::Part(order.len() - 1)
            });
            let part = ExpressionPart {
                text: made.text.clone(),
                method: made.method.clone(),
                arguments: arguments.collect(),
                user_stack: made.user_stack.clone(),
                stack: made.stack.clone(),
            };
            expression.parts.push(part);
        }
        expression
    }

    /// What the arguments are; also those that the log tells only after the expression that they went into.
    fn parts_of(&self, made: &Made) -> Vec<Option<usize>> {
        let mut parts = made.parts.clone();
        for part in made.pending.iter().filter_map(|id| self.by_id.get(id)) {
            self.assign(&made.arguments, &mut parts, *part);
        }
        parts
    }
}

/// The id of the expression that an event is about.
pub(super) fn decided(event: &Event<'_>) -> Option<i64> {
    let fields = event.fields();
    fields.get("expr_node_id").or_else(|| fields.get("expr_id"))
}
