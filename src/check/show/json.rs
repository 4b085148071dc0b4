//! A verdict for programs.

use super::words;
use crate::check::verdict::{Check, Excess, Verdict};
use crate::source_tree::SourceTree;
use serde_json::{Value, json};

pub(super) fn json(verdict: &Verdict, tree: &SourceTree) -> String {
    let checks: Vec<Value> = verdict.checks.iter().map(|check| of_check(verdict, check, tree)).collect();
    let file = json!({
        "schema": 1,
        "holds": verdict.holds(),
        "checks": checks,
        "known": verdict.known,
        "logs": verdict.logs,
        "notes": verdict.notes,
    });
    format!("{file:#}\n")
}

fn of_check(verdict: &Verdict, check: &Check, tree: &SourceTree) -> Value {
    let excesses: Vec<Value> = check.excesses.iter().map(|excess| of_excess(verdict, excess, tree)).collect();
    json!({
        "budget": check.limit.measure.key(),
        "function": check.limit.function,
        "allowed": check.limit.most,
        "found": check.found,
        "holds": check.holds(),
        "excesses": excesses,
    })
}

fn of_excess(verdict: &Verdict, excess: &Excess, tree: &SourceTree) -> Value {
    let logs: Vec<&String> = excess.logs.iter().filter_map(|index| verdict.logs.get(*index)).collect();
    json!({
        "kind": excess.kind,
        "title": excess.title,
        "severity": excess.severity.word(),
        "count": excess.count,
        "function": excess.function,
        "file": excess.file,
        "line": excess.line,
        "relative_file": excess.file.as_deref().and_then(|file| tree.relative(file)),
        "cost": excess.cost.as_ref().map(|cost| json!({ "seconds": cost.seconds, "kind": cost.kind, "words": words::cost(cost) })),
        "hint": excess.hint,
        "page": excess.page,
        "logs": logs,
        "fingerprint": excess.fingerprint,
    })
}
