//! Recompilations: which guard of which earlier compile failed.

use crate::model::{Reason, Recompile};
use crate::report::Html;
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{UNKNOWN, short_path, whole};
use crate::trace::CompileId;
use std::io::Write;

/// Reasons on the landing page, one a cache entry that failed; what is beyond stands in report.json.
const LISTED: usize = 500;

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
    let none = Reason::default();
    let mut rows: Vec<(&Recompile, &Reason)> = Vec::new();
    for one in recompiles {
        rows.extend(one.reasons.iter().map(|reason| (one, reason)));
        if one.reasons.is_empty() {
            rows.push((one, &none));
        }
    }
    let no = |known: fn(&Reason) -> bool| !rows.iter().any(|(_, reason)| known(reason));
    let heads = vec![
        Head::text("Function"),
        Head::compiles("Compile"),
        Head::compiles("Against").about("the earlier compile whose guard failed"),
        Head::text("Failed guard"),
        Head::text("Where the guard comes from").absent_if(no(|r| r.source.is_some())),
        Head::text("torch's hint").absent_if(no(|r| r.hint.is_some())),
    ];
    let table = Table { id: "recompiles-table", label: "Recompilations", heads };
    view.table(out, &table, rows.iter().take(LISTED).map(|(one, reason)| row(view, one, reason)))?;
    view.beyond(out, rows.len(), LISTED, "reasons")?;
    writeln!(out, "</section>")?;
    Ok(())
}

fn row(view: View<'_>, one: &Recompile, reason: &Reason) -> anyhow::Result<Row> {
    let model = view.report.model;
    let order =
        |id: Option<&CompileId>| model.by_id.get(&id.cloned()).map_or_else(String::new, ToString::to_string);
    let function = model.compile(one.compile.as_ref()).and_then(|c| c.function.as_ref());
    let against = reason.against.as_deref().and_then(CompileId::parse);
    let against_cell = match (&against, &reason.against) {
        (Some(id), _) => view.pill_of(Some(id))?,
        (None, Some(text)) => view.code(text),
        (None, None) => Html::escaped(UNKNOWN),
    };
    let guard = match (reason.guard.is_empty(), reason.text.is_empty()) {
        (false, _) => view.folded(&reason.guard, true),
        (true, false) => view.folded(&reason.text, false),
        (true, true) => Html::escaped("no reason recorded"),
    };
    let source = match &reason.source {
        Some(source) => {
            let place = format!("{}:{} in {}", short_path(&source.file), source.line, source.function);
            let code = view.code(&source.code);
            Html::joined(
                [code, Html::wrapped("<span class=\"soft\">", &Html::escaped(&place), "</span>")],
                "<br>",
            )
        }
        None => Html::escaped(UNKNOWN),
    };
    Ok(Row::of(vec![
        Td::html(function.map_or_else(|| Html::escaped(UNKNOWN), |f| view.function(&f.name))),
        Td::html(view.pill_of(one.compile.as_ref())?).sorted(order(one.compile.as_ref())),
        Td::html(against_cell).sorted(order(against.as_ref())),
        Td::html(guard),
        Td::html(source),
        Td::html(reason.hint.as_deref().map_or_else(|| Html::escaped(UNKNOWN), |h| view.folded(h, false))),
    ]))
}
