//! A verdict for programs.

use super::words;
use crate::check::verdict::{Check, Excess, Verdict};
use crate::source_tree::SourceTree;
use serde::Serialize;

#[derive(Serialize)]
struct JsonFile<'v> {
    schema: u64,
    holds: bool,
    checks: Vec<Checked<'v>>,
    known: Option<usize>,
    logs: &'v [String],
    notes: &'v [String],
}

/// One limit.
#[derive(Serialize)]
struct Checked<'v> {
    budget: &'static str,
    function: Option<&'v str>,
    allowed: f64,
    found: f64,
    holds: bool,
    matches_nothing: bool,
    excesses: Vec<Exceeding<'v>>,
}

#[derive(Serialize)]
struct Exceeding<'v> {
    kind: &'v str,
    title: &'v str,
    severity: &'static str,
    count: f64,
    function: Option<&'v str>,
    file: Option<&'v str>,
    line: Option<u64>,
    relative_file: Option<String>,
    cost: Option<Cost<'v>>,
    hint: Option<&'v str>,
    page: Option<&'v str>,
    logs: Vec<&'v str>,
    fingerprint: &'v str,
}

#[derive(Serialize)]
struct Cost<'v> {
    seconds: f64,
    kind: &'v str,
    words: String,
}

pub(super) fn json(verdict: &Verdict, tree: &SourceTree) -> serde_json::Result<String> {
    let file = JsonFile {
        schema: 1,
        holds: verdict.holds(),
        checks: verdict.checks.iter().map(|check| of_check(verdict, check, tree)).collect(),
        known: verdict.known,
        logs: &verdict.logs,
        notes: &verdict.notes,
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&file)?))
}

fn of_check<'v>(verdict: &'v Verdict, check: &'v Check, tree: &SourceTree) -> Checked<'v> {
    Checked {
        budget: check.limit.key(),
        function: check.limit.function.as_deref(),
        allowed: check.limit.most,
        found: check.found,
        holds: check.holds(),
        matches_nothing: check.matches_nothing,
        excesses: check.excesses.iter().map(|excess| of_excess(verdict, excess, tree)).collect(),
    }
}

fn of_excess<'v>(verdict: &'v Verdict, excess: &'v Excess, tree: &SourceTree) -> Exceeding<'v> {
    let logs = excess.logs.iter().filter_map(|index| verdict.logs.get(*index));
    Exceeding {
        kind: &excess.item.kind,
        title: &excess.item.title,
        severity: excess.item.severity.word(),
        count: excess.count,
        function: excess.function(),
        file: excess.item.file.as_deref(),
        line: excess.item.line,
        relative_file: excess.item.file.as_deref().and_then(|file| tree.relative(file)),
        cost: excess.item.cost.as_ref().map(|cost| Cost {
            seconds: cost.seconds,
            kind: &cost.kind,
            words: words::cost(cost),
        }),
        hint: excess.item.hint.as_deref(),
        page: excess.item.page.as_deref(),
        logs: logs.map(String::as_str).collect(),
        fingerprint: &excess.fingerprint,
    }
}
