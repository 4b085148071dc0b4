//! The lists of `report.json` as tables.

use super::performance::performance;
use super::select::{Counts, Selection};
use super::table::{DASH, Table, column, place, text};
use crate::facts::{Compile, CompileTime, Finding, Rank, Reason, Recompile};

pub(super) fn tables(selected: &Selection<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(selected.findings.as_deref().map(findings));
    tables.extend(selected.graph_breaks.as_deref().map(|all| {
        Table::of(
            "Graph breaks",
            "No graph breaks.",
            all,
            &[
                column("Count", |one| one.count.to_string()),
                column("Id", |one| text(one.gb_id.as_deref())),
                column("Place", |one| place(one.file.as_deref(), one.line)),
                column("Reason", |one| one.reason.owned()),
            ],
        )
    }));
    tables.extend(selected.recompiles.as_deref().map(recompiles));
    tables.extend(failures(selected));
    tables.extend(selected.caches.as_deref().map(|all| {
        Table::of(
            "Cache lookups",
            "No cache lookups.",
            all,
            &[
                column("Compile", |one| text(one.compile_id.as_deref())),
                column("Cache", |one| one.cache.owned()),
                column("Outcome", |one| one.outcome.owned()),
                column("Reason", |one| text(one.reason.as_deref())),
            ],
        )
    }));
    tables.extend(selected.compiles.as_deref().map(compiles));
    tables.extend(selected.compile_time.into_iter().flat_map(compile_time));
    tables.extend(selected.files.as_deref().map(|all| {
        Table::of(
            "Files",
            "No files.",
            all,
            &[
                column("Compile", |one| text(one.compile_id.map(|id| &**id))),
                column("File", |one| one.path.to_owned()),
            ],
        )
    }));
    tables.extend(kernels(selected));
    tables.extend(selected.performance.into_iter().flat_map(performance));
    tables.extend(selected.counts.as_ref().map(counts));
    tables
}

/// Failures and restarts.
fn failures(selected: &Selection<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(selected.failures.as_deref().map(|all| {
        Table::of(
            "Failures",
            "No failures.",
            all,
            &[
                column("Compile", |one| text(one.compile_id.as_deref())),
                column("Error", |one| one.error.owned()),
                column("Place", |one| place(one.file.as_deref(), one.line)),
                column("Reason", |one| text(one.reason.as_deref())),
            ],
        )
    }));
    tables.extend(selected.restarts.as_deref().map(|all| {
        Table::of(
            "Restarts",
            "No restarts.",
            all,
            &[
                column("Compile", |one| text(one.compile_id.as_deref())),
                column("Reason", |one| one.reason.owned()),
            ],
        )
    }));
    tables
}

fn kernels(selected: &Selection<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(selected.kernels.as_deref().map(|all| {
        Table::of(
            "Kernels",
            "No kernels.",
            all,
            &[
                column("Compile", |one| text(one.compile_id.map(|id| &**id))),
                column("Count", |one| one.count.to_string()),
                column("Kernel", |one| one.name.to_owned()),
            ],
        )
    }));
    let measured = selected.measured_kernels.iter().flatten().filter(|all| !all.is_empty());
    tables.extend(measured.map(|all| {
        Table::of(
            "Measured kernels",
            "",
            all,
            &[
                column("Runs", |one| one.count.to_string()),
                column("Sum in µs", |one| format!("{:?}", one.sum_us)),
                column("Kernel", |one| one.name.owned()),
            ],
        )
    }));
    tables
}

