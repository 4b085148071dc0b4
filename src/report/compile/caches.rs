//! What the caches answered, and how near a function is to torch's limits.

use super::Subject;
use crate::model::Outcome;
use crate::report::Html;
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{UNKNOWN, counted, micros, whole};
use std::io::Write;

/// `torch._dynamo.config.recompile_limit` and `accumulated_recompile_limit` by default.
const LIMIT: u64 = 8;
const ACCUMULATED_LIMIT: u64 = 256;

pub(super) fn present(subject: Subject<'_>) -> bool {
    !subject.of.caches.is_empty() || subject.compile.outcome().is_some_and(|m| m.cache_size.is_some())
}

/// What people call a cache.
pub(in crate::report) fn title(cache: &str) -> &str {
    match cache {
        "fx_graph" => "Inductor",
        "aotautograd" => "AOTAutograd",
        "fx_graph_bundled" => "Inductor, bundled",
        other => other,
    }
}

pub(super) fn write(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if !present(subject) {
        return Ok(());
    }
    let lookups = &subject.of.caches;
    let note = "compiled code that was looked up before it was made";
    // Only the page of all lookups can say in what a missed key differs from an earlier one.
    let link =
        view.link(&format!("{}#lookups", view.href_of("caches.html")), "all lookups, and what differs");
    let tools = Html::wrapped("<div class=\"tools\">", &link, "</div>");
    let tools = if lookups.is_empty() { Html::default() } else { tools };
    view.open_section(out, ("caches", "Caches", note), Some(whole(lookups.len())), tools)?;
    if !lookups.is_empty() {
        write_lookups(view, subject, out)?;
    }
    write_sizes(subject, out)?;
    writeln!(out, "</section>")?;
    Ok(())
}

fn write_lookups(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let lookups = &subject.of.caches;
    let attempts = subject.compile.attempts.len() > 1;
    let saved = lookups.iter().any(|c| c.saved_ns.is_some());
    let mut heads = vec![Head::text("Cache"), Head::text("Answer")];
    heads.extend(attempts.then(|| Head::number("Attempt")));
    heads.push(Head::text("Reason").absent_if(lookups.iter().all(|c| c.reason.is_none())));
    heads.extend(saved.then(|| Head::number("Time saved")));
    heads.push(Head::text("Key"));
    let table = Table { id: "caches-table", label: "Caches", heads };
    let rows = lookups.iter().map(|lookup| {
        let answer = match lookup.outcome {
            Outcome::Hit => Html::escaped("hit"),
            Outcome::Miss => Html::escaped("miss"),
            Outcome::Bypass => Html::wrapped("<span class=\"warn\">", &Html::escaped("bypass"), "</span>"),
        };
        let attempt = || Td::number(f64::from(lookup.attempt), &lookup.attempt.to_string());
        let mut cells = vec![Td::text(title(&lookup.cache)), Td::html(answer)];
        cells.extend(attempts.then(attempt));
        cells.push(Td::html(view.folded(lookup.reason.as_deref().unwrap_or(UNKNOWN), false)));
        cells.extend(saved.then(|| Td::maybe(lookup.saved_ns, |ns| micros(ns / 1e3))));
        cells.push(Td::html(view.code(lookup.key.as_deref().unwrap_or(UNKNOWN))));
        Ok(Row::of(cells))
    });
    view.table(out, &table, rows)
}

/// Versions of the function that exist, against the limits at which torch gives up.
fn write_sizes(subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(facts) = subject.compile.outcome() else { return Ok(()) };
    let Some(size) = facts.cache_size else { return Ok(()) };
    let near = if size + 1 >= LIMIT { " <span class=\"warn\">That is the limit.</span>" } else { "" };
    if size == 0 && facts.accumulated_cache_size.is_none_or(|all| all == 0) {
        let words = "Before this compile no compiled version of the function existed (cache size 0).";
        writeln!(out, "<p class=\"after\">{words}</p>")?;
        return Ok(());
    }
    let all = facts.accumulated_cache_size.map_or(String::new(), |all| {
        format!(
            "; {} over all objects that share the code (accumulated cache size), where the limit is {ACCUMULATED_LIMIT}",
            whole(all)
        )
    });
    writeln!(
        out,
        "<p class=\"after\">Before this compile {} of the function existed (cache size){all}. At {LIMIT} torch stops \
         compiling it and runs it as Python; <code>torch._dynamo.config.recompile_limit</code> changes that.{near}</p>",
        if size == 0 {
            "no compiled version".to_owned()
        } else {
            counted(size, "compiled version", "compiled versions")
        },
    )?;
    Ok(())
}
