//! How symbolic expressions were made. All are remembered while the log is read, so that the few whose value export needed
//! can be shown with all their parts.

use super::Event;
use super::stacks::Texts;
use crate::model::{Argument, Expression, ExpressionPart, Fields, Stack};
use crate::trace::TextMap;
use fxhash::FxHashMap;
use std::sync::Arc;

/// How many expressions are remembered. A trace of a large model has some ten thousand; at about 150 bytes each, this many
/// stay below 40 MB.
const MOST_REMEMBERED: usize = 1 << 18;

/// How many parts of one expression the model keeps: more than anybody would read.
const MOST_PARTS: usize = 400;

/// How many parts of all expressions together the model keeps.
const MOST_KEPT: usize = 1 << 16;

/// How many frames of torch's stacks are remembered, at about 40 bytes each. One trace has some thousand.
const MOST_FRAMES: usize = 1 << 20;

/// How many arguments of an expression are kept; real ones have one or two.
const MOST_ARGUMENTS: usize = 64;

/// How many characters of its text a part keeps; the table on the page of the compile has all of it.
const LONGEST_TEXT: usize = 1_000;

/// The expressions of the log so far. An id is the address of a Python object and is reused for other objects, so an
/// argument means the latest expression with that id.
#[derive(Default)]
pub(super) struct Expressions {
    made: Vec<Made>,
    by_id: TextMap<i64, usize>,
    kept: usize,
    /// Frames of torch's stacks so far.
    frames: usize,
}

struct Made {
    text: Arc<str>,
    method: Arc<str>,
    arguments: Vec<Arc<str>>,
    /// The expression that an argument refers to, if the log has defined it.
    parts: Vec<Option<usize>>,
    /// Ids of arguments that the log had not defined.
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
            // From now on, the id belongs to another object.
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

    /// The expression whose id an event names, with all its parts; None if the log does not say how it was made.
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

    /// The parts of `root`, each once, at most `room` of them.
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

    /// The arguments, including those that the log defines only after the expression that uses them.
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
