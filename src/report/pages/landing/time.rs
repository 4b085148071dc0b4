//! Where the time went, in short: the phases that took most, with a link to the chart.

use crate::limits::IN_ROW;
use crate::report::kit::prelude::*;
use crate::report::pages::landing::{chart, parts, slow};
use crate::report::words::phases::phase_meaning;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = &view.report.found.time;
    if found.phases.is_empty() {
        return Ok(());
    }
    let has_page = view.report.times_phases();
    let tools = match has_page {
        true => span("tools", view.link(links::TIME, "Flame chart and all tables")),
        false => Html::default(),
    };
    let title = if slow::comes_first(view.report) { "Where the time went" } else { "Time" };
    let about = "by part of the compiler, then the phases with the most time of their own";
    view.open_section(out, ("time", title, about), Some(micros(found.total_s * 1e6)), tools)?;
    parts::table(view, out)?;
    chart::write(view, out)?;
    let columns = vec![
        TableColumn::text("Phase"),
        TableColumn::number("Self").about("without the phases in it"),
        TableColumn::number("Share"),
        TableColumn::number("Total").about("what its spans cover"),
        TableColumn::number("Times"),
        TableColumn::text("What happens in it").soft(),
    ];
    let table = Table { id: "time-table", label: "Phases with the most time of their own", columns };
    let rows = found.phases.iter().take(IN_ROW).map(|phase| {
        Row::of(vec![
            TableCell::html(view.code(&phase.name)),
            TableCell::number(phase.self_s, &micros(phase.self_s * 1e6)),
            TableCell::number(phase.self_s, &percent(phase.self_s, found.total_s, false)),
            TableCell::number(phase.total_s, &micros(phase.total_s * 1e6)),
            TableCell::count(phase.count),
            TableCell::text(phase_meaning(&phase.name)),
        ])
    });
    view.table(out, &table, rows)?;
    let more = found.phases.len().saturating_sub(IN_ROW);
    if !has_page {
        let words = "This log has no chromium events, which time each phase, so there is no chart: these are sums of \
                     the times in the metrics of the compiles.";
        note_below(out, words)?;
    } else if more > 0 {
        let link = view.link(&format!("{}#phases", links::TIME), &format!("{} further phases", whole(more)));
        note_below(out, link)?;
    }
    Ok(close_section(out)?)
}
