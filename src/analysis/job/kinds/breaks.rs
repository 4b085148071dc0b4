//! A graph break that not all ranks have.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::short;
use crate::analysis::job::sides::{Sides, does_not, verb};
use crate::analysis::job::words::how_often;
use crate::facts::ranks::{Aspect, FactValue, Step};
use crate::model::SentencePart;
use crate::model::sentence::{code, compile_id, own, quoted, sentence};

/// None for a break in a compile that failed on these ranks: the finding about the failure tells it.
pub(super) fn difference(sides: &Sides<'_>) -> Option<Finding> {
    let has_failed = sides.extra().is_some_and(|extra| {
        let rank = extra.doing.ranks.first().and_then(|rank| sides.job.ranks.get(*rank));
        let failures = rank.map_or(&[][..], |rank| rank.steps(Aspect::Failures));
        failures.iter().any(|step| step.compile == extra.step.compile)
    });
    (!has_failed).then(|| finding(sides))
}

fn finding(sides: &Sides<'_>) -> Finding {
    let of = |title| sides.diverging(KindOfFinding::GraphBreaksDiffer, Severity::Warning, title);
    let extra = sides.extra().and_then(|extra| Some((extra.step.value?, extra)));
    let Some((FactValue::Break { place, reason, times }, extra)) = extra else {
        return of(sides.plainly("breaks at", "break at"));
    };
    let texts = sides.texts();
    let at = match place {
        Some(place) => SentencePart::Place {
            file: texts.get(place.file).to_owned(),
            line: place.line.and_then(|line| u64::try_from(line).ok()),
        },
        None => code("an unknown place"),
    };
    // The other side may have the same break, in another number of compiles.
    let times_there = |step: &Step| match step.value {
        Some(FactValue::Break { place: other, reason: why, times }) if (other, why) == (place, reason) => {
            Some(times)
        }
        _ => None,
    };
    let there = extra.lacking.steps.iter().find_map(times_there);
    let in_compile = sides.id(Some(extra.step)).map(|id| sentence![" in ", compile_id(id)]);
    let (here, there) = match there {
        Some(there) => (sentence![" ", own(how_often(times))], format!(" {}", how_often(there))),
        None => {
            let here = (times > 1).then(|| own(format!(" ({})", how_often(times))));
            (sentence![in_compile, here], does_not(extra.lacking).to_owned())
        }
    };
    let title = sentence![
        sides.who(extra.doing),
        verb(extra.doing, " breaks its graph at ", " break their graph at "),
        at,
        here,
        ", ",
        sides.who(extra.lacking),
        own(there),
        ": ",
        quoted(short(texts.get(extra.step.note.unwrap_or(reason)))),
    ];
    let mut finding = of(title);
    sides.place(&mut finding, place);
    finding
}