/// The ranks of a job.
pub(super) fn ranks(all: &[Rank<'_>]) -> Table {
    Table::of(
        "Ranks",
        "No ranks.",
        all,
        &[
            column("Rank", |rank| rank.rank.to_string()),
            column("State", |rank| rank.state.owned()),
            column("Compiles", |rank| count(rank.compiles)),
            column("Breaks", |rank| count(rank.graph_breaks)),
            column("Recompiles", |rank| count(rank.recompiles)),
            column("Failures", |rank| count(rank.failures)),
            column("Seconds", |rank| {
                rank.compile_time_s.map_or_else(|| DASH.to_owned(), |seconds| format!("{seconds:?}"))
            }),
        ],
    )
}

/// Findings of a log or a job.
pub(super) fn findings(all: &[&Finding<'_>]) -> Table {
    let cost = |one: &&Finding<'_>| match &one.cost {
        Some(cost) => format!("{} s {}", seconds(Some(cost.seconds)), &*cost.kind),
        None => DASH.to_owned(),
    };
    Table::of(
        "Findings",
        "No findings.",
        all,
        &[
            column("Severity", |one| one.severity.owned()),
            column("Cost", cost),
            column("Place", |one| place(one.file.as_deref(), one.line)),
            column("Finding", |one| one.title.owned()),
        ],
    )
}

fn compiles(all: &[&Compile<'_>]) -> Table {
    Table::of(
        "Compiles",
        "No compiles.",
        all,
        &[
            column("Compile", |one| text(one.id.as_deref())),
            column("Status", |one| one.status.owned()),
            column("Seconds", |one| seconds(one.time.seconds)),
            column("Breaks", |one| one.graph_breaks.to_string()),
            column("Place", |one| {
                let function = one.function.as_ref();
                place(function.and_then(|of| of.file.as_deref()), function.and_then(|of| of.line))
            }),
            column("Function", |one| text(one.function.as_ref().and_then(|of| of.name.as_deref()))),
        ],
    )
}

/// A recompile with one of its failed guards; None if it has none.
struct FailedGuard<'r> {
    recompile: &'r Recompile<'r>,
    reason: Option<&'r Reason<'r>>,
}

/// A row per older compile whose guard failed.
fn recompiles(all: &[&Recompile<'_>]) -> Table {
    let rows = all.iter().flat_map(|recompile| {
        let reasons = recompile.reasons.iter().map(Some);
        let none = recompile.reasons.is_empty().then_some(None);
        reasons.chain(none).map(|reason| FailedGuard { recompile, reason })
    });
    Table::of(
        "Recompilations",
        "No recompilations.",
        &rows.collect::<Vec<_>>(),
        &[
            column("Compile", |row| text(row.recompile.compile_id.as_deref())),
            column("Function", |row| text(row.recompile.function.as_deref())),
            column("Instead of", |row| text(row.reason.and_then(|reason| reason.against.as_deref()))),
            column("Guard that failed", |row| text(row.reason.and_then(|reason| reason.guard.as_deref()))),
        ],
    )
}

fn counts(counts: &Counts) -> Table {
    let rows = [
        ("compiles", counts.compiles.to_string()),
        ("graph breaks", counts.graph_breaks.to_string()),
        ("recompiles", counts.recompiles.to_string()),
        ("failures", counts.failures.to_string()),
        ("restarts", counts.restarts.to_string()),
        ("caches", counts.caches.to_string()),
        ("compile seconds", counts.compile_seconds.map_or_else(|| DASH.to_owned(), |all| format!("{all:?}"))),
    ];
    let columns =
        [column("What", |row: &(&str, String)| row.0.to_owned()), column("Count", |row| row.1.clone())];
    Table::of("Overview", "", &rows, &columns)
}

fn compile_time(time: &CompileTime<'_>) -> [Table; 2] {
    let mut parts = Table::of(
        "Compile time",
        "",
        &time.parts,
        &[
            column("Part", |part| text(part.name.as_deref())),
            column("Seconds", |part| match part.work_s {
                Some(work_s) => format!("{:.3} ({work_s:.3} of work)", part.seconds),
                None => seconds(Some(part.seconds)),
            }),
        ],
    );
    parts.rows.push(vec!["all".to_owned(), seconds(time.total_s)]);
    let phases = Table::of(
        "Phases",
        "The log does not time the phases of the compiler.",
        &time.phases,
        &[
            column("Own seconds", |phase| seconds(Some(phase.self_s))),
            column("Seconds", |phase| seconds(Some(phase.total_s))),
            column("Count", |phase| phase.count.to_string()),
            column("Phase", |phase| phase.name.owned()),
        ],
    );
    [parts, phases]
}

fn count(count: Option<u64>) -> String {
    count.map_or_else(|| DASH.to_owned(), |count| count.to_string())
}

/// Seconds with milliseconds.
fn seconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| DASH.to_owned(), |seconds| format!("{seconds:.3}"))
}
