//! Graphs that run in another order.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::sides::Sides;
use crate::model::{Fact, FactValue, Step};

const KIND: JobKind = JobKind::difference(Fact::ExecOrder, "exec_order_differs", "Order");

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let side = |group: &Group, step: Option<Step>| match step.and_then(|step| step.value) {
        Some(FactValue::Executed(graph)) => {
            let name = NamedFunction::of_graph(sides.texts(), Some(graph));
            let name = name.map_or_else(|| "an unknown function".to_owned(), |name| name.words());
            format!("{name} ({}) on {}", sides.id_or_dash(step), sides.who(group))
        }
        _ => format!("none on {}", sides.who(group)),
    };
    let title = format!(
        "graph {} to run is {}, {}",
        sides.first.index + 1,
        side(sides.other, sides.theirs),
        side(sides.most, sides.mine)
    );
    sides.diverging(KIND, Severity::Info, title)
}
