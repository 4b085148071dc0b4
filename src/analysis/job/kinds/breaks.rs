//! A graph break that not all ranks have.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::short;
use crate::analysis::job::sides::{Sides, does_not, verb};
use crate::model::sentence::{code, compile_id, own, quoted, sentence};
use crate::model::{Fact, FactValue, Part};

static KIND: KindOfFinding =
    KindOfFinding::difference(Fact::GraphBreaks, "graph_breaks_differ", "Graph breaks");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let Some(extra) = sides.extra() else {
        return sides.diverging(&KIND, Severity::Warning, sides.plainly("breaks at", "break at"));
    };
    let texts = sides.texts();
    let Some(FactValue::Break { place, reason, times }) = extra.step.value else {
        return sides.diverging(&KIND, Severity::Warning, sides.plainly("breaks at", "break at"));
    };
    let times = (times > 1).then(|| own(format!(" ({times} times)")));
    let id = sides.id(Some(extra.step)).map(|id| sentence![" in ", compile_id(id)]);
    let at = match place {
        Some(place) => Part::Place {
            file: texts.get(place.file).to_owned(),
            line: place.line.and_then(|line| u64::try_from(line).ok()),
        },
        None => code("an unknown place"),
    };
    let title = sentence![
        sides.who(extra.doing),
        verb(extra.doing, " breaks its graph at ", " break their graph at "),
        at,
        id,
        ", ",
        sides.who(extra.lacking),
        does_not(extra.lacking),
        ": ",
        quoted(short(texts.get(reason))),
        times,
    ];
    let mut finding = sides.diverging(&KIND, Severity::Warning, title);
    sides.place(&mut finding, place);
    finding
}
