//! A graph break that not all ranks have.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::sides::{Sides, does_not, short, verb};
use crate::model::{CodePlace, Fact, FactValue, Texts};

const KIND: JobKind = JobKind::difference(Fact::GraphBreaks, "graph_breaks_differ", "Graph breaks");

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let Some(extra) = sides.extra() else {
        return sides.diverging(KIND, Severity::Warning, sides.plainly("breaks at"));
    };
    let texts = sides.texts();
    let Some(FactValue::Break { place, reason, times }) = extra.step.value else {
        return sides.diverging(KIND, Severity::Warning, sides.plainly("breaks at"));
    };
    let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
    let id = sides.id(Some(extra.step)).map(|id| format!(" in {id}")).unwrap_or_default();
    let title = format!(
        "{} {} at `{}`{id}, {} {}: {}",
        sides.who(extra.doing),
        verb(extra.doing, "breaks its graph", "break their graph"),
        place.map_or_else(|| "an unknown place".to_owned(), |place| file_name(texts, place)),
        sides.who(extra.lacking),
        does_not(extra.lacking),
        short(&format!("{}{times}", texts.get(reason))),
    );
    let mut finding = sides.diverging(KIND, Severity::Warning, title);
    sides.place(&mut finding, place);
    finding
}

/// `x.py:28` of `/app/x.py:28`.
fn file_name(texts: &Texts, place: CodePlace) -> String {
    let text = place.text(texts);
    text.rsplit(['/', '\\']).next().unwrap_or(&text).to_owned()
}
