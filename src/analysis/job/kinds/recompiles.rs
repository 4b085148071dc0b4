//! A recompilation that not all ranks have.

use crate::analysis::classify;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::names::short;
use crate::analysis::job::sides::{Sides, does_not, verb};
use crate::model::sentence::{code, compile_id, sentence, value};
use crate::model::{Fact, FactValue, Sentence};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::Recompiles, "recompiles_differ", "Recompiles");

const ADVICE: &str = "While one rank compiles, the others wait in their next collective, up to the timeout (10 minutes for NCCL). Check that all ranks get inputs of the same sizes and types, or mark the size as dynamic with torch._dynamo.mark_dynamic.";

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    sides.finding(&KIND, Severity::Warning, title(sides)).with_advice(ADVICE)
}

fn title(sides: &Sides<'_>) -> Sentence {
    let Some(extra) = sides.extra() else { return sides.plainly("recompiles", "recompile") };
    let Some(FactValue::Recompiled { function, guards }) = extra.step.value else {
        return sides.plainly("recompiles", "recompile");
    };
    let texts = sides.texts();
    let changed = |guards| changed(texts.list(guards).first().map_or("", |guard| texts.get(*guard)));
    let name = NamedFunction::of(texts, extra.step.graph, function).words();
    let id = sides.id(Some(extra.step)).map(|id| sentence![" as ", compile_id(id)]);
    let rival = if extra.doing.ranks == sides.other.ranks { sides.mine } else { sides.theirs };
    let lacking = sides.who(extra.lacking);
    let tail = match rival.and_then(|step| step.value) {
        Some(FactValue::Recompiled { function: same, guards: others }) if same == function => {
            sentence![changed(guards), " there, ", changed(others), " on ", lacking]
        }
        _ => sentence![changed(guards), "; ", lacking, does_not(extra.lacking)],
    };
    let recompiles = verb(extra.doing, " recompiles ", " recompile ");
    sentence![sides.who(extra.doing), recompiles, name, id, ": ", tail]
}

/// What a failed guard says has changed: `x.shape[0] is 12, was 16`.
fn changed(guard: &str) -> Sentence {
    let change = classify(guard);
    match (change.subject(), change.old, change.new) {
        (Some(what), Some(old), Some(new)) => sentence![code(what), " is ", value(new), ", was ", value(old)],
        (Some(what), Some(old), None) => sentence![code(what), " is no longer ", value(old)],
        _ => sentence![code(short(guard)), " fails"],
    }
}
