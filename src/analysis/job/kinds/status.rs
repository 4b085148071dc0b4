//! Compiles that end differently, or capture another number of operations.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::sides::Sides;
use crate::model::sentence::{sentence, value};
use crate::model::{Fact, Sentence};

static STATUS: KindOfFinding = KindOfFinding::difference(Fact::Status, "status_differs", "Status");

static OPERATIONS: KindOfFinding = KindOfFinding::difference(Fact::Ops, "ops_differ", "Graphs");

pub(super) fn status(sides: &Sides<'_>) -> Finding {
    sides
        .diverging(&STATUS, Severity::Warning, of_compile(sides, "ends as"))
        .with_detail("`missing` means that the process stopped during the compile.")
}

pub(super) fn operations(sides: &Sides<'_>) -> Finding {
    sides.diverging(&OPERATIONS, Severity::Warning, of_compile(sides, "captures so many operations:"))
}

/// `0/0 (f) ends as missing on rank 1, ok on rank 0`
fn of_compile(sides: &Sides<'_>, verb: &'static str) -> Sentence {
    let compile = sides.compile(sides.theirs.or(sides.mine));
    let side = |group, step| {
        let what = sides.text(step).map_or_else(|| "nothing".into(), |text| Sentence::from(value(text)));
        sentence![what, " on ", sides.who(group)]
    };
    let (theirs, mine) = (side(sides.other, sides.theirs), side(sides.most, sides.mine));
    sentence![compile, " ", verb, " ", theirs, ", ", mine]
}
