//! What compiled code changes outside of itself.

use super::{Event, Flow, RankContext};
use crate::model::{CompileIndex, Form, SideEffect, traceback};

/// How many side effects of one compile are read.
const MOST: usize = 256;

/// How many innermost frames of a side effect are kept: the line that changes the object, and what it calls to do so, such
/// as `Module.__setattr__`.
const FRAMES: usize = 6;

/// `dynamo_side_effects`: objects that exist before the call and are changed by it.
pub(super) fn parse_side_effects(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let json = event.fields().text("encoding").is_some_and(|encoding| encoding == "json");
    cx.artifact_of_payload(event, "dynamo_side_effects", if json { Form::Json } else { Form::Text });
    let text = event.payload_text().unwrap_or_default();
    let compile = cx.compile;
    let effects = text.split("\n========================================\n").take(MOST);
    for block in effects {
        cx.model().side_effects.extend(compile.and_then(|compile| side_effect(compile, block)));
    }
    Ok(Flow::Handled)
}

/// `Mutating object of type Counter (source name: L['self'])` with a traceback below. Objects that the compiled code
/// makes itself have no source; nothing guards on them.
fn side_effect(compile: CompileIndex, block: &str) -> Option<SideEffect> {
    let block = block.trim_start();
    let rest = block.strip_prefix("Mutating object of type ")?;
    let (_, rest) = rest.split_once(" (source name: ")?;
    let source = rest.lines().next()?.trim_end().strip_suffix(')')?;
    let mut frames = traceback(block);
    frames.drain(..frames.len().saturating_sub(FRAMES));
    Some(SideEffect { compile, source: source.to_owned(), frames })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_names_the_object_and_the_lines_that_change_it() {
        // 25_guards, 29/0, shortened
        let block = "Mutating object of type Counter (source name: L['self'])\n\n      \
                     File \"/app/s25_guards.py\", line 27, in forward\n        self.step += 1\n        ^^^^^^^^^\n      \
                     File \"/venv/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 2083, in \
                     __setattr__\n        super().__setattr__(name, value)\n";
        let effect = side_effect(CompileIndex::new(3), block).unwrap();
        assert_eq!(effect.source, "L['self']");
        assert_eq!(effect.frames.len(), 2);
        assert_eq!(effect.frames[0].loc.as_deref(), Some("self.step += 1"));
    }

    #[test]
    fn objects_that_the_code_makes_itself_are_left_out() {
        let block = "Mutating object of type Output (source: created in torch.compile region)\n";
        assert!(side_effect(CompileIndex::default(), block).is_none());
    }
}
