//! Distinct graph breaks: what could not be traced, where, and what to do.

use crate::model::{Compile, GraphBreak};
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{counted, whole};
use crate::report::{Html, graph_breaks};
use serde::Serialize;
use std::io::Write;

/// Breaks that get an entry with all that torch says about them; the rest stand in a table. A reader fixes the first
/// few, and an entry takes 2 KB.
const ENTRIES: usize = 20;

/// Breaks in that table; what is beyond stands in report.json.
const LISTED: usize = 1_000;

/// Compiles that an entry shows by id.
pub(super) const SHOWN: usize = 8;

#[derive(Serialize)]
struct Entry {
    id: String,
    open: bool,
    reason: Html,
    place: Html,
    context: Html,
    pills: Html,
    count: String,
    explanation: Html,
    facts: Html,
}

pub(super) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let breaks = &view.report.model.graph_breaks;
    if breaks.is_empty() {
        return Ok(());
    }
    let mut order: Vec<(usize, &GraphBreak)> = breaks.iter().enumerate().collect();
    order.sort_by_key(|(_, b)| std::cmp::Reverse(b.count));
    let note = "one entry a reason and place, most frequent first";
    let tools = view.fold_button("breaks-list");
    view.open_section(out, ("breaks", "Graph breaks", note), Some(whole(breaks.len())), tools)?;
    writeln!(out, "<div class=\"box\" id=\"breaks-list\">")?;
    for (position, (index, one)) in order.iter().take(ENTRIES).enumerate() {
        writeln!(out, "{}", entry(view, *index, one, position == 0)?.as_str())?;
    }
    writeln!(out, "</div>")?;
    if let Some(rest) = order.get(ENTRIES..).filter(|rest| !rest.is_empty()) {
        table(view, out, rest)?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

fn entry(view: View<'_>, index: usize, one: &GraphBreak, open: bool) -> anyhow::Result<Html> {
    let compiles: Vec<&Compile> =
        one.compiles.iter().filter_map(|id| view.report.model.compile(id.as_ref())).collect();
    let mut facts = vec![("Hit by", view.some_pills(&compiles, 40)?)];
    if !one.hints.is_empty() {
        facts.push(("What to do", Html::joined(one.hints.iter().map(|h| view.prose(h)), "<br>")));
    }
    if let Some(url) = &one.url {
        let text = match &one.gb_id {
            Some(id) => format!("{id} in the graph break catalogue"),
            None => "the graph break catalogue".to_owned(),
        };
        facts.push(("Read more", view.log_link(&text, url)));
    }
    facts.push(("In full", graph_breaks::link(view, one, "traceback and cost")));
    let entry = Entry {
        id: format!("break-{}", index + 1),
        open,
        reason: view.prose(&one.reason),
        place: view.place(one.file.as_deref(), one.line)?,
        context: one.context.as_deref().map_or_else(Html::default, |c| view.prose(c)),
        pills: view.plain_pills(&compiles, SHOWN)?,
        count: counted(one.count, "time", "times"),
        explanation: one.explanation.as_deref().map_or_else(Html::default, |e| view.prose(e)),
        facts: view.facts(facts)?,
    };
    view.render("graph_break", &entry)
}

fn table(view: View<'_>, out: &mut dyn Write, rest: &[(usize, &GraphBreak)]) -> anyhow::Result<()> {
    let heads =
        vec![Head::text("Reason"), Head::text("Place"), Head::number("Times"), Head::unsorted("Compiles")];
    let table = Table { id: "breaks-table", label: "Further graph breaks", heads };
    let rows = rest.iter().take(LISTED).map(|(index, one)| {
        let compiles: Vec<&Compile> =
            one.compiles.iter().filter_map(|id| view.report.model.compile(id.as_ref())).collect();
        let cells = vec![
            Td::html(view.folded(&one.reason, false)),
            Td::html(view.place(one.file.as_deref(), one.line)?),
            Td::number(one.count as f64, &whole(one.count)),
            Td::html(view.some_pills(&compiles, SHOWN)?),
        ];
        Ok(Row::of(cells).anchored(format!("break-{}", index + 1)))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, rest.len(), LISTED, "graph breaks")
}
