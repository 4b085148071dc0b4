//! Guards: the conditions under which compiled code may run again.

use super::guard_facts::guard_facts;
use super::program_lines::guard_origins;
use super::{Event, Flow, RankContext};
use crate::model::{Cell, Form, Unit};
use crate::read::guard_tree::is_kind;
use indexmap::IndexMap;

pub(super) fn parse_guard_tree(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.key, Form::Text);
    let text = event.payload_text().unwrap_or_default();
    let compile = cx.compile;
    // In the log, the reasons of a recompile come before its guards.
    let is_recompile =
        cx.model().recompiles.last().is_some_and(|last| last.compile.as_ref() == event.compile_id);
    if let Some(compile) = compile {
        cx.model().guards.insert(compile, guard_facts(&text, is_recompile));
    }
    guard_origins(&text, &mut cx.model().program_lines);
    let kinds = count_kinds(&text);
    if let Some(compile) = cx.here() {
        // If a compile has several trees, after a reset or a restart, the last one describes it.
        compile.sections.retain(|section| section.id != "guards");
    }
    let total: u64 = kinds.values().map(|(count, _)| count).sum();
    let latency = text.lines().rev().find_map(|l| l.strip_prefix("Guard latency = "));
    let cost =
        latency.map_or(String::new(), |us| format!(", {} together", us.trim().replace(" us", "\u{a0}us")));
    let note = format!("{total} conditions, checked on every call{cost}");
    if let Some(compile) = cx.here() {
        compile.guard_conditions = Some(total);
    }
    let mut section = cx.table_with("guards", Some(&note));
    for (kind, (count, first)) in kinds {
        section.row(vec![
            Cell::Code(kind.to_owned()),
            Cell::Number(count as f64, Unit::Count),
            Cell::Code(first.to_owned()),
        ]);
    }
    Ok(Flow::Handled)
}

/// The leaf guards of a tree by kind, in the order of the tree, with the text of the first; a line is `| | +- KIND: text`.
pub(super) fn count_kinds(tree: &str) -> IndexMap<&str, (u64, &str)> {
    let mut kinds = IndexMap::new();
    for line in tree.lines() {
        let Some((_, leaf)) = line.split_once("+- ") else { continue };
        // Some kinds have no text of their own.
        let (kind, text) = leaf.split_once(": ").unwrap_or((leaf.trim_end(), ""));
        if is_kind(kind) && kind.len() < 64 {
            kinds.entry(kind).or_insert((0, text)).0 += 1;
        }
    }
    kinds
}

pub(super) fn parse_guard_list(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.key, Form::Guards);
    Ok(Flow::Handled)
}
