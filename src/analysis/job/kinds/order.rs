//! Graphs that run in another order.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::sides::Sides;
use crate::model::sentence::sentence;
use crate::model::{Fact, FactValue, Step};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::ExecOrder, "exec_order_differs", "Order");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let side = |group: &Group, step: Option<Step>| match step.and_then(|step| step.value) {
        Some(FactValue::Executed(graph)) => {
            let name = NamedFunction::of_graph(sides.texts(), Some(graph));
            let name = name.map_or_else(|| "an unknown function".into(), |name| name.words());
            sentence![name, " (", sides.id_or_dash(step), ") on ", sides.who(group)]
        }
        _ => sentence!["none on ", sides.who(group)],
    };
    let (theirs, mine) = (side(sides.other, sides.theirs), side(sides.most, sides.mine));
    let title = sentence!["graph ", sides.first.index + 1, " to run is ", theirs, ", ", mine];
    sides.diverging(&KIND, Severity::Info, title)
}
