//! The comparison as JSON: `diff.schema.json` describes it.

use crate::compare::{Comparison, Recording, Row, RowSide, Times};
use serde_json::{Value, json};

/// Rows of the file; a comparison that has more says so.
const MOST_ROWS: usize = 50_000;

/// The whole object.
pub fn to_json(comparison: &Comparison) -> Value {
    json!({
        "schema": 1,
        "kind": "diff",
        "tool": { "name": "tlparse", "version": env!("CARGO_PKG_VERSION") },
        "a": comparison.a.iter().map(recording).collect::<Vec<_>>(),
        "b": comparison.b.iter().map(recording).collect::<Vec<_>>(),
        "threshold": { "share": comparison.threshold.share, "seconds": comparison.threshold.seconds },
        "rows": comparison.rows.iter().take(MOST_ROWS).map(row).collect::<Vec<_>>(),
        "rows_left_out": comparison.rows.len().saturating_sub(MOST_ROWS),
    })
}

fn recording(recording: &Recording) -> Value {
    let torch = recording.logs.iter().find_map(|log| log.torch.as_ref());
    json!({
        "name": recording.name,
        "logs": recording.logs.iter().map(|log| &log.file).collect::<Vec<_>>(),
        "torch": torch,
        "report": recording.report,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "kind": row.kind.word(),
        "topic": row.topic.word(),
        "subject": row.subject,
        "detail": row.detail,
        "file": row.file,
        "line": row.line,
        "ranks": row.ranks,
        "match": row.matched.map(crate::compare::Match::word),
        "a": side(&row.a, row.seconds.a),
        "b": side(&row.b, row.seconds.b),
        "difference_s": row.difference().map(rounded),
    })
}

fn side(side: &RowSide, seconds: Option<Times>) -> Value {
    let spread = seconds.filter(|times| times.runs > 1);
    json!({
        "compile_ids": side.compiles,
        "value": side.value,
        "seconds": seconds.map(|times| rounded(times.median)),
        "spread_s": spread.map(|times| [rounded(times.least), rounded(times.most)]),
        "page": side.page,
    })
}

/// Nine decimals: kernels take microseconds and less.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
