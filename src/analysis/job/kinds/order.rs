//! Graphs that run in another order.

use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, function_words};
use crate::model::{Fact, FactValue, FunctionFact, Step};

const KIND: JobKind = JobKind::difference(Fact::ExecOrder, "exec_order_differs", "Order");

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let side = |group: &Group, step: Option<Step>| match step.and_then(|step| step.value) {
        Some(FactValue::Executed { id, function }) => {
            let function = FunctionFact { name: function, place: None };
            let name = function_words(function.name_or_unknown(sides.texts()));
            format!("{name} ({}) on {}", sides.texts().get(id), sides.who(group))
        }
        _ => format!("none on {}", sides.who(group)),
    };
    let title = format!(
        "graph {} to run is {}, {}",
        sides.first.index + 1,
        side(sides.other, sides.theirs),
        side(sides.most, sides.mine)
    );
    sides.diverging(KIND, title)
}
