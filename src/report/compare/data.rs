//! The comparison as JSON, described by `diff.schema.json`.

use crate::compare::{Comparison, Recording};
use crate::facts::{Diff, DiffRun, List, Tool};

/// Most rows; a truncated file says so.
const MOST_ROWS: usize = 50_000;

/// The whole object.
pub fn to_json(comparison: &Comparison) -> Diff<'_> {
    Diff {
        schema: 1,
        kind: "diff",
        tool: Tool::this(),
        a: comparison.a.iter().map(run).collect(),
        b: comparison.b.iter().map(run).collect(),
        threshold: comparison.threshold,
        rows: List::made(|| comparison.rows.iter().take(MOST_ROWS)),
        rows_left_out: comparison.rows.len().saturating_sub(MOST_ROWS) as u64,
    }
}

fn run(recording: &Recording) -> DiffRun<'_> {
    DiffRun {
        name: &recording.name,
        logs: recording.logs.iter().map(|log| log.log.file.as_str()).collect(),
        torch: recording.logs.iter().find_map(|log| log.torch.as_deref()),
        report: recording.report.as_deref(),
    }
}
