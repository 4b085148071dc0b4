//! Settings of the compiler that differ.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::sides::Sides;
use crate::model::Fact;

static KIND: KindOfFinding = KindOfFinding::difference(Fact::Config, "config_differs", "Settings");

const ADVICE: &str = "Settings change what is generated, so they may be the cause of other differences. Set the same environment variables and torch._dynamo / torch._inductor options on each rank.";

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    sides.finding(&KIND, Severity::Warning, sides.plainly("runs with", "run with")).with_advice(ADVICE)
}
