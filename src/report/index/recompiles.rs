//! Recompilations: which guard of which earlier compile failed.

use crate::model::{Reason, ReasonSource, Recompile};
use crate::report::Html;
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{UNKNOWN, counted, short_path, whole};
use crate::trace::CompileId;
use std::io::Write;

/// Recompilations on the landing page; what is beyond stands in report.json.
const LISTED: usize = 500;

/// Earlier compiles that a row names.
const SHOWN: usize = 4;

/// Guards of older compiles in a row; the limit of recompilations is 8 unless it is set otherwise.
const FURTHER: usize = 16;

pub(super) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let recompiles = &view.report.model.recompiles;
    if recompiles.is_empty() {
        return Ok(());
    }
    let note = "each compiled once more because a guard of every earlier compile failed";
    view.open_section(
        out,
        ("recompiles", "Recompilations", note),
        Some(whole(recompiles.len())),
        Html::default(),
    )?;
    let no = |known: fn(&Reason) -> bool| !recompiles.iter().flat_map(|one| &one.reasons).any(known);
    let heads = vec![
        Head::text("Function"),
        Head::compiles("Compile"),
        Head::unsorted("Against").about("the earlier compiles whose guards failed, latest first"),
        Head::text("Failed guard"),
        Head::text("Source of the guard").absent_if(no(|r| r.source.is_some())),
        Head::text("Hint").absent_if(no(|r| r.hint.is_some())),
    ];
    let table = Table { id: "recompiles-table", label: "Recompilations", heads };
    view.table(out, &table, recompiles.iter().take(LISTED).map(|one| row(view, one)))?;
    view.beyond(out, recompiles.len(), LISTED, "recompilations")?;
    if crate::report::recompilations::tab(view.report).is_some() {
        let link = view.link(&view.href_of("recompilations.html"), "What changed each time, and what to do");
        writeln!(out, "<p class=\"after\">{}</p>", link.as_str())?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

fn row(view: View<'_>, one: &Recompile) -> anyhow::Result<Row> {
    let model = view.report.model;
    let order = model.by_id.get(&one.compile).copied().unwrap_or_default();
    let function = model.compile(one.compile.as_ref()).and_then(|c| c.function.as_ref());
    let unknown = || Html::escaped(UNKNOWN);
    let against = one.reasons.iter().filter_map(|reason| reason.against.as_deref());
    let against = against.take(SHOWN).map(|id| against_pill(view, id)).collect::<anyhow::Result<Vec<_>>>()?;
    let against = Html::wrapped("<span class=\"pills\">", &Html::joined(against, ""), "</span>");
    let first = one.reasons.first();
    let guard = first.map_or_else(|| Html::escaped("no reason recorded"), |reason| guard(view, reason));
    let further = further(view, one.reasons.get(1..).unwrap_or_default());
    let source = one.reasons.iter().find_map(|reason| reason.source.as_ref());
    let hint = one.reasons.iter().find_map(|reason| reason.hint.as_deref());
    Ok(Row::of(vec![
        Td::html(function.map_or_else(unknown, |f| view.function(&f.name))),
        Td::html(view.pill_of(one.compile.as_ref())?).sorted(order),
        Td::html(against),
        Td::html(Html::joined([guard, further], "")),
        Td::html(source.map_or_else(unknown, |source| source_cell(view, source))),
        Td::html(hint.map_or_else(unknown, |h| view.folded(h, false))),
    ]))
}

fn against_pill(view: View<'_>, id: &str) -> anyhow::Result<Html> {
    match CompileId::parse(id) {
        Some(id) => view.pill_of(Some(&id)),
        None => Ok(view.code(id)),
    }
}

fn guard(view: View<'_>, reason: &Reason) -> Html {
    match (reason.guard.is_empty(), reason.text.is_empty()) {
        (false, _) => view.folded(&reason.guard, true),
        (true, false) => view.folded(&reason.text, false),
        (true, true) => Html::escaped("no reason recorded"),
    }
}

/// The guards of older compiles that failed too, folded.
fn further(view: View<'_>, reasons: &[Reason]) -> Html {
    if reasons.is_empty() {
        return Html::default();
    }
    let lines = reasons.iter().take(FURTHER).map(|reason| {
        let id = Html::escaped(reason.against.as_deref().unwrap_or(UNKNOWN));
        let id = Html::wrapped("<span class=\"soft mono\">", &id, "</span> ");
        Html::wrapped("<li>", &Html::joined([id, guard(view, reason)], ""), "</li>")
    });
    let lines = Html::joined(lines, "");
    let count = Html::escaped(&format!("{} of older compiles", counted(reasons.len(), "more", "more")));
    let head = Html::wrapped("<summary class=\"tw\">", &count, "</summary>");
    let list = Html::wrapped("<ul>", &lines, "</ul>");
    Html::wrapped("<details class=\"fold\">", &Html::joined([head, list], ""), "</details>")
}

fn source_cell(view: View<'_>, source: &ReasonSource) -> Html {
    let place = format!("{}:{} in {}", short_path(&source.file), source.line, source.function);
    let code = view.code(&source.code);
    Html::joined([code, Html::wrapped("<span class=\"soft\">", &Html::escaped(&place), "</span>")], "<br>")
}
