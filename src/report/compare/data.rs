//! The comparison as JSON, described by `diff.schema.json`.

use crate::compare::{Comparison, Match, Per, Recording, Row, RowSide, Times};
use crate::facts::{Diff, DiffRow, DiffRun, DiffSide, DiffThreshold, Tool};

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
        threshold: DiffThreshold { share: comparison.threshold.share, seconds: comparison.threshold.seconds },
        rows: comparison.rows.iter().take(MOST_ROWS).map(row).collect(),
        rows_left_out: comparison.rows.len().saturating_sub(MOST_ROWS) as u64,
    }
}

fn run(recording: &Recording) -> DiffRun<'_> {
    DiffRun {
        name: &recording.name,
        logs: recording.logs.iter().map(|log| log.file.as_str()).collect(),
        torch: recording.logs.iter().find_map(|log| log.torch.as_deref()),
        report: recording.report.as_deref(),
    }
}

fn row(row: &Row) -> DiffRow<'_> {
    DiffRow {
        kind: row.kind.word(),
        topic: row.topic.word(),
        subject: &row.subject,
        detail: row.detail.as_deref(),
        file: row.file.as_deref(),
        line: row.line,
        ranks: &row.ranks,
        matched: row.matched.map(Match::word),
        a: side(&row.a, row.seconds.a),
        b: side(&row.b, row.seconds.b),
        difference_s: row.difference().map(rounded),
        per: row.per.map(Per::word),
    }
}

fn side(side: &RowSide, seconds: Option<Times>) -> DiffSide<'_> {
    let spread = seconds.filter(|times| times.runs > 1);
    DiffSide {
        compile_ids: &side.compiles,
        value: side.value.as_deref(),
        seconds: seconds.map(|times| rounded(times.median)),
        spread_s: spread.map(|times| [rounded(times.least), rounded(times.most)]),
        page: side.page.as_deref(),
    }
}

/// Nine decimals, as kernels may take less than a microsecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
